# SPDX-License-Identifier: Apache-2.0
"""
One case for each op, by hand: the arguments of a call that works, and of one that is refused with its class.

The functions get the kit of the test: .folder is a new folder below the base, .srv the client with every right,
.make(path, bytes) writes a file and returns its path, .server the server.
"""
import io
import tarfile
from collections.abc import Callable
from typing import Any, NamedTuple

from agent_sandbox import errors


class Args:
    def __init__(self, *words: Any, **named: Any) -> None:
        self.words, self.named = words, named


class Case(NamedTuple):
    good: Callable[[Any], Args]
    bad: Callable[[Any], Args] | None  # None: nothing that a caller may say is wrong; `why` tells it
    error: type[errors.SandboxError] | None
    check: Callable[[Any], bool] = lambda _: True
    why: str = ""
    as_stranger: bool = False  # the refusal is that of a caller without a token


def no_one(case_why: str, check: Callable[[Any], bool] = lambda _: True) -> Case:
    """An op without arguments: the refused call is that of a stranger."""
    return Case(lambda _: Args(), lambda _: Args(), errors.ServerAuthError, check, case_why, as_stranger=True)


def tar_of(name: str, data: bytes) -> bytes:
    made = io.BytesIO()
    info = tarfile.TarInfo(name)
    info.size = len(data)
    with tarfile.open(fileobj=made, mode="w") as tar:
        tar.addfile(info, io.BytesIO(data))
    return made.getvalue()


CASES: dict[str, Case] = {
    "core.health": Case(lambda _: Args(), None, None, lambda r: r.status == "ok", "it takes nothing and asks for no token"),
    "core.capabilities": no_one("no arguments", lambda r: r.ops["files.list"]["allowed"]),
    "core.check": Case(
        lambda kit: Args(op="files.stat", path=str(kit.folder)), lambda _: Args(), errors.ServerArgumentError,
        lambda r: r.allowed is True),
    "core.describe": Case(
        lambda _: Args(id="files.list"), lambda _: Args(id="files.nothing"), errors.ContractMismatchError,
        lambda r: [op["id"] for op in r.ops] == ["files.list"]),
    "core.openapi": no_one("no arguments", lambda r: r.openapi.startswith("3.1")),
    "core.reload": no_one("no arguments"),
    "custom.list": no_one("no arguments", lambda r: r.commands == []),
    "files.list": Case(
        lambda kit: Args(kit.folder, recursive=True, hidden=False), lambda kit: Args(kit.folder / "no"), errors.FileNotFoundError_,
        lambda r: r.truncated is False),
    "files.stat": Case(
        lambda kit: Args(kit.make("s", b"abc")), lambda _: Args("/etc/passwd"), errors.FilePolicyDeniedError, lambda r: r.size == 3),
    "files.mkdir": Case(
        lambda kit: Args(kit.folder / "m/n", parents=True), lambda kit: Args(kit.make("f", b"")), errors.FileOperationError,
        lambda r: r.created),
    "files.delete": Case(
        lambda kit: Args(kit.make("d", b"")), lambda kit: Args(kit.folder / "no"), errors.FileNotFoundError_, lambda r: r.deleted),
    "files.move": Case(
        lambda kit: Args(kit.make("m1", b"x"), kit.folder / "m2"), lambda kit: Args(kit.make("m3", b""), kit.make("m4", b""), overwrite=False),
        errors.FileOperationError, lambda r: r.destination.endswith("/m2")),
    "files.upload_stream": Case(
        lambda kit: Args(kit.folder / "u", b"\x00\xff\r\n"), lambda kit: Args(kit.folder / "no/u", b""), errors.FileNotFoundError_,
        lambda r: r.bytes == 4),
    "files.download_stream": Case(
        lambda kit: Args(kit.make("b", b"\x00\xff\r\n")), lambda kit: Args(kit.folder), errors.FileOperationError,
        lambda r: r == b"\x00\xff\r\n"),
    "files.archive": Case(
        lambda kit: Args([kit.make("a", b"x")], format="zip"), lambda kit: Args([kit.folder / "no"]), errors.FileNotFoundError_,
        lambda r: r.startswith(b"PK")),
    "files.watch": Case(
        lambda kit: Args(kit.folder, timeout=0.05), lambda _: Args("/etc"), errors.FilePolicyDeniedError,
        lambda r: r[0].path and r[-1].reason == "timeout"),
    "files.upload": Case(
        lambda kit: Args(kit.folder / "u2", b"abc", mode="600"), lambda kit: Args(kit.folder / "u3", b"", mode="9"),
        errors.ServerArgumentError, lambda r: r.bytes == 3),
    "files.download": Case(
        lambda kit: Args(kit.make("b2", b"\xef\xbb\xbfx")), lambda kit: Args(kit.folder / "no"), errors.FileNotFoundError_,
        lambda r: r == b"\xef\xbb\xbfx"),
    "files.extract": Case(
        lambda kit: Args(kit.folder / "x", tar_of("f", b"hello")), lambda kit: Args(kit.folder / "y", b"no archive"),
        errors.ServerArgumentError, lambda r: r.entries == 1 and r.bytes == 5),
    "browser.navigate": Case(
        lambda _: Args("data:text/html,<title>here</title>", wait_until="load"), lambda _: Args("file:///etc/passwd"),
        errors.ServerArgumentError, lambda r: r.title == "here" and r.status is None),
    "browser.screenshot": Case(
        lambda kit: kit.show("x") and Args(full_page=False), lambda _: Args(quality=5), errors.ServerArgumentError,
        lambda r: r.startswith(b"\x89PNG")),
    "browser.content": Case(
        lambda kit: kit.show("words") and Args(type="text"), lambda _: Args(type="pdf"), errors.ServerArgumentError,
        lambda r: r.content == "words"),
    "browser.click": Case(
        lambda kit: kit.show("<button>b</button>") and Args("button"), lambda kit: kit.show("x") and Args("#no", timeout=1), errors.ServerAPIError,
        lambda r: r.clicked is True),
    "browser.type": Case(
        lambda kit: kit.show("<input>") and Args("input", "text", delay=0), lambda kit: kit.show("<input>") and Args("[", "text"),
        errors.ServerArgumentError, lambda r: r.typed is True and r.text == "text"),
    "browser.evaluate": Case(
        lambda _: Args("[1, {a: null}]"), lambda _: Args("throw 1"), errors.ServerAPIError, lambda r: r.result == [1, {"a": None}]),
    "browser.pdf": Case(
        lambda kit: kit.show("x") and Args(format="A5"), lambda _: Args(format="A9"), errors.ServerArgumentError, lambda r: r.startswith(b"%PDF")),
    "browser.console": Case(
        lambda kit: kit.show("<script>console.log(7)</script>") and Args(), lambda _: Args(), errors.ServerAuthError,
        lambda r: (r.logs[-1].type, r.logs[-1].text) == ("log", "7"), as_stranger=True),
    "files.search": Case(
        lambda kit: Args(kit.make("found", b"").parent, "f?und", type="file"), lambda kit: Args(kit.folder / "no", "*"),
        errors.FileNotFoundError_, lambda r: [one.name for one in r.results] == ["found"]),
    "files.read": Case(
        lambda kit: Args(kit.make("r", b"one\ntwo\n"), lines="2"), lambda kit: Args(kit.folder), errors.FileOperationError,
        lambda r: r.content == "two\n" and r.size == 8 and r.etag),
    "files.write": Case(
        lambda kit: Args(kit.folder / "w", content="text"), lambda kit: Args(kit.folder / "no/w", content=""), errors.FileNotFoundError_,
        lambda r: r.bytes == 4),
    "files.edit": Case(
        lambda kit: Args(kit.make("e", b"one"), edits=[{"old": "one", "new": "two"}]),
        lambda kit: Args(kit.make("e2", b"one"), edits=[{"old": "two", "new": "one"}]), errors.FileOperationError,
        lambda r: r.replacements == 1),
    "files.grep": Case(
        lambda kit: Args(kit.make("g", b"a\nneedle\n"), "n.*e"), lambda kit: Args(kit.folder, "["), errors.ServerArgumentError,
        lambda r: r.matches[0].line == 2),
    "files.copy": Case(
        lambda kit: Args(kit.make("c", b"abc"), kit.folder / "c2"), lambda kit: Args(kit.folder / "no", kit.folder / "c3"),
        errors.FileNotFoundError_, lambda r: r.bytes == 3),
    "files.chmod": Case(
        lambda kit: Args(kit.make("m", b""), "600"), lambda kit: Args(kit.make("m5", b""), "9"), errors.ServerArgumentError,
        lambda r: r.changed == 1),
    "commands.run": Case(
        lambda kit: Args("echo hi; exit 3", cwd=kit.folder, env={"A": "b"}), lambda _: Args("sleep 60", timeout=0.2),
        errors.CommandTimeoutError, lambda r: r.stdout == "hi\n" and r.exit_code == 3),
    "commands.stream": Case(
        lambda _: Args("echo hi; exit 3"), lambda _: Args(argv=["/no/such/program"]), errors.ExecutionError,
        lambda r: r[-1].event == "exit" and r[-1].exit_code == 3),
    "process.start": Case(
        lambda kit: Args("echo hi", capture_output=True, name="n", cwd=kit.folder), lambda _: Args(), errors.ServerArgumentError,
        lambda r: r.pid > 0 and r.command == "echo hi"),
    "process.list": Case(
        lambda kit: kit.process("true") and Args(), lambda _: Args(), errors.ServerAuthError, lambda r: r.processes[0].state, as_stranger=True),
    "process.get": Case(
        lambda kit: Args(kit.process(argv=["sleep", "60"])), lambda _: Args("nothing"), errors.ServerAPIError, lambda r: r.state == "running"),
    "process.signal": Case(
        lambda kit: Args(kit.process(argv=["sleep", "60"]), signal="SIGTERM"), lambda kit: Args(kit.process(argv=["sleep", "60"]), signal="SIGNO"),
        errors.ServerArgumentError, lambda r: r.signal == "SIGTERM"),
    "process.stdin": Case(
        lambda kit: Args(kit.process("cat", stdin=True), "text\n", eof=True), lambda kit: Args(kit.process("sleep 60"), "text"),
        errors.ServerAPIError, lambda r: r.bytes == 5),
    "process.output": Case(
        lambda kit: Args(kit.process("echo hi"), wait=60), lambda kit: Args(kit.process("true", capture_output=False)), errors.ServerAPIError,
        lambda r: r.chunks[0].data == "hi\n"),
    "process.follow": Case(
        lambda kit: Args(kit.process("echo hi; exit 3")), lambda _: Args("nothing"), errors.ServerAPIError,
        lambda r: r[0].data == "hi\n" and r[-1].exit_code == 3),
    "terminal.create": Case(
        lambda kit: Args(argv=["sleep", "60"], cols=100), lambda _: Args(cols=0), errors.ServerArgumentError,
        lambda r: r.session_id and r.ws_url.startswith("ws://")),
    "terminal.list": Case(
        lambda kit: kit.terminal() and Args(), lambda _: Args(), errors.ServerAuthError, lambda r: r.sessions[0].cols, as_stranger=True),
    "terminal.get": Case(
        lambda kit: Args(kit.terminal()), lambda _: Args("nothing"), errors.ServerAPIError, lambda r: r.alive),
    "terminal.resize": Case(
        lambda kit: Args(kit.terminal(), 90, 30), lambda kit: Args(kit.terminal(), 0, 30), errors.ServerArgumentError, lambda r: r.cols == 90),
    "terminal.delete": Case(
        lambda kit: Args(kit.terminal()), lambda _: Args("nothing"), errors.ServerAPIError, lambda r: r.status == "closed"),
    "terminal.connect": Case(
        lambda kit: Args(kit.terminal("cat")), lambda _: Args("nothing"), errors.ServerAPIError, lambda r: "typed" in r),
    "system.info": no_one("no arguments", lambda r: r.os == "Linux"),
    "system.metrics": no_one("no arguments", lambda r: r.processes is None or r.processes > 0),
    "system.env.get": Case(
        lambda _: Args(names="PATH"), lambda _: Args(), errors.ServerAuthError, lambda r: list(r.variables) == ["PATH"], as_stranger=True),
    "system.env.set": Case(
        lambda _: Args({"CONTRACT": "a", "GONE": None}), lambda _: Args({"LD_PRELOAD": "x"}), errors.PolicyDeniedError,
        lambda r: r.updated == ["CONTRACT", "GONE"]),
    "system.ports": no_one("no arguments", lambda r: any(one.protocol == "tcp" for one in r.listening)),
    "system.packages": Case(
        lambda _: Args(manager="cargo"), lambda _: Args(manager="brew"), errors.ServerArgumentError, lambda r: r.manager == "cargo"),
    "system.prometheus": no_one("no arguments", lambda r: "# TYPE" in r.text),
    "devtools.code.run": Case(
        lambda kit: Args("echo $A; exit 3", language="bash", env={"A": "b"}, cwd=kit.folder), lambda _: Args("x", language="cobol"),
        errors.ServerArgumentError, lambda r: r.stdout == "b\n" and r.exit_code == 3),
    "devtools.git.status": Case(
        lambda kit: Args(path=kit.repository()), lambda kit: Args(path=kit.folder / "no"), errors.FileNotFoundError_,
        lambda r: [(one.path, one.status) for one in r.files] == [("new", "untracked")]),
    "devtools.git.diff": Case(
        lambda kit: Args(path=kit.repository()), lambda _: Args(path="/etc"), errors.FilePolicyDeniedError,
        lambda r: r.stats.files_changed == 0),
}
