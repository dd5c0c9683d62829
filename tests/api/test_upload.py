# SPDX-License-Identifier: Apache-2.0
"""upload and upload_stream: whole or not there, whatever happens on the way (B065, B066, B069)."""
import base64
import concurrent.futures
import contextlib
import gzip
import hashlib
import json
import os
import resource
import stat
import subprocess
import time

import pytest

from lib.client import expect_error
from lib.exchange import H, exchange, refusal
from lib.parallel import together
from lib.processes import eventually, no_descriptor_is_left
from lib.server import is_sanitized

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts and gives files away")
SIZES = [0, 1, 16383, 16384, 16385, 18433, 65535, 65536, 65537, 262143, 262144, 262145, 524288, 1 << 20, 10 << 20]


def text64(data):
    return base64.b64encode(data).decode()


def parts(data, size):
    return [data[at:at + size] for at in range(0, len(data), size)]


@pytest.mark.parametrize("size", SIZES)
def test_bytes_arrive_as_they_are(client, folder, size):
    """B065: with a length and in chunks; the file is there when success is told."""
    data = os.urandom(size)
    digest = hashlib.sha256(data).digest()
    path = folder / "f"

    def check(answer):
        assert answer["bytes"] == size and answer["path"] == str(path)
        assert hashlib.sha256(path.read_bytes()).digest() == digest
        path.unlink()
        assert os.listdir(folder) == []

    check(client.send_bytes("files.upload_stream", data, path=str(path)))
    check(client.send_bytes("files.upload", data, path=str(path)))
    check(client.send_bytes("files.upload_stream", parts(data, 7000), path=str(path)))
    if size < 7 << 20:
        check(client.rest("files.upload", path=str(path), content_base64=text64(data)))
        check(client.call("files.upload_stream", path=str(path), content_base64=text64(data)))


def test_no_byte_is_changed(client, folder):
    data = bytes(byte for first in range(256) for second in range(256) for byte in (first, second))
    for extra in ({}, {"headers": {"Content-Type": "application/octet-stream; charset=utf-8"}}):
        client.send_bytes("files.upload_stream", data, path=str(folder / "f"), **extra)
        assert (folder / "f").read_bytes() == data
        assert client.get_bytes("files.download_stream", path=str(folder / "f")).read() == data
        assert base64.b64decode(client.rest("files.download", path=str(folder / "f"))["content_base64"]) == data


def test_the_tag_is_that_of_the_file(client, folder):
    answer = client.send_bytes("files.upload_stream", b"one", path=str(folder / "f"))
    assert answer["etag"] == client.rest("files.stat", path=str(folder / "f"))["etag"]
    again = client.send_bytes("files.upload", b"two", path=str(folder / "f"))
    assert again["etag"] == client.rest("files.stat", path=str(folder / "f"))["etag"] != answer["etag"]


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_mode_of_a_file(client, folder):
    path = folder / "f"
    client.send_bytes("files.upload_stream", b"1", path=str(path))
    assert mode(path) == 0o644  # the umask
    path.chmod(0o751)
    client.send_bytes("files.upload_stream", b"2", path=str(path))
    assert mode(path) == 0o751 and path.read_bytes() == b"2"
    client.call("files.upload", path=str(path), content_base64="", mode="600")
    assert mode(path) == 0o600 and path.read_bytes() == b""
    client.send_bytes("files.upload_stream", b"3", path=str(folder / "g"), mode="0777")
    assert mode(folder / "g") == 0o777
    for bad in ("7", "0o644", "999", "-rw", ""):
        with expect_error("args.invalid", 400, says="mode"):
            client.send_bytes("files.upload_stream", b"4", path=str(path), mode=bad)
    with expect_error("args.invalid", 400, says="mode"):
        client.call("files.upload", path=str(path), content_base64="", mode=420)
    assert path.read_bytes() == b""


@root_only
def test_the_owner_is_kept(client, folder):
    (folder / "f").write_bytes(b"1")
    os.chown(folder / "f", 1234, 2345)
    (folder / "f").chmod(0o4755)
    client.send_bytes("files.upload_stream", b"2", path=str(folder / "f"))
    found = (folder / "f").stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (1234, 2345, 0o4755)


def test_links_are_followed_and_stay(client, folder, outside):
    (folder / "d").mkdir()
    (folder / "d/real").write_bytes(b"old")
    (folder / "l").symlink_to("d/real")
    (folder / "dangling").symlink_to("d/new")
    (folder / "out").symlink_to(outside / "new")
    (folder / "dir").symlink_to("d")
    assert client.send_bytes("files.upload_stream", b"new", path=str(folder / "l"))["path"] == str(folder / "d/real")
    assert (folder / "l").is_symlink() and (folder / "d/real").read_bytes() == b"new"
    client.rest("files.upload", path=str(folder / "dangling"), content_base64=text64(b"made"))
    assert (folder / "dangling").is_symlink() and (folder / "d/new").read_bytes() == b"made"
    client.send_bytes("files.upload", b"x", path=str(folder / "dir/x"))
    assert (folder / "d/x").read_bytes() == b"x"
    with expect_error("policy.path_denied", 403):
        client.send_bytes("files.upload_stream", b"x", path=str(folder / "out"))
    with expect_error("policy.path_denied", 403):
        client.rest("files.upload", path=str(folder / "out"), content_base64="")
    assert os.listdir(outside) == []


def test_refusals(client, folder, root):
    (folder / "d").mkdir()
    (folder / "f").write_bytes(b"old")
    os.mkfifo(folder / "pipe")
    cases = [("d", "files.is_a_directory"), ("d/", "files.is_a_directory"), ("new/", "files.is_a_directory"), ("f/x", "files.not_a_directory"),
             ("f/", "files.not_a_directory"), ("gone/x", "files.not_found"), ("pipe", "files.not_regular")]
    for name, code in cases:
        for op in ("files.upload", "files.upload_stream"):
            with expect_error(code):
                client.call(op, path=f"{folder}/{name}", content_base64="aGk=")
            with expect_error(code):
                client.send_bytes(op, b"hi", path=f"{folder}/{name}")
            with expect_error(code):
                client.send_bytes(op, [b"hi"] * 3, path=f"{folder}/{name}")
    with expect_error("files.is_a_directory", 409):
        client.call("files.upload", path=str(root), content_base64="")
    with expect_error("policy.path_denied", 403):
        client.send_bytes("files.upload", b"", path="/etc/abx-test")
    with expect_error("args.missing", 400, says="content_base64"):
        client.rest("files.upload", path=str(folder / "x"))
    with expect_error("args.missing", 400, says="content_base64"):
        client.rest("files.upload_stream", path=str(folder / "x"))
    with expect_error("args.invalid", 400, says="content_base64"):
        client.rest("files.upload", path=str(folder / "x"), content_base64="a b")
    with expect_error("args.missing", 400, says="path"):
        client.send_bytes("files.upload_stream", b"x")
    with expect_error("args.unknown", 400):
        client.send_bytes("files.upload_stream", b"x", path=str(folder / "x"), content_base64="aGk=")
    with expect_error("args.unknown", 400, says="mode"):
        client.send_bytes("files.upload_stream", b"x", path=str(folder / "x"), mod="644")
    for op in ("files.upload", "files.upload_stream"):
        with expect_error("args.unsupported_media_type", 415):
            client.send_bytes(op, b"x", path=str(folder / "x"), media_type="text/plain")
    with expect_error("args.unsupported_media_type", 415):
        client.send_files("files.upload", [("x", b"x")], path=str(folder))
    assert sorted(os.listdir(folder)) == ["d", "f", "pipe"] and (folder / "f").read_bytes() == b"old"


def test_parents(client, folder):
    client.send_bytes("files.upload_stream", b"x", path=str(folder / "a/b/x"), parents=True)
    assert (folder / "a/b/x").read_bytes() == b"x" and mode(folder / "a/b") == 0o755
    client.call("files.upload", path=str(folder / "c/d/x"), content_base64="eA==", parents=True)
    assert (folder / "c/d/x").read_bytes() == b"x"


def test_what_is_refused_makes_no_folder(client, folder):
    """An upload leaves nothing behind, and so no folder that was only made for it."""
    form = b'--b\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\ncontent\r\n'
    for op, media_type in (("files.upload", "application/octet-stream"), ("files.upload_stream", "application/octet-stream"),
                           ("files.write", "application/octet-stream"), ("files.upload_stream", "multipart/form-data; boundary=b")):
        method, target, _, _ = client.by_route(op, {"path": f"{folder}/a/b/c", "parents": True}, all_in_query=True)
        with client.connect() as connection:
            connection.send(client.head(method, target, {"Content-Type": media_type, "Transfer-Encoding": "chunked"}))
            body = form + b"x" * 600_000  # more than is read before a file is opened for it
            connection.send(f"{len(body):x}\r\n".encode(), body, b"\r\n")
            connection.half_close()
            assert connection.reply(method).status == 400
        assert os.listdir(folder) == [], op
    with expect_error("args.invalid", 400):
        client.send_bytes("files.upload_stream", form, media_type="multipart/form-data; boundary=b", path=f"{folder}/a/b", parents=True)
    with expect_error("files.changed", 412):
        client.send_bytes("files.write", b"x", path=f"{folder}/a/b", parents=True, headers={"If-Match": "*"})
    with expect_error("files.not_found", 404):
        client.send_files("files.upload_stream", [("f", b"1")], path=f"{folder}/a/b")
    assert os.listdir(folder) == []
    client.send_files("files.upload_stream", [("f", b"1"), ("g", b"2")], path=f"{folder}/a/b", parents=True)
    assert sorted(os.listdir(folder / "a/b")) == ["f", "g"]


def test_many_at_once_make_the_same_folders(client, folder):
    names = [f"f{number}" for number in range(24)]
    together(lambda name: client.send_bytes("files.upload", name.encode(), path=f"{folder}/a/b/c/{name}", parents=True), names)
    assert sorted(os.listdir(folder / "a/b/c")) == sorted(names) and os.listdir(folder) == ["a"]
    assert all((folder / "a/b/c" / name).read_bytes() == name.encode() for name in names)


def test_create_only(client, folder):
    (folder / "f").write_bytes(b"old")
    for how in ({"create_only": True}, {"headers": {"If-None-Match": "*"}}):
        for op in ("files.upload", "files.upload_stream"):
            with expect_error("files.exists", 409):
                client.send_bytes(op, b"new", path=str(folder / "f"), **how)
        client.send_bytes("files.upload", b"new", path=str(folder / "g"), **how)
        assert (folder / "g").read_bytes() == b"new"
        (folder / "g").unlink()
    assert (folder / "f").read_bytes() == b"old"

    def create(number):
        try:
            client.send_bytes("files.upload_stream", str(number).encode() * 50_000, path=str(folder / "one"), create_only=True)
            return number
        except Exception as error:
            assert error.wire_code == "files.exists", error
            return None

    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        won = [number for number in pool.map(create, range(20)) if number is not None]
    assert len(won) == 1 and (folder / "one").read_bytes() == str(won[0]).encode() * 50_000
    assert sorted(os.listdir(folder)) == ["f", "one"]


def test_if_match(client, folder):
    path = str(folder / "f")
    tag = client.send_bytes("files.upload", b"one", path=path)["etag"]
    second = client.send_bytes("files.upload", b"two", path=path, headers={"If-Match": tag})["etag"]
    for op in ("files.upload", "files.upload_stream"):
        with expect_error("files.changed", 412):
            client.send_bytes(op, b"three", path=path, headers={"If-Match": tag})
        with expect_error("files.changed", 412):
            client.send_bytes(op, b"three", path=f"{path}-new", headers={"If-Match": second})
    assert (folder / "f").read_bytes() == b"two"
    client.send_bytes("files.upload_stream", b"four", path=path, headers={"If-Match": f'"x", {second}'})
    client.send_bytes("files.upload_stream", b"five", path=path, headers={"If-Match": "*"})
    assert (folder / "f").read_bytes() == b"five" and os.listdir(folder) == ["f"]


def test_if_match_on_several_lines(client, folder):
    """RFC 9110, 5.3: they are one list."""
    def put(*tags):
        lines = "Content-Type: application/octet-stream\r\nContent-Length: 3\r\n" + "".join(f"If-Match: {tag}\r\n" for tag in tags)
        return exchange(client, f"POST /upload?path={folder}/f HTTP/1.1\r\n{H}{lines}\r\ntwo").status

    for before, behind in (('"x"', None), (None, '"x"')):
        tag = client.send_bytes("files.upload", b"one", path=str(folder / "f"))["etag"]
        assert put(before or tag, behind or tag) == 200
        assert put('"x"', tag, '"y"') == 412 and (folder / "f").read_bytes() == b"two"


def test_a_body_that_is_not_the_content_is_refused(client, folder):
    """What is compressed would be stored as it came, and a part in the place of the whole."""
    (folder / "f").write_bytes(b"old")
    for headers, code, status in (({"Content-Encoding": "gzip"}, "args.unsupported_media_type", 415),
                                  ({"Content-Encoding": "identity, zstd"}, "args.unsupported_media_type", 415),
                                  ({"Content-Range": "bytes 0-2/10"}, "args.invalid", 400)):
        for op in ("files.upload", "files.upload_stream", "files.write"):
            with expect_error(code, status, says=next(iter(headers))):
                client.send_bytes(op, b"new", path=str(folder / "f"), headers=headers)
    assert refusal(client.request("POST", "/files/mkdir", gzip.compress(b'{"path":"x"}'), {"Content-Encoding": "gzip"})) == "args.unsupported_media_type"
    assert (folder / "f").read_bytes() == b"old"
    client.send_bytes("files.upload", b"new", path=str(folder / "f"), headers={"Content-Encoding": "Identity"})
    assert (folder / "f").read_bytes() == b"new"


def test_the_limit(make_server, tmp_path):
    server = make_server(base=tmp_path / "base", env={"ABX_MAX_UPLOAD_SIZE": 300_000})
    client = server.client()
    (server.base / "f").write_bytes(b"old")
    client.send_bytes("files.upload_stream", b"x" * 300_000, path="full")
    for body in (b"x" * 300_001, [b"x" * 100_000] * 4):
        with expect_error("limit.file_too_large", 413):
            client.send_bytes("files.upload_stream", body, path="f")
    with expect_error("limit.file_too_large", 413):
        client.call("files.upload_stream", path="f", content_base64=text64(b"x" * 300_001))
    # Told before the body is sent.
    with client.connect() as connection:
        connection.send(client.head("POST", "/files/upload-stream?path=f", {
            "Content-Type": "application/octet-stream", "Content-Length": 10**12, "Expect": "100-continue"}))
        reply = connection.reply("POST", interim=True)
        assert reply.status == 413
    assert sorted(os.listdir(server.base)) == ["f", "full"] and (server.base / "f").read_bytes() == b"old"


def test_upload_has_its_limit_too(make_server, tmp_path):
    server = make_server(base=tmp_path / "base", policy={
        "version": 1, "paths": {"base": str(tmp_path / "base"), "roots": [str(tmp_path / "base")]}, "limits": {"files.upload": {"max_bytes": 10}}})
    client = server.client()
    client.call("files.upload", path="f", content_base64=text64(b"x" * 10))
    with expect_error("limit.file_too_large", 413):
        client.call("files.upload", path="f", content_base64=text64(b"x" * 11))
    with expect_error("limit.file_too_large", 413) as caught:
        client.send_bytes("files.upload", b"x" * 11, path="f")
    assert caught.error.rule == "policy:limits.files.upload.max_bytes"


@pytest.mark.parametrize("sent", [0, 1000, 300_000, 2_000_000])
@pytest.mark.parametrize("chunked", [False, True])
def test_a_caller_that_leaves_leaves_nothing(client, server, folder, sent, chunked):
    (folder / "f").write_bytes(b"old")
    length = {"Transfer-Encoding": "chunked"} if chunked else {"Content-Length": 5_000_000}
    head = client.head("POST", f"/files/upload-stream?path={folder}/f", {"Content-Type": "application/octet-stream", **length})
    data = b"x" * sent
    with no_descriptor_is_left(server):
        for _ in range(20):
            connection = client.connect()
            connection.send(head, (f"{sent:x}\r\n".encode() + data + b"\r\n" if sent else b"") if chunked else data)
            connection.reset()
    eventually(lambda: os.listdir(folder) == ["f"], what="the end of what was begun")
    assert (folder / "f").read_bytes() == b"old"


def test_a_malformed_chunk_leaves_nothing(client, folder):
    with client.connect() as connection:
        connection.send(client.head("POST", f"/files/upload-stream?path={folder}/f", {
            "Content-Type": "application/octet-stream", "Transfer-Encoding": "chunked"}))
        connection.send(b"5\r\nhello\r\nzz\r\n")
        assert connection.reply("POST").status == 400
    assert os.listdir(folder) == []


def test_the_file_is_not_seen_before_it_is_whole(client, folder):
    (folder / "f").write_bytes(b"old")
    connection = client.connect()
    connection.send(client.head("POST", f"/files/upload-stream?path={folder}/f", {
        "Content-Type": "application/octet-stream", "Content-Length": 1_000_000}), b"x" * 900_000)
    time.sleep(0.1)  # not for an event: it must not have come
    assert (folder / "f").read_bytes() == b"old" and os.listdir(folder) == ["f"]
    connection.send(b"x" * 100_000)
    assert connection.reply("POST").status == 200
    assert (folder / "f").read_bytes() == b"x" * 1_000_000
    connection.close()


def test_a_killed_server_leaves_nothing(make_server, tmp_path):
    base = tmp_path / "base"
    server = make_server(base=base)
    client = server.client()
    connection = client.connect()
    connection.send(client.head("POST", "/files/upload-stream?path=f", {
        "Content-Type": "application/octet-stream", "Content-Length": 5_000_000}), b"x" * 3_000_000)
    eventually(lambda: server.rss_kib() > 0 and server.cpu_seconds() >= 0, what="the server to read")
    server.process.kill()
    server.process.wait()
    assert os.listdir(base) == []
    connection.close()
    server.kill()


@root_only
def test_a_full_disk(make_server, tmp_path):
    """B066"""
    small = tmp_path / "small"
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", small], capture_output=True).returncode:
        pytest.skip("this machine does not let us mount")
    try:
        (small / "keep.txt").write_bytes(b"keep")
        free = os.statvfs(small).f_bfree
        server = make_server(base=small)
        client = server.client()
        for body in (b"x" * (8 << 20), [b"x" * 500_000] * 16):
            with expect_error("files.no_space", 507):
                client.send_bytes("files.upload_stream", body, path="keep.txt")
        with expect_error("files.no_space", 507):
            client.send_bytes("files.upload", b"x" * (8 << 20), path="keep.txt")
        with expect_error("files.no_space", 507):
            client.send_files("files.upload_stream", [("a", b"x" * 3_000_000), ("b", b"x" * 3_000_000)], path=".")
        assert os.listdir(small) == ["keep.txt"] and (small / "keep.txt").read_bytes() == b"keep"
        eventually(lambda: os.statvfs(small).f_bfree == free, what="the space to be free again")
        client.send_bytes("files.upload_stream", b"y" * (1 << 20), path="keep.txt")
        server.stop()
    finally:
        subprocess.run(["umount", "-l", small], check=True)


def test_the_limit_of_the_process(make_server, tmp_path):
    """B066: the server outlives SIGXFSZ, with a length, in chunks and in a form."""
    server = make_server(base=tmp_path / "base")
    client = server.client()
    (server.base / "f").write_bytes(b"old")
    resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (100_000, 100_000))
    for op in ("files.upload", "files.upload_stream"):
        for body in (b"x" * 200_000, [b"x" * 50_000] * 4):
            with expect_error("limit.file_too_large", 413):
                client.send_bytes(op, body, path="f")
    with expect_error("limit.file_too_large", 413):
        client.send_files("files.upload_stream", [("f", b"x" * 200_000)], path=".")
    assert (server.base / "f").read_bytes() == b"old" and os.listdir(server.base) == ["f"]
    client.send_bytes("files.upload", b"x" * 100_000, path="f")


def test_a_form_of_files(client, folder):
    """B069: exactly the bytes of each part, the empty one too."""
    files = [("a.bin", os.urandom(600_000)), ("b\\c", b""), ("语言.txt", b"\r\n--abx\r\n--"), ("d", b"\r\n")]
    answer = client.send_files("files.upload_stream", files, path=str(folder))
    assert [(entry["path"], entry["bytes"]) for entry in answer["files"]] == [(f"{folder}/{name}", len(data)) for name, data in files]
    for (name, data), entry in zip(files, answer["files"], strict=True):
        assert (folder / name).read_bytes() == data
        assert entry["etag"] == client.rest("files.stat", path=f"{folder}/{name}")["etag"]
    client.send_files("files.upload_stream", [("x", b"x")], path=str(folder / "new/sub"), parents=True)
    assert (folder / "new/sub/x").read_bytes() == b"x"


def test_a_form_with_a_name_that_is_not_utf8(client, folder):
    body = b'--b\r\nContent-Disposition: form-data; name="f"; filename="a\xff"\r\n\r\nhi\r\n--b--\r\n'
    entry = client.send_bytes("files.upload_stream", body, media_type="multipart/form-data; boundary=b", path=str(folder))["files"][0]
    assert base64.b64decode(entry["path_b64"]) == os.fsencode(folder) + b"/a\xff"
    assert os.listdir(os.fsencode(folder)) == [b"a\xff"]


@pytest.mark.parametrize("name", ["../../x", "..", ".", "a/b", "/etc/x", "", "x" * 256])
def test_a_form_with_a_name_that_leads_elsewhere(client, folder, name):
    (folder / "d").mkdir()
    with expect_error("args.invalid", 400):
        client.send_files("files.upload_stream", [("good", b"1"), (name, b"2")], path=str(folder / "d"))
    assert os.listdir(folder) == ["d"] and os.listdir(folder / "d") == []


def test_a_form_is_whole_or_not_there(client, folder, outside):
    """B069: a form without its end is refused and leaves nothing."""
    (folder / "out").symlink_to(outside / "x")
    (folder / "d").mkdir()
    for files, code in (([("a", b"1"), ("out", b"2")], "policy.path_denied"), ([("a", b"1"), ("d", b"2")], "files.is_a_directory"),
                        ([("a", b"1"), ("a", b"2")], "args.invalid"), ([], "args.missing")):
        with expect_error(code):
            client.send_files("files.upload_stream", files, path=str(folder))
    with expect_error("files.not_found", 404):
        client.send_files("files.upload_stream", [("a", b"1")], path=str(folder / "gone"))
    (folder / "d/f").write_bytes(b"")
    with expect_error("files.not_a_directory", 409):
        client.send_files("files.upload_stream", [("a", b"1")], path=str(folder / "d/f"))
    with expect_error("limit.file_too_large", 413):
        client.send_files("files.upload_stream", [(f"f{number}", b"") for number in range(101)], path=str(folder))
    head = b'--b\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\ncontent\r\n'
    for body in (head, head + b"--b", head + b"--b\r\n", head[:-2] + b"--b--\r\n", b"nothing", b"", head.replace(b"\r\n", b"\n")):
        with expect_error("args.invalid", 400):
            client.send_bytes("files.upload_stream", body, media_type="multipart/form-data; boundary=b", path=str(folder))
    for media_type in ("multipart/form-data", "multipart/form-data; boundary=", f"multipart/form-data; boundary={'x' * 71}"):
        with expect_error("args.unsupported_media_type", 415):
            client.send_bytes("files.upload_stream", head + b"--b--\r\n", media_type=media_type, path=str(folder))
    assert sorted(os.listdir(folder)) == ["d", "out"] and os.listdir(outside) == []


def test_a_form_keeps_content_that_looks_like_its_boundary(client, folder):
    """B069"""
    mark = "a b c"
    data = b"\r\n--a b\r\n--a b x\r\n\r\n--\r\n--a b c"[:-1] + b"\r\n--a b\r\n\r\n"
    body = (b'preamble\r\n--a b c\r\nContent-Disposition: form-data; name=x\r\n\r\nno file\r\n--a b c  \r\nContent-Type: text/plain\r\n'
            b'Content-Disposition: form-data; name="f"; filename="a"\r\n\r\n' + data + b"\r\n--a b c--\r\nepilogue")
    for pieces in (body, [bytes([byte]) for byte in body], parts(body, 3)):
        client.send_bytes("files.upload_stream", pieces, media_type=f'multipart/form-data; boundary="{mark}"', path=str(folder))
        assert (folder / "a").read_bytes() == data and os.listdir(folder) == ["a"]
        (folder / "a").unlink()


def test_a_form_that_stops_in_the_middle_leaves_nothing(client, server, folder):
    head = client.head("POST", f"/files/upload-stream?path={folder}", {
        "Content-Type": "multipart/form-data; boundary=b", "Content-Length": 2_000_000})
    with no_descriptor_is_left(server):
        for _ in range(20):
            connection = client.connect()
            connection.send(head, b'--b\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n' + b"x" * 1_000_000)
            connection.reset()
    eventually(lambda: os.listdir(folder) == [], what="the end of what was begun")


@pytest.mark.check
@pytest.mark.parametrize("chunked", [False, True])
def test_three_gibibytes(make_server, quick, chunked):
    """B076: the length does not fit into 32 bits, and no memory follows it."""
    server = make_server(base=quick, env={"ABX_MAX_UPLOAD_SIZE": 4 << 30})
    client, size, part = server.client(timeout=100), 3 << 30, bytes(1 << 20)
    framing = {"Transfer-Encoding": "chunked"} if chunked else {"Content-Length": size}
    before = server.rss_kib()
    with client.connect() as connection:
        connection.send(client.head("POST", "/files/upload-stream?path=big", {"Content-Type": "application/octet-stream", **framing}))
        for at in range(0, size, len(part)):
            data = part if at + len(part) < size else b"x" * len(part)
            connection.send(f"{len(data):x}\r\n" if chunked else b"", data, b"\r\n" if chunked else b"")
        connection.send(b"0\r\n\r\n" if chunked else b"")
        assert json.loads(connection.reply("POST").read())["bytes"] == size
    assert (quick / "big").stat().st_size == size
    with open(quick / "big", "rb") as file:
        file.seek(size - len(part) - 1)
        assert file.read() == b"\0" + b"x" * len(part)
    assert is_sanitized() or server.peak_kib() - before < 16_000


def test_many_at_once_in_bounded_memory(client, server, folder):
    data = os.urandom(8 << 20)
    before = server.rss_kib()
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda number: client.send_bytes("files.upload_stream", data, path=f"{folder}/{number}"), range(32)))
    assert all((folder / str(number)).read_bytes() == data for number in range(32))
    if not is_sanitized():
        eventually(lambda: server.rss_kib() - before < 24_000)


def test_many_uploads_at_once_in_little_memory(make_server):
    """Each takes what there is: large buffers while much is free, and at least one small one (R97)."""
    server = make_server(policy={"version": 1, "limits": {"max_memory_bytes": 8 << 20}})
    size, data = 2 << 20, os.urandom(2 << 20)
    with contextlib.ExitStack() as stack:
        connections = [stack.enter_context(server.client().connect()) for _ in range(36)]
        for number, connection in enumerate(connections):
            connection.send(f"POST /files/upload-stream?path=f{number} HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                            f"application/octet-stream\r\nContent-Length: {size}\r\n\r\n", data[:100000])
        for at in range(100000, size, 100000):  # all of them are always in the middle
            for connection in connections:
                connection.send(data[at:at + 100000])
        for connection in connections:
            reply = connection.reply("POST")
            answer = json.loads(reply.read())
            assert (reply.status, answer.get("bytes")) == (200, size), answer
    for number in range(len(connections)):
        assert (server.base / f"f{number}").read_bytes() == data
