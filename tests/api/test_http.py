# SPDX-License-Identifier: Apache-2.0
"""HTTP as it comes over the socket: shapes that are refused, targets, HEAD, connections, many and rude peers (B129, B133, B134)."""
import contextlib
import json
import socket

import pytest

from lib.exchange import H, exchange, post, refusal
from lib.parallel import together
from lib.processes import eventually, no_descriptor_is_left
from lib.raw import Broken
from lib.server import is_sanitized


UPGRADE = "Connection: Upgrade\r\nUpgrade: websocket\r\n"

# --- what is not HTTP

SHAPES = {
    "two Content-Length": (f"POST /shell HTTP/1.1\r\n{H}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{{}}", 400, "http.bad_request"),
    "two in one line": (f"POST /shell HTTP/1.1\r\n{H}Content-Length: 2, 2\r\n\r\n{{}}", 400, "http.bad_request"),
    "both CL and TE": (f"POST /shell HTTP/1.1\r\n{H}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, "http.bad_request"),
    "TE that is not chunked": (f"POST /shell HTTP/1.1\r\n{H}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501, "http.not_implemented"),
    "TE not chunked at the end": (f"POST /shell HTTP/1.1\r\n{H}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n", (400, 501), None),
    "TE in HTTP/1.0": (f"POST /shell HTTP/1.0\r\n{H}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, "http.bad_request"),
    "length with a sign": (f"POST /shell HTTP/1.1\r\n{H}Content-Length: +2\r\n\r\n{{}}", 400, "http.bad_request"),
    "negative length": (f"POST /shell HTTP/1.1\r\n{H}Content-Length: -1\r\n\r\n", 400, "http.bad_request"),
    "hexadecimal length": (f"POST /shell HTTP/1.1\r\n{H}Content-Length: 0x2\r\n\r\n{{}}", 400, "http.bad_request"),
    "empty length": (f"POST /shell HTTP/1.1\r\n{H}Content-Length: \r\n\r\n", 400, "http.bad_request"),
    "a length of 19 digits": (f"POST /shell HTTP/1.1\r\n{H}Content-Length: {'0' * 18}2\r\n\r\n{{}}", 400, "http.bad_request"),
    "a blank before the colon": (f"GET /health HTTP/1.1\r\n{H}Content-Length : 0\r\n\r\n", 400, "http.bad_request"),
    "a folded line": (f"GET /health HTTP/1.1\r\n{H}X-A: a\r\n b\r\n\r\n", 400, "http.bad_request"),
    "a blank at the line's start": (f"GET /health HTTP/1.1\r\n X-A: a\r\n{H}\r\n", 400, "http.bad_request"),
    "bare LF between lines": ("GET /health HTTP/1.1\nHost: localhost\n\n", 400, "http.bad_request"),
    "bare LF in a value": (f"GET /health HTTP/1.1\r\n{H}X-A: a\nX-B: b\r\n\r\n", 400, "http.bad_request"),
    "bare CR in a value": (f"GET /health HTTP/1.1\r\n{H}X-A: a\rb\r\n\r\n", 400, "http.bad_request"),
    "NUL in a value": (f"GET /health HTTP/1.1\r\n{H}X-A: a\0b\r\n\r\n", 400, "http.bad_request"),
    "no name": (f"GET /health HTTP/1.1\r\n{H}: a\r\n\r\n", 400, "http.bad_request"),
    "no colon": (f"GET /health HTTP/1.1\r\n{H}X-A\r\n\r\n", 400, "http.bad_request"),
    "no Host": ("GET /health HTTP/1.1\r\n\r\n", 400, "http.bad_request"),
    "two Hosts": (f"GET /health HTTP/1.1\r\n{H}{H}\r\n", 400, "http.bad_request"),
    "HTTP/0.9": ("GET /health\r\n\r\n", 400, "http.bad_request"),
    "HTTP/2.0": (f"GET /health HTTP/2.0\r\n{H}\r\n", 505, "http.version"),
    "HTTP/1.2": (f"GET /health HTTP/1.2\r\n{H}\r\n", (200, 505), None),
    "the preface of HTTP/2": ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, "http.version"),
    "two blanks": (f"GET  /health HTTP/1.1\r\n{H}\r\n", 400, "http.bad_request"),
    "a tab": (f"GET\t/health HTTP/1.1\r\n{H}\r\n", 400, "http.bad_request"),
    "no target": (f"GET HTTP/1.1\r\n{H}\r\n", 400, "http.bad_request"),
    "a target that is no path": (f"GET health HTTP/1.1\r\n{H}\r\n", 400, "http.bad_request"),
    "a control character in the target": (f"GET /heal\x01th HTTP/1.1\r\n{H}\r\n", 400, "http.bad_request"),
    "a method that is no word": (f"G@T /health HTTP/1.1\r\n{H}\r\n", 400, "http.bad_request"),
    "TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\xaa" * 32 + b"\r\n\r\n", 400, "http.bad_request"),
    "a bad percent in the path": (f"GET /he%zzlth HTTP/1.1\r\n{H}\r\n", 400, "http.bad_request"),
    "NUL in the path": (f"GET /health%00 HTTP/1.1\r\n{H}\r\n", 400, "http.bad_request"),
    "an unknown expectation": (f"POST /shell HTTP/1.1\r\n{H}Expect: a-pony\r\nContent-Length: 2\r\n\r\n", 417, "http.expectation"),
    "a line of 100 KiB": (f"GET /{'a' * 100_000} HTTP/1.1\r\n{H}\r\n", 414, "http.uri_too_long"),
    "a line over 8 KiB": (f"GET /{'a' * 8192} HTTP/1.1\r\n{H}\r\n", 414, "http.uri_too_long"),
    "20 000 lines": (f"GET /health HTTP/1.1\r\n{H}" + "X: y\r\n" * 20_000 + "\r\n", 431, "http.headers_too_large"),
    "101 lines": (f"GET /health HTTP/1.1\r\n{H}" + "X: y\r\n" * 100 + "\r\n", 431, "http.headers_too_large"),
    "a line of a million bytes": (f"GET /health HTTP/1.1\r\n{H}X: {'a' * 1_000_000}\r\n\r\n", 431, "http.headers_too_large"),
    "33 KiB of lines": (f"GET /health HTTP/1.1\r\n{H}" + f"X: {'a' * 1000}\r\n" * 33 + "\r\n", 431, "http.headers_too_large"),
}


@pytest.mark.parametrize("name", SHAPES)
def test_b133_r70_r71_shapes_are_refused_and_the_connection_closes(client, name):
    sent, status, code = SHAPES[name]
    reply = exchange(client, sent)
    assert reply.status in (status if isinstance(status, tuple) else (status,)), reply.read()
    if reply.status != 200:
        found = refusal(reply)
        assert code in (None, found)
        assert reply.header("connection") == "close"
    assert client.rest("core.health") == {"status": "ok"}


def test_r70_what_the_limits_allow_is_taken(client):
    line = f"GET /health?{'a' * (8192 - 30)}= HTTP/1.1\r\n"
    assert exchange(client, line, H, "\r\n").status == 400  # the parameter is unknown, the line is not too long
    assert exchange(client, "GET /health HTTP/1.1\r\n", H, "X: y\r\n" * 99, "\r\n").status == 200
    assert exchange(client, "GET /health HTTP/1.1\r\n", H, f"X: {'a' * 31_000}\r\n", "\r\n").status == 200
    assert exchange(client, "\r\nGET /health HTTP/1.1\r\n", H, "\r\n").status == 200  # RFC 9112, 2.2


# --- methods and targets


@pytest.mark.parametrize("method", ["TRACE", "FOO", "get", "PUT", "DELETE", "CONNECT"])
def test_b133_other_methods_are_405_with_allow(client, method):
    reply = exchange(client, f"{method} /health HTTP/1.1\r\n{H}\r\n")
    if method == "CONNECT" and reply.status == 400:
        return  # its target has another form
    assert (reply.status, refusal(reply)) == (405, "op.method_not_allowed")
    assert reply.header("allow") == "GET, HEAD, OPTIONS"


def test_b133_targets(client):
    server = client.server
    host = f"{server.host}:{server.port}"

    def get(target, host=host):
        return exchange(client, f"GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n").status

    assert get("/health/") == get("//health") == get("/health//") == get("/h%65alth") == 200
    assert get(f"http://{host}/health") == 200
    assert get("http://elsewhere.example/health") in (400, 403)
    assert get("/health?") == 200
    assert get("/health#x") == 400
    assert get("/health%2f") == 404  # decoded after the path was split
    assert get("/nothing") == 404
    assert get("/../health") in (400, 404)
    assert get("*") in (400, 404)


def test_b133_options(client):
    reply = exchange(client, f"OPTIONS /shell HTTP/1.1\r\n{H}\r\n", method="OPTIONS")
    assert (reply.status, reply.header("allow"), reply.header("content-length")) == (204, "POST, OPTIONS", None)
    assert exchange(client, f"OPTIONS /nothing HTTP/1.1\r\n{H}\r\n").status == 404
    assert exchange(client, f"OPTIONS * HTTP/1.1\r\n{H}\r\n").status in (204, 400, 404)


def test_b133_r76_head_is_get_without_the_body(make_server):
    """Every GET route that needs no parameter; the connection can be used again."""
    client = make_server().client()  # where nothing changes between two answers
    routes = [op["path"] for op in client.ops.values() if op["method"] == "GET" and op["kind"] != "ws" and "{" not in op["path"]
              and not any(param.get("required") for param in op["params"]) and op["kind"] == "json"
              and op["group"] in ("core", "file_ops", "process", "terminal")]  # others answer anew each time
    assert "/health" in routes and "/capabilities" in routes
    for route in routes:
        with client.connect() as connection:
            connection.send(f"GET {route} HTTP/1.1\r\n{H}\r\n")
            got = connection.reply("GET")
            body = got.read()
            connection.send(f"HEAD {route} HTTP/1.1\r\n{H}\r\nGET /health HTTP/1.1\r\n{H}\r\n")
            head = connection.reply("HEAD")
            after = connection.reply("GET")
            assert after.read() == b'{"status":"ok"}'
        names = {name for name, _ in got.headers}
        assert head.status == got.status == 200 and {name for name, _ in head.headers} == names, route
        assert head.header("content-length") in (None, str(len(body))) or route == "/capabilities"
        assert head.header("content-type") == got.header("content-type")


def test_b133_r76_head_of_a_stream_starts_nothing(client):
    """Its headers are those of GET, and the connection can be used again."""
    process = client.call("process.start", command="sleep 7765", capture_output=True)
    for target in (f"/files/watch?path={client.server.base}", f"/process/{process['id']}/follow"):
        with client.connect() as connection:
            connection.send(f"HEAD {target} HTTP/1.1\r\n{H}\r\nGET /health HTTP/1.1\r\n{H}\r\nGET {target} HTTP/1.1\r\n{H}\r\n")
            head = connection.reply("HEAD")
            assert connection.reply().read() == b'{"status":"ok"}'
            got = connection.reply()
        assert head.status == got.status == 200 and head.header("content-type") == "text/event-stream"
        assert [name for name, _ in head.headers] == [name for name, _ in got.headers]
    client.call("process.signal", pid=process["id"], signal="SIGKILL")


def test_b133_head_of_an_error_has_no_body(client):
    with client.connect() as connection:
        connection.send(f"HEAD /nothing HTTP/1.1\r\n{H}\r\nGET /health HTTP/1.1\r\n{H}\r\n")
        assert connection.reply("HEAD").status == 404
        assert connection.reply("GET").status == 200


# --- connections


def test_pipelined_requests_are_answered_in_order(client):
    with client.connect() as connection:
        connection.send("".join(f"GET /health HTTP/1.1\r\n{H}X-Request-Id: n{i}\r\n\r\n" for i in range(300)))
        for i in range(300):
            reply = connection.reply()
            assert reply.read() and reply.header("x-request-id") == f"n{i}"


def test_pipelined_requests_before_a_half_close_are_all_answered(client):
    """More of them than are read ahead while one is under way."""
    with client.connect() as connection:
        connection.send("".join(f"GET /ops/core.health HTTP/1.1\r\n{H}X-Request-Id: n{i}\r\n\r\n" for i in range(2000)))
        connection.half_close()
        for i in range(2000):
            reply = connection.reply()
            assert reply.read() and reply.header("x-request-id") == f"n{i}"
        assert connection.is_closed()


def test_a_request_in_single_bytes(client):
    with client.connect() as connection:
        for byte in post("/ops/core.health", "{}"):
            connection.send(bytes([byte]))
        assert connection.reply().read() == b'{"status":"ok"}'


def test_b129_r70_the_idle_limit_is_told(client):
    with client.connect() as connection:
        connection.send(f"GET /health HTTP/1.1\r\n{H}\r\n")
        reply = connection.reply()
        reply.read()
        assert reply.header("keep-alive") == "timeout=75" and reply.header("connection") is None


def test_http_1_0(client):
    reply = exchange(client, "GET /health HTTP/1.0\r\n\r\n")
    assert reply.status == 200 and reply.header("connection") == "close" and reply.header("content-length") == "15"
    with client.connect() as connection:
        connection.send(f"GET /health HTTP/1.0\r\n{H}Connection: keep-alive\r\n\r\n" * 2)
        for _ in range(2):
            reply = connection.reply()
            assert reply.read() and reply.header("connection") == "keep-alive"
    # A body whose length is not known ends with the connection, without chunks.
    body = b'{"command":"echo hi"}'
    with client.connect() as connection:
        connection.send(f"POST /shell/stream HTTP/1.0\r\n{H}Content-Length: {len(body)}\r\n\r\n".encode(), body)
        reply = connection.reply()
        text = reply.read()
        assert reply.header("transfer-encoding") is None and reply.length is None
        assert text.startswith(b"event: start\n") and text.rstrip().splitlines()[-2] == b"event: exit"


def test_connection_close_is_honoured(client):
    assert exchange(client, f"GET /health HTTP/1.1\r\n{H}Connection: close\r\n\r\n").header("connection") == "close"


def test_the_request_id_is_the_callers_where_it_is_usable(client):
    def given(value):
        return exchange(client, f"GET /health HTTP/1.1\r\n{H}X-Request-Id: {value}\r\n\r\n").header("x-request-id")

    assert given("abc-1") == "abc-1" and given("x" * 128) == "x" * 128
    for bad in ("x" * 129, "a b", "\xfc"):
        assert given(bad) != bad
    assert given("") != given("")


def test_a_refusal_has_an_id_of_its_own_too(client):
    seen = set()
    for head in ("nonsense\r\n\r\n", f"GET /health HTTP/2.0\r\n{H}\r\n", f"GET /health HTTP/1.1\r\n{H}Expect: other\r\n\r\n"):
        with client.connect() as connection:
            connection.send(head.encode())
            reply = connection.reply()
            body = json.loads(reply.read())
        assert reply.status >= 400 and reply.header("x-request-id") == body["request_id"]
        seen.add(body["request_id"])
    assert len(seen) == 3 and all(len(one) > 8 for one in seen)


def test_r71_a_socket_that_was_not_opened_closes(client):
    for lines in ("", f"{UPGRADE}Sec-WebSocket-Version: 12\r\n", f"{UPGRADE}Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: short\r\n"):
        reply = exchange(client, f"GET /pty?session_id=x HTTP/1.1\r\n{H}{lines}\r\n")
        assert refusal(reply) in ("http.upgrade_required", "http.bad_request") and reply.header("connection") == "close", lines


# --- many, slow, rude


def test_b134_slow_heads_and_endless_bodies_do_not_hold_others(client):
    """Their deadlines are tested in tests/unit/test_http_conn.c, with short limits."""
    with no_descriptor_is_left(client.server), contextlib.ExitStack() as slow:
        for i in range(300):
            connection = client.connect()
            slow.callback(connection.reset)
            connection.send("G" if i % 2 else f"POST /shell HTTP/1.1\r\n{H}Transfer-Encoding: chunked\r\n\r\n1\r\n{{\r\n")
        assert client.rest("core.health") == {"status": "ok"}
        assert client.call("commands.run", command="echo hi")["stdout"] == "hi\n"


def test_many_idle_connections_beyond_the_limit(make_server):
    """The oldest idle one makes room for a new one, so that nobody is locked out by those who do nothing."""
    server = make_server(policy={"version": 1, "limits": {"max_connections": 20}})
    client = server.client()
    idle = [client.connect() for _ in range(60)]
    try:
        for _ in range(5):
            assert client.rest("core.health") == {"status": "ok"}
        assert eventually(lambda: sum(connection.is_closed(0.001) for connection in idle) >= 40, what="the oldest are closed")
    finally:
        for connection in idle:
            connection.close()


def test_busy_connections_are_not_closed_for_new_ones(make_server):
    """limit.too_many, told without reading anything."""
    server = make_server(policy={"version": 1, "limits": {"max_connections": 4}})
    client = server.client()
    streams = [client.stream("commands.stream", command="echo; exec sleep 600") for _ in range(4)]
    try:
        for stream in streams:
            stream.until("stdout")
        reply = eventually(lambda: exchange(client, f"GET /health HTTP/1.1\r\n{H}\r\n"))
        assert (reply.status, refusal(reply)) == (429, "limit.too_many") and "max_connections" in str(reply.read())
    finally:
        for stream in streams:
            stream.close()
    eventually(lambda: exchange(client, f"GET /health HTTP/1.1\r\n{H}\r\n").status == 200)


def test_b134_readers_that_never_read(client):
    """Each asks again and again for a large answer and reads nothing: bounded, and others are served."""
    server = client.server
    before = server.rss_kib()
    rude = []
    try:
        for _ in range(50):
            connection = client.connect()
            rude.append(connection)
            connection.socket.settimeout(0)
            try:
                connection.socket.send((f"GET /ops HTTP/1.1\r\n{H}\r\n" * 2000).encode())
            except BlockingIOError:
                pass
        assert client.rest("core.health") == {"status": "ok"}
        assert is_sanitized() or server.rss_kib() - before < 64 * 1024
    finally:
        for connection in rude:
            connection.reset()
    assert client.rest("core.health") == {"status": "ok"}


def test_one_busy_connection_does_not_hold_the_others(client):
    """A peer that takes a long answer as fast as it comes, while another asks for small ones."""
    with client.stream("commands.stream", command="head -c 300000000 /dev/zero", encoding="base64") as stream:
        taken = 0
        for event in stream:
            if event.name == "stdout":
                taken += 1
                if taken % 60 == 0:
                    assert client.rest("core.health") == {"status": "ok"}
            if taken > 600:
                break


def test_garbage_of_many_kinds(client):
    """No input ends the server."""
    def one(i):
        data = bytes((i * 7919 + k * k * 31) % 256 for k in range(i * 13 % 4000))
        with client.connect() as connection:
            try:
                connection.send(data)
                connection.half_close()
                while connection.more():
                    pass
            except (ConnectionError, Broken):
                pass

    together(one, range(200))
    assert client.rest("core.health") == {"status": "ok"}


def test_unix_sockets(make_server, tmp_path):
    server = make_server(listen=f"unix:{tmp_path}/socket")
    client = server.client()
    assert client.rest("core.health") == {"status": "ok"}
    assert client.call("commands.run", command="echo hi")["stdout"] == "hi\n"
    with socket.socket(socket.AF_UNIX) as other:
        other.connect(f"{tmp_path}/socket")
    server.stop()
    assert not (tmp_path / "socket").exists()
