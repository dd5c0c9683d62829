# SPDX-License-Identifier: Apache-2.0
"""Bodies of requests: Expect, chunks, lengths, JSON, media types, and where parameters live (B128, B130, B132)."""
import contextlib
import json
import re
import sys

import pytest

from lib.client import expect_error
from lib.contract import strict_json
from lib.exchange import H, exchange, post, refusal
from lib.processes import eventually, gone, nap
from lib.server import is_sanitized

MIB = 1 << 20


# --- Expect and bodies


def test_r72_100_continue(client):
    body = b'{"command":"echo hi"}'
    with client.connect() as connection:
        connection.send(f"POST /shell HTTP/1.1\r\n{H}Expect: 100-continue\r\nContent-Length: {len(body)}\r\n\r\n")
        assert connection.reply("POST", interim=True).status == 100
        connection.send(body)
        assert json.loads(connection.reply("POST").read())["stdout"] == "hi\n"
        # The body came along without waiting: no 100 is needed, and the answer is right.
        connection.send(f"POST /shell HTTP/1.1\r\n{H}Expect: 100-continue\r\nContent-Length: {len(body)}\r\n\r\n".encode(), body)
        assert json.loads(connection.reply("POST").read())["stdout"] == "hi\n"


@pytest.mark.parametrize("target, lines, status, code", [
    ("/nothing", "", 404, "op.unknown"),
    ("/health", "", 405, "op.method_not_allowed"),
    ("/shell", "Content-Type: text/plain\r\n", 415, "args.unsupported_media_type"),
    ("/shell?x=1", "", 400, "args.unknown"),
    ("/shell", "Content-Length: 10485761\r\n", 413, "limit.body_too_large"),
])
def test_r72_the_final_answer_comes_instead_of_100(client, target, lines, status, code):
    lines = lines if "Length" in lines else lines + "Content-Length: 100\r\n"
    with client.connect() as connection:
        connection.send(f"POST {target} HTTP/1.1\r\n{H}Expect: 100-continue\r\n{lines}\r\n")
        reply = connection.reply("POST", interim=True)
        assert (reply.status, refusal(reply)) == (status, code)
        assert reply.header("connection") == "close" and connection.is_closed()


def test_r72_without_credentials_401_comes_instead_of_100(make_server):
    client = make_server(token="t0ken").client(token=None)
    with client.connect() as connection:
        connection.send(f"POST /shell HTTP/1.1\r\n{H}Expect: 100-continue\r\nContent-Length: 100\r\n\r\n")
        reply = connection.reply("POST", interim=True)
        assert (reply.status, refusal(reply)) == (401, "auth.missing_credentials") and connection.is_closed()


def test_r91_a_bad_body_is_told_after_the_head_was_judged(make_server):
    """401 before anything of the body, also where that is malformed or too large."""
    client = make_server(token="t0ken").client(token=None)
    for target in ("/shell", "/nothing", "/ops/commands.run"):
        assert refusal(exchange(client, post(target, "{nonsense"))) == "auth.missing_credentials"
        assert refusal(exchange(client, f"POST {target} HTTP/1.1\r\n{H}Content-Length: 99999999999\r\n\r\n")) == "auth.missing_credentials"


def test_413_comes_from_the_length_and_can_be_read_by_who_sends_it_all(client):
    """B132: 64 MiB."""
    body = b'{"command":"' + b"x" * (64 * MIB) + b'"}'
    with client.connect() as connection:
        connection.send(f"POST /shell HTTP/1.1\r\n{H}Content-Length: {len(body)}\r\n\r\n")
        with contextlib.suppress(ConnectionError):  # who pauses for long while sending is not waited for
            connection.send(body)
        reply = connection.reply("POST")
        assert (reply.status, refusal(reply)) == (413, "limit.body_too_large") and reply.header("connection") == "close"


def test_413_of_a_chunked_body(client):
    with client.connect() as connection:
        connection.send(f"POST /shell HTTP/1.1\r\n{H}Transfer-Encoding: chunked\r\n\r\n")
        part = b"x" * MIB
        with contextlib.suppress(ConnectionError):
            for _ in range(11):
                connection.send(f"{len(part):x}\r\n", part, "\r\n")
        reply = connection.reply("POST")
        assert (reply.status, refusal(reply)) == (413, "limit.body_too_large") and reply.header("connection") == "close"


def test_chunked_json(client):
    body = b'{"command":"echo hi"}'
    head = f"POST /shell HTTP/1.1\r\n{H}Transfer-Encoding: chunked\r\n\r\n".encode()
    single = b"".join(b"1\r\n" + bytes([byte]) + b"\r\n" for byte in body) + b"0\r\n\r\n"
    with_extras = b"%x;a=b;c=\"d\"\r\n" % len(body) + body + b"\r\n0\r\nX-Trailer: y\r\n\r\n"
    with client.connect() as connection:
        for form in (single, with_extras, b"00015\r\n" + body + b"\r\n000\r\n\r\n"):
            connection.send(head, form)
            reply = connection.reply("POST")
            assert json.loads(reply.read())["stdout"] == "hi\n" and reply.header("connection") is None


CHUNKS = {
    "FFFFFFFFFFFFFFFF": b"FFFFFFFFFFFFFFFF\r\nx",
    "8000000000000000": b"8000000000000000\r\nx",
    "minus": b"-1\r\nx",
    "5000 digits": b"0" * 4999 + b"1\r\nx\r\n",
    "a prefix": b"0x1\r\nx\r\n",
    "a blank": b" 1\r\nx\r\n",
    "no size": b"\r\nx\r\n",
    "an extension of 1 MiB": b"1;" + b"e" * MIB + b"\r\nx\r\n0\r\n\r\n",
    "no CRLF after the data": b"1\r\nxy0\r\n\r\n",
    "LF only": b"1\nx\n0\n\n",
    "10 000 trailers": b"1\r\nx\r\n0\r\n" + b"T: y\r\n" * 10_000 + b"\r\n",
}


@pytest.mark.parametrize("name", CHUNKS)
def test_b128_chunks(client, folder, name):
    """Of a body in memory and of one that goes into a file, of which nothing stays."""
    before = client.server.rss_kib()
    for target in ("/shell", f"/files/upload-stream?path={folder}/f"):
        head = f"POST {target} HTTP/1.1\r\n{H}Content-Type: application/octet-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        head = head if "files" in target else head.replace("octet-stream", "json")
        reply = exchange(client, head.encode(), CHUNKS[name])
        assert (reply.status, refusal(reply)) == (400, "http.bad_request") and reply.header("connection") == "close"
    eventually(lambda: not list(folder.iterdir()))
    assert is_sanitized() or client.server.rss_kib() - before < 4096


@pytest.mark.parametrize("target, media", [("/shell", "json"), ("/files/upload-stream?path=f", "octet-stream")])
@pytest.mark.parametrize("framing", ["Transfer-Encoding: chunked\r\n\r\n5\r\n{\"com", "Transfer-Encoding: chunked\r\n\r\n5\r\nwhole\r\n",
                                     "Content-Length: 50\r\n\r\n{\"com"])
def test_b128_an_end_in_the_middle_of_the_body_is_400(make_server, target, media, framing):
    client = make_server().client()
    with client.connect() as connection:
        connection.send(f"POST {target} HTTP/1.1\r\n{H}Content-Type: application/{media}\r\n{framing}")
        connection.half_close()
        reply = connection.reply("POST")
        assert (reply.status, refusal(reply)) == (400, "http.bad_request") and connection.is_closed()
    eventually(lambda: not list(client.server.base.iterdir()))


def test_an_unread_body_is_never_taken_for_a_request(client):
    """The answer comes early; what follows on the connection is body."""
    inner = f"GET /capabilities HTTP/1.1\r\n{H}\r\n"
    reply = exchange(client, post("/nothing", inner * 3000))
    assert reply.status == 404 and reply.header("connection") == "close"
    with client.connect() as connection:
        connection.send(post("/nothing", inner), f"GET /health HTTP/1.1\r\n{H}\r\n")
        assert connection.reply("POST").status == 404


# --- JSON


@pytest.fixture
def shallow(make_server):
    """A client of a server on a small stack."""
    limit = "import os, resource, sys; resource.setrlimit(resource.RLIMIT_STACK, (192 << 10, 192 << 10)); os.execv(sys.argv[1], sys.argv[1:])"
    return make_server(wrap=() if is_sanitized() else (sys.executable, "-c", limit), policy={"profile": "full_access"}).client()


def test_b130_deep_json(shallow):
    client, depth = shallow, 200_000
    for op, value in client.ops.items():
        if value["kind"] not in ("json", "sse", "raw"):
            continue
        for body in ("[" * depth, '{"a":' * depth, "[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth):
            reply = exchange(client, post(f"/ops/{op}", body))
            assert (reply.status, refusal(reply)) == (400, "args.invalid_json"), op
    assert client.rest("core.health") == {"status": "ok"}


def test_b130_depth_64_is_the_most(client):
    def nested(levels):
        return client.request("POST", "/shell", ('{"command":"true","env":' + "[" * levels + "]" * levels + "}").encode())

    assert json.loads(nested(63).read())["wire_code"] == "args.invalid"
    assert json.loads(nested(64).read())["wire_code"] == "args.invalid_json"


BODIES = {
    "the same key twice": ('{"command":"true","command":"false"}', "args.invalid_json", "line 1, column"),
    "the same key, written differently": ('{"command":"true","c\\u006fmmand":"false"}', "args.invalid_json", None),
    "an array": ('{"command":["a"]}', "args.invalid", "parameter 'command' must be a string, not array"),
    "null": ('{"command":null}', "args.invalid", "parameter 'command' must be a string, not null"),
    "true": ("true", "args.invalid", "object"),
    "a string": ('"x"', "args.invalid", "object"),
    "trailing text": ('{"command":"true"} x', "args.invalid_json", None),
    "two values": ('{"command":"true"}{}', "args.invalid_json", None),
    "nothing": ("", "args.missing", "command"),
    "blanks": ("  ", "args.invalid_json", None),
    "a comma at the end": ('{"command":"true",}', "args.invalid_json", None),
    "single quotes": ("{'command':'true'}", "args.invalid_json", None),
    "a comment": ('{"command":"true"/* x */}', "args.invalid_json", None),
    "a byte order mark": ("\ufeff{}", "args.invalid_json", None),
    "not UTF-8": (b'{"command":"\xff"}', "args.invalid_json", None),
    "NUL raw": (b'{"command":"a\0b"}', "args.invalid_json", None),
    "a control character": ('{"command":"a\nb"}', "args.invalid_json", None),
    "a lone surrogate": ('{"command":"\\ud800"}', "args.invalid_json", None),
    "a lone low surrogate": ('{"command":"\\udc00x"}', "args.invalid_json", None),
    "1e400": ('{"command":"true","timeout":1e400}', "args.invalid", "timeout"),
    "a number over 2^53": ('{"command":"true","max_output_bytes":9007199254740993}', "args.invalid", "max_output_bytes"),
    "a fraction": ('{"command":"true","max_output_bytes":80.5}', "args.invalid", "must be an integer, not 80.5"),
    "NaN": ('{"command":"true","timeout":NaN}', "args.invalid_json", None),
    "hexadecimal": ('{"command":"true","timeout":0x1}', "args.invalid_json", None),
    "a zero in front": ('{"command":"true","timeout":01}', "args.invalid_json", None),
    "an unknown name": ('{"comand":"true"}', "args.unknown", "did you mean 'command'"),
    "both of one": ('{"command":"true","argv":["true"]}', "args.invalid", "only one of 'command', 'argv'"),
    "none of one": ("{}", "args.missing", "one of 'command', 'argv'"),
    "NUL in a command": ('{"command":"a\\u0000b"}', "args.invalid", "parameter 'command' must not hold NUL"),
    "NUL in an argument": ('{"argv":["a\\u0000b"]}', "args.invalid", "argv[0]"),
    "NUL in a path": ('{"command":"true","cwd":"/\\u0000"}', "args.invalid", "cwd"),
    "an object in a list": ('{"argv":["echo",{}]}', "args.invalid", "argv[1]"),
    "a number for a boolean": ('{"command":"true","encoding":1}', "args.invalid", "encoding"),
    "no such choice": ('{"command":"true","encoding":"utf8"}', "args.invalid", "utf-8"),
}


@pytest.mark.parametrize("name", BODIES)
def test_b132_r60_r75_bodies(client, name):
    body, code, says = BODIES[name]
    reply = exchange(client, post("/shell", body))
    error = strict_json(reply.read())
    assert (reply.status, error["wire_code"]) == (400, code), error
    assert says is None or says in error["error"]
    if code == "args.invalid_json":
        assert re.search(r"line \d+, column \d+", error["error"])


def test_malformed_json_names_the_place(client):
    reply = exchange(client, post("/shell", '{\n "command": tru\n}'))
    assert "line 2, column" in strict_json(reply.read())["error"]


@pytest.mark.parametrize("number", ["50", "50.0", "500e-1", "0.5e2"])
def test_r75_integers_may_be_written_in_any_exact_way_or_are_refused(client, number):
    reply = client.request("POST", "/shell", f'{{"command":"true","timeout":{number}}}'.encode())
    assert reply.status == 200 and json.loads(reply.read())["timeout"] == 50


@pytest.mark.parametrize("media, status", [
    (None, 200), ("application/json", 200), ("application/json; charset=utf-8", 200), ('Application/JSON;charset="UTF-8"', 200),
    ("application/json; charset=latin-1", 415), ("text/plain", 415), ("application/x-www-form-urlencoded", 415),
    ("application/octet-stream", 415), ("multipart/form-data; boundary=x", 415)])
def test_b132_r76_media_types(client, media, status):
    reply = client.request("POST", "/shell", b'{"command":"true"}', {"Content-Type": media})
    assert reply.status == status
    if status == 415:
        assert refusal(reply) == "args.unsupported_media_type"


def test_b132_r59_parameters_in_the_wrong_place_or_twice(client):
    assert refusal(exchange(client, post("/shell?timeout=5", '{"command":"true"}'))) == "args.unknown"
    assert refusal(exchange(client, post("/ops/core.health?x=1", "{}"))) == "args.unknown"
    get = f"GET %s HTTP/1.1\r\n{H}\r\n"
    assert refusal(exchange(client, get % "/health?x=1")) == "args.unknown"
    assert refusal(exchange(client, f"GET /health HTTP/1.1\r\n{H}Content-Length: 2\r\n\r\n{{}}")) == "args.unknown"
    assert refusal(exchange(client, get % "/ops/core.health?id=core.health")) == "args.invalid"
    assert refusal(exchange(client, get % "/health?x=%zz")) in ("args.invalid", "http.bad_request")
    assert refusal(exchange(client, get % "/health?x=%00")) in ("args.invalid", "http.bad_request")
    assert refusal(exchange(client, get % "/files/stat?path=a&path=b")) == "args.invalid"


def test_r59_plus_is_a_blank_in_a_query(client, folder):
    (folder / "a b").write_bytes(b"1")
    (folder / "a+b").write_bytes(b"22")
    for query, size in (("a+b", 1), ("a%20b", 1), ("a%2Bb", 2)):
        reply = client.request("GET", f"/files/stat?path={folder}/{query}")
        assert json.loads(reply.read())["size"] == size


def test_both_bindings_are_the_same(client):
    for op in (client.call, client.rest):
        assert op("commands.run", argv=["echo", "hi"])["stdout"] == "hi\n"
        with expect_error("args.missing"):
            op("commands.run")
    assert client.request("POST", "/ops/shell", {"command": "echo v1"}).status == 200  # the endpoint id
    assert refusal(client.request("POST", "/ops/no.such", {})) == "op.unknown"
    assert refusal(client.request("POST", "/ops", {})) == "op.method_not_allowed"


def test_large_bodies_are_read_beside_the_loop(server, client):
    """What is slow to parse holds up its own call: the loop's thread has the smaller part of the work."""
    keys = ("{" + ",".join(f'"k{i}":1' for i in range(300_000)) + "}").encode()
    numbers = ('{"x":[' + ",".join(["1.234567890123456789e-300"] * 400_000) + "]}").encode()
    loop, whole = server.cpu_seconds_of_loop(), server.cpu_seconds()
    for body in (keys, numbers) * 2:
        reply = client.request("POST", "/shell", body)
        assert (reply.status, refusal(reply)) == (400, "args.unknown")
    loop, whole = server.cpu_seconds_of_loop() - loop, server.cpu_seconds() - whole
    assert loop < whole / 2


def test_the_caller_of_a_large_body_leaves(server, client):
    number = nap()
    body = json.dumps({"argv": ["sleep", number], "env": {"X": "x" * 100_000}}).encode()
    for _ in range(20):
        with client.connect() as connection:
            connection.send(f"POST /shell HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n", body)
            connection.reset()
    assert client.call("commands.run", command="echo hi", env={"X": "x" * 100_000})["stdout"] == "hi\n"
    gone(number)
