# SPDX-License-Identifier: Apache-2.0
"""The Python package as a package: typed, linted, built, installed; and what the generator makes."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

import pytest

from agent_sandbox import ServerClient
from lib.server import ROOT, binary, printed

PACKAGE = ROOT / "clients/python"
BIN = pathlib.Path(sys.executable).parent

USER = '''
from agent_sandbox import ServerClient, ops
from agent_sandbox.models.server import FilesListResult, ServerCapabilities, ServerCommand, ShellEvent
from agent_sandbox.models.errors import ServerAuthError
from agent_sandbox.worker import command

async def use() -> None:
    async with ServerClient("http://127.0.0.1:9000") as srv:
        listed: FilesListResult = await srv.files.list("/tmp")
        name: str = listed.entries[0].name
        data: bytes = await srv.files.download("/tmp/a")
        async for event in srv.commands.stream("make"):
            kept: ShellEvent = event
            if event.event == "stdout":
                text: str = event.data
        caps: ServerCapabilities = await srv.discover()
        answer: bool = caps.can(ops.files.download)
        size: int = srv.files.stat_sync("/tmp").size
        listed_one: ServerCommand = (await srv.custom.list()).commands[0]
        points: int = await srv.custom.grade(submission="x") + await srv.custom.call("grade", submission="x")

@command(description="Grade.")
def grade(submission: str, points: int = 3) -> int:
    return points

@command
async def wait() -> None: ...

graded: int = grade("x")
'''
WRONG = '''
from agent_sandbox import ServerClient, ops

async def use(srv: ServerClient) -> None:
    await srv.files.list(5)
    await srv.files.list("/tmp", depht=3)
    await srv.commands.run("x", encoding="latin-1")
    (await srv.files.stat("/tmp")).nothing
    ops.files.nothing
'''


def run(*words, cwd=PACKAGE, within=110, **env):
    return subprocess.run([str(word) for word in words], cwd=cwd, capture_output=True, text=True, timeout=within, env={**os.environ, **env})


@pytest.mark.check
def test_strictly_typed_and_so_is_code_that_uses_it(tmp_path):
    (tmp_path / "user.py").write_text(USER)
    (tmp_path / "wrong.py").write_text(WRONG)
    done = run(BIN / "mypy", f"--cache-dir={tmp_path}/cache", "src", tmp_path / "user.py", tmp_path / "wrong.py")
    faults = [line.split(": error:")[0] for line in done.stdout.splitlines() if ": error:" in line]
    assert faults == [f"{tmp_path}/wrong.py:{line}" for line in (5, 6, 7, 8, 9)], done.stdout


def test_linted():
    done = run(BIN / "ruff", "check", "--no-cache", ".")
    assert done.returncode == 0, done.stdout


def test_the_generated_file_says_so():
    head = (PACKAGE / "src/agent_sandbox/_generated.py").read_text().split("\n", 4)
    catalog = printed("describe", "--json")
    assert "do not edit" in head[1] and catalog["digest"] in head[2] and f"version {catalog['catalog_version']}," in head[2]


def test_results_as_typed_dicts(tmp_path, server, folder):
    """--result-style typeddict: the same tree, whose results are plain dicts."""
    package = tmp_path / "agent_sandbox"
    shutil.copytree(PACKAGE / "src/agent_sandbox", package, ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run([binary(), "gen-client", "--lang", "python", "--result-style", "typeddict", "-o", package / "_generated.py"], check=True)
    code = ("import sys; from agent_sandbox._generated import Tree; from agent_sandbox import ServerClient\n"
            "result = ServerClient(sys.argv[1]).files.stat_sync(sys.argv[2])\nassert type(result) is dict, result\nprint(result['type'])")
    done = run(sys.executable, "-c", code, server.url, folder, cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert (done.stdout, done.stderr) == ("directory\n", "")


def test_the_example_of_the_readme_runs(server, folder):
    text = (PACKAGE / "README.md").read_text()
    code = text.split("```python\n", 1)[1].split("```", 1)[0].replace("http://127.0.0.1:9000", server.url).replace(', token="…"', "")
    code = code.replace('"/tmp"', f'"{folder}"').replace("make test", "echo tested")
    inside, outside = code.split("\nasync with", 1)[1].split("\nsrv.files", 1)
    program = (f"import asyncio\nfrom agent_sandbox import ServerClient, ops\nasync def main():\n    async with"
               f"{inside.replace(chr(10), chr(10) + '    ')}\nasyncio.run(main())\nsrv = ServerClient({server.url!r})\nsrv.files{outside}")
    done = run(sys.executable, "-c", program, cwd=ROOT, PYTHONPATH=str(PACKAGE / "src"))
    assert (done.stdout, done.stderr) == ("tested\n", "")


def test_it_does_not_need_the_server_to_be_imported():
    done = run(sys.executable, "-W", "error", "-c", "import agent_sandbox.models.server, agent_sandbox.sandbox", PYTHONPATH=str(PACKAGE / "src"))
    assert done.returncode == 0, done.stderr
    assert isinstance(ServerClient("http://127.0.0.1:1").ENDPOINT_METHODS["health"], tuple)


@pytest.mark.check
def test_a_wheel_is_built_and_installs_in_a_clean_environment(tmp_path, server):
    source = tmp_path / "source"
    shutil.copytree(PACKAGE, source, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    done = run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, source, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {"agent_sandbox/py.typed", "agent_sandbox/_generated.py", "agent_sandbox/models/server.py"} <= set(names)
    run(sys.executable, "-m", "venv", tmp_path / "clean")
    done = run(tmp_path / "clean/bin/pip", "install", "--quiet", "--disable-pip-version-check", wheel)
    assert done.returncode == 0, done.stderr
    code = "import json, sys, agent_sandbox as a; print(json.dumps(a.ServerClient(sys.argv[1]).commands.run_sync('echo hi').to_dict()))"
    done = run(tmp_path / "clean/bin/python", "-c", code, server.url, cwd=tmp_path, PYTHONPATH="")
    assert json.loads(done.stdout)["stdout"] == "hi\n", done.stderr
