# SPDX-License-Identifier: Apache-2.0
"""One event loop in a thread of its own, for the *_sync twins."""
from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from .errors import ServerConfigError

T = TypeVar("T")
LOOK, LOOKED_FOR = 0.005, 5.0  # seconds between looks at another thread's loop, and of all of them
_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    loop.run_forever()


def background_loop() -> asyncio.AbstractEventLoop:
    global _loop
    with _lock:
        if _loop is None or _loop.is_closed():
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_run, args=(_loop,), name="agent-sandbox", daemon=True).start()
        return _loop


_running: set[asyncio.Task[None]] = set()


def run_soon(loop: asyncio.AbstractEventLoop, what: Coroutine[Any, Any, None]) -> None:
    """A task that nobody awaits; something must hold it until it has ended."""
    task = loop.create_task(what)
    _running.add(task)
    task.add_done_callback(_running.discard)


async def end_in(loop: asyncio.AbstractEventLoop, end: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """
    Waits for end() in the loop of another thread.  That loop may stop before it or in the middle, and never says so; and
    its thread may be held up, perhaps by the wait for us: then end() comes with its next turn.
    """
    here, ended = asyncio.get_running_loop(), asyncio.Event()

    async def run() -> None:
        try:
            await end()
        finally:
            with contextlib.suppress(RuntimeError):  # ours is closed: nobody waits any more
                here.call_soon_threadsafe(ended.set)

    with contextlib.suppress(RuntimeError):  # it is closed
        loop.call_soon_threadsafe(lambda: run_soon(loop, run()))
        until = time.monotonic() + LOOKED_FOR
        while not ended.is_set() and loop.is_running() and time.monotonic() < until:
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(ended.wait(), LOOK)


class _Stopped(Exception):
    """StopAsyncIteration in a disguise that a future can carry."""


async def _guard(what: Awaitable[T]) -> T:
    try:
        return await what
    except StopAsyncIteration:
        raise _Stopped from None


def wait_for(what: Awaitable[T]) -> T:
    """The result; when the waiting is interrupted, the call is given up."""
    loop = background_loop()
    if asyncio._get_running_loop() is loop:
        if asyncio.iscoroutine(what):
            what.close()
        raise ServerConfigError("a callback of a *_sync method cannot call another one: it would wait for itself for ever")
    future = asyncio.run_coroutine_threadsafe(_guard(what), loop)
    try:
        return future.result()
    except _Stopped:
        raise StopAsyncIteration from None
    except BaseException:
        future.cancel()
        raise
