# SPDX-License-Identifier: Apache-2.0
"""abx run and abx commands: the commands of a template's author."""
import json
import signal

import pytest

from lib.abx import Abx
from lib.access import token
from lib.custom import manifest, puppet
from lib.processes import eventually, nap, sleeping
from lib.server import Server


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("commands")
    manifest(folder, "say.yaml", name="say", description="Say it.\nLoudly.", args=[
        {"name": "text"}, {"name": "times", "type": "integer", "default": 1}], run=["printf", "%s %s\n", "{text}", "{times}"])
    manifest(folder, "args.yaml", name="args", stdin="json", result="json", args=[
        {"name": "items", "type": "array", "default": []}, {"name": "more", "type": "object", "required": False},
        {"name": "sure", "type": "boolean", "default": False}], run=["cat"])
    manifest(folder, "exits.yaml", name="exits", args=[{"name": "code", "type": "integer"}], run=["sh", "-c", "printf why >&2; exit $0", "{code}"])
    manifest(folder, "dies.yaml", name="dies", run=["sh", "-c", "kill -9 $$"])
    manifest(folder, "slow.yaml", name="slow", timeout=0.2, run=["sleep", "100"])
    manifest(folder, "naps.yaml", name="naps", args=[{"name": "number"}], run=["sleep", "{number}"])
    puppet(folder)
    policy = {"profile": "full_access", "tokens": [token("all", ["*"]), token("runs", ["commands:run"]), token("none", ["core:read"])]}
    with Server("--commands", folder, policy=policy) as one:
        yield one


@pytest.fixture
def abx(server, tmp_path):
    return Abx(server.url, tmp_path, token="all-token")


def test_run(abx):
    assert abx("run", "say", "text=a = b").out == "a = b 1\n"
    assert abx("run", "say", "text=*", "times=3").raw == b"* 3\n"
    assert json.loads(abx("run", "args", "items=a", "items=b", 'more={"x": [1]}', "sure=yes").out) == {"items": ["a", "b"], "more": {"x": [1]}, "sure": True}
    assert json.loads(abx("run", "args", "items=[1, null]").out) == {"items": [1, None], "sure": False}
    assert json.loads(abx("--json", "run", "say", "text=x").out) == {"result": "x 1\n"}
    assert json.loads(abx("run", "args").out) == {"items": [], "sure": False}
    (abx.home / "file").write_text("from a file")
    assert abx("run", "say", "-f", "text=@file").out == "from a file 1\n"
    assert abx("run", "say", "-f", "text=@-", input=b"from stdin").out == "from stdin 1\n"
    assert json.loads(abx("run", "echo", "text=x").out)["text"] == "x" and abx("run", "secret").out == "told"


def test_r89_exit_codes(abx, server, tmp_path):
    done = abx("run", "exits", "code=7")
    assert (done.code, done.out, done.err) == (7, "", "why\n")
    assert abx("run", "dies").code == 137
    done = abx("run", "fail")
    assert done.code == 1 and "ValueError: no such thing" in done.err and "Traceback: it went wrong" in done.err
    done = abx("run", "slow")
    assert done.code == 124 and "within 0.2 seconds" in done.err
    for words, say in ((("nothing",), "there are: "), (("say",), "'text' is missing"), (("say", "text=x", "txt=y"), "did you mean 'text'"),
                       (("say", "text=x", "times=a"), "'times' is of type integer"), (("say", "text"), "NAME=VALUE"), (("x" * 100,), "too long")):
        done = abx("run", *words)
        assert done.code == 125 and say in done.err and done.out == "", done
    done = Abx(server.url, tmp_path, token="none-token")("run", "say", "text=x")
    assert done.code == 125 and "commands:run" in done.err
    assert Abx(server.url, tmp_path, token="runs-token")("run", "say", "text=x").out == "x 1\n"


def test_an_interrupt_ends_it(abx):
    number = nap()
    with abx.start("run", "naps", f"number={number}") as process:
        eventually(lambda: sleeping(number))
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    eventually(lambda: not sleeping(number))


def test_commands(abx):
    done = abx("commands")
    lines = {line.split()[0]: line for line in done.out.splitlines()}
    assert lines["say"].split(maxsplit=3)[1:] == ["text", "times=1", "Say it."] and lines["args"].split()[1:] == ["items=[]", "[more]", "sure=false"]
    assert "secret" not in lines and done.code == 0 and done.err == ""
    assert {one["name"] for one in json.loads(abx("--json", "commands").out)["commands"]} == set(lines)


def test_a_worker_that_is_broken_is_told(tmp_path):
    puppet(tmp_path, how=["refuses"])
    with Server("--commands", tmp_path) as server:
        done = Abx(server.url, tmp_path)("commands")
    assert (done.code, done.out) == (0, "") and "puppet.yaml: it could not describe its commands: not today" in done.err


def test_an_argument_that_is_given_twice(abx):
    for words in (("say", "text=x", "text=y"), ("say", "text=x", "-f", "text=@nothing")):
        done = abx("run", *words)
        assert (done.code, done.out, done.err) == (125, "", "abx: 'text' is given twice and takes one value\n")


def test_completion(abx):
    for shell in ("bash", "zsh", "fish"):
        text = abx("completion", shell).out
        assert " run" in text and " commands" in text and "--file" in text or shell == "fish"
