# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the clients' tests."""
import pytest

from agent_sandbox import ServerClient


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
