# SPDX-License-Identifier: Apache-2.0
"""list, stat, mkdir: what they tell, in which order, and what they refuse."""
import base64
import datetime
import os
import socket
import stat

import pytest

from lib.client import expect_error
from lib.names import STRANGE


def names(listing):
    return [entry["name"] for entry in listing["entries"]]


def listed(listing):
    return {entry["name"]: entry for entry in listing["entries"]}


def test_list_tells_the_facts(client, folder):
    (folder / "file").write_bytes(b"12345")
    (folder / "file").chmod(0o4751)
    (folder / "sub").mkdir(mode=0o750)
    (folder / "link").symlink_to("file")
    os.mkfifo(folder / "pipe")
    os.utime(folder / "file", ns=(0, 1_700_000_000_123_456_789))
    answer = client.rest("files.list", path=str(folder))
    assert answer["path"] == str(folder) and answer["truncated"] is False
    assert names(answer) == ["file", "link", "pipe", "sub"]
    entries = listed(answer)
    assert entries["file"]["type"] == "file" and entries["file"]["size"] == 5
    assert entries["file"]["mode"] == "4751"
    assert entries["file"]["modified"] == "2023-11-14T22:13:20.123Z"
    assert entries["file"]["path"] == str(folder / "file")
    assert entries["sub"]["type"] == "directory" and entries["sub"]["mode"] == "750"
    assert entries["pipe"]["type"] == "other"
    assert entries["link"]["type"] == "symlink" and entries["link"]["target"] == "file"
    assert "target" not in entries["file"]
    owner = (folder / "file").owner()
    assert entries["file"]["owner"] == owner and entries["file"]["group"] == (folder / "file").group()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_an_owner_without_a_name_is_a_number(client, folder):
    (folder / "f").write_text("")
    os.chown(folder / "f", 54321, 65432)
    entry = client.rest("files.list", path=str(folder))["entries"][0]
    assert entry["owner"] == "54321" and entry["group"] == "65432"
    facts = client.rest("files.stat", path=str(folder / "f"))
    assert facts["owner"] == "54321" and facts["gid"] == 65432


def test_list_is_sorted_by_bytes(client, folder):
    for name in ["b", "a", "B", "ä", "Z", "a.txt", "a-b", "10", "9"]:
        (folder / name).write_text("")
    assert names(client.rest("files.list", path=str(folder))) == sorted(os.listdir(folder), key=os.fsencode)


def test_list_is_cut_at_the_first_names(client, folder):
    for number in range(500):
        (folder / f"{number:03}").write_text("")
    answer = client.rest("files.list", path=str(folder), max_entries=7)
    assert names(answer) == [f"{number:03}" for number in range(7)] and answer["truncated"] is True
    answer = client.rest("files.list", path=str(folder), max_entries=500)
    assert len(answer["entries"]) == 500 and answer["truncated"] is False
    answer = client.rest("files.list", path=str(folder), max_entries=499)
    assert len(answer["entries"]) == 499 and answer["truncated"] is True


@pytest.mark.parametrize("value", [0, 100001, -1])
def test_list_refuses_a_limit_out_of_range(client, folder, value):
    with expect_error("args.invalid", 400, says="max_entries"):
        client.rest("files.list", path=str(folder), max_entries=value)


def test_list_goes_down_as_deep_as_asked(client, folder):
    (folder / "a/b/c/d").mkdir(parents=True)
    (folder / "a/x").write_text("")
    (folder / "a.txt").write_text("")
    answer = client.rest("files.list", path=str(folder), recursive=True)
    assert [entry["path"].removeprefix(f"{folder}/") for entry in answer["entries"]] == ["a", "a/b", "a/b/c", "a/x", "a.txt"]
    answer = client.rest("files.list", path=str(folder), recursive=True, depth=1)
    assert names(answer) == ["a", "a.txt"]
    answer = client.rest("files.list", path=str(folder), recursive=True, depth=64)
    assert len(answer["entries"]) == 6
    assert names(client.rest("files.list", path=str(folder), depth=64)) == ["a", "a.txt"]  # not recursive
    answer = client.rest("files.list", path=str(folder), recursive=True, max_entries=3)
    assert names(answer) == ["a", "b", "c"] and answer["truncated"] is True


def test_list_leaves_hidden_names_out_where_asked(client, folder):
    (folder / ".h").mkdir()
    (folder / ".h/x").write_text("")
    (folder / "v").write_text("")
    assert names(client.rest("files.list", path=str(folder), recursive=True)) == [".h", "x", "v"]
    assert names(client.rest("files.list", path=str(folder), recursive=True, hidden=False)) == ["v"]


def test_list_does_not_enter_links(client, folder, outside):
    (outside / "secret").write_text("")
    (folder / "out").symlink_to(outside)
    (folder / "up").symlink_to("..")
    (folder / "loop").symlink_to("loop")
    (folder / "abs").symlink_to(folder / "d")
    (folder / "d").mkdir()
    answer = client.rest("files.list", path=str(folder), recursive=True)
    assert names(answer) == ["abs", "d", "loop", "out", "up"]
    entries = listed(answer)
    assert "target" not in entries["out"] and "target" not in entries["loop"]
    assert entries["abs"]["target"] == str(folder / "d")
    assert str(outside) not in str(answer)


def test_list_follows_the_folder_that_was_asked_for(client, folder):
    (folder / "d").mkdir()
    (folder / "d/x").write_text("")
    (folder / "l").symlink_to("d")
    answer = client.rest("files.list", path=str(folder / "l"))
    assert names(answer) == ["x"] and answer["path"] == str(folder / "d")


def test_list_refusals(client, folder):
    (folder / "f").write_text("")
    with expect_error("files.not_found", 404):
        client.rest("files.list", path=str(folder / "gone"))
    with expect_error("files.not_a_directory", 409):
        client.rest("files.list", path=str(folder / "f"))
    with expect_error("args.missing", 400, says="path"):
        client.rest("files.list")
    with expect_error("args.unknown", 400, says="recursive"):
        client.rest("files.list", path=str(folder), recusive=True)
    with expect_error("args.invalid", 400, says="recursive"):
        client.rest("files.list", path=str(folder), recursive="maybe")


def test_a_folder_of_100000_entries(make_server, quick):
    client, folder = make_server(base=quick).client(), quick / "d"
    folder.mkdir()
    for number in range(100_000):
        os.close(os.open(folder / f"name-{number:06}", os.O_CREAT | os.O_WRONLY))
    answer = client.rest("files.list", path=str(folder), max_entries=100_000, http_timeout=60)
    assert len(answer["entries"]) == 100_000 and answer["truncated"] is False
    assert answer["entries"][-1]["name"] == "name-099999"
    assert names(client.rest("files.list", path=str(folder), max_entries=2)) == ["name-000000", "name-000001"]
    assert client.rest("files.delete", path=str(folder), http_timeout=60)["deleted"] is True
    assert not folder.exists()


@pytest.mark.parametrize("name", STRANGE)
def test_any_name_is_only_a_name(client, folder, name):
    """B073"""
    path = str(folder / name)
    data = os.urandom(100)
    assert client.send_bytes("files.upload_stream", data, path=path)["path"] == path
    assert os.listdir(folder) == [name]
    assert client.rest("files.stat", path=path)["name"] == name
    assert names(client.rest("files.list", path=str(folder))) == [name]
    assert client.get_bytes("files.download", path=path).read() == data
    assert base64.b64decode(client.call("files.download", path=path)["content_base64"]) == data
    client.rest("files.move", source=path, destination=f"{folder}/moved")
    client.rest("files.move", source=f"{folder}/moved", destination=path)
    client.rest("files.delete", path=path)
    client.rest("files.mkdir", path=path)
    assert os.listdir(folder) == [name] and os.path.isdir(path)
    client.rest("files.delete", path=path)
    assert os.listdir(folder) == []


def test_names_that_are_not_utf8_go_in_and_out(client, folder):
    raw = os.fsencode(folder) + b"/a\xff\xfe"
    twin = base64.b64encode(raw).decode()
    assert client.call("files.upload", path_b64=twin, content_base64="aGk=")["path_b64"] == twin
    with open(raw, "rb") as file:
        assert file.read() == b"hi"
    entry = client.rest("files.list", path=str(folder))["entries"][0]
    assert base64.b64decode(entry["name_b64"]) == b"a\xff\xfe" and base64.b64decode(entry["path_b64"]) == raw
    assert entry["name"] == "a��"
    facts = client.rest("files.stat", path=raw)  # percent-encoded bytes in the query
    assert facts["exists"] is True and base64.b64decode(facts["path_b64"]) == raw and base64.b64decode(facts["name_b64"]) == b"a\xff\xfe"
    assert client.get_bytes("files.download", path=raw).read() == b"hi"
    assert client.call("files.download", path_b64=twin)["path_b64"] == twin
    assert client.call("files.download_stream", path_b64=twin)["path_b64"] == twin
    assert client.send_bytes("files.upload_stream", b"ho", path=raw)["path_b64"] == twin
    moved = base64.b64encode(raw + b"\xfd").decode()
    answer = client.call("files.move", source_b64=twin, destination_b64=moved)
    assert answer["source_b64"] == twin and answer["destination_b64"] == moved
    assert client.call("files.delete", path_b64=moved)["path_b64"] == moved
    assert client.call("files.mkdir", path_b64=twin)["path_b64"] == twin
    assert base64.b64decode(client.call("files.list", path_b64=twin)["path_b64"]) == raw
    listing = client.call("files.list", path=str(folder))
    assert [base64.b64decode(entry["name_b64"]) for entry in listing["entries"]] == [b"a\xff\xfe"]


def test_stat_tells_the_facts(client, folder):
    (folder / "f").write_bytes(b"123")
    (folder / "f").chmod(0o640)
    os.link(folder / "f", folder / "g")
    os.utime(folder / "f", ns=(0, 1_700_000_000_000_000_000))
    facts = client.rest("files.stat", path=str(folder / "f"))
    true = (folder / "f").stat()
    assert facts["exists"] is True and facts["type"] == "file" and facts["size"] == 3
    assert facts["permissions"] == "640" and facts["modified"] == "2023-11-14T22:13:20.000Z"
    assert facts["inode"] == true.st_ino and facts["links"] == 2 and facts["uid"] == true.st_uid and facts["gid"] == true.st_gid
    assert facts["owner"] == (folder / "f").owner() and facts["group"] == (folder / "f").group()
    assert facts["name"] == "f" and facts["path"] == str(folder / "f")
    head = client.get_bytes("files.download", path=str(folder / "f"), method="HEAD")
    assert facts["etag"] == head.header("etag")
    assert client.rest("files.stat", path=str(folder))["type"] == "directory"
    assert "etag" not in client.rest("files.stat", path=str(folder))


@pytest.mark.parametrize("path", ["gone", "gone/below/it", "dangling"])
def test_stat_of_nothing_is_an_answer(client, folder, path):
    (folder / "dangling").symlink_to("nowhere")
    facts = client.rest("files.stat", path=str(folder / path))
    assert facts["exists"] is False and facts["type"] == "unknown" and facts["size"] == 0
    assert facts["permissions"] == "" and facts["modified"] == "" and facts["path"].startswith(str(folder))
    assert "owner" not in facts and "inode" not in facts


def test_stat_follows_or_not(client, folder, outside):
    (folder / "f").write_bytes(b"123")
    (folder / "l").symlink_to("f")
    (folder / "out").symlink_to(outside)
    (folder / "dangling").symlink_to("nowhere")
    facts = client.rest("files.stat", path=str(folder / "l"))
    assert facts["type"] == "file" and facts["path"] == str(folder / "f") and "target" not in facts
    facts = client.rest("files.stat", path=str(folder / "l"), follow=False)
    assert facts["type"] == "symlink" and facts["target"] == "f" and facts["name"] == "l" and facts["size"] == 1
    facts = client.rest("files.stat", path=str(folder / "out"), follow=False)
    assert facts["type"] == "symlink" and "target" not in facts
    assert client.rest("files.stat", path=str(folder / "dangling"), follow=False)["target"] == "nowhere"
    with expect_error("policy.path_denied", 403):
        client.rest("files.stat", path=str(folder / "out"))


def test_stat_refusals(client, folder):
    (folder / "f").write_text("")
    with expect_error("files.not_a_directory", 409):
        client.rest("files.stat", path=str(folder / "f/below"))
    with expect_error("args.invalid", 400):
        client.rest("files.stat", path="")
    with expect_error("args.invalid", 400):
        client.rest("files.stat", path=f"{folder}/" + "x" * 256)
    with expect_error("args.invalid", 400):
        client.call("files.stat", path="x/" * 3000)
    with expect_error("args.invalid", 400):
        client.call("files.stat", path="a\0b")


def test_stat_of_specials_does_not_wait(client, folder):
    os.mkfifo(folder / "pipe")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(folder / "s"))
    for name in ("pipe", "s"):
        assert client.rest("files.stat", path=str(folder / name))["type"] == "other"
        with expect_error("files.not_regular", 409):
            client.rest("files.download", path=str(folder / name))
        with expect_error("files.not_regular", 409):
            client.rest("files.upload", path=str(folder / name), content_base64="")
    listener.close()


def test_mkdir(client, folder):
    answer = client.rest("files.mkdir", path=str(folder / "a/b/c"))
    assert answer == {"path": str(folder / "a/b/c"), "created": True}
    assert stat.S_IMODE((folder / "a/b/c").stat().st_mode) == 0o755
    assert client.rest("files.mkdir", path=str(folder / "a/b/c"))["created"] is False
    assert client.rest("files.mkdir", path=str(folder / "new/"))["created"] is True
    assert client.rest("files.mkdir", path=str(folder))["created"] is False
    with expect_error("files.not_found", 404):
        client.rest("files.mkdir", path=str(folder / "x/y"), parents=False)
    assert not (folder / "x").exists()
    (folder / "f").write_text("")
    with expect_error("files.exists", 409):
        client.rest("files.mkdir", path=str(folder / "f"))
    with expect_error("files.not_a_directory", 409):
        client.rest("files.mkdir", path=str(folder / "f/x"))


def test_mkdir_of_a_root_is_no_change(client, root):
    assert client.rest("files.mkdir", path=str(root)) == {"path": str(root), "created": False}
    assert client.rest("files.mkdir", path="~")["created"] is False


def test_mode_is_octal_text(client, folder):
    assert client.rest("files.mkdir", path=str(folder / "d"), mode="700")["created"] is True
    assert stat.S_IMODE((folder / "d").stat().st_mode) == 0o700
    client.rest("files.mkdir", path=str(folder / "t"), mode="1777")
    assert stat.S_IMODE((folder / "t").stat().st_mode) == 0o1777
    client.rest("files.mkdir", path=str(folder / "none"), mode="000")
    assert stat.S_IMODE((folder / "none").stat().st_mode) == 0
    for mode in ("", "7", "77", "07777", "0o755", "789", "rwx", "-755", " 755", "755 "):
        with expect_error("args.invalid", 400, says="mode"):
            client.rest("files.mkdir", path=str(folder / "bad"), mode=mode)
    for mode in (755, 0o755, True, None):
        with expect_error("args.invalid", 400, says="mode"):
            client.rest("files.mkdir", path=str(folder / "bad"), mode=mode)
    assert not (folder / "bad").exists()
    if os.geteuid() == 0:
        with expect_error("policy.path_denied", 403):
            client.rest("files.mkdir", path=str(folder / "bad"), mode="4755")


def test_modified_is_utc(client, folder):
    (folder / "f").write_text("")
    told = client.rest("files.stat", path=str(folder / "f"))["modified"]
    when = datetime.datetime.strptime(told, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=datetime.timezone.utc)
    assert abs(when.timestamp() - (folder / "f").stat().st_mtime) < 0.002
