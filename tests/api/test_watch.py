# SPDX-License-Identifier: Apache-2.0
"""files.watch: every kind of change, what is covered, what is told when something is lost (R67 to R69, B089 to B093)."""
import base64
import contextlib
import itertools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess

import pytest

from lib.access import token
from lib.client import expect_error
from lib.names import STRANGE
from lib.processes import eventually
from lib.server import is_sanitized

MODES = ["inotify", "poll"]


def inotify_marks(server):
    """How many folders the kernel watches for the server."""
    folder = pathlib.Path(f"/proc/{server.pid}/fdinfo")
    if not os.access(f"/proc/{server.pid}/fd", os.R_OK):
        pytest.skip("this machine does not let us see the server's descriptors")
    marks = 0
    for fd in os.listdir(folder):
        with contextlib.suppress(FileNotFoundError):  # closed since
            marks += (folder / fd).read_text().count("inotify wd:")
    return marks


class Watch:
    """
    One watch, read until what is waited for has come.  Polling looks seldom enough that what a test does at an event is
    done before the next look: one that happens while folders are being renamed may see both names, or neither.
    """

    def __init__(self, client, path, **args):
        self.stream = client.stream("files.watch", path=str(path), **{"poll_ms": 100, **args})
        self.events = iter(self.stream)
        self.ready = next(self.events)
        assert self.ready.name == "ready"
        assert self.ready.data["path"] == str(path)

    def next(self):
        event = next(self.events)
        assert event.name == "event", event
        assert event.data["name"] == event.data["path"].rpartition("/")[2]
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z", event.data["timestamp"])
        return event.data

    def brief(self):
        data = self.next()
        return data["type"], data["path"], data.get("old_path"), data["is_dir"]

    def until(self, path, kind=None):
        """All up to the event of this path; what waits for it must come, so that nothing sleeps."""
        seen = []
        while True:
            data = self.next()
            seen.append((data["type"], data["path"]))
            if data["path"] == str(path) and kind in (None, data["type"]):
                return seen

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stream.close()


@pytest.mark.parametrize("mode", MODES)
def test_each_kind_of_change(client, folder, mode):
    file = folder / "f"
    with Watch(client, folder, mode=mode) as watch:
        assert watch.ready.data["mode"] == mode
        file.write_bytes(b"")
        assert watch.brief() == ("create", str(file), None, False)
        with open(file, "ab", buffering=0) as out:
            out.write(b"more")
        assert watch.brief() == ("write", str(file), None, False)
        file.chmod(0o600)
        assert watch.brief() == ("chmod", str(file), None, False)
        file.rename(folder / "g")
        assert watch.brief() == ("rename", str(folder / "g"), str(file), False)
        (folder / "g").unlink()
        assert watch.brief() == ("remove", str(folder / "g"), None, False)
        (folder / "d").mkdir()
        assert watch.brief() == ("create", str(folder / "d"), None, True)
        (folder / "d").rmdir()
        assert watch.brief() == ("remove", str(folder / "d"), None, True)


@pytest.mark.parametrize("mode", MODES)
def test_an_atomic_save_is_a_write(client, folder, outside, mode):
    file = folder / "f"
    file.write_text("old")
    other = folder / "f.tmp"
    with Watch(client, folder, mode=mode) as watch, Watch(client, file, mode=mode) as one:
        (outside / "new").write_text("from elsewhere")
        shutil.move(str(outside / "new"), str(outside / "newer"))
        other.write_text("new text")
        os.replace(other, file)
        seen = watch.until(file)
        assert ("write", str(file)) in seen and ("create", str(file)) not in seen
        assert one.brief()[:2] == ("write", str(file))
        file.unlink()
        assert one.until(file, "remove") == [("remove", str(file))]
        file.write_text("back")
        assert one.next()["type"] == "create"


def test_a_write_by_rename_tells_its_old_path(client, folder):
    (folder / "f").write_text("old")
    (folder / "f.tmp").write_text("new")
    with Watch(client, folder, mode="inotify") as watch:
        os.replace(folder / "f.tmp", folder / "f")
        assert watch.brief() == ("write", str(folder / "f"), str(folder / "f.tmp"), False)


@pytest.mark.parametrize("mode", MODES)
def test_new_folders_are_covered_with_what_was_made_in_them(client, folder, mode):
    with Watch(client, folder, recursive=True, mode=mode) as watch:
        wanted = set()
        for i in range(40):
            deep = folder / f"d{i}/a/b"
            deep.mkdir(parents=True)
            (deep / "f").write_text("x")
            wanted |= {folder / f"d{i}", folder / f"d{i}/a", deep, deep / "f"}
        (folder / "last").write_text("")
        wanted = {str(path) for path in wanted}
        created = [path for kind, path in watch.until(folder / "last") if kind == "create"]
        while wanted - set(created):
            data = watch.next()
            created += [data["path"]] if data["type"] == "create" else []
        assert len(created) == len(set(created)), "a thing was told twice"
        (folder / "d7/a/b/f").unlink()
        assert watch.until(folder / "d7/a/b/f", "remove")


@pytest.mark.parametrize("mode", MODES)
def test_a_renamed_folder_has_its_new_path(client, folder, outside, mode):
    """B091: what left the tree is silent, and nothing of it is watched any more."""
    a, z = folder / "a", folder / "z"
    (a / "in").mkdir(parents=True)
    (a / "in/f").write_text("1")
    with Watch(client, folder, recursive=True, mode=mode) as watch:
        a.rename(z)
        assert watch.brief() == ("rename", str(z), str(a), True)
        with open(z / "in/f", "a") as out:
            out.write("22")
        assert watch.brief() == ("write", str(z / "in/f"), None, False)
        shutil.copytree(z, outside / "copy")
        assert os.stat(outside).st_dev == os.stat(folder).st_dev, "the test wants one file system"
        marks = inotify_marks(client.server)
        z.rename(outside / "z")
        kinds = watch.until(z, "remove")
        assert all(kind == "remove" for kind, _ in kinds)
        (outside / "z/in/f").write_text("unseen")
        (folder / "seen").write_text("")
        later = [told for told in watch.until(folder / "seen") if told[0] != "remove" or not told[1].startswith(f"{z}/")]
        assert later == [("create", str(folder / "seen"))]
        eventually(lambda: inotify_marks(client.server) <= marks - 2 * (mode == "inotify"), what="z and z/in are not watched")
        (outside / "copy").rename(folder / "back")
        created = {path for kind, path in watch.until(folder / "back/in/f", "create") if kind == "create"}
        assert created == {str(folder / name) for name in ("back", "back/in", "back/in/f")}


def test_not_recursive_stays_above(client, folder):
    (folder / "d").mkdir()
    with Watch(client, folder, mode="inotify") as watch:
        (folder / "d/f").write_text("")
        (folder / "e").write_text("")
        assert watch.next()["path"] == str(folder / "e")


@pytest.mark.parametrize("mode", MODES)
def test_the_watched_folder_is_deleted(client, folder, mode):
    inner = folder / "w"
    inner.mkdir()
    holder = os.open(inner, os.O_RDONLY)  # who holds it open keeps the kernel's own event back
    try:
        with Watch(client, inner, recursive=True, mode=mode) as watch:
            inner.rmdir()
            rest = list(watch.events)
        assert [event.name for event in rest] == ["end"]
        assert rest[0].data == {"reason": "deleted"}
    finally:
        os.close(holder)


def test_the_watched_folder_is_moved(client, folder):
    (folder / "w").mkdir()
    with Watch(client, folder / "w", mode="inotify") as watch:
        (folder / "w").rename(folder / "v")
        assert [event.data for event in watch.events] == [{"reason": "moved"}]


@pytest.mark.parametrize("top", ["a", "a/b"])
def test_a_folder_above_is_moved(make_server, top):
    """Nothing happens to the watched folder itself, but its path leads elsewhere: told, whatever stood between."""
    server = make_server()
    inner = server.base / "a/b/c/w"
    inner.mkdir(parents=True)
    moved = server.base / top
    with Watch(server.client(), inner, recursive=True, mode="inotify") as watch, Watch(server.client(), inner, mode="poll") as poll:
        (inner / "f").write_text("")
        (inner.parent / "beside").write_text("")
        (server.base / "beside").write_text("")
        assert watch.until(inner / "f") and poll.until(inner / "f")
        moved.rename(moved.with_name("moved"))
        assert [event.data for event in watch.events if event.name == "end"] == [{"reason": "moved"}]
        assert [event.data for event in poll.events if event.name == "end"] == [{"reason": "deleted"}]
    with Watch(server.client(), moved.with_name("moved"), mode="inotify") as watch:  # a root that moves is still the root
        server.base.rename(server.base.with_name("other"))
        (server.base.with_name("other") / moved.with_name("moved").relative_to(server.base) / "f").write_text("")
        assert watch.until(moved.with_name("moved") / "f")
    server.base.with_name("other").rename(server.base)


def test_ends_by_count_and_time(client, folder):
    with Watch(client, folder, max_events=2) as watch:
        for i in range(5):
            (folder / f"f{i}").mkdir()
        rest = list(watch.events)
        assert [event.name for event in rest] == ["event", "event", "end"]
        assert rest[-1].data == {"reason": "max_events"}
    with Watch(client, folder, timeout=0.05) as watch:
        assert [event.data for event in watch.events] == [{"reason": "timeout"}]


def test_by_its_own_route(client, folder):
    with client.rest_stream("files.watch", path=str(folder), recursive=True, max_events=1) as stream:
        events = iter(stream)
        assert next(events).data["mode"] == "inotify"
        (folder / "f").write_text("")
        assert next(events).data["path"] == str(folder / "f")


@pytest.mark.parametrize("mode", MODES)
def test_b073_strange_names(client, folder, mode):
    with Watch(client, folder, mode=mode) as watch:
        for name in STRANGE:
            (folder / name).mkdir()
            assert watch.brief() == ("create", str(folder / name), None, True)
    (folder / STRANGE[0] / "f").write_text("")
    with Watch(client, folder / STRANGE[0], mode=mode) as watch:
        (folder / STRANGE[0] / "f").unlink()
        assert watch.brief() == ("remove", str(folder / STRANGE[0] / "f"), None, False)


@pytest.mark.parametrize("mode", MODES)
def test_names_that_are_not_utf8(client, folder, mode):
    strange = os.fsencode(folder) + b"/\xff\n'"
    with Watch(client, folder, mode=mode) as watch:
        os.mkdir(strange)
        data = next(watch.events).data
        assert "path_b64" in data and "name_b64" in data
        os.rename(strange, strange + b"2")
        data = next(watch.events).data
        assert data["type"] == "rename" and "old_path_b64" in data
    os.mkdir(strange)
    with client.stream("files.watch", path_b64=base64.b64encode(strange).decode()) as stream:
        assert "path_b64" in next(iter(stream)).data


def test_refusals(client, folder, outside, make_server):
    with expect_error("files.not_found"):
        client.stream("files.watch", path=str(folder / "no"))
    (folder / "file").write_text("")
    with expect_error("files.not_a_directory"):
        client.stream("files.watch", path=str(folder / "file/x"))
    os.symlink(outside, folder / "out")
    with expect_error("policy.path_denied"):
        client.stream("files.watch", path=str(folder / "out"))
    os.mkdir(folder / "real")
    os.symlink("real", folder / "link")
    with client.stream("files.watch", path=str(folder / "link")) as stream:
        assert next(iter(stream)).data["path"] == str(folder / "real")
    few = make_server(policy={"limits": {"max_watchers": 2}}).client()
    base = few.server.base
    with Watch(few, base), Watch(few, base, mode="poll"):
        with expect_error("limit.too_many", status=429) as caught:
            few.stream("files.watch", path=str(base))
        assert caught.error.rule == "policy:limits.max_watchers"


def test_links_are_not_followed(client, folder, outside):
    os.symlink(outside, folder / "out")
    with Watch(client, folder, recursive=True, mode="inotify") as watch:
        (outside / "f").write_text("")
        os.symlink(outside, folder / "other")
        (outside / "g").write_text("")
        (folder / "end").write_text("")
        assert [path for _, path in watch.until(folder / "end")] == [str(folder / "other"), str(folder / "end")]


@pytest.mark.parametrize("mode", MODES)
def test_denied_entries_are_silent(make_server, mode):
    server = make_server(policy={"paths": {"deny": ["**/*.key"]}})
    with Watch(server.client(), server.base, recursive=True, mode=mode) as watch:
        (server.base / "a.key").write_text("secret")
        (server.base / "b").mkdir()
        assert watch.brief()[:2] == ("create", str(server.base / "b"))
        (server.base / "a.key").rename(server.base / "c")
        assert watch.brief() == ("create", str(server.base / "c"), None, False)
        (server.base / "c").rename(server.base / "d.key")
        assert watch.brief() == ("remove", str(server.base / "c"), None, False)


def test_the_server_ends(make_server):
    server = make_server()
    with Watch(server.client(), server.base) as watch:
        server.signal(signal.SIGTERM)
        assert [event.data for event in watch.events] == [{"reason": "shutdown"}]


def test_the_caller_may_no_more(make_server):
    policy = {"tokens": [token("all", ["*"]), token("look", ["files:read"])]}
    server = make_server(policy=policy)
    with Watch(server.client("look-token"), server.base) as watch:
        policy["tokens"].pop()
        (server.scratch / "policy.yaml").write_text(json.dumps(policy))
        server.client("all-token").call("core.reload")
        assert [event.name for event in watch.events] == ["error"]


def full_size(small, full):
    """The case as it was found takes long: it is in `make check`, and a small one in `make test`."""
    return pytest.mark.parametrize("count", [small, pytest.param(full, marks=pytest.mark.check)])


@full_size(9000, 120_000)
def test_an_overflow_is_told_and_the_stream_goes_on(make_server, quick, count):
    """B089"""
    server = make_server(base=quick)
    client = server.client()
    with Watch(client, server.base, recursive=True, mode="inotify") as watch:
        before = server.rss_kib()
        server.signal(signal.SIGSTOP)
        for i in range(count):
            path = f"{server.base}/f{i}"
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
            os.unlink(path)
        (server.base / "new").mkdir()
        server.signal(signal.SIGCONT)
        names = []
        while "overflow" not in names:
            names.append(next(watch.events).name)
        assert client.call("core.health")["status"] == "ok"
        # After it all is covered anew, the new folder too; each try makes another file until one is told.
        for i in itertools.count():
            (server.base / f"new/f{i}").write_text("")
            event = next(watch.events)
            if event.name == "event" and event.data["path"].startswith(f"{server.base}/new/"):
                break
        if not is_sanitized():
            assert server.rss_kib() - before < 40 * 1024


@full_size(20_000, 120_000)
def test_a_reader_who_does_not_read(make_server, quick, count):
    """B089: what waits is bounded, and told as lost; the reader who comes back reads on."""
    server = make_server(base=quick, policy={"limits": {"max_memory_bytes": 16 << 20}})
    with Watch(server.client(), server.base, mode="inotify") as watch:
        before = server.rss_kib()
        for i in range(count):
            path = f"{server.base}/{'n' * 100}{i}"
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
            os.unlink(path)
        names = set()
        while "overflow" not in names:
            names.add(next(watch.events).name)
        (server.base / "last").write_text("")
        while next(watch.events).data.get("path") != str(server.base / "last"):
            pass  # what came before, and it may be told once more that some was lost
        if not is_sanitized():
            assert server.peak_kib() - before < 24 * 1024


@full_size(60, 500)
def test_descriptors_and_marks_are_freed_at_once(make_server, count):
    """B093"""
    server = make_server(policy={"limits": {"max_watchers": 1000}})
    client = server.client()
    for i in range(50):
        (server.base / f"d{i}").mkdir()
    client.call("core.health")
    before = server.fds()
    for _ in range(count):
        with Watch(client, server.base, recursive=True):
            pass
    eventually(lambda: server.fds() <= before, what="the end of all descriptors")


def test_two_hundred_share_one_instance(make_server):
    """B092; the surplus is in test_refusals."""
    server = make_server(policy={"limits": {"max_watchers": 1000}})
    client = server.client()
    server.fds()  # skips where nobody may look at them
    watches = [Watch(client, server.base, mode="inotify") for _ in range(200)]
    try:
        links = []
        for fd in os.listdir(f"/proc/{server.pid}/fd"):
            with contextlib.suppress(FileNotFoundError):  # closed since
                links.append(os.readlink(f"/proc/{server.pid}/fd/{fd}"))
        assert sum("inotify" in link for link in links) <= 2  # libuv may have its own
        (server.base / "f").write_text("")
        assert all(watch.next()["path"] == str(server.base / "f") for watch in watches)
    finally:
        for watch in watches:
            watch.stream.close()


def namespace_limits(**limits):
    """A wrapper that lowers the kernel's limits for the server alone, or None where that is not possible."""
    script = "".join(f"echo {value} > /proc/sys/user/{name} && " for name, value in limits.items()) + 'exec "$@"'
    wrap = ["unshare", "--user", "--map-root-user", "sh", "-c", script, "sh"]
    works = subprocess.run([*wrap, "true"], capture_output=True).returncode == 0
    return wrap if works else None


def test_the_watches_of_the_kernel_run_out(make_server):
    """B092: the limit is named, and how much is not covered."""
    wrap = namespace_limits(max_inotify_watches=8)
    if not wrap:
        pytest.skip("this machine has no user namespaces")
    server = make_server(wrap=wrap)
    client = server.client()
    for i in range(5):
        (server.base / f"d{i}").mkdir()
    with Watch(client, server.base, recursive=True, mode="inotify") as watch:
        assert "limit" not in watch.ready.data
        for i in range(5, 9):
            (server.base / f"d{i}").mkdir()
        partial = next(event for event in watch.events if event.name == "partial")
        assert partial.data["limit"] == "fs.inotify.max_user_watches" and partial.data["uncovered"] >= 1
        assert partial.data["mode"] == "inotify"
    with Watch(client, server.base, recursive=True, mode="inotify") as watch:
        assert watch.ready.data["limit"] == "fs.inotify.max_user_watches"
        assert watch.ready.data["uncovered"] >= 2
    with Watch(client, server.base, recursive=True) as watch:
        assert watch.ready.data["mode"] == "poll" and "limit" in watch.ready.data
        (server.base / "d8/f").write_text("")
        assert watch.until(server.base / "d8/f")
    for i in range(4, 9):
        shutil.rmtree(server.base / f"d{i}")
    with Watch(client, server.base, recursive=True) as watch:
        assert watch.ready.data["mode"] == "inotify"
        for i in range(4, 12):
            (server.base / f"d{i}").mkdir()
        partial = next(event for event in watch.events if event.name == "partial")
        assert partial.data["mode"] == "poll"
        (server.base / "d11/f").write_text("")
        assert watch.until(server.base / "d11/f")


def test_no_instance_is_left(make_server):
    """B092"""
    wrap = namespace_limits(max_inotify_instances=0)
    if not wrap:
        pytest.skip("this machine has no user namespaces")
    client = make_server(wrap=wrap).client()
    with Watch(client, client.server.base) as watch:
        assert watch.ready.data["mode"] == "poll"
    with client.stream("files.watch", path=str(client.server.base), mode="inotify") as stream:
        assert [event.name for event in stream] == ["error"]


def test_ten_thousand_folders(make_server, quick):
    """Looking at them holds nobody up: the loop's thread has the smaller part of the work."""
    server = make_server(base=quick)
    client = server.client()
    for i in range(100):
        for k in range(100):
            os.makedirs(f"{server.base}/d{i}/e{k}")
    loop, whole = server.cpu_seconds_of_loop(), server.cpu_seconds()
    with Watch(client, server.base, recursive=True) as watch:
        assert watch.ready.data["mode"] in MODES
        loop, whole = server.cpu_seconds_of_loop() - loop, server.cpu_seconds() - whole
        assert loop < whole / 2
        (server.base / "d99/e99/f").write_text("")
        assert watch.until(server.base / "d99/e99/f")
