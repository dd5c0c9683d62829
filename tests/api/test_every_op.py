# SPDX-License-Identifier: Apache-2.0
"""Each op of the catalog against each refusal: no token, no scope, switched off, every path parameter outside the roots."""
import json
import re

import pytest

from lib import contract
from lib.access import token

OPS = contract.ops()
GUARDED = [op for op in OPS.values() if op["scope"]]
SWITCHABLE = [op for op in GUARDED if op["group"] != "core"]
PATHS = [(op["id"], param["name"]) for op in GUARDED for param in op["params"]
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


def refused(reply, status, wire_code, rule):
    body = json.loads(reply.read())
    assert (reply.status, body["wire_code"], body.get("rule")) == (status, wire_code, rule)


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
        body = json.loads(reply.read())
        assert (reply.status, body["wire_code"], body.get("rule")) == (403, "policy.path_denied", "policy:paths.roots"), path
    assert (guarded.base / "file").read_text() == "x"
