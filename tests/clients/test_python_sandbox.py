# SPDX-License-Identifier: Apache-2.0
"""Sandbox: addresses, and servers that are started."""
import asyncio
import tempfile

import pytest
from stand_in import StandIn, answer

from agent_sandbox import Sandbox, errors, ops
from agent_sandbox.models.server import ServerCommand
from lib.server import binary


def run(coroutine):
    return asyncio.run(coroutine)


def test_a_sandbox_behind_a_gateway(monkeypatch):
    monkeypatch.delenv("ABX_SERVER_TOKEN", raising=False)
    sb = run(Sandbox.connect("abc1", domain="sandbox.example", api_key="k", server_token="t"))
    assert sb.server.base_url == "https://9000-abc1.sandbox.example" and sb.get_host(80) == "80-abc1.sandbox.example"
    head = sb.server.caller.headers()
    assert (head["Authorization"], head["X-Access-Token"]) == ("Bearer t", "k")
    other = sb.server_at(9100, token="o")
    assert other.base_url == sb.network.get_url(9100) and other.caller.headers()["Authorization"] == "Bearer o"
    for wrong in ({"domain": ""}, {"domain": "x", "sandbox_id": "a/b"}):
        with pytest.raises(errors.ServerConfigError):
            run(Sandbox.connect(**{"sandbox_id": "abc", **wrong}))


def test_a_local_sandbox(server):
    sb = Sandbox.local(server.url)
    assert run(sb.server.health()).status == "ok" and sb.network.get_url(8080) == "http://127.0.0.1:8080"
    assert run(sb.server_at(server.port).health()).status == "ok"
    with pytest.raises(errors.CommandNotFoundError):
        sb.run_sync("nothing")


def test_a_server_is_started_changed_and_ended(tmp_path):
    async def work():
        async with Sandbox.local() as sb:
            srv = await sb.start_server(binary=binary(), base_dir=tmp_path, token="t", policy={"groups": {"file_ops": True}})
            assert (await srv.files.list(".")).path == str(tmp_path)
            with pytest.raises(errors.ServerConfigError):
                await sb.server.start(binary=binary())
            sb.server.enable_builtin("process", False)
            await sb.server.restart()
            caps = await sb.server.discover()
            assert caps.can(ops.files.list) and not caps.can(ops.commands.run)
            process = sb.server._process
        assert process.returncode == 0

    run(work())


def test_the_same_for_code_without_a_loop(tmp_path):
    with Sandbox.local() as sb:
        sb.start_server_sync(binary=binary(), base_dir=tmp_path)
        assert sb.server.files.list_sync(".").path == str(tmp_path)
        assert sb.server.discover_sync().check_sync("files.list", path=".").allowed
        sb.server.restart_sync()
        process = sb.server._process
    assert process.returncode == 0
    assert Sandbox.connect_sync("i-1", domain="sandbox.example").get_host(80) == "80-i-1.sandbox.example"


def test_a_server_that_does_not_start(tmp_path):
    with pytest.raises(errors.ServerConfigError, match="cannot start"):
        run(Sandbox.local().start_server(binary=str(tmp_path / "no")))
    with pytest.raises(errors.ServerConfigError, match="does-not-exist"):
        run(Sandbox.local().start_server(binary=binary(), policy=tmp_path / "does-not-exist"))
    with pytest.raises(errors.ServerConfigError):
        run(Sandbox.local().server.restart())


def test_a_server_that_never_gets_ready(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    program = tmp_path / "silent"
    program.touch(0o755)
    sb = Sandbox.local()
    for said, within, tells in ("", 0.3, "did not start within 0.3 s: it said nothing"), ("echo not ready", 100, "did not start: not ready"):
        program.write_text(f"#!/bin/sh\n{said}\nexec sleep 1000\n")
        with pytest.raises(errors.ServerConfigError, match=tells):
            run(sb.start_server(binary=str(program), within=within))
    assert sb.server._process is None and list(tmp_path.iterdir()) == [program]


def test_a_server_is_started_through_a_runner():
    """The runner is called with the command, and the server is waited for."""
    ran, ready = [], []

    async def runner(words):
        ran.append(words)
        ready.append(True)

    with StandIn(lambda request: answer(200 if len(stand_in.requests) > 2 else 503, {"status": "ok"})) as stand_in:
        sb = Sandbox.local(stand_in.url, runner=runner)
        run(sb.start_server(listen="0.0.0.0:9000", options=["--no-cgroups"]))
        assert ran == [["agent-sandbox-server", "--listen", "0.0.0.0:9000", "--no-cgroups"]] and len(stand_in.requests) == 3
    with pytest.raises(errors.SandboxError):
        run(Sandbox.local("http://127.0.0.1:1", runner=lambda words: None).start_server(within=0.2))


def test_commands_of_the_template(monkeypatch):
    points = {"name": "points", "type": "integer", "required": False, "default": 3, "description": ""}
    with StandIn(lambda request: answer(body={"commands": [{"name": "grade", "description": "", "args": [points]}]})) as stand_in:
        (grade,) = Sandbox.local(stand_in.url).list_commands_sync()
        assert (type(grade), grade.name, grade.args[0].default) == (ServerCommand, "grade", 3)
        assert [request.target for request in stand_in.requests] == ["/commands"]
