# SPDX-License-Identifier: Apache-2.0
"""The Python client against the real server: bytes up and down, whole files, ranges, names."""
import asyncio
import io
import os
import tarfile

import pytest

from agent_sandbox import errors, ops


def run(coroutine):
    return asyncio.run(coroutine)


def all_pairs():
    return b"".join(bytes((a, b)) for a in range(256) for b in range(0, 256, 2))


def test_binary_is_not_touched(srv, folder, tmp_path):
    """B068."""
    data = all_pairs() + b"\xef\xbb\xbf\r\n\r\0\x1a"

    async def work():
        async with srv:
            await srv.files.upload(folder / "a", data)
            assert (folder / "a").read_bytes() == data
            assert await srv.files.download(folder / "a") == data
            (tmp_path / "local").write_bytes(data)
            seen = []
            await srv.files.upload_file(tmp_path / "local", folder / "b", progress=lambda done, total: seen.append((done, total)))
            assert (folder / "b").read_bytes() == data and seen[-1] == (len(data), len(data))
            assert await srv.files.download_file(folder / "b", tmp_path / "back") == len(data)
            assert (tmp_path / "back").read_bytes() == data
            (tmp_path / "back").chmod(0o600)
            assert await srv.files.download_file(folder / "b", tmp_path / "back") == len(data)
            assert (tmp_path / "back").stat().st_mode & 0o777 == 0o600 and (tmp_path / "back").read_bytes() == data
            assert b"".join([p async for p in srv.files.iter_bytes(folder / "b", start=5, end=1000)]) == data[5:1000]

    run(work())


@pytest.mark.parametrize("data", [bytearray(b"abc"), memoryview(b"abc"), [b"a", b"", b"bc"], b""])
def test_bodies_of_many_kinds(srv, folder, data):
    assert srv.files.upload_sync(folder / "x", data).bytes == len((folder / "x").read_bytes())
    assert (folder / "x").read_bytes() == b"".join([bytes(data)] if not isinstance(data, list) else data)


def test_a_body_that_comes_while_it_is_made(srv, folder):
    async def parts():
        for number in range(3):
            await asyncio.sleep(0)
            yield str(number).encode()

    run(srv.files.upload_stream(folder / "x", parts()))
    assert (folder / "x").read_bytes() == b"012"


RANGES = [(0, None), (3, None), (0, 4), (2, 5), (5, 5), (0, 0), (3, 100), (9, 10)]


async def gathered(srv, path, **options):
    return b"".join([piece async for piece in srv.files.iter_bytes(path, **options)])


def test_ranges_are_those_of_a_slice(srv, folder):
    (folder / "x").write_bytes(b"0123456789")
    for start, end in RANGES:
        assert run(gathered(srv, folder / "x", start=start, end=end)) == b"0123456789"[start:end], (start, end)
    for start, end in ((-2, None), (5, 2), (0, -1)):
        with pytest.raises(errors.ServerArgumentError, match="no range"):
            run(gathered(srv, folder / "x", start=start, end=end))


class Changing(io.FileIO):
    """A file that changes when it is read for the second time."""

    def __init__(self, path, change):
        super().__init__(path)
        self.changes = iter([lambda: None, change])

    def read(self, size=-1):
        next(self.changes, lambda: None)()
        return super().read(size)


def test_files_that_are_not_what_their_size_says(srv, folder, tmp_path):
    log = tmp_path / "log"
    log.write_bytes(b"x" * 600000)

    def grow():
        with open(log, "ab") as file:
            file.write(b"y" * 1000)

    assert srv.files.upload_stream_sync(folder / "grown", Changing(log, grow)).bytes == 600000
    assert (folder / "grown").read_bytes() == b"x" * 600000
    with pytest.raises(errors.ServerArgumentError, match="shorter while it was sent: 300000 of 601000"):
        srv.files.upload_stream_sync(folder / "shrunk", Changing(log, lambda: os.truncate(log, 300000)))
    assert not (folder / "shrunk").exists()
    # Of size 0, and with content all the same.
    assert srv.files.upload_file_sync("/proc/version", folder / "version").bytes > 0
    assert (folder / "version").read_bytes() == open("/proc/version", "rb").read()
    for body in "text", open(log), [1, 2]:
        with pytest.raises(errors.ServerArgumentError, match="made of bytes"):
            srv.files.upload_sync(folder / "x", body)


def test_several_files_at_once_and_text(srv, folder):
    result = srv.files.upload_files_sync(folder, {"a": b"1", "b\u00e4 c": b"2\r\n"})
    assert [file.bytes for file in result.files] == [1, 3] and (folder / "b\u00e4 c").read_bytes() == b"2\r\n"
    assert srv.files.read_text_sync(folder / "b\u00e4 c") == "2\r\n"
    srv.files.upload_files_sync(folder, {"\udcff": bytearray(b"3")})
    assert open(os.fsencode(folder) + b"/\xff", "rb").read() == b"3"
    with pytest.raises(errors.ServerArgumentError, match="'a' must be bytes, not str"):
        srv.files.upload_files_sync(folder, {"a": "text"})
    with pytest.warns(DeprecationWarning):
        assert srv.files.exists_sync(folder / "a") and not srv.files.exists_sync(folder / "no")


def test_names_that_are_not_utf8(srv, folder):
    name = os.fsencode(folder) + b"/\xff\xfe"
    run(srv.files.upload(name, b"x"))
    assert open(name, "rb").read() == b"x"
    assert run(srv.files.stat(os.fsdecode(name))).name_b64 is not None
    assert run(srv.files.download(name)) == b"x"
    assert tarfile.open(fileobj=io.BytesIO(run(srv.files.archive([name, folder], format="tar")))).getnames()[0] == "\udcff\udcfe"


def test_long_paths_of_characters_that_a_url_triples(srv, folder):
    path = folder
    while len(os.fsencode(path)) < 3500:
        path = path / ("\u20ac" * 80)
    path.mkdir(parents=True)
    assert srv.files.stat_sync(path).type == "directory" and srv.files.upload_sync(path / "x", b"y").bytes == 1
    assert srv.files.download_sync(path / "x") == b"y"


def test_a_callback_does_not_wait_for_itself(srv):
    with pytest.raises(errors.ServerConfigError, match="callback"):
        srv.commands.run_stream_sync("echo a", on_stdout=lambda _: srv.health_sync() and None)


def test_a_failed_download_leaves_nothing(srv, folder, tmp_path):
    with pytest.raises(errors.FileNotFoundError_):
        srv.files.download_file_sync(folder / "no", tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


def test_what_is_too_large_is_not_sent(make_server, connect):
    server = make_server(env={"ABX_MAX_UPLOAD_SIZE": "10"})
    srv = connect(server)
    caps = srv.discover_sync()
    assert caps.limit(ops.files.upload_stream, "max_bytes") == 10
    sent = []
    with pytest.raises(errors.LimitExceededError) as caught:
        srv.files.upload_stream_sync("x", b"12345678901", progress=lambda done, total: sent.append(done))
    assert caught.value.details == {"max_bytes": 10, "bytes": 11} and not sent
    with pytest.raises(errors.LimitExceededError) as caught:
        connect(server).files.upload_stream_sync("x", b"12345678901")
    assert caught.value.status == 413
