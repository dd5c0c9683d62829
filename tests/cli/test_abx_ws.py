# SPDX-License-Identifier: Apache-2.0
"""abx shell and exec -t against WebSockets that break off, lie or misbehave."""
import base64
import hashlib
import json
import os
import pathlib
import re
import signal
import socket
import struct
import threading

import pytest

from lib.abx import Abx
from lib.peer import Peer, answer
from lib.processes import eventually
from lib.screen import Screen
from lib.ws import BINARY, CLOSE, GUID, PING, PONG, TEXT, frame, masked

CONTINUATION = 0
WAIT = 60
EXITED = json.dumps({"type": "event", "event": "exited", "session_id": "s1", "exit_code": 7})
GOOD = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Protocol": "abx.pty.binary"}


def out(opcode, payload=b"", **how):
    return frame(opcode, payload, mask=False, **how)


def closing(code, reason=b""):
    return out(CLOSE, struct.pack("!H", code) + reason)


def accept(key):
    return base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()


def upgrade(request, **changes):
    fields = {**GOOD, "Sec-WebSocket-Accept": accept(request.fields["sec-websocket-key"]),
              **{name.replace("_", "-"): value for name, value in changes.items()}}
    lines = [f"{name}: {value}" for name, value in fields.items() if value is not None]
    return ("\r\n".join(["HTTP/1.1 101 Switching Protocols", *lines]) + "\r\n\r\n").encode()


def read_frame(stream):
    """(opcode, payload) of a frame of the client; None at the end."""
    head = stream.read(2)
    if len(head) < 2:
        return None
    assert head[1] & 0x80, "a client's frames are masked"
    length = head[1] & 0x7f
    if length > 125:
        length = int.from_bytes(stream.read(2 if length == 126 else 8), "big")
    mask = stream.read(4)
    return head[0] & 0x0f, masked(stream.read(length), mask)


class Terminals:
    """Sessions that a test writes by hand; deleted: one was ended; over: all that a client said was heard."""

    def __init__(self, on_upgrade, change=None):
        self.deleted, self.over, self.change = threading.Event(), threading.Event(), change or {}
        self.on_upgrade, self.before_create = on_upgrade, lambda: None
        self.peer = Peer(self.handle, on_upgrade=self.upgraded)

    def handle(self, request):
        if request.target == "/ops/terminal.create":
            self.before_create()
            return answer('{"session_id":"s1","ws_url":"ws://x/","pid":1}')
        if request.target == "/ops/terminal.delete":
            assert json.loads(request.body) == {"id": "s1"}
            self.deleted.set()
            return answer('{"status":"closed","session_id":"s1"}')
        assert request.target == "/pty?session_id=s1", request.target
        return upgrade(request, **self.change)

    def upgraded(self, request, conn, stream):
        self.on_upgrade(conn, stream)
        self.over.set()


@pytest.fixture
def terminals(tmp_path):
    made = []

    def make(on_upgrade, change=None):
        one = Terminals(on_upgrade, change)
        one.abx = Abx(one.peer.url, tmp_path)
        made.append(one)
        return one

    yield make
    for one in made:
        one.peer.stop()


@pytest.fixture
def screen():
    made = []

    def make(abx, *args):
        made.append(Screen(abx, *args))
        return made[-1]

    yield make
    for one in made:
        one.close()


def saying(sent):
    """Says it, and reads until the client leaves."""
    def on_upgrade(conn, stream):
        conn.sendall(sent)
        while stream.read(4096):
            pass
    return on_upgrade


def ending(sent):
    return lambda conn, stream: conn.sendall(sent)


LIES = [
    (out(TEXT, EXITED)[:2] + b"\0" * 4 + EXITED.encode(), "is not JSON"),  # its first bytes are a mask that is none
    (frame(TEXT, EXITED), "bits that it must not have"),
    (out(BINARY, b"x", reserved=4), "bits that it must not have"),
    (out(3, b"x"), "no known kind"),
    (out(0xb, b"x"), "no known kind"),
    (struct.pack("!BBQ", 0x82, 127, (1 << 20) + 1), "too large"),
    (struct.pack("!BBQ", 0x82, 127, 1 << 63), "too large"),
    (struct.pack("!BBQ", 0x82, 127, 5) + b"12345", "longer than it is"),
    (struct.pack("!BBH", 0x82, 126, 5) + b"12345", "longer than it is"),
    (out(PING, b"x", fin=False), "control frame"),
    (struct.pack("!BBH", 0x89, 126, 126) + b"x" * 126, "control frame"),
    (out(CONTINUATION, b"x"), "follow each other"),
    (out(TEXT, b"{", fin=False) + out(TEXT, b"}"), "follow each other"),
    (out(BINARY, b"x" * (1 << 20), fin=False) + out(CONTINUATION, b"x" * (1 << 20), fin=False) * 4, "too large"),
    (out(TEXT, b"no json"), "is not JSON"),
    (out(TEXT, b'{"a":"' + b"x" * 200000 + b'"}'), "is not JSON"),
    (out(TEXT, b'{"event":"\xff"}'), "is not JSON"),
    (closing(1008, b"terminal.not_found"), "no such terminal session: s1"),
    (closing(1011, b"server.busy: \x1b[2Jno"), r"\(1011: server.busy: \\x1b\[2Jno\)"),
    (closing(1001), r"closed the terminal's connection \(1001\)"),
    (out(CLOSE), r"closed the terminal's connection \(1005\)"),
    (closing(1005), "close frame has no meaning"),
    (out(CLOSE, b"x"), "close frame has no meaning"),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "malformed"),
]


@pytest.mark.parametrize("number", range(len(LIES)))
def test_frames_that_lie(terminals, screen, number):
    sent, wanted = LIES[number]
    one = terminals(saying(sent))
    done = one.abx("exec", "-t", "--", "x")
    assert done.code == 125 and re.fullmatch(rf"abx: .*{wanted}.*\n", done.err), done
    # What nobody can come back to is ended.
    assert one.deleted.wait(WAIT)
    tty = screen(one.abx, "shell", "s1")
    tty.expect(wanted.encode())
    assert tty.end() == 125


CUT = [b"", out(BINARY, b"half")[:4], b"\x82", out(TEXT, EXITED, fin=False), out(PING, b"p")]


@pytest.mark.parametrize("sent", CUT)
def test_connections_that_break(terminals, screen, sent):
    one = terminals(ending(sent))
    done = one.abx("exec", "-t", "--", "x")
    assert done.code == 125 and "broke" in done.err and done.err.count("\n") == 1, done
    assert one.deleted.wait(WAIT)
    tty = screen(one.abx, "shell")
    tty.expect(rb"broke.*; 'abx shell s1' comes back\r\n")
    assert tty.end() == 125


def test_a_connection_that_is_reset(terminals, screen):
    def reset(conn, stream):
        conn.sendall(out(BINARY, b"\x1b[?1049h\x1b[?25lhello"))
        read_frame(stream)
        conn.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        stream.close()
        conn.close()
    tty = screen(terminals(reset).abx, "shell")
    # Whatever the program had switched on is off again.
    tty.expect(rb"hello[^a]*\x1b\[\?1049l\x1b\[\?25h[^a]*abx: .*broke")
    assert tty.end() == 125


ANSWERS = [
    ({"Sec-WebSocket-Accept": "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="}, "does not belong to our key"),
    ({"Sec-WebSocket-Accept": None}, "does not belong to our key"),
    ({"Upgrade": "h2c"}, "something else"),
    ({"Upgrade": None}, "something else"),
    ({"Connection": "close"}, "something else"),
    ({"Sec-WebSocket-Protocol": "abx.pty.json"}, "another subprotocol"),
    ({"Sec-WebSocket-Protocol": None}, "another subprotocol"),
    ({"Sec-WebSocket-Extensions": "permessage-deflate"}, "an extension"),
]


@pytest.mark.parametrize("change, wanted", ANSWERS)
def test_upgrades_that_lie(terminals, change, wanted):
    one = terminals(saying(b""), change)
    for args in ("exec", "-t", "x"), ("shell",):
        one.deleted.clear()
        done = one.abx(*args)
        assert done.code == 125 and wanted in done.err and done.err.count("\n") == 1, done
        assert one.deleted.wait(WAIT)
    assert one.abx("shell", "s1").code == 125


@pytest.mark.parametrize("reply, wanted", [
    (answer('{"error":"no","wire_code":"auth.unauthorized","op":"terminal.connect","request_id":"r1"}', 401), "no"),
    (answer("<html>", 502, "text/html"), "502"),
    (answer("{}"), "status 200"),
    (b"SSH-2.0-x\r\n\r\n", "not HTTP"),
    (None, "without an answer"),
])
def test_no_upgrade(tmp_path, reply, wanted):
    peer = Peer(lambda request: reply)
    done = Abx(peer.url, tmp_path)("shell", "s1")
    peer.stop()
    assert done.code == 125 and re.search(wanted, done.err) and done.err.count("\n") == 1, done


def test_fragments_and_pings(terminals):
    heard = []

    def talk(conn, stream):
        text = EXITED.encode()
        conn.sendall(out(BINARY, b"a", fin=False) + out(PING, b"p1") + out(CONTINUATION, b"", fin=False) + out(CONTINUATION, b"b"))
        conn.sendall(out(PONG, b"not asked for") + out(BINARY, b"c" * 70000) + out(PING))
        for byte in out(TEXT, text[:9], fin=False) + out(CONTINUATION, text[9:]):
            conn.sendall(bytes([byte]))
        while got := read_frame(stream):
            heard.append(got)
            if got[0] == CLOSE:
                conn.sendall(closing(1000))
                return
    one = terminals(talk)
    done = one.abx("exec", "-t", "--no-stdin", "--", "x")
    assert done.code == 7 and done.raw == b"ab" + b"c" * 70000 and done.err == "" and one.over.wait(WAIT)
    assert heard[-1] == (CLOSE, struct.pack("!H", 1000))
    assert [payload for opcode, payload in heard if opcode == PONG] == [b"p1", b""]
    assert not one.deleted.is_set()


def test_detaching_says_so(terminals, screen):
    heard = []

    def talk(conn, stream):
        conn.sendall(out(BINARY, b"hello"))
        while got := read_frame(stream):
            heard.append(got)
            if got[0] == CLOSE:
                conn.sendall(closing(1000))
                return
    one = terminals(talk)
    tty = screen(one.abx, "shell")
    tty.expect(b"hello")
    tty.type(b"x\r~.")
    tty.expect(rb"abx: detached; 'abx shell s1' comes back\r\n")
    assert tty.end() == 0 and one.over.wait(WAIT)
    assert heard[-1] == (CLOSE, struct.pack("!H", 1000))
    assert b"".join(payload for opcode, payload in heard if opcode == BINARY) == b"x\r"
    assert not one.deleted.is_set()


def silent(conn, stream):
    conn.sendall(out(BINARY, b"\x1b[?2004hhello"))
    while stream.read(4096):
        pass


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_what_was_begun(terminals, screen, number):
    one = terminals(silent)
    tty = screen(one.abx, "exec", "-t", "--", "x")
    tty.expect(b"hello")
    tty.process.send_signal(number)
    assert tty.end() == 130
    tty.expect(rb"\x1b\[\?2004l")
    assert one.deleted.wait(WAIT)
    # A shell lives on.
    one.deleted.clear()
    tty = screen(one.abx, "shell")
    tty.expect(b"hello")
    tty.process.send_signal(number)
    tty.expect(rb"interrupted; 'abx shell s1' comes back")
    assert tty.end() == 130 and not one.deleted.is_set()


def test_a_second_signal_gives_the_terminal_back(terminals, screen):
    tty = screen(terminals(silent).abx, "shell", "s1")
    tty.expect(b"hello")
    # Both are there before it sees the first.
    tty.process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, tty.process.pid, os.WSTOPPED | os.WNOWAIT)
    tty.process.send_signal(signal.SIGINT)
    tty.process.send_signal(signal.SIGTERM)
    tty.process.send_signal(signal.SIGCONT)
    assert tty.end() in (-signal.SIGINT, -signal.SIGTERM)


def test_a_hangup_is_often_told_twice(terminals, screen):
    """By the shell and by the kernel: no other one stops what the first one began."""
    one = terminals(silent)
    tty = screen(one.abx, "exec", "-t", "--", "x")
    tty.expect(b"hello")
    while tty.process.poll() is None:
        tty.process.send_signal(signal.SIGHUP)
    assert tty.end() == 130 and one.deleted.wait(WAIT)


def interrupt(process):
    """Sends it, and waits until it has been heard."""
    process.send_signal(signal.SIGINT)
    status = pathlib.Path(f"/proc/{process.pid}/status")
    eventually(lambda: not re.search(r"(SigPnd|ShdPnd):.*[1-9a-f]", status.read_text()), what="the end of the signal")


@pytest.fixture(params=[("exec", "-t", "--", "x"), ("shell",)])
def creating(request, terminals, screen):
    """abx whose session is being made, the event that ends the making, and whether the session was ended."""
    def make():
        one = terminals(silent)
        asked, let_go = threading.Event(), threading.Event()
        one.before_create = lambda: (asked.set(), let_go.wait(WAIT))
        tty = screen(one.abx, *request.param)
        assert asked.wait(WAIT)
        interrupt(tty.process)
        return tty, let_go, one.deleted
    return make


def test_a_signal_while_the_session_is_made(creating):
    for _ in range(5):  # abx waits five seconds, all of which a machine that stalls may take
        tty, let_go, deleted = creating()
        let_go.set()
        assert tty.end() == 130
        if deleted.is_set():
            return
    raise AssertionError("the session stays")


def test_who_does_not_wait_for_a_session_that_is_made(creating):
    tty, let_go, _ = creating()
    while tty.process.poll() is None:
        tty.process.send_signal(signal.SIGINT)
    assert tty.end() in (130, -signal.SIGINT)
    let_go.set()


@pytest.mark.check
def test_silence(terminals, screen):
    """Half a minute for the answer, and a little more than the server's three pings after it."""
    no_answer = Peer(lambda request: b"HTTP/1.1 ")
    first = screen(Abx(no_answer.url, terminals(silent).abx.home), "shell", "s1")
    tty = screen(terminals(silent).abx, "shell")
    first.expect(rb"does not answer", within=60)
    assert first.end() == 125
    tty.expect(rb"silent for too long; 'abx shell s1' comes back", within=100)
    assert tty.end() == 125
    no_answer.stop()
