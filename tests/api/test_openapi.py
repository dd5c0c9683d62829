# SPDX-License-Identifier: Apache-2.0
"""The OpenAPI document: valid, complete, true of the real server; ids that were released stay."""
import hashlib
import json
import pathlib
import re
import subprocess
import sys

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from lib.client import expect_error
from lib.server import ROOT, printed

RELEASED = pathlib.Path(__file__).with_name("released_ids.txt")
METHODS = {"get", "post", "put", "delete"}


def operations(document):
    return {operation["operationId"]: (method, path, operation) for path, item in document["paths"].items()
            for method, operation in item.items() if method in METHODS}


def references(value):
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"]
        for inner in value.values():
            yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


def resolve(document, reference):
    assert reference.startswith("#/")
    for part in reference[2:].split("/"):
        document = document[part]
    return document


@pytest.fixture(scope="module")
def document():
    return printed("gen-client", "--lang", "openapi")


def test_a_packaged_validator_accepts_it(document):
    faults = [f"{list(fault.absolute_path)}: {fault.message}" for fault in OpenAPIV31SpecValidator(document).iter_errors()]
    assert faults == []


def test_the_server_serves_what_is_committed(client, document):
    served = client.rest("core.openapi")
    off = {op["id"] for op in client.ops.values() if not client.rest("core.capabilities")["ops"][op["id"]]["enabled"]}
    assert set(operations(served)) == {name for name in operations(document) if name not in off}
    assert served["info"] == document["info"] and served["components"]["schemas"]["Error"] == document["components"]["schemas"]["Error"]
    assert json.loads((ROOT / "catalog/openapi.json").read_text()) == document


def test_every_op_has_its_operation(client, document):
    there = operations(document)
    for op in client.ops.values():
        method, path, operation = there[op["id"]]
        assert (method.upper(), path) == (op["method"], op["path"]), op["id"]
        assert operation["x-abx-scope"] == op["scope"] and operation["x-abx-kind"] == op["kind"]
        assert (operation.get("security") == []) == (op["scope"] is None), op["id"]
        assert set(re.findall(r"{(\w+)}", path)) == {p["name"] for p in operation["parameters"] if p["in"] == "path"}, op["id"]
        codes = " ".join(resolve(document, r["$ref"])["description"] if "$ref" in r else r["description"]
                         for r in operation["responses"].values())
        assert all(code in codes for code in op["errors"]), op["id"]
        if op["kind"] == "sse":
            assert [event["event"] for event in operation["x-abx-events"]] == [event["event"] for event in op["events"]]
            assert "text/event-stream" in operation["responses"]["200"]["content"]
        if op.get("raw", {}).get("response"):
            assert op["raw"]["media_type"] in operation["responses"]["200"]["content"]
        if op.get("raw", {}).get("request"):
            assert "application/octet-stream" in operation["requestBody"]["content"]
    extra = {name for name in there if name not in client.ops}
    assert extra == {"ops.call", "core.describe.id"}


def test_every_parameter_and_field_is_there(client, document):
    there = operations(document)
    for op in client.ops.values():
        _, _, operation = there[op["id"]]
        in_url = {parameter["name"] for parameter in operation["parameters"]}
        body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
        in_body = set(resolve(document, body["$ref"])["properties"]) if body else set()
        for param in op["params"]:
            place = {"query": in_url, "body": in_body, "path": in_url}[param["in"]]
            if op.get("also") and param["in"] == "path":
                continue
            assert param["name"] in place, f"{op['id']}.{param['name']}"
            assert "b64" not in param or param["b64"] in place, f"{op['id']}.{param['name']}"
        if "result" in op:
            name = "".join(part.title() for part in re.split(r"[._]", op["id"])) + "Result"
            assert set(document["components"]["schemas"][name]["properties"]) == {field["name"] for field in op["result"]["fields"]}


def test_examples_are_what_the_schemas_allow(client, document):
    """Each op's example stands at its parameters and its body; nothing is lost but what another op gives first."""
    def check(schema, example):
        Draft202012Validator({**schema, "components": document["components"]}).validate(example)

    for op in client.ops.values():
        seen = {}
        for name, (_, _, operation) in operations(document).items():
            if name != op["id"] and not (op.get("also") and name.startswith(op["id"] + ".")):
                continue
            for parameter in operation["parameters"]:
                if "example" in parameter:
                    check(parameter["schema"], parameter["example"])
                    seen[parameter["name"]] = parameter["example"]
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
            if "example" in body:
                check(body["schema"], body["example"])
                seen.update(body["example"])
        assert seen == op["example"]["args"], op["id"]


def test_all_references_resolve_and_all_components_are_used(document):
    used = set(references(document))
    for reference in used:
        resolve(document, reference)
    for name in document["components"]["schemas"]:
        assert f"#/components/schemas/{name}" in used, f"nothing uses {name}"


def test_one_name_is_one_shape(client):
    """Named objects become components: the same name with other fields would be lost."""
    seen = {}

    def walk(value):
        if isinstance(value, dict):
            name = value.get("type_name") or (value.get("type") == "object" and value.get("fields") and value.get("name"))
            if name and "fields" in value and "in" not in value:
                shape = json.dumps([{k: v for k, v in field.items() if k != "description"} for field in value["fields"]], sort_keys=True)
                assert seen.setdefault(name, shape) == shape, f"two shapes are called {name}"
            for inner in value.values():
                walk(inner)
        elif isinstance(value, list):
            for inner in value:
                walk(inner)

    for op in client.ops.values():
        walk(op.get("result"))
        walk(op.get("events"))


def test_what_is_switched_off_is_not_shown(make_server):
    server = make_server(policy={"groups": {"file_ops": False}})
    shown = operations(server.client().rest("core.openapi"))
    assert "commands.run" in shown and not any(name.startswith("files.") for name in shown)


def test_it_needs_its_scope(make_server):
    server = make_server(token="t", policy={"tokens": [{"name": "n", "sha256": hashlib.sha256(b"narrow").hexdigest(), "scopes": ["files:read"]}]})
    with expect_error("policy.scope_denied"):
        server.client("narrow").rest("core.openapi")
    with expect_error("auth.missing_credentials"):
        server.client(None).rest("core.openapi")


def test_ids_that_were_released_stay(client):
    released = [line for line in RELEASED.read_text().splitlines() if line and not line.startswith("#")]
    assert len(released) == len(set(released)), "an id stands twice"
    gone = [name for name in released if name not in client.ops]
    assert not gone, f"released once, and gone: {gone}"
    new = [name for name in client.ops if name not in released]
    assert not new, f"append to {RELEASED.name}: {new}"


@pytest.mark.parametrize("words", [[], ["--lang"], ["--lang", "cobol"], ["--out", "x"], ["--lang", "json", "-o"],
                                   ["--lang", "ts", "--part", "pydantic"], ["--lang", "python", "--part", "client"], ["--lang", "json", "--part", "client"]])
def test_gen_client_says_how_it_is_used(server, words):
    done = subprocess.run([server.command[0], "gen-client", *words], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "usage:" in done.stderr and not done.stdout


def test_gen_client_writes_a_file(server, tmp_path):
    subprocess.run([server.command[0], "gen-client", "--lang", "json", "-o", str(tmp_path / "x")], check=True, timeout=60)
    assert json.loads((tmp_path / "x").read_text()) == printed("describe", "--json")
    done = subprocess.run([server.command[0], "gen-client", "--lang", "json", "-o", str(tmp_path / "no/x")], capture_output=True, timeout=60)
    assert done.returncode == 1


def test_a_fuzzer_of_the_ecosystem_finds_no_untruth(make_server, tmp_path):
    """
    schemathesis sends what the document allows and some that it does not, and compares the answers with it.
    The ops that run programs are switched off.
    """
    server = make_server(policy={"groups": {"process": False, "terminal": False, "commands": False, "system": False}})
    done = subprocess.run(
        [str(pathlib.Path(sys.executable).with_name("schemathesis")), "run", f"{server.url}/openapi.json", "--seed", "1",
         "--max-examples", "4", "--phases", "fuzzing", "--suppress-health-check", "all", "--no-color",
         "--checks", "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"],
        capture_output=True, text=True, timeout=110, cwd=tmp_path, env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)})
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert server.is_running()
