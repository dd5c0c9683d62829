# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the clients' tests."""
import fcntl
import os
import subprocess

import pytest

from agent_sandbox import ServerClient
from lib.server import ROOT

TYPESCRIPT = ROOT / "clients/typescript"


@pytest.fixture
def connect(make_server, monkeypatch):
    """ServerClient that is closed before the servers of the test are stopped: connect(url or server, …)."""
    monkeypatch.delenv("ABX_SERVER_TOKEN", raising=False)
    made = []

    def one(server, **options):
        made.append(ServerClient(getattr(server, "url", server), **options))
        return made[-1]

    yield one
    for client in made:
        client.close()


@pytest.fixture
def srv(server, connect):
    """A client of the shared server."""
    return connect(server)


@pytest.fixture(scope="session")
def dist(tmp_path_factory):
    """The package, compiled by the pinned compiler, once for all workers."""
    shared = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        shared = shared.parent
    out = shared / "typescript"
    with open(shared / "typescript.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (out / "package.json").exists():
            if not (TYPESCRIPT / "node_modules/.bin/tsc").exists():
                subprocess.run(["npm", "ci", "--silent"], cwd=TYPESCRIPT, check=True, timeout=300)
            done = subprocess.run(["node_modules/.bin/tsc", "--outDir", str(out)], cwd=TYPESCRIPT, capture_output=True, text=True, timeout=300)
            assert done.returncode == 0, done.stdout
            (out / "package.json").write_text('{"name": "agent-sandbox", "type": "module", "exports": "./index.js"}')
    return out
