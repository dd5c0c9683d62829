# SPDX-License-Identifier: Apache-2.0
"""Streams of events, for loops that may be left at any time."""
from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import httpx

from . import errors
from ._answer import make_error
from ._model import Event, UnknownEvent
from ._op import Op
from ._sse import RawEvent, SSEParser
from ._sync import run_soon

if TYPE_CHECKING:
    from ._caller import Caller

E = TypeVar("E")
Opener = Callable[[], "asyncio.Future[httpx.Response]"]


class EventStream(AsyncIterator[E], Generic[E]):
    """
    The events of one call, which begins with the first of them.

    Leaving the loop, aclose() and `async with` close the connection at once, and the server ends what ran for
    it.  A stream that ends without its last event raises StreamEndedError; there is no silent reconnecting.
    """

    def __init__(
        self, caller: Caller, op: Op, args: Mapping[str, Any], table: Mapping[str, type[E]], request_timeout: float | None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self._caller, self._op, self._args, self._table = caller, op, args, table
        self._timeout, self._headers = request_timeout, dict(headers or {})
        self._response: httpx.Response | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pieces: AsyncIterator[bytes] | None = None
        self._parser = SSEParser()
        self._ready: deque[RawEvent] = deque()
        self._deadline: float | None = None
        self._last: Event | None = None
        self._done = False
        self.last_event_id: str | None = None

    def __aiter__(self) -> EventStream[E]:
        return self

    async def __anext__(self) -> E:
        if self._done:
            raise StopAsyncIteration
        try:
            if self._timeout is None:
                return await self._next()
            return await self._next_in_time()
        except BaseException:
            await self.aclose()
            raise

    async def _next_in_time(self) -> E:
        loop = asyncio.get_running_loop()
        if self._deadline is None:
            self._deadline = loop.time() + (self._timeout or 0)
        try:
            return await asyncio.wait_for(self._next(), max(0.001, self._deadline - loop.time()))
        except asyncio.TimeoutError:
            raise self._caller.too_late(self._op, self._timeout) from None

    async def _next(self) -> E:
        if self._response is None:
            self._loop = asyncio.get_running_loop()
            self._response = await self._caller.open_events(self._op, self._args, self._headers)
            self._pieces = self._response.aiter_raw()
        while not self._ready:
            piece = await self._piece()
            if piece is None:
                raise self._end()
            self._ready.extend(self._parsed(piece))
        return self._event(self._ready.popleft())

    def _parsed(self, piece: bytes) -> list[RawEvent]:
        try:
            return self._parser.feed(piece)
        except ValueError as fault:
            raise errors.ContractMismatchError(f"the stream holds {fault}", op=self._op.id, endpoint=self._op.endpoint) from fault

    async def _piece(self) -> bytes | None:
        assert self._pieces is not None
        try:
            return await self._pieces.__anext__()
        except StopAsyncIteration:
            return None
        except httpx.HTTPError as broken:
            raise self._broken(f"the connection broke: {broken}") from broken

    def _broken(self, why: str) -> errors.SandboxError:
        return errors.StreamEndedError(
            f"the stream ended without its last event ({why}); what it would have told is not known",
            op=self._op.id, endpoint=self._op.endpoint)

    def _end(self) -> BaseException:
        """The server closed: fine after the last event, an error after `error`, else broken."""
        if self._last is not None and self._last.final:
            return StopAsyncIteration()
        if self._last is not None and self._last.event == "error":
            return make_error(self._op, None, self._last.to_dict())
        if not self._has_final():
            return StopAsyncIteration()
        return self._broken("the server closed it")

    def _has_final(self) -> bool:
        return any(getattr(kind, "final", False) for kind in self._table.values())

    def _event(self, raw: RawEvent) -> E:
        kind: Any = self._table.get(raw.name, UnknownEvent)
        try:
            event = kind.model_validate({**json.loads(raw.data), "event": raw.name})
        except (ValueError, TypeError) as fault:
            raise errors.ContractMismatchError(
                f"the event '{raw.name}' is not what the catalog says: {fault}", op=self._op.id, endpoint=self._op.endpoint) from fault
        if raw.id is not None:
            self.last_event_id = raw.id
            object.__setattr__(event, "__abx_event_id__", raw.id)
        self._last = event
        return event  # type: ignore[no-any-return]

    async def collect(self) -> list[E]:
        """All events up to the last."""
        return [event async for event in self]

    async def aclose(self) -> None:
        self._done = True
        response, self._response = self._response, None
        if response is not None:
            await response.aclose()

    async def __aenter__(self) -> EventStream[E]:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    def __del__(self) -> None:
        # A loop that was left with break or return: the last reference goes, and so does the connection.
        response, loop = self._response, self._loop
        self._response = None
        if response is not None and loop is not None and loop.is_running():
            loop.call_soon_threadsafe(lambda: run_soon(loop, response.aclose()))


class SyncEventStream(Iterator[E], Generic[E]):
    """The same for code without an event loop; close() or `with` ends it early."""

    def __init__(self, caller: Caller, stream: EventStream[E]) -> None:
        self._caller, self._stream = caller, stream

    def __iter__(self) -> SyncEventStream[E]:
        return self

    def __next__(self) -> E:
        try:
            return self._caller.wait(self._stream.__anext__())
        except StopAsyncIteration:
            raise StopIteration from None

    def close(self) -> None:
        self._caller.wait(self._stream.aclose())

    def __enter__(self) -> SyncEventStream[E]:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
