# SPDX-License-Identifier: Apache-2.0
"""Every op of the catalog through its generated method, against the real server, by the cases of cases.py."""
import asyncio
import contextlib
import inspect
import subprocess
import types
import warnings

import pytest
from cases import CASES, Args

from agent_sandbox import Sandbox, ServerCapabilities, ServerClient, _generated, errors, ops
from agent_sandbox._machine import SystemEnv
from agent_sandbox._namespace import DynamicNode, Namespace
from lib.contract import Checker, check_event
from lib.server import printed

CATALOG = {op["id"]: op for op in printed("describe", "--json")["ops"]}
ROWS = {row["wire_code"]: row for row in printed("describe", "--errors")}


def method_of(srv, op_id):
    found = srv
    for part in op_id.split("."):
        found = getattr(found, part)
    return found


@pytest.fixture(scope="module")
def server():
    """Everything that can be switched on is."""
    from lib.server import Server

    server = Server(policy={"profile": "full_access"})
    yield server
    server.stop()


@pytest.fixture
def kit(server, folder):
    def make(name, data):
        path = folder / name
        path.write_bytes(data)
        return path

    plain = ServerClient(server.url)
    begun = []

    def process(*words, **options):
        begun.append(("process", plain.process.start_sync(*words, **{"capture_output": True, **options}).id))
        return begun[-1][1]

    def terminal(program="sleep 60"):
        begun.append(("terminal", plain.terminal.create_sync(argv=program.split()).session_id))
        return begun[-1][1]

    def repository():
        subprocess.run(["git", "init", "-q", folder / "repository"], check=True, capture_output=True)
        (folder / "repository/new").write_bytes(b"x")
        return folder / "repository"

    async def talk(connection):
        await connection.send("typed\r")
        return (await connection.expect("typed", timeout=60)).group()

    def show(html):
        plain.browser.navigate_sync(f"data:text/html,{html}", wait_until="load")
        return kit_of

    kit_of = types.SimpleNamespace(
        server=server, folder=folder, make=make, url=server.url, process=process, terminal=terminal, talk=talk,
        repository=repository, show=show)
    yield kit_of
    for kind, name in begun:
        with contextlib.suppress(errors.SandboxError):
            plain.process.signal_sync(name, signal="SIGKILL") if kind == "process" else plain.terminal.delete_sync(name)
    for session in plain.terminal.list_sync().sessions:
        plain.terminal.delete_sync(session.id)
    plain.close()


@pytest.fixture(scope="module")
def guarded():
    """A server with a token, for strangers."""
    from lib.server import Server

    server = Server(token="s3cret")
    yield server
    server.stop()


async def finish(answer, kit):
    """What a method gives: a result, bytes, all events of a stream, or a connection's first words."""
    if inspect.isawaitable(answer):
        return await answer
    if hasattr(answer, "collect"):
        async with answer:
            return await answer.collect()
    async with answer as connection:
        return await kit.talk(connection)


async def called(url, op_id, args: Args, kit, **options):
    async with ServerClient(url, **options) as srv:
        kit.srv = srv
        return await finish(method_of(srv, op_id)(*args.words, **args.named), kit)


def prepared(make, kit):
    args = make(kit)
    return asyncio.run(args) if inspect.isawaitable(args) else args


def test_every_op_has_its_case():
    missing = set(CATALOG) - set(CASES)
    assert not missing, f"ops without a case in cases.py: {sorted(missing)}"
    assert all(case.bad or case.why for case in CASES.values())


@pytest.mark.parametrize("op_id", CATALOG)
def test_the_call_that_works(kit, op_id):
    op, case = CATALOG[op_id], CASES[op_id]
    result = asyncio.run(called(kit.url, op_id, prepared(case.good, kit), kit))
    if op["kind"] == "sse":
        for event in result:
            data = event.to_dict()
            del data["event"]
            check_event(op, event.event, data)
        assert result[-1].final or not any(event.get("final") for event in op["events"])
    elif not isinstance(result, bytes) and op["kind"] != "ws":
        Checker("result", op_id).fields(op["result"]["fields"], result.to_dict())
        assert type(result).__name__ == "".join(p.title() for p in op_id.replace("_", ".").split(".")) + "Result"
    assert case.check(result), result


@pytest.mark.parametrize("op_id", [op_id for op_id in CATALOG if CASES.get(op_id) and CASES[op_id].bad])
def test_the_call_that_is_refused(kit, guarded, op_id):
    case = CASES[op_id]
    url = guarded.url if case.as_stranger else kit.url
    with pytest.raises(errors.SandboxError) as caught:
        asyncio.run(called(url, op_id, prepared(case.bad, kit), kit))
    error = caught.value
    assert type(error) is case.error, error
    assert error.op == op_id and error.endpoint == CATALOG[op_id]["endpoint"]
    if error.error_code in ROWS:
        row = ROWS[error.error_code]
        assert (row["exception"], row["e_code"]) == (type(error).__name__, error.code)
        assert error.status in (None, row["status"]) and error.error_type in (None, row["type"])


def test_the_trees_are_equal():
    """The server's ids, the refs, and the client's methods."""
    def refs(node):
        for name in (name for name in dir(node) if not name.startswith("_")):
            value = getattr(node, name)
            yield from [value] if isinstance(value, str) else refs(value)

    assert {str(ref) for ref in refs(ops)} == set(CATALOG) == set(_generated.OPS)
    srv = ServerClient("http://127.0.0.1:1")
    for op_id, op in CATALOG.items():
        method = method_of(srv, op_id)
        assert inspect.ismethod(method), f"{op_id} has no method"
        node = method_of(srv, op_id.rpartition(".")[0])
        if op["kind"] != "ws":
            assert inspect.ismethod(getattr(node, op_id.rpartition(".")[2] + "_sync")), f"{op_id} has no twin"
            names = set(inspect.signature(method).parameters)
            assert {param["name"] for param in op["params"] if param["type"] != "bytes"} <= {name.rstrip("_") for name in names}, op_id


def namespaces(node, seen):
    """Every object of the tree of a client, and those that are written by hand."""
    yield node
    for name in dir(type(node)):
        if name.startswith("_") or name in ("pty", "ops", "caller", "capabilities"):
            continue
        below = getattr(node, name, None)
        if isinstance(below, Namespace) and type(below) not in seen:
            seen.add(type(below))
            yield from namespaces(below, seen)


def test_every_coroutine_has_its_twin():
    """But for what opens and closes: those are close() and the plain `with`."""
    box = Sandbox.local("http://127.0.0.1:1")
    places = [*namespaces(ServerClient("http://127.0.0.1:1"), set()), box, box.server, ServerCapabilities({})]
    assert len(places) > 10
    for place in places:
        for name in dir(type(place)):
            if inspect.iscoroutinefunction(getattr(type(place), name)) and not name.startswith("_") and name != "aclose":
                assert callable(getattr(type(place), f"{name}_sync", None)), f"{type(place).__name__}.{name} has no twin"


def test_generated_from_this_catalog():
    printed_now = printed("describe", "--json")
    assert (_generated.CATALOG_DIGEST, _generated.CATALOG_VERSION) == (printed_now["digest"], printed_now["catalog_version"])
    assert {code: list(row) for code, row in _generated.ERRORS.items()} == {
        code: [row["status"], row["code"], row["type"], row["exception"], row["e_code"]] for code, row in ROWS.items()}


def test_every_endpoint_of_v1_has_its_methods():
    """ENDPOINT_METHODS: no endpoint without a method, and each named method is there, none looked up on the server but custom.<name>."""
    srv = ServerClient("http://127.0.0.1:1")
    table = ServerClient.ENDPOINT_METHODS
    # The ops that answer run_command are the template author's, and in no catalog.
    assert set(table) == {op["endpoint"] for op in CATALOG.values()} - {None} | {"run_command"}
    for endpoint, names in table.items():
        for name in names:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                method = method_of(srv, name.removesuffix("()"))
            wanted = DynamicNode if name == "custom.<name>" else SystemEnv if name == "system.env()" else types.MethodType
            assert type(method) is wanted and callable(method), f"{endpoint}: no method {name}"


ALIASES = {
    "files.upload_legacy": ("files.upload", ("p", b"x")), "files.download_legacy": ("files.download", ("p",)),
    "process.shell": ("commands.run", ("x",)), "process.shell_stream": ("commands.stream", ("x",)),
    "process.run_stream": ("commands.stream", ("x",)), "process.send_stdin": ("process.stdin", ("1", "x")),
    "system.env": ("system.env.get", ("A",)), "system.set_env": ("system.env.set", ({"A": "b"},)),
    "devtools.run_code": ("devtools.code.run", ("x",)), "devtools.git_status": ("devtools.git.status", ("p",)),
    "devtools.git_diff": ("devtools.git.diff", ("p",)), "pty.create": ("terminal.create", ()), "pty.get": ("terminal.get", ("x",)),
    "pty.list": ("terminal.list", ()), "pty.resize": ("terminal.resize", ("x", 80, 24)), "pty.delete": ("terminal.delete", ("x",)),
    "process.kill": ("process.signal", ("1",)), "files.exists": ("files.stat", ("p",)), "commands.list": ("custom.list", ()),
}
# What ENDPOINT_METHODS names beside ops and aliases: methods of its own, which are not deprecated.
HELPERS = {
    "health", "discover", "capabilities", "check", "custom.call", "custom.<name>", "files.upload_file", "files.read_text", "files.download_file",
    "files.watch_for", "commands.run_stream",
}


def test_every_other_name_is_a_tested_alias():
    named = {name.removesuffix("()") for names in ServerClient.ENDPOINT_METHODS.values() for name in names}
    assert named - set(CATALOG) - HELPERS == {*ALIASES, "pty.connect"} and named >= HELPERS


@pytest.mark.parametrize("twin", ["", "_sync"])
@pytest.mark.parametrize("alias", ALIASES)
def test_aliases_are_deprecated_and_the_same_op(alias, twin, monkeypatch):
    """One warning, told to the line that uses the name."""
    op_id, words = ALIASES[alias]
    srv = ServerClient("http://127.0.0.1:1")
    seen = []

    class Stop(Exception):
        pass

    def request(op, *_, **__):
        seen.append(op.id)
        raise Stop

    monkeypatch.setattr(srv.caller, "request", request)
    async def use():
        answer = method_of(srv, alias)(*words)
        await (answer.collect() if hasattr(answer, "collect") else answer)

    with pytest.warns(DeprecationWarning) as warned, pytest.raises(Stop):
        if twin:
            list(method_of(srv, alias + twin)(*words))
        else:
            asyncio.run(use())
    assert seen == [op_id]
    assert [warning.filename for warning in warned] == [__file__]


@pytest.mark.parametrize("twin", ["", "_sync"])
def test_the_older_name_of_a_terminals_connection(twin):
    srv = ServerClient("http://127.0.0.1:1")
    with pytest.warns(DeprecationWarning, match="pty is now terminal"):
        old = getattr(srv.pty, f"connect{twin}")("x")
    assert type(old) is type(getattr(srv.terminal, f"connect{twin}")("x"))
