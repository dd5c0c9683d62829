# SPDX-License-Identifier: Apache-2.0
"""files.extract: whole or not there, and nothing ever outside (R44, R45, R103, B094 to B100)."""
import base64
import bz2
import gzip
import io
import lzma
import os
import stat
import subprocess
import tarfile
import tempfile
import zipfile

import pytest

from lib.access import token
from lib.archives import Tar
from lib.client import expect_error
from lib.processes import eventually
from lib.server import is_sanitized


@pytest.fixture
def extract(client, folder):
    """Sends an archive into a new folder (or the one named); the result."""

    def run(data, destination=None, **args):
        return client.send_bytes("files.extract", data, destination=str(destination or folder / "out"), **args)

    return run


def reasons(result):
    return {entry["name"]: entry["reason"] for entry in result["skipped"]}


def tree(path):
    return sorted(str(found.relative_to(path)) for found in path.rglob("*"))


def plain():
    return Tar().folder("d").add("d/f", b"hello", mode=0o640, mtime=1000000000).symlink("d/l", "f").add("e", mode=0o755).done()


@pytest.mark.parametrize("format", ["tar", "tar.gz", "tar.zst", "tar.xz", "tar.bz2", "zip"])
def test_each_format(client, folder, extract, format):
    pack = {"tar": bytes, "tar.gz": gzip.compress, "tar.xz": lzma.compress, "tar.bz2": bz2.compress}
    if format == "zip":
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
            made.mkdir("d") if hasattr(made, "mkdir") else made.writestr("d/", "")
            made.writestr("d/f", b"hello")
            made.writestr("e", b"")
            made.writestr("d/ü", b"x")
        data = out.getvalue()
    elif format == "tar.zst":
        data = zstd(plain())
    else:
        data = pack[format](plain())
    result = extract(data)
    assert result["bytes"] == (6 if format == "zip" else 5) and result["merged"] is False and not result["skipped"]
    assert (folder / "out/d/f").read_bytes() == b"hello" and (folder / "out/e").stat().st_size == 0
    if format == "zip":
        assert (folder / "out/d/ü").read_bytes() == b"x"
    else:
        assert result["entries"] == 4
        facts = (folder / "out/d/f").stat()
        assert stat.S_IMODE(facts.st_mode) == 0o640 and facts.st_mtime == 1000000000
        assert os.readlink(folder / "out/d/l") == "f"
    (folder / "archive").write_bytes(data)
    again = client.rest("files.extract", path=str(folder / "archive"), destination=str(folder / "again"), format=format)
    assert again["entries"] == result["entries"] and tree(folder / "again") == tree(folder / "out")
    assert not [name for name in os.listdir(folder) if name.startswith(".abx")]


def zstd(data):
    """One frame of raw blocks, as RFC 8878 has it: no library is needed for that."""
    out = b"\x28\xb5\x2f\xfd" + b"\x00" + b"\x58"
    parts = [data[at:at + 65536] for at in range(0, len(data), 65536)]
    for i, part in enumerate(parts):
        out += ((len(part) << 3) | (i == len(parts) - 1)).to_bytes(3, "little") + part
    return out


def test_names_that_climb(folder, extract, outside):
    """B094"""
    sibling = folder / "out-evil"
    data = (Tar(format=tarfile.GNU_FORMAT).add("../x", b"1").add(f"{outside}/abs", b"1").add("a/../../x", b"1")
            .add("../out-evil/x", b"1").add("./a/./b", b"fine").add("C:\\x", b"fine").add("n" * 300, b"1")
            .add("deep/" * 1000 + "f", b"1").add("..", b"1").add("ok/..", b"1").add("", b"1").done())
    result = extract(data)
    assert tree(folder / "out") == ["C:\\x", "a", "a/b"]
    assert result["entries"] == 2 and result["skipped_total"] == len(result["skipped"]) == 9
    assert "climbs" in reasons(result)["../x"] and "absolute" in reasons(result)[f"{outside}/abs"]
    assert sorted(os.listdir(folder)) == ["out"] and not sibling.exists() and not os.listdir(outside)


def test_names_of_windows_in_a_zip(folder, extract):
    """Their backslashes are slashes, and are looked at as such (B094)."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name in ("..\\x", "d\\..\\..\\x", "d\\f", "\\abs"):
            made.writestr(name, b"1")
    result = extract(out.getvalue())
    assert len(reasons(result)) == 3 and tree(folder / "out") == ["d", "d/f"] and os.listdir(folder) == ["out"]


@pytest.mark.parametrize("merge", [False, True])
def test_links_that_lead_out(folder, extract, outside, merge):
    (outside / "secret").write_text("secret")
    if merge:
        (folder / "out").mkdir()
        (folder / "out/there").symlink_to(outside)
    data = (Tar().symlink("up", "..").add("up/x", b"1").symlink("abs", str(outside)).add("abs/y", b"1")
            .symlink("here", ".").symlink("twice", "here/../..").add("there/z", b"1").folder("there/d")
            .link("hard", f"{outside}/secret").link("hard2", "../../secret").link("hard3", "there/secret")
            .folder("d").symlink("d/fine", "../d").add("d/fine/f", b"1").symlink("d/bad", "../../x").done())
    result = extract(data)
    told = reasons(result)
    assert {"up", "abs", "twice", "hard", "hard2", "hard3", "d/bad", "d/fine/f"} <= set(told)
    assert os.listdir(outside) == ["secret"] and (outside / "secret").stat().st_nlink == 1
    for found in (folder / "out").rglob("*"):
        if found.is_symlink() and found.name != "there":
            assert (folder / "out") in [found.resolve(), *found.resolve().parents]
    if merge:
        assert "there/z" in told and os.readlink(folder / "out/there") == str(outside)


def test_a_link_is_replaced_not_followed(folder, extract, outside):
    (outside / "f").write_text("mine")
    (folder / "out").mkdir()
    (folder / "out/f").symlink_to(outside / "f")
    result = extract(Tar().add("f", b"theirs").done())
    assert result["merged"] is True
    assert (outside / "f").read_text() == "mine" and not (folder / "out/f").is_symlink()
    assert (folder / "out/f").read_bytes() == b"theirs"


def test_special_entries(folder, extract):
    data = (Tar().add("fifo", kind=tarfile.FIFOTYPE).link("hard", "fifo").add("null", kind=tarfile.CHRTYPE, devmajor=1, devminor=3)
            .add("disk", kind=tarfile.BLKTYPE, devmajor=8).add("f", b"1", mode=0o6755, uid=54321).done())
    result = extract(data)
    assert tree(folder / "out") == ["f"]
    assert set(reasons(result)) == {"fifo", "hard", "null", "disk", "f"}
    facts = (folder / "out/f").stat()
    assert stat.S_IMODE(facts.st_mode) == 0o755 and facts.st_uid == os.getuid()
    assert result["owners_dropped"] >= 1


def test_hard_links_keep_their_content(folder, extract):
    extract(Tar().add("a", b"foo\n", mode=0o444).link("b", "a").done())
    a, b = folder / "out/a", folder / "out/b"
    assert a.read_bytes() == b.read_bytes() == b"foo\n"
    assert a.stat().st_ino == b.stat().st_ino and a.stat().st_nlink == 2


def test_merging(folder, extract):
    out = folder / "out"
    out.mkdir()
    (out / "kept").write_text("kept")
    (out / "f").write_text("old")
    (out / "d").mkdir()
    result = extract(Tar().add("f", b"new").add("d", b"file").add("g", b"1").done(), overwrite=False)
    assert result["merged"] is True and set(reasons(result)) == {"f", "d"}
    assert (out / "f").read_text() == "old" and (out / "g").exists()
    result = extract(Tar().add("f", b"new").link("g", "f").symlink("h", "f").done())
    assert (out / "f").read_text() == "new" and (out / "g").stat().st_ino == (out / "f").stat().st_ino
    assert (out / "kept").read_text() == "kept" and not result["skipped"]
    data = gzip.compress(Tar().add("one", b"1").add("two", os.urandom(200000)).done())
    with expect_error("args.invalid") as caught:
        extract(data[:100000])
    assert caught.error.details["entries"] == 1 and caught.error.details["bytes"] > 0
    assert (out / "one").exists() and not (out / "two").exists()
    assert not [name for name in os.listdir(out) if name.startswith(".abx")]


def test_strip_and_parents(client, folder, extract):
    data = Tar().folder("top").folder("top/d").add("top/d/f", b"1").add("top/g", b"1").add("h", b"1").done()
    result = extract(data, strip=1)
    assert tree(folder / "out") == ["d", "d/f", "g"] and result["entries"] == 3
    with expect_error("files.not_found"):
        extract(data, folder / "no/where")
    extract(data, folder / "no/where", parents=True)
    assert tree(folder / "no/where") == ["h", "top", "top/d", "top/d/f", "top/g"]


def test_what_fails_makes_no_folder_above(client, folder, extract):
    """Nor does a caller who leaves in the middle."""
    (folder / "bad.tar").write_bytes(plain()[:600])
    for data in (plain()[:600], b"no archive" * 1000):
        with expect_error("args.invalid"):
            extract(data, folder / "not/yet", parents=True)
        assert os.listdir(folder) == ["bad.tar"]
    with expect_error("args.invalid"):
        client.call("files.extract", path=f"{folder}/bad.tar", destination=f"{folder}/not/yet", parents=True)
    with client.connect() as connection:
        connection.send(client.head("POST", f"/files/extract?destination={folder}/not/yet&parents=true", {
            "Content-Type": "application/octet-stream", "Transfer-Encoding": "chunked"}))
        data = os.urandom(1 << 20)  # more than is held in memory
        connection.send(f"{len(data):x}\r\n".encode(), data, b"\r\n")
        connection.half_close()
        assert connection.reply("POST").status == 400
    assert os.listdir(folder) == ["bad.tar"]


def test_read_only_folders(folder, extract):
    extract(Tar().folder("d", mode=0o555, mtime=5).add("d/f", b"1").done())
    facts = (folder / "out/d").stat()
    assert stat.S_IMODE(facts.st_mode) == 0o555 and facts.st_mtime == 5
    (folder / "out/d").chmod(0o755)


def test_names_that_are_not_utf8(client, folder, extract):
    raw = b"x\xff\n.txt"
    extract(Tar(format=tarfile.GNU_FORMAT).add(os.fsdecode(raw), b"1").add("ä→", b"1").done())
    assert sorted(os.listdir(os.fsencode(folder / "out"))) == sorted([raw, "ä→".encode()])
    result = extract(Tar(format=tarfile.GNU_FORMAT).add(os.fsdecode(b"../\xff"), b"1").done())
    assert "name_b64" in result["skipped"][0]
    result = extract(Tar().add("pax-ä→", b"1").done())
    assert (folder / "out/pax-ä→").exists()
    (folder / "archive").write_bytes(Tar().add("f").done())
    strange = base64.b64encode(os.fsencode(folder) + b"/\xfe").decode()
    assert client.call("files.extract", path=str(folder / "archive"), destination_b64=strange)["destination_b64"] == strange


def test_one_bad_entry_costs_no_good_one(folder, extract):
    """B098: what is refused is listed, and all else is there; an archive that fails leaves nothing (below)."""
    data = Tar()
    for number in range(100):
        data.add(f"f{number}", b"1")
    result = extract(data.add("../x", b"1").done())
    assert result["entries"] == 100 and list(reasons(result)) == ["../x"]
    assert sorted(os.listdir(folder / "out")) == sorted(f"f{number}" for number in range(100)) and os.listdir(folder) == ["out"]


def test_damaged_archives_leave_nothing(folder, extract):
    """B097, B098"""
    good = Tar().add("a", os.urandom(300000)).add("b", b"1").done()
    packed = gzip.compress(good)
    for data in (packed[:-20], packed[:len(packed) // 2], good[:200000], b"", b"no archive at all" * 100, b"PK\x03\x04" + bytes(100)):
        with expect_error("args.invalid", status=400):
            extract(data)
        assert os.listdir(folder) == []


def sized(field):
    """A tar of one file whose header has these 12 bytes as its size, and the checksum that goes with them."""
    data = bytearray(Tar(format=tarfile.GNU_FORMAT).add("f", b"12345").done())
    data[124:136], data[148:156] = field, b" " * 8
    data[148:156] = b"%06o\0 " % sum(data[:512])
    return bytes(data)


@pytest.mark.parametrize("field", [b"\x80" + number.to_bytes(11, "big") for number in (2**63 + 1, 2**63, 2**63 - 1, 2**40, 2**88 - 1)]
                         + [b"\xff" * 11 + b"\xfb", b"\xff" * 12, b"77777777777\0"])
def test_sizes_that_lie(folder, extract, field):
    """B097: over what can be, negative, more than comes."""
    with expect_error("args.invalid", status=400, says="damaged"):
        extract(sized(field))
    assert os.listdir(folder) == []


@pytest.mark.parametrize("size, content", [("3", b"hel"), ("99999999", None), ("-1", None), (str(2**63 + 1), None)])
def test_a_pax_size_against_the_headers(folder, extract, size, content):
    """B097: the pax record counts, as POSIX has it, and what comes behind the file is found."""
    data = Tar().add("p", b"hello", pax_headers={"size": size}).add("after", b"x").done()
    if content is None:
        with expect_error("args.invalid", status=400, says="damaged"):
            extract(data)
        assert os.listdir(folder) == []
    else:
        assert extract(data)["bytes"] == len(content) + 1
        assert (folder / "out/p").read_bytes() == content and (folder / "out/after").read_bytes() == b"x"


def test_sparse_files(folder, extract):
    """B097: a hole of 1 GiB in 10 KiB stays a hole."""
    source = folder / "sparse"
    with open(source, "wb") as out:
        out.truncate(1 << 30)
        out.seek(512 << 20)
        out.write(b"middle")
    packed = subprocess.run(["tar", "-C", folder, "--sparse", "-cf", "-", "sparse"], capture_output=True, check=True).stdout
    assert len(packed) < 100000
    result = extract(packed)
    made = folder / "out/sparse"
    assert made.stat().st_size == 1 << 30 and made.stat().st_blocks < 1000 and result["bytes"] < 1 << 20
    with open(made, "rb") as data:
        data.seek(512 << 20)
        assert data.read(6) == b"middle"


def test_bombs_are_bounded(make_server):
    """B097"""
    policy = {"limits": {"files.extract": {"max_bytes": 8 << 20, "max_files": 500}}}
    server = make_server(policy=policy)
    client = server.client()
    bomb = gzip.compress(Tar().add("zeros", bytes(64 << 20)).done())
    before = server.rss_kib()
    with expect_error("limit.file_too_large", status=413) as caught:
        client.send_bytes("files.extract", bomb, destination=str(server.base / "out"))
    assert "max_bytes" in caught.error.rule
    many = Tar()
    for i in range(501):
        many.add(f"f{i}")
    with expect_error("limit.file_too_large", says="500 entries"):
        client.send_bytes("files.extract", many.done(), destination=str(server.base / "out"))
    with expect_error("limit.file_too_large", says="the archive is over"):
        client.send_bytes("files.extract", iter([bytes(1 << 20)] * 10), destination=str(server.base / "out"))
    assert os.listdir(server.base) == []
    if not is_sanitized():
        assert server.rss_kib() - before < 16 << 10


def test_refusals(client, folder, extract, outside, make_server):
    (folder / "f").write_bytes(plain())
    with expect_error("files.not_a_directory"):
        extract(plain(), folder / "f")
    with expect_error("policy.path_denied"):
        extract(plain(), outside / "x")
    os.symlink(outside, folder / "link")
    with expect_error("policy.path_denied"):
        extract(plain(), folder / "link")
    for path, code in ((folder / "no", "files.not_found"), (folder, "files.is_a_directory")):
        with expect_error(code):
            client.call("files.extract", path=str(path), destination=str(folder / "o"))
    os.mkfifo(folder / "fifo")
    with expect_error("files.not_regular"):
        client.call("files.extract", path=str(folder / "fifo"), destination=str(folder / "o"))
    with expect_error("args.missing"):
        client.call("files.extract", destination=str(folder / "o"))
    with expect_error("args.unknown"):
        client.send_bytes("files.extract", plain(), path=str(folder / "f"), destination=str(folder / "o"))
    guarded = make_server(policy={"paths": {"readonly": ["**/*.lock"], "deny": ["**/.env"]}})
    with expect_error("policy.path_readonly"):
        guarded.client().send_bytes("files.extract", plain(), destination=str(guarded.base / "d.lock"))
    data = Tar().add("a.lock", b"1").add("d/.env", b"1").symlink("b.lock", "x").add("fine", b"1").link("g", "a.lock").done()
    result = guarded.client().send_bytes("files.extract", data, destination=str(guarded.base / "o"))
    assert set(reasons(result)) == {"a.lock", "d/.env", "b.lock", "g"} and result["entries"] == 1


def test_a_full_disk(make_server):
    """The disk is full: a tiny file system in memory."""
    script = 'mount -t tmpfs -o size=64k none "$1" && shift && exec "$@"'
    base = tempfile.mkdtemp(prefix="abx-test-")
    wrap = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh", base]
    if subprocess.run([*wrap, "true"], capture_output=True).returncode:
        os.rmdir(base)
        pytest.skip("this machine has no user namespaces")
    server = make_server(base=base, wrap=wrap)
    client = server.client()
    with expect_error("files.no_space", status=507):
        client.send_bytes("files.extract", gzip.compress(Tar().add("big", bytes(1 << 20)).done()), destination=f"{base}/out")
    assert client.call("files.list", path=base)["entries"] == []
    server.stop()
    os.rmdir(base)


def test_a_folder_that_may_not_be_written(make_server):
    if os.getuid() != 0:
        pytest.skip("another user is needed")
    server = make_server(policy={"process": {"user": "nobody"}, "tokens": [token("all", ["*"])]})
    server.scratch.chmod(0o755)
    (server.base / "out").mkdir()
    with expect_error("files.permission_denied"):
        server.client("all-token").send_bytes("files.extract", plain(), destination=str(server.base / "out"))


def test_a_caller_who_leaves_leaves_nothing(client, folder):
    connection = client.connect()
    head = client.head("POST", f"/files/extract?destination={folder}/out",
                       {"Content-Type": "application/octet-stream", "Content-Length": 10 << 20})
    connection.send(head, bytes(1 << 20))
    connection.close()
    assert client.call("core.health")["status"] == "ok"
    eventually(lambda: os.listdir(folder) == [])
