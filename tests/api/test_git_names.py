# SPDX-License-Identifier: Apache-2.0
"""Names and lines of a repository that are not UTF-8 (R04, R43)."""
import base64
import json
import os
import subprocess

import pytest

from lib.client import expect_error


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


def test_a_diff_of_one_file_by_its_exact_name(client, repo):
    odd = os.fsdecode(b"n\xff")
    git(repo, "mv", "latin", odd)
    git(repo, "commit", "-qm", "odd")
    (repo / odd).write_text("one\n")
    (repo / "other").write_text("two\n")
    git(repo, "add", "-N", "other")
    exact = base64.b64encode(b"n\xff").decode()
    told = client.call("devtools.git.diff", path=str(repo), file_b64=exact)
    assert told["stats"]["files_changed"] == 1 and "+one" in told["diff"] and "other" not in told["diff"]
    told = json.loads(client.request("GET", f"/git/diff?path={repo}&file=n%FF").read())
    assert told["stats"]["files_changed"] == 1 and "+one" in told["diff"]
    (repo / odd).unlink()  # one that is gone is a file of the repository still
    assert "-\ufffd" in client.call("devtools.git.diff", path=str(repo), file_b64=exact)["diff"]
    with expect_error("args.invalid", 400):
        client.call("devtools.git.diff", path=str(repo), file="x", file_b64=exact)
    with expect_error("git.failed", 400, says="outside repository"):
        client.call("devtools.git.diff", path=str(repo), file_b64=base64.b64encode(b"../\xff").decode())


def test_the_exact_name_of_the_root(client, repo):
    moved = repo.with_name(os.fsdecode(b"r\xff"))
    repo.rename(moved)
    for op in ("devtools.git.status", "devtools.git.diff"):
        told = client.call(op, path_b64=base64.b64encode(os.fsencode(moved)).decode())
        assert base64.b64decode(told["root_b64"]) == os.fsencode(moved)
