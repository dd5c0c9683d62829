# SPDX-License-Identifier: Apache-2.0
"""Names and lines of a repository that are not UTF-8 (R04, R43)."""
import base64
import os
import subprocess

import pytest


@pytest.fixture
def client(make_server):
    return make_server(policy={"groups": {"dev_tools": True}}).client()


@pytest.fixture
def repo(client):
    path = client.server.base / "repo"
    path.mkdir()
    git(path, "init", "-q", "-b", "main")
    (path / "latin").write_bytes(b"\xe9\n")
    git(path, "add", "latin")
    git(path, "commit", "-qm", "latin")
    return path


def git(folder, *words):
    clean = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    identity = ["-c", "user.name=n", "-c", "user.email=e@x", "-c", "safe.directory=*", "-c", "maintenance.auto=false"]
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True, env=clean)


def test_a_diff_says_that_bytes_were_replaced(client, repo):
    (repo / "latin").write_bytes(b"\xe8\n")
    assert client.call("devtools.git.diff", path=str(repo))["lossy"] is True
    git(repo, "checkout", "-q", "latin")
    assert "lossy" not in client.call("devtools.git.diff", path=str(repo))


def test_exact_names_of_files(client, repo):
    odd = os.fsdecode(b"n\xff")
    git(repo, "mv", "latin", odd)
    entry, = client.call("devtools.git.status", path=str(repo))["files"]
    assert (entry["status"], entry["path"], base64.b64decode(entry["path_b64"])) == ("renamed", "n\ufffd", b"n\xff")
    git(repo, "commit", "-qm", "odd")
    git(repo, "mv", odd, "latin")
    entry, = client.call("devtools.git.status", path=str(repo))["files"]
    assert (entry["path"], base64.b64decode(entry["old_path_b64"])) == ("latin", b"n\xff") and "path_b64" not in entry


def test_the_exact_name_of_the_root(client, repo):
    moved = repo.with_name(os.fsdecode(b"r\xff"))
    repo.rename(moved)
    for op in ("devtools.git.status", "devtools.git.diff"):
        told = client.call(op, path_b64=base64.b64encode(os.fsencode(moved)).decode())
        assert base64.b64decode(told["root_b64"]) == os.fsencode(moved)
