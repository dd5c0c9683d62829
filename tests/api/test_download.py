# SPDX-License-Identifier: Apache-2.0
"""download and download_stream: exact bytes, ranges, conditions, and files that are not what they seem."""
import base64
import concurrent.futures
import email.utils
import os

import pytest

from lib.client import expect_error
from lib.exchange import H, exchange
from lib.processes import eventually, no_descriptor_is_left
from lib.raw import Broken
from lib.server import is_sanitized

BYTES = "application/octet-stream"
RAW_OPS = ["files.download", "files.download_stream"]


@pytest.fixture
def file(folder):
    path = folder / "f"
    path.write_bytes(b"0123456789")
    return path


@pytest.mark.parametrize("size", [0, 1, 16384, 65535, 65536, 65537, 262145, 10 << 20])
@pytest.mark.parametrize("op", RAW_OPS)
def test_bytes_come_as_they_are(client, folder, op, size):
    data = os.urandom(size)
    (folder / "f").write_bytes(data)
    path = str(folder / "f")
    reply = client.get_bytes(op, path=path)
    assert reply.status == 200 and reply.read() == data and reply.header("content-type") == BYTES
    assert reply.length == (size or None)
    answer = client.rest(op, path=path)
    assert base64.b64decode(answer["content_base64"]) == data and answer["path"] == path
    assert answer.get("bytes") == (size if op == "files.download_stream" else None)
    assert client.call(op, path=path) == answer


def test_the_head_of_bytes(client, file):
    os.utime(file, (0, 1_700_000_000))
    reply = client.get_bytes("files.download_stream", path=str(file))
    assert reply.header("last-modified") == "Tue, 14 Nov 2023 22:13:20 GMT"
    assert reply.header("accept-ranges") == "bytes" and reply.header("content-length") == "10"
    tag = reply.header("etag")
    assert tag.startswith('"') and tag.endswith('"')
    head = client.get_bytes("files.download_stream", path=str(file), method="HEAD", headers={"Range": "bytes=0-1"})
    assert head.status == 200 and head.header("content-length") == "10" and head.header("etag") == tag
    before = file.stat().st_ctime_ns

    def changed():  # all the same but for the time of the change, which nobody can set (R104), and which goes in steps
        file.write_bytes(b"9876543210")
        os.utime(file, (0, 1_700_000_000))
        return file.stat().st_ctime_ns != before

    eventually(changed)
    again = client.get_bytes("files.download", path=str(file))
    assert again.header("last-modified") == reply.header("last-modified") and again.header("etag") != tag


@pytest.mark.parametrize("accept,raw", [(None, False), ("*/*", False), ("application/*", False), ("application/json", False), (BYTES, True),
                                        (f"text/html, {BYTES};q=0.1", True), (f"{BYTES};q=0", False), ("Application/Octet-Stream", True)])
def test_bytes_only_where_they_are_named(client, file, accept, raw):
    reply = client.request("GET", f"/download?path={file}", headers={"Accept": accept} if accept else {})
    assert reply.status == 200 and (reply.header("content-type") == BYTES) is raw


def test_lines_of_one_name_are_one_list(client, file):
    """RFC 9110, 5.3: some senders and proxies write each element on a line of its own."""
    def get(*lines):
        return exchange(client, f"GET /download?path={file} HTTP/1.1\r\n{H}" + "".join(f"{line}\r\n" for line in lines) + "\r\n")

    reply = get("Accept: application/json", f"Accept: {BYTES}")
    assert reply.header("content-type") == BYTES and reply.read() == b"0123456789"
    raw, tag = f"Accept: {BYTES}", reply.header("etag")
    assert get(raw, 'If-None-Match: "other"', f"If-None-Match: {tag}").status == 304
    assert get(raw, 'If-Match: "other"', f"If-Match: {tag}").status == 200
    assert get(raw, 'If-Match: "other"', 'If-Match: "another"').status == 412
    for first, second in (("2-3", "5-6"), ("5-6", "2-3")):
        reply = get(f"Range: bytes={first}", f"Range: bytes={second}")
        assert reply.status == 200 and reply.read() == b"0123456789"


def test_no_cache_keeps_a_file_without_asking(client, file):
    """A date without a word about it lets a cache guess; a page would see an old file for days."""
    for headers, status in (({}, 200), ({"Range": "bytes=0-1"}, 206), ({"If-None-Match": "*"}, 304)):
        reply = client.get_bytes("files.download", path=str(file), headers=headers)
        assert (reply.status, reply.header("cache-control")) == (status, "no-cache")


@pytest.mark.parametrize("value,first,last", [("bytes=0-0", 0, 0), ("bytes=2-4", 2, 4), ("bytes=5-", 5, 9), ("bytes=-3", 7, 9), ("bytes=-100", 0, 9),
                                              ("bytes=0-100", 0, 9), ("bytes=9-9", 9, 9), ("BYTES=1-2", 1, 2)])
@pytest.mark.parametrize("op", RAW_OPS)
def test_one_range(client, file, op, value, first, last):
    reply = client.get_bytes(op, path=str(file), headers={"Range": value, "Accept": None})  # a Range implies bytes
    assert reply.status == 206 and reply.read() == b"0123456789"[first:last + 1]
    assert reply.header("content-range") == f"bytes {first}-{last}/10" and reply.header("content-length") == str(last - first + 1)


@pytest.mark.parametrize("value", ["items=0-1", "bytes=0-1,3-4", "bytes=", "bytes=a-b", "bytes=5-2", "bytes", "bytes=--1", "bytes=1-2x", ""])
def test_other_ranges_are_ignored(client, file, value):
    reply = client.get_bytes("files.download_stream", path=str(file), headers={"Range": value})
    assert reply.status == 200 and reply.read() == b"0123456789" and reply.header("content-range") is None


@pytest.mark.parametrize("op", RAW_OPS)
def test_a_range_behind_the_end(client, file, op):
    for value in ("bytes=10-", "bytes=10-20", "bytes=99999999999999-", "bytes=-0"):
        reply = client.request("GET", f"{client.ops[op]['path']}?path={file}", headers={"Range": value})
        assert reply.status == 416 and reply.header("content-range") == "bytes */10", value
    with expect_error("files.range", 416):
        client.get_bytes(op, path=str(file), headers={"Range": "bytes=10-"})


def test_if_range(client, file):
    tag = client.get_bytes("files.download", path=str(file), method="HEAD").header("etag")
    date = email.utils.formatdate(int(file.stat().st_mtime), usegmt=True)
    for value, status in ((tag, 206), (date, 206), ('"other"', 200), (f"W/{tag}", 200), ("Tue, 14 Nov 2023 22:13:20 GMT", 200), ("nonsense", 200)):
        reply = client.get_bytes("files.download", path=str(file), headers={"Range": "bytes=0-1", "If-Range": value})
        assert reply.status == status, value


def test_conditions(client, file):
    head = client.get_bytes("files.download", path=str(file), method="HEAD")
    tag, date = head.header("etag"), head.header("last-modified")
    older = email.utils.formatdate(int(file.stat().st_mtime) - 1, usegmt=True)
    cases = [({"If-None-Match": tag}, 304), ({"If-None-Match": f'"x", W/{tag}'}, 304), ({"If-None-Match": "*"}, 304), ({"If-None-Match": '"x"'}, 200),
             ({"If-Modified-Since": date}, 304), ({"If-Modified-Since": older}, 200), ({"If-Modified-Since": "nonsense"}, 200),
             ({"If-None-Match": '"x"', "If-Modified-Since": date}, 200), ({"If-Match": tag}, 200), ({"If-Match": "*"}, 200),
             ({"If-None-Match": tag, "Range": "bytes=0-1"}, 304)]
    for headers, status in cases:
        for method in ("GET", "HEAD"):
            reply = client.get_bytes("files.download", path=str(file), headers=headers, method=method)
            assert reply.status == status, (headers, method)
            if status == 304:
                assert reply.header("etag") == tag and reply.read() == b"" and reply.header("content-length") is None
    for op in RAW_OPS:
        with expect_error("files.changed", 412):
            client.get_bytes(op, path=str(file), headers={"If-Match": '"x"'})
        with expect_error("files.changed", 412):
            client.get_bytes(op, path=str(file), headers={"If-Match": f"W/{tag}"})


@pytest.mark.parametrize("name,fallback,exact", [
    ("a\r\nX-Evil: 1\r\n\r\nbody\"; q.txt", 'a__X-Evil: 1____body__ q.txt', "a%0D%0AX-Evil%3A%201%0D%0A%0D%0Abody%22%3B%20q.txt"),
    ("语言.pdf", None, "%E8%AF%AD%E8%A8%80.pdf"), ("a b+c%41.txt", "a b+c%41.txt", "a%20b%2Bc%2541.txt"), ("back\\slash", "back_slash", "back%5Cslash")])
def test_a_name_does_not_write_headers(client, folder, name, fallback, exact):
    """B074: neither of the answer nor of an error."""
    (folder / name).write_bytes(b"x")
    reply = client.get_bytes("files.download", path=str(folder / name))
    assert reply.header("x-evil") is None and reply.read() == b"x"
    told = reply.header("content-disposition")
    assert told.startswith('attachment; filename="') and told.endswith(f"filename*=UTF-8''{exact}")
    plain = told.split('"')[1]
    assert plain.isascii() and plain.isprintable()
    if fallback and ";" not in name:
        assert plain == fallback
    assert reply.header("etag").strip('"').isalnum()
    with expect_error("files.not_found", 404, says=f"{name}-gone") as caught:
        client.get_bytes("files.download", path=str(folder / f"{name}-gone"))
    assert caught.error.reply.header("x-evil") is None


def test_refusals(client, folder, file, outside):
    (folder / "out").symlink_to(outside)
    os.mkfifo(folder / "pipe")
    cases = [("gone", "files.not_found"), ("gone/x", "files.not_found"), ("f/x", "files.not_a_directory"), ("f/", "files.not_a_directory"),
             ("", "files.is_a_directory"), ("pipe", "files.not_regular"), ("out", "policy.path_denied"), ("out/x", "policy.path_denied")]
    for op in RAW_OPS:
        for name, code in cases:
            with expect_error(code):
                client.rest(op, path=f"{folder}/{name}")
            with expect_error(code):
                client.get_bytes(op, path=f"{folder}/{name}")
            assert client.get_bytes(op, path=f"{folder}/{name}", method="HEAD").status >= 400


def test_devices_and_pseudo_files(make_server, tmp_path):
    base = tmp_path / "base"
    client = make_server(base=base, policy={"version": 1, "paths": {"base": str(base), "roots": [str(base), "/proc", "/dev", "/sys"]}}).client()
    for path in ("/dev/null", "/dev/zero", "/dev/tty"):
        if os.path.exists(path):
            with expect_error("files.not_regular", 409):
                client.get_bytes("files.download", path=path)
    for path in ("/proc/version", "/proc/cpuinfo", "/sys/kernel/mm/transparent_hugepage/enabled"):
        if not os.path.exists(path):
            continue
        with open(path, "rb") as file:
            true = file.read()
        reply = client.get_bytes("files.download_stream", path=path, headers={"Range": "bytes=0-1"})
        assert reply.status == 200 and reply.is_chunked and reply.length is None
        assert len(reply.read()) > 0 and (path == "/proc/cpuinfo" or reply.read() == true)
        answer = client.call("files.download_stream", path=path)
        assert answer["bytes"] == len(base64.b64decode(answer["content_base64"])) > 0
        head = client.get_bytes("files.download_stream", path=path, method="HEAD")
        assert head.status == 200 and head.header("content-length") is None


def test_offset_and_limit_hold_where_the_size_says_nothing(make_server, tmp_path):
    base = tmp_path / "base"
    client = make_server(base=base, policy={"version": 1, "paths": {"base": str(base), "roots": [str(base), "/proc/sys/kernel"]}}).client()
    (base / "empty").write_bytes(b"")
    for part, wanted in (({"offset": 1}, b"inux\n"), ({"offset": 1, "limit": 2}, b"in"), ({"limit": 3}, b"Lin"), ({"limit": 2**53 - 1}, b"Linux\n"),
                         ({"offset": 2**53 - 1, "limit": 2**53 - 1}, b"")):
        reply = client.get_bytes("files.read", path="/proc/sys/kernel/ostype", **part)
        assert (reply.status, reply.header("content-range"), reply.is_chunked) == (200, None, True)
        assert reply.read() == wanted, part
        assert client.get_bytes("files.read", path=str(base / "empty"), **part).read() == b""


def test_an_empty_file_is_sent_chunked(client, folder):
    (folder / "empty").write_bytes(b"")
    reply = client.get_bytes("files.download", path=str(folder / "empty"))
    assert reply.is_chunked and reply.read() == b""
    assert client.get_bytes("files.download", path=str(folder / "empty"), method="HEAD").header("content-length") is None
    assert client.call("files.download", path=str(folder / "empty"))["content_base64"] == ""


def test_large_and_sparse(client, server, folder):
    """B076; an upload of 3 GiB is in test_upload.py."""
    marks = [0, 2**31 - 1, 2**32, 5 * 2**30 - 4]
    with open(folder / "big", "wb") as file:
        file.truncate(5 * 2**30)
        for mark in marks:
            file.seek(mark)
            file.write(b"MARK")
    assert client.rest("files.stat", path=str(folder / "big"))["size"] == 5 * 2**30
    before = server.rss_kib()
    for mark in marks:
        reply = client.get_bytes("files.download_stream", path=str(folder / "big"), headers={"Range": f"bytes={mark}-{mark + 3}"})
        assert reply.read() == b"MARK" and reply.header("content-range") == f"bytes {mark}-{mark + 3}/{5 * 2**30}"
    reply = client.get_bytes("files.download_stream", path=str(folder / "big"), headers={"Range": "bytes=-10"})
    assert reply.read() == b"\0" * 6 + b"MARK"
    connection, reply = client.open("GET", f"/download?path={folder}/big", headers={"Accept": BYTES})
    with connection:
        assert reply.length == 5 * 2**30
        got = 0
        for part in reply.chunks():
            got += len(part)
            if got > 200 << 20:
                break
    for op in RAW_OPS:
        with expect_error("limit.file_too_large", 413):
            client.call(op, path=str(folder / "big"))
    if not is_sanitized():
        assert server.rss_kib() - before < 8000


def test_the_json_form_has_a_limit(make_server, tmp_path):
    base = tmp_path / "base"
    client = make_server(base=base, policy={"version": 1, "paths": {"base": str(base), "roots": [str(base)]},
                                            "limits": {"files.download": {"max_bytes": 10}}}).client()
    (base / "f").write_bytes(b"x" * 10)
    assert len(base64.b64decode(client.call("files.download", path="f")["content_base64"])) == 10
    (base / "f").write_bytes(b"x" * 11)
    with expect_error("limit.file_too_large", 413, says="application/octet-stream"):
        client.call("files.download", path="f")
    assert client.get_bytes("files.download", path="f").read() == b"x" * 11
    assert client.call("files.download_stream", path="f")["bytes"] == 11


def test_the_json_form_takes_from_the_budget(make_server, tmp_path):
    base = tmp_path / "base"
    server = make_server(base=base, policy={"version": 1, "paths": {"base": str(base), "roots": [str(base)]}, "limits": {"max_memory_bytes": 8 << 20}})
    client = server.client()
    (base / "f").write_bytes(b"x" * (16 << 20))
    for _ in range(3):
        with expect_error("server.busy", 503):
            client.call("files.download", path="f")
    assert len(client.get_bytes("files.download", path="f").read()) == 16 << 20
    (base / "g").write_bytes(b"y" * (2 << 20))
    for _ in range(10):
        assert client.call("files.download_stream", path="g")["bytes"] == 2 << 20


def test_a_file_that_grows_is_sent_as_long_as_it_was(client, folder):
    path = folder / "f"
    path.write_bytes(b"a" * (8 << 20))
    connection, reply = client.open("GET", f"/download?path={path}", headers={"Accept": BYTES})
    with connection, open(path, "ab") as file:
        file.write(b"b" * (1 << 20))
        file.flush()
        assert reply.read() == b"a" * (8 << 20)


def test_a_file_that_gets_shorter_breaks_the_connection(client, folder):
    path = folder / "f"
    path.write_bytes(b"a" * (64 << 20))
    connection, reply = client.open("GET", f"/download?path={path}", headers={"Accept": BYTES})
    with connection:
        assert reply.length == 64 << 20
        os.truncate(path, 1000)
        with pytest.raises(Broken):
            reply.read()


def test_a_file_that_is_removed_is_still_sent(client, folder):
    path = folder / "f"
    path.write_bytes(b"a" * (16 << 20))
    connection, reply = client.open("GET", f"/download?path={path}", headers={"Accept": BYTES})
    with connection:
        path.unlink()
        assert reply.read() == b"a" * (16 << 20)


def test_a_caller_that_leaves_frees_the_file(client, server, folder):
    path = folder / "f"
    path.write_bytes(b"a" * (64 << 20))
    with no_descriptor_is_left(server):
        connections = [client.open("GET", f"/download?path={path}", headers={"Accept": BYTES})[0] for _ in range(40)]
        assert server.fds() >= 80
        for connection in connections:
            connection.reset()


def test_what_is_not_in_the_page_cache(client, folder):
    path = folder / "f"
    data = os.urandom(4 << 20)
    path.write_bytes(data)
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    assert client.get_bytes("files.download", path=str(path)).read() == data


def test_callers_that_do_not_read_hold_nobody_up(client, server, folder):
    path = folder / "f"
    path.write_bytes(b"a" * (32 << 20))
    before = server.rss_kib()
    slow = [client.open("GET", f"/download?path={path}", headers={"Accept": BYTES})[0] for _ in range(50)]
    for _ in range(100):
        assert client.request("GET", "/health").status == 200
    if not is_sanitized():
        assert server.rss_kib() - before < 40_000
    for connection in slow:
        connection.close()


def test_many_at_once(client, folder):
    data = os.urandom(8 << 20)
    (folder / "f").write_bytes(data)
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        assert all(pool.map(lambda _: client.get_bytes("files.download", path=str(folder / "f")).read() == data, range(32)))
