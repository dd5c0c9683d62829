# SPDX-License-Identifier: Apache-2.0
"""
WebSocket by hand: what a test wants to send goes out as it is; what comes is read strictly.

Terminal is a viewer of a session: it reads the events, answers nothing by itself but pings, and
keeps what was shown.
"""
import base64
import contextlib
import hashlib
import json
import os
import re
import socket
import struct
import time

from lib import contract
from lib.contract import need
from lib.raw import Broken

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class Refused(Exception):
    """The upgrade was answered with an error, already checked."""

    def __init__(self, error):
        super().__init__(str(error))
        self.error, self.status, self.wire_code = error, error.status, error.wire_code


def masked(payload, mask=b"\x11\x22\x33\x44"):
    whole = mask * (len(payload) // 4 + 1)
    return (int.from_bytes(payload, "big") ^ int.from_bytes(whole[:len(payload)], "big")).to_bytes(len(payload), "big")


def frame(opcode, payload=b"", fin=True, mask=True, reserved=0):
    payload = payload.encode() if isinstance(payload, str) else payload
    first, bit = (0x80 if fin else 0) | reserved << 4 | opcode, 0x80 if mask else 0
    if len(payload) < 126:
        head = struct.pack("!BB", first, bit | len(payload))
    elif len(payload) < 1 << 16:
        head = struct.pack("!BBH", first, bit | 126, len(payload))
    else:
        head = struct.pack("!BBQ", first, bit | 127, len(payload))
    return head + (b"\x11\x22\x33\x44" + masked(payload) if mask else payload)


def bearer(token):
    return "abx.bearer." + base64.urlsafe_b64encode(token.encode()).decode().rstrip("=")


class WebSocket:
    """target is path and query.  headers: replaced or, with None, left out."""

    def __init__(self, client, target, protocols=(), headers=None, timeout=None, receive_buffer=None):
        self.client = client
        self.connection = client.connect(timeout)
        self.socket = self.connection.socket
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": key}
        if protocols:
            lines["Sec-WebSocket-Protocol"] = ", ".join(protocols)
        self.connection.send(client.head("GET", target, {**lines, **(headers or {})}))
        reply = self.connection.reply("GET")
        contract.check_head(reply)
        if reply.status != 101:
            with self.connection:
                raise Refused(client.error(client.ops["terminal.connect"], reply))
        need((reply.header("upgrade") or "").lower() == "websocket", "101 without Upgrade: websocket")
        need((reply.header("connection") or "").lower() == "upgrade", "101 without Connection: Upgrade")
        wanted = base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()
        need(reply.header("sec-websocket-accept") == wanted, "a wrong Sec-WebSocket-Accept")
        need(reply.header("sec-websocket-extensions") is None, "an extension was chosen")
        self.protocol = reply.header("sec-websocket-protocol")
        need(self.protocol is None or self.protocol in protocols, f"a subprotocol that was not offered: {self.protocol}")
        self.closed = None  # (code, reason) of the server's close frame

    def send(self, opcode, payload=b"", **how):
        self.connection.send(frame(opcode, payload, **how))

    def _exactly(self, count):
        parts = []
        while count:
            part = self.connection.some(count)
            if not part:
                raise Broken("the connection ended in the middle of a frame" if parts else "the connection ended")
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def frame(self):
        """The next frame of any kind as (opcode, payload)."""
        first, second = self._exactly(2)
        need(first & 0xf0 == 0x80, f"a first byte of {first:#x}: fragments and reserved bits are not sent")
        need(not second & 0x80, "a masked frame from the server")
        length = second
        if second == 126:
            (length,) = struct.unpack("!H", self._exactly(2))
        elif second == 127:
            (length,) = struct.unpack("!Q", self._exactly(8))
        need(length <= 32 * 1024, f"a frame of {length} bytes")
        return first & 15, self._exactly(length)

    def message(self):
        """The next message as (opcode, bytes); pings are answered; None after a close, which is answered."""
        while True:
            opcode, payload = self.frame()
            if opcode == PING:
                self.send(PONG, payload)
            elif opcode == CLOSE:
                self.closed = (struct.unpack("!H", payload[:2])[0], payload[2:].decode()) if payload else (1005, "")
                with contextlib.suppress(OSError):
                    self.send(CLOSE, payload)
                return None
            elif opcode != PONG:
                return opcode, payload

    def close(self, code=1000):
        """The closing handshake; what else comes is thrown away."""
        if self.closed is None:
            self.send(CLOSE, struct.pack("!H", code))
            with contextlib.suppress(Broken):
                while self.message():
                    pass
        self.connection.close()

    def reset(self):
        self.connection.reset()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind:
            self.connection.close()
        else:
            self.close()


class Terminal(WebSocket):
    """A viewer of a session.  shown: all output as bytes; events: the others, in order."""

    def __init__(self, client, session, binary=False, protocols=None, query="", **how):
        names = protocols if protocols is not None else ["abx.pty.binary" if binary else "abx.pty.json"]
        session_id = session["session_id"] if isinstance(session, dict) else session
        super().__init__(client, f"/pty?session_id={session_id}{query}", names, **how)
        self.op = client.ops["terminal.connect"]
        self.is_binary = self.protocol == "abx.pty.binary"
        self.shown, self.replayed, self.events = bytearray(), None, []

    def step(self):
        """Takes one message: its name, or None at the end."""
        got = self.message()
        if got is None:
            return None
        opcode, payload = got
        if opcode == BINARY:
            need(self.is_binary, "a binary frame without abx.pty.binary")
            self.shown += payload
            return "output"
        value = contract.strict_json(payload)
        contract.check_message(self.op, value)
        if value["type"] == "output":
            need(not self.is_binary, "output as JSON with abx.pty.binary")
            self.shown += value["data"].encode()
            return "output"
        self.events.append(value)
        if value["event"] == "live":
            self.replayed = bytes(self.shown)
        return value["event"]

    def event(self, name):
        """Reads until this event comes."""
        while (got := self.step()) != name:
            assert got is not None, f"closed with {self.closed} before '{name}': {self.events}, {self.shown[-500:]!r}"
        return self.events[-1]

    def live(self):
        self.event("live")
        return self

    def expect(self, text, within=60):
        """Reads until the text was shown, and forgets what was shown up to it, which is returned."""
        text = text.encode() if isinstance(text, str) else text
        return bytes(self.match(b".*?" + re.escape(text), within).group(0))

    def match(self, pattern, within=60):
        """The same with a regular expression over bytes: the match."""
        deadline = time.monotonic() + within
        while not (found := re.search(pattern, self.shown, re.S)):
            self.socket.settimeout(max(deadline - time.monotonic(), 0.001))
            try:
                name = self.step()
            except TimeoutError:
                raise AssertionError(f"{pattern!r} was not shown within {within} s: {self.shown[-2000:]!r}") from None
            assert name is not None, f"closed with {self.closed} before {pattern!r}: {self.shown[-2000:]!r}"
        self.socket.settimeout(self.connection.timeout)
        self.shown = self.shown[found.end():]
        return found

    def skim(self, text, within=60):
        """As expect(), for much output: nothing of what comes before is kept."""
        deadline = time.monotonic() + within
        while text not in self.shown:
            assert time.monotonic() < deadline, f"{text!r} was not shown within {within} s"
            self.shown = self.shown[-len(text):]
            assert self.step() is not None, f"closed with {self.closed} before {text!r}"
        self.shown = self.shown.partition(text)[2]

    def end(self):
        """Reads to the close: the exited event."""
        while self.step() is not None:
            pass
        assert self.events and self.events[-1]["event"] == "exited", f"closed with {self.closed}: {self.events}"
        return self.events[-1]

    def tell(self, **message):
        self.send(TEXT, json.dumps(message))

    def type(self, text):
        if self.is_binary:
            self.send(BINARY, text)
        else:
            self.tell(type="input", data=text if isinstance(text, str) else text.decode())
