# SPDX-License-Identifier: Apache-2.0
"""Requests written byte for byte, and what came back on their connection."""
from lib.contract import check_error, check_head, strict_json

H = "Host: localhost\r\n"


def exchange(client, *parts, method="GET"):
    """Sends these bytes on a connection of its own; the reply with its body, and whether the server closed then."""
    with client.connect() as connection:
        try:
            connection.send(*parts)
        except ConnectionError:
            pass  # Refused before all of it was sent.
        reply = connection.reply(method)
        check_head(reply)
        reply.read()
        if reply.header("connection") == "close":
            assert connection.is_closed(), "told to close, and did not"
    return reply


def refusal(reply):
    body = strict_json(reply.read())
    check_error(None, reply, body)
    return body["wire_code"]


def post(path, body, *lines):
    body = body if isinstance(body, bytes) else body.encode()
    return f"POST {path} HTTP/1.1\r\n{H}Content-Length: {len(body)}\r\n{''.join(line + chr(13) + chr(10) for line in lines)}\r\n".encode() + body
