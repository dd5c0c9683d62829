# SPDX-License-Identifier: Apache-2.0
"""
Each op of the catalog against each refusal: no token, a wrong one, no scope, the op or its group switched off, every path
parameter outside the roots, denied and read-only, too many calls, too large a body, more than its own limits.  All of it
is made from the catalog; what an op does not have is in a list that says why.
"""
import json
import pathlib
import re

import pytest

from lib import contract
from lib.access import token
from lib.archives import Tar

OPS = contract.ops()
GUARDED = [op for op in OPS.values() if op["scope"]]
SWITCHABLE = [op for op in GUARDED if op["group"] != "core"]
# Relative to another path, and not resolved: git itself refuses what is outside, and leaves out what is denied (test_devtools).
BELOW = {("devtools.git.diff", "file")}
PATHS = [(op["id"], param["name"]) for op in GUARDED for param in op["params"] if (op["id"], param["name"]) not in BELOW
         if param["type"] == "path" or (param["type"] == "array" and param["items"]["type"] == "path")]


def ways(client, op, body):
    """The reply to the same call through both bindings; a WebSocket has only its route."""
    data = json.dumps(body).encode()
    as_json = {"Content-Type": "application/json"}
    if op["kind"] != "ws":
        yield client.request("POST", f"/ops/{op['id']}", data, as_json)
    route = re.sub(r"{\w+}", "1", op["path"])
    if op["method"] in ("GET", "HEAD", "DELETE"):
        yield client.request(op["method"], route)
    elif op["kind"] != "ws":
        yield client.request(op["method"], route, data, as_json)


FLAT = {error["wire_code"]: error["code"] for error in json.loads(
    (pathlib.Path(__file__).parents[2] / "catalog/errors.json").read_text())}


def refused(reply, status, wire_code, rule, what=None):
    """Status, both codes and the rule; of a WebSocket's routes too."""
    body = json.loads(reply.read())
    found = (reply.status, body["wire_code"], body["code"], body.get("rule"))
    assert found == (status, wire_code, FLAT[wire_code], rule), (what, body["error"])
    return body


@pytest.fixture(scope="module")
def guarded():
    from lib.server import Server
    policy = {"profile": "full_access", "tokens": [token("none", []), token("other", ["git:read"]), token("all", ["*"])]}
    with Server(policy=policy) as server:
        (server.base / "file").write_text("x")
        (server.base / "folder").mkdir()
        (server.base / "out").symlink_to("/etc")
        yield server


@pytest.mark.parametrize("op", GUARDED, ids=lambda op: op["id"])
def test_without_a_token(guarded, op):
    for reply in ways(guarded.client(token=None), op, {}):
        refused(reply, 401, "auth.missing_credentials", None)


@pytest.mark.parametrize("op", GUARDED, ids=lambda op: op["id"])
def test_with_a_wrong_token(guarded, op):
    for secret in ("all-tokem", "all-token-and-more", "all"):
        for reply in ways(guarded.client(token=secret), op, {"no such": "parameter"}):
            refused(reply, 401, "auth.invalid_token", None)


@pytest.mark.parametrize("op", GUARDED, ids=lambda op: op["id"])
def test_without_the_scope(guarded, op):
    for name in ("none", "other"):
        if op["scope"] == "git:read" and name == "other":
            continue
        for reply in ways(guarded.client(token=f"{name}-token"), op, {"no such": "parameter"}):
            refused(reply, 403, "policy.scope_denied", f"policy:tokens.{name}.scopes")


@pytest.fixture(scope="module")
def switched_off():
    from lib.server import Server
    policy = {"profile": "full_access", "ops": {op["id"]: False for op in SWITCHABLE}, "tokens": [token("all", ["*"])]}
    with Server(policy=policy) as server:
        yield server


@pytest.mark.parametrize("op", SWITCHABLE, ids=lambda op: op["id"])
def test_switched_off(switched_off, op):
    for reply in ways(switched_off.client(token="all-token"), op, {"no such": "parameter"}):
        refused(reply, 404, "op.not_enabled", f"policy:ops.{op['id']}")
    for reply in ways(switched_off.client(token=None), op, {}):
        refused(reply, 401, "auth.missing_credentials", None)


GROUPS = sorted({op["group"] for op in SWITCHABLE})


@pytest.fixture(scope="module")
def groups_off():
    from lib.server import Server
    policy = {"profile": "full_access", "groups": {group: False for group in GROUPS}, "tokens": [token("all", ["*"])]}
    with Server(policy=policy) as server:
        yield server


@pytest.mark.parametrize("op", SWITCHABLE, ids=lambda op: op["id"])
def test_the_group_switched_off(groups_off, op):
    for reply in ways(groups_off.client(token="all-token"), op, {"no such": "parameter"}):
        refused(reply, 404, "op.not_enabled", f"policy:groups.{op['group']}")


def test_core_cannot_be_switched_off(groups_off):
    """What is in neither of the two tests above."""
    core = [op for op in OPS.values() if op not in SWITCHABLE]
    assert {op["group"] for op in core} == {"core"} and len(core) + len(SWITCHABLE) == len(OPS)
    assert groups_off.client(token="all-token").request("GET", "/capabilities").status == 200


@pytest.fixture(scope="module")
def rated():
    from lib.server import Server
    policy = {"profile": "full_access", "limits": {"rate": {"per_second": 0.002}},
              "tokens": [token("all", ["*"]), {**token("one", ["*"]), "limits": {"rate": {"per_second": 0.001}}}]}
    with Server(policy=policy) as server:
        for name in ("all", "one"):
            assert server.client(token=f"{name}-token").request("GET", "/capabilities").status == 200
        yield server


@pytest.mark.parametrize("op", GUARDED, ids=lambda op: op["id"])
def test_too_many_calls(rated, op):
    for name, rule in (("all", "policy:limits.rate.per_second"), ("one", "policy:tokens.one.limits.rate.per_second")):
        for reply in ways(rated.client(token=f"{name}-token"), op, {}):
            refused(reply, 429, "limit.rate", rule)
            assert int(reply.header("retry-after")) >= 1


@pytest.fixture(scope="module")
def small_bodies():
    from lib.server import Server
    with Server(policy={"profile": "full_access", "limits": {"max_body_bytes": 1024}, "tokens": [token("all", ["*"])]}) as server:
        yield server


@pytest.mark.parametrize("op", [op for op in GUARDED if op["kind"] != "ws"], ids=lambda op: op["id"])
def test_too_large_a_body(small_bodies, op):
    """At the limit it is read, and then refused for what is in it."""
    client = small_bodies.client(token="all-token")
    for size, status, wire_code in ((1024, 400, "args.unknown"), (1025, 413, "limit.body_too_large")):
        body = {"no such": "x" * (size - len(json.dumps({"no such": ""})))}
        reply = client.request("POST", f"/ops/{op['id']}", body)
        refused(reply, status, wire_code, "policy:limits.max_body_bytes" if status == 413 else None)


EXAMPLES = {"string": "x", "path": "file", "integer": 1, "number": 1, "boolean": False, "bytes": "", "any": {}, "object": {}, "array": []}


def example(param):
    if param["type"] == "choice":
        return param["choices"][0]
    if param["type"] == "array" and param["items"]["type"] in ("path", "string"):
        return [EXAMPLES[param["items"]["type"]]]
    return param.get("minimum", EXAMPLES[param["type"]])


def arguments(op, name, path):
    """What the op needs, and the path in one of its parameters."""
    params = {param["name"]: param for param in op["params"]}
    args = {key: example(param) for key, param in params.items() if param["required"]}
    for group in op.get("one_of", []):
        if not set(group) & {*args, name}:
            args[group[0]] = example(params[group[0]])
    args[name] = [path] if params[name]["type"] == "array" else path
    return args


@pytest.mark.parametrize("op_id, name", PATHS)
def test_every_path_parameter_outside(guarded, op_id, name):
    """B087: not only `path` is checked."""
    client = guarded.client(token="all-token")
    for path in ("/etc/passwd", "/etc", "../x", "out/passwd", "out/passwd/..", "/", "folder/../../x", f"{guarded.base}x"):
        reply = client.request("POST", f"/ops/{op_id}", arguments(OPS[op_id], name, path))
        refused(reply, 403, "policy.path_denied", "policy:paths.roots", path)
    assert (guarded.base / "file").read_text() == "x"


@pytest.fixture(scope="module")
def ruled():
    from lib.server import Server
    policy = {"profile": "full_access", "paths": {"deny": ["other", "denied"], "readonly": ["other-too", "**/vendor"]},
              "tokens": [token("all", ["*"]), token("own", ["*"], paths={"deny": ["own-denied"], "readonly": ["own-vendor"]})]}
    with Server(policy=policy) as server:
        for name in ("denied", "vendor", "own-denied", "own-vendor"):
            (server.base / name / "below").mkdir(parents=True)
            (server.base / name / "file").write_text("x")
        (server.base / "file").write_text("x")
        (server.base / "link").symlink_to("denied/file")
        yield server


@pytest.mark.parametrize("op_id, name", PATHS)
def test_every_path_parameter_denied(ruled, op_id, name):
    for who, folder, rule in (("all", "denied", "policy:paths.deny[1]"), ("own", "own-denied", "policy:tokens.own.paths.deny[0]"),
                              ("own", "denied", "policy:paths.deny[1]")):
        for path in (folder, f"{folder}/file", f"{folder}/below", f"{folder}/missing", f"{ruled.base}/{folder}/file"):
            reply = ruled.client(token=f"{who}-token").request("POST", f"/ops/{op_id}", arguments(OPS[op_id], name, path))
            refused(reply, 403, "policy.path_denied", rule, path)
    assert (ruled.base / "denied/file").read_text() == "x"


# Parameters of ops that change something, which themselves are only read.
ONLY_READ = {("files.copy", "source"), ("files.extract", "path"), ("commands.run", "cwd"), ("commands.stream", "cwd"),
             ("process.start", "cwd"), ("terminal.create", "cwd"), ("devtools.code.run", "cwd")}


def is_read(op_id, name):
    return not OPS[op_id]["effects"]["writes"] or (op_id, name) in ONLY_READ


def test_what_is_only_read_is_in_the_catalog():
    assert ONLY_READ <= set(PATHS)


@pytest.mark.parametrize("op_id, name", [path for path in PATHS if not is_read(*path)])
def test_every_path_parameter_read_only(ruled, op_id, name):
    for who, folder, rule in (("all", "vendor", "policy:paths.readonly[1]"), ("own", "own-vendor", "policy:tokens.own.paths.readonly[0]"),
                              ("own", "vendor", "policy:paths.readonly[1]")):
        for path in (folder, f"{folder}/file", f"{folder}/below", f"{folder}/missing"):
            reply = ruled.client(token=f"{who}-token").request("POST", f"/ops/{op_id}", arguments(OPS[op_id], name, path))
            refused(reply, 403, "policy.path_readonly", rule, path)
    assert (ruled.base / "vendor/file").read_text() == "x"


@pytest.mark.parametrize("op_id, name", [path for path in PATHS if is_read(*path)])
def test_reading_what_is_read_only(ruled, op_id, name):
    client = ruled.client(token="all-token")
    body = arguments(OPS[op_id], name, "vendor/below" if name == "cwd" or op_id == "files.watch" else "vendor/file")
    _, reply = connection = client.open("POST", f"/ops/{op_id}", json.dumps(body).encode(), {"Content-Type": "application/json"})
    with connection[0]:
        assert reply.status == 200 or "policy" not in reply.read().decode()


# --- each op's own limits

BYTES = {"Content-Type": "application/octet-stream"}
PARTS = (b'--b\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\nx\r\n'
         b'--b\r\nContent-Disposition: form-data; name="f"; filename="b"\r\n\r\nx\r\n--b--\r\n')


def by_id(op_id, **args):
    return "POST", f"/ops/{op_id}", args, None


# The limit as the policy sets it, and a call that goes over it.
OVER = {
    ("browser.content", "max_bytes"): (10, by_id("browser.content")),
    ("browser.evaluate", "max_bytes"): (10, by_id("browser.evaluate", script="'x'.repeat(100000)")),
    ("browser.screenshot", "max_bytes"): (10, by_id("browser.screenshot")),
    ("browser.pdf", "max_bytes"): (10, by_id("browser.pdf")),
    ("files.upload_stream", "max_bytes"): (10, ("POST", "/files/upload-stream?path=up", b"x" * 11, BYTES)),
    ("files.upload_stream", "max_files"): (
        1, ("POST", "/files/upload-stream?path=folder", PARTS, {"Content-Type": "multipart/form-data; boundary=b"})),
    ("files.upload", "max_bytes"): (10, by_id("files.upload", path="up", content_base64="eHh4eHh4eHh4eHh4eHh4eHh4")),
    ("files.download_stream", "max_bytes"): (10, by_id("files.download_stream", path="twenty")),
    ("files.download", "max_bytes"): (10, by_id("files.download", path="twenty")),
    ("files.write", "max_bytes"): (10, by_id("files.write", path="w", content="x" * 11)),
    ("files.edit", "max_bytes"): (10, by_id("files.edit", path="twenty", edits=[{"old": "begin", "new": "b"}])),
    ("files.archive", "max_bytes"): (10, by_id("files.archive", paths=["twenty"])),
    ("files.archive", "max_files"): (2, by_id("files.archive", paths=["folder"])),
    ("files.extract", "max_bytes"): (10, by_id("files.extract", path="a.tar", destination="out")),
    ("files.extract", "max_files"): (1, by_id("files.extract", path="a.tar", destination="out")),
    ("commands.run", "max_timeout"): (3, by_id("commands.run", command="true", timeout=4)),
    ("commands.stream", "max_timeout"): (3, by_id("commands.stream", command="true", timeout=4)),
    ("process.start", "max_processes"): (0, by_id("process.start", command="true")),
    ("terminal.create", "max_sessions"): (0, by_id("terminal.create", command="true")),
    ("system.env.set", "max_bytes"): (10, by_id("system.env.set", vars={"A": "x" * 20})),
}
# Those that only a slow program passes: tests of their own, with such a program.
SLOW = {("system.packages", "max_seconds"), ("devtools.git.status", "max_seconds"), ("devtools.git.diff", "max_seconds")}
LIMITS = {(op["id"], limit["name"]): limit for op in OPS.values() for limit in op.get("limits", []) if limit["error"]}


def test_no_limit_is_left_out():
    assert set(OVER) | SLOW == set(LIMITS) and not set(OVER) & SLOW


@pytest.mark.parametrize("who", ["all", "own"])
@pytest.mark.parametrize("op_id, name", OVER)
def test_over_its_own_limit(make_server, op_id, name, who):
    value, (method, target, body, headers) = OVER[op_id, name]
    limits = {op_id: {name: value}}
    policy = {"profile": "full_access", "tokens": [token("all", ["*"]), token("own", ["*"])]}
    rule = f"limits.{op_id}.{name}"
    if who == "all":
        policy["limits"] = limits
    else:
        policy["tokens"][1]["limits"] = limits
        rule = f"tokens.own.{rule}"
    server = make_server(policy=policy)
    (server.base / "twenty").write_text("begin" + "x" * 15)
    (server.base / "folder").mkdir()
    for file in ("1", "2", "3"):
        (server.base / "folder" / file).write_text("")
    (server.base / "a.tar").write_bytes(Tar().add("a", b"x" * 20).add("b", b"x" * 20).done())
    reply = server.client(token=f"{who}-token", timeout=90).request(method, target, body, headers)
    wire_code = LIMITS[op_id, name]["error"]
    status = {"limit.file_too_large": 413, "limit.too_many": 429, "args.invalid": 400}[wire_code]
    refused(reply, status, wire_code, f"policy:{rule}")
    if who == "own":
        assert server.client(token="all-token", timeout=90).request(method, target, body, headers).status == 200
