# SPDX-License-Identifier: Apache-2.0
"""The template author's commands through the packages: Python workers, both clients, and the examples."""
import asyncio
import json
import shutil
import subprocess
import sys

import pytest

from agent_sandbox import Sandbox, ServerClient, errors
from agent_sandbox.models.server import CustomListResult, ServerCommand
from lib.client import expect_error
from lib.custom import client_of, manifest
from lib.custom import run as run_raw
from lib.processes import eventually, running
from lib.server import ROOT, Server

SOURCE = str(ROOT / "clients/python/src")
AUTHOR = '''
from __future__ import annotations
import asyncio, os, subprocess, sys, threading
from collections.abc import Mapping, Sequence
from typing import Literal, Optional, TypedDict
from agent_sandbox import Sandbox
from agent_sandbox.worker import command

print("loading is not part of the protocol")
class Facts(TypedDict):
    a: int

@command(description="Everything that a signature can say.")
def kinds(text: str, whole: int, part: float = 1, sure: bool = False, items: list[int] = (1, 2), facts: dict = {}, maybe: Optional[str] = None,
          other: str | None = None, way: Literal["up", "down"] = "up", rest: Sequence[str] = (), guessed=5, typed: Facts | None = None):
    return [text, whole, type(part).__name__, sure, items, facts, maybe, other, way, list(rest), guessed, typed]

@command
def pairs(pair: tuple[int, int], many: set = set()) -> str:
    """
    Two of them.

    Indented, and more.
    """
    return f"{type(pair).__name__} {type(many).__name__}"

@command(name="loud-one")
async def loud():
    print("to nobody")
    sys.stdout.write("either\\n")
    os.system("echo a program")
    subprocess.run(["echo", "another"])
    os.write(1, b"and the descriptor\\n")
    return "quiet" + sys.stdin.read()

gate = None
@command
async def wait_for_gate():
    global gate
    gate = gate or asyncio.Event()
    await gate.wait()
    return "through"

@command
async def open_gate():
    gate.set()

barrier = threading.Barrier(2)
@command
def meet() -> int:
    return barrier.wait(60) * 0

@command
def fails(how: str):
    if how == "exit":
        sys.exit(3)
    if how == "stop":
        next(iter(()))
    if how == "json":
        return object()
    if how == "nan":
        return float("nan")
    raise LookupError("not \\u00e9 here")

@command
async def fails_async():
    raise SystemExit("gone")

class Wordless(Exception):
    def __str__(self):
        raise ValueError("no words")

@command(hidden=True)
async def fails_oddly(how: str):
    if how == "cancelled":
        other = asyncio.create_task(asyncio.sleep(60))
        other.cancel()
        await other
    if how == "wordless":
        raise Wordless()
    if how == "long":
        raise ValueError("x" * 9_000_000)
    return "x" * 9_000_000

@command(timeout=0.2)
async def slow(mark: str):
    open(mark + "-begun", "w").close()
    try:
        await asyncio.sleep(600)
    finally:
        open(mark, "w").close()

@command(hidden=True)
def behind() -> None: ...

@Sandbox.local().server.register(description="Through the sandbox.")
def registered(n: int = 1) -> int:
    return n + 1
'''


def are_ready(server):
    """The server waits ten seconds for its workers, and then serves without those that are late."""
    def settled():
        workers = server.client().call("custom.list")["workers"]
        return all(one["state"] != "starting" for one in workers) and workers

    assert {one["state"] for one in eventually(settled, within=110)} == {"ready"}


@pytest.fixture(scope="module")
def author(tmp_path_factory):
    folder = tmp_path_factory.mktemp("author")
    (folder / "commands.py").write_text(AUTHOR)
    manifest(folder, "py.yaml", worker=[sys.executable, "-m", "agent_sandbox.worker", "commands.py"], cwd=".", env={"PYTHONPATH": SOURCE}, start_timeout=110)
    manifest(folder, "echo.yaml", name="echo-it", description="Say it.", args=[{"name": "text"}], run=["printf", "%s", "{text}"])
    with Server("--commands", folder, policy={"profile": "full_access"}) as server:
        are_ready(server)
        yield server


@pytest.fixture
def raw(author):
    return client_of(author)


@pytest.fixture
def srv(author):
    with ServerClient(author.url) as one:
        yield one


# --- the worker


def test_the_schema_is_the_signature(raw):
    listed = {one["name"]: one for one in raw.call("custom.list")["commands"]}
    assert set(listed) == {"echo-it", "kinds", "pairs", "loud-one", "wait_for_gate", "open_gate", "meet", "fails", "fails_async", "slow", "registered"}
    assert [(arg["name"], arg["type"], arg["required"], arg.get("default")) for arg in listed["kinds"]["args"]] == [
        ("text", "string", True, None), ("whole", "integer", True, None), ("part", "float", False, 1), ("sure", "boolean", False, False),
        ("items", "array", False, [1, 2]), ("facts", "object", False, {}), ("maybe", "string", False, None), ("other", "string", False, None),
        ("way", "string", False, "up"), ("rest", "array", False, []), ("guessed", "integer", False, 5), ("typed", "object", False, None)]
    assert listed["pairs"]["description"] == "Two of them.\n\nIndented, and more." and listed["registered"]["description"] == "Through the sandbox."
    assert run_raw(raw, "behind") is None and run_raw(raw, "registered") == 2


def test_values(raw):
    assert run_raw(raw, "kinds", text="x", whole=2) == ["x", 2, "float", False, [1, 2], {}, None, None, "up", [], 5, None]
    assert run_raw(raw, "kinds", text="x", whole=2, maybe=None, other="o", facts={"a": 1})[5:8] == [{"a": 1}, None, "o"]
    assert run_raw(raw, "pairs", pair=[1, 2], many=[1, 1]) == "tuple set"


def test_what_a_command_prints_is_not_the_protocol(raw):
    assert run_raw(raw, "loud-one") == "quiet"


def test_commands_run_at_once(author, raw):
    with raw.connect() as one, raw.connect() as two:
        for connection in (one, two):
            connection.send("POST /commands/meet HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}")
        assert [json.loads(connection.reply("POST").read()) for connection in (one, two)] == [{"result": 0}] * 2
        one.send("POST /commands/wait_for_gate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}")
        eventually(lambda: raw.request("POST", "/commands/open_gate", b"{}", {"Content-Type": "application/json"}).status == 200)
        assert json.loads(one.reply("POST").read()) == {"result": "through"}


def test_failures(raw):
    for how, kind, words in (("raise", "LookupError", "not é here"), ("exit", "RuntimeError", "SystemExit: 3"), ("stop", "RuntimeError", "StopIteration"),
                             ("json", "TypeError", "not JSON serializable"), ("nan", "ValueError", "not JSON compliant")):
        with expect_error("custom.failed", 500, words) as caught:
            run_raw(raw, "fails", how=how)
        assert caught.error.details["type"] == kind and "Traceback" in caught.error.details["stderr"]
    with expect_error("custom.failed", 500, "gone"):
        run_raw(raw, "fails_async")
    assert raw.call("custom.list")["workers"][0]["state"] == "ready"


@pytest.mark.parametrize(("how", "kind", "words"), [
    ("cancelled", "CancelledError", "CancelledError"), ("wordless", "Wordless", "Wordless"), ("long", "ValueError", "xxx"),
    ("large", "ValueError", "bytes, and at most 8392704"),
])
def test_a_failure_of_any_kind_is_answered_and_costs_nobody_else(author, raw, how, kind, words):
    with raw.connect() as other:
        other.send("POST /commands/meet HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}")
        with expect_error("custom.failed", 500, words) as caught:
            run_raw(raw, "fails_oddly", how=how)
        assert caught.error.details["type"] == kind and words in caught.error.details["message"]
        assert run_raw(raw, "meet") == 0 and json.loads(other.reply("POST").read()) == {"result": 0}


def test_a_timeout_cancels_what_is_async(raw, tmp_path):
    while not (tmp_path / "mark-begun").exists():  # a worker that hears of the call and of its end at once does not begin with it
        with expect_error("commands.timeout", 408):
            run_raw(raw, "slow", mark=str(tmp_path / "mark"))
    eventually((tmp_path / "mark").exists)


@pytest.mark.parametrize(("text", "words"), [
    ("def f(*words: str): ...", "'words' cannot be an argument"), ("def f(x): ...", "'x' needs a type"), ("def f(x: bytes): ...", "'x' needs a type"),
    ("def f(x: int | str): ...", "'x' needs a type"), ("def f(x: int | None): ...", "needs a default"), ("def List(): ...", "is not a name for a command"),
    ("def f(): ...\n@command(name='f')\ndef g(): ...", "two commands are called 'f'"), ("1/0", "ZeroDivisionError"),
])
def test_what_cannot_be_a_command_is_told(make_server, tmp_path, text, words):
    (tmp_path / "c.py").write_text("from __future__ import annotations\nfrom agent_sandbox.worker import command\n" + ("@command\n" if "def" in text else "") + text)
    manifest(tmp_path, "py.yaml", worker=[sys.executable, "-m", "agent_sandbox.worker", "c.py"], cwd=".", env={"PYTHONPATH": SOURCE}, start_timeout=110)
    done = subprocess.run([sys.executable, "-m", "agent_sandbox.worker", "c.py"], cwd=tmp_path, env={"PYTHONPATH": SOURCE}, capture_output=True,
                          text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        assert words in done.stderr
        return
    client = make_server("--commands", tmp_path).client()
    problem = eventually(lambda: client.call("custom.list")["workers"][0].get("problem"), within=110)
    assert words in problem


def test_serve_by_hand(tmp_path):
    (tmp_path / "mine.py").write_text("from agent_sandbox.worker import serve\ndef double(n: int): return 2 * n\nserve([double])\n")
    asked = ['{"id":1,"method":"describe"}', '{"id":2,"method":"call","name":"double","args":{"n":4}}']
    with subprocess.Popen([sys.executable, "mine.py"], cwd=tmp_path, env={"PYTHONPATH": SOURCE}, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as worker:
        answers = []
        for line in asked:
            worker.stdin.write(line.encode() + b"\n")
            worker.stdin.flush()
            answers.append(json.loads(worker.stdout.readline()))
        worker.stdin.close()
        assert worker.stdout.read() == b"" and worker.wait(60) == 0
    assert answers[0]["result"]["commands"][0]["args"] == [{"name": "n", "type": "integer", "required": True}] and answers[1] == {"id": 2, "result": 8}


def test_it_ends_with_the_server(tmp_path):
    (tmp_path / "c.py").write_text("from agent_sandbox.worker import command\n@command\ndef hang():\n    import time\n    time.sleep(1000)\n")
    words = [sys.executable, "-m", "agent_sandbox.worker", str(tmp_path / "c.py")]
    manifest(tmp_path, "py.yaml", worker=words, env={"PYTHONPATH": SOURCE}, start_timeout=110)
    with Server("--commands", tmp_path):
        eventually(lambda: running(*words))
    eventually(lambda: not running(*words))


# --- the clients


def test_python_by_name(author, srv, tmp_path):
    assert srv.custom.kinds_sync(text="x", whole=1)[0] == "x"
    assert srv.call_sync("custom.registered", n=4) == 5 and srv.custom.call_sync("echo-it", text="a b") == "a b"
    assert srv.custom.call_sync("behind") is None
    with pytest.raises(errors.ExecutionError) as caught:
        srv.custom.fails_sync(how="raise")
    assert (caught.value.error_type, caught.value.code, caught.value.details["message"]) == ("LookupError", "E3000", "not é here")
    with pytest.raises(errors.ServerArgumentError, match="whole"):
        srv.custom.kinds_sync(text="x")
    with pytest.raises(errors.ServerArgumentError, match="did you mean 'text'"):
        srv.custom.kinds_sync(txt="x", whole=1)
    with pytest.raises(errors.CommandNotFoundError) as missing:
        srv.custom.nothing_sync()
    assert missing.value.code == "E3005" and "kinds" in str(missing.value) and "list" not in str(missing.value)
    with pytest.raises(errors.CommandTimeoutError):
        srv.custom.slow_sync(mark=str(tmp_path / "mark"))
    assert srv.check_sync("custom.kinds", args={"text": "x", "whole": 1}).allowed and not srv.check_sync("custom.kinds", args={"whole": 1}).allowed
    assert srv.ops.custom.kinds == "custom.kinds"


def test_python_lists_them(author, srv):
    listed = srv.custom.list_sync()
    assert isinstance(listed, CustomListResult) and isinstance(listed.commands[0], ServerCommand)
    assert (listed.commands[0].name, listed.commands[0].args[0].required) == ("echo-it", True)
    with pytest.warns(DeprecationWarning):
        assert srv.commands.list_sync() == listed


def test_python_sandbox(author):
    async def use():
        async with Sandbox.local(author.url) as sb:
            return await sb.run("registered", n=1), await sb.custom("echo-it", text="x"), [one.name for one in await sb.list_commands()]

    answer = asyncio.run(use())
    assert answer[:2] == (2, "x") and "kinds" in answer[2]


def test_one_get_ops_and_no_more(author):
    """The only request besides the calls is one GET /ops."""
    with ServerClient(author.url) as srv:
        srv.custom.registered_sync()
        known = srv._known
        srv.custom.call_sync("echo-it", text="x")
        assert srv._known is known and "custom.kinds" in known


# --- the examples


@pytest.fixture(scope="module")
def examples(tmp_path_factory):
    folder = tmp_path_factory.mktemp("examples") / "commands.d"
    shutil.copytree(ROOT / "examples/custom-commands", folder)
    grader = folder / "grader.yaml"
    grader.write_text(grader.read_text().replace("python3", sys.executable) + f"env: {{PYTHONPATH: {SOURCE}}}\nstart_timeout: 110\n")
    if not shutil.which("node"):
        (folder / "notes.yaml").unlink()
    else:
        with open(folder / "notes.yaml", "a") as notes:
            notes.write("start_timeout: 110\n")
    with Server("--commands", folder) as server:
        (server.base / "-odd name").write_text("one two\nthree\n")
        are_ready(server)
        yield server


def test_the_example_of_a_manifest(examples):
    assert run_raw(client_of(examples), "wordcount", path="-odd name").split() == ["2", "3", "14", "-odd", "name"]


def test_the_example_in_python(examples):
    client = client_of(examples)
    assert run_raw(client, "grade", submission="a loop and a list", words=["loop", "set"]) == {"points": 5, "found": ["loop"], "times": 1}
    assert run_raw(client, "grade", submission="a loop and a list", words=["loop"])["times"] == 2
    run_raw(client, "reset")
    assert run_raw(client, "grade", submission="a loop and a list", words=[])["times"] == 1
    assert run_raw(client, "wait", seconds=0) == "waited 0.0 s"


@pytest.mark.skipif(not shutil.which("node"), reason="Node is not installed")
def test_the_example_in_javascript(examples):
    client = client_of(examples)
    assert [run_raw(client, "note", text="a", tags=["x"]), run_raw(client, "note", text="b")] == [1, 2]
    assert run_raw(client, "notes", tag="x") == [{"text": "a", "tags": ["x"]}] and len(run_raw(client, "notes")) == 2
