# SPDX-License-Identifier: Apache-2.0
"""read, write, edit, chmod and copy: exact bytes, conditions, what is whole, and what is refused before anything changes."""
import base64
import os
import stat
import struct
import subprocess

import pytest

from lib.client import ApiError, expect_error
from lib.names import STRANGE
from lib.parallel import together
from lib.processes import eventually


def text64(data):
    return base64.b64encode(data).decode()


def read(client, path, **more):
    return client.rest("files.read", path=str(path), **more)


# read

def test_read_by_bytes(client, folder):
    path = folder / "f"
    path.write_bytes(b"one\ntwo\nthree")
    answer = read(client, path)
    assert answer == {"path": str(path), "content": "one\ntwo\nthree", "size": 13, "bytes": 13, "lines": 3, "truncated": False,
                      "etag": client.rest("files.stat", path=str(path))["etag"]}
    answer = client.call("files.read", path=str(path), offset=4, limit=4)
    assert (answer["content"], answer["bytes"], answer["lines"], answer["truncated"]) == ("two\n", 4, 1, True)
    answer = read(client, path, offset=8, limit=100)
    assert (answer["content"], answer["truncated"], answer["size"]) == ("three", False, 13)
    answer = read(client, path, offset=50)
    assert (answer["content"], answer["truncated"], answer["size"], answer["lines"]) == ("", False, 13, 0)
    for bad in ({"limit": 0}, {"offset": -1}, {"encoding": "latin1"}, {"offset": 1, "lines": "1"}):
        with expect_error("args.invalid", 400):
            read(client, path, **bad)


def test_read_by_lines(client, folder):
    path = folder / "f"
    path.write_text("".join(f"line {n}\n" for n in range(1, 100001)))
    assert read(client, path, lines="1")["content"] == "line 1\n"
    answer = read(client, path, lines="99999-")
    assert (answer["content"], answer["lines"], answer["truncated"]) == ("line 99999\nline 100000\n", 2, False)
    answer = read(client, path, lines="50000-50002")
    assert (answer["content"], answer["truncated"]) == ("line 50000\nline 50001\nline 50002\n", True)
    assert read(client, path, lines="100000-100000")["truncated"] is False
    assert read(client, path, lines="100001-")["content"] == ""
    answer = read(client, path, lines="1-", limit=10)
    assert (answer["content"], answer["truncated"]) == ("line 1\nlin", True)
    for bad in ("0", "a", "3-2", "-5", "1-2-3", "1,2", " 1"):
        with expect_error("args.invalid", 400, says="lines"):
            read(client, path, lines=bad)


def test_read_bytes_that_are_no_text(client, folder):
    path = folder / "f"
    path.write_bytes(b"\x00\xff\r\n" + "é".encode())
    assert base64.b64decode(read(client, path, encoding="base64")["content"]) == path.read_bytes()
    answer = read(client, path)
    assert answer["content"] == "\x00\ufffd\r\né" and answer["lossy"] is True
    # A character that the limit cuts comes with the next part.
    path.write_bytes("ééééé".encode())
    answer = read(client, path, limit=7)
    assert (answer["content"], answer["bytes"], answer["truncated"]) == ("ééé", 6, True)
    assert read(client, path, offset=6)["content"] == "éé"


def test_read_as_bytes(client, folder):
    path = folder / "f"
    path.write_bytes(bytes(range(256)) * 300)
    whole = client.get_bytes("files.read", path=str(path))
    assert whole.read() == path.read_bytes() and whole.header("etag") == read(client, path)["etag"]
    part = client.get_bytes("files.read", path=str(path), offset=100, limit=50, encoding="bytes", headers={"Accept": "*/*"})
    assert part.status == 206 and part.read() == path.read_bytes()[100:150]
    assert client.get_bytes("files.read", path=str(path), headers={"Range": "bytes=0-3"}).read() == b"\0\1\2\3"
    assert client.get_bytes("files.read", path=str(path), headers={"If-None-Match": whole.header("etag")}).status == 304
    assert client.get_bytes("files.read", method="HEAD", path=str(path)).header("content-length") == "76800"
    with expect_error("files.changed", 412):
        client.get_bytes("files.read", path=str(path), headers={"If-Match": '"x"'})
    with expect_error("files.range", 416):
        client.get_bytes("files.read", path=str(path), offset=100000)
    with expect_error("args.invalid", 400):
        client.get_bytes("files.read", path=str(path), lines="1")
    with expect_error("args.invalid", 400):
        client.get_bytes("files.read", path=str(path), offset=1, headers={"Range": "bytes=0-3"})


def test_read_what_is_no_file(client, folder):
    os.mkfifo(folder / "pipe")
    (folder / "f").write_text("")
    with expect_error("files.not_regular", 409):
        read(client, folder / "pipe")
    with expect_error("files.is_a_directory", 409):
        read(client, folder)
    with expect_error("files.not_found", 404):
        read(client, folder / "none")
    with expect_error("files.not_a_directory", 409):
        read(client, folder / "f/x")
    with expect_error("policy.path_denied", 403):
        read(client, "/etc/passwd")
    assert read(client, folder / "f") == {**read(client, folder / "f"), "content": "", "size": 0, "lines": 0}


def test_read_stops_at_max_bytes(make_server, tmp_path):
    server = make_server(policy={"version": 1, "limits": {"files.read": {"max_bytes": 1000}}})
    (server.base / "f").write_bytes(b"x" * 5000)
    answer = read(server.client(), "f", limit=4000)
    assert answer["bytes"] == 1000 and answer["truncated"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root sees that")
def test_read_of_a_file_without_a_size(make_server):
    client = make_server(base="/proc", policy={"version": 1, "paths": {"roots": ["/proc"], "base": "/proc"}}).client()
    answer = read(client, "/proc/version")
    assert answer["content"].startswith("Linux") and answer["size"] == answer["bytes"]


def test_large_and_sparse(client, folder):
    path = folder / "f"
    with open(path, "wb") as out:
        out.truncate(6 << 30)
        out.seek(5 << 30)
        out.write(b"here")
    answer = read(client, path, offset=5 << 30, limit=6)
    assert answer["content"] == "here\0\0" and answer["size"] == 6 << 30 and answer["truncated"]


# write

def test_write_text_and_bytes(client, folder):
    path = folder / "f"
    answer = client.rest("files.write", path=str(path), content="é\n", mode="640")
    assert answer == {"path": str(path), "bytes": 3, "etag": read(client, path)["etag"]}
    assert path.read_text() == "é\n" and stat.S_IMODE(path.stat().st_mode) == 0o640
    client.call("files.write", path=str(path), content_base64=text64(b"\0\xff"))
    assert path.read_bytes() == b"\0\xff" and stat.S_IMODE(path.stat().st_mode) == 0o640
    client.send_bytes("files.write", b"raw", path=str(path))
    client.send_bytes("files.write", [b" and", b" more"], path=str(path), append=True)
    assert path.read_bytes() == b"raw and more"
    client.rest("files.write", path=str(path), content="")
    assert path.read_bytes() == b""
    assert os.listdir(folder) == ["f"]


def test_write_what_is_missing_or_too_much(client, folder):
    path = str(folder / "f")
    with expect_error("args.missing", 400):
        client.rest("files.write", path=path)
    with expect_error("args.invalid", 400):
        client.rest("files.write", path=path, content="", content_base64="")
    for name in ("content", "content_base64"):
        with expect_error("args.unknown", 400):
            client.send_bytes("files.write", b"x", path=path, **{name: "eHg="})
    with expect_error("args.invalid", 400):
        client.rest("files.write", path=path, content="x", mode="8")
    with expect_error("files.not_found", 404):
        client.rest("files.write", path=f"{folder}/a/b", content="x")
    client.rest("files.write", path=f"{folder}/a/b", content="x", parents=True)
    with expect_error("files.is_a_directory", 409):
        client.rest("files.write", path=f"{folder}/a", content="x")
    with expect_error("files.not_a_directory", 409):
        client.rest("files.write", path=f"{folder}/a/b/c", content="x")
    os.mkfifo(folder / "pipe")
    for append in (False, True):
        with expect_error("files.not_regular", 409):
            client.rest("files.write", path=f"{folder}/pipe", content="x", append=append)
    with expect_error("args.unsupported_media_type", 415):
        client.send_bytes("files.write", b"x", media_type="image/png", path=path)
    with expect_error("policy.path_denied", 403):
        client.rest("files.write", path="/etc/x", content="x")
    assert sorted(os.listdir(folder)) == ["a", "pipe"]


def test_write_on_conditions(client, folder):
    path = str(folder / "f")
    first = client.rest("files.write", path=path, content="one", create_only=True)
    with expect_error("files.exists", 409):
        client.rest("files.write", path=path, content="two", create_only=True)
    with expect_error("files.exists", 409):
        client.send_bytes("files.write", b"two", path=path, headers={"If-None-Match": "*"})
    second = client.send_bytes("files.write", b"two", path=path, headers={"If-Match": first["etag"]})
    with expect_error("files.changed", 412):
        client.send_bytes("files.write", b"three", path=path, headers={"If-Match": first["etag"]})
    with expect_error("files.changed", 412):
        client.send_bytes("files.write", b"three", path=path, append=True, headers={"If-Match": first["etag"]})
    client.send_bytes("files.write", b"!", path=path, append=True, headers={"If-Match": second["etag"]})
    assert (folder / "f").read_text() == "two!"


def test_of_many_conditional_writes_one_wins(client, folder):
    path = str(folder / "f")
    tag = client.rest("files.write", path=path, content="0")["etag"]

    def attempt(number):
        try:
            client.send_bytes("files.write", b"%d" % number, path=path, headers={"If-Match": tag})
            return number
        except ApiError as error:
            assert error.wire_code == "files.changed", error
            return None

    winners = [number for number in together(attempt, range(1, 30), 8) if number is not None]
    assert len(winners) == 1 and (folder / "f").read_text() == str(winners[0])


def test_appends_at_once_are_all_there(client, folder):
    path = folder / "log"
    lines = [f"{n} {'x' * (n % 7) * 1000}\n" for n in range(60)]
    together(lambda line: client.rest("files.write", path=str(path), content=line, append=True), lines, 8)
    assert sorted(path.read_text().splitlines(True)) == sorted(lines)
    assert os.listdir(folder) == ["log"]


def test_an_append_keeps_the_file(client, folder):
    (folder / "f").write_text("a")
    (folder / "l").symlink_to("f")
    os.chmod(folder / "f", 0o600)
    inode = (folder / "f").stat().st_ino
    client.rest("files.write", path=f"{folder}/l", content="b", append=True)
    assert (folder / "f").read_text() == "ab" and (folder / "f").stat().st_ino == inode and (folder / "l").is_symlink()
    client.rest("files.write", path=f"{folder}/f", content="c", append=True, mode="604")
    assert stat.S_IMODE((folder / "f").stat().st_mode) == 0o604


def test_a_caller_that_vanishes_appends_nothing(client, folder):
    (folder / "f").write_text("a")
    with client.connect() as connection:
        target = f"/files/write?path={folder}/f&append=true"
        connection.send(client.head("PUT", target, {"Content-Type": "application/octet-stream", "Content-Length": 1 << 20}), b"x" * 600000)
    client.rest("files.write", path=f"{folder}/f", content="b", append=True)
    assert (folder / "f").read_text() == "ab" and eventually(lambda: os.listdir(folder) == ["f"])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts")
def test_a_full_disk_leaves_the_old_file(make_server, tmp_path):
    (tmp_path / "disk").mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", tmp_path / "disk"], capture_output=True).returncode:
        pytest.skip("this machine does not let us mount")
    try:
        client = make_server(base=tmp_path / "disk").client()
        (tmp_path / "disk/f").write_bytes(b"x" * 300000)
        (tmp_path / "disk/g").write_bytes(b"x" * 200000)
        for more in ({"append": True}, {}):
            with expect_error("files.no_space", 507):
                client.send_bytes("files.write", b"y" * 700000, path="f", **more)
        with expect_error("files.no_space", 507):
            client.call("files.edit", path="f", edits=[{"old": "x", "new": "yyy", "count": 300000}])
        with expect_error("files.no_space", 507):
            for number in range(9):
                client.call("files.copy", source="g", destination=f"copy{number}")
        assert (tmp_path / "disk/f").read_bytes() == b"x" * 300000
        assert not [name for name in os.listdir(tmp_path / "disk") if name.startswith(".abx")]
    finally:
        subprocess.run(["umount", "-l", tmp_path / "disk"], check=True)


# edit

def edit(client, path, *edits, **more):
    return client.call("files.edit", path=str(path), edits=[dict(zip(("old", "new", "count"), one)) for one in edits], **more)


def test_exact_edits(client, folder):
    path = folder / "f"
    path.write_text("alpha\nbeta\ngamma\n")
    os.chmod(path, 0o640)
    answer = edit(client, path, ("beta", "BETA"), ("BETA\ngamma", "x"))
    assert path.read_text() == "alpha\nx\n" and stat.S_IMODE(path.stat().st_mode) == 0o640
    assert answer["replacements"] == 2 and answer["bytes"] == 8 and answer["etag"] == read(client, path)["etag"]
    name = str(path).lstrip("/")
    assert answer["diff"] == f"--- a/{name}\n+++ b/{name}\n@@ -1,3 +1,2 @@\n alpha\n-beta\n-gamma\n+x\n"
    path.write_text("a a a")
    assert edit(client, path, ("a", "b", 3))["replacements"] == 3 and path.read_text() == "b b b"
    assert edit(client, path, ("b", "", 0))["replacements"] == 3 and path.read_text() == "  "
    before = path.stat()
    assert edit(client, path, ("  ", "  "))["diff"] == "" and path.stat().st_mtime_ns == before.st_mtime_ns


def test_an_edit_that_does_not_fit_changes_nothing(client, folder):
    path = folder / "f"
    path.write_text("int a = 1;\n\tint b = 2;\nint a = 1;\n")
    before = path.read_bytes(), path.stat().st_ino
    with expect_error("files.no_match", 409, says="edits[1]: 'old' is there 2 times"):
        edit(client, path, ("int b = 2;", "int c;"), ("int a = 1;", "x"))
    with expect_error("files.no_match", 409, says="0 times; the nearest is line 2: 'int b = 2;'"):
        edit(client, path, ("int b = 3;\n", "x"))
    with expect_error("files.no_match", 409, says="no line is like it"):
        edit(client, path, ("§§§", "x"))
    with expect_error("files.no_match", 409):
        edit(client, path, ("int a = 1;", "x", 3))
    with expect_error("args.invalid", 400, says="empty"):
        edit(client, path, ("", "x"))
    with expect_error("args.invalid", 400):
        edit(client, path)
    with expect_error("args.invalid", 400):
        edit(client, path, ("a", "b"), patch="")
    with expect_error("args.missing", 400):
        client.rest("files.edit", path=str(path))
    assert (path.read_bytes(), path.stat().st_ino) == before and os.listdir(folder) == ["f"]


def test_a_patch(client, folder):
    path = folder / "f"
    old, new = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12", "0\n1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n11\n12\n"
    (folder / "old").write_text(old)
    (folder / "new").write_text(new)
    patch = subprocess.run(["diff", "-u", "old", "new"], cwd=folder, capture_output=True, text=True).stdout
    path.write_text(old)
    answer = client.rest("files.edit", path=str(path), patch=patch)
    assert path.read_text() == new and answer["replacements"] >= 1
    # What is told undoes and does it again.
    path.write_text(old)
    client.rest("files.edit", path=str(path), patch=answer["diff"])
    assert path.read_text() == new
    with expect_error("files.no_match", 409, says="hunk 1 of the patch does not fit at line"):
        client.rest("files.edit", path=str(path), patch=patch)
    with expect_error("args.invalid", 400, says="line 1"):
        client.rest("files.edit", path=str(path), patch="not a patch")
    assert path.read_text() == new


def test_edits_and_conditions(client, folder):
    path = folder / "f"
    path.write_text("one")
    op, target = client.ops["files.edit"], "/files/edit"
    tag = read(client, path)["etag"]
    edits = {"path": str(path), "edits": [{"old": "one", "new": "two"}]}
    assert client.request("POST", target, edits, {"If-Match": '"other"'}).status == 412
    with expect_error("files.changed", 412):
        raise client.error(op, client.open("POST", target, b'{"path":"%s","patch":"@@"}' % str(path).encode(),
                                           {"Content-Type": "application/json", "If-Match": '"x"'})[1])
    assert client.request("POST", target, edits, {"If-Match": tag}).status == 200
    assert path.read_text() == "two"


def test_edits_at_once_are_all_there_or_refused(client, folder):
    path = folder / "f"
    path.write_text("".join(f"<{n}>\n" for n in range(40)))

    def attempt(number):
        for _ in range(200):
            try:
                return edit(client, path, (f"<{number}>", f"[{number}]"))
            except ApiError as error:
                assert error.wire_code == "files.changed", error
        raise AssertionError("refused for ever")

    together(attempt, range(40), 4)
    assert path.read_text() == "".join(f"[{n}]\n" for n in range(40)) and os.listdir(folder) == ["f"]


def test_edit_what_is_no_file(client, folder):
    os.mkfifo(folder / "pipe")
    (folder / "f").write_text("x")
    cases = {"none": "files.not_found", "pipe": "files.not_regular", ".": "files.is_a_directory", "f/x": "files.not_a_directory"}
    for name, code in cases.items():
        with expect_error(code):
            edit(client, folder / name, ("x", "y"))
    with expect_error("policy.path_denied", 403):
        edit(client, "/etc/passwd", ("x", "y"))


def test_write_is_limited(make_server):
    client = make_server(policy={"version": 1, "limits": {"files.write": {"max_bytes": 10}}}).client()
    client.rest("files.write", path="f", content="x" * 10)
    for send in (lambda: client.rest("files.write", path="f", content="x" * 11), lambda: client.send_bytes("files.write", [b"x" * 6] * 2, path="f")):
        with expect_error("limit.file_too_large", 413):
            send()


def test_edit_is_limited(make_server):
    server = make_server(policy={"version": 1, "limits": {"files.edit": {"max_bytes": 1000}}})
    (server.base / "f").write_bytes(b"x" * 1001)
    with expect_error("limit.file_too_large", 413):
        edit(server.client(), "f", ("x", "y", 1001))


def test_an_edit_among_bytes_that_are_no_text(client, folder):
    (folder / "f").write_bytes(b"\xff\0one\n")
    answer = edit(client, folder / "f", ("one", "two"))
    assert (folder / "f").read_bytes() == b"\xff\0two\n" and answer["lossy"] is True


def test_a_diff_that_is_too_long_is_left_out(client, folder):
    path = folder / "f"
    path.write_text("x\n" * 600000)
    answer = edit(client, path, ("x", "y", 0))
    assert answer["diff"] == "" and answer["diff_cut"] is True and answer["replacements"] == 600000


# chmod

def modes(top):
    return {os.path.relpath(os.path.join(folder, name), top): oct(stat.S_IMODE(os.lstat(os.path.join(folder, name)).st_mode))
            for folder, names, files in os.walk(top) for name in names + files}


def test_chmod(client, folder):
    (folder / "d/e").mkdir(parents=True)
    (folder / "d/e/f").write_text("")
    (folder / "d/l").symlink_to("e/f")
    (folder / "out").symlink_to("d/e/f")
    answer = client.rest("files.chmod", path=f"{folder}/out", mode="600")
    assert answer == {"path": f"{folder}/d/e/f", "mode": "600", "changed": 1}
    answer = client.call("files.chmod", path=f"{folder}/d", mode="0711", recursive=True)
    assert answer["changed"] == 3 and answer["mode"] == "711"
    assert modes(folder / "d") == {"e": "0o711", "e/f": "0o711", "l": "0o777"}
    for bad in ("8", "77777", "u+x", "0o7", 644):
        with expect_error("args.invalid", 400):
            client.rest("files.chmod", path=f"{folder}/d", mode=bad)
    with expect_error("files.not_found", 404):
        client.rest("files.chmod", path=f"{folder}/none", mode="600")
    with expect_error("policy.path_denied", 403):
        client.rest("files.chmod", path="/etc", mode="755", recursive=True)


def test_chmod_that_shuts_us_out(client, folder):
    (folder / "d/e").mkdir(parents=True)
    (folder / "d/e/f").write_text("")
    assert client.rest("files.chmod", path=f"{folder}/d", mode="000", recursive=True)["changed"] == 3
    for path in ("d", "d/e"):
        assert stat.S_IMODE((folder / path).stat().st_mode) == 0
        os.chmod(folder / path, 0o755)
    assert stat.S_IMODE((folder / "d/e/f").stat().st_mode) == 0


def test_a_deep_tree(client, folder):
    deep = os.open(folder, os.O_RDONLY)
    for _ in range(1000):
        os.mkdir("d", dir_fd=deep)
        below = os.open("d", os.O_RDONLY, dir_fd=deep)
        os.close(deep)
        deep = below
    os.close(os.open("leaf", os.O_CREAT, dir_fd=deep))
    os.close(deep)
    assert client.rest("files.chmod", path=str(folder / "d"), mode="700", recursive=True)["changed"] == 1001
    assert client.rest("files.copy", source=str(folder / "d"), destination=str(folder / "copy"))["entries"] == 1001
    found = client.rest("files.search", path=str(folder), pattern="leaf", max_depth=2000)["results"]
    assert [one["name"] for one in found] == ["leaf", "leaf"]
    assert client.rest("files.grep", path=str(folder), pattern="x")["files_searched"] == 2
    client.rest("files.delete", path=str(folder))


# copy

def test_copy_a_file(client, folder):
    (folder / "a").write_bytes(b"\0" * 100000)
    os.chmod(folder / "a", 0o4750)
    os.utime(folder / "a", (1, 2))
    answer = client.rest("files.copy", source=f"{folder}/a", destination=f"{folder}/b")
    assert answer == {"source": f"{folder}/a", "destination": f"{folder}/b", "entries": 1, "bytes": 100000, "skipped": 0}
    assert (folder / "b").read_bytes() == (folder / "a").read_bytes()
    assert stat.S_IMODE((folder / "b").stat().st_mode) == 0o750 and (folder / "b").stat().st_mtime == 2
    (folder / "l").symlink_to("a")
    client.call("files.copy", source=f"{folder}/l", destination=f"{folder}/x/y", parents=True)
    assert not (folder / "x/y").is_symlink() and (folder / "x/y").stat().st_size == 100000


def test_copy_a_tree(client, folder, outside):
    (folder / "d/sub").mkdir(parents=True)
    (folder / "d/f").write_text("x")
    os.link(folder / "d/f", folder / "d/sub/hard")
    (folder / "d/out").symlink_to(outside)
    os.mkfifo(folder / "d/pipe")
    with open(folder / "d/sparse", "wb") as out:
        out.truncate(1 << 30)
        out.write(b"head")
    os.chmod(folder / "d/sub", 0o500)
    answer = client.rest("files.copy", source=f"{folder}/d", destination=f"{folder}/c")
    assert (answer["entries"], answer["skipped"]) == (6, 1)
    assert sorted(os.listdir(folder / "c")) == ["f", "out", "sparse", "sub"] and os.readlink(folder / "c/out") == str(outside)
    assert (folder / "c/f").stat().st_ino == (folder / "c/sub/hard").stat().st_ino != (folder / "d/f").stat().st_ino
    assert stat.S_IMODE((folder / "c/sub").stat().st_mode) == 0o500 and (folder / "c/sparse").stat().st_blocks < 1000
    assert sorted(os.listdir(folder)) == ["c", "d"]


def set_attributes(path):
    """Returns what is there then; an access list of which one user has a part, made by hand."""
    entries = [(1, 7 if path.is_dir() else 6, 0xffffffff), (2, 4, 12345), (4, 4, 0xffffffff), (0x10, 4, 0xffffffff), (0x20, 0, 0xffffffff)]
    acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
    try:
        os.setxattr(path, "user.note", b"\0bytes\xff")
        os.setxattr(path, "user.empty", b"")
        os.setxattr(path, "system.posix_acl_access", acl)
    except OSError as error:
        pytest.skip(f"this file system keeps no attributes: {error}")
    return attributes(path)


def attributes(path):
    return {name: os.getxattr(path, name) for name in os.listxattr(path)}, stat.S_IMODE(path.stat().st_mode)


def test_copies_keep_attributes_and_access_lists(client, folder):
    (folder / "from/d").mkdir(parents=True)
    (folder / "from/f").write_text("1")
    (folder / "from/plain").write_text("1")
    wanted = {name: set_attributes(folder / "from" / name) for name in ("f", "d", ".")}
    assert set(wanted["f"][0]) == {"user.note", "user.empty", "system.posix_acl_access"} and wanted["f"][1] == 0o640
    (folder / "from/f").chmod(0o440)  # nobody may write it, and its copy has all the same
    wanted["f"] = attributes(folder / "from/f")
    client.call("files.copy", source=str(folder / "from"), destination=str(folder / "to"))
    assert {name: attributes(folder / "to" / name) for name in wanted} == wanted
    assert attributes(folder / "to/plain")[0] == {}
    client.call("files.copy", source=str(folder / "from/f"), destination=str(folder / "one"))
    assert attributes(folder / "one") == wanted["f"]


def test_copy_over_what_is_there(client, folder):
    for name in ("f", "g"):
        (folder / name).write_text(name)
    (folder / "d").mkdir()
    (folder / "e/x").mkdir(parents=True)
    os.mkfifo(folder / "pipe")

    def copy(source, destination, **more):
        return client.call("files.copy", source=str(folder / source), destination=f"{folder}/{destination}", **more)

    before = sorted(os.listdir(folder))
    cases = [("f", "d", "files.is_a_directory"), ("d", "f", "files.not_a_directory"), ("d", "e", "files.not_empty"),
             ("none", "x", "files.not_found"), ("f", "none/x", "files.not_found"), ("e", "e/x/y", "args.invalid"),
             ("f/x", "y", "files.not_a_directory"), ("pipe", "y", "files.not_regular"), ("f", "y/", "files.not_a_directory")]
    for source, destination, code in cases:
        with expect_error(code):
            copy(source, destination)
    with expect_error("files.exists", 409):
        copy("f", "g", overwrite=False)
    with expect_error("policy.path_denied", 403):
        client.call("files.copy", source="/etc/passwd", destination=f"{folder}/x")
    with expect_error("policy.path_denied", 403):
        client.call("files.copy", source=f"{folder}/f", destination="/etc/x")
    assert copy("f", "f")["entries"] == 0 and (folder / "f").read_text() == "f"
    copy("f", "g")
    copy("e", "d")
    assert (folder / "g").read_text() == "f" and os.listdir(folder / "d") == ["x"] and sorted(os.listdir(folder)) == before


def test_of_many_copies_without_overwrite_one_wins(client, folder):
    (folder / "d").mkdir()
    (folder / "d/x").write_text("x")

    def attempt(_):
        try:
            client.call("files.copy", source=f"{folder}/d", destination=f"{folder}/c", overwrite=False)
            return 1
        except ApiError as error:
            assert error.wire_code == "files.exists", error
            return 0

    assert sum(together(attempt, range(20), 8)) == 1 and sorted(os.listdir(folder)) == ["c", "d"]


def test_b073_strange_names(client, folder):
    for number, name in enumerate(STRANGE):
        home = folder / f"{number}"
        home.mkdir()
        path = str(home / name)
        client.rest("files.write", path=path, content="first")
        assert os.listdir(home) == [name]
        assert read(client, path)["content"] == "first"
        edit(client, path, ("first", "second"))
        client.rest("files.chmod", path=path, mode="640")
        client.rest("files.copy", source=path, destination=f"{home}/2")
        assert sorted(os.listdir(home)) == sorted([name, "2"]) and (home / "2").read_text() == "second"
        hits = client.rest("files.grep", path=str(home), pattern="second")["matches"]
        assert sorted(hit["path"] for hit in hits) == sorted([path, f"{home}/2"])
        found = client.rest("files.search", path=str(home), pattern="*")["results"]
        assert sorted(one["name"] for one in found) == sorted([name, "2"])


def test_b073_names_that_are_not_utf8(client, folder):
    name = os.fsencode(folder) + b"/\xffx"
    exact = {"path_b64": text64(name)}
    answer = client.rest("files.write", content="needle", **exact)
    assert base64.b64decode(answer["path_b64"]) == name
    assert base64.b64decode(client.call("files.read", **exact)["path_b64"]) == name
    answer = client.call("files.edit", edits=[{"old": "needle", "new": "Needle"}], **exact)
    assert base64.b64decode(answer["path_b64"]) == name
    assert base64.b64decode(client.call("files.chmod", mode="600", **exact)["path_b64"]) == name
    answer = client.call("files.copy", source_b64=text64(name), destination_b64=text64(name + b"2"))
    assert base64.b64decode(answer["source_b64"]) == name and base64.b64decode(answer["destination_b64"]) == name + b"2"
    found = client.rest("files.search", path=str(folder), pattern="?x")["results"]
    assert [(base64.b64decode(one["name_b64"]), base64.b64decode(one["path_b64"])) for one in found] == [(b"\xffx", name)]
    hits = client.rest("files.grep", path=str(folder), pattern="Needle")["matches"]
    assert [base64.b64decode(hit["path_b64"]) for hit in hits] == [name, name + b"2"]
    os.mkdir(name + b"3")
    assert base64.b64decode(client.rest("files.search", path_b64=text64(name + b"3"), pattern="x")["path_b64"]) == name + b"3"
    assert base64.b64decode(client.rest("files.grep", path_b64=text64(name + b"3"), pattern="x")["path_b64"]) == name + b"3"
    # An expression that explodes, in a file of such a name.
    os.unlink(name + b"2")
    with open(name, "wb") as out:
        out.write(b"a" * 40 + b"!")
    given_up = client.rest("files.grep", path=str(folder), pattern="(a+)+$")["files_given_up"]
    assert [base64.b64decode(one["path_b64"]) for one in given_up] == [name]
