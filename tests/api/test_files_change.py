# SPDX-License-Identifier: Apache-2.0
"""delete and move: what is gone, what is whole, and what is refused before anything changes."""
import concurrent.futures
import ctypes
import os
import pathlib
import shutil
import stat
import subprocess
import tempfile
import threading

import pytest

from lib.client import expect_error
from lib.processes import eventually, no_descriptor_is_left

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts and changes owners")
LIBC = ctypes.CDLL(None, use_errno=True)


@pytest.fixture
def other(tmp_path_factory):
    """A folder on another file system than the base folder of a server."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="abx-other-", dir="/dev/shm"))
    if path.stat().st_dev == pathlib.Path(tempfile.gettempdir()).stat().st_dev:
        path.rmdir()
        pytest.skip("there is one file system only")
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def mounted():
    """mounted(path) puts a small tmpfs there until the end of the test."""
    paths = []

    def mount(path, size="1m"):
        path.mkdir(exist_ok=True)
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", path], capture_output=True)
        if done.returncode:
            pytest.skip("this machine does not let us mount")
        paths.append(path)

    yield mount
    for path in reversed(paths):
        subprocess.run(["umount", "-l", path], check=True)


def test_delete(client, folder, outside):
    (outside / "keep").write_text("")
    (folder / "d/e/f").mkdir(parents=True)
    (folder / "d/e/x").write_text("")
    (folder / "d/out").symlink_to(outside)
    (folder / "d/file").symlink_to(outside / "keep")
    (folder / "d/dangling").symlink_to("nowhere")
    os.mkfifo(folder / "d/pipe")
    assert client.rest("files.delete", path=str(folder / "d")) == {"path": str(folder / "d"), "deleted": True}
    assert os.listdir(folder) == [] and os.listdir(outside) == ["keep"]


def test_delete_takes_the_link_and_not_its_target(client, folder):
    (folder / "d").mkdir()
    (folder / "d/x").write_text("")
    (folder / "l").symlink_to("d")
    with expect_error("files.not_a_directory", 409):
        client.rest("files.delete", path=f"{folder}/l/")
    client.rest("files.delete", path=str(folder / "l"))
    assert os.listdir(folder) == ["d"] and os.listdir(folder / "d") == ["x"]


def test_delete_without_recursive(client, folder):
    (folder / "d/e").mkdir(parents=True)
    with expect_error("files.not_empty", 409):
        client.rest("files.delete", path=str(folder / "d"), recursive=False)
    client.rest("files.delete", path=str(folder / "d/e"), recursive=False)
    client.rest("files.delete", path=str(folder / "d"), recursive="no")
    assert os.listdir(folder) == []


def test_delete_refusals(client, folder, root):
    """B078: roots and what holds one; the rest of that fault is below."""
    (folder / "f").write_text("")
    for path, code in ((folder / "gone", "files.not_found"), (folder / "gone/x", "files.not_found"), (folder / "f/x", "files.not_a_directory")):
        with expect_error(code):
            client.rest("files.delete", path=str(path))
    with expect_error("files.not_a_directory", 409):
        client.rest("files.delete", path=f"{folder}/f/")
    for path in (".", "~", str(root), f"{root}/", f"{root}/{folder.name}/.."):
        with expect_error("policy.path_denied", 403):
            client.rest("files.delete", path=path)
    for path in ("/", "/tmp", str(root.parent)):
        with expect_error("policy.path_denied", 403):
            client.rest("files.delete", path=path)
    with expect_error("args.invalid", 400):
        client.rest("files.delete", path="")
    assert os.listdir(folder) == ["f"]


def test_delete_takes_its_options_from_the_query_only(client, folder):
    """B081: nothing that is sent is ignored; what is refused is named, and where it belongs."""
    (folder / "d/e").mkdir(parents=True)
    target = f"/files?path={folder}/d"
    for where in ("/files", target):
        reply = client.request("DELETE", where, {"path": f"{folder}/d", "recursive": True})
        assert reply.status == 400 and "takes its parameters in the query" in reply.read().decode()
    for query, says in (("recursive=maybe", "recursive"), ("recusive=true", "did you mean 'recursive'"), ("recursive=false&recursive=true", "recursive")):
        reply = client.request("DELETE", f"{target}&{query}")
        assert reply.status == 400 and says in reply.read().decode()
    assert (folder / "d/e").exists()
    assert client.request("DELETE", f"/files/?path={folder}/d").status == 200
    assert not (folder / "d").exists()


def make_deep(top, levels):
    """A chain of folders, deeper than a path can say; returns how to take it away again."""
    fd = os.open(top, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("d", dir_fd=fd)
        inner = os.open("d", os.O_RDONLY, dir_fd=fd)
        os.close(os.open("f", os.O_CREAT | os.O_WRONLY, dir_fd=fd))
        os.close(fd)
        fd = inner
    os.close(fd)


@pytest.mark.parametrize("levels", [20, 30, 1000, 3000])
def test_delete_a_deep_tree(client, server, folder, levels):
    (folder / "deep").mkdir()
    make_deep(folder / "deep", levels)
    with no_descriptor_is_left(server):
        client.rest("files.delete", path=str(folder / "deep"))
    assert os.listdir(folder) == []


def test_delete_a_folder_that_is_written_to(client, folder):
    """B078"""
    target = folder / "busy"
    target.mkdir()
    stop = threading.Event()

    def write():
        number = 0
        while not stop.is_set():
            try:
                os.close(os.open(target / f"f{number}", os.O_CREAT | os.O_WRONLY))
            except FileNotFoundError:
                return
            number += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        try:
            client.rest("files.delete", path=str(target))
            assert not target.exists()
        except Exception as error:
            assert error.wire_code == "files.busy" and error.details["left"].startswith(str(target)), error
    finally:
        stop.set()
        writer.join()


@root_only
def test_mount_points_are_refused_before_anything_is_removed(client, folder, mounted):
    """B078"""
    (folder / "d/e").mkdir(parents=True)
    (folder / "d/a").write_text("")
    mounted(folder / "d/e/m")
    (folder / "d/e/m/inside").write_text("")
    for path in ("d", "d/e", "d/e/m"):
        with expect_error("files.busy", 409, says=str(folder / "d/e/m")) as caught:
            client.rest("files.delete", path=str(folder / path))
        assert caught.error.details == {"left": str(folder / "d/e/m")}
    with expect_error("files.busy", 409):
        client.rest("files.move", source=str(folder / "d/e/m"), destination=str(folder / "moved"))
    with expect_error("files.busy", 409):
        client.rest("files.delete", path=str(folder / "d/e/m"), recursive=False)
    assert (folder / "d/a").exists() and (folder / "d/e/m/inside").exists()
    client.rest("files.move", source=str(folder / "d"), destination=str(folder / "moved"))  # a rename takes it along
    assert (folder / "moved/e/m/inside").exists()
    client.rest("files.move", source=str(folder / "moved"), destination=str(folder / "d"))


@root_only
def test_a_bound_folder_of_the_same_file_system_is_a_mount_point(client, folder):
    (folder / "d/m").mkdir(parents=True)
    (folder / "real").mkdir()
    (folder / "real/keep").write_text("")
    if subprocess.run(["mount", "--bind", folder / "real", folder / "d/m"], capture_output=True).returncode:
        pytest.skip("this machine does not let us mount")
    try:
        with expect_error("files.busy", 409):
            client.rest("files.delete", path=str(folder / "d"))
        assert (folder / "real/keep").exists()
    finally:
        subprocess.run(["umount", "-l", folder / "d/m"], check=True)


@root_only
def test_a_failure_in_the_middle_names_what_is_left(client, folder):
    (folder / "d/e").mkdir(parents=True)
    (folder / "d/e/fixed").write_text("")
    if subprocess.run(["chattr", "+i", folder / "d/e/fixed"], capture_output=True).returncode:
        pytest.skip("this file system has no immutable files")
    try:
        with expect_error("files.permission_denied", 403, says="fixed") as caught:
            client.rest("files.delete", path=str(folder / "d"))
        assert caught.error.details == {"left": str(folder / "d/e/fixed")}
    finally:
        subprocess.run(["chattr", "-i", folder / "d/e/fixed"], check=True)


def test_protected_entries_hold_their_ancestors(make_server, tmp_path):
    base = tmp_path / "base"
    (base / "d/e").mkdir(parents=True)
    (base / "d/e/.env").write_text("SECRET=1")
    (base / "p/vendor/x").mkdir(parents=True)
    (base / "free/x").mkdir(parents=True)
    client = make_server(base=base, policy={
        "version": 1, "paths": {"base": str(base), "roots": [str(base)], "deny": ["**/.env"], "readonly": ["p/vendor"]}}).client()
    for path in ("d", "d/e"):
        with expect_error("policy.path_denied", 403) as caught:
            client.rest("files.delete", path=path)
        assert caught.error.rule == "policy:paths.deny[0]" and ".env" not in caught.error.message
        with expect_error("policy.path_denied", 403):
            client.rest("files.move", source=path, destination="elsewhere")
    with expect_error("policy.path_readonly", 403) as caught:
        client.rest("files.delete", path="p")
    assert caught.error.rule == "policy:paths.readonly[0]"
    with expect_error("policy.path_readonly", 403):
        client.rest("files.move", source="p", destination="elsewhere")
    for path in ("p/vendor", "p/vendor/x", "p/vendor/new"):
        for op, args in (("files.delete", {"path": path}), ("files.mkdir", {"path": path}), ("files.upload", {"path": path, "content_base64": ""}),
                         ("files.upload_stream", {"path": path, "content_base64": ""}), ("files.move", {"source": path, "destination": "q"}),
                         ("files.move", {"source": "free", "destination": path})):
            with expect_error("policy.path_readonly", 403):
                client.call(op, **args)
    assert client.rest("files.list", path="p/vendor")["entries"][0]["name"] == "x"
    client.rest("files.delete", path="free")
    assert (base / "d/e/.env").exists() and (base / "p/vendor/x").exists()


def test_move(client, folder):
    (folder / "a").write_text("a")
    answer = client.rest("files.move", source=str(folder / "a"), destination=str(folder / "b"))
    assert answer == {"source": str(folder / "a"), "destination": str(folder / "b")}
    (folder / "c").write_text("c")
    client.rest("files.move", source=str(folder / "c"), destination=str(folder / "b"))
    assert (folder / "b").read_text() == "c" and os.listdir(folder) == ["b"]
    (folder / "d/e").mkdir(parents=True)
    (folder / "empty").mkdir()
    client.rest("files.move", source=str(folder / "d"), destination=str(folder / "empty"))
    assert sorted(os.listdir(folder)) == ["b", "empty"] and os.listdir(folder / "empty") == ["e"]
    client.rest("files.move", source=str(folder / "b"), destination=str(folder / "new/sub/b"), parents=True)
    assert (folder / "new/sub/b").read_text() == "c"


def test_move_onto_itself_and_into_itself(client, folder):
    """B080"""
    (folder / "a").mkdir()
    (folder / "f").write_text("f")
    os.link(folder / "f", folder / "g")
    for overwrite in (True, False):
        client.rest("files.move", source=str(folder / "a"), destination=str(folder / "a"), overwrite=overwrite)
        client.rest("files.move", source=str(folder / "f"), destination=str(folder / "f"), overwrite=overwrite)
        client.rest("files.move", source=str(folder / "f"), destination=str(folder / "g"), overwrite=overwrite)
    for inside in ("a/b", "a/b/c"):
        with expect_error("args.invalid", 400):
            client.rest("files.move", source=str(folder / "a"), destination=str(folder / inside), parents=True)
    assert sorted(os.listdir(folder)) == ["a", "f", "g"] and os.listdir(folder / "a") == []


def test_move_over_something(client, folder):
    """B080"""
    (folder / "full/x").mkdir(parents=True)
    (folder / "d").mkdir()
    (folder / "f").write_text("f")
    (folder / "g").write_text("g")

    def refused(code, source, destination, **args):
        with expect_error(code, 409):
            client.rest("files.move", source=f"{folder}/{source}", destination=f"{folder}/{destination}", **args)

    refused("files.is_a_directory", "f", "d")
    refused("files.is_a_directory", "f", "full")
    refused("files.not_a_directory", "d", "f")
    refused("files.not_empty", "d", "full")
    refused("files.exists", "f", "g", overwrite=False)
    refused("files.exists", "d", "full", overwrite=False)
    for destination in ("new/", "d/", "new/deep/"):  # told as it is: the folder is one, and what is moved is none
        with expect_error("files.not_a_directory", 409, says=f"f' is not a folder, and the slash at the end of '{folder}/{destination}'"):
            client.rest("files.move", source=f"{folder}/f", destination=f"{folder}/{destination}", parents=True)
    assert not (folder / "new").exists()
    refused("files.not_a_directory", "f", "g/x")
    with expect_error("files.not_found", 404):
        client.rest("files.move", source=str(folder / "f"), destination=str(folder / "gone/x"))
    with expect_error("files.not_found", 404):
        client.rest("files.move", source=str(folder / "gone"), destination=str(folder / "x"))
    assert sorted(os.listdir(folder)) == ["d", "f", "full", "g"]
    assert (folder / "f").read_text() == "f" and (folder / "g").read_text() == "g" and (folder / "full/x").is_dir()


def test_move_of_links_and_roots(client, folder, root, outside):
    (folder / "l").symlink_to(outside)
    client.rest("files.move", source=str(folder / "l"), destination=str(folder / "m"))
    assert os.readlink(folder / "m") == str(outside)
    (folder / "f").write_text("f")
    client.rest("files.move", source=str(folder / "f"), destination=str(folder / "m"))
    assert not (folder / "m").is_symlink() and os.listdir(outside) == []
    for source, destination in ((str(root), str(folder / "x")), (str(folder), str(root)), (str(folder), "/tmp/x"), ("/etc/passwd", str(folder / "x"))):
        with expect_error("policy.path_denied", 403):
            client.rest("files.move", source=source, destination=destination)


def test_of_fifty_moves_to_one_name_one_wins(client, folder):
    """B080"""
    for number in range(50):
        (folder / f"s{number}").write_text(str(number))

    def move(number):
        try:
            client.rest("files.move", source=str(folder / f"s{number}"), destination=str(folder / "goal"), overwrite=False)
            return number
        except Exception as error:
            assert error.wire_code == "files.exists", error
            return None

    with concurrent.futures.ThreadPoolExecutor(50) as pool:
        won = [number for number in pool.map(move, range(50)) if number is not None]
    assert len(won) == 1 and (folder / "goal").read_text() == str(won[0])
    assert len(os.listdir(folder)) == 50


@pytest.fixture
def two(make_server, tmp_path, other):
    """A server with roots on two file systems, its client, and the roots."""
    one = tmp_path / "one"
    one.mkdir()
    server = make_server(base=one, policy={"version": 1, "paths": {"base": str(one), "roots": [str(one), str(other)]}})
    return server.client(), one, other


def facts(path):
    st = os.lstat(path)
    return stat.S_IFMT(st.st_mode), stat.S_IMODE(st.st_mode), st.st_mtime_ns, st.st_uid, st.st_gid


def test_move_across_file_systems(two):
    client, one, other = two
    tree = one / "tree"
    (tree / "sub/deep").mkdir(parents=True)
    (tree / "sub/f").write_bytes(os.urandom(3_000_000))
    (tree / "sub/f").chmod(0o4751 if os.geteuid() == 0 else 0o751)
    os.link(tree / "sub/f", tree / "sub/deep/g")
    os.link(tree / "sub/f", tree / "h")
    (tree / "l").symlink_to("sub/f")
    (tree / "empty").write_bytes(b"")
    os.mkfifo(tree / "pipe", 0o620)
    with open(tree / "sparse", "wb") as file:
        file.truncate(50_000_000)
        file.seek(20_000_000)
        file.write(b"mark")
    if os.geteuid() == 0:
        os.chown(tree / "empty", 1234, 2345)
    content = (tree / "sub/f").read_bytes()
    names = ["sub/f", "sub/deep/g", "h", "l", "empty", "pipe", "sparse", "sub/deep", "sub", ""]
    for number, name in enumerate(names):
        os.utime(tree / name, ns=(0, 1_600_000_000_000_000_000 + number * 1_000_001), follow_symlinks=False)
    before = {name: facts(tree / name) for name in names}
    client.rest("files.move", source=str(tree), destination=str(other / "tree"))
    assert os.listdir(one) == [] and os.listdir(other) == ["tree"]
    tree = other / "tree"
    assert {name: facts(tree / name) for name in names} == before
    assert (tree / "h").read_bytes() == content and os.readlink(tree / "l") == "sub/f"
    assert (tree / "h").stat().st_ino == (tree / "sub/f").stat().st_ino == (tree / "sub/deep/g").stat().st_ino
    assert (tree / "sparse").stat().st_size == 50_000_000 and (tree / "sparse").stat().st_blocks * 512 < 1_000_000
    with open(tree / "sparse", "rb") as file:
        file.seek(20_000_000)
        assert file.read(5) == b"mark\0"


def test_move_across_file_systems_refuses_as_a_rename_does(two):
    client, one, other = two
    (one / "f").write_text("f")
    (one / "d/x").mkdir(parents=True)
    (other / "full/y").mkdir(parents=True)
    (other / "g").write_text("g")

    def refused(code, source, destination, **args):
        with expect_error(code, 409):
            client.rest("files.move", source=str(one / source), destination=str(other / destination), **args)

    refused("files.exists", "f", "g", overwrite=False)
    refused("files.is_a_directory", "f", "full")
    refused("files.not_a_directory", "d", "g")
    refused("files.not_empty", "d", "full")
    assert sorted(os.listdir(one)) == ["d", "f"] and sorted(os.listdir(other)) == ["full", "g"]
    assert (other / "g").read_text() == "g" and os.listdir(other / "full") == ["y"]
    client.rest("files.move", source=str(one / "f"), destination=str(other / "g"))
    assert (other / "g").read_text() == "f" and os.listdir(one) == ["d"]
    client.rest("files.move", source=str(one / "d"), destination=str(other / "e"), overwrite=False)
    assert os.listdir(one) == [] and os.listdir(other / "e") == ["x"]


@pytest.mark.parametrize("levels", [40, 1500])
def test_move_a_deep_tree_across(two, levels):
    client, one, other = two
    (one / "deep").mkdir()
    make_deep(one / "deep", levels)
    client.rest("files.move", source=str(one / "deep"), destination=str(other / "deep"))
    assert os.listdir(one) == []
    fd, found = os.open(other / "deep", os.O_RDONLY), 0
    while "d" in os.listdir(fd):
        inner = os.open("d", os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd, found = inner, found + 1
    os.close(fd)
    assert found == levels
    client.rest("files.delete", path=str(other / "deep"))


@root_only
def test_a_move_to_a_full_disk_leaves_the_source_whole(make_server, tmp_path, mounted):
    one, small = tmp_path / "one", tmp_path / "small"
    (one / "d").mkdir(parents=True)
    (one / "d/a").write_bytes(b"x" * 600_000)
    (one / "d/b").write_bytes(b"y" * 600_000)
    mounted(small)
    server = make_server(base=one, policy={"version": 1, "paths": {"base": str(one), "roots": [str(one), str(small)]}})
    with expect_error("files.no_space", 507):
        server.client().rest("files.move", source="d", destination=str(small / "d"))
    assert sorted(os.listdir(one / "d")) == ["a", "b"] and os.listdir(small) == []
    eventually(lambda: os.statvfs(small).f_bfree == os.statvfs(small).f_blocks)
    server.stop()


def test_chmod_below_a_file(client, folder):
    (folder / "f").write_text("")
    with expect_error("files.not_a_directory", 409):
        client.rest("files.chmod", path=f"{folder}/f/x", mode="600")
