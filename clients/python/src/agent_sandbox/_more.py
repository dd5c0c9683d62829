# SPDX-License-Identifier: Apache-2.0
"""Processes and terminals, with the names of earlier clients."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Union

from ._extras import Commands, OnText, deprecated
from ._generated import (
    OPS,
    CommandsRunResult,
    CommandsStreamEvent,
    CommandsStreamExitEvent,
    ProcessFollowChunkEvent,
    ProcessFollowEvent,
    ProcessNamespace,
    ProcessSignalResult,
    ProcessStdinResult,
    TerminalNamespace,
)
from ._op import BytesLike
from ._stream import EventStream, SyncEventStream
from .terminal import PtyConnection, SyncPtyConnection


class Process(ProcessNamespace):
    """The ops process.*"""

    async def follow_all(self, pid: Union[str, int], *, since: int = 0) -> list[ProcessFollowEvent]:
        """All output of a process up to its end."""
        return await self.follow(pid, since=since).collect()

    async def read_all(self, pid: Union[str, int]) -> str:
        """The text of all output of a process, both streams in their order, up to its end."""
        events = await self.follow_all(pid)
        return "".join(event.data for event in events if isinstance(event, ProcessFollowChunkEvent))

    def follow_all_sync(self, pid: Union[str, int], *, since: int = 0) -> list[ProcessFollowEvent]:
        return self._caller.wait(self.follow_all(pid, since=since))

    def read_all_sync(self, pid: Union[str, int]) -> str:
        return self._caller.wait(self.read_all(pid))

    # Names of earlier clients

    @property
    def _commands(self) -> Commands:
        return Commands(self._client, "commands")

    async def kill(self, pid: Union[str, int], *, group: bool | None = None) -> ProcessSignalResult:
        """Deprecated: process.signal, with SIGKILL."""
        deprecated("process.kill", "process.signal")
        return await self.signal(pid, signal="SIGKILL", group=group)

    async def send_stdin(self, pid: Union[str, int], data: Union[str, BytesLike], *, eof: bool | None = None) -> ProcessStdinResult:
        """Deprecated: process.stdin."""
        deprecated("process.send_stdin", "process.stdin")
        if isinstance(data, str):
            return await self.stdin(pid, data, eof=eof)
        return await self.stdin(pid, data_b64=data, eof=eof)

    async def shell(self, command: str, **options: Any) -> CommandsRunResult:
        """Deprecated: commands.run."""
        deprecated("process.shell", "commands.run")
        return await self._commands.run(command, **options)

    def shell_stream(self, command: str, **options: Any) -> EventStream[CommandsStreamEvent]:
        """Deprecated: commands.stream."""
        deprecated("process.shell_stream", "commands.stream")
        return self._commands.stream(command, **options)

    async def run_stream(
        self, command: str, *, on_stdout: OnText | None = None, on_stderr: OnText | None = None, **options: Any,
    ) -> CommandsStreamExitEvent:
        """Deprecated: commands.run_stream."""
        deprecated("process.run_stream", "commands.run_stream")
        return await self._commands.run_stream(command, on_stdout=on_stdout, on_stderr=on_stderr, **options)

    def kill_sync(self, pid: Union[str, int], *, group: bool | None = None) -> ProcessSignalResult:
        deprecated("process.kill_sync", "process.signal_sync")
        return self.signal_sync(pid, signal="SIGKILL", group=group)

    def send_stdin_sync(self, pid: Union[str, int], data: Union[str, BytesLike], *, eof: bool | None = None) -> ProcessStdinResult:
        deprecated("process.send_stdin_sync", "process.stdin_sync")
        if isinstance(data, str):
            return self.stdin_sync(pid, data, eof=eof)
        return self.stdin_sync(pid, data_b64=data, eof=eof)

    def shell_sync(self, command: str, **options: Any) -> CommandsRunResult:
        deprecated("process.shell_sync", "commands.run_sync")
        return self._commands.run_sync(command, **options)

    def shell_stream_sync(self, command: str, **options: Any) -> SyncEventStream[CommandsStreamEvent]:
        deprecated("process.shell_stream_sync", "commands.stream_sync")
        return self._commands.stream_sync(command, **options)

    def run_stream_sync(self, command: str, **options: Any) -> CommandsStreamExitEvent:
        deprecated("process.run_stream_sync", "commands.run_stream_sync")
        return self._commands.run_stream_sync(command, **options)


class Terminal(TerminalNamespace):
    """The ops terminal.*"""

    def connect(self, session_id: str, *, binary: bool = False) -> PtyConnection:
        """
        Attaches to a session: `async with srv.terminal.connect(id) as tty`.

        :param binary: Move raw bytes, for output that is not UTF-8.
        """
        return PtyConnection(self._caller, OPS["terminal.connect"], session_id, binary=binary)

    def connect_sync(self, session_id: str, *, binary: bool = False) -> SyncPtyConnection:
        """The same for code without an event loop: `with srv.terminal.connect_sync(id) as tty`."""
        return SyncPtyConnection(self._caller, self.connect(session_id, binary=binary))


__all__: Sequence[str] = ["Process", "Terminal"]
