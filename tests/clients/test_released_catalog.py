# SPDX-License-Identifier: Apache-2.0
"""What a release carries for clients that live elsewhere, and how the TypeScript client takes it over."""
import hashlib
import json
import os
import shutil
import subprocess

import pytest

from lib.server import ROOT, binary, printed

PACKAGE = ROOT / "clients/typescript"
GENERATED = ("src/catalog.ts", "src/client.ts")


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    folder = tmp_path_factory.mktemp("release")
    done = subprocess.run([ROOT / "tools/release-catalog", folder], capture_output=True, text=True, timeout=60,
                          env={**os.environ, "ABX_TEST_SERVER": binary()})
    assert done.returncode == 0, done.stderr
    version = printed("describe", "--json")["server_version"]
    assert sorted(path.name for path in folder.iterdir()) == [f"agent-sandbox-server-catalog-{version}.json", "openapi.json"]
    return folder / f"agent-sandbox-server-catalog-{version}.json"


@pytest.fixture
def package(tmp_path):
    """A copy of the package whose generated files are old ones."""
    for name in ("src", "scripts"):
        shutil.copytree(PACKAGE / name, tmp_path / name)
    for name in GENERATED:
        (tmp_path / name).write_text("// old\n")
    return tmp_path


def sync(package, *words):
    return subprocess.run([package / "scripts/sync-catalog", *words], capture_output=True, text=True, timeout=30)


def texts_gone(value):
    if isinstance(value, dict):
        return {name: texts_gone(inner) for name, inner in value.items() if name not in ("description", "example")}
    return [texts_gone(inner) for inner in value] if isinstance(value, list) else value


def test_it_is_the_catalog_and_its_digest_is_of_its_ops(released):
    catalog = json.loads(released.read_text())
    printed_now = printed("describe", "--json")
    assert {name: catalog[name] for name in printed_now} == printed_now and catalog["errors"] == printed("describe", "--errors")
    text = json.dumps(texts_gone(catalog["ops"]), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert catalog["digest"] == "sha256:" + hashlib.sha256(text.encode()).hexdigest()
    assert catalog["clients"]["python"] == (ROOT / "clients/python/src/agent_sandbox/_generated.py").read_text()
    assert json.loads(released.with_name("openapi.json").read_text()) == json.loads((ROOT / "catalog/openapi.json").read_text())


@pytest.mark.skipif(not shutil.which("node"), reason="Node is not installed")
def test_the_typescript_client_takes_it_over(released, package):
    done = sync(package, released)
    catalog = json.loads(released.read_text())
    assert (done.returncode, done.stdout) == (0, f"{catalog['server_version']} {catalog['digest']}\n"), done.stderr
    for name in GENERATED:
        assert (package / name).read_bytes() == (PACKAGE / name).read_bytes()


@pytest.mark.skipif(not shutil.which("node"), reason="Node is not installed")
def test_what_was_changed_on_the_way_is_refused(released, package, tmp_path):
    catalog = json.loads(released.read_text())
    catalog["ops"][0]["path"] = "/elsewhere"
    (tmp_path / "changed.json").write_text(json.dumps(catalog))
    half = json.loads(released.read_text())
    del half["clients"]["typescript"]["client.ts"]
    (tmp_path / "half.json").write_text(json.dumps(half))
    (tmp_path / "bare.json").write_text(json.dumps(printed("describe", "--json")))
    for words, why in (([tmp_path / "changed.json"], "digest"), ([tmp_path / "bare.json"], "no TypeScript"),
                       ([tmp_path / "half.json"], "no TypeScript"), ([], "usage")):
        done = sync(package, *words)
        assert done.returncode == 1 and why in done.stderr
    assert all((package / name).read_text() == "// old\n" for name in GENERATED)
