# SPDX-License-Identifier: Apache-2.0
"""The names that the design documents promise are the package's own: none is left to the look-up on the server."""
import inspect

import pytest
from stand_in import StandIn, answer

import agent_sandbox.models.errors
import agent_sandbox.models.server
from agent_sandbox import PtyConnection, Sandbox, ServerCapabilities, ServerClient, errors, ops
from agent_sandbox.sandbox import Network, SandboxServer
from agent_sandbox.worker import command
from lib.server import ROOT, printed

CLASSES = {
    ServerClient: "call check capabilities describe discover health",
    ServerCapabilities: "can check check_path limit paths require",
    Sandbox: "connect custom get_host list_commands local run server_at start_server",
    SandboxServer: "enable_builtin restart start",
    Network: "get_host get_url",
    PtyConnection: "expect recv resize send signal",
}
MODELS = "FileEntry PtyConnection ServerCapabilities ServerCommand ServerWatchEvent ShellEvent"


@pytest.mark.parametrize("owner", CLASSES)
def test_methods(owner):
    assert [name for name in CLASSES[owner].split() if not inspect.isroutine(getattr(owner, name, None))] == []


def test_members_of_a_sandbox():
    sb = Sandbox.local("http://127.0.0.1:1")
    assert type(sb.server) is SandboxServer and type(sb.network) is Network and sb.server.register is command


def test_the_modules_of_models():
    models = agent_sandbox.models.server
    assert [name for name in MODELS.split() if not hasattr(models, name)] == []
    assert models.PtyConnection is PtyConnection and agent_sandbox.models.errors.ServerAPIError is errors.ServerAPIError
    for op in printed("describe", "--json")["ops"]:
        name = "".join(part.capitalize() for part in op["id"].replace("_", ".").split("."))
        assert hasattr(models, f"{name}Result") or hasattr(models, f"{name}Event") or op["kind"] == "ws", op["id"]


@pytest.mark.parametrize("given, sent", [({}, "of-the-environment"), ({"server_token": "given"}, "given")])
def test_the_token_of_a_sandbox(monkeypatch, given, sent):
    monkeypatch.setenv("ABX_SERVER_TOKEN", "of-the-environment")
    assert Sandbox.local("http://127.0.0.1:1", **given).server.caller.headers()["Authorization"] == f"Bearer {sent}"


# What lies behind the endpoints of v1 that the template's commands have.
COMMANDS = {
    "custom.list": "GET /commands", "commands.list": "GET /commands", "sandbox.list_commands": "GET /commands",
    "custom.call": "POST /commands/grade", "custom.grade": "POST /commands/grade", "client.call": "POST /commands/grade",
    "sandbox.custom": "POST /commands/grade", "sandbox.run": "POST /commands/grade",
}
GRADE = {
    "id": "custom.grade", "endpoint": "run_command", "group": "commands", "scope": "commands:run", "kind": "json", "method": "POST",
    "path": "/commands/grade", "params": [], "dynamic": True,
}


@pytest.mark.filterwarnings("ignore:commands.list:DeprecationWarning")
def test_every_way_to_the_templates_commands():
    def served(request):
        if request.target == "/ops":
            return answer(body={"ops": [GRADE], "server_version": "0", "catalog_version": 1, "digest": "", "total": 1})
        return answer(body={"commands": [], "workers": []} if request.method == "GET" else {"result": 7})

    with StandIn(served) as stand_in:
        sb = Sandbox.local(stand_in.url)
        srv = sb.server
        ways = {
            "custom.list": srv.custom.list_sync, "commands.list": srv.commands.list_sync, "sandbox.list_commands": sb.list_commands_sync,
            "custom.call": lambda: srv.custom.call_sync("grade"), "custom.grade": srv.custom.grade_sync,
            "client.call": lambda: srv.call_sync("custom.grade"), "sandbox.custom": lambda: sb.custom_sync("grade"),
            "sandbox.run": lambda: sb.run_sync("grade"),
        }
        found = {}
        for name, way in ways.items():
            gave = way()
            last = stand_in.requests[-1]
            found[name] = f"{last.method} {last.target}"
            assert gave == 7 or last.method == "GET"
        sb.close()
    assert found == COMMANDS


def test_the_browser_is_in_both_trees():
    names = {"navigate", "screenshot", "content", "click", "type", "evaluate", "pdf", "console"}
    srv = ServerClient("http://127.0.0.1:1")
    assert names <= set(dir(ops.browser))
    assert all(inspect.iscoroutinefunction(getattr(srv.browser, name)) and inspect.ismethod(getattr(srv.browser, f"{name}_sync")) for name in names)


def test_the_script_that_takes_a_catalog_over():
    script = ROOT / "clients/typescript/scripts/sync-catalog"
    assert script.is_file() and script.stat().st_mode & 0o111
