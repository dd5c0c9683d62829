# SPDX-License-Identifier: Apache-2.0
"""core.*: health, capabilities, the catalog, checks, reload."""
import hashlib
import json
import subprocess

import pytest

from lib.client import expect_error
from lib.server import binary, printed


def test_health_says_no_more(client):
    assert client.rest("core.health") == {"status": "ok"}
    assert client.call("core.health") == {"status": "ok"}


def test_capabilities(client, root):
    body = client.rest("core.capabilities")
    assert body["version"] == 2 and body["server"]["name"] == "agent-sandbox-server"
    assert body["principal"] == {"name": "local", "scopes": ["*"]} and body["catalog_version"] == 1
    assert body["paths"]["base"] == str(root) and body["paths"]["roots"] == [str(root)]
    ops, endpoints = body["ops"], body["endpoints"]
    assert set(ops) >= set(client.ops)
    for op_id, op in client.ops.items():
        entry = ops[op_id]
        assert (entry["scope"], entry["group"], entry["kind"]) == (op["scope"], op["group"], op["kind"])
        assert entry["enabled"] and entry["allowed"] and "rule" not in entry
        assert set(entry.get("limits", {})) == {limit["name"] for limit in op.get("limits", [])}
        if op.get("endpoint"):
            assert endpoints[op["endpoint"]] == entry
    assert body["groups"]["process"] is True and body["groups"]["core"] is True


def test_the_digest_is_that_of_the_catalog(client):
    """SHA-256 over the canonical JSON of the ops without their descriptions and examples."""
    def without_texts(value):
        if isinstance(value, dict):
            return {key: without_texts(part) for key, part in value.items() if key not in ("description", "example")}
        return [without_texts(part) for part in value] if isinstance(value, list) else value

    catalog = printed("describe", "--json")
    text = json.dumps(without_texts(catalog["ops"]), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    body = client.rest("core.capabilities")
    assert body["catalog_digest"] == catalog["digest"]
    assert catalog["digest"] == "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def test_the_catalog_is_what_the_binary_prints(client):
    catalog = printed("describe", "--json")
    served = client.rest("core.describe")
    assert {op["id"]: op for op in served["ops"]} == {op["id"]: op for op in catalog["ops"]}
    assert served["digest"] == catalog["digest"] and served["server_version"] == catalog["server_version"]
    for op in catalog["ops"]:
        one = client.request("GET", f"/ops/{op['id']}")
        assert one.status == 200 and op["id"] in one.read().decode()
    with expect_error("op.unknown", 404):
        client.call("core.describe", id="no.such")
    assert client.request("GET", "/ops/no.such").status == 404


def test_what_the_catalog_holds_is_well_formed(client):
    errors = {row["wire_code"] for row in printed("describe", "--errors")}
    for op in client.ops.values():
        assert op["summary"].endswith(".") and op["description"] is not None
        assert len(op["errors"]) == len(set(op["errors"])) and set(op["errors"]) <= errors, op["id"]
        names = [param["name"] for param in op["params"]]
        assert len(names) == len(set(names))
        for group in op["one_of"]:
            listed = group if isinstance(group, list) else group["names"]
            assert set(listed) <= set(names)
        if op["kind"] == "sse":
            assert [event["event"] for event in op["events"] if event.get("final")], op["id"]


def test_describe_on_the_command_line():
    shown = subprocess.run([binary(), "describe", "commands.run"], capture_output=True, text=True, timeout=30, check=True).stdout
    assert "commands.run" in shown and "/shell" in shown
    assert printed("describe", "commands.run", "--json")
    assert subprocess.run([binary(), "describe", "no.such"], capture_output=True, timeout=30, check=False).returncode != 0


@pytest.mark.parametrize("arguments, code, says", [
    (["--no-such-option"], 2, "--no-such-option"), (["--lissten", "x"], 2, "did you mean --listen"), (["--listen"], 2, "needs a value"),
    (["--no-cgroups=1"], 2, "takes no value"), (["--shutdown-grace", "-1"], 2, "shutdown-grace"),
    (["--log-level", "loud"], 2, "log-level"), (["--listen", "0.0.0.0:0"], 2, "--insecure-no-auth"),
    (["--listen", "nonsense"], 2, "nonsense"), (["--listen", "127.0.0.1:99999"], 2, "99999"),
    (["--trust-forwarded=maybe"], 2, "--trust-forwarded must be true or false"),
    (["--token", "a", "--token-file", "b"], 2, "both")])
def test_options_that_are_wrong_stop_the_start(arguments, code, says):
    done = subprocess.run([binary(), *arguments], capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == code and says in done.stderr and done.stderr.count("\n") == 1, done


def test_help_and_version():
    shown = subprocess.run([binary(), "--help"], capture_output=True, text=True, timeout=30, check=True).stdout
    assert "--listen" in shown and "ABX_SERVER_TOKEN" in shown
    shown = subprocess.run([binary(), "--version"], capture_output=True, text=True, timeout=30, check=True).stdout
    assert shown.startswith("agent-sandbox-server ")


def test_check_says_what_a_call_would(make_server, outside, tmp_path):
    (tmp_path / "base").mkdir()
    policy = {"version": 1, "ops": {"files.delete": False}, "paths": {"roots": [str(tmp_path / "base")], "deny": ["**/.env"]}}
    client = make_server(policy=policy, base=tmp_path / "base").client()
    assert client.rest("core.check", op="commands.run")["allowed"] is True
    assert client.rest("core.check", endpoint="shell")["op"] == "commands.run"
    verdict = client.rest("core.check", op="files.delete")
    assert verdict["allowed"] is False and verdict["wire_code"] == "op.not_enabled" and verdict["rule"] == "policy:ops.files.delete"
    verdict = client.rest("core.check", op="files.stat", path=str(outside))
    assert (verdict["allowed"], verdict["wire_code"], verdict["rule"]) == (False, "policy.path_denied", "policy:paths.roots")
    assert verdict["reason"]
    verdict = client.rest("core.check", op="files.stat", paths=[".", "sub/.env"])
    assert verdict["rule"] == "policy:paths.deny[0]"
    verdict = client.rest("core.check", op="commands.run", args={"command": "true", "cwd": str(outside)})
    assert verdict["wire_code"] == "policy.path_denied"
    verdict = client.rest("core.check", op="commands.run", args={"command": "true", "env": {"ABX_X": "1"}})
    assert (verdict["allowed"], verdict["wire_code"]) == (False, "policy.env_denied")
    both = client.rest("core.check", checks=[{"op": "commands.run"}, {"op": "files.delete"}])
    assert both["allowed"] is False and [one["allowed"] for one in both["results"]] == [True, False]
    with expect_error("args.missing"):
        client.rest("core.check")
    assert client.rest("core.check", op="no.such")["allowed"] is False


@pytest.mark.parametrize("op, args, code", [
    ("files.delete", {"path": "."}, "policy.path_denied"), ("files.delete", {"path": "holds"}, "policy.path_denied"),
    ("files.delete", {"path": "above"}, "policy.path_readonly"), ("files.delete", {"path": "plain"}, None),
    ("files.move", {"source": ".", "destination": "new"}, "policy.path_denied"),
    ("files.move", {"source": "holds", "destination": "new"}, "policy.path_denied"),
    ("files.move", {"source": "above", "destination": "new"}, "policy.path_readonly"),
    ("files.move", {"source": "plain", "destination": "moved"}, None),
    ("files.copy", {"source": "plain", "destination": "."}, "policy.path_denied"),
    ("files.copy", {"source": "like", "destination": "above"}, "policy.path_readonly"),
    ("files.copy", {"source": "holds", "destination": "copied"}, None),
    ("files.write", {"path": "new", "content": "", "mode": "99"}, "args.invalid"),
    ("files.chmod", {"path": "holds", "mode": "700"}, "policy.path_denied"), ("files.chmod", {"path": "plain", "mode": "700"}, None),
    ("commands.run", {"command": "true", "env": {"ABX_X": "1"}}, "policy.env_denied"),
    ("commands.run", {"command": "true", "user": "nobody-listed"}, "policy.command_denied"),
    ("commands.stream", {"command": "true", "user": "nobody-listed"}, "policy.command_denied"),
    ("process.start", {"argv": ["true"], "env": {"ABX_X": "1"}}, "policy.env_denied"),
    ("terminal.create", {"user": "nobody-listed"}, "policy.command_denied"),
    ("devtools.code.run", {"code": "", "env": {"ABX_X": "1"}}, "policy.env_denied"),
    ("process.signal", {"pid": "none", "signal": "SIGHUP"}, "policy.signal_denied"),
    ("process.signal", {"pid": "none", "signal": "SIGNONE"}, "args.invalid"),
    ("system.env.set", {"vars": {"PATH": "/"}}, "policy.env_denied"), ("system.env.set", {"vars": {"A": "1"}}, None),
    ("browser.navigate", {"url": "http://else.where/"}, "policy.host_denied")])
def test_a_check_answers_what_the_call_answers(make_server, tmp_path, op, args, code):
    base = tmp_path / "base"
    for name in ("plain", "holds/.env", "above/fixed", "like/fixed"):
        (base / name).mkdir(parents=True)
    client = make_server(base=base, policy={
        "groups": {"dev_tools": True, "browser": True}, "paths": {"deny": ["**/.env"], "readonly": [str(base / "above" / "fixed")]},
        "process": {"signals": [15]}, "browser": {"allow_hosts": ["only.this"]}}).client()
    verdict = client.rest("core.check", op=op, args=args)
    assert (verdict["allowed"], verdict.get("wire_code")) == (code is None, code)
    call = client.stream if op == "commands.stream" else client.call
    if code is None:
        call(op, **args)
        return
    with expect_error(code) as caught:
        call(op, **args)
    assert caught.error.rule == verdict.get("rule") and caught.error.message == verdict["reason"]
    assert (base / "plain").exists() and (base / "holds").exists()


def test_a_check_of_some_arguments_takes_what_is_there(client, folder):
    for op in ("files.move", "files.chmod", "process.signal", "system.env.set", "commands.run", "browser.navigate"):
        assert client.rest("core.check", op=op, args={}).get("wire_code") in (None, "op.not_enabled"), op
    assert client.rest("core.check", op="files.move", args={"source": str(folder)})["allowed"] is True
    assert client.rest("core.check", op="files.delete", args={"path": str(folder / "none")})["allowed"] is True


def test_a_check_runs_nothing(client, folder):
    mark = folder / "mark"
    assert client.rest("core.check", op="commands.run", args={"command": f"touch {mark}"})["allowed"] is True
    assert client.rest("core.check", op="files.delete", args={"path": str(folder)})["allowed"] is True
    assert folder.exists() and not mark.exists()


def test_reload(make_server):
    server = make_server(policy={"version": 1})
    client = server.client()
    file = server.scratch / "policy.yaml"
    client.call("commands.run", command="true")
    file.write_text(json.dumps({"version": 1, "groups": {"process": False}}))
    client.rest("core.reload")
    with expect_error("op.not_enabled", 404):
        client.call("commands.run", command="true")
    file.write_text("version: 1\nnonsense: true\n")
    with expect_error("args.invalid", 400, says="nonsense"):
        client.rest("core.reload")
    with expect_error("op.not_enabled"):
        client.call("commands.run", command="true")
