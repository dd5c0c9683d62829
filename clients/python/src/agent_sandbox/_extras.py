# SPDX-License-Identifier: Apache-2.0
"""What the namespaces can do beyond one call for each op."""
from __future__ import annotations

import asyncio
import os
import tempfile
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Union

from . import errors
from ._generated import (
    OPS,
    CommandsNamespace,
    CommandsStreamEvent,
    CommandsStreamExitEvent,
    CommandsStreamStderrEvent,
    CommandsStreamStdoutEvent,
    CustomListResult,
    CustomNamespace,
    FilesNamespace,
    FilesUploadResult,
    FilesUploadStreamResult,
    FilesWatchEventEvent,
)
from ._op import Body, PathLike, Progress
from ._stream import EventStream

OnText = Callable[[str], Union[Awaitable[None], None]]


def deprecated(old: str, new: str) -> None:
    """
    Tells the caller's caller.  A twin that ends in _sync says so itself and calls the twin of the new name: in
    the coroutine it would be told to the event loop, where nobody is shown it.
    """
    warnings.warn(f"{old} is now {new}", DeprecationWarning, stacklevel=3)


async def hand(on_text: OnText | None, text: str) -> None:
    if on_text is not None:
        waiting = on_text(text)
        if waiting is not None:
            await waiting


class Files(FilesNamespace):
    """The ops files.*, and whole files to and from this machine."""

    async def upload_file(
        self, local: PathLike, remote: PathLike, *, progress: Progress | None = None, mode: str | None = None, parents: bool | None = None,
        create_only: bool | None = None, request_timeout: float | None = None,
    ) -> FilesUploadStreamResult:
        """A file of this machine, of any size, without holding it in memory."""
        with await asyncio.to_thread(open, os.fsdecode(local), "rb") as file:
            return await self.upload_stream(
                remote, file, progress=progress, mode=mode, parents=parents, create_only=create_only, request_timeout=request_timeout)

    async def upload_files(self, folder: PathLike, files: Mapping[str, bytes]) -> FilesUploadStreamResult:
        """Several files into one folder: they appear together, or none does."""
        mark = f"abx{os.urandom(16).hex()}"
        parts = []
        for name, data in files.items():
            if any(c in name for c in '"\r\n\0/'):
                raise errors.ServerArgumentError(f"a file of a form cannot be called '{name}'", op="files.upload_stream")
            if not isinstance(data, (bytes, bytearray, memoryview)):
                raise errors.ServerArgumentError(f"'{name}' must be bytes, not {type(data).__name__}", op="files.upload_stream")
            head = f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="'.encode() + os.fsencode(name) + b'"\r\n\r\n'
            parts.append(head + bytes(data) + b"\r\n")
        body = b"".join(parts) + f"--{mark}--\r\n".encode()
        return await self._caller.send(
            OPS["files.upload_stream"], {"path": folder}, FilesUploadStreamResult, body,
            media_type=f"multipart/form-data; boundary={mark}")

    def iter_bytes(
        self, path: PathLike, *, start: int = 0, end: int | None = None, progress: Progress | None = None,
        request_timeout: float | None = None,
    ) -> AsyncIterator[bytes]:
        """The bytes of a file, or of the range [start, end), as they come."""
        return self._caller.pieces(
            OPS["files.download_stream"], {"path": path}, start=start, end=end, progress=progress, request_timeout=request_timeout)

    async def read_text(self, path: PathLike, encoding: str = "utf-8", errors: str = "strict") -> str:
        """A whole file as text, its line ends as they are."""
        return (await self.download_stream(path)).decode(encoding, errors)

    async def download_file(
        self, remote: PathLike, local: PathLike, *, progress: Progress | None = None, request_timeout: float | None = None,
    ) -> int:
        """Into a file of this machine, which appears, or is replaced, when all of it has come; how many bytes there were."""
        target = Path(os.fsdecode(local))
        done = 0
        fd, name = await asyncio.to_thread(tempfile.mkstemp, prefix=f".{target.name}.", dir=target.parent)
        try:
            with os.fdopen(fd, "wb") as file:
                async for piece in self.iter_bytes(remote, progress=progress, request_timeout=request_timeout):
                    await asyncio.to_thread(file.write, piece)
                    done += len(piece)
            os.chmod(name, _mode_of(target))
            os.replace(name, target)
        except BaseException:
            os.unlink(name)
            raise
        return done

    async def watch_for(self, path: PathLike, seconds: float, **options: Any) -> list[FilesWatchEventEvent]:
        """What changes in that time: the events of files.watch, without those that are about the watch itself."""
        seen = await self.watch(path, timeout=seconds, **options).collect()
        return [event for event in seen if isinstance(event, FilesWatchEventEvent)]

    def watch_for_sync(self, path: PathLike, seconds: float, **options: Any) -> list[FilesWatchEventEvent]:
        return self._caller.wait(self.watch_for(path, seconds, **options))

    def upload_file_sync(self, local: PathLike, remote: PathLike, **options: Any) -> FilesUploadStreamResult:
        return self._caller.wait(self.upload_file(local, remote, **options))

    def upload_files_sync(self, folder: PathLike, files: Mapping[str, bytes]) -> FilesUploadStreamResult:
        return self._caller.wait(self.upload_files(folder, files))

    def read_text_sync(self, path: PathLike, encoding: str = "utf-8", errors: str = "strict") -> str:
        return self._caller.wait(self.read_text(path, encoding, errors))

    def download_file_sync(
        self, remote: PathLike, local: PathLike, *, progress: Progress | None = None, request_timeout: float | None = None,
    ) -> int:
        return self._caller.wait(self.download_file(remote, local, progress=progress, request_timeout=request_timeout))

    # Names of earlier clients

    async def exists(self, path: PathLike) -> bool:
        """Deprecated: files.stat, whose result has `exists`."""
        deprecated("files.exists", "files.stat")
        return (await self.stat(path)).exists

    async def upload_legacy(self, path: PathLike, data: Body) -> FilesUploadResult:
        """Deprecated: files.upload."""
        deprecated("files.upload_legacy", "files.upload")
        return await self.upload(path, data)

    async def download_legacy(self, path: PathLike) -> bytes:
        """Deprecated: files.download."""
        deprecated("files.download_legacy", "files.download")
        return await self.download(path)

    def exists_sync(self, path: PathLike) -> bool:
        deprecated("files.exists_sync", "files.stat_sync")
        return self.stat_sync(path).exists

    def upload_legacy_sync(self, path: PathLike, data: Body) -> FilesUploadResult:
        deprecated("files.upload_legacy_sync", "files.upload_sync")
        return self.upload_sync(path, data)

    def download_legacy_sync(self, path: PathLike) -> bytes:
        deprecated("files.download_legacy_sync", "files.download_sync")
        return self.download_sync(path)


class Commands(CommandsNamespace):
    """The ops commands.*: always the shell, or a program without one; a template's own commands are custom.*"""

    async def run_stream(
        self, command: str | None = None, *, on_stdout: OnText | None = None, on_stderr: OnText | None = None, check: bool = False,
        **options: Any,
    ) -> CommandsStreamExitEvent:
        """Streams a command to two functions; the exit event, when it has ended."""
        return await collect_stream(self.stream(command, **options), on_stdout, on_stderr, check)

    async def list(self) -> CustomListResult:
        """Deprecated: custom.list."""
        deprecated("commands.list", "custom.list")
        return await CustomNamespace(self._client, "custom").list()

    def list_sync(self) -> CustomListResult:
        deprecated("commands.list_sync", "custom.list_sync")
        return CustomNamespace(self._client, "custom").list_sync()

    def run_stream_sync(self, command: str | None = None, **options: Any) -> CommandsStreamExitEvent:
        return self._caller.wait(self.run_stream(command, **options))


async def collect_stream(
    stream: EventStream[CommandsStreamEvent], on_stdout: OnText | None, on_stderr: OnText | None, check: bool,
) -> CommandsStreamExitEvent:
    ended: CommandsStreamExitEvent | None = None
    async with stream:
        async for event in stream:
            if isinstance(event, CommandsStreamStdoutEvent):
                await hand(on_stdout, event.data)
            elif isinstance(event, CommandsStreamStderrEvent):
                await hand(on_stderr, event.data)
            elif isinstance(event, CommandsStreamExitEvent):
                ended = event
    assert ended is not None  # the stream raises when it has no exit
    if check and ended.exit_code != 0:
        failure = errors.ProcessError(f"the command exited with {ended.exit_code}", op="commands.stream", endpoint="shell_stream")
        failure.result = ended
        raise failure
    return ended


def _mode_of(target: Path) -> int:
    """That of the file that is replaced, which may be private, else that of a new one."""
    try:
        return target.stat().st_mode & 0o777
    except OSError:
        value = os.umask(0o022)
        os.umask(value)
        return 0o666 & ~value


__all__ = ["Commands", "Files", "collect_stream"]
