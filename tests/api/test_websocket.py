# SPDX-License-Identifier: Apache-2.0
"""WebSockets: handshake, credentials, frames; by hand and with an independent client."""
import contextlib
import ctypes
import functools
import hashlib
import json
import os
import re
import socket
import struct
import time

import pytest
import websockets.exceptions
import websockets.sync.client

from lib.client import expect_error
from lib.ports import free_port
from lib.processes import eventually
from lib.server import is_sanitized
from lib.ws import BINARY, CLOSE, PING, PONG, TEXT, Refused, Terminal, WebSocket, bearer, frame

connect = functools.partial(websockets.sync.client.connect, open_timeout=60, close_timeout=60)


@pytest.fixture
def session(client):
    """A session on the shared server that echoes what is typed, and is deleted at the end."""
    made = client.call("terminal.create", command="stty raw -echo; echo ready; exec cat")
    yield made
    client.call("terminal.delete", id=made["session_id"])


def refused(client, wire_code, status, target="/pty?session_id=x", **how):
    with pytest.raises(Refused) as caught:
        WebSocket(client, target, **how)
    assert (caught.value.wire_code, caught.value.status) == (wire_code, status), caught.value
    return caught.value.error


def token_policy(**tokens):
    return {"tokens": [{"name": name, "sha256": hashlib.sha256(f"{name}-token".encode()).hexdigest(), "scopes": scopes}
                       for name, scopes in tokens.items()]}


def test_refusals_before_the_upgrade(client):
    """B139: each has its status and the JSON body."""
    error = refused(client, "http.upgrade_required", 426, headers={"Sec-WebSocket-Version": "12"})
    assert error.reply.header("sec-websocket-version") == "13"
    refused(client, "http.upgrade_required", 426, headers={"Sec-WebSocket-Version": None})
    refused(client, "http.upgrade_required", 426, headers={"Upgrade": None})
    refused(client, "http.upgrade_required", 426, headers={"Connection": "keep-alive"})
    refused(client, "http.upgrade_required", 426, headers={"Upgrade": "h2c"})
    for key in (None, "", "short", "AAAAAAAAAAAAAAAAAAAAAA", "!AAAAAAAAAAAAAAAAAAAAA==", "AAAAAAAAAAAAAAAAAAAAAAAAAAAA"):
        refused(client, "http.bad_request", 400, headers={"Sec-WebSocket-Key": key})
    refused(client, "args.missing", 400, target="/pty")
    refused(client, "args.unknown", 400, target="/pty?session_id=x&nonsense=1")
    refused(client, "args.invalid", 400, target="/pty?session_id=x&session_id=y")
    refused(client, "policy.origin_denied", 403, headers={"Origin": "http://evil.example"})
    reply = client.request("POST", "/pty?session_id=x", b"")
    assert reply.status == 405 and "GET" in reply.header("allow")
    assert client.request("GET", "/pty?session_id=x").status == 426
    assert client.request("HEAD", "/pty?session_id=x").status == 426
    assert client.request("POST", "/ops/terminal.connect", {"session_id": "x"}).status == 404
    with client.connect() as connection:
        connection.send("GET /pty?session_id=x HTTP/1.0\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
        assert connection.reply().status == 400


def test_forms_of_the_handshake(client, session):
    for headers in ({"Connection": "keep-alive, Upgrade"}, {"Connection": "upgrade", "Upgrade": "WebSocket"},
                    {"Upgrade": "h2c, websocket"}, {"Origin": f"http://{client.server.host}:{client.server.port}"}):
        with Terminal(client, session, headers=headers) as viewer:
            viewer.live()


def test_unknown_session_is_closed_with_1008(client):
    """R33: after the upgrade, as the first and only answer."""
    with connect(f"ws://{client.server.host}:{client.server.port}/pty?session_id=nope") as other:
        with pytest.raises(websockets.exceptions.ConnectionClosedError) as caught:
            other.recv()
        assert (caught.value.rcvd.code, caught.value.rcvd.reason) == (1008, "terminal.not_found")


def test_choice_of_subprotocol(client, session):
    """R36: the first that was offered of ours."""
    for offered, chosen in (([], None), (["abx.pty.json"], "abx.pty.json"), (["abx.pty.binary", "abx.pty.json"], "abx.pty.binary"),
                            (["abx.pty.json", "abx.pty.binary"], "abx.pty.json"), (["chat", "abx.pty.binary"], "abx.pty.binary"),
                            (["chat"], None), (["ABX.PTY.JSON"], None)):
        with Terminal(client, session, protocols=offered) as viewer:
            assert viewer.protocol == chosen
            viewer.live()
            assert viewer.is_binary == (chosen == "abx.pty.binary")
    two_lines = {"Sec-WebSocket-Protocol": "chat\r\nSec-WebSocket-Protocol: abx.pty.binary"}
    with Terminal(client, session, headers=two_lines, protocols=["abx.pty.binary"]) as viewer:
        assert viewer.protocol == "abx.pty.binary"


def test_no_extension_is_chosen(client, session):
    """B140; WebSocket() and frame() look for the rest."""
    offer = {"Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits"}
    with Terminal(client, session, headers=offer, binary=True) as viewer:
        viewer.live().type(b"x" * 1000)
        viewer.expect("x" * 1000)


def test_token_among_the_subprotocols(make_server):
    """B121: each form; the token is never repeated, and a wrong one is a plain 401."""
    token = "a+b/c=~\u00e9 x"
    server = make_server(policy={"tokens": [{"name": "odd", "sha256": hashlib.sha256(token.encode()).hexdigest(),
                                             "scopes": ["terminal:use"]}]})
    client, nobody = server.client(token=None), server.client(token=None)
    ours = bearer(token)
    for offered in ([ours, "abx.pty.binary"], ["abx.pty.binary", ours], [ours]):
        socket_ = WebSocket(client, "/pty?session_id=nope", offered)
        assert socket_.protocol == ("abx.pty.binary" if len(offered) == 2 else None)
        assert socket_.message() is None and socket_.closed[0] == 1008
    for value in (f"{ours},abx.pty.binary", f"{ours}\r\nSec-WebSocket-Protocol: abx.pty.binary"):
        socket_ = WebSocket(client, "/pty?session_id=nope", ["abx.pty.binary"], headers={"Sec-WebSocket-Protocol": value})
        assert socket_.protocol == "abx.pty.binary"
        socket_.close()
    for wrong in (bearer("another"), "abx.bearer.", "abx.bearer.!", "abx.bearer.AAA=A", ours + "x"):
        error = refused(nobody, "auth.invalid_token", 401, protocols=[wrong, "abx.pty.json"])
        assert "www-authenticate" in [name for name, _ in error.reply.headers]
    refused(nobody, "auth.missing_credentials", 401, protocols=["abx.pty.json"])
    refused(nobody, "auth.invalid_token", 401, protocols=[ours, ours])
    refused(nobody, "auth.conflicting_credentials", 401, protocols=[ours], headers={"Authorization": "Bearer other"})
    refused(nobody, "auth.conflicting_credentials", 401, protocols=[ours], headers={"X-Access-Token": "other"})


def test_scope_group_and_rate(make_server):
    server = make_server(policy=token_policy(reader=["files:read"], typist=["terminal:use"]))
    refused(server.client(token="reader-token"), "policy.scope_denied", 403)
    refused(server.client(token="nobody-token"), "auth.invalid_token", 401)
    WebSocket(server.client(token="typist-token"), "/pty?session_id=x").close()
    off = make_server("--disabled-groups", "terminal")
    refused(off.client(), "op.not_enabled", 404)
    with expect_error("op.not_enabled"):
        off.client().rest("terminal.create")


def target_of(url):
    return re.fullmatch(r"ws://[^/]+(/.*)", url).group(1)


def test_tickets(make_server):
    """Once, for one session, in the name of who asked; without any other credential."""
    server = make_server("--log-level", "debug", policy=token_policy(one=["terminal:use"], two=["terminal:use"]))
    one, nobody = server.client(token="one-token"), server.client(token=None)
    first, second = one.rest("terminal.create", argv=["cat"]), one.rest("terminal.create", argv=["cat"])
    assert first["ws_url"] != second["ws_url"] and len(re.search(r"ticket=(.*)", first["ws_url"]).group(1)) == 43
    with WebSocket(nobody, target_of(first["ws_url"]), ["abx.pty.json"]) as viewer:
        assert json.loads(viewer.message()[1])["session_id"] == first["session_id"]
        refused(nobody, "auth.invalid_token", 401, target=target_of(first["ws_url"]))
    refused(nobody, "auth.invalid_token", 401, target=target_of(second["ws_url"]).replace(second["session_id"], first["session_id"]))
    refused(nobody, "auth.invalid_token", 401, target=target_of(second["ws_url"]))  # it was shown once
    third = one.rest("terminal.create", argv=["cat"])
    refused(server.client(token="two-token"), "auth.conflicting_credentials", 401, target=target_of(third["ws_url"]))
    fourth = one.rest("terminal.create", argv=["cat"])
    WebSocket(one, target_of(fourth["ws_url"])).close()
    for bad in ("x", "A" * 43, "A" * 42):
        refused(nobody, "auth.invalid_token", 401, target=f"/pty?session_id={first['session_id']}&ticket={bad}")
    assert nobody.request("GET", f"/pty/sessions?{target_of(one.rest('terminal.create')['ws_url']).partition('?')[2]}").status == 401
    assert one.request("GET", "/ptyx?ticket=" + "B" * 43).status == 404
    for made in (first, second, third, fourth):
        assert re.search(r"ticket=(.*)", made["ws_url"]).group(1) not in server.stderr()
        one.call("terminal.delete", id=made["session_id"])
    assert "B" * 43 not in server.stderr() and "terminal.connect" in server.stderr()


def test_tickets_where_no_token_is_needed(client, session):
    Terminal(client, session, query=session["ws_url"].partition(session["session_id"])[2]).live().close()
    refused(client, "auth.invalid_token", 401, target=target_of(session["ws_url"]))


BAD_FRAMES = {
    "not masked": (frame(TEXT, "x", mask=False), 1002),
    "reserved bit": (frame(TEXT, "x", reserved=4), 1002),
    "reserved code": (frame(3, "x"), 1002),
    "reserved control code": (frame(11, "x"), 1002),
    "continues nothing": (frame(0, "x"), 1002),
    "a text inside a text": (frame(TEXT, "x", fin=False) + frame(TEXT, "y"), 1002),
    "a ping in parts": (frame(PING, "x", fin=False), 1002),
    "a long ping": (frame(PING, "x" * 126), 1002),
    "a length of too many bytes": (b"\x81\xfe\x00\x05" + b"\0" * 9, 1002),
    "a negative length": (b"\x82\xff" + b"\xff" * 8 + b"\0" * 8, 1002),
    "text that is not UTF-8": (frame(TEXT, b"\xff"), 1007),
    "text cut in a character": (frame(TEXT, b"\xe2\x82"), 1007),
    "close with one byte": (frame(CLOSE, b"\x03"), 1002),
    "close with 1005": (frame(CLOSE, struct.pack("!H", 1005)), 1002),
    "close with 999": (frame(CLOSE, struct.pack("!H", 999)), 1002),
    "close with a bad reason": (frame(CLOSE, struct.pack("!H", 1000) + b"\xff"), 1007),
    "binary without its subprotocol": (frame(BINARY, "x"), 1003),
    "a frame of 10 MiB": (frame(BINARY, bytes(10 << 20)), 1009),
    "a frame over 1 MiB": (frame(TEXT, bytes((1 << 20) + 1)), 1009),
    "a message over 4 MiB": (frame(TEXT, bytes(1 << 20), fin=False) + 4 * frame(0, bytes(1 << 20), fin=False), 1009),
}


@pytest.mark.parametrize("name", BAD_FRAMES)
def test_bad_frames(client, session, name):
    """R34: the code of the close tells which rule was broken, and the session lives on."""
    raw, code = BAD_FRAMES[name]
    viewer = Terminal(client, session).live()
    try:
        viewer.connection.send(raw)
    except ConnectionError:
        pass
    while viewer.step() is not None:
        pass
    assert viewer.closed[0] == code and viewer.closed[1]
    assert viewer.connection.is_closed()
    assert client.call("terminal.get", id=session["session_id"])["alive"]


def test_fragments_pings_and_sizes(client, session):
    viewer = Terminal(client, session).live()
    viewer.expect("ready\n")
    text = json.dumps({"type": "input", "data": "in-parts-€"}, ensure_ascii=False).encode()
    cut = len(text) - 4  # inside the character
    viewer.send(TEXT, text[:5], fin=False)
    viewer.send(PING, b"are you there")
    viewer.send(0, text[5:cut], fin=False)
    viewer.send(PONG, b"unasked")
    viewer.send(0, b"", fin=False)
    viewer.send(0, text[cut:])
    assert viewer.frame() == (PONG, b"are you there")
    viewer.expect("in-parts-€")
    for byte in frame(TEXT, json.dumps({"type": "input", "data": "by-byte"})):
        viewer.connection.send(bytes([byte]))
    viewer.expect("by-byte")
    size = (1 << 20) - len('{"type": "input", "data": ""}')
    viewer.type("x" * size)
    viewer.skim(b"x" * 1000)
    viewer.tell(type="input", data="end")
    viewer.skim(b"end")
    viewer.close(4321)


def test_frames_sent_with_the_handshake(client, session):
    """What stands behind the head of the request is not lost."""
    key = "dGhlIHNhbXBsZSBub25jZQ=="
    head = client.head("GET", f"/pty?session_id={session['session_id']}", {
        "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": key})
    with client.connect() as connection:
        connection.send(head + frame(PING, "early") + frame(CLOSE))
        reply = connection.reply()
        assert (reply.status, reply.header("sec-websocket-accept")) == (101, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        rest = b""
        while part := connection.some(65536):
            rest += part
        assert b"\x8a\x05early" in rest and rest.endswith(b"\x88\x00")


def test_peers_that_vanish(client, session):
    count = client.server.threads()
    for how in ("close", "reset", "half"):
        viewer = Terminal(client, session).live()
        if how == "half":
            viewer.connection.half_close()
            assert viewer.message() is None if viewer.connection.more() else True
        else:
            getattr(viewer.connection, how)()
        eventually(lambda: client.call("terminal.get", id=session["session_id"])["clients"] == 0)
    eventually(lambda: client.server.threads() <= count)


def url_of(client, session):
    return f"ws://{client.server.host}:{client.server.port}/pty?session_id={session['session_id']}"


def test_independent_client_json(client, session):
    with connect(url_of(client, session), subprotocols=["abx.pty.json"], max_size=32 * 1024) as other:
        assert other.subprotocol == "abx.pty.json"
        names = [json.loads(other.recv()).get("event") for _ in range(2)]
        assert names == ["started", "replay"]
        assert other.ping("x").wait(60)
        other.send(json.dumps({"type": "input", "data": "hello €\n"}))
        shown = ""
        while "hello €" not in shown:
            message = json.loads(other.recv(timeout=60))
            shown += message.get("data", "")
        other.send([json.dumps({"type": "input", "data": "y"})[:9], json.dumps({"type": "input", "data": "y"})[9:]])
        while "y" not in shown[-1:]:
            shown += json.loads(other.recv(timeout=60)).get("data", "")


def test_independent_client_binary_and_much_output(client):
    """B138: 5 MiB to a client that takes messages of at most 32 KiB."""
    made = client.call("terminal.create", command="stty raw; read -n 1 x; head -c 5242880 /dev/zero | tr '\\0' '\\377'; exit 3")
    with connect(url_of(client, made), subprotocols=["abx.pty.binary"], max_size=32 * 1024) as other:
        other.send(b"g")
        size, events = 0, []
        with pytest.raises(websockets.exceptions.ConnectionClosedOK) as closed:
            while True:
                message = other.recv(timeout=60)
                if isinstance(message, bytes):
                    size += message.count(b"\xff")
                else:
                    events.append(json.loads(message))
        assert closed.value.rcvd.code == 1000
    skipped = sum(event.get("dropped", 0) for event in events if event["event"] == "gap")
    assert size + skipped == 5242880 and events[-1]["exit_code"] == 3


def test_independent_client_refused(client):
    with pytest.raises(websockets.exceptions.InvalidStatus) as caught:
        connect(f"ws://{client.server.host}:{client.server.port}/pty?session_id=x", origin="http://evil.example")
    assert json.loads(caught.value.response.body)["wire_code"] == "policy.origin_denied"


def test_second_listener(make_server):
    """R106: the terminal WebSocket and nothing else."""
    server = make_server("--pty-listen", "127.0.0.1:0")
    client = server.client()
    port = int(re.search(r"for terminals on 127\.0\.0\.1:(\d+)$", server.ready_line).group(1))
    made = client.call("terminal.create", argv=["cat"])
    with connect(f"ws://127.0.0.1:{port}/pty?session_id={made['session_id']}") as other:
        assert json.loads(other.recv())["event"] == "started"
    main_port, server.port = server.port, port
    for path in ("/health", "/pty/sessions", "/ops", "/nope"):
        assert client.request("GET", path).status == 404
    server.port = main_port
    assert client.request("GET", "/health").status == 200


def test_second_listener_by_port_and_when_it_is_busy(make_server):
    port = free_port()
    server = make_server(env={"ABX_PTY_PORT": port})
    assert server.ready_line.endswith(f"for terminals on 127.0.0.1:{port}")
    busy = make_server("--pty-listen", f"127.0.0.1:{port}")
    assert "for terminals" not in busy.ready_line and "in_use" in busy.stderr()
    assert "for terminals" not in make_server("--pty-listen", "off").ready_line
    assert "for terminals" not in make_server().ready_line


def test_pings_of_one_who_reads_nothing_hold_no_memory(client, session):
    """Each ping would be answered with as many bytes; those answers wait in the server."""
    before = client.server.rss_kib()
    viewer = Terminal(client, session, receive_buffer=4096)
    viewer.socket.settimeout(2)
    flood, end = frame(PING, b"x" * 125) * 1000, time.monotonic() + 2
    with contextlib.suppress(TimeoutError):  # a server that reads no further holds no memory either
        while time.monotonic() < end:
            viewer.connection.send(flood)
    if not is_sanitized():
        assert client.server.rss_kib() - before < 4096
    viewer.reset()
    eventually(lambda: client.call("terminal.get", id=session["session_id"])["clients"] == 0)


@pytest.fixture
def blocked(client):
    """Viewers of a session that reads no input, with more of it on the way than anybody takes; and who counts them."""
    session = client.call("terminal.create", command="stty raw -echo; echo ready; exec sleep 600")

    def make():
        viewer = Terminal(client, session, binary=True).live()
        viewer.socket.settimeout(0.5)
        with pytest.raises(TimeoutError):
            while True:
                viewer.socket.sendall(frame(BINARY, b"y" * 65536))
        return viewer

    yield make, lambda: client.call("terminal.get", id=session["session_id"])["clients"]
    client.call("terminal.delete", id=session["session_id"])


def test_a_viewer_who_leaves_while_its_input_waits(blocked):
    """B137: nothing is read of it, so only a ping finds out; the session must not count it for ever."""
    make, count = blocked
    first, second = make(), make()
    assert count() == 2
    first.reset()
    second.connection.close()  # its FIN stands behind bytes that nobody takes
    eventually(lambda: count() == 0, within=100)


def test_input_before_the_end_is_not_lost(client, folder):
    """Of one who closes its side while the terminal takes nothing."""
    os.mkfifo(folder / "go")
    session = client.call("terminal.create", cwd=str(folder), command="stty raw -echo; echo ready; read x <go; head -c 786432 | wc -c")
    viewer = Terminal(client, session, binary=True).live()
    viewer.expect("ready")
    watcher = Terminal(client, session, binary=True).live()
    for _ in range(12):
        viewer.socket.sendall(frame(BINARY, b"y" * 65536))
    viewer.socket.shutdown(socket.SHUT_WR)
    (folder / "go").write_text("\n")
    watcher.expect("786432")
    eventually(lambda: client.call("terminal.get", id=session["session_id"])["clients"] <= 1)
    client.call("terminal.delete", id=session["session_id"])


@pytest.mark.check
def test_a_viewer_whose_machine_goes_away_while_its_input_waits(blocked):
    """B137: nothing comes of it any more, no reset either: the kernel is told when to give up."""
    make, count = blocked
    viewer = make()
    drop_all = ctypes.create_string_buffer(struct.pack("HBBI", 0x06, 0, 0, 0))  # BPF: return 0
    viewer.socket.setsockopt(socket.SOL_SOCKET, 26, struct.pack("HxxxxxxP", 1, ctypes.addressof(drop_all)))
    eventually(lambda: count() == 0, within=250)
    viewer.socket.close()
