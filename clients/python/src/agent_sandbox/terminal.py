# SPDX-License-Identifier: Apache-2.0
"""A terminal's WebSocket: typing, output, waiting for what is printed."""
from __future__ import annotations

import asyncio
import codecs
import json
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any, Union

import websockets
from websockets.asyncio.client import ClientConnection, connect, unix_connect

from . import errors
from ._answer import error_from_response, make_error
from ._op import Op

if TYPE_CHECKING:
    from ._caller import Caller

JSON_FORM, BINARY_FORM = "abx.pty.json", "abx.pty.binary"


@dataclass(frozen=True)
class TerminalMessage:
    """`output` with its text (and bytes, in the binary form), or `event` with the event's name; `raw` is all of it."""

    type: str
    event: str | None = None
    data: str = ""
    bytes: bytes = b""
    raw: dict[str, Any] = field(default_factory=dict)


class PtyConnection(AsyncIterator[TerminalMessage]):
    """
    One client of a session; the session lives on when it leaves.

    Iterating gives messages up to the end of the program.  A connection that breaks before raises StreamEndedError.
    """

    def __init__(self, caller: Caller, op: Op, session_id: str, *, binary: bool = False) -> None:
        self._caller, self._op, self.session_id, self.binary = caller, op, session_id, binary
        self._socket: ClientConnection | None = None
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._text = ""
        self.exit_code: int | None = None
        self.exited = False
        self.is_live = False

    # Opening and closing

    async def open(self) -> PtyConnection:
        self._caller.gate(self._op)
        request = self._op.bind({"session_id": self.session_id})
        url = "ws" + self._caller.base().removeprefix("http") + request.target
        options: dict[str, Any] = {
            "additional_headers": self._caller.headers(), "subprotocols": [BINARY_FORM if self.binary else JSON_FORM],
            "open_timeout": self._caller.connect_timeout, "max_size": 8 * 1024 * 1024, "compression": None, "ping_interval": None,
            "close_timeout": 2, "user_agent_header": None}
        try:
            if self._caller.url.startswith("unix:"):
                path = self._caller.url.removeprefix("unix:").removeprefix("//")
                self._socket = await unix_connect(path, url, **options)
            else:
                self._socket = await connect(url, proxy=True if self._caller.use_proxy else None, **options)
        except websockets.InvalidStatus as refused:
            answer = refused.response
            raise error_from_response(
                self._op, answer.status_code, bytes(answer.body or b""), answer.headers.get("X-Request-Id")) from refused
        except (OSError, asyncio.TimeoutError, websockets.WebSocketException) as broken:
            raise errors.ServerConnectionError(
                f"cannot connect to {self._caller.url}: {broken!r}", op=self._op.id, endpoint=self._op.endpoint) from broken
        return self

    async def aclose(self) -> None:
        socket, self._socket = self._socket, None
        if socket is not None:
            await socket.close()

    async def __aenter__(self) -> PtyConnection:
        return self if self._socket is not None else await self.open()

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.aclose()

    # To the terminal

    async def send(self, data: Union[str, bytes]) -> None:
        """Types; bytes that are not UTF-8 need the binary form."""
        if self.binary:
            await self._write(data.encode() if isinstance(data, str) else bytes(data))
            return
        try:
            text = data if isinstance(data, str) else bytes(data).decode()
        except UnicodeDecodeError:
            raise errors.ServerArgumentError("bytes that are not UTF-8 need connect(…, binary=True)", op=self._op.id) from None
        await self._write(json.dumps({"type": "input", "data": text}))

    async def resize(self, cols: int, rows: int) -> None:
        await self._write(json.dumps({"type": "resize", "cols": cols, "rows": rows}))

    async def signal(self, signal: str) -> None:
        """To what runs in the foreground: SIGINT, SIGTERM, SIGKILL, SIGHUP or SIGQUIT."""
        await self._write(json.dumps({"type": "signal", "signal": signal}))

    async def _write(self, frame: Union[str, bytes]) -> None:
        if self._socket is None:
            raise errors.ServerConfigError("the terminal is not connected: use `async with`", op=self._op.id)
        try:
            await self._socket.send(frame)
        except websockets.ConnectionClosed as closed:
            raise self._ended(closed) from closed

    # From the terminal

    async def recv(self, timeout: float | None = None) -> TerminalMessage:
        """The next message; RequestTimeoutError when none comes in time, StopAsyncIteration behind the last."""
        if self._text:
            text, self._text = self._text, ""
            return TerminalMessage("output", data=text, bytes=text.encode())
        if timeout is None:
            return await self._next()
        try:
            return await asyncio.wait_for(self._next(), timeout)
        except asyncio.TimeoutError:
            raise self._late(f"no message within {timeout} s") from None

    def __aiter__(self) -> PtyConnection:
        return self

    async def __anext__(self) -> TerminalMessage:
        return await self.recv()

    async def expect(self, pattern: Union[str, re.Pattern[str]], timeout: float | None = 10.0) -> re.Match[str]:
        """
        Reads until the output matches; what stands behind the match is read next.  When the time passes or the
        program ends first, the error's `details["output"]` is what was read, and none of it is lost.
        """
        wanted = re.compile(pattern) if isinstance(pattern, str) else pattern
        loop = asyncio.get_running_loop()
        deadline = None if timeout is None else loop.time() + timeout
        while True:
            found = wanted.search(self._text)
            if found:
                self._text = self._text[found.end():]
                return found
            left = None if deadline is None else max(0.0, deadline - loop.time())
            try:
                message = await asyncio.wait_for(self._next(), left)
            except asyncio.TimeoutError:
                raise self._late(f"'{wanted.pattern}' did not come within {timeout} s") from None
            except StopAsyncIteration:
                raise errors.StreamEndedError(
                    f"the program ended before '{wanted.pattern}' came", op=self._op.id, details={"output": self._text}) from None
            self._text += message.data

    async def _next(self) -> TerminalMessage:
        if self._socket is None:
            raise StopAsyncIteration
        while True:
            try:
                frame = await self._socket.recv()
            except websockets.ConnectionClosed as closed:
                raise self._ended(closed) from None
            message = self._message(frame)
            if message is not None:
                return message

    def _message(self, frame: Union[str, bytes]) -> TerminalMessage | None:
        if isinstance(frame, bytes):
            return TerminalMessage("output", data=self._decoder.decode(frame), bytes=frame)
        try:
            raw = json.loads(frame)
        except ValueError:
            return None
        event = raw.get("event")
        self.is_live = self.is_live or event == "live"
        if event == "exited":
            self.exited, self.exit_code = True, raw.get("exit_code")
        data = raw.get("data", "") if raw.get("type") == "output" else ""
        return TerminalMessage(str(raw.get("type")), event, data, data.encode("utf-8", "surrogatepass"), raw)

    def _ended(self, closed: websockets.ConnectionClosed) -> BaseException:
        reason = closed.rcvd.reason if closed.rcvd else ""
        if closed.rcvd and closed.rcvd.code == 1008 and "." in reason:
            return make_error(self._op, None, {"error": f"the server closed the terminal: {reason}", "wire_code": reason})
        if self.exited:
            return StopAsyncIteration()
        return errors.StreamEndedError(
            f"the connection ended and the program had not ({closed})", op=self._op.id, endpoint=self._op.endpoint)

    def _late(self, message: str) -> errors.RequestTimeoutError:
        return errors.RequestTimeoutError(message, op=self._op.id, endpoint=self._op.endpoint, details={"output": self._text})


class SyncPtyConnection(Iterator[TerminalMessage]):
    """The same for code without an event loop."""

    def __init__(self, caller: Caller, connection: PtyConnection) -> None:
        self._caller, self.connection = caller, connection

    @property
    def exit_code(self) -> int | None:
        return self.connection.exit_code

    def send(self, data: Union[str, bytes]) -> None:
        self._caller.wait(self.connection.send(data))

    def resize(self, cols: int, rows: int) -> None:
        self._caller.wait(self.connection.resize(cols, rows))

    def signal(self, signal: str) -> None:
        self._caller.wait(self.connection.signal(signal))

    def recv(self, timeout: float | None = None) -> TerminalMessage:
        return self._caller.wait(self.connection.recv(timeout))

    def expect(self, pattern: Union[str, re.Pattern[str]], timeout: float | None = 10.0) -> re.Match[str]:
        return self._caller.wait(self.connection.expect(pattern, timeout))

    def close(self) -> None:
        self._caller.wait(self.connection.aclose())

    def __next__(self) -> TerminalMessage:
        try:
            return self.recv()
        except StopAsyncIteration:
            raise StopIteration from None

    def __enter__(self) -> SyncPtyConnection:
        self._caller.wait(self.connection.__aenter__())
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


TerminalConnection = PtyConnection
