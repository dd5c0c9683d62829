# SPDX-License-Identifier: Apache-2.0
"""What the operating system refuses, and what a disk cannot do."""
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

from lib.client import expect_error
from lib.server import Server, binary

NOBODY = 65534
root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts")


@pytest.fixture
def modest(monkeypatch, tmp_path):
    """A server that is not root, its client and its base folder."""
    if os.geteuid() == 0 and not shutil.which("setpriv"):
        pytest.skip("setpriv is not installed")
    base = pathlib.Path(tempfile.mkdtemp(prefix="abx-modest-"))
    if os.geteuid() == 0:
        wrapper = base.parent / f"{base.name}-server"
        wrapper.write_text(f'#!/bin/sh\nexec setpriv --reuid {NOBODY} --regid {NOBODY} --clear-groups {binary()} "$@"\n')
        wrapper.chmod(0o755)
        os.chown(base, NOBODY, NOBODY)
        copy = base.parent / f"{base.name}-binary"  # the build folder may be closed to others
        shutil.copy(binary(), copy)
        wrapper.write_text(wrapper.read_text().replace(binary(), str(copy)))
        monkeypatch.setenv("ABX_TEST_SERVER", str(wrapper))
    server = Server(base=base)
    yield server.client(), base
    server.stop()
    subprocess.run(["chmod", "-R", "u+rwx", base], check=True)
    shutil.rmtree(base)
    if os.geteuid() == 0:
        wrapper.unlink()
        copy.unlink()


def own(path):
    if os.geteuid() == 0:
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    return path


def refused(call, *args, **kwargs):
    with expect_error("files.permission_denied", 403):
        call(*args, **kwargs)


def test_what_the_system_refuses_the_ops_on_content(modest):
    client, base = modest
    for name in ("closed", "fixed"):
        (base / name).mkdir()
        (base / name / "f").write_text("x")
    (base / "secret").write_text("x")
    for path in base.rglob("*"):
        own(path)
    (base / "secret").chmod(0)
    (base / "fixed").chmod(0o555)
    (base / "closed").chmod(0)
    refused(client.rest, "files.read", path="secret")
    refused(client.rest, "files.write", path="fixed/new", content="x")
    refused(client.rest, "files.write", path="secret", content="x", append=True)
    refused(client.rest, "files.edit", path="fixed/f", edits=[{"old": "x", "new": "y"}])
    refused(client.rest, "files.copy", source="secret", destination="copy")
    refused(client.rest, "files.copy", source="fixed/f", destination="fixed/copy")
    refused(client.rest, "files.chmod", path="closed/f", mode="600")
    refused(client.rest, "files.search", path="closed", pattern="*")
    refused(client.rest, "files.grep", path="closed", pattern="x")
    # In a walk it is passed over.
    answer = client.rest("files.grep", path=".", pattern="x")
    assert [os.path.basename(hit["path"]) for hit in answer["matches"]] == ["f"] and answer["files_skipped"] == 1
    assert [one["name"] for one in client.rest("files.search", path=".", pattern="f")["results"]] == ["f"]
    assert not [name for name in os.listdir(base) if name.startswith(".abx")]


def test_what_the_system_refuses(modest):
    client, base = modest
    for name in ("closed/in", "fixed", "open"):
        (base / name).mkdir(parents=True)
    for name in ("closed/f", "fixed/f", "open/secret", "open/fixed"):
        (base / name).write_text("x")
    for path in base.rglob("*"):
        own(path)
    (base / "open/secret").chmod(0)
    (base / "open/fixed").chmod(0o444)
    (base / "fixed").chmod(0o555)
    (base / "closed").chmod(0)
    refused(client.rest, "files.list", path="closed")
    refused(client.rest, "files.stat", path="closed/f")
    refused(client.rest, "files.mkdir", path="fixed/new")
    refused(client.rest, "files.mkdir", path="closed/in/new/deep")
    refused(client.rest, "files.delete", path="fixed/f")
    refused(client.rest, "files.delete", path="closed")
    refused(client.rest, "files.move", source="fixed/f", destination="f")
    refused(client.rest, "files.move", source="open/secret", destination="fixed/new")
    for op in ("files.download", "files.download_stream"):
        refused(client.rest, op, path="open/secret")
        refused(client.get_bytes, op, path="open/secret")
    for op in ("files.upload", "files.upload_stream"):
        refused(client.send_bytes, op, b"new", path="fixed/new")
        refused(client.send_bytes, op, b"new", path="open/fixed")  # who may not write a file may not replace it
        refused(client.call, op, path="closed/new", content_base64="")
    entries = {entry["name"]: entry for entry in client.rest("files.list", path=".", recursive=True)["entries"]}
    assert entries["closed"]["mode"] == "000" and entries["secret"]["size"] == 1 and "in" not in entries
    (base / "closed").chmod(0o755)
    assert (base / "open/fixed").read_text() == "x" and sorted(os.listdir(base / "closed")) == ["f", "in"]


def test_a_file_of_somebody_else_becomes_ours(modest):
    """Without the right to give files away the owner cannot be kept; the mode is."""
    client, base = modest
    if os.geteuid() != 0:
        pytest.skip("only root makes files of others")
    (base / "f").write_text("old")
    (base / "f").chmod(0o666)
    client.send_bytes("files.upload", b"new", path="f")
    found = (base / "f").stat()
    assert found.st_uid == NOBODY and found.st_mode & 0o7777 == 0o666 and (base / "f").read_text() == "new"


def test_setuid_where_the_server_is_not_root(modest):
    client, base = modest
    client.send_bytes("files.upload", b"x", path="f", mode="4755")
    assert (base / "f").stat().st_mode & 0o7777 == 0o4755
    client.send_bytes("files.upload", b"y", path="f", mode="755")
    assert (base / "f").stat().st_mode & 0o7777 == 0o755


@root_only
def test_no_inode_is_left(make_server, tmp_path):
    small = tmp_path / "small"
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m,nr_inodes=4", "tmpfs", small], capture_output=True).returncode:
        pytest.skip("this machine does not let us mount")
    try:
        server = make_server(base=small)
        client = server.client()
        for number in range(3):
            client.rest("files.mkdir", path=f"d{number}")
        with expect_error("files.no_space", 507):
            client.rest("files.mkdir", path="d3")
        with expect_error("files.no_space", 507):
            client.rest("files.mkdir", path="d0/a/b")
        server.stop()
    finally:
        subprocess.run(["umount", "-l", small], check=True)


def test_a_read_that_fails(make_server, tmp_path):
    """The memory of a process at address 0 is there to be opened and cannot be read."""
    base = tmp_path / "base"
    client = make_server(base=base, policy={"version": 1, "paths": {"base": str(base), "roots": [str(base), "/proc"]}}).client()
    with subprocess.Popen(["sleep", "60"]) as child:
        try:
            for op in ("files.download", "files.download_stream"):
                with expect_error("files.io", 500):
                    client.rest(op, path=f"/proc/{child.pid}/mem")
            with expect_error("files.io", 500):
                client.rest("files.copy", source=f"/proc/{child.pid}/mem", destination="new/deep/copy", parents=True)
            assert os.listdir(base) == [], "no folder that was only made for the copy"
        finally:
            child.kill()


@root_only
def test_files_are_those_of_the_user_of_the_policy(make_server, tmp_path):
    """R94: the server is root, and what it does with files it does as process.user."""
    tmp_path.chmod(0o711)
    tmp_path.parent.chmod(0o711)
    tmp_path.parent.parent.chmod(0o711)
    base = tmp_path / "base"
    base.mkdir()
    os.chown(base, NOBODY, NOBODY)
    (base / "roots").mkdir(mode=0o700)
    (base / "roots/f").write_text("x")
    (base / "roots-file").write_text("x")
    (base / "roots-file").chmod(0o600)
    server = make_server(base=base, token="a-token-of-this-test", policy={
        "version": 1, "paths": {"base": str(base), "roots": [str(base)]}, "process": {"user": "nobody", "umask": "027"}, "files": {"fsync": True}})
    client = server.client()
    client.send_bytes("files.upload_stream", b"x" * 600_000, path="new/sub/f", parents=True)
    client.call("files.upload", path="g", content_base64="aGk=")
    client.send_files("files.upload_stream", [("h", b"1")], path="new")
    client.rest("files.mkdir", path="d")
    for name, mode in (("new", 0o750), ("new/sub", 0o750), ("new/sub/f", 0o640), ("g", 0o640), ("new/h", 0o640), ("d", 0o750)):
        found = (base / name).stat()
        assert (found.st_uid, found.st_gid, found.st_mode & 0o7777) == (NOBODY, NOBODY, mode), name
    refused(client.rest, "files.list", path="roots")
    refused(client.rest, "files.stat", path="roots/f")
    for op in ("files.download", "files.download_stream"):
        refused(client.get_bytes, op, path="roots-file")
        refused(client.rest, op, path="roots-file")
    refused(client.send_bytes, "files.upload", b"x", path="roots-file")
    refused(client.rest, "files.delete", path="roots")
    refused(client.rest, "files.move", source="g", destination="roots/g")
    assert client.get_bytes("files.download", path="g").read() == b"hi"
    client.rest("files.move", source="g", destination="moved")
    client.rest("files.delete", path="moved")
    assert (base / "roots/f").read_text() == "x" and (base / "roots-file").read_text() == "x"
