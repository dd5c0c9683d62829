# SPDX-License-Identifier: Apache-2.0
"""What tests of access share: tokens of a policy, and requests with exactly these headers."""
import hashlib
import json


def digest(secret):
    return hashlib.sha256(secret.encode()).hexdigest()


def token(name, scopes, **more):
    """An entry of the policy's tokens; the secret is the name with '-token' behind it."""
    return {"name": name, "sha256": digest(f"{name}-token"), "scopes": scopes, **more}


def ask(server, target, *lines, method="GET", body=None, host=None):
    """One request with exactly these header lines; the reply, whole."""
    head = [f"{method} {target} HTTP/1.1", f"Host: {host or f'{server.host}:{server.port}'}", *lines]
    if body is not None:
        head.append(f"Content-Length: {len(body)}")
    with server.client(token=None).connect() as connection:
        connection.send("\r\n".join(head) + "\r\n\r\n", body or b"")
        reply = connection.reply(method)
        reply.body = reply.read()
    reply.json = json.loads(reply.body) if reply.body else None
    return reply


def code(reply):
    return reply.json["wire_code"] if reply.status >= 400 else None
