# SPDX-License-Identifier: Apache-2.0
# Made by `agent-sandbox-server gen-client --lang python`: do not edit.
# Catalog version 1, digest sha256:304f4afa4f08c673e96b32106b669f903404d67d03b85cf80fb3994b84de8ba9
"""The catalog: models, refs, and a method for each op."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Final, Literal, Union

from pydantic import Field

from ._base import Body, BytesLike, ErrorRow, Event, EventStream, Model, Namespace, Op, OpRef, PathLike, Progress, Root, SyncEventStream

CATALOG_VERSION = 1
CATALOG_DIGEST = "sha256:304f4afa4f08c673e96b32106b669f903404d67d03b85cf80fb3994b84de8ba9"
SERVER_VERSION = "0.1.0"


class CoreHealthResult(Model):
    """Tell whether the server answers."""

    status: str
    """Always \"ok\"."""


class ServerInfo(Model):
    """The server."""

    name: str
    """Always \"agent-sandbox-server\"."""
    version: str
    """Version of the server."""


class Principal(Model):
    """The caller."""

    name: str
    """Name of the caller's token, or \"local\" where no token is configured."""
    scopes: list[str]
    """What the caller holds."""


class PathFacts(Model):
    """The caller's paths."""

    base: str
    """Where relative paths start."""
    roots: list[str]
    """Folders that the caller may reach."""
    readonly: list[str]
    """Patterns of what may only be read: absolute, or with ** in front for any folder."""
    deny: list[str]
    """Patterns of what may not be reached, likewise."""


class Confinement(Model):
    """What holds the programs that are started."""

    mode: str
    """What the policy asks for: off, paths or best_effort."""
    filesystem: bool
    """Whether programs are held to the roots by the kernel."""
    signals: bool
    """Whether programs are kept from signalling the server and others."""
    network: str
    """inherit, none, or tcp_denied where only TCP could be closed."""
    landlock_abi: int
    """What the kernel's Landlock knows; 0 none."""
    missing: list[str]
    """What was asked for and cannot be had here."""


class CoreCapabilitiesResult(Model):
    """Tell what this server offers and what the caller may use."""

    version: int
    """Version of this body."""
    server: ServerInfo
    """The server."""
    catalog_version: int
    """Version of the catalog's shape."""
    catalog_digest: str
    """Digest of the catalog of built-in ops."""
    principal: Principal
    """The caller."""
    ops: Any
    """By op id: enabled, allowed, scope, group, kind, rule, limits."""
    endpoints: Any
    """The same by endpoint id."""
    groups: Any
    """By name: whether the group is switched on."""
    paths: PathFacts
    """The caller's paths."""
    features: list[str]
    """What this server can do beyond its ops."""
    confinement: Confinement
    """What holds the programs that are started."""


class Verdict(Model):
    """One verdict for each of 'checks'."""

    allowed: bool
    """Whether the call would be let through; with 'checks', whether all would."""
    op: str | None = None
    """The op's id."""
    rule: str | None = None
    """The line of the policy that decided."""
    wire_code: str | None = None
    """The error that the call would get."""
    reason: str | None = None
    """The same in words."""


class CoreCheckResult(Model):
    """Tell whether a call would be allowed."""

    allowed: bool
    """Whether the call would be let through; with 'checks', whether all would."""
    op: str | None = None
    """The op's id."""
    rule: str | None = None
    """The line of the policy that decided."""
    wire_code: str | None = None
    """The error that the call would get."""
    reason: str | None = None
    """The same in words."""
    results: list[Verdict] | None = None
    """One verdict for each of 'checks'."""


class CoreDescribeResult(Model):
    """Describe the ops that the caller may call."""

    catalog_version: int
    """Version of the catalog's shape."""
    digest: str
    """SHA-256 of the canonical JSON of all built-in ops without descriptions."""
    server_version: str
    """Version of the server."""
    ops: Any
    """The ops, in the shape of the catalog."""


class CoreOpenapiResult(Model):
    """Describe the server as OpenAPI 3.1."""

    openapi: str
    """Version of OpenAPI."""
    info: Any
    """Name, versions and digest."""
    servers: Any
    """Where paths start."""
    security: Any
    """How a caller shows its token."""
    tags: Any
    """The groups of ops."""
    paths: Any
    """The ops by path and method; an operationId is an op's id."""
    components: Any
    """What the paths refer to."""


class CoreReloadResult(Model):
    """Read the policy file and the custom commands again."""

    reloaded: bool
    """Always true: a failure is an error."""


class ServerCommandArg(Model):
    """The arguments that it takes."""

    name: str
    """Its name."""
    type: str
    """string, integer, float, boolean, array or object."""
    required: bool
    """Whether it must be given."""
    default: Any = None
    """Its value when it is not given."""
    description: str
    """What it is."""


class ServerCommand(Model):
    """The commands."""

    name: str
    """Its name: the op is custom.NAME."""
    description: str
    """What it does."""
    args: list[ServerCommandArg]
    """The arguments that it takes."""


class ServerWorker(Model):
    """The programs behind some of them, where there are such."""

    manifest: str
    """The file that it is from."""
    state: str
    """starting, ready or restarting."""
    problem: str | None = None
    """What was wrong when it last ended or would not start."""


class CustomListResult(Model):
    """List the commands of the template's author."""

    commands: list[ServerCommand]
    """The commands."""
    workers: list[ServerWorker] | None = None
    """The programs behind some of them, where there are such."""


class FileEntry(Model):
    """The entries, sorted by name."""

    name: str
    """The last part of the path."""
    name_b64: str | None = None
    """The exact name where it is not UTF-8."""
    path: str
    """The path, absolute and without links."""
    path_b64: str | None = None
    """The exact path where it is not UTF-8."""
    type: str
    """What kind of entry it is; links are not followed."""
    size: int
    """Bytes."""
    modified: str
    """When the content changed last, ISO 8601 in UTC."""
    mode: str
    """Permissions as octal digits."""
    owner: str
    """The owner's name, or its number."""
    group: str
    """The group's name, or its number."""
    target: str | None = None
    """Where a link leads, when that is inside the roots."""


class FilesListResult(Model):
    """List a folder."""

    path: str
    """The folder."""
    path_b64: str | None = None
    """The exact path where it is not UTF-8."""
    entries: list[FileEntry]
    """The entries, sorted by name."""
    truncated: bool
    """Whether there are more entries than max_entries."""


class FilesStatResult(Model):
    """Tell the facts of a path."""

    name: str
    """The last part of the path."""
    name_b64: str | None = None
    """The exact name where it is not UTF-8."""
    path: str
    """The path, absolute and without links."""
    path_b64: str | None = None
    """The exact path where it is not UTF-8."""
    type: str
    """What kind of entry it is; unknown where there is none."""
    size: int
    """Bytes; 0 where there is none."""
    permissions: str
    """Octal digits; empty where there is none."""
    modified: str
    """When the content changed last, ISO 8601 in UTC; empty where there is none."""
    exists: bool
    """Whether there is such an entry."""
    owner: str | None = None
    """The owner's name, or its number."""
    group: str | None = None
    """The group's name, or its number."""
    etag: str | None = None
    """The tag of a file's content, for If-Match."""
    uid: int | None = None
    """The owner's number."""
    gid: int | None = None
    """The group's number."""
    inode: int | None = None
    """The number of the inode."""
    links: int | None = None
    """How many names the entry has."""
    target: str | None = None
    """Where a link leads, when that is inside the roots."""


class FilesMkdirResult(Model):
    """Make a folder."""

    path: str
    """The folder."""
    path_b64: str | None = None
    """The exact path where it is not UTF-8."""
    created: bool
    """False when the folder was there already."""


class FilesDeleteResult(Model):
    """Delete a file or a folder."""

    path: str
    """What was deleted."""
    path_b64: str | None = None
    """The exact path where it is not UTF-8."""
    deleted: bool
    """True."""


class FilesMoveResult(Model):
    """Move or rename a file or a folder."""

    source: str
    """Where it was."""
    source_b64: str | None = None
    """The exact path where it is not UTF-8."""
    destination: str
    """Where it is."""
    destination_b64: str | None = None
    """The exact path where it is not UTF-8."""


class FoundEntry(Model):
    """What was found, sorted by path."""

    name: str
    """The name."""
    name_b64: str | None = None
    """The exact name where it is not UTF-8."""
    path: str
    """The absolute path."""
    path_b64: str | None = None
    """The exact path where it is not UTF-8."""
    type: str
    """What kind of entry it is; links are not followed."""


class FilesSearchResult(Model):
    """Find files by name."""

    path: str
    """The folder, behind its links."""
    path_b64: str | None = None
    """The exact path where it is not UTF-8."""
    results: list[FoundEntry]
    """What was found, sorted by path."""
    timed_out: bool
    """Whether the timeout ended the search."""
    truncated: bool
    """Whether there may be more: of max_results, or of the timeout."""


class UploadedFile(Model):
    """The files of a form, in its order."""

    path: str
    """The file, behind its links."""
    path_b64: str | None = None
    """The exact path where it is not UTF-8."""
    bytes: int
    """How many were written."""
    etag: str
    """The tag of what was written, for If-Match."""


class FilesUploadStreamResult(Model):
    """Write files of any size."""

    path: str | None = None
    """The file, behind its links; not of a form."""
    path_b64: str | None = None
    """The exact path where it is not UTF-8."""
    bytes: int | None = None
    """How many were written; not of a form."""
    etag: str | None = None
    """The tag of what was written, for If-Match; not of a form."""
    files: list[UploadedFile] | None = None
    """The files of a form, in its order."""


class FilesDownloadStreamResult(Model):
    """Read a file of any size."""

    path: str
    """The file."""
    path_b64: str | None = None
    """The exact path where it is not UTF-8."""
    content_base64: str
    """Its bytes."""
    bytes: int
    """How many."""


class ArchiveSkipped(Model):
    """What is not in it, or not as it was, the first 1000."""

    path: str
    """Its path."""
    path_b64: str | None = None
    """The exact path where it is not UTF-8."""
    reason: str
    """Why it is not there, or not as it was."""


class FilesArchiveResult(Model):
    """Files and folders as one archive."""

    content_base64: str
    """The archive."""
    format: str
    """Its format."""
    bytes: int
    """Its size."""
    files: int
    """How many entries it has."""
    skipped_total: int
    """How many notes there are in all."""
    skipped: list[ArchiveSkipped]
    """What is not in it, or not as it was, the first 1000."""


class FilesWatchReadyEvent(Event):
    """Everything from now on is told."""

    event: Literal["ready"] = "ready"
    path: str
    """What is watched."""
    path_b64: str | None = None
    """The exact path where it is not UTF-8."""
    mode: str
    """How: inotify or poll."""
    limit: str | None = None
    """The limit that keeps inotify from covering all."""
    uncovered: int | None = None
    """How many folders inotify does not cover; with mode poll they are polled."""


class FilesWatchEventEvent(Event):
    """Something changed."""

    event: Literal["event"] = "event"
    type: str
    """What happened."""
    path: str
    """The absolute path of the thing."""
    path_b64: str | None = None
    """The exact path where it is not UTF-8."""
    name: str
    """The last part of the path."""
    name_b64: str | None = None
    """The exact name where it is not UTF-8."""
    is_dir: bool
    """It is a folder."""
    old_path: str | None = None
    """Where it was, when it came by a rename within what is watched."""
    old_path_b64: str | None = None
    """The exact old path where it is not UTF-8."""
    timestamp: str
    """When it was told, UTC."""


class FilesWatchOverflowEvent(Event):
    """Events were lost: list what you need to know."""

    event: Literal["overflow"] = "overflow"


class FilesWatchPartialEvent(Event):
    """Not all folders are covered any more."""

    event: Literal["partial"] = "partial"
    limit: str
    """The limit that is reached, or 'permission'."""
    uncovered: int
    """How many folders are not covered; with mode poll they are polled from now on."""
    mode: str
    """How the rest is watched from now on."""


class FilesWatchErrorEvent(Event):
    """What went wrong; the fields are those of an error's body."""

    event: Literal["error"] = "error"
    error: str
    """What went wrong."""
    wire_code: str
    """The error's dotted code."""
    code: str
    """The error's flat v1 code."""
    type: str
    """The error's type."""


class FilesWatchEndEvent(Event):
    """The stream is over."""

    event: Literal["end"] = "end"
    final: ClassVar[bool] = True
    reason: str
    """Why nothing comes behind this."""


FilesWatchEvent = Union[FilesWatchReadyEvent, FilesWatchEventEvent, FilesWatchOverflowEvent, FilesWatchPartialEvent, FilesWatchErrorEvent, FilesWatchEndEvent]
FilesWatchEvents: Mapping[str, type[FilesWatchEvent]] = {
    "ready": FilesWatchReadyEvent,
    "event": FilesWatchEventEvent,
    "overflow": FilesWatchOverflowEvent,
    "partial": FilesWatchPartialEvent,
    "error": FilesWatchErrorEvent,
    "end": FilesWatchEndEvent,
}


class FilesUploadResult(Model):
    """Write a whole file."""

    path: str
    """The file, behind its links."""
    path_b64: str | None = None
    """The exact path where it is not UTF-8."""
    bytes: int
    """How many were written."""
    etag: str
    """The tag of what was written, for If-Match."""


class FilesDownloadResult(Model):
    """Read a whole file."""

    path: str
    """The file."""
    path_b64: str | None = None
    """The exact path where it is not UTF-8."""
    content_base64: str
    """Its bytes."""


class FilesReadResult(Model):
    """Read a part of a file."""

    path: str
    """The file, behind its links."""
    path_b64: str | None = None
    """The exact path where it is not UTF-8."""
    content: str
    """The part of the file, in the encoding that was asked for."""
    size: int
    """Bytes of the whole file; of a file under /proc what was read."""
    bytes: int
    """How many of the file's bytes the content holds."""
    lines: int
    """How many lines the content has; a last one without a newline counts."""
    truncated: bool
    """Whether the file goes on behind the content."""
    lossy: bool = False
    """There when bytes of the text had to be replaced: encoding=base64 gives them."""
    etag: str
    """The tag of the file, for If-Match."""


class FilesWriteResult(Model):
    """Write a file, or to its end."""

    path: str
    """The file, behind its links."""
    path_b64: str | None = None
    """The exact path where it is not UTF-8."""
    bytes: int
    """How many were written."""
    etag: str
    """The tag of the file now, for If-Match."""


class FilesEditResult(Model):
    """Change parts of a file."""

    path: str
    """The file, behind its links."""
    path_b64: str | None = None
    """The exact path where it is not UTF-8."""
    replacements: int
    """How many places were changed; of a patch its hunks."""
    diff: str
    """What was changed, as a unified diff; empty when nothing was."""
    diff_cut: bool = False
    """There when the diff would be over 1 MiB, and is left out."""
    lossy: bool = False
    """There when bytes of the diff had to be replaced."""
    bytes: int
    """The length of the file now."""
    etag: str
    """The tag of the file now, for If-Match."""


class GrepMatch(Model):
    """The matches, sorted by path and line."""

    path: str
    """The absolute path."""
    path_b64: str | None = None
    """The exact path where it is not UTF-8."""
    line: int
    """The line, from 1."""
    column: int
    """Where in the line the match begins, in bytes from 1."""
    text: str
    """The line without its newline; of a long one 4096 bytes around the match."""
    cut: bool = False
    """There when the text is not the whole line."""
    lossy: bool = False
    """There when bytes of it or its context had to be replaced; files.read gives them exactly."""
    before: list[str] | None = None
    """The lines before it; only with context."""
    after: list[str] | None = None
    """The lines behind it; only with context."""


class GrepGivenUp(Model):
    """Files whose search ended early; at most 100 of them are named."""

    path: str
    """The absolute path."""
    path_b64: str | None = None
    """The exact path where it is not UTF-8."""
    timed_out: bool
    """True: the expression needed too many steps."""


class FilesGrepResult(Model):
    """Find lines in files."""

    path: str
    """The start, behind its links."""
    path_b64: str | None = None
    """The exact path where it is not UTF-8."""
    matches: list[GrepMatch]
    """The matches, sorted by path and line."""
    files_searched: int
    """How many files were searched."""
    files_skipped: int
    """How many were not: binary, unreadable, or no regular files."""
    files_given_up: list[GrepGivenUp] | None = None
    """Files whose search ended early; at most 100 of them are named."""
    truncated: bool
    """Whether there are more matches: of max_results, or of 8 MiB of answer."""
    timed_out: bool
    """Whether the timeout ended the search, or a file was given up."""


class FilesCopyResult(Model):
    """Copy a file or a folder."""

    source: str
    """What was copied."""
    source_b64: str | None = None
    """The exact path where it is not UTF-8."""
    destination: str
    """Where the copy is."""
    destination_b64: str | None = None
    """The exact path where it is not UTF-8."""
    entries: int
    """How many files, folders and links were copied."""
    bytes: int
    """The bytes of the files among them."""
    skipped: int
    """How many devices, FIFOs and sockets were left out."""


class SkippedEntry(Model):
    """What was left out or changed, the first 1000."""

    name: str
    """The entry's name in the archive."""
    name_b64: str | None = None
    """The exact name where it is not UTF-8."""
    reason: str
    """Why it, or a part of it, is not there."""


class FilesExtractResult(Model):
    """Fill a folder from an archive."""

    destination: str
    """The folder."""
    destination_b64: str | None = None
    """The exact path where it is not UTF-8."""
    entries: int
    """How many entries were written."""
    bytes: int
    """How many bytes of files were written; holes do not count."""
    merged: bool
    """The destination was there already and got the entries one by one."""
    owners_dropped: int
    """How many entries had another owner in the archive than they have now."""
    skipped_total: int
    """How many notes there are in all."""
    skipped: list[SkippedEntry]
    """What was left out or changed, the first 1000."""


class FilesChmodResult(Model):
    """Change permissions."""

    path: str
    """What was changed, behind its links."""
    path_b64: str | None = None
    """The exact path where it is not UTF-8."""
    mode: str
    """The permissions that it has now, as octal digits."""
    changed: int
    """How many entries got the mode."""


class CommandsRunResult(Model):
    """Run a command and answer when it has ended."""

    stdout: str
    """What the command wrote to standard output."""
    stderr: str
    """What it wrote to standard error."""
    exit_code: int
    """Its exit code; 128 and N when signal N ended it."""
    signal: str | None = None
    """The signal that ended it."""
    duration_ms: int
    """From its start to its end."""
    stdout_truncated: bool
    """Whether bytes of stdout are missing."""
    stderr_truncated: bool
    """Whether bytes of stderr are missing."""
    stdout_bytes: int
    """How many bytes of stdout there were in all."""
    stderr_bytes: int
    """How many bytes of stderr there were in all."""
    timeout: float
    """The timeout that was in force, in seconds; 0 none."""
    pid: int
    """Process id of the command."""
    background: bool = False
    """Something that it started still held a pipe at the answer."""
    lossy: bool = False
    """Bytes that are not UTF-8 were replaced: encoding=base64 gives them."""
    oom_killed: bool = False
    """The kernel ended it for want of memory."""


class CommandsStreamStartEvent(Event):
    """It runs."""

    event: Literal["start"] = "start"
    pid: int
    """Process id of the command."""


class CommandsStreamStdoutEvent(Event):
    """Output."""

    event: Literal["stdout"] = "stdout"
    data: str
    """The bytes, as text or base64."""
    lossy: bool = False
    """Bytes that are not UTF-8 were replaced."""


class CommandsStreamStderrEvent(Event):
    """Error output."""

    event: Literal["stderr"] = "stderr"
    data: str
    """The bytes, as text or base64."""
    lossy: bool = False
    """Bytes that are not UTF-8 were replaced."""


class CommandsStreamErrorEvent(Event):
    """What went wrong; the fields are those of an error's body."""

    event: Literal["error"] = "error"
    error: str
    """What went wrong."""
    wire_code: str
    """The error's dotted code."""
    code: str
    """The error's flat v1 code."""
    type: str
    """The error's type."""


class CommandsStreamExitEvent(Event):
    """It has ended; nothing comes behind this."""

    event: Literal["exit"] = "exit"
    final: ClassVar[bool] = True
    exit_code: int
    """Its exit code; 128 and N when signal N ended it."""
    signal: str | None = None
    """The signal that ended it."""
    duration_ms: int
    """From its start to its end."""
    background: bool = False
    """Something that it started still held a pipe."""
    oom_killed: bool = False
    """The kernel ended it for want of memory."""


CommandsStreamEvent = Union[CommandsStreamStartEvent, CommandsStreamStdoutEvent, CommandsStreamStderrEvent, CommandsStreamErrorEvent, CommandsStreamExitEvent]
CommandsStreamEvents: Mapping[str, type[CommandsStreamEvent]] = {
    "start": CommandsStreamStartEvent,
    "stdout": CommandsStreamStdoutEvent,
    "stderr": CommandsStreamStderrEvent,
    "error": CommandsStreamErrorEvent,
    "exit": CommandsStreamExitEvent,
}


class ProcessStartResult(Model):
    """Start a program that outlives the call."""

    id: str
    """What it is addressed by."""
    pid: int
    """Its process id, which addresses it too."""
    command: str
    """What was started, cut after 1024 bytes."""
    started_at: str
    """When it was started."""


class Process(Model):
    """All of them, in the order of their starts."""

    id: str
    """What it is addressed by."""
    pid: int
    """Process id; of an ended one it may belong to somebody else by now."""
    command: str
    """What was started, cut after 1024 bytes."""
    name: str | None
    """Its label."""
    state: str
    """Whether it runs."""
    started_at: str
    """When it was started."""
    ended_at: str | None = None
    """When it ended."""
    exit_code: int | None
    """Its exit code; 128 and N when signal N ended it; null while it runs."""
    signal: str | None = None
    """The signal that ended it."""
    timed_out: bool = False
    """It was ended by its timeout."""
    oom_killed: bool = False
    """The kernel ended it for want of memory."""
    descendants: int
    """How many processes that descend from it live, itself not counted."""
    cpu_seconds: float
    """Processor time of it and its living descendants."""
    rss_bytes: int
    """Memory that it and its descendants have resident now."""
    capture_output: bool
    """Whether its output can be read."""
    stdin_open: bool
    """Whether its standard input can be written to."""


class ProcessListResult(Model):
    """List processes."""

    processes: list[Process]
    """All of them, in the order of their starts."""


class ProcessRlimits(Model):
    """Limits of each process; those left out are the server's."""

    nofile: int | None = None
    """Descriptors."""
    core: int | None = None
    """Bytes of a core dump."""
    nproc: int | None = None
    """Processes of the user."""
    fsize: int | None = None
    """Bytes of a file."""
    cpu: int | None = None
    """Seconds of CPU."""
    as_: int | None = Field(default=None, alias="as")
    """Bytes of address space."""


class ProcessCgroup(Model):
    """Limits of it with all that it starts; those left out are not set."""

    own: bool
    """It and all that it starts have a cgroup of their own."""
    memory_max: int | None = None
    """Bytes of memory that they have together."""
    pids_max: int | None = None
    """How many processes they may be."""
    cpu_max: float | None = None
    """CPUs that they have together."""


class ProcessConfinement(Model):
    """What has been in force for it since its start."""

    filesystem: bool
    """The kernel holds it to the roots and to what programs need of the system."""
    signals: bool
    """It can signal only what it started itself."""
    network: str
    """inherit, none, or tcp_denied where only TCP could be closed."""
    no_new_privs: bool
    """No program that it starts gains privileges, as by setuid."""
    capabilities_dropped: bool
    """It has no capabilities, also as root."""
    user: str
    """Whose rights it has; the number where the user has no name."""
    uid: int
    """The user's number."""
    gid: int
    """The group's number."""
    rlimits: ProcessRlimits
    """Limits of each process; those left out are the server's."""
    cgroup: ProcessCgroup
    """Limits of it with all that it starts; those left out are not set."""


class ProcessGetResult(Model):
    """Look at one process."""

    id: str
    """What it is addressed by."""
    pid: int
    """Process id; of an ended one it may belong to somebody else by now."""
    command: str
    """What was started, cut after 1024 bytes."""
    name: str | None
    """Its label."""
    state: str
    """Whether it runs."""
    started_at: str
    """When it was started."""
    ended_at: str | None = None
    """When it ended."""
    exit_code: int | None
    """Its exit code; 128 and N when signal N ended it; null while it runs."""
    signal: str | None = None
    """The signal that ended it."""
    timed_out: bool = False
    """It was ended by its timeout."""
    oom_killed: bool = False
    """The kernel ended it for want of memory."""
    descendants: int
    """How many processes that descend from it live, itself not counted."""
    cpu_seconds: float
    """Processor time of it and its living descendants."""
    rss_bytes: int
    """Memory that it and its descendants have resident now."""
    capture_output: bool
    """Whether its output can be read."""
    stdin_open: bool
    """Whether its standard input can be written to."""
    confinement: ProcessConfinement
    """What has been in force for it since its start."""


class ProcessSignalResult(Model):
    """Send a signal to a process."""

    pid: int
    """Process id."""
    signal: str
    """Name of the signal that was sent."""


class ProcessStdinResult(Model):
    """Write to a process's standard input."""

    pid: int
    """Process id."""
    bytes: int
    """How many bytes were written."""


class OutputChunk(Model):
    """What was written, in its order."""

    stream: str
    """Where the process wrote it."""
    offset: int
    """Offset of its first byte."""
    data: str
    """The bytes, as text or base64."""
    lossy: bool = False
    """Bytes that are not UTF-8 were replaced: encoding=base64 gives them."""


class ProcessOutputResult(Model):
    """Read what a process wrote, from an offset on."""

    pid: int
    """Process id."""
    chunks: list[OutputChunk]
    """What was written, in its order."""
    since: int
    """The offset that was asked for."""
    next: int
    """Where to go on reading."""
    dropped: int
    """How many of the bytes asked for were older than what is kept, and are gone."""
    eof: bool
    """Whether nothing will come behind 'next'."""
    state: str
    """Whether the process runs."""
    exit_code: int | None
    """Its exit code; 128 and N when signal N ended it; null while it runs."""
    signal: str | None = None
    """The signal that ended it."""
    timed_out: bool = False
    """It was ended by its timeout."""
    oom_killed: bool = False
    """The kernel ended it for want of memory."""


class ProcessFollowChunkEvent(Event):
    """Output."""

    event: Literal["chunk"] = "chunk"
    stream: str
    """Where the process wrote it."""
    offset: int
    """Offset of its first byte."""
    data: str
    """The bytes, as text or base64."""
    lossy: bool = False
    """Bytes that are not UTF-8 were replaced."""


class ProcessFollowGapEvent(Event):
    """Output that was dropped before this reader came to it."""

    event: Literal["gap"] = "gap"
    from_: int = Field(alias="from")
    """Offset of the first byte that is gone."""
    to: int
    """Offset of the next one that is there."""
    dropped: int
    """How many bytes are gone."""


class ProcessFollowErrorEvent(Event):
    """What went wrong; the fields are those of an error's body."""

    event: Literal["error"] = "error"
    error: str
    """What went wrong."""
    wire_code: str
    """The error's dotted code."""
    code: str
    """The error's flat v1 code."""
    type: str
    """The error's type."""


class ProcessFollowExitEvent(Event):
    """It has ended; nothing comes behind this."""

    event: Literal["exit"] = "exit"
    final: ClassVar[bool] = True
    exit_code: int
    """Its exit code; 128 and N when signal N ended it."""
    signal: str | None = None
    """The signal that ended it."""
    duration_ms: int
    """From its start to its end."""
    background: bool = False
    """Something that it started still held a pipe."""
    timed_out: bool = False
    """It was ended by its timeout."""
    oom_killed: bool = False
    """The kernel ended it for want of memory."""


ProcessFollowEvent = Union[ProcessFollowChunkEvent, ProcessFollowGapEvent, ProcessFollowErrorEvent, ProcessFollowExitEvent]
ProcessFollowEvents: Mapping[str, type[ProcessFollowEvent]] = {
    "chunk": ProcessFollowChunkEvent,
    "gap": ProcessFollowGapEvent,
    "error": ProcessFollowErrorEvent,
    "exit": ProcessFollowExitEvent,
}


class TerminalCreateResult(Model):
    """Start a program on a terminal."""

    session_id: str
    """The session's id."""
    ws_url: str
    """Where to attach: with a ticket that opens this session once within 60 seconds."""
    pid: int
    """Process id of the program."""


class TerminalSession(Model):
    """In the order of their creation."""

    id: str
    """The session's id."""
    pid: int
    """Process id of its program."""
    created_at: str
    """When it was created."""
    cols: int
    """Columns."""
    rows: int
    """Rows."""
    alive: bool
    """Whether its program still runs."""
    clients: int
    """How many are attached."""
    exit_code: int | None
    """How it ended; 128 and N when signal N ended it; null while it runs."""
    signal: str | None = None
    """The signal that ended it."""


class TerminalListResult(Model):
    """List the terminal sessions."""

    sessions: list[TerminalSession]
    """In the order of their creation."""


class TerminalGetResult(Model):
    """Tell about one terminal session."""

    id: str
    """The session's id."""
    pid: int
    """Process id of its program."""
    created_at: str
    """When it was created."""
    cols: int
    """Columns."""
    rows: int
    """Rows."""
    alive: bool
    """Whether its program still runs."""
    clients: int
    """How many are attached."""
    exit_code: int | None
    """How it ended; 128 and N when signal N ended it; null while it runs."""
    signal: str | None = None
    """The signal that ended it."""


class TerminalResizeResult(Model):
    """Change the size of a terminal."""

    session_id: str
    """The session's id."""
    cols: int
    """Columns, as they are now."""
    rows: int
    """Rows, as they are now."""


class TerminalDeleteResult(Model):
    """End a terminal session."""

    status: str
    """\"closed\"."""
    session_id: str
    """The session's id."""


class SystemInfoResult(Model):
    """Tell what the sandbox is made of."""

    os: str
    """The system's name."""
    arch: str
    """The machine's kind."""
    kernel: str
    """The kernel's release."""
    distro: str | None
    """The distribution."""
    hostname: str
    """The host's name."""
    cpu_count: int
    """CPUs that may be used at once, the quota rounded up."""
    host_cpu_count: int
    """CPUs of the machine."""
    cpu_quota: float | None
    """The cgroup's quota in CPUs; null: none."""
    memory_total_mb: float | None
    """MiB that may be used: the cgroup's limit, or the machine's memory."""
    memory_available_mb: float | None
    """MiB of it that are not in use."""
    memory_limit_mb: float | None
    """The cgroup's limit in MiB; null: none."""
    host_memory_total_mb: float | None
    """MiB of the machine."""
    disk_total_gb: float | None
    """GiB of the file system of the base directory."""
    disk_free_gb: float | None
    """GiB of it that can be written."""
    python_version: str | None
    """Of python3; null: there is none."""
    node_version: str | None
    """Of Node.js; null: there is none."""
    container: str | None
    """The kind of container, docker for example; null: no sign of one."""
    uptime_seconds: float | None
    """Since the sandbox's first process began."""


class NetworkFigures(Model):
    """The network."""

    rx_bytes: int | None
    """Bytes received, loopback apart."""
    tx_bytes: int | None
    """Bytes sent, loopback apart."""


class SystemMetricsResult(Model):
    """Tell how much of the sandbox is in use now."""

    cpu_load_1m: float | None
    """Load average of one minute."""
    cpu_load_5m: float | None
    """Load average of five minutes."""
    cpu_load_15m: float | None
    """Load average of fifteen minutes."""
    cpu_percent: float | None
    """Use of the CPU just now: of the quota where there is one, else of all CPUs."""
    memory_used_mb: float | None
    """MiB in use, without page cache."""
    memory_total_mb: float | None
    """MiB that may be used: the cgroup's limit, or the machine's memory."""
    memory_cache_mb: float | None
    """MiB of page cache, which is given back when memory is short."""
    memory_percent: float | None
    """Share of the memory that is in use."""
    disk_used_gb: float | None
    """GiB in use on the file system of the base directory."""
    disk_total_gb: float | None
    """GiB that it has."""
    disk_percent: float | None
    """Share of it that is in use."""
    uptime_seconds: float | None
    """Since the sandbox's first process began."""
    processes: int | None
    """Processes that can be seen."""
    open_sessions: int
    """Terminal sessions."""
    network: NetworkFigures
    """The network."""


class SystemEnvGetResult(Model):
    """Show the variables that programs are started with."""

    variables: dict[str, str]
    """The variables by name."""
    lossy: bool = False
    """Bytes that are not UTF-8 were replaced."""


class SystemEnvSetResult(Model):
    """Set variables for the programs that are started from now on."""

    updated: list[str]
    """The names, in the order given."""


class ListeningPort(Model):
    """TCP listeners and bound UDP sockets, by port."""

    port: int
    """The port."""
    protocol: str
    """A dual-stack socket stands under IPv6."""
    address: str
    """The address that it is bound to."""
    pid: int | None
    """Whose it is; null where that cannot be seen."""
    process: str | None
    """The program's name."""


class SystemPortsResult(Model):
    """List the ports that somebody listens on."""

    listening: list[ListeningPort]
    """TCP listeners and bound UDP sockets, by port."""
    truncated: bool
    """Whether there are more than are listed."""


class Package(Model):
    """Empty where there is no such manager."""

    name: str
    """Its name."""
    version: str
    """Its version."""


class SystemPackagesResult(Model):
    """List the packages that a package manager has installed."""

    manager: str
    """Whose packages these are."""
    packages: list[Package]
    """Empty where there is no such manager."""


class SystemPrometheusResult(Model):
    """Give the figures of the sandbox and of the server as Prometheus reads them."""

    text: str
    """The whole text."""


class DevtoolsCodeRunResult(Model):
    """Run a piece of code and answer when it has ended."""

    stdout: str
    """What the code wrote to standard output."""
    stderr: str
    """What it wrote to standard error."""
    exit_code: int
    """The interpreter's exit code; 128 and N when signal N ended it."""
    signal: str | None = None
    """The signal that ended it."""
    language: str
    """The language."""
    execution_time_ms: int
    """From its start to its end."""
    stdout_truncated: bool
    """Whether bytes of stdout are missing."""
    stderr_truncated: bool
    """Whether bytes of stderr are missing."""
    stdout_bytes: int
    """How many bytes of stdout there were in all."""
    stderr_bytes: int
    """How many bytes of stderr there were in all."""
    timeout: float
    """The timeout that was in force, in seconds; 0 none."""
    background: bool = False
    """Something that it started still held a pipe at the answer."""
    lossy: bool = False
    """Bytes that are not UTF-8 were replaced."""
    oom_killed: bool = False
    """The kernel ended it for want of memory."""


class GitFile(Model):
    """What differs; a file that differs in the index and in the folder stands there twice."""

    path: str
    """The file, relative to the repository's root."""
    path_b64: str | None = None
    """The exact path where it is not UTF-8."""
    status: str
    """What happened to it."""
    staged: bool
    """Whether this is in the index, and not only in the folder."""
    old_path: str | None = None
    """Where it was, of one renamed or copied."""
    old_path_b64: str | None = None
    """The exact old path where it is not UTF-8."""


class DevtoolsGitStatusResult(Model):
    """Tell which files of a git repository differ, and where its branch stands."""

    root: str
    """The repository's root: what paths are relative to."""
    root_b64: str | None = None
    """The exact root where it is not UTF-8."""
    branch: str | None
    """The branch; null when HEAD is detached."""
    upstream: str | None
    """The branch that it follows; null where there is none."""
    commit: str | None
    """The commit of HEAD; null when there is none yet."""
    ahead: int
    """Commits that the upstream does not have."""
    behind: int
    """Commits that only the upstream has."""
    clean: bool
    """Whether nothing differs."""
    files: list[GitFile]
    """What differs; a file that differs in the index and in the folder stands there twice."""
    truncated: bool
    """Whether more files differ than are listed."""


class GitStats(Model):
    """The figures of all of it."""

    files_changed: int
    """How many files changed."""
    insertions: int
    """Lines that were added."""
    deletions: int
    """Lines that were taken away."""


class DevtoolsGitDiffResult(Model):
    """Show what changed in a git repository."""

    root: str
    """The repository's root: what paths are relative to."""
    root_b64: str | None = None
    """The exact root where it is not UTF-8."""
    diff: str
    """The patch, at most 1 MiB of it."""
    stats: GitStats
    """The figures of all of it."""
    truncated: bool
    """Whether the patch goes on."""
    lossy: bool = False
    """Bytes of the patch that are not UTF-8 were replaced: it cannot be applied."""


class BrowserNavigateResult(Model):
    """Go to an address and wait until the page is there."""

    url: str
    """Where the page is, after redirects."""
    title: str
    """Its title."""
    status: int | None
    """The HTTP status of the main document; null where there was no HTTP."""


class BrowserScreenshotResult(Model):
    """Take a picture of the page or of one element."""

    image_base64: str
    """The picture."""
    width: int
    """Its width in pixels."""
    height: int
    """Its height in pixels."""


class BrowserContentResult(Model):
    """Read the page as HTML or text."""

    content: str
    """The content."""
    url: str
    """Where the page is."""
    title: str
    """Its title."""


class BrowserClickResult(Model):
    """Click on an element."""

    clicked: bool
    """Always true."""
    selector: str
    """The selector."""


class BrowserTypeResult(Model):
    """Type text into an element."""

    typed: bool
    """Always true."""
    selector: str
    """The selector."""
    text: str
    """The text."""


class BrowserEvaluateResult(Model):
    """Run a script in the page and answer with its value."""

    result: Any
    """The value as JSON; undefined is null."""


class BrowserPdfResult(Model):
    """Print the page as a PDF document."""

    pdf_base64: str
    """The document."""
    pages: int
    """How many pages it has."""


class BrowserLog(Model):
    """The oldest first, at most the last 1000."""

    type: str
    """log, info, warning, error, debug and so on of the console; exception, dialog, download, crash."""
    text: str
    """What was said."""
    timestamp: str
    """When."""


class BrowserConsoleResult(Model):
    """Read what the page has written to its console."""

    logs: list[BrowserLog]
    """The oldest first, at most the last 1000."""


ERRORS: Mapping[str, ErrorRow] = {
    "auth.missing_credentials": ErrorRow(401, "unauthorized", "AuthError", "ServerAuthError", "E3101"),
    "auth.invalid_token": ErrorRow(401, "unauthorized", "AuthError", "ServerAuthError", "E3101"),
    "auth.token_expired": ErrorRow(401, "token_expired", "AuthError", "ServerAuthError", "E3101"),
    "auth.conflicting_credentials": ErrorRow(401, "conflicting_credentials", "AuthError", "ServerAuthError", "E3101"),
    "policy.scope_denied": ErrorRow(403, "scope_denied", "PermissionError", "PolicyDeniedError", "E3102"),
    "policy.origin_denied": ErrorRow(403, "origin_denied", "PermissionError", "PolicyDeniedError", "E3102"),
    "policy.command_denied": ErrorRow(403, "command_not_allowed", "PermissionError", "PolicyDeniedError", "E3102"),
    "policy.env_denied": ErrorRow(403, "env_protected", "PermissionError", "PolicyDeniedError", "E3102"),
    "policy.signal_denied": ErrorRow(403, "signal_not_allowed", "PermissionError", "PolicyDeniedError", "E3102"),
    "policy.host_denied": ErrorRow(403, "host_not_allowed", "PermissionError", "PolicyDeniedError", "E3102"),
    "policy.path_denied": ErrorRow(403, "path_not_allowed", "PermissionError", "FilePolicyDeniedError", "E3104"),
    "policy.path_readonly": ErrorRow(403, "path_readonly", "PermissionError", "FilePolicyDeniedError", "E3104"),
    "op.not_enabled": ErrorRow(404, "endpoint_disabled", "NotFoundError", "OperationNotEnabledError", "E3103"),
    "op.unknown": ErrorRow(404, "not_found", "NotFoundError", "ContractMismatchError", "E3110"),
    "op.method_not_allowed": ErrorRow(405, "method_not_allowed", "ValueError", "ContractMismatchError", "E3110"),
    "custom.unknown_command": ErrorRow(404, "unknown_command", "ValueError", "CommandNotFoundError", "E3005"),
    "custom.failed": ErrorRow(500, "command_failed", "CommandError", "ExecutionError", "E3000"),
    "limit.body_too_large": ErrorRow(413, "too_large", "ResourceError", "LimitExceededError", "E3105"),
    "limit.file_too_large": ErrorRow(413, "too_large", "ResourceError", "LimitExceededError", "E3105"),
    "limit.too_many": ErrorRow(429, "too_many", "ResourceError", "LimitExceededError", "E3105"),
    "limit.rate": ErrorRow(429, "rate_limited", "ResourceError", "LimitExceededError", "E3105"),
    "runtime.unavailable": ErrorRow(503, "runtime_unavailable", "RuntimeError", "ServerUnavailableError", "E3108"),
    "server.shutting_down": ErrorRow(503, "unavailable", "RuntimeError", "ServerUnavailableError", "E3108"),
    "server.busy": ErrorRow(503, "unavailable", "RuntimeError", "ServerUnavailableError", "E3108"),
    "server.internal": ErrorRow(500, "internal", "InternalError", "ServerInternalError", "E3109"),
    "http.bad_request": ErrorRow(400, "bad_request", "ValueError", "ServerAPIError", "E3100"),
    "http.timeout": ErrorRow(408, "bad_request", "ValueError", "ServerAPIError", "E3100"),
    "http.uri_too_long": ErrorRow(414, "bad_request", "ValueError", "ServerAPIError", "E3100"),
    "http.expectation": ErrorRow(417, "bad_request", "ValueError", "ServerAPIError", "E3100"),
    "http.headers_too_large": ErrorRow(431, "bad_request", "ValueError", "ServerAPIError", "E3100"),
    "http.upgrade_required": ErrorRow(426, "bad_request", "ValueError", "ServerAPIError", "E3100"),
    "http.not_implemented": ErrorRow(501, "bad_request", "ValueError", "ServerAPIError", "E3100"),
    "http.version": ErrorRow(505, "bad_request", "ValueError", "ServerAPIError", "E3100"),
    "args.invalid": ErrorRow(400, "invalid_argument", "ValueError", "ServerArgumentError", "E3111"),
    "args.unknown": ErrorRow(400, "invalid_argument", "ValueError", "ServerArgumentError", "E3111"),
    "args.missing": ErrorRow(400, "invalid_argument", "ValueError", "ServerArgumentError", "E3111"),
    "args.invalid_json": ErrorRow(400, "invalid_argument", "ValueError", "ServerArgumentError", "E3111"),
    "args.unsupported_media_type": ErrorRow(415, "invalid_argument", "ValueError", "ServerArgumentError", "E3111"),
    "args.idempotency_mismatch": ErrorRow(409, "invalid_argument", "ValueError", "ServerArgumentError", "E3111"),
    "files.not_found": ErrorRow(404, "file_not_found", "FileNotFoundError", "FileNotFoundError_", "E4001"),
    "files.exists": ErrorRow(409, "conflict", "FileExistsError", "FileOperationError", "E4000"),
    "files.not_a_directory": ErrorRow(409, "conflict", "NotADirectoryError", "FileOperationError", "E4000"),
    "files.is_a_directory": ErrorRow(409, "conflict", "IsADirectoryError", "FileOperationError", "E4000"),
    "files.not_empty": ErrorRow(409, "conflict", "OSError", "FileOperationError", "E4000"),
    "files.busy": ErrorRow(409, "conflict", "OSError", "FileOperationError", "E4000"),
    "files.not_regular": ErrorRow(409, "conflict", "OSError", "FileOperationError", "E4000"),
    "files.changed": ErrorRow(412, "precondition_failed", "OSError", "FileOperationError", "E4000"),
    "files.permission_denied": ErrorRow(403, "os_permission_denied", "PermissionError", "PermissionDeniedError", "E4002"),
    "files.no_space": ErrorRow(507, "no_space", "OSError", "FileOperationError", "E4000"),
    "files.io": ErrorRow(500, "io_error", "OSError", "FileOperationError", "E4000"),
    "files.no_match": ErrorRow(409, "conflict", "OSError", "FileOperationError", "E4000"),
    "files.range": ErrorRow(416, "invalid_range", "ValueError", "ServerArgumentError", "E3111"),
    "commands.timeout": ErrorRow(408, "timeout", "TimeoutError", "CommandTimeoutError", "E3001"),
    "commands.cannot_start": ErrorRow(400, "cannot_start", "ProcessError", "ExecutionError", "E3000"),
    "process.not_found": ErrorRow(404, "process_not_found", "NotFoundError", "ServerAPIError", "E3100"),
    "process.exited": ErrorRow(409, "already_exited", "ProcessError", "ServerAPIError", "E3100"),
    "process.no_stdin": ErrorRow(409, "no_stdin", "ProcessError", "ServerAPIError", "E3100"),
    "process.stdin_closed": ErrorRow(409, "stdin_closed", "ProcessError", "ServerAPIError", "E3100"),
    "process.not_captured": ErrorRow(409, "not_captured", "ProcessError", "ServerAPIError", "E3100"),
    "terminal.not_found": ErrorRow(404, "session_not_found", "NotFoundError", "ServerAPIError", "E3100"),
    "terminal.closed": ErrorRow(409, "session_closed", "ProcessError", "ServerAPIError", "E3100"),
    "git.failed": ErrorRow(400, "git_failed", "GitError", "ServerAPIError", "E3100"),
    "browser.timeout": ErrorRow(408, "browser_timeout", "BrowserError", "ServerAPIError", "E3100"),
    "browser.not_found": ErrorRow(404, "element_not_found", "BrowserError", "ServerAPIError", "E3100"),
    "browser.failed": ErrorRow(502, "browser_failed", "BrowserError", "ServerAPIError", "E3100"),
    "browser.crashed": ErrorRow(502, "browser_crashed", "BrowserError", "ServerAPIError", "E3100"),
}


_CATALOG: list[dict[str, Any]] = [
    {"id": "core.health", "endpoint": "health", "group": "core", "scope": None, "kind": "json", "method": "GET", "path": "/health", "since": "0.1.0", "effects": {"reads": True, "writes": False, "runs": False, "idempotent": True}, "params": [], "one_of": [], "limits": []},
    {"id": "core.capabilities", "endpoint": "capabilities", "group": "core", "scope": "core:read", "kind": "json", "method": "GET", "path": "/capabilities", "since": "0.1.0", "effects": {"reads": True, "writes": False, "runs": False, "idempotent": True}, "params": [], "one_of": [], "limits": []},
    {"id": "core.check", "endpoint": "capabilities_check", "group": "core", "scope": "core:read", "kind": "json", "method": "POST", "path": "/capabilities/check", "since": "0.1.0", "effects": {"reads": True, "writes": False, "runs": False, "idempotent": True}, "params": [{"name": "op", "in": "body", "type": "string", "required": False}, {"name": "endpoint", "in": "body", "type": "string", "required": False}, {"name": "path", "in": "body", "type": "string", "required": False}, {"name": "paths", "in": "body", "type": "array", "required": False, "items": {"type": "string"}}, {"name": "args", "in": "body", "type": "any", "required": False}, {"name": "checks", "in": "body", "type": "array", "required": False, "items": {"type": "object", "name": "Check", "fields": [{"name": "op", "type": "string", "required": False}, {"name": "endpoint", "type": "string", "required": False}, {"name": "path", "type": "string", "required": False}, {"name": "paths", "type": "array", "required": False, "items": {"type": "string"}}, {"name": "args", "type": "any", "required": False}]}}], "one_of": [["op", "endpoint", "checks"]], "limits": []},
    {"id": "core.describe", "endpoint": None, "group": "core", "scope": "core:read", "kind": "json", "method": "GET", "path": "/ops", "also": "/ops/{id}", "since": "0.1.0", "effects": {"reads": True, "writes": False, "runs": False, "idempotent": True}, "params": [{"name": "id", "in": "path", "type": "string", "required": False}], "one_of": [], "limits": []},
    {"id": "core.openapi", "endpoint": None, "group": "core", "scope": "core:read", "kind": "json", "method": "GET", "path": "/openapi.json", "since": "0.1.0", "effects": {"reads": True, "writes": False, "runs": False, "idempotent": True}, "params": [], "one_of": [], "limits": []},
    {"id": "core.reload", "endpoint": None, "group": "core", "scope": "admin", "kind": "json", "method": "POST", "path": "/reload", "since": "0.1.0", "effects": {"reads": False, "writes": True, "runs": False, "idempotent": True}, "params": [], "one_of": [], "limits": []},
    {"id": "custom.list", "endpoint": "list_commands", "group": "commands", "scope": "commands:list", "kind": "json", "method": "GET", "path": "/commands", "since": "0.1.0", "effects": {"reads": True, "writes": False, "runs": False, "idempotent": True}, "params": [], "one_of": [], "limits": []},
    {"id": "files.list", "endpoint": "files_list", "group": "file_ops", "scope": "files:read", "kind": "json", "method": "GET", "path": "/files/list", "since": "0.1.0", "effects": {"reads": True, "writes": False, "runs": False, "idempotent": True}, "params": [{"name": "path", "in": "query", "type": "path", "required": True, "b64": "path_b64"}, {"name": "recursive", "in": "query", "type": "boolean", "required": False, "default": False}, {"name": "depth", "in": "query", "type": "integer", "required": False, "default": 3, "minimum": 1, "maximum": 64}, {"name": "max_entries", "in": "query", "type": "integer", "required": False, "default": 1000, "minimum": 1, "maximum": 100000}, {"name": "hidden", "in": "query", "type": "boolean", "required": False, "default": True}], "one_of": [], "limits": []},
    {"id": "files.stat", "endpoint": "files_stat", "group": "file_ops", "scope": "files:read", "kind": "json", "method": "GET", "path": "/files/stat", "since": "0.1.0", "effects": {"reads": True, "writes": False, "runs": False, "idempotent": True}, "params": [{"name": "path", "in": "query", "type": "path", "required": True, "b64": "path_b64"}, {"name": "follow", "in": "query", "type": "boolean", "required": False, "default": True}], "one_of": [], "limits": []},
    {"id": "files.mkdir", "endpoint": "files_mkdir", "group": "file_ops", "scope": "files:write", "kind": "json", "method": "POST", "path": "/files/mkdir", "since": "0.1.0", "effects": {"reads": False, "writes": True, "runs": False, "idempotent": True}, "params": [{"name": "path", "in": "body", "type": "path", "required": True, "b64": "path_b64"}, {"name": "parents", "in": "body", "type": "boolean", "required": False, "default": True}, {"name": "mode", "in": "body", "type": "string", "required": False}], "one_of": [], "limits": []},
    {"id": "files.delete", "endpoint": "files_delete", "group": "file_ops", "scope": "files:write", "kind": "json", "method": "DELETE", "path": "/files", "since": "0.1.0", "effects": {"reads": False, "writes": True, "runs": False, "idempotent": False}, "params": [{"name": "path", "in": "query", "type": "path", "required": True, "b64": "path_b64"}, {"name": "recursive", "in": "query", "type": "boolean", "required": False, "default": True}], "one_of": [], "limits": []},
    {"id": "files.move", "endpoint": "files_move", "group": "file_ops", "scope": "files:write", "kind": "json", "method": "POST", "path": "/files/move", "since": "0.1.0", "effects": {"reads": False, "writes": True, "runs": False, "idempotent": False}, "params": [{"name": "source", "in": "body", "type": "path", "required": True, "b64": "source_b64"}, {"name": "destination", "in": "body", "type": "path", "required": True, "b64": "destination_b64"}, {"name": "overwrite", "in": "body", "type": "boolean", "required": False, "default": True}, {"name": "parents", "in": "body", "type": "boolean", "required": False, "default": False}], "one_of": [], "limits": []},
    {"id": "files.search", "endpoint": "files_search", "group": "file_ops", "scope": "files:read", "kind": "json", "method": "POST", "path": "/files/search", "since": "0.1.0", "effects": {"reads": True, "writes": False, "runs": False, "idempotent": True}, "params": [{"name": "path", "in": "body", "type": "path", "required": True, "b64": "path_b64"}, {"name": "pattern", "in": "body", "type": "string", "required": True}, {"name": "max_depth", "in": "body", "type": "integer", "required": False, "default": 5, "minimum": 1, "maximum": 100000}, {"name": "max_results", "in": "body", "type": "integer", "required": False, "default": 100, "minimum": 1, "maximum": 100000}, {"name": "type", "in": "body", "type": "choice", "required": False, "default": "any", "choices": ["any", "file", "directory", "symlink", "other"]}, {"name": "hidden", "in": "body", "type": "boolean", "required": False, "default": True}, {"name": "timeout", "in": "body", "type": "number", "required": False, "default": 10, "minimum": 0, "maximum": 3600}], "one_of": [], "limits": []},
    {"id": "files.upload_stream", "endpoint": "files_upload_stream", "group": "file_ops", "scope": "files:write", "kind": "raw", "method": "POST", "path": "/files/upload-stream", "since": "0.1.0", "effects": {"reads": False, "writes": True, "runs": False, "idempotent": False}, "params": [{"name": "path", "in": "body", "type": "path", "required": True, "b64": "path_b64"}, {"name": "content_base64", "in": "body", "type": "bytes", "required": False}, {"name": "mode", "in": "body", "type": "string", "required": False}, {"name": "create_only", "in": "body", "type": "boolean", "required": False, "default": False}, {"name": "parents", "in": "body", "type": "boolean", "required": False, "default": False}], "one_of": [], "raw": {"request": True, "response": False, "multipart": True, "media_type": None}, "limits": [{"name": "max_bytes", "default": 104857600, "cap": 1125899906842624, "error": "limit.file_too_large"}, {"name": "max_files", "default": 100, "cap": 1000, "error": "limit.file_too_large"}]},
    {"id": "files.download_stream", "endpoint": "files_download_stream", "group": "file_ops", "scope": "files:read", "kind": "raw", "method": "GET", "path": "/files/download-stream", "since": "0.1.0", "effects": {"reads": True, "writes": False, "runs": False, "idempotent": True}, "params": [{"name": "path", "in": "query", "type": "path", "required": True, "b64": "path_b64"}], "one_of": [], "raw": {"request": False, "response": True, "media_type": "application/octet-stream"}, "limits": [{"name": "max_bytes", "default": 104857600, "cap": 104857600, "error": "limit.file_too_large"}]},
    {"id": "files.archive", "endpoint": "files_archive", "group": "file_ops", "scope": "files:read", "kind": "raw", "method": "POST", "path": "/files/archive", "since": "0.1.0", "effects": {"reads": True, "writes": False, "runs": False, "idempotent": False}, "params": [{"name": "paths", "in": "body", "type": "array", "required": True, "b64": "paths_b64", "items": {"type": "path"}}, {"name": "format", "in": "body", "type": "choice", "required": False, "default": "tar.gz", "choices": ["tar", "tar.gz", "tar.zst", "zip"]}], "one_of": [], "raw": {"request": False, "response": True, "media_type": "application/octet-stream"}, "limits": [{"name": "max_files", "default": 10000, "cap": 10000, "error": "limit.file_too_large"}, {"name": "max_bytes", "default": 104857600, "cap": 104857600, "error": "limit.file_too_large"}]},
    {"id": "files.watch", "endpoint": "files_watch", "group": "file_ops", "scope": "files:read", "kind": "sse", "method": "GET", "path": "/files/watch", "since": "0.1.0", "effects": {"reads": True, "writes": False, "runs": False, "idempotent": True}, "params": [{"name": "path", "in": "query", "type": "path", "required": True, "b64": "path_b64"}, {"name": "recursive", "in": "query", "type": "boolean", "required": False, "default": False}, {"name": "timeout", "in": "query", "type": "number", "required": False, "default": 0, "minimum": 0, "maximum": 1000000000}, {"name": "max_events", "in": "query", "type": "integer", "required": False, "default": 0, "minimum": 0, "maximum": 9007199254740991}, {"name": "mode", "in": "query", "type": "choice", "required": False, "default": "auto", "choices": ["auto", "inotify", "poll"]}, {"name": "poll_ms", "in": "query", "type": "integer", "required": False, "default": 500, "minimum": 10, "maximum": 3600000}], "one_of": [], "limits": []},
    {"id": "files.upload", "endpoint": "upload", "group": "file_ops", "scope": "files:write", "kind": "raw", "method": "POST", "path": "/upload", "since": "0.1.0", "effects": {"reads": False, "writes": True, "runs": False, "idempotent": False}, "params": [{"name": "path", "in": "body", "type": "path", "required": True, "b64": "path_b64"}, {"name": "content_base64", "in": "body", "type": "bytes", "required": False}, {"name": "mode", "in": "body", "type": "string", "required": False}, {"name": "create_only", "in": "body", "type": "boolean", "required": False, "default": False}, {"name": "parents", "in": "body", "type": "boolean", "required": False, "default": False}], "one_of": [], "raw": {"request": True, "response": False, "media_type": None}, "limits": [{"name": "max_bytes", "default": 104857600, "cap": 1125899906842624, "error": "limit.file_too_large"}]},
    {"id": "files.download", "endpoint": "download", "group": "file_ops", "scope": "files:read", "kind": "raw", "method": "GET", "path": "/download", "since": "0.1.0", "effects": {"reads": True, "writes": False, "runs": False, "idempotent": True}, "params": [{"name": "path", "in": "query", "type": "path", "required": True, "b64": "path_b64"}], "one_of": [], "raw": {"request": False, "response": True, "media_type": "application/octet-stream"}, "limits": [{"name": "max_bytes", "default": 104857600, "cap": 104857600, "error": "limit.file_too_large"}]},
    {"id": "files.read", "endpoint": None, "group": "file_ops", "scope": "files:read", "kind": "raw", "method": "GET", "path": "/files/read", "since": "0.1.0", "effects": {"reads": True, "writes": False, "runs": False, "idempotent": True}, "params": [{"name": "path", "in": "query", "type": "path", "required": True, "b64": "path_b64"}, {"name": "offset", "in": "query", "type": "integer", "required": False, "default": 0, "minimum": 0, "maximum": 9007199254740991}, {"name": "limit", "in": "query", "type": "integer", "required": False, "minimum": 1, "maximum": 9007199254740991}, {"name": "encoding", "in": "query", "type": "choice", "required": False, "default": "utf-8", "choices": ["utf-8", "base64", "bytes"]}, {"name": "lines", "in": "query", "type": "string", "required": False}], "one_of": [], "raw": {"request": False, "response": True, "media_type": "application/octet-stream"}, "limits": [{"name": "max_bytes", "default": 10485760, "cap": 104857600, "error": None}]},
    {"id": "files.write", "endpoint": None, "group": "file_ops", "scope": "files:write", "kind": "raw", "method": "PUT", "path": "/files/write", "since": "0.1.0", "effects": {"reads": False, "writes": True, "runs": False, "idempotent": False}, "params": [{"name": "path", "in": "body", "type": "path", "required": True, "b64": "path_b64"}, {"name": "content", "in": "body", "type": "string", "required": False}, {"name": "content_base64", "in": "body", "type": "bytes", "required": False}, {"name": "append", "in": "body", "type": "boolean", "required": False, "default": False}, {"name": "create_only", "in": "body", "type": "boolean", "required": False, "default": False}, {"name": "mode", "in": "body", "type": "string", "required": False}, {"name": "parents", "in": "body", "type": "boolean", "required": False, "default": False}], "one_of": [], "raw": {"request": True, "response": False, "media_type": None}, "limits": [{"name": "max_bytes", "default": 104857600, "cap": 1125899906842624, "error": "limit.file_too_large"}]},
    {"id": "files.edit", "endpoint": None, "group": "file_ops", "scope": "files:write", "kind": "json", "method": "POST", "path": "/files/edit", "since": "0.1.0", "effects": {"reads": False, "writes": True, "runs": False, "idempotent": False}, "params": [{"name": "path", "in": "body", "type": "path", "required": True, "b64": "path_b64"}, {"name": "edits", "in": "body", "type": "array", "required": False, "items": {"type": "object", "name": "Edit", "fields": [{"name": "old", "type": "string", "required": True}, {"name": "new", "type": "string", "required": True}, {"name": "count", "type": "integer", "required": False}]}}, {"name": "patch", "in": "body", "type": "string", "required": False}], "one_of": [["edits", "patch"]], "limits": [{"name": "max_bytes", "default": 16777216, "cap": 104857600, "error": "limit.file_too_large"}]},
    {"id": "files.grep", "endpoint": None, "group": "file_ops", "scope": "files:read", "kind": "json", "method": "POST", "path": "/files/grep", "since": "0.1.0", "effects": {"reads": True, "writes": False, "runs": False, "idempotent": True}, "params": [{"name": "path", "in": "body", "type": "path", "required": True, "b64": "path_b64"}, {"name": "pattern", "in": "body", "type": "string", "required": True}, {"name": "glob", "in": "body", "type": "string", "required": False}, {"name": "ignore_case", "in": "body", "type": "boolean", "required": False, "default": False}, {"name": "literal", "in": "body", "type": "boolean", "required": False, "default": False}, {"name": "context", "in": "body", "type": "integer", "required": False, "default": 0, "minimum": 0, "maximum": 50}, {"name": "max_results", "in": "body", "type": "integer", "required": False, "default": 1000, "minimum": 1, "maximum": 100000}, {"name": "no_ignore", "in": "body", "type": "boolean", "required": False, "default": False}, {"name": "timeout", "in": "body", "type": "number", "required": False, "default": 10, "minimum": 0, "maximum": 3600}], "one_of": [], "limits": []},
    {"id": "files.copy", "endpoint": None, "group": "file_ops", "scope": "files:write", "kind": "json", "method": "POST", "path": "/files/copy", "since": "0.1.0", "effects": {"reads": False, "writes": True, "runs": False, "idempotent": False}, "params": [{"name": "source", "in": "body", "type": "path", "required": True, "b64": "source_b64"}, {"name": "destination", "in": "body", "type": "path", "required": True, "b64": "destination_b64"}, {"name": "overwrite", "in": "body", "type": "boolean", "required": False, "default": True}, {"name": "parents", "in": "body", "type": "boolean", "required": False, "default": False}], "one_of": [], "limits": []},
    {"id": "files.extract", "endpoint": None, "group": "file_ops", "scope": "files:write", "kind": "raw", "method": "POST", "path": "/files/extract", "since": "0.1.0", "effects": {"reads": False, "writes": True, "runs": False, "idempotent": False}, "params": [{"name": "path", "in": "body", "type": "path", "required": False, "b64": "path_b64"}, {"name": "destination", "in": "body", "type": "path", "required": True, "b64": "destination_b64"}, {"name": "format", "in": "body", "type": "choice", "required": False, "default": "auto", "choices": ["auto", "tar", "tar.gz", "tar.zst", "tar.xz", "tar.bz2", "zip"]}, {"name": "overwrite", "in": "body", "type": "boolean", "required": False, "default": True}, {"name": "strip", "in": "body", "type": "integer", "required": False, "default": 0, "minimum": 0, "maximum": 100}, {"name": "parents", "in": "body", "type": "boolean", "required": False, "default": False}], "one_of": [], "raw": {"request": True, "response": False, "media_type": None}, "limits": [{"name": "max_files", "default": 200000, "cap": 10000000, "error": "limit.file_too_large"}, {"name": "max_bytes", "default": 1073741824, "cap": 1125899906842624, "error": "limit.file_too_large"}]},
    {"id": "files.chmod", "endpoint": None, "group": "file_ops", "scope": "files:write", "kind": "json", "method": "POST", "path": "/files/chmod", "since": "0.1.0", "effects": {"reads": False, "writes": True, "runs": False, "idempotent": True}, "params": [{"name": "path", "in": "body", "type": "path", "required": True, "b64": "path_b64"}, {"name": "mode", "in": "body", "type": "string", "required": True}, {"name": "recursive", "in": "body", "type": "boolean", "required": False, "default": False}], "one_of": [], "limits": []},
    {"id": "commands.run", "endpoint": "shell", "group": "process", "scope": "process:run", "kind": "json", "method": "POST", "path": "/shell", "since": "0.1.0", "effects": {"reads": True, "writes": True, "runs": True, "idempotent": False}, "params": [{"name": "command", "in": "body", "type": "string", "required": False}, {"name": "argv", "in": "body", "type": "array", "required": False, "items": {"type": "string"}}, {"name": "shell", "in": "body", "type": "string", "required": False}, {"name": "cwd", "in": "body", "type": "path", "required": False, "b64": "cwd_b64"}, {"name": "env", "in": "body", "type": "object", "required": False, "values": "string"}, {"name": "user", "in": "body", "type": "string", "required": False}, {"name": "stdin", "in": "body", "type": "string", "required": False}, {"name": "stdin_b64", "in": "body", "type": "bytes", "required": False}, {"name": "timeout", "in": "body", "type": "number", "required": False, "default": 300, "minimum": 0, "maximum": 3600}, {"name": "max_output_bytes", "in": "body", "type": "integer", "required": False, "default": 10485760, "minimum": 0, "maximum": 10485760}, {"name": "encoding", "in": "body", "type": "choice", "required": False, "default": "utf-8", "choices": ["utf-8", "base64"]}], "one_of": [["command", "argv"]], "limits": [{"name": "max_timeout", "default": 3600, "cap": 3600, "error": "args.invalid"}, {"name": "max_output_bytes", "default": 10485760, "cap": 10485760, "error": None}]},
    {"id": "commands.stream", "endpoint": "shell_stream", "group": "process", "scope": "process:run", "kind": "sse", "method": "POST", "path": "/shell/stream", "since": "0.1.0", "effects": {"reads": True, "writes": True, "runs": True, "idempotent": False}, "params": [{"name": "command", "in": "body", "type": "string", "required": False}, {"name": "argv", "in": "body", "type": "array", "required": False, "items": {"type": "string"}}, {"name": "shell", "in": "body", "type": "string", "required": False}, {"name": "cwd", "in": "body", "type": "path", "required": False, "b64": "cwd_b64"}, {"name": "env", "in": "body", "type": "object", "required": False, "values": "string"}, {"name": "user", "in": "body", "type": "string", "required": False}, {"name": "stdin", "in": "body", "type": "string", "required": False}, {"name": "stdin_b64", "in": "body", "type": "bytes", "required": False}, {"name": "timeout", "in": "body", "type": "number", "required": False, "default": 0, "minimum": 0, "maximum": 3600}, {"name": "encoding", "in": "body", "type": "choice", "required": False, "default": "utf-8", "choices": ["utf-8", "base64"]}, {"name": "lines", "in": "body", "type": "boolean", "required": False, "default": False}], "one_of": [["command", "argv"]], "limits": [{"name": "max_timeout", "default": 3600, "cap": 3600, "error": "args.invalid"}]},
    {"id": "process.start", "endpoint": "process_start", "group": "process", "scope": "process:run", "kind": "json", "method": "POST", "path": "/process/start", "since": "0.1.0", "effects": {"reads": True, "writes": True, "runs": True, "idempotent": False}, "params": [{"name": "command", "in": "body", "type": "string", "required": False}, {"name": "argv", "in": "body", "type": "array", "required": False, "items": {"type": "string"}}, {"name": "shell", "in": "body", "type": "string", "required": False}, {"name": "cwd", "in": "body", "type": "path", "required": False, "b64": "cwd_b64"}, {"name": "env", "in": "body", "type": "object", "required": False, "values": "string"}, {"name": "user", "in": "body", "type": "string", "required": False}, {"name": "capture_output", "in": "body", "type": "boolean", "required": False, "default": False}, {"name": "stdin", "in": "body", "type": "boolean", "required": False, "default": False}, {"name": "name", "in": "body", "type": "string", "required": False}, {"name": "timeout", "in": "body", "type": "number", "required": False, "default": 0, "minimum": 0, "maximum": 31536000}], "one_of": [["command", "argv"]], "limits": [{"name": "max_processes", "default": 100, "cap": 4096, "error": "limit.too_many"}, {"name": "max_output_bytes", "default": 1048576, "cap": 16777216, "error": None}, {"name": "retain", "default": 100, "cap": 1000, "error": None}]},
    {"id": "process.list", "endpoint": "process_list", "group": "process", "scope": "process:read", "kind": "json", "method": "GET", "path": "/process/list", "since": "0.1.0", "effects": {"reads": True, "writes": False, "runs": False, "idempotent": True}, "params": [], "one_of": [], "limits": []},
    {"id": "process.get", "endpoint": "process_detail", "group": "process", "scope": "process:read", "kind": "json", "method": "GET", "path": "/process/{pid}", "since": "0.1.0", "effects": {"reads": True, "writes": False, "runs": False, "idempotent": True}, "params": [{"name": "pid", "in": "path", "type": "string", "required": True}], "one_of": [], "limits": []},
    {"id": "process.signal", "endpoint": "process_signal", "group": "process", "scope": "process:control", "kind": "json", "method": "POST", "path": "/process/{pid}/signal", "since": "0.1.0", "effects": {"reads": False, "writes": True, "runs": False, "idempotent": False}, "params": [{"name": "pid", "in": "path", "type": "string", "required": True}, {"name": "signal", "in": "body", "type": "any", "required": False}, {"name": "group", "in": "body", "type": "boolean", "required": False, "default": True}], "one_of": [], "limits": []},
    {"id": "process.stdin", "endpoint": "process_stdin", "group": "process", "scope": "process:control", "kind": "json", "method": "POST", "path": "/process/{pid}/stdin", "since": "0.1.0", "effects": {"reads": False, "writes": True, "runs": False, "idempotent": False}, "params": [{"name": "pid", "in": "path", "type": "string", "required": True}, {"name": "data", "in": "body", "type": "string", "required": False}, {"name": "data_b64", "in": "body", "type": "bytes", "required": False}, {"name": "eof", "in": "body", "type": "boolean", "required": False, "default": False}], "one_of": [], "limits": []},
    {"id": "process.output", "endpoint": "process_output", "group": "process", "scope": "process:read", "kind": "json", "method": "GET", "path": "/process/{pid}/output", "since": "0.1.0", "effects": {"reads": True, "writes": False, "runs": False, "idempotent": True}, "params": [{"name": "pid", "in": "path", "type": "string", "required": True}, {"name": "since", "in": "query", "type": "integer", "required": False, "default": 0, "minimum": 0, "maximum": 9007199254740991}, {"name": "wait", "in": "query", "type": "number", "required": False, "default": 0, "minimum": 0, "maximum": 60}, {"name": "max_bytes", "in": "query", "type": "integer", "required": False, "default": 1048576, "minimum": 1, "maximum": 16777216}, {"name": "stream", "in": "query", "type": "choice", "required": False, "default": "both", "choices": ["both", "stdout", "stderr"]}, {"name": "encoding", "in": "query", "type": "choice", "required": False, "default": "utf-8", "choices": ["utf-8", "base64"]}], "one_of": [], "limits": []},
    {"id": "process.follow", "endpoint": None, "group": "process", "scope": "process:read", "kind": "sse", "method": "GET", "path": "/process/{pid}/follow", "since": "0.1.0", "effects": {"reads": True, "writes": False, "runs": False, "idempotent": True}, "params": [{"name": "pid", "in": "path", "type": "string", "required": True}, {"name": "since", "in": "query", "type": "integer", "required": False, "default": 0, "minimum": 0, "maximum": 9007199254740991}, {"name": "stream", "in": "query", "type": "choice", "required": False, "default": "both", "choices": ["both", "stdout", "stderr"]}, {"name": "encoding", "in": "query", "type": "choice", "required": False, "default": "utf-8", "choices": ["utf-8", "base64"]}], "one_of": [], "limits": []},
    {"id": "terminal.create", "endpoint": "pty_create_session", "group": "terminal", "scope": "terminal:use", "kind": "json", "method": "POST", "path": "/pty/sessions", "since": "0.1.0", "effects": {"reads": True, "writes": True, "runs": True, "idempotent": False}, "params": [{"name": "command", "in": "body", "type": "string", "required": False}, {"name": "argv", "in": "body", "type": "array", "required": False, "items": {"type": "string"}}, {"name": "shell", "in": "body", "type": "string", "required": False}, {"name": "cwd", "in": "body", "type": "path", "required": False, "b64": "cwd_b64"}, {"name": "env", "in": "body", "type": "object", "required": False, "values": "string"}, {"name": "user", "in": "body", "type": "string", "required": False}, {"name": "cols", "in": "body", "type": "integer", "required": False, "default": 80, "minimum": 1, "maximum": 1000}, {"name": "rows", "in": "body", "type": "integer", "required": False, "default": 24, "minimum": 1, "maximum": 1000}, {"name": "scrollback_bytes", "in": "body", "type": "integer", "required": False, "default": 262144, "minimum": 0, "maximum": 4194304}], "one_of": [], "limits": [{"name": "max_sessions", "default": 10, "cap": 1000, "error": "limit.too_many"}, {"name": "idle_timeout", "default": 1800, "cap": 1073741824, "error": None}]},
    {"id": "terminal.list", "endpoint": "pty_list_sessions", "group": "terminal", "scope": "terminal:use", "kind": "json", "method": "GET", "path": "/pty/sessions", "since": "0.1.0", "effects": {"reads": True, "writes": False, "runs": False, "idempotent": True}, "params": [], "one_of": [], "limits": []},
    {"id": "terminal.get", "endpoint": "pty_detail", "group": "terminal", "scope": "terminal:use", "kind": "json", "method": "GET", "path": "/pty/sessions/{id}", "since": "0.1.0", "effects": {"reads": True, "writes": False, "runs": False, "idempotent": True}, "params": [{"name": "id", "in": "path", "type": "string", "required": True}], "one_of": [], "limits": []},
    {"id": "terminal.resize", "endpoint": "pty_resize", "group": "terminal", "scope": "terminal:use", "kind": "json", "method": "POST", "path": "/pty/sessions/{id}/resize", "since": "0.1.0", "effects": {"reads": False, "writes": True, "runs": False, "idempotent": True}, "params": [{"name": "id", "in": "path", "type": "string", "required": True}, {"name": "cols", "in": "body", "type": "integer", "required": True, "minimum": 1, "maximum": 1000}, {"name": "rows", "in": "body", "type": "integer", "required": True, "minimum": 1, "maximum": 1000}], "one_of": [], "limits": []},
    {"id": "terminal.delete", "endpoint": "pty_delete_session", "group": "terminal", "scope": "terminal:use", "kind": "json", "method": "DELETE", "path": "/pty/sessions/{id}", "since": "0.1.0", "effects": {"reads": False, "writes": True, "runs": False, "idempotent": False}, "params": [{"name": "id", "in": "path", "type": "string", "required": True}], "one_of": [], "limits": []},
    {"id": "terminal.connect", "endpoint": "pty_connect", "group": "terminal", "scope": "terminal:use", "kind": "ws", "method": "GET", "path": "/pty", "since": "0.1.0", "effects": {"reads": True, "writes": True, "runs": False, "idempotent": False}, "params": [{"name": "session_id", "in": "query", "type": "string", "required": True}, {"name": "ticket", "in": "query", "type": "string", "required": False, "secret": True}], "one_of": [], "limits": []},
    {"id": "system.info", "endpoint": "system_info", "group": "system", "scope": "system:read", "kind": "json", "method": "GET", "path": "/system/info", "since": "0.1.0", "effects": {"reads": True, "writes": False, "runs": True, "idempotent": True}, "params": [], "one_of": [], "limits": []},
    {"id": "system.metrics", "endpoint": "system_metrics", "group": "system", "scope": "system:read", "kind": "json", "method": "GET", "path": "/system/metrics", "since": "0.1.0", "effects": {"reads": True, "writes": False, "runs": False, "idempotent": True}, "params": [], "one_of": [], "limits": []},
    {"id": "system.env.get", "endpoint": "env_get", "group": "system", "scope": "env:read", "kind": "json", "method": "GET", "path": "/env", "since": "0.1.0", "effects": {"reads": True, "writes": False, "runs": False, "idempotent": True}, "params": [{"name": "filter", "in": "query", "type": "string", "required": False}, {"name": "names", "in": "query", "type": "string", "required": False}], "one_of": [], "limits": []},
    {"id": "system.env.set", "endpoint": "env_set", "group": "system", "scope": "env:write", "kind": "json", "method": "POST", "path": "/env", "since": "0.1.0", "effects": {"reads": False, "writes": True, "runs": False, "idempotent": True}, "params": [{"name": "vars", "in": "body", "type": "object", "required": True, "nullable": True, "values": "string"}], "one_of": [], "limits": [{"name": "max_bytes", "default": 262144, "cap": 1048576, "error": "args.invalid"}]},
    {"id": "system.ports", "endpoint": "ports", "group": "system", "scope": "system:read", "kind": "json", "method": "GET", "path": "/ports", "since": "0.1.0", "effects": {"reads": True, "writes": False, "runs": False, "idempotent": True}, "params": [], "one_of": [], "limits": []},
    {"id": "system.packages", "endpoint": "packages", "group": "system", "scope": "system:read", "kind": "json", "method": "GET", "path": "/packages", "since": "0.1.0", "effects": {"reads": True, "writes": False, "runs": True, "idempotent": True}, "params": [{"name": "manager", "in": "query", "type": "choice", "required": False, "default": "pip", "choices": ["pip", "npm", "apt", "apk", "cargo"]}], "one_of": [], "limits": [{"name": "max_seconds", "default": 30, "cap": 300, "error": "commands.timeout"}]},
    {"id": "system.prometheus", "endpoint": None, "group": "system", "scope": "system:read", "kind": "raw", "method": "GET", "path": "/metrics", "since": "0.1.0", "effects": {"reads": True, "writes": False, "runs": False, "idempotent": True}, "params": [], "one_of": [], "raw": {"request": False, "response": True, "media_type": "text/plain; version=0.0.4"}, "limits": []},
    {"id": "devtools.code.run", "endpoint": "code_run", "group": "dev_tools", "scope": "code:run", "kind": "json", "method": "POST", "path": "/code/run", "since": "0.1.0", "effects": {"reads": True, "writes": True, "runs": True, "idempotent": False}, "params": [{"name": "code", "in": "body", "type": "string", "required": True}, {"name": "language", "in": "body", "type": "string", "required": False, "default": "python"}, {"name": "timeout", "in": "body", "type": "number", "required": False, "default": 30, "minimum": 0, "maximum": 300}, {"name": "cwd", "in": "body", "type": "path", "required": False, "b64": "cwd_b64"}, {"name": "env", "in": "body", "type": "object", "required": False, "values": "string"}, {"name": "stdin", "in": "body", "type": "string", "required": False}], "one_of": [], "limits": []},
    {"id": "devtools.git.status", "endpoint": "git_status", "group": "dev_tools", "scope": "git:read", "kind": "json", "method": "GET", "path": "/git/status", "since": "0.1.0", "effects": {"reads": True, "writes": False, "runs": True, "idempotent": True}, "params": [{"name": "path", "in": "query", "type": "path", "required": False, "b64": "path_b64", "default": "."}], "one_of": [], "limits": [{"name": "max_seconds", "default": 60, "cap": 300, "error": "commands.timeout"}]},
    {"id": "devtools.git.diff", "endpoint": "git_diff", "group": "dev_tools", "scope": "git:read", "kind": "json", "method": "GET", "path": "/git/diff", "since": "0.1.0", "effects": {"reads": True, "writes": False, "runs": True, "idempotent": True}, "params": [{"name": "path", "in": "query", "type": "path", "required": False, "b64": "path_b64", "default": "."}, {"name": "staged", "in": "query", "type": "boolean", "required": False, "default": False}, {"name": "file", "in": "query", "type": "path", "required": False, "b64": "file_b64"}], "one_of": [], "limits": [{"name": "max_seconds", "default": 60, "cap": 300, "error": "commands.timeout"}]},
    {"id": "browser.navigate", "endpoint": "browser_navigate", "group": "browser", "scope": "browser:use", "kind": "json", "method": "POST", "path": "/browser/navigate", "since": "0.1.0", "effects": {"reads": True, "writes": False, "runs": True, "idempotent": False}, "params": [{"name": "url", "in": "body", "type": "string", "required": True}, {"name": "wait_until", "in": "body", "type": "choice", "required": False, "default": "networkidle", "choices": ["load", "domcontentloaded", "networkidle", "commit"]}, {"name": "timeout", "in": "body", "type": "integer", "required": False, "default": 30000, "minimum": 1, "maximum": 300000}], "one_of": [], "limits": []},
    {"id": "browser.screenshot", "endpoint": "browser_screenshot", "group": "browser", "scope": "browser:use", "kind": "raw", "method": "POST", "path": "/browser/screenshot", "since": "0.1.0", "effects": {"reads": True, "writes": False, "runs": True, "idempotent": False}, "params": [{"name": "selector", "in": "body", "type": "string", "required": False}, {"name": "full_page", "in": "body", "type": "boolean", "required": False, "default": True}, {"name": "format", "in": "body", "type": "choice", "required": False, "default": "png", "choices": ["png", "jpeg"]}, {"name": "quality", "in": "body", "type": "integer", "required": False, "minimum": 0, "maximum": 100}], "one_of": [], "raw": {"request": False, "response": True, "media_type": "image/*"}, "limits": [{"name": "max_bytes", "default": 50331648, "cap": 268435456, "error": "limit.file_too_large"}]},
    {"id": "browser.content", "endpoint": "browser_content", "group": "browser", "scope": "browser:use", "kind": "json", "method": "GET", "path": "/browser/content", "since": "0.1.0", "effects": {"reads": True, "writes": False, "runs": True, "idempotent": False}, "params": [{"name": "type", "in": "query", "type": "choice", "required": False, "default": "html", "choices": ["html", "text"]}], "one_of": [], "limits": [{"name": "max_bytes", "default": 10485760, "cap": 33554432, "error": "limit.file_too_large"}]},
    {"id": "browser.click", "endpoint": "browser_click", "group": "browser", "scope": "browser:use", "kind": "json", "method": "POST", "path": "/browser/click", "since": "0.1.0", "effects": {"reads": False, "writes": True, "runs": True, "idempotent": False}, "params": [{"name": "selector", "in": "body", "type": "string", "required": True}, {"name": "timeout", "in": "body", "type": "integer", "required": False, "default": 5000, "minimum": 1, "maximum": 300000}], "one_of": [], "limits": []},
    {"id": "browser.type", "endpoint": "browser_type", "group": "browser", "scope": "browser:use", "kind": "json", "method": "POST", "path": "/browser/type", "since": "0.1.0", "effects": {"reads": False, "writes": True, "runs": True, "idempotent": False}, "params": [{"name": "selector", "in": "body", "type": "string", "required": True}, {"name": "text", "in": "body", "type": "string", "required": True}, {"name": "delay", "in": "body", "type": "integer", "required": False, "default": 50, "minimum": 0, "maximum": 10000}, {"name": "clear", "in": "body", "type": "boolean", "required": False, "default": False}], "one_of": [], "limits": []},
    {"id": "browser.evaluate", "endpoint": "browser_evaluate", "group": "browser", "scope": "browser:use", "kind": "json", "method": "POST", "path": "/browser/evaluate", "since": "0.1.0", "effects": {"reads": False, "writes": True, "runs": True, "idempotent": False}, "params": [{"name": "script", "in": "body", "type": "string", "required": True}, {"name": "timeout", "in": "body", "type": "integer", "required": False, "default": 10000, "minimum": 1, "maximum": 300000}], "one_of": [], "limits": [{"name": "max_bytes", "default": 8388608, "cap": 33554432, "error": "limit.file_too_large"}]},
    {"id": "browser.pdf", "endpoint": "browser_pdf", "group": "browser", "scope": "browser:use", "kind": "raw", "method": "POST", "path": "/browser/pdf", "since": "0.1.0", "effects": {"reads": True, "writes": False, "runs": True, "idempotent": False}, "params": [{"name": "format", "in": "body", "type": "choice", "required": False, "default": "A4", "choices": ["A3", "A4", "A5", "Letter", "Legal", "Tabloid"]}, {"name": "landscape", "in": "body", "type": "boolean", "required": False, "default": False}], "one_of": [], "raw": {"request": False, "response": True, "media_type": "application/pdf"}, "limits": [{"name": "max_bytes", "default": 50331648, "cap": 268435456, "error": "limit.file_too_large"}]},
    {"id": "browser.console", "endpoint": "browser_console", "group": "browser", "scope": "browser:use", "kind": "json", "method": "GET", "path": "/browser/console", "since": "0.1.0", "effects": {"reads": True, "writes": False, "runs": False, "idempotent": False}, "params": [], "one_of": [], "limits": []},
]
OPS: Mapping[str, Op] = {spec["id"]: Op.from_catalog(spec) for spec in _CATALOG}


class SystemEnvOps:
    """system.env"""

    get: Final = OpRef("system.env.get")
    set: Final = OpRef("system.env.set")


class DevtoolsCodeOps:
    """devtools.code"""

    run: Final = OpRef("devtools.code.run")


class DevtoolsGitOps:
    """devtools.git"""

    status: Final = OpRef("devtools.git.status")
    diff: Final = OpRef("devtools.git.diff")


class CoreOps:
    """core"""

    health: Final = OpRef("core.health")
    capabilities: Final = OpRef("core.capabilities")
    check: Final = OpRef("core.check")
    describe: Final = OpRef("core.describe")
    openapi: Final = OpRef("core.openapi")
    reload: Final = OpRef("core.reload")


class CustomOps:
    """custom"""

    list: Final = OpRef("custom.list")


class FilesOps:
    """files"""

    list: Final = OpRef("files.list")
    stat: Final = OpRef("files.stat")
    mkdir: Final = OpRef("files.mkdir")
    delete: Final = OpRef("files.delete")
    move: Final = OpRef("files.move")
    search: Final = OpRef("files.search")
    upload_stream: Final = OpRef("files.upload_stream")
    download_stream: Final = OpRef("files.download_stream")
    archive: Final = OpRef("files.archive")
    watch: Final = OpRef("files.watch")
    upload: Final = OpRef("files.upload")
    download: Final = OpRef("files.download")
    read: Final = OpRef("files.read")
    write: Final = OpRef("files.write")
    edit: Final = OpRef("files.edit")
    grep: Final = OpRef("files.grep")
    copy: Final = OpRef("files.copy")
    extract: Final = OpRef("files.extract")
    chmod: Final = OpRef("files.chmod")


class CommandsOps:
    """commands"""

    run: Final = OpRef("commands.run")
    stream: Final = OpRef("commands.stream")


class ProcessOps:
    """process"""

    start: Final = OpRef("process.start")
    list: Final = OpRef("process.list")
    get: Final = OpRef("process.get")
    signal: Final = OpRef("process.signal")
    stdin: Final = OpRef("process.stdin")
    output: Final = OpRef("process.output")
    follow: Final = OpRef("process.follow")


class TerminalOps:
    """terminal"""

    create: Final = OpRef("terminal.create")
    list: Final = OpRef("terminal.list")
    get: Final = OpRef("terminal.get")
    resize: Final = OpRef("terminal.resize")
    delete: Final = OpRef("terminal.delete")
    connect: Final = OpRef("terminal.connect")


class SystemOps:
    """system"""

    env: Final = SystemEnvOps()
    info: Final = OpRef("system.info")
    metrics: Final = OpRef("system.metrics")
    ports: Final = OpRef("system.ports")
    packages: Final = OpRef("system.packages")
    prometheus: Final = OpRef("system.prometheus")


class DevtoolsOps:
    """devtools"""

    code: Final = DevtoolsCodeOps()
    git: Final = DevtoolsGitOps()


class BrowserOps:
    """browser"""

    navigate: Final = OpRef("browser.navigate")
    screenshot: Final = OpRef("browser.screenshot")
    content: Final = OpRef("browser.content")
    click: Final = OpRef("browser.click")
    type: Final = OpRef("browser.type")
    evaluate: Final = OpRef("browser.evaluate")
    pdf: Final = OpRef("browser.pdf")
    console: Final = OpRef("browser.console")


class AllOps:
    """The tree of all ops."""

    core: Final = CoreOps()
    custom: Final = CustomOps()
    files: Final = FilesOps()
    commands: Final = CommandsOps()
    process: Final = ProcessOps()
    terminal: Final = TerminalOps()
    system: Final = SystemOps()
    devtools: Final = DevtoolsOps()
    browser: Final = BrowserOps()


ops: Final = AllOps()


class SystemEnvNamespace(Namespace):
    """The ops system.env.*"""

    async def get(
        self,
        filter: str | None = None,
        *,
        names: str | None = None,
        request_timeout: float | None = None,
    ) -> SystemEnvGetResult:
        """Show the variables that programs are started with.

        Not the server's own. Names that hold TOKEN, SECRET, KEY, PASSWORD or CREDENTIAL are never shown.

        :param filter: Only these names, with commas between; a name may end in *.
        :param names: The same.
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["system.env.get"], {"filter": filter, "names": names}, SystemEnvGetResult, request_timeout)

    def get_sync(
        self,
        filter: str | None = None,
        *,
        names: str | None = None,
        request_timeout: float | None = None,
    ) -> SystemEnvGetResult:
        """get() for code without an event loop."""
        return self._caller.wait(self.get(filter=filter, names=names, request_timeout=request_timeout))

    async def set(
        self,
        vars: Mapping[str, str | None],
        *,
        request_timeout: float | None = None,
    ) -> SystemEnvSetResult:
        """Set variables for the programs that are started from now on.

        All of them or none; running programs keep theirs. Kept until the server ends. Variables that load code or say who a program is (PATH, HOME, LD_*, PYTHON*, …) are protected.

        :param vars: Variables by name; null takes one away.
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["system.env.set"], {"vars": vars}, SystemEnvSetResult, request_timeout)

    def set_sync(
        self,
        vars: Mapping[str, str | None],
        *,
        request_timeout: float | None = None,
    ) -> SystemEnvSetResult:
        """set() for code without an event loop."""
        return self._caller.wait(self.set(vars=vars, request_timeout=request_timeout))


class DevtoolsCodeNamespace(Namespace):
    """The ops devtools.code.*"""

    async def run(
        self,
        code: str,
        *,
        language: str | None = None,
        timeout: float | None = None,
        cwd: PathLike | None = None,
        env: Mapping[str, str] | None = None,
        stdin: str | None = None,
        check: bool = False,
        request_timeout: float | None = None,
    ) -> DevtoolsCodeRunResult:
        """Run a piece of code and answer when it has ended.

        The interpreter gets the code as a file that has no name and is gone afterwards; modules are found from 'cwd'. A non-zero exit is a result, not an error. The code is ended at its timeout and when the caller leaves, with everything that it started. Of each stream the first 10 MiB are kept.

        :param code: The code; may be empty.
        :param language: python, node, bash, or what the policy's devtools.languages adds. (default "python")
        :param timeout: Seconds until it is ended with all that it started; 0 is no limit. (default 30)
        :param cwd: Working directory, where modules are found; the base directory by default.
        :param env: Variables on top of the server's for children.
        :param stdin: Standard input as text; without it end of file at once.
        :param check: Raise ProcessError when the exit code is not 0.
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["devtools.code.run"], {"code": code, "language": language, "timeout": timeout, "cwd": cwd, "env": env, "stdin": stdin}, DevtoolsCodeRunResult, request_timeout, check=check)

    def run_sync(
        self,
        code: str,
        *,
        language: str | None = None,
        timeout: float | None = None,
        cwd: PathLike | None = None,
        env: Mapping[str, str] | None = None,
        stdin: str | None = None,
        check: bool = False,
        request_timeout: float | None = None,
    ) -> DevtoolsCodeRunResult:
        """run() for code without an event loop."""
        return self._caller.wait(self.run(code=code, language=language, timeout=timeout, cwd=cwd, env=env, stdin=stdin, check=check, request_timeout=request_timeout))


class DevtoolsGitNamespace(Namespace):
    """The ops devtools.git.*"""

    async def status(
        self,
        *,
        path: PathLike | None = None,
        request_timeout: float | None = None,
    ) -> DevtoolsGitStatusResult:
        """Tell which files of a git repository differ, and where its branch stands.

        The repository is looked for upwards from 'path', inside the roots. Nothing of its configuration is used that could run a program: no hooks, filters, monitors or external diffs. What changed inside submodules is not looked at.

        :param path: A folder of the repository. (default ".")
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["devtools.git.status"], {"path": path}, DevtoolsGitStatusResult, request_timeout)

    def status_sync(
        self,
        *,
        path: PathLike | None = None,
        request_timeout: float | None = None,
    ) -> DevtoolsGitStatusResult:
        """status() for code without an event loop."""
        return self._caller.wait(self.status(path=path, request_timeout=request_timeout))

    async def diff(
        self,
        *,
        path: PathLike | None = None,
        staged: bool | None = None,
        file: PathLike | None = None,
        request_timeout: float | None = None,
    ) -> DevtoolsGitDiffResult:
        """Show what changed in a git repository.

        The repository is found and held as for devtools.git.status. Denied files are left out.

        :param path: A folder of the repository. (default ".")
        :param staged: What is in the index and not in HEAD, instead of what is not in the index. (default false)
        :param file: Only this file or folder, relative to 'path'; it need not be there any more.
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["devtools.git.diff"], {"path": path, "staged": staged, "file": file}, DevtoolsGitDiffResult, request_timeout)

    def diff_sync(
        self,
        *,
        path: PathLike | None = None,
        staged: bool | None = None,
        file: PathLike | None = None,
        request_timeout: float | None = None,
    ) -> DevtoolsGitDiffResult:
        """diff() for code without an event loop."""
        return self._caller.wait(self.diff(path=path, staged=staged, file=file, request_timeout=request_timeout))


class CoreNamespace(Namespace):
    """The ops core.*"""

    async def health(
        self,
        *,
        request_timeout: float | None = None,
    ) -> CoreHealthResult:
        """Tell whether the server answers.

        Needs no token and says nothing but that the server is up.

        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["core.health"], {}, CoreHealthResult, request_timeout)

    def health_sync(
        self,
        *,
        request_timeout: float | None = None,
    ) -> CoreHealthResult:
        """health() for code without an event loop."""
        return self._caller.wait(self.health(request_timeout=request_timeout))

    async def capabilities(
        self,
        *,
        request_timeout: float | None = None,
    ) -> CoreCapabilitiesResult:
        """Tell what this server offers and what the caller may use.

        'enabled' is the server's switch, 'allowed' whether this caller may call it; 'rule' says why not.

        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["core.capabilities"], {}, CoreCapabilitiesResult, request_timeout)

    def capabilities_sync(
        self,
        *,
        request_timeout: float | None = None,
    ) -> CoreCapabilitiesResult:
        """capabilities() for code without an event loop."""
        return self._caller.wait(self.capabilities(request_timeout=request_timeout))

    async def check(
        self,
        op: str | None = None,
        *,
        endpoint: str | None = None,
        path: str | None = None,
        paths: Sequence[str] | None = None,
        args: Any | None = None,
        checks: Sequence[Mapping[str, Any]] | None = None,
        request_timeout: float | None = None,
    ) -> CoreCheckResult:
        """Tell whether a call would be allowed.

        Goes through the same steps as the call itself, without its effect. With 'args' all parameters are checked, with 'path' or 'paths' only those; with 'checks' several calls at once. What only the moment of the call decides is not asked: what is there, and limits that are used up.

        :param op: Id of the op.
        :param endpoint: The op by its endpoint id.
        :param path: A path to check against the op's first path parameter.
        :param paths: Several paths, all of which must be allowed.
        :param args: All arguments of the call.
        :param checks: Several checks in one call.
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["core.check"], {"op": op, "endpoint": endpoint, "path": path, "paths": paths, "args": args, "checks": checks}, CoreCheckResult, request_timeout)

    def check_sync(
        self,
        op: str | None = None,
        *,
        endpoint: str | None = None,
        path: str | None = None,
        paths: Sequence[str] | None = None,
        args: Any | None = None,
        checks: Sequence[Mapping[str, Any]] | None = None,
        request_timeout: float | None = None,
    ) -> CoreCheckResult:
        """check() for code without an event loop."""
        return self._caller.wait(self.check(op=op, endpoint=endpoint, path=path, paths=paths, args=args, checks=checks, request_timeout=request_timeout))

    async def describe(
        self,
        *,
        id: str | int | None = None,
        request_timeout: float | None = None,
    ) -> CoreDescribeResult:
        """Describe the ops that the caller may call.

        One shape for this answer, for describe --json and for catalog/operations.json.

        :param id: Id or endpoint id of one op; without it all are given.
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["core.describe"], {"id": id}, CoreDescribeResult, request_timeout)

    def describe_sync(
        self,
        *,
        id: str | int | None = None,
        request_timeout: float | None = None,
    ) -> CoreDescribeResult:
        """describe() for code without an event loop."""
        return self._caller.wait(self.describe(id=id, request_timeout=request_timeout))

    async def openapi(
        self,
        *,
        request_timeout: float | None = None,
    ) -> CoreOpenapiResult:
        """Describe the server as OpenAPI 3.1.

        Made from the same rows as everything else; ops that are switched off are left out.

        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["core.openapi"], {}, CoreOpenapiResult, request_timeout)

    def openapi_sync(
        self,
        *,
        request_timeout: float | None = None,
    ) -> CoreOpenapiResult:
        """openapi() for code without an event loop."""
        return self._caller.wait(self.openapi(request_timeout=request_timeout))

    async def reload(
        self,
        *,
        request_timeout: float | None = None,
    ) -> CoreReloadResult:
        """Read the policy file and the custom commands again.

        All or nothing: a file with an error changes nothing and is answered with file, line, column and reason. SIGHUP does the same. Running calls keep the policy and the commands that they began with. The answer comes when new workers have described themselves, or after ten seconds.

        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["core.reload"], {}, CoreReloadResult, request_timeout)

    def reload_sync(
        self,
        *,
        request_timeout: float | None = None,
    ) -> CoreReloadResult:
        """reload() for code without an event loop."""
        return self._caller.wait(self.reload(request_timeout=request_timeout))


class CustomNamespace(Namespace):
    """The ops custom.*"""

    async def list(
        self,
        *,
        request_timeout: float | None = None,
    ) -> CustomListResult:
        """List the commands of the template's author.

        Each is an op of its own, custom.NAME, which POST /commands/NAME and POST /ops/custom.NAME run.

        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["custom.list"], {}, CustomListResult, request_timeout)

    def list_sync(
        self,
        *,
        request_timeout: float | None = None,
    ) -> CustomListResult:
        """list() for code without an event loop."""
        return self._caller.wait(self.list(request_timeout=request_timeout))


class FilesNamespace(Namespace):
    """The ops files.*"""

    async def list(
        self,
        path: PathLike,
        *,
        recursive: bool | None = None,
        depth: int | None = None,
        max_entries: int | None = None,
        hidden: bool | None = None,
        request_timeout: float | None = None,
    ) -> FilesListResult:
        """List a folder.

        Links are listed and not followed; the target of one that leads outside the roots is not told.

        :param path: Folder to list.
        :param recursive: List what is in the folders below too. (default false)
        :param depth: How many levels to list when recursive; 1 is the folder alone. (default 3)
        :param max_entries: Most entries to answer. (default 1000)
        :param hidden: List names that begin with a dot too. (default true)
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["files.list"], {"path": path, "recursive": recursive, "depth": depth, "max_entries": max_entries, "hidden": hidden}, FilesListResult, request_timeout)

    def list_sync(
        self,
        path: PathLike,
        *,
        recursive: bool | None = None,
        depth: int | None = None,
        max_entries: int | None = None,
        hidden: bool | None = None,
        request_timeout: float | None = None,
    ) -> FilesListResult:
        """list() for code without an event loop."""
        return self._caller.wait(self.list(path=path, recursive=recursive, depth=depth, max_entries=max_entries, hidden=hidden, request_timeout=request_timeout))

    async def stat(
        self,
        path: PathLike,
        *,
        follow: bool | None = None,
        request_timeout: float | None = None,
    ) -> FilesStatResult:
        """Tell the facts of a path.

        A path that does not exist is a success with exists false.

        :param path: What to look at.
        :param follow: Look at what a link leads to, and not at the link. (default true)
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["files.stat"], {"path": path, "follow": follow}, FilesStatResult, request_timeout)

    def stat_sync(
        self,
        path: PathLike,
        *,
        follow: bool | None = None,
        request_timeout: float | None = None,
    ) -> FilesStatResult:
        """stat() for code without an event loop."""
        return self._caller.wait(self.stat(path=path, follow=follow, request_timeout=request_timeout))

    async def mkdir(
        self,
        path: PathLike,
        *,
        parents: bool | None = None,
        mode: str | None = None,
        request_timeout: float | None = None,
    ) -> FilesMkdirResult:
        """Make a folder.

        A folder that is there already is a success and told as not created; something else under that name is an error.

        :param path: Folder to make.
        :param parents: Make missing folders above it too. (default true)
        :param mode: Permissions of the folder as octal digits, like '755'; without it 777 less the umask.
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["files.mkdir"], {"path": path, "parents": parents, "mode": mode}, FilesMkdirResult, request_timeout)

    def mkdir_sync(
        self,
        path: PathLike,
        *,
        parents: bool | None = None,
        mode: str | None = None,
        request_timeout: float | None = None,
    ) -> FilesMkdirResult:
        """mkdir() for code without an event loop."""
        return self._caller.wait(self.mkdir(path=path, parents=parents, mode=mode, request_timeout=request_timeout))

    async def delete(
        self,
        path: PathLike,
        *,
        recursive: bool | None = None,
        request_timeout: float | None = None,
    ) -> FilesDeleteResult:
        """Delete a file or a folder.

        Links are removed and never followed. Roots, what holds one, mount points and what holds a protected entry are refused before anything is removed. For a mount point, and when it fails in the middle, the details name the first path that is left.

        :param path: File, link or folder to delete.
        :param recursive: Delete a folder with all below it; when false it has to be empty. (default true)
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["files.delete"], {"path": path, "recursive": recursive}, FilesDeleteResult, request_timeout)

    def delete_sync(
        self,
        path: PathLike,
        *,
        recursive: bool | None = None,
        request_timeout: float | None = None,
    ) -> FilesDeleteResult:
        """delete() for code without an event loop."""
        return self._caller.wait(self.delete(path=path, recursive=recursive, request_timeout=request_timeout))

    async def move(
        self,
        source: PathLike,
        destination: PathLike,
        *,
        overwrite: bool | None = None,
        parents: bool | None = None,
        request_timeout: float | None = None,
    ) -> FilesMoveResult:
        """Move or rename a file or a folder.

        Within a file system it is one rename; across two the entry is copied with all that files.copy keeps, and then deleted. A failure leaves the source whole.

        :param source: What to move; a link itself, not its target.
        :param destination: Its new path, not the folder to put it in.
        :param overwrite: Replace a file or an empty folder that is there. (default true)
        :param parents: Make missing folders above the destination. (default false)
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["files.move"], {"source": source, "destination": destination, "overwrite": overwrite, "parents": parents}, FilesMoveResult, request_timeout)

    def move_sync(
        self,
        source: PathLike,
        destination: PathLike,
        *,
        overwrite: bool | None = None,
        parents: bool | None = None,
        request_timeout: float | None = None,
    ) -> FilesMoveResult:
        """move() for code without an event loop."""
        return self._caller.wait(self.move(source=source, destination=destination, overwrite=overwrite, parents=parents, request_timeout=request_timeout))

    async def search(
        self,
        path: PathLike,
        pattern: str,
        *,
        max_depth: int | None = None,
        max_results: int | None = None,
        type: Literal["any", "file", "directory", "symlink", "other"] | None = None,
        hidden: bool | None = None,
        timeout: float | None = None,
        request_timeout: float | None = None,
    ) -> FilesSearchResult:
        """Find files by name.

        Globs know '*', '?', '[a-z]', '[!a-z]' and a backslash before a sign that stands for itself. Links are not followed, but for the folder itself.

        :param path: Folder to search.
        :param pattern: Glob: without a slash for the name, else for the path below the folder; '**' crosses folders.
        :param max_depth: How many levels to search; 1 is the folder alone. (default 5)
        :param max_results: Most entries to answer. (default 100)
        :param type: Only entries of this kind. (default "any")
        :param hidden: Search names that begin with a dot too. (default true)
        :param timeout: Seconds after which the answer is what was found so far; 0 none. (default 10)
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["files.search"], {"path": path, "pattern": pattern, "max_depth": max_depth, "max_results": max_results, "type": type, "hidden": hidden, "timeout": timeout}, FilesSearchResult, request_timeout)

    def search_sync(
        self,
        path: PathLike,
        pattern: str,
        *,
        max_depth: int | None = None,
        max_results: int | None = None,
        type: Literal["any", "file", "directory", "symlink", "other"] | None = None,
        hidden: bool | None = None,
        timeout: float | None = None,
        request_timeout: float | None = None,
    ) -> FilesSearchResult:
        """search() for code without an event loop."""
        return self._caller.wait(self.search(path=path, pattern=pattern, max_depth=max_depth, max_results=max_results, type=type, hidden=hidden, timeout=timeout, request_timeout=request_timeout))

    async def upload_stream(
        self,
        path: PathLike,
        data: Body | None = None,
        *,
        mode: str | None = None,
        create_only: bool | None = None,
        parents: bool | None = None,
        progress: Progress | None = None,
        if_match: str | None = None,
        request_timeout: float | None = None,
    ) -> FilesUploadStreamResult:
        """Write files of any size.

        As files.upload. The body may also be multipart/form-data, with path the folder for its files: they appear together, or none does.

        :param path: File to write; of a form the folder for its files.
        :param mode: Permissions as octal digits, like '644'; without it those of the file that is replaced, else 666 less the umask.
        :param create_only: Fail when something is there; If-None-Match: * says the same. (default false)
        :param parents: Make missing folders above the file. (default false)
        :param data: The bytes: in memory, a binary file, or an iterable of parts.
        :param progress: Called with the bytes sent so far and the whole length, or None.
        :param if_match: Only when this is still the tag of what is there.
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.send(OPS["files.upload_stream"], {"path": path, "mode": mode, "create_only": create_only, "parents": parents}, FilesUploadStreamResult, data, progress, request_timeout, if_match=if_match)

    def upload_stream_sync(
        self,
        path: PathLike,
        data: Body | None = None,
        *,
        mode: str | None = None,
        create_only: bool | None = None,
        parents: bool | None = None,
        progress: Progress | None = None,
        if_match: str | None = None,
        request_timeout: float | None = None,
    ) -> FilesUploadStreamResult:
        """upload_stream() for code without an event loop."""
        return self._caller.wait(self.upload_stream(path=path, mode=mode, create_only=create_only, parents=parents, data=data, progress=progress, if_match=if_match, request_timeout=request_timeout))

    async def download_stream(
        self,
        path: PathLike,
        *,
        request_timeout: float | None = None,
    ) -> bytes:
        """Read a file of any size.

        As JSON the whole file is held in memory and limited. With Accept: application/octet-stream, a Range or HEAD the bytes are sent as they are, with ETag and Last-Modified, conditional requests and one range.

        :param path: File to read.
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.fetch(OPS["files.download_stream"], {"path": path}, request_timeout)

    def download_stream_sync(
        self,
        path: PathLike,
        *,
        request_timeout: float | None = None,
    ) -> bytes:
        """download_stream() for code without an event loop."""
        return self._caller.wait(self.download_stream(path=path, request_timeout=request_timeout))

    async def archive(
        self,
        paths: Sequence[PathLike],
        *,
        format: Literal["tar", "tar.gz", "tar.zst", "zip"] | None = None,
        request_timeout: float | None = None,
    ) -> bytes:
        """Files and folders as one archive.

        As JSON the archive is held in memory and limited. With Accept: application/octet-stream it is made while it is sent, and the trailer X-Abx-Skipped tells in a JSON array what the result tells in 'skipped'. Links below the paths are kept as links, hard links too; devices, FIFOs and sockets are skipped. A file that changes meanwhile is cut or filled up to its first size, and told.

        :param paths: What to put in; entries are named from each path's last part on, which no two may have alike.
        :param format: The archive's format. (default "tar.gz")
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.fetch(OPS["files.archive"], {"paths": paths, "format": format}, request_timeout)

    def archive_sync(
        self,
        paths: Sequence[PathLike],
        *,
        format: Literal["tar", "tar.gz", "tar.zst", "zip"] | None = None,
        request_timeout: float | None = None,
    ) -> bytes:
        """archive() for code without an event loop."""
        return self._caller.wait(self.archive(paths=paths, format=format, request_timeout=request_timeout))

    def watch(
        self,
        path: PathLike,
        *,
        recursive: bool | None = None,
        timeout: float | None = None,
        max_events: int | None = None,
        mode: Literal["auto", "inotify", "poll"] | None = None,
        poll_ms: int | None = None,
        request_timeout: float | None = None,
    ) -> EventStream[FilesWatchEvent]:
        """What changes in a folder or a file, as it happens.

        After 'ready' each change is an 'event'. A file that is replaced by a rename is a 'write' of its name; a move within what is watched is one 'rename' with old_path, out of it a 'remove', into it a 'create' for all it brings. Events that were lost are told by 'overflow', after which everything is covered anew. When the folder or one above it is moved, the stream ends. All watches share one inotify instance; when the kernel's limits are reached, mode=auto polls and mode=inotify says how much is not covered.

        :param path: The folder, or the one file, to watch.
        :param recursive: Watch all folders below too, also those that are made later. (default false)
        :param timeout: Seconds after which the stream ends; 0 is never. (default 0)
        :param max_events: How many events the stream has at most; 0 is any number. (default 0)
        :param mode: By the kernel's inotify, by looking again and again, or the first where it works. (default "auto")
        :param poll_ms: Milliseconds between two looks when polling. (default 500)
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return self._caller.events(OPS["files.watch"], {"path": path, "recursive": recursive, "timeout": timeout, "max_events": max_events, "mode": mode, "poll_ms": poll_ms}, FilesWatchEvents, request_timeout)

    def watch_sync(
        self,
        path: PathLike,
        *,
        recursive: bool | None = None,
        timeout: float | None = None,
        max_events: int | None = None,
        mode: Literal["auto", "inotify", "poll"] | None = None,
        poll_ms: int | None = None,
        request_timeout: float | None = None,
    ) -> SyncEventStream[FilesWatchEvent]:
        """watch() for code without an event loop."""
        return self._caller.iterate(self.watch(path=path, recursive=recursive, timeout=timeout, max_events=max_events, mode=mode, poll_ms=poll_ms, request_timeout=request_timeout))

    async def upload(
        self,
        path: PathLike,
        data: Body | None = None,
        *,
        mode: str | None = None,
        create_only: bool | None = None,
        parents: bool | None = None,
        progress: Progress | None = None,
        if_match: str | None = None,
        request_timeout: float | None = None,
    ) -> FilesUploadResult:
        """Write a whole file.

        The file appears when all of it is written, or not at all. Mode and owner of a file that is replaced are kept, and a link is followed inside the roots. With If-Match only the content that the caller knows is replaced.

        :param path: File to write; of a form the folder for its files.
        :param mode: Permissions as octal digits, like '644'; without it those of the file that is replaced, else 666 less the umask.
        :param create_only: Fail when something is there; If-None-Match: * says the same. (default false)
        :param parents: Make missing folders above the file. (default false)
        :param data: The bytes: in memory, a binary file, or an iterable of parts.
        :param progress: Called with the bytes sent so far and the whole length, or None.
        :param if_match: Only when this is still the tag of what is there.
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.send(OPS["files.upload"], {"path": path, "mode": mode, "create_only": create_only, "parents": parents}, FilesUploadResult, data, progress, request_timeout, if_match=if_match)

    def upload_sync(
        self,
        path: PathLike,
        data: Body | None = None,
        *,
        mode: str | None = None,
        create_only: bool | None = None,
        parents: bool | None = None,
        progress: Progress | None = None,
        if_match: str | None = None,
        request_timeout: float | None = None,
    ) -> FilesUploadResult:
        """upload() for code without an event loop."""
        return self._caller.wait(self.upload(path=path, mode=mode, create_only=create_only, parents=parents, data=data, progress=progress, if_match=if_match, request_timeout=request_timeout))

    async def download(
        self,
        path: PathLike,
        *,
        request_timeout: float | None = None,
    ) -> bytes:
        """Read a whole file.

        As JSON the whole file is held in memory and limited. With Accept: application/octet-stream, a Range or HEAD the bytes are sent as they are, with ETag and Last-Modified, conditional requests and one range.

        :param path: File to read.
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.fetch(OPS["files.download"], {"path": path}, request_timeout)

    def download_sync(
        self,
        path: PathLike,
        *,
        request_timeout: float | None = None,
    ) -> bytes:
        """download() for code without an event loop."""
        return self._caller.wait(self.download(path=path, request_timeout=request_timeout))

    async def read(
        self,
        path: PathLike,
        *,
        offset: int | None = None,
        limit: int | None = None,
        encoding: Literal["utf-8", "base64", "bytes"] | None = None,
        lines: str | None = None,
        request_timeout: float | None = None,
    ) -> FilesReadResult:
        """Read a part of a file.

        By bytes or by lines, with the tag that makes a write conditional. As bytes it is as files.download_stream, with Range, conditional requests and HEAD.

        :param path: File to read.
        :param offset: The first byte. (default 0)
        :param limit: Most bytes; never more than max_bytes in JSON.
        :param encoding: How the content is given: as text, exactly, or as the body itself, which Accept: application/octet-stream asks for too. (default "utf-8")
        :param lines: Lines instead of bytes, the first is 1: '7', '10-20' or '10-'.
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["files.read"], {"path": path, "offset": offset, "limit": limit, "encoding": encoding, "lines": lines}, FilesReadResult, request_timeout)

    def read_sync(
        self,
        path: PathLike,
        *,
        offset: int | None = None,
        limit: int | None = None,
        encoding: Literal["utf-8", "base64", "bytes"] | None = None,
        lines: str | None = None,
        request_timeout: float | None = None,
    ) -> FilesReadResult:
        """read() for code without an event loop."""
        return self._caller.wait(self.read(path=path, offset=offset, limit=limit, encoding=encoding, lines=lines, request_timeout=request_timeout))

    async def write(
        self,
        path: PathLike,
        content: str | None = None,
        data: Body | None = None,
        *,
        append: bool | None = None,
        create_only: bool | None = None,
        mode: str | None = None,
        parents: bool | None = None,
        progress: Progress | None = None,
        if_match: str | None = None,
        request_timeout: float | None = None,
    ) -> FilesWriteResult:
        """Write a file, or to its end.

        The file changes when all of it has arrived, or not at all. Mode and owner of a file that is there are kept, and a link is followed inside the roots. With If-Match only the content that the caller knows is changed.

        :param path: File to write.
        :param content: The text; or content_base64, or the body itself.
        :param append: Write behind the end of what is there, all of it or nothing. (default false)
        :param create_only: Fail when something is there; If-None-Match: * says the same. (default false)
        :param mode: Permissions as octal digits, like '644'; without it those that the file has, else 666 less the umask.
        :param parents: Make missing folders above the file. (default false)
        :param data: The bytes: in memory, a binary file, or an iterable of parts.
        :param progress: Called with the bytes sent so far and the whole length, or None.
        :param if_match: Only when this is still the tag of what is there.
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.send(OPS["files.write"], {"path": path, "content": content, "append": append, "create_only": create_only, "mode": mode, "parents": parents}, FilesWriteResult, data, progress, request_timeout, if_match=if_match)

    def write_sync(
        self,
        path: PathLike,
        content: str | None = None,
        data: Body | None = None,
        *,
        append: bool | None = None,
        create_only: bool | None = None,
        mode: str | None = None,
        parents: bool | None = None,
        progress: Progress | None = None,
        if_match: str | None = None,
        request_timeout: float | None = None,
    ) -> FilesWriteResult:
        """write() for code without an event loop."""
        return self._caller.wait(self.write(path=path, content=content, append=append, create_only=create_only, mode=mode, parents=parents, data=data, progress=progress, if_match=if_match, request_timeout=request_timeout))

    async def edit(
        self,
        path: PathLike,
        edits: Sequence[Mapping[str, Any]] | None = None,
        *,
        patch: str | None = None,
        request_timeout: float | None = None,
    ) -> FilesEditResult:
        """Change parts of a file.

        Exact replacements, or a unified diff; nothing is written unless all of them apply. The file keeps its mode and owner. With If-Match only the content that the caller knows is changed; a file that changes meanwhile is 412 in any case.

        :param path: File to change.
        :param edits: Exact replacements, one after the other; each sees what those before it made.
        :param patch: A unified diff of this file; every line of it has to fit.
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["files.edit"], {"path": path, "edits": edits, "patch": patch}, FilesEditResult, request_timeout)

    def edit_sync(
        self,
        path: PathLike,
        edits: Sequence[Mapping[str, Any]] | None = None,
        *,
        patch: str | None = None,
        request_timeout: float | None = None,
    ) -> FilesEditResult:
        """edit() for code without an event loop."""
        return self._caller.wait(self.edit(path=path, edits=edits, patch=patch, request_timeout=request_timeout))

    async def grep(
        self,
        path: PathLike,
        pattern: str,
        *,
        glob: str | None = None,
        ignore_case: bool | None = None,
        literal: bool | None = None,
        context: int | None = None,
        max_results: int | None = None,
        no_ignore: bool | None = None,
        timeout: float | None = None,
        request_timeout: float | None = None,
    ) -> FilesGrepResult:
        """Find lines in files.

        Each line is searched alone. Binary files, which hold a NUL, are passed over, and so is what .gitignore files at and below the folder name. Of a line over 64 KiB a match of more than 4096 bytes may be missed.

        :param path: Folder to search, or one file.
        :param pattern: Regular expression (PCRE2), looked for in each line.
        :param glob: Only files that this fits: without a slash by their name, else by the path below the folder.
        :param ignore_case: Letters match without regard to case. (default false)
        :param literal: The pattern is a text and not an expression. (default false)
        :param context: How many lines before and after each match to answer. (default 0)
        :param max_results: Most matches to answer, one of each line. (default 1000)
        :param no_ignore: Search what .gitignore files name, and .git folders, too. (default false)
        :param timeout: Seconds after which the answer is what was found so far; 0 none. (default 10)
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["files.grep"], {"path": path, "pattern": pattern, "glob": glob, "ignore_case": ignore_case, "literal": literal, "context": context, "max_results": max_results, "no_ignore": no_ignore, "timeout": timeout}, FilesGrepResult, request_timeout)

    def grep_sync(
        self,
        path: PathLike,
        pattern: str,
        *,
        glob: str | None = None,
        ignore_case: bool | None = None,
        literal: bool | None = None,
        context: int | None = None,
        max_results: int | None = None,
        no_ignore: bool | None = None,
        timeout: float | None = None,
        request_timeout: float | None = None,
    ) -> FilesGrepResult:
        """grep() for code without an event loop."""
        return self._caller.wait(self.grep(path=path, pattern=pattern, glob=glob, ignore_case=ignore_case, literal=literal, context=context, max_results=max_results, no_ignore=no_ignore, timeout=timeout, request_timeout=request_timeout))

    async def copy(
        self,
        source: PathLike,
        destination: PathLike,
        *,
        overwrite: bool | None = None,
        parents: bool | None = None,
        request_timeout: float | None = None,
    ) -> FilesCopyResult:
        """Copy a file or a folder.

        The copy appears whole or not at all. Modes, times, attributes of users (user.*), access lists, holes, links and hard links within it are kept, and blocks are shared, where the file system can; setuid and setgid bits are not. What the caller may not see is left out. A copy onto itself changes nothing.

        :param source: What to copy; a link is followed, links below it are copied as links.
        :param destination: The copy's path, not the folder to put it in.
        :param overwrite: Replace a file or an empty folder that is there. (default true)
        :param parents: Make missing folders above the destination. (default false)
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["files.copy"], {"source": source, "destination": destination, "overwrite": overwrite, "parents": parents}, FilesCopyResult, request_timeout)

    def copy_sync(
        self,
        source: PathLike,
        destination: PathLike,
        *,
        overwrite: bool | None = None,
        parents: bool | None = None,
        request_timeout: float | None = None,
    ) -> FilesCopyResult:
        """copy() for code without an event loop."""
        return self._caller.wait(self.copy(source=source, destination=destination, overwrite=overwrite, parents=parents, request_timeout=request_timeout))

    async def extract(
        self,
        destination: PathLike,
        data: Body | None = None,
        *,
        path: PathLike | None = None,
        format: Literal["auto", "tar", "tar.gz", "tar.zst", "tar.xz", "tar.bz2", "zip"] | None = None,
        overwrite: bool | None = None,
        strip: int | None = None,
        parents: bool | None = None,
        progress: Progress | None = None,
        request_timeout: float | None = None,
    ) -> FilesExtractResult:
        """Fill a folder from an archive.

        tar (plain, gz, zst, xz, bz2) and zip, from a file or as the body. A destination that is new appears whole or not at all; one that is there gets the entries one by one, and an error then says how many. Names that are absolute or climb, links that lead out, devices, FIFOs and sockets are left out and listed; owners are not taken over, nor setuid bits.

        :param path: The archive, where it is not the body itself.
        :param destination: The folder to fill; made when it is not there.
        :param format: What the archive is; auto looks. (default "auto")
        :param overwrite: Replace files that are there; else they are kept and listed as skipped. (default true)
        :param strip: How many parts to leave off the front of each name. (default 0)
        :param parents: Make missing folders above the destination. (default false)
        :param data: The bytes: in memory, a binary file, or an iterable of parts.
        :param progress: Called with the bytes sent so far and the whole length, or None.
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.send(OPS["files.extract"], {"path": path, "destination": destination, "format": format, "overwrite": overwrite, "strip": strip, "parents": parents}, FilesExtractResult, data, progress, request_timeout)

    def extract_sync(
        self,
        destination: PathLike,
        data: Body | None = None,
        *,
        path: PathLike | None = None,
        format: Literal["auto", "tar", "tar.gz", "tar.zst", "tar.xz", "tar.bz2", "zip"] | None = None,
        overwrite: bool | None = None,
        strip: int | None = None,
        parents: bool | None = None,
        progress: Progress | None = None,
        request_timeout: float | None = None,
    ) -> FilesExtractResult:
        """extract() for code without an event loop."""
        return self._caller.wait(self.extract(path=path, destination=destination, format=format, overwrite=overwrite, strip=strip, parents=parents, data=data, progress=progress, request_timeout=request_timeout))

    async def chmod(
        self,
        path: PathLike,
        mode: str,
        *,
        recursive: bool | None = None,
        request_timeout: float | None = None,
    ) -> FilesChmodResult:
        """Change permissions.

        Every entry gets exactly this mode. Nothing is changed when the policy protects one of them; after another failure the entries before it are changed.

        :param path: What to change; a link is followed.
        :param mode: Three or four octal digits, like '644'.
        :param recursive: All that is below a folder too; links are left as they are. (default false)
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["files.chmod"], {"path": path, "mode": mode, "recursive": recursive}, FilesChmodResult, request_timeout)

    def chmod_sync(
        self,
        path: PathLike,
        mode: str,
        *,
        recursive: bool | None = None,
        request_timeout: float | None = None,
    ) -> FilesChmodResult:
        """chmod() for code without an event loop."""
        return self._caller.wait(self.chmod(path=path, mode=mode, recursive=recursive, request_timeout=request_timeout))


class CommandsNamespace(Namespace):
    """The ops commands.*"""

    async def run(
        self,
        command: str | None = None,
        stdin: str | None = None,
        *,
        argv: Sequence[str] | None = None,
        shell: str | None = None,
        cwd: PathLike | None = None,
        env: Mapping[str, str] | None = None,
        user: str | None = None,
        stdin_b64: BytesLike | None = None,
        timeout: float | None = None,
        max_output_bytes: int | None = None,
        encoding: Literal["utf-8", "base64"] | None = None,
        check: bool = False,
        request_timeout: float | None = None,
    ) -> CommandsRunResult:
        """Run a command and answer when it has ended.

        Exactly one of 'command' (run by a shell) and 'argv' (no shell). A non-zero exit is a result, not an error. The command is ended at its timeout and when the caller leaves, with everything that it started; what is to outlive its caller is started with process.start. Children that it leaves behind do not hold the answer. Behind a proxy that gives up on slow answers use commands.stream, or process.start and process.output.

        :param command: Text that the shell runs, as its -c argument.
        :param argv: Program and arguments, without a shell.
        :param shell: The shell; /bin/bash where it exists, else /bin/sh.
        :param cwd: Working directory; the base directory by default.
        :param env: Variables on top of the server's for children.
        :param user: User to run as, one that the policy lists.
        :param stdin: Standard input as text; without it end of file at once.
        :param stdin_b64: Standard input as bytes in base64.
        :param timeout: Seconds until the command and all that it started are ended; 0 is no limit. (default 300)
        :param max_output_bytes: How many bytes of each stream to keep: the first ones. (default 10485760)
        :param encoding: How stdout and stderr are given: as text, or exactly. (default "utf-8")
        :param check: Raise ProcessError when the exit code is not 0.
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["commands.run"], {"command": command, "argv": argv, "shell": shell, "cwd": cwd, "env": env, "user": user, "stdin": stdin, "stdin_b64": stdin_b64, "timeout": timeout, "max_output_bytes": max_output_bytes, "encoding": encoding}, CommandsRunResult, request_timeout, check=check)

    def run_sync(
        self,
        command: str | None = None,
        stdin: str | None = None,
        *,
        argv: Sequence[str] | None = None,
        shell: str | None = None,
        cwd: PathLike | None = None,
        env: Mapping[str, str] | None = None,
        user: str | None = None,
        stdin_b64: BytesLike | None = None,
        timeout: float | None = None,
        max_output_bytes: int | None = None,
        encoding: Literal["utf-8", "base64"] | None = None,
        check: bool = False,
        request_timeout: float | None = None,
    ) -> CommandsRunResult:
        """run() for code without an event loop."""
        return self._caller.wait(self.run(command=command, argv=argv, shell=shell, cwd=cwd, env=env, user=user, stdin=stdin, stdin_b64=stdin_b64, timeout=timeout, max_output_bytes=max_output_bytes, encoding=encoding, check=check, request_timeout=request_timeout))

    def stream(
        self,
        command: str | None = None,
        stdin: str | None = None,
        *,
        argv: Sequence[str] | None = None,
        shell: str | None = None,
        cwd: PathLike | None = None,
        env: Mapping[str, str] | None = None,
        user: str | None = None,
        stdin_b64: BytesLike | None = None,
        timeout: float | None = None,
        encoding: Literal["utf-8", "base64"] | None = None,
        lines: bool | None = None,
        request_timeout: float | None = None,
    ) -> EventStream[CommandsStreamEvent]:
        """Run a command and send its output as it comes.

        As commands.run, with events. A caller who reads slowly slows the command down; one who leaves takes it along: what is to outlive its caller is started with process.start. A timeout sends 'error' and then 'exit'; a stream that ends without either was broken on the way.

        :param command: Text that the shell runs, as its -c argument.
        :param argv: Program and arguments, without a shell.
        :param shell: The shell; /bin/bash where it exists, else /bin/sh.
        :param cwd: Working directory; the base directory by default.
        :param env: Variables on top of the server's for children.
        :param user: User to run as, one that the policy lists.
        :param stdin: Standard input as text; without it end of file at once.
        :param stdin_b64: Standard input as bytes in base64.
        :param timeout: Seconds until the command and all that it started are ended; 0 is no limit. (default 0)
        :param encoding: How output is given: as text, or exactly. (default "utf-8")
        :param lines: One event for each whole line, without its newline (text only; a line over 1 MiB is cut). '?lines=true' behind the route says the same. (default false)
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return self._caller.events(OPS["commands.stream"], {"command": command, "argv": argv, "shell": shell, "cwd": cwd, "env": env, "user": user, "stdin": stdin, "stdin_b64": stdin_b64, "timeout": timeout, "encoding": encoding, "lines": lines}, CommandsStreamEvents, request_timeout)

    def stream_sync(
        self,
        command: str | None = None,
        stdin: str | None = None,
        *,
        argv: Sequence[str] | None = None,
        shell: str | None = None,
        cwd: PathLike | None = None,
        env: Mapping[str, str] | None = None,
        user: str | None = None,
        stdin_b64: BytesLike | None = None,
        timeout: float | None = None,
        encoding: Literal["utf-8", "base64"] | None = None,
        lines: bool | None = None,
        request_timeout: float | None = None,
    ) -> SyncEventStream[CommandsStreamEvent]:
        """stream() for code without an event loop."""
        return self._caller.iterate(self.stream(command=command, argv=argv, shell=shell, cwd=cwd, env=env, user=user, stdin=stdin, stdin_b64=stdin_b64, timeout=timeout, encoding=encoding, lines=lines, request_timeout=request_timeout))


class ProcessNamespace(Namespace):
    """The ops process.*"""

    async def start(
        self,
        command: str | None = None,
        *,
        argv: Sequence[str] | None = None,
        shell: str | None = None,
        cwd: PathLike | None = None,
        env: Mapping[str, str] | None = None,
        user: str | None = None,
        capture_output: bool | None = None,
        stdin: bool | None = None,
        name: str | None = None,
        timeout: float | None = None,
        idempotency_key: str | None = None,
        request_timeout: float | None = None,
    ) -> ProcessStartResult:
        """Start a program that outlives the call.

        Exactly one of 'command' (run by a shell) and 'argv' (no shell). It runs until it ends by itself, by its timeout, by a signal, or with the server. With an Idempotency-Key header a repeated start gives the first answer again for an hour and starts nothing; the server forgets the keys when it is restarted. Without 'capture_output' its output goes nowhere.

        :param command: Text that the shell runs, as its -c argument.
        :param argv: Program and arguments, without a shell.
        :param shell: The shell; /bin/bash where it exists, else /bin/sh.
        :param cwd: Working directory; the base directory by default.
        :param env: Variables on top of the server's for children.
        :param user: User to run as, one that the policy lists.
        :param capture_output: Whether its output is kept for process.output and process.follow. (default false)
        :param stdin: Whether process.stdin can write to it; otherwise it reads end of file at once. (default false)
        :param name: A label of at most 128 bytes: not unique, not an address.
        :param timeout: Seconds until it and all that it started are ended; 0 is no limit. (default 0)
        :param idempotency_key: The same key and arguments within an hour give the first answer again.
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["process.start"], {"command": command, "argv": argv, "shell": shell, "cwd": cwd, "env": env, "user": user, "capture_output": capture_output, "stdin": stdin, "name": name, "timeout": timeout}, ProcessStartResult, request_timeout, idempotency_key=idempotency_key)

    def start_sync(
        self,
        command: str | None = None,
        *,
        argv: Sequence[str] | None = None,
        shell: str | None = None,
        cwd: PathLike | None = None,
        env: Mapping[str, str] | None = None,
        user: str | None = None,
        capture_output: bool | None = None,
        stdin: bool | None = None,
        name: str | None = None,
        timeout: float | None = None,
        idempotency_key: str | None = None,
        request_timeout: float | None = None,
    ) -> ProcessStartResult:
        """start() for code without an event loop."""
        return self._caller.wait(self.start(command=command, argv=argv, shell=shell, cwd=cwd, env=env, user=user, capture_output=capture_output, stdin=stdin, name=name, timeout=timeout, idempotency_key=idempotency_key, request_timeout=request_timeout))

    async def list(
        self,
        *,
        request_timeout: float | None = None,
    ) -> ProcessListResult:
        """List processes.

        Those begun with process.start by any caller: all that run, and those that ended, until an hour has passed or 'retain' newer ones have ended.

        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["process.list"], {}, ProcessListResult, request_timeout)

    def list_sync(
        self,
        *,
        request_timeout: float | None = None,
    ) -> ProcessListResult:
        """list() for code without an event loop."""
        return self._caller.wait(self.list(request_timeout=request_timeout))

    async def get(
        self,
        pid: str | int,
        *,
        request_timeout: float | None = None,
    ) -> ProcessGetResult:
        """Look at one process.

        An ended process stays known until an hour has passed or 'retain' newer ones have ended. 'descendants' tells of what still lives of it after its own end; process.signal with 'group' reaches them.

        :param pid: Its id, or its pid: then the newest process that had it is meant.
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["process.get"], {"pid": pid}, ProcessGetResult, request_timeout)

    def get_sync(
        self,
        pid: str | int,
        *,
        request_timeout: float | None = None,
    ) -> ProcessGetResult:
        """get() for code without an event loop."""
        return self._caller.wait(self.get(pid=pid, request_timeout=request_timeout))

    async def signal(
        self,
        pid: str | int,
        *,
        signal: Any | None = None,
        group: bool | None = None,
        request_timeout: float | None = None,
    ) -> ProcessSignalResult:
        """Send a signal to a process.

        With 'group', the default, everything that descends from the process gets it, also what changed its session; without, the process alone. After its end only living descendants can be signalled, with 'group'. The policy lists the signals that may be sent.

        :param pid: Its id, or its pid: then the newest process that had it is meant.
        :param signal: Its name (\"SIGTERM\", the default) or its number.
        :param group: Whether all that descend from the process get it too. (default true)
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["process.signal"], {"pid": pid, "signal": signal, "group": group}, ProcessSignalResult, request_timeout)

    def signal_sync(
        self,
        pid: str | int,
        *,
        signal: Any | None = None,
        group: bool | None = None,
        request_timeout: float | None = None,
    ) -> ProcessSignalResult:
        """signal() for code without an event loop."""
        return self._caller.wait(self.signal(pid=pid, signal=signal, group=group, request_timeout=request_timeout))

    async def stdin(
        self,
        pid: str | int,
        data: str | None = None,
        *,
        data_b64: BytesLike | None = None,
        eof: bool | None = None,
        request_timeout: float | None = None,
    ) -> ProcessStdinResult:
        """Write to a process's standard input.

        The process must have been started with 'stdin'. The call is answered when the bytes are in the pipe, in the order of the calls. When the process takes none for five seconds (or one call lasts over a minute) it is limit.too_many, and 'details' says how many bytes were written; the rest was not.

        :param pid: Its id, or its pid: then the newest process that had it is meant.
        :param data: What to write, as text.
        :param data_b64: What to write, as bytes in base64.
        :param eof: Whether to close it behind the bytes. (default false)
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["process.stdin"], {"pid": pid, "data": data, "data_b64": data_b64, "eof": eof}, ProcessStdinResult, request_timeout)

    def stdin_sync(
        self,
        pid: str | int,
        data: str | None = None,
        *,
        data_b64: BytesLike | None = None,
        eof: bool | None = None,
        request_timeout: float | None = None,
    ) -> ProcessStdinResult:
        """stdin() for code without an event loop."""
        return self._caller.wait(self.stdin(pid=pid, data=data, data_b64=data_b64, eof=eof, request_timeout=request_timeout))

    async def output(
        self,
        pid: str | int,
        *,
        since: int | None = None,
        wait: float | None = None,
        max_bytes: int | None = None,
        stream: Literal["both", "stdout", "stderr"] | None = None,
        encoding: Literal["utf-8", "base64"] | None = None,
        request_timeout: float | None = None,
    ) -> ProcessOutputResult:
        """Read what a process wrote, from an offset on.

        Reading consumes nothing: any number of readers go on from their own 'next', and the same 'since' gives the same bytes again. The newest 'max_output_bytes' are kept; 'dropped' tells how many of the wanted ones are gone. With 'wait' the answer comes with the first byte or when the process ends. A character that a limit would cut belongs to the later read.

        :param pid: Its id, or its pid: then the newest process that had it is meant.
        :param since: Offset of the first byte, counted over both streams since the start. (default 0)
        :param wait: Seconds to wait for a byte or the end when there is none yet. (default 0)
        :param max_bytes: Most bytes to return. (default 1048576)
        :param stream: Which stream; offsets count both in any case. (default "both")
        :param encoding: How the bytes are given: as text, or exactly. (default "utf-8")
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["process.output"], {"pid": pid, "since": since, "wait": wait, "max_bytes": max_bytes, "stream": stream, "encoding": encoding}, ProcessOutputResult, request_timeout)

    def output_sync(
        self,
        pid: str | int,
        *,
        since: int | None = None,
        wait: float | None = None,
        max_bytes: int | None = None,
        stream: Literal["both", "stdout", "stderr"] | None = None,
        encoding: Literal["utf-8", "base64"] | None = None,
        request_timeout: float | None = None,
    ) -> ProcessOutputResult:
        """output() for code without an event loop."""
        return self._caller.wait(self.output(pid=pid, since=since, wait=wait, max_bytes=max_bytes, stream=stream, encoding=encoding, request_timeout=request_timeout))

    def follow(
        self,
        pid: str | int,
        *,
        since: int | None = None,
        stream: Literal["both", "stdout", "stderr"] | None = None,
        encoding: Literal["utf-8", "base64"] | None = None,
        request_timeout: float | None = None,
    ) -> EventStream[ProcessFollowEvent]:
        """The output of a process as it comes.

        Events carry an id: with it as Last-Event-ID (or as 'since') a new call goes on where the old one broke, and a client of server-sent events does so by itself. A reader who is too slow for what the ring keeps is told of a 'gap'; the process never waits for its readers.

        :param pid: Its id, or its pid: then the newest process that had it is meant.
        :param since: Offset of the first byte; a Last-Event-ID header goes before it. (default 0)
        :param stream: Which stream; offsets count both in any case. (default "both")
        :param encoding: How the bytes are given: as text, or exactly. (default "utf-8")
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return self._caller.events(OPS["process.follow"], {"pid": pid, "since": since, "stream": stream, "encoding": encoding}, ProcessFollowEvents, request_timeout)

    def follow_sync(
        self,
        pid: str | int,
        *,
        since: int | None = None,
        stream: Literal["both", "stdout", "stderr"] | None = None,
        encoding: Literal["utf-8", "base64"] | None = None,
        request_timeout: float | None = None,
    ) -> SyncEventStream[ProcessFollowEvent]:
        """follow() for code without an event loop."""
        return self._caller.iterate(self.follow(pid=pid, since=since, stream=stream, encoding=encoding, request_timeout=request_timeout))


class TerminalNamespace(Namespace):
    """The ops terminal.*"""

    async def create(
        self,
        command: str | None = None,
        *,
        argv: Sequence[str] | None = None,
        shell: str | None = None,
        cwd: PathLike | None = None,
        env: Mapping[str, str] | None = None,
        user: str | None = None,
        cols: int | None = None,
        rows: int | None = None,
        scrollback_bytes: int | None = None,
        request_timeout: float | None = None,
    ) -> TerminalCreateResult:
        """Start a program on a terminal.

        Without 'command' and 'argv' the shell is started as a login shell. The program has a controlling terminal of the given size from its first instruction on, and TERM=xterm-256color. It lives on when nobody is attached, and its output is read and kept all the same, the newest scrollback_bytes of it.

        :param command: Text that the shell runs, as its -c argument.
        :param argv: Program and arguments, without a shell.
        :param shell: The shell; /bin/bash where it exists, else /bin/sh.
        :param cwd: Working directory; the base directory by default.
        :param env: Variables on top of the server's for children.
        :param user: User to run as, one that the policy lists.
        :param cols: Columns. (default 80)
        :param rows: Rows. (default 24)
        :param scrollback_bytes: How much of the output is kept for those who attach later. (default 262144)
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["terminal.create"], {"command": command, "argv": argv, "shell": shell, "cwd": cwd, "env": env, "user": user, "cols": cols, "rows": rows, "scrollback_bytes": scrollback_bytes}, TerminalCreateResult, request_timeout)

    def create_sync(
        self,
        command: str | None = None,
        *,
        argv: Sequence[str] | None = None,
        shell: str | None = None,
        cwd: PathLike | None = None,
        env: Mapping[str, str] | None = None,
        user: str | None = None,
        cols: int | None = None,
        rows: int | None = None,
        scrollback_bytes: int | None = None,
        request_timeout: float | None = None,
    ) -> TerminalCreateResult:
        """create() for code without an event loop."""
        return self._caller.wait(self.create(command=command, argv=argv, shell=shell, cwd=cwd, env=env, user=user, cols=cols, rows=rows, scrollback_bytes=scrollback_bytes, request_timeout=request_timeout))

    async def list(
        self,
        *,
        request_timeout: float | None = None,
    ) -> TerminalListResult:
        """List the terminal sessions.

        A session whose program has ended stays for a minute after that, or after its last client has left.

        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["terminal.list"], {}, TerminalListResult, request_timeout)

    def list_sync(
        self,
        *,
        request_timeout: float | None = None,
    ) -> TerminalListResult:
        """list() for code without an event loop."""
        return self._caller.wait(self.list(request_timeout=request_timeout))

    async def get(
        self,
        id: str | int,
        *,
        request_timeout: float | None = None,
    ) -> TerminalGetResult:
        """Tell about one terminal session.

        As terminal.list has it.

        :param id: The session's id.
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["terminal.get"], {"id": id}, TerminalGetResult, request_timeout)

    def get_sync(
        self,
        id: str | int,
        *,
        request_timeout: float | None = None,
    ) -> TerminalGetResult:
        """get() for code without an event loop."""
        return self._caller.wait(self.get(id=id, request_timeout=request_timeout))

    async def resize(
        self,
        id: str | int,
        cols: int,
        rows: int,
        *,
        request_timeout: float | None = None,
    ) -> TerminalResizeResult:
        """Change the size of a terminal.

        There is one size for all clients of a session: the last that was set.

        :param id: The session's id.
        :param cols: Columns.
        :param rows: Rows.
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["terminal.resize"], {"id": id, "cols": cols, "rows": rows}, TerminalResizeResult, request_timeout)

    def resize_sync(
        self,
        id: str | int,
        cols: int,
        rows: int,
        *,
        request_timeout: float | None = None,
    ) -> TerminalResizeResult:
        """resize() for code without an event loop."""
        return self._caller.wait(self.resize(id=id, cols=cols, rows=rows, request_timeout=request_timeout))

    async def delete(
        self,
        id: str | int,
        *,
        request_timeout: float | None = None,
    ) -> TerminalDeleteResult:
        """End a terminal session.

        Hangs up everything that the session started, kills what does not go, and answers when nothing is left. A session that has ended by itself is forgotten, and what it left running is ended too.

        :param id: The session's id.
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["terminal.delete"], {"id": id}, TerminalDeleteResult, request_timeout)

    def delete_sync(
        self,
        id: str | int,
        *,
        request_timeout: float | None = None,
    ) -> TerminalDeleteResult:
        """delete() for code without an event loop."""
        return self._caller.wait(self.delete(id=id, request_timeout=request_timeout))


class SystemNamespace(Namespace):
    """The ops system.*"""

    @cached_property
    def env(self) -> SystemEnvNamespace:
        return SystemEnvNamespace(self._client, "system.env")

    async def info(
        self,
        *,
        request_timeout: float | None = None,
    ) -> SystemInfoResult:
        """Tell what the sandbox is made of.

        Memory and CPU are the cgroup's where it sets a limit; those of the machine stand under names of their own. No limit and what is not known are null.

        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["system.info"], {}, SystemInfoResult, request_timeout)

    def info_sync(
        self,
        *,
        request_timeout: float | None = None,
    ) -> SystemInfoResult:
        """info() for code without an event loop."""
        return self._caller.wait(self.info(request_timeout=request_timeout))

    async def metrics(
        self,
        *,
        request_timeout: float | None = None,
    ) -> SystemMetricsResult:
        """Tell how much of the sandbox is in use now.

        The figures are the cgroup's where it sets a limit. What is not known is null. Takes a fifth of a second.

        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["system.metrics"], {}, SystemMetricsResult, request_timeout)

    def metrics_sync(
        self,
        *,
        request_timeout: float | None = None,
    ) -> SystemMetricsResult:
        """metrics() for code without an event loop."""
        return self._caller.wait(self.metrics(request_timeout=request_timeout))

    async def ports(
        self,
        *,
        request_timeout: float | None = None,
    ) -> SystemPortsResult:
        """List the ports that somebody listens on.

        IPv4 and IPv6, of the server's network namespace.

        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["system.ports"], {}, SystemPortsResult, request_timeout)

    def ports_sync(
        self,
        *,
        request_timeout: float | None = None,
    ) -> SystemPortsResult:
        """ports() for code without an event loop."""
        return self._caller.wait(self.ports(request_timeout=request_timeout))

    async def packages(
        self,
        *,
        manager: Literal["pip", "npm", "apt", "apk", "cargo"] | None = None,
        request_timeout: float | None = None,
    ) -> SystemPackagesResult:
        """List the packages that a package manager has installed.

        apt and apk are read from their databases; pip, npm and cargo are run, in an environment of their own.

        :param manager: Whose packages. (default "pip")
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["system.packages"], {"manager": manager}, SystemPackagesResult, request_timeout)

    def packages_sync(
        self,
        *,
        manager: Literal["pip", "npm", "apt", "apk", "cargo"] | None = None,
        request_timeout: float | None = None,
    ) -> SystemPackagesResult:
        """packages() for code without an event loop."""
        return self._caller.wait(self.packages(manager=manager, request_timeout=request_timeout))

    async def prometheus(
        self,
        *,
        request_timeout: float | None = None,
    ) -> SystemPrometheusResult:
        """Give the figures of the sandbox and of the server as Prometheus reads them.

        At its own address the text itself, unless Accept asks for application/json.

        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["system.prometheus"], {}, SystemPrometheusResult, request_timeout)

    def prometheus_sync(
        self,
        *,
        request_timeout: float | None = None,
    ) -> SystemPrometheusResult:
        """prometheus() for code without an event loop."""
        return self._caller.wait(self.prometheus(request_timeout=request_timeout))


class DevtoolsNamespace(Namespace):
    """The ops devtools.*"""

    @cached_property
    def code(self) -> DevtoolsCodeNamespace:
        return DevtoolsCodeNamespace(self._client, "devtools.code")

    @cached_property
    def git(self) -> DevtoolsGitNamespace:
        return DevtoolsGitNamespace(self._client, "devtools.git")


class BrowserNamespace(Namespace):
    """The ops browser.*"""

    async def navigate(
        self,
        url: str,
        *,
        wait_until: Literal["load", "domcontentloaded", "networkidle", "commit"] | None = None,
        timeout: int | None = None,
        request_timeout: float | None = None,
    ) -> BrowserNavigateResult:
        """Go to an address and wait until the page is there.

        A page that answers with an error status is a page: 'status' says so. 'networkidle' is the load event and no request for 500 ms. Redirects and whatever the page loads are held to the policy's browser.allow_hosts.

        :param url: Where to go: http, https, data or about:blank.
        :param wait_until: When the page counts as there: its load event, its DOM, no request for 500 ms, or the first byte. (default "networkidle")
        :param timeout: Milliseconds until it is given up. (default 30000)
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["browser.navigate"], {"url": url, "wait_until": wait_until, "timeout": timeout}, BrowserNavigateResult, request_timeout)

    def navigate_sync(
        self,
        url: str,
        *,
        wait_until: Literal["load", "domcontentloaded", "networkidle", "commit"] | None = None,
        timeout: int | None = None,
        request_timeout: float | None = None,
    ) -> BrowserNavigateResult:
        """navigate() for code without an event loop."""
        return self._caller.wait(self.navigate(url=url, wait_until=wait_until, timeout=timeout, request_timeout=request_timeout))

    async def screenshot(
        self,
        *,
        selector: str | None = None,
        full_page: bool | None = None,
        format: Literal["png", "jpeg"] | None = None,
        quality: int | None = None,
        request_timeout: float | None = None,
    ) -> bytes:
        """Take a picture of the page or of one element.

        With Accept: image/* (or image/png, image/jpeg) the bytes are sent as they are, in the format that was asked for. A picture is at most 16384 pixels wide and high; a page that is longer is cut there.

        :param selector: CSS selector of one element; without it the page.
        :param full_page: The whole page instead of what a window shows; not asked with a selector. (default true)
        :param format: The kind of picture. (default "png")
        :param quality: Of a jpeg.
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.fetch(OPS["browser.screenshot"], {"selector": selector, "full_page": full_page, "format": format, "quality": quality}, request_timeout)

    def screenshot_sync(
        self,
        *,
        selector: str | None = None,
        full_page: bool | None = None,
        format: Literal["png", "jpeg"] | None = None,
        quality: int | None = None,
        request_timeout: float | None = None,
    ) -> bytes:
        """screenshot() for code without an event loop."""
        return self._caller.wait(self.screenshot(selector=selector, full_page=full_page, format=format, quality=quality, request_timeout=request_timeout))

    async def content(
        self,
        *,
        type: Literal["html", "text"] | None = None,
        request_timeout: float | None = None,
    ) -> BrowserContentResult:
        """Read the page as HTML or text.

        The HTML is the document as scripts have made it by now, not what the server sent. The text is what a reader sees.

        :param type: The document as it is now, or the text that it shows. (default "html")
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["browser.content"], {"type": type}, BrowserContentResult, request_timeout)

    def content_sync(
        self,
        *,
        type: Literal["html", "text"] | None = None,
        request_timeout: float | None = None,
    ) -> BrowserContentResult:
        """content() for code without an event loop."""
        return self._caller.wait(self.content(type=type, request_timeout=request_timeout))

    async def click(
        self,
        selector: str,
        *,
        timeout: int | None = None,
        request_timeout: float | None = None,
    ) -> BrowserClickResult:
        """Click on an element.

        Waits until the element is there, visible, at rest, enabled and not covered, scrolls it into view, and presses the mouse in its middle. What did not come true in time is in the error.

        :param selector: CSS selector of the element; the first that matches.
        :param timeout: Milliseconds until it is given up. (default 5000)
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["browser.click"], {"selector": selector, "timeout": timeout}, BrowserClickResult, request_timeout)

    def click_sync(
        self,
        selector: str,
        *,
        timeout: int | None = None,
        request_timeout: float | None = None,
    ) -> BrowserClickResult:
        """click() for code without an event loop."""
        return self._caller.wait(self.click(selector=selector, timeout=timeout, request_timeout=request_timeout))

    async def type(
        self,
        selector: str,
        text: str,
        *,
        delay: int | None = None,
        clear: bool | None = None,
        request_timeout: float | None = None,
    ) -> BrowserTypeResult:
        """Type text into an element.

        Waits up to five seconds for the element as browser.click does, gives it the focus, and presses real keys. Characters that no key has are put in as an input method does.

        :param selector: CSS selector of the element; the first that matches.
        :param text: What is typed; a line feed is the Enter key, a tab the Tab key.
        :param delay: Milliseconds between two keys. (default 50)
        :param clear: Whether what the element holds is removed first. (default false)
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["browser.type"], {"selector": selector, "text": text, "delay": delay, "clear": clear}, BrowserTypeResult, request_timeout)

    def type_sync(
        self,
        selector: str,
        text: str,
        *,
        delay: int | None = None,
        clear: bool | None = None,
        request_timeout: float | None = None,
    ) -> BrowserTypeResult:
        """type() for code without an event loop."""
        return self._caller.wait(self.type(selector=selector, text=text, delay=delay, clear=clear, request_timeout=request_timeout))

    async def evaluate(
        self,
        script: str,
        *,
        timeout: int | None = None,
        request_timeout: float | None = None,
    ) -> BrowserEvaluateResult:
        """Run a script in the page and answer with its value.

        What a script throws is browser.failed with its message; so is a value that has no JSON form, such as a function. At the timeout the script is ended, also in the middle of a loop.

        :param script: JavaScript; its last expression is the result, a promise is awaited.
        :param timeout: Milliseconds until it is ended. (default 10000)
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["browser.evaluate"], {"script": script, "timeout": timeout}, BrowserEvaluateResult, request_timeout)

    def evaluate_sync(
        self,
        script: str,
        *,
        timeout: int | None = None,
        request_timeout: float | None = None,
    ) -> BrowserEvaluateResult:
        """evaluate() for code without an event loop."""
        return self._caller.wait(self.evaluate(script=script, timeout=timeout, request_timeout=request_timeout))

    async def pdf(
        self,
        *,
        format: Literal["A3", "A4", "A5", "Letter", "Legal", "Tabloid"] | None = None,
        landscape: bool | None = None,
        request_timeout: float | None = None,
    ) -> bytes:
        """Print the page as a PDF document.

        Backgrounds are printed. With Accept: application/pdf the bytes are sent as they are.

        :param format: The size of the paper. (default "A4")
        :param landscape: Whether the paper lies on its long side. (default false)
        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.fetch(OPS["browser.pdf"], {"format": format, "landscape": landscape}, request_timeout)

    def pdf_sync(
        self,
        *,
        format: Literal["A3", "A4", "A5", "Letter", "Legal", "Tabloid"] | None = None,
        landscape: bool | None = None,
        request_timeout: float | None = None,
    ) -> bytes:
        """pdf() for code without an event loop."""
        return self._caller.wait(self.pdf(format=format, landscape=landscape, request_timeout=request_timeout))

    async def console(
        self,
        *,
        request_timeout: float | None = None,
    ) -> BrowserConsoleResult:
        """Read what the page has written to its console.

        Reading clears it. Dialogs, which are dismissed, downloads, which are refused, uncaught exceptions and crashes are in it too. It starts no browser and waits for no other call.

        :param request_timeout: Seconds after which the client gives the call up.
        """
        return await self._caller.json(OPS["browser.console"], {}, BrowserConsoleResult, request_timeout)

    def console_sync(
        self,
        *,
        request_timeout: float | None = None,
    ) -> BrowserConsoleResult:
        """console() for code without an event loop."""
        return self._caller.wait(self.console(request_timeout=request_timeout))


class Tree(Root):
    """The namespaces of the catalog."""

    @cached_property
    def core(self) -> CoreNamespace:
        return CoreNamespace(self._client, "core")

    @cached_property
    def custom(self) -> CustomNamespace:
        return CustomNamespace(self._client, "custom")

    @cached_property
    def files(self) -> FilesNamespace:
        return FilesNamespace(self._client, "files")

    @cached_property
    def commands(self) -> CommandsNamespace:
        return CommandsNamespace(self._client, "commands")

    @cached_property
    def process(self) -> ProcessNamespace:
        return ProcessNamespace(self._client, "process")

    @cached_property
    def terminal(self) -> TerminalNamespace:
        return TerminalNamespace(self._client, "terminal")

    @cached_property
    def system(self) -> SystemNamespace:
        return SystemNamespace(self._client, "system")

    @cached_property
    def devtools(self) -> DevtoolsNamespace:
        return DevtoolsNamespace(self._client, "devtools")

    @cached_property
    def browser(self) -> BrowserNamespace:
        return BrowserNamespace(self._client, "browser")
