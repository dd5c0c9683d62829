# SPDX-License-Identifier: Apache-2.0
"""
Commands of a template's author in Python: a worker that agent-sandbox-server starts once and keeps.

    from agent_sandbox.worker import command

    @command(description="Grade a submission.")
    def grade(submission: str, points: int = 10) -> dict:
        return {"passed": len(submission) > points}

The manifest is `worker: [python3, -m, agent_sandbox.worker, commands.py]`.  Arguments and their types come from the
signature.  Plain functions run in threads, async ones on the loop; several calls run at once.  What a command prints
goes to standard error, which the server shows with a failure.
"""
from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
import os
import runpy
import sys
import threading
import traceback
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Literal, TypeVar, Union, get_args, get_origin, get_type_hints, overload

Function = TypeVar("Function", bound=Callable[..., Any])

LINE_MAX = 8 * 1024 * 1024 + 4096
"""Bytes of an answer, its newline included: the server ends a worker, with all that it does, that writes a longer one."""
MESSAGE_MAX = 64 * 1024
"""Characters of an error's message."""

_ARRAYS = (list, tuple, set, frozenset, Sequence, Iterable)
_PLAIN: Mapping[Any, str] = {str: "string", bool: "boolean", int: "integer", float: "float"}


@dataclass(frozen=True)
class Command:
    """A function as a command: what the server is told of it."""

    function: Callable[..., Any]
    name: str
    description: str
    args: Sequence[Mapping[str, Any]]
    hidden: bool = False
    timeout: float | None = None
    kinds: Mapping[str, Any] = field(default_factory=dict)

    def describe(self) -> dict[str, Any]:
        told: dict[str, Any] = {"name": self.name, "description": self.description, "hidden": self.hidden, "args": list(self.args)}
        return told if self.timeout is None else {**told, "timeout": self.timeout}

    async def run(self, args: Mapping[str, Any]) -> Any:
        given = {name: self._value(name, value) for name, value in args.items()}
        if inspect.iscoroutinefunction(self.function):
            return await self.function(**given)
        result = await _in_thread(lambda: self.function(**given))
        return await result if inspect.isawaitable(result) else result

    def _value(self, name: str, value: Any) -> Any:
        """JSON has one kind of list and one of number."""
        kind = self.kinds.get(name)
        if kind in (tuple, set, frozenset) and isinstance(value, list):
            return kind(value)
        return float(value) if kind is float and isinstance(value, int) else value


_registered: dict[str, Command] = {}


@overload
def command(function: Function, /) -> Function: ...


@overload
def command(
    *, name: str | None = None, description: str | None = None, hidden: bool = False, timeout: float | None = None,
) -> Callable[[Function], Function]: ...


def command(
    function: Callable[..., Any] | None = None, /, *, name: str | None = None, description: str | None = None, hidden: bool = False,
    timeout: float | None = None,
) -> Any:
    """Makes a command of a function, plain or async, as @command or @command(…); the function stays as it is."""
    def make(function: Callable[..., Any]) -> Callable[..., Any]:
        made = _command(function, name or function.__name__, description, hidden, timeout)
        if made.name in _registered:
            raise ValueError(f"two commands are called '{made.name}'")
        _registered[made.name] = made
        return function

    return make if function is None else make(function)


def _command(function: Callable[..., Any], name: str, description: str | None, hidden: bool, timeout: float | None) -> Command:
    hints = get_type_hints(function)
    args, kinds = [], {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise TypeError(f"{name}: '{parameter.name}' cannot be an argument: a command's arguments have names and a fixed number")
        arg, kinds[parameter.name] = _argument(name, parameter, hints.get(parameter.name))
        args.append(arg)
    text = inspect.cleandoc(description if description is not None else function.__doc__ or "")
    return Command(function, name, text, args, hidden, timeout, kinds)


def _argument(name: str, parameter: inspect.Parameter, hint: Any) -> tuple[dict[str, Any], Any]:
    has_default = parameter.default is not parameter.empty
    if hint is None and has_default and parameter.default is not None:
        hint = type(parameter.default)
    kind, optional = _without_none(hint)
    told = {"name": parameter.name, "type": _type_name(name, parameter.name, kind), "required": not has_default}
    if optional and not has_default:
        raise TypeError(f"{name}: '{parameter.name}' may be None, so it needs a default")
    if has_default and parameter.default is not None:
        told["default"] = _plain(parameter.default)
    return told, get_origin(kind) or kind


def _without_none(hint: Any) -> tuple[Any, bool]:
    if get_origin(hint) in (Union, types.UnionType):
        kinds = [one for one in get_args(hint) if one is not type(None)]
        if len(kinds) == 1:
            return kinds[0], len(kinds) < len(get_args(hint))
    return hint, False


def _type_name(name: str, argument: str, kind: Any) -> str:
    origin = get_origin(kind) or kind
    if origin is Literal:
        origin = type(get_args(kind)[0])
    if origin in _PLAIN:
        return _PLAIN[origin]
    if origin in _ARRAYS:
        return "array"
    if isinstance(origin, type) and (issubclass(origin, Mapping) or typing.is_typeddict(origin)):
        return "object"
    raise TypeError(f"{name}: '{argument}' needs a type: str, int, float, bool, a list or a dict, not {kind!r}")


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, (tuple, set, frozenset)) else value


async def _in_thread(work: Callable[[], Any]) -> Any:
    """A thread of its own, that dies with the process: one that hangs holds nobody up."""
    loop, done = asyncio.get_running_loop(), asyncio.get_running_loop().create_future()

    def finish(result: Any, error: BaseException | None) -> None:
        if not done.done():
            done.set_exception(error) if error else done.set_result(result)

    def run() -> None:
        result: Any = None
        failure: BaseException | None = None
        try:
            result = work()
        except StopIteration as error:  # which no future can carry
            failure = RuntimeError(f"StopIteration: {error}")
        except BaseException as error:
            failure = error if isinstance(error, Exception) else RuntimeError(f"{type(error).__name__}: {error}")
        loop.call_soon_threadsafe(finish, result, failure)

    threading.Thread(target=run, daemon=True).start()
    return await done


class _Channel:
    """The pipes to the server, out of the commands' reach: their print() goes to standard error, their input is empty."""

    def __init__(self) -> None:
        sys.stdout.flush()
        self.requests: BinaryIO = os.fdopen(os.dup(0), "rb")
        self._answers = os.dup(1)
        os.dup2(2, 1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        sys.stdout = sys.stderr
        self._lock = threading.Lock()

    def put(self, message: Mapping[str, Any]) -> None:
        line = json.dumps(message, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace") + b"\n"
        if len(line) > LINE_MAX:
            raise ValueError(f"the answer has {len(line)} bytes, and at most {LINE_MAX} can be sent")
        left = memoryview(line)
        with self._lock:
            while left:
                left = left[os.write(self._answers, left):]


class _Worker:
    def __init__(self, channel: _Channel, commands: Mapping[str, Command]) -> None:
        self.channel, self.commands = channel, commands
        self.running: dict[int, asyncio.Task[None]] = {}
        self.unwanted: set[int] = set()  # of those, the ones whose answer nobody waits for

    async def serve(self) -> None:
        """Until the server closes our standard input."""
        while line := await _in_thread(self.channel.requests.readline):
            self.take(json.loads(line))
        for number in list(self.running):
            self.give_up(number)

    def give_up(self, number: int) -> None:
        self.unwanted.add(number)
        self.running[number].cancel()

    def forget(self, number: int) -> None:
        self.running.pop(number, None)
        self.unwanted.discard(number)

    def take(self, message: Mapping[str, Any]) -> None:
        number, method = message["id"], message["method"]
        if method == "describe":
            self.channel.put({"id": number, "result": {"commands": [one.describe() for one in self.commands.values()]}})
        elif method == "call":
            task = asyncio.get_running_loop().create_task(self.call(number, message["name"], message["args"]))
            self.running[number] = task
            task.add_done_callback(lambda _: self.forget(number))
        elif method == "cancel" and number in self.running:
            self.give_up(number)

    async def call(self, number: int, name: str, args: Mapping[str, Any]) -> None:
        try:
            result = await self.commands[name].run(args)
            answer = {"id": number, "result": _plain(result)}
            # Where it waits for a server that does not read, others go on.
            await _in_thread(lambda: self.channel.put(answer))
        except BaseException as error:
            # Cancelled by the command's own doing it is a failure like any other, which its caller waits for.
            if isinstance(error, asyncio.CancelledError) and number in self.unwanted:
                raise
            with contextlib.suppress(Exception):  # a command may have closed standard error
                traceback.print_exc()
                sys.stderr.flush()
            told = _told(error)
            await _in_thread(lambda: self.channel.put({"id": number, "error": told}))


def _told(error: BaseException) -> dict[str, str]:
    text = ""
    with contextlib.suppress(Exception):  # of a class whose own str() fails
        text = str(error)
    return {"type": type(error).__name__, "message": text[:MESSAGE_MAX] or type(error).__name__}


def serve(commands: Iterable[Callable[..., Any]] | None = None) -> None:
    """Answers the server until it closes our standard input: the registered commands, or just these functions."""
    _serve(_Channel(), commands)


def _serve(channel: _Channel, commands: Iterable[Callable[..., Any]] | None = None) -> None:
    known = _registered
    if commands is not None:
        wanted = list(commands)
        known = {one.name: one for one in _registered.values() if one.function in wanted}
        known.update({one.__name__: _command(one, one.__name__, None, False, None)
                      for one in wanted if one not in [made.function for made in _registered.values()]})
    asyncio.run(_Worker(channel, known).serve())


def main(words: Sequence[str]) -> int:
    if len(words) != 1:
        print("usage: python -m agent_sandbox.worker COMMANDS.py", file=sys.stderr)
        return 2
    channel = _Channel()
    path = Path(words[0]).resolve()
    sys.path.insert(0, str(path.parent))
    runpy.run_path(str(path), run_name="agent_sandbox_commands")
    _serve(channel)
    return 0


if __name__ == "__main__":
    # The file with the commands imports this module by its name, so the registry must be that one's.
    from agent_sandbox.worker import main as run

    code = run(sys.argv[1:])
    sys.stderr.flush()
    os._exit(code)  # a command that hangs in a thread does not hold the end up
