# SPDX-License-Identifier: Apache-2.0
"""files.archive: what GNU tar and unzip unpack again, and what is told when something cannot be kept (R64, B096, B099, B100)."""
import base64
import io
import json
import os
import select
import socket
import struct
import subprocess
import tarfile
import threading
import time
import zipfile
import zlib

import pytest

from lib.archives import names
from lib.client import expect_error
from lib.names import STRANGE
from lib.processes import eventually
from lib.raw import Broken
from lib.server import is_sanitized

FORMATS = ["tar", "tar.gz", "tar.zst", "zip"]


def make_tree(folder):
    top = folder / "top"
    (top / "d/e").mkdir(parents=True)
    (top / "d/f").write_bytes(b"hello")
    (top / "d/f").chmod(0o640)
    os.utime(top / "d/f", (1, 1000000000))
    (top / "d/e/empty").write_bytes(b"")
    (top / "ü→").write_bytes(b"u")
    os.link(top / "d/f", top / "d/g")
    os.symlink("f", top / "d/l")
    os.symlink("nowhere", top / "dangling")
    (top / "big").write_bytes(os.urandom(3 << 20))
    return top


def raw(client, folder, *paths, **args):
    """The archive as bytes and its trailer."""
    reply = client.get_bytes("files.archive", paths=[str(path) for path in paths or [folder]], **args)
    trailers = dict(reply.trailers)
    assert reply.header("trailer") == "X-Abx-Skipped" and list(trailers) == ["x-abx-skipped"]
    assert reply.header("content-disposition").startswith("attachment")
    return reply.read(), json.loads(trailers["x-abx-skipped"])


def unpack(data, format, to):
    to.mkdir()
    if format == "zip":
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            assert packed.testzip() is None
            packed.extractall(to)
        return
    if format == "tar.zst" and subprocess.run(["sh", "-c", "command -v zstd"], capture_output=True).returncode:
        return
    flag = {"tar": [], "tar.gz": ["-z"], "tar.zst": ["--zstd"]}[format]
    subprocess.run(["tar", *flag, "-C", to, "-xpf", "-"], input=data, check=True)


def test_two_paths_of_one_name_are_refused(client, folder):
    """Who unpacks them would have one of the two only."""
    for name in ("p/x", "q/x", "q/y"):
        (folder / name).mkdir(parents=True)
    for paths in (["p/x", "q/x"], ["q/y", "p", "q/x", "p/x"], ["p", "p"], ["p", "p/"]):
        for ask in (client.call, client.get_bytes):
            with expect_error("args.invalid", 400, says="would have the same name in the archive"):
                ask("files.archive", paths=[f"{folder}/{path}" for path in paths])
    assert client.call("files.archive", paths=[f"{folder}/{path}" for path in ("p", "q/y", "q/x")])["files"] == 4


@pytest.mark.parametrize("format", FORMATS)
def test_there_and_back(client, folder, format, tmp_path):
    top = make_tree(folder)
    data, skipped = raw(client, folder, top, format=format)
    assert skipped == []
    unpack(data, format, tmp_path / "by-tar")
    client.send_bytes("files.extract", data, destination=str(folder / "back"))
    for out in (tmp_path / "by-tar", folder / "back"):
        if out == tmp_path / "by-tar" and not os.listdir(out):
            continue
        for name in ("d/f", "d/g", "d/e/empty", "ü→", "big"):
            assert (out / "top" / name).read_bytes() == (top / name).read_bytes()
        if format == "zip" and out != folder / "back":
            continue
        assert os.readlink(out / "top/d/l") == "f" and os.readlink(out / "top/dangling") == "nowhere"
        facts = (out / "top/d/f").stat()
        assert facts.st_mode & 0o777 == 0o640
        if format != "zip":
            assert facts.st_ino == (out / "top/d/g").stat().st_ino and facts.st_mtime == 1000000000


@pytest.mark.parametrize("format", FORMATS)
def test_as_json(client, folder, format):
    top = make_tree(folder)
    result = client.rest("files.archive", paths=[str(top / "d"), str(top / "ü→")], format=format)
    data = base64.b64decode(result["content_base64"])
    assert result["format"] == format and result["bytes"] == len(data) and result["files"] == 7
    assert result["skipped"] == [] and result["skipped_total"] == 0
    if format == "tar":
        assert names(data) == ["d", "d/e", "d/e/empty", "d/f", "d/g", "d/l", "ü→"]
    assert client.call("files.archive", paths=[str(top / "d")])["format"] == "tar.gz"


@pytest.mark.parametrize("format", FORMATS)
def test_a_name_that_is_not_utf8_goes_there_and_back(client, folder, format):
    top = folder / "top"
    top.mkdir()
    (top / os.fsdecode(b"\xff.txt")).write_text("bytes")
    (top / "\u00fc.txt").write_text("text")
    data, skipped = raw(client, folder, top, format=format)
    assert not skipped
    if format == "zip":
        with zipfile.ZipFile(io.BytesIO(data)) as packed:  # a name marked as UTF-8 that is none is refused as a whole
            assert packed.testzip() is None and "top/\u00fc.txt" in packed.namelist() and len(packed.namelist()) == 3
    (folder / "packed").write_bytes(data)
    told = client.call("files.extract", path=str(folder / "packed"), destination=str(folder / "new"))
    assert told["skipped_total"] == 0
    assert (folder / "new/top" / os.fsdecode(b"\xff.txt")).read_text() == "bytes"
    assert (folder / "new/top/\u00fc.txt").read_text() == "text"


def test_what_is_not_archived(client, folder, outside):
    top = folder / "top"
    top.mkdir()
    os.mkfifo(top / "fifo")
    with socket.socket(socket.AF_UNIX) as sock:
        here = os.open(top, os.O_RDONLY)
        sock.bind(f"/proc/self/fd/{here}/socket")
        os.close(here)
    os.symlink(outside, top / "out")
    (top / "new\nline").write_bytes(b"1")
    (top / "shut").write_bytes(b"3")
    (top / "shut").chmod(0)
    with open(os.fsencode(top) + b"/x\xff", "wb") as out:
        out.write(b"2")
    os.mkfifo(os.fsencode(top) + b"/fifo\xff\xf0\x9f\x98\x80")
    result = client.call("files.archive", paths=[str(top)], format="tar")
    data = base64.b64decode(result["content_base64"])
    told = {entry["path"]: entry["reason"] for entry in result["skipped"]}
    left_out = {"fifo", "socket"} if os.geteuid() == 0 else {"fifo", "socket", "shut"}  # only root reads all
    assert {str(top / name) for name in left_out} < set(told) and len(told) == result["skipped_total"] == len(left_out) + 1
    assert any("path_b64" in entry for entry in result["skipped"])
    listed = subprocess.run(["tar", "-t", "--quoting-style=literal", "-f", "-"], input=data, capture_output=True, check=True).stdout
    assert b"top/new\nline" in listed and b"top/x\xff" in listed and b"top/out" in listed and b"fifo" not in listed
    _, skipped = raw(client, folder, top)
    assert {entry["path"] for entry in skipped} == set(told)
    client.send_bytes("files.extract", data, destination=str(folder / "back"))
    assert b"x\xff" in os.listdir(os.fsencode(folder / "back/top"))


@pytest.mark.parametrize("format", ["tar", "zip"])
def test_b073_strange_names_there_and_back(client, folder, format):
    (folder / "top").mkdir()
    for name in STRANGE:
        (folder / "top" / name).write_bytes(name.encode())
    data, skipped = raw(client, folder, *((folder / "top" / name) for name in STRANGE), format=format)
    assert skipped == [] and client.send_bytes("files.extract", data, destination=str(folder / "back"))["entries"] == len(STRANGE)
    unpack(data, format, folder / "by-others")
    for out in ("back", "by-others"):
        assert {path.name: path.read_bytes().decode() for path in (folder / out).iterdir()} == {name: name for name in STRANGE}


def test_many_notes_are_counted(make_server, quick):
    client = make_server(base=quick).client()
    for i in range(1200):
        os.mkfifo(quick / f"fifo{i}")
    result = client.call("files.archive", paths=[str(quick)])
    assert result["skipped_total"] == 1200 and len(result["skipped"]) == 1000
    _, skipped = raw(client, quick)
    assert 10 < len(skipped) < 100 and skipped[-1] == {"total": 1200}


def test_hard_linked_read_only_files(client, folder):
    top = folder / "top"
    top.mkdir()
    (top / "a").write_text("foo\n")
    os.link(top / "a", top / "b")
    (top / "a").chmod(0o444)
    data, _ = raw(client, folder, top, format="tar")
    client.send_bytes("files.extract", data, destination=str(folder / "back"))
    a, b = folder / "back/top/a", folder / "back/top/b"
    assert a.read_text() == b.read_text() == "foo\n" and a.stat().st_nlink == 2


def test_files_that_change(client, folder):
    """A file is appended to, truncated and deleted all the while: the archive is valid, and says what it met."""
    top = folder / "top"
    top.mkdir()
    for i in range(30):
        (top / f"f{i:02}").write_bytes(os.urandom(1 << 18))
    done = threading.Event()

    def trouble():
        turn = 0
        while not done.is_set():
            turn += 1
            path = top / f"f{turn % 30:02}"
            with open(path, "ab") as out:
                out.write(b"more")
                out.truncate(1000 * (turn % 300))
            if turn % 7 == 0:
                path.unlink()

    other = threading.Thread(target=trouble)
    other.start()
    told = []
    try:
        deadline, rounds = time.monotonic() + 60, 0
        while rounds < 12 or (not told and time.monotonic() < deadline):
            rounds += 1
            data, skipped = raw(client, folder, top, format="tar")
            told += skipped
            with tarfile.open(fileobj=io.BytesIO(data)) as tar:
                for member in tar.getmembers():
                    if member.isfile():
                        assert len(tar.extractfile(member).read()) == member.size
    finally:
        done.set()
        other.join()
    assert told and all(entry["path"].startswith(str(top)) for entry in told)


def test_a_file_that_shrinks_is_filled_up(client, folder):
    """The reader holds the archive back until the file is short: more waits in it than any buffer takes."""
    big = folder / "big"
    big.write_bytes(b"x" * (64 << 20))
    method, target, body, headers = client.by_route("files.archive", {"paths": [str(big)], "format": "tar"})
    connection, reply = client.open(method, target, body, {**headers, "Accept": "application/octet-stream"})
    with connection:
        os.truncate(big, 1 << 10)
        data = reply.read()
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        content = tar.extractfile("big").read()
    assert len(content) == 64 << 20 and content.endswith(b"\0" * 1024) and content.startswith(b"x" * 1024)
    assert "shorter" in dict(reply.trailers)["x-abx-skipped"]


def test_limits_of_the_json_form(make_server):
    server = make_server(policy={"limits": {"files.archive": {"max_files": 5, "max_bytes": 100000}}})
    client, base = server.client(), server.base
    (base / "big").write_bytes(os.urandom(200000))
    with expect_error("limit.file_too_large", status=413, says="octet-stream") as caught:
        client.call("files.archive", paths=[str(base / "big")])
    assert "max_bytes" in caught.error.rule
    (base / "many").mkdir()
    for i in range(5):
        (base / f"many/f{i}").write_bytes(b"")
    with expect_error("limit.file_too_large", says="5 entries"):
        client.call("files.archive", paths=[str(base / "many")])
    data, _ = raw(client, base, base, format="tar")
    assert len(names(data)) == 8


def test_refusals(client, folder, outside, make_server):
    (folder / "f").write_text("")
    for accept in ("application/json", "application/octet-stream"):
        with expect_error("files.not_found"):
            client.get_bytes("files.archive", paths=[str(folder / "f"), str(folder / "no")], headers={"Accept": accept})
        with expect_error("policy.path_denied"):
            client.get_bytes("files.archive", paths=[str(folder / "f"), str(outside)], headers={"Accept": accept})
    os.symlink(outside, folder / "out")
    with expect_error("policy.path_denied"):
        client.call("files.archive", paths=[str(folder / "out")])
    guarded = make_server(policy={"paths": {"deny": ["**/.env"]}})
    (guarded.base / "d").mkdir()
    (guarded.base / "d/.env").write_text("secret")
    (guarded.base / "d/f").write_text("")
    data, skipped = raw(guarded.client(), guarded.base, guarded.base / "d", format="tar")
    assert names(data) == ["d", "d/f"] and skipped == []


def test_a_large_tree_in_little_memory(make_server):
    server = make_server()
    client = server.client()
    with open(server.base / "huge", "wb") as out:
        out.truncate(100 << 20)
    deep = server.base
    for _ in range(200):
        deep = deep / "deep"
    deep.mkdir(parents=True)
    before = server.rss_kib()
    data, skipped = raw(client, server.base)
    assert skipped == [] and len(data) < 2 << 20
    if not is_sanitized():
        assert server.peak_kib() - before < 24 << 10


def test_a_caller_who_leaves(client, folder):
    (folder / "big").write_bytes(os.urandom(8 << 20))
    for _ in range(5):
        method, target, body, headers = client.by_route("files.archive", {"paths": [str(folder)], "format": "tar"})
        connection, reply = client.open(method, target, body, {**headers, "Accept": "application/octet-stream"})
        connection.close()
    data, _ = raw(client, folder, format="tar")
    assert names(data) == [folder.name, f"{folder.name}/big"]


def leave_with_the_first_archive(client, folder, count):
    """So many ask at once, and all go away when one of them has its archive."""
    method, target, body, headers = client.by_route("files.archive", {"paths": [str(folder)], "format": "tar.gz"})
    connections = [client.connect() for _ in range(count)]
    for connection in connections:
        connection.send(client.head(method, target, {**headers, "Content-Length": len(body)}), body)
    # Those who have no place in the queue hear so at once; with the first archive the others are on their way.
    waiting = {connection.socket: connection for connection in connections}
    while waiting:
        some = select.select(waiting, [], [], 60)[0]
        assert some, "no archive was made"
        if any(waiting.pop(one).reply("POST").status == 200 for one in some):
            break
    for connection in connections:
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
    return count


def test_callers_who_leave_while_every_worker_is_taken(make_server, tmp_path):
    """Each call ends, gives back what it had, and says why: also where no worker was told to stop, for it had just come back."""
    audit = tmp_path / "audit.jsonl"
    server = make_server(policy={"version": 1, "profile": "full_access", "audit": {"file": str(audit)}})
    client = server.client()
    for i in range(8):
        (server.base / f"f{i}").write_bytes(os.urandom(1 << 19) + bytes(1 << 19))
    before, lines, gone = server.fds(), 0, []
    deadline = time.monotonic() + 60
    # Where this test gets no CPU for so long, all are answered before they leave: then once more.
    while not gone and time.monotonic() < deadline:
        lines += leave_with_the_first_archive(client, server.base, 120)
        eventually(lambda: audit.read_bytes().count(b"\n") >= lines, what="a line for each call")
        eventually(lambda: server.fds() <= before, what="as many descriptors as before")
        gone = [line for line in map(json.loads, audit.read_text().splitlines()) if line.get("gone")]
    assert gone and all(line["status"] >= 400 and line.get("error") for line in gone), gone


@pytest.mark.parametrize("format", FORMATS)
def test_blocks_in_their_order(client, folder, format, tmp_path):
    """Many blocks are compressed at once: what comes is one stream that other programs read, and the same each time."""
    top = folder / "top"
    top.mkdir()
    for i in range(40):
        (top / f"f{i:02}").write_bytes(b"%d\n" % i * 20000 + os.urandom(1 << 17) + b"end" * i)
    first, _ = raw(client, folder, top, format=format)
    assert first == raw(client, folder, top, format=format)[0]
    assert first == base64.b64decode(client.call("files.archive", paths=[str(top)], format=format)["content_base64"])
    if format == "tar.gz":
        assert subprocess.run(["gzip", "-t"], input=first, capture_output=True).stderr == b""
        one = zlib.decompressobj(31)
        one.decompress(first)
        assert one.eof and not one.unused_data
    unpack(first, format, tmp_path / "out")
    for path in (tmp_path / "out").glob("top/*"):
        assert path.read_bytes() == (top / path.name).read_bytes()


@pytest.mark.parametrize("version", ["1.0", "1.1"])
@pytest.mark.parametrize("format", FORMATS)
def test_an_archive_that_fails_never_ends_well(client, folder, format, version):
    """What is walked is moved away in the middle: the way back up leads elsewhere.  A tar that is cut between two entries looks whole to who only reads bytes."""
    deep = folder / "top"
    for _ in range(30):
        deep = deep / "d"
    (deep / "e").mkdir(parents=True)
    with open(deep / "e/big", "wb") as big:
        for _ in range(48):
            big.write(os.urandom(1 << 20))
    body = json.dumps({"paths": [str(folder / "top")], "format": format}).encode()
    with client.connect() as connection:
        connection.send(f"POST /files/archive HTTP/{version}\r\nHost: localhost\r\nAccept: application/octet-stream\r\n"
                        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n", body)
        begun = connection.reply("POST")
        assert begun.status == 200
        os.rename(folder / "top/d/d/d", folder / "away")
        if version == "1.1":
            with pytest.raises(Broken):
                begun.read()
        else:
            with pytest.raises(ConnectionResetError):
                while connection.socket.recv(1 << 20):
                    pass


def test_by_http_10(client, folder):
    """Without chunks there is no trailer, and the archive is the same."""
    (folder / "f").write_bytes(b"1")
    body = json.dumps({"paths": [str(folder)], "format": "tar"}).encode()
    with client.connect() as connection:
        connection.send(b"POST /files/archive HTTP/1.0\r\nHost: localhost\r\nAccept: application/octet-stream\r\n"
                        b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body), body)
        reply = connection.reply("POST")
        assert names(reply.read()) == [folder.name, f"{folder.name}/f"]
