# SPDX-License-Identifier: Apache-2.0
"""Where paths lead: roots, links, "..", denied entries, and every field that is a path."""
import itertools
import os
import threading
import time

import pytest

from lib.client import expect_error

TEXT = "aGk="


def read_ops(path):
    return [("files.list", {"path": path}), ("files.stat", {"path": path}), ("files.download", {"path": path}), ("files.download_stream", {"path": path})]


def write_ops(path, spare="spare"):
    return [("files.mkdir", {"path": path}), ("files.delete", {"path": path}), ("files.move", {"source": path, "destination": spare}),
            ("files.move", {"source": spare, "destination": path}), ("files.upload", {"path": path, "content_base64": TEXT}),
            ("files.upload_stream", {"path": path, "content_base64": TEXT})]


@pytest.fixture
def world(make_server, tmp_path):
    """Two roots, their neighbours, and a server; what lies outside must stay as it is."""
    for name in ("r/ok", "r2", "r-evil", "out/d"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "r/ok/f").write_text("ok")
    (tmp_path / "r/spare").write_text("spare")
    (tmp_path / "r2/s").write_text("r2")
    (tmp_path / "r-evil/s").write_text("evil")
    (tmp_path / "out/secret").write_text("secret")
    server = make_server(base=tmp_path / "r", policy={
        "version": 1, "paths": {"base": str(tmp_path / "r"), "roots": [str(tmp_path / "r"), str(tmp_path / "r2")], "deny": ["**/.ssh", "hidden/*.key"]}})
    yield server.client(), tmp_path
    assert sorted(os.listdir(tmp_path / "out")) == ["d", "secret"] and (tmp_path / "out/secret").read_text() == "secret"
    assert os.listdir(tmp_path / "out/d") == [] and (tmp_path / "r-evil/s").read_text() == "evil"


def denied(client, path, ops, rule="policy:paths.roots", shows=()):
    for op, args in ops:
        with expect_error("policy.path_denied", 403) as caught:
            client.call(op, **args)
        assert caught.error.rule == rule, f"{op} {args}"
        for text in shows:
            assert text not in caught.error.message, f"{op} {args}"
    for op in ("files.download", "files.download_stream"):
        with expect_error("policy.path_denied", 403):
            client.get_bytes(op, path=path)
    for op in ("files.upload", "files.upload_stream"):
        with expect_error("policy.path_denied", 403):
            client.send_bytes(op, b"x", path=path)


def test_a_sibling_with_the_same_beginning(world):
    """B082: files and folders to run in."""
    client, top = world
    for path in (f"{top}/r-evil/s", f"{top}/r-evil", f"{top}/r/../r-evil/s", f"{top}/r/nothing/../../r-evil/s", f"{top}/r3/s", "../r-evil/s",
                 "ok/../../r-evil/s", "~/../r-evil/s", "/etc/passwd", "/", f"{top}", "/proc/self/root/etc/passwd", f"{top}/r/../r/ok/f"):
        denied(client, path, [*read_ops(path), *write_ops(path), ("commands.run", {"command": "pwd", "cwd": path})])
    for path in (f"{top}/r", f"{top}/r/", f"{top}//r/./", "~", "~/", "."):
        assert client.call("files.stat", path=path)["path"] == f"{top}/r"
        assert client.call("commands.run", command="pwd", cwd=path)["stdout"] == f"{top}/r\n"
    assert client.call("files.stat", path=f"{top}/r2/s")["size"] == 2


def test_links_that_point_out(world):
    client, top = world
    links = {"l": "/etc", "f": "/etc/passwd", "rel": "../../../../../../etc/passwd", "o": f"{top}/out", "s": f"{top}/out/secret", "r": "../out", "e": "../r-evil/s",
             "chain": "l", "root": "/"}
    for name, target in links.items():
        (top / "r" / name).symlink_to(target)
    for name in links:
        path = f"{top}/r/{name}"
        followed = [(op, args) for op, args in read_ops(path) + write_ops(path)
                    if op != "files.delete" and "source" not in args]  # these act on the link itself
        denied(client, path, followed, shows=["/etc", "out/", "evil"])
        below = f"{path}/new"
        denied(client, below, read_ops(below) + write_ops(below), shows=["out/", "evil"])
    entries = {entry["name"]: entry for entry in client.call("files.list", path=".")["entries"]}
    assert all(entries[name]["type"] == "symlink" and "target" not in entries[name] for name in links)
    for name in links:
        client.call("files.move", source=name, destination=f"{name}-moved")
        client.call("files.delete", path=f"{name}-moved")


def test_links_that_stay_inside(world):
    client, top = world
    (top / "r/abs").symlink_to(top / "r/ok")
    (top / "r/two").symlink_to(top / "r2")
    (top / "r/rel").symlink_to("../r2/s")
    (top / "r/up").symlink_to("ok/../ok/f")
    assert client.call("files.list", path="abs")["entries"][0]["path"] == f"{top}/r/ok/f"
    assert client.get_bytes("files.download", path="abs/f").read() == b"ok"
    assert client.get_bytes("files.download", path="two/s").read() == b"r2"
    assert client.get_bytes("files.download", path="rel").read() == b"r2"
    assert client.get_bytes("files.download", path="up").read() == b"ok"
    assert client.call("files.upload", path="two/new", content_base64=TEXT)["path"] == f"{top}/r2/new"
    assert client.call("files.mkdir", path="abs/x/y")["path"] == f"{top}/r/ok/x/y"
    assert client.call("files.stat", path="abs/x/..")["path"] == f"{top}/r/ok"
    with expect_error("policy.path_denied", 403):
        client.call("files.stat", path="two/..")


def test_loops_and_chains(world):
    client, top = world
    (top / "r/loop").symlink_to("loop")
    (top / "r/a").symlink_to("b")
    (top / "r/b").symlink_to("a")
    for path in ("loop", "loop/x", "a", "a/b/c"):
        for op, args in read_ops(path) + [("files.upload", {"path": path, "content_base64": TEXT})]:
            with expect_error("args.invalid", 400):
                client.call(op, **args)
    (top / "r/n0").symlink_to("ok/f")
    for number in range(1, 41):
        (top / f"r/n{number}").symlink_to(f"n{number - 1}")
    assert client.get_bytes("files.download", path="n39").read() == b"ok"
    with expect_error("args.invalid", 400):
        client.call("files.stat", path="n40")
    assert client.call("files.stat", path="loop", follow=False)["type"] == "symlink"
    client.call("files.delete", path="loop")


def test_denied_entries_do_not_tell_what_is_there(world):
    client, top = world
    (top / "r/ok/.ssh").mkdir()
    (top / "r/ok/.ssh/id").write_text("key")
    (top / "r/hidden").mkdir()
    (top / "r/hidden/a.key").write_text("key")
    (top / "r/hidden/a.txt").write_text("text")
    (top / "r/way").symlink_to("ok/.ssh")
    (top / "r/file").symlink_to("ok/.ssh/id")
    messages = set()
    for path in ("ok/.ssh", "ok/.ssh/id", "ok/.ssh/no", "ok/.ssh/id/x", "ok/.ssh/no/x", ".ssh", ".ssh/x", "ok/.ssh/../f", "way/id", "way/no"):
        ops = read_ops(path) + write_ops(path)
        denied(client, path, ops, rule="policy:paths.deny[0]")
        with expect_error("policy.path_denied", 403) as caught:
            client.call("files.stat", path=path)
        messages.add(caught.error.message.replace(path, "PATH"))
    assert len(messages) == 1
    denied(client, "file", [("files.download", {"path": "file"})], rule="policy:paths.deny[0]")
    denied(client, "hidden/a.key", read_ops("hidden/a.key"), rule="policy:paths.deny[1]")
    denied(client, "hidden/b.key", read_ops("hidden/b.key"), rule="policy:paths.deny[1]")
    assert [entry["name"] for entry in client.call("files.list", path="hidden")["entries"]] == ["a.txt"]
    assert [entry["name"] for entry in client.call("files.list", path="ok", recursive=True)["entries"]] == ["f"]
    assert (top / "r/ok/.ssh/id").read_text() == "key"


@pytest.fixture
def narrow(make_server, tmp_path):
    """A server whose token "ci" may reach r/a only."""
    for name in ("r/a/sub", "r/b", "out"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "r/a/f").write_text("a")
    (tmp_path / "r/b/f").write_text("b")
    token = "narrow-token"
    import hashlib
    server = make_server(base=tmp_path / "r", policy={
        "version": 1, "paths": {"base": str(tmp_path / "r"), "roots": [str(tmp_path / "r")]},
        "tokens": [{"name": "ci", "sha256": hashlib.sha256(token.encode()).hexdigest(), "scopes": ["*"], "paths": {"roots": [str(tmp_path / "r/a")]}}]})
    return server.client(token=token), tmp_path


def test_every_field_that_is_a_path(narrow):
    client, top = narrow
    a, b = f"{top}/r/a", f"{top}/r/b"
    rule = "policy:tokens.ci.paths.roots"
    for path in (f"{b}/f", b, f"{top}/r", f"{a}/../b/f", "/etc/passwd"):
        denied(client, path, read_ops(path) + write_ops(path, spare=f"{a}/f"), rule=rule)
    with expect_error("policy.path_denied", 403):
        client.call("files.move", source=f"{a}/f", destination=f"{b}/g")
    with expect_error("policy.path_denied", 403):
        client.send_files("files.upload_stream", [("x", b"x")], path=b)
    with expect_error("args.invalid", 400):
        client.send_files("files.upload_stream", [("../../x", b"x")], path=a)
    (top / "r/a/up").symlink_to("../b/f")
    (top / "r/a/abs").symlink_to(f"{b}/f")
    for name in ("up", "abs"):
        with expect_error("policy.path_denied", 403) as caught:
            client.get_bytes("files.download", path=f"{a}/{name}")
        assert b not in caught.error.message
    with expect_error("policy.path_denied", 403):
        client.send_files("files.upload_stream", [("up", b"x")], path=a)
    entries = client.call("files.list", path=a)["entries"]
    assert [entry["name"] for entry in entries] == ["abs", "f", "sub", "up"] and all("target" not in entry for entry in entries)
    with expect_error("policy.path_denied", 403):
        client.call("files.delete", path=a)  # its root
    assert client.get_bytes("files.download", path=f"{a}/f").read() == b"a"
    assert (top / "r/b/f").read_text() == "b" and not (top / "x").exists()


def test_r98_the_base_is_made_at_start(make_server, tmp_path):
    """A root that a policy names is not: test_policy.py."""
    client = make_server("--base-dir", tmp_path / "new/base").client()
    assert client.call("commands.run", command="pwd")["stdout"] == f"{tmp_path}/new/base\n"


def test_r56_a_root_and_what_holds_one_stay(make_server, tmp_path):
    """B078: also where that lies inside another root."""
    (tmp_path / "r/x/inner/f").mkdir(parents=True)
    (tmp_path / "r/d").mkdir()
    client = make_server(base=tmp_path / "r", policy={"paths": {"roots": [f"{tmp_path}/r", f"{tmp_path}/r/x/inner"]}}).client()
    for path in (".", "x", "x/inner"):
        for op, args in (("files.delete", {"path": path}), ("files.move", {"source": path, "destination": "d/new"}),
                         ("files.move", {"source": "d", "destination": path}), ("files.copy", {"source": "d", "destination": path})):
            with expect_error("policy.path_denied", 403, says="is a root or holds one") as caught:
                client.call(op, **args)
            assert caught.error.rule == "policy:paths.roots"
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")) == ["r", "r/d", "r/x", "r/x/inner", "r/x/inner/f"]
    client.call("files.delete", path="x/inner/f")


def test_a_root_that_is_made_again_is_reached_again(world):
    client, top = world
    (top / "r2/s").unlink()
    (top / "r2").rmdir()
    with expect_error("files.not_found", 404):
        client.call("files.list", path=f"{top}/r2")
    (top / "r2").symlink_to(top / "out")
    with expect_error("args.invalid", 400):
        client.call("files.list", path=f"{top}/r2")
    (top / "r2").unlink()
    (top / "r2").mkdir()
    (top / "r2/new").write_text("")
    assert client.call("files.list", path=f"{top}/r2")["entries"][0]["name"] == "new"


def test_links_swapped_meanwhile_lead_nobody_out(world):
    client, top = world
    (top / "r/dir").mkdir()
    (top / "r/dir/secret").write_text("inside")
    swap = top / "r/swap"
    stop = threading.Event()

    def swapping():
        for turn in itertools.count():
            if stop.is_set():
                return
            fresh = top / f"r/next{turn % 2}"
            fresh.symlink_to(top / "out" if turn % 2 else "dir")
            os.replace(fresh, swap)

    thread = threading.Thread(target=swapping)
    thread.start()
    try:
        until, reads = time.monotonic() + 1.5, 0
        while time.monotonic() < until or (reads == 0 and time.monotonic() < until + 60):
            try:
                assert client.get_bytes("files.download", path="swap/secret").read() == b"inside"
                reads += 1
                client.call("files.upload", path="swap/d/x", content_base64=TEXT)
            except Exception as error:
                assert getattr(error, "wire_code", "") in ("policy.path_denied", "files.not_found", "args.invalid", "files.not_a_directory"), error
        assert reads > 0
    finally:
        stop.set()
        thread.join()


def test_parameters_have_their_place(client, folder):
    """R59: the same name twice, in the wrong place, or with a bad escape is refused."""
    (folder / "a b+c").write_text("x")
    cases = [("GET", f"/files/stat?path={folder}&path={folder}", None, 400), ("GET", "/files/stat?path=%zz", None, 400), ("GET", "/files/stat?path=a%00b", None, 400),
             ("GET", f"/files/stat?path={folder}", {"path": str(folder)}, 400), ("POST", f"/files/mkdir?path={folder}/x", {}, 400),
             ("POST", f"/files/mkdir?path={folder}/x", {"path": f"{folder}/x"}, 400), ("GET", f"/files/stat?path={folder}/a+b%2Bc", None, 200),
             ("GET", f"/files/stat?path={folder}&path_b64=Lw==", None, 400), ("GET", f"/files/stat/?path={folder}", None, 200)]
    for method, target, body, status in cases:
        assert client.request(method, target, body).status == status, target
    assert b'"exists":true' in client.request("GET", f"/files/stat?path={folder}/a+b%2Bc").read()
    assert os.listdir(folder) == ["a b+c"]


def test_rules_hold_for_each_spelling_of_a_root(make_server, tmp_path):
    """A root inside of another one, under a second name: a rule about the one holds for the other, stars too."""
    (tmp_path / "home/ws/keep").mkdir(parents=True)
    for name in ("secret", "plain", "keep/f", "odd"):
        (tmp_path / "home/ws" / name).write_text(name)
    (tmp_path / "work").symlink_to("home/ws")
    server = make_server(base=tmp_path / "home", policy={"paths": {
        "roots": [f"{tmp_path}/home", f"{tmp_path}/work"], "deny": [f"{tmp_path}/home/ws/secret", f"{tmp_path}/wor*/odd"],
        "readonly": [f"{tmp_path}/work/keep"]}})
    client = server.client()
    for front in (f"{tmp_path}/home/ws", f"{tmp_path}/work", "ws"):
        for name, rule in (("secret", "policy:paths.deny[0]"), ("odd", "policy:paths.deny[1]")):
            with expect_error("policy.path_denied", 403) as caught:
                client.call("files.read", path=f"{front}/{name}")
            assert caught.error.rule == rule
        for name in ("keep", "keep/f", "keep/new"):
            with expect_error("policy.path_readonly", 403):
                client.call("files.upload", path=f"{front}/{name}", content_base64=TEXT)
        assert client.call("files.read", path=f"{front}/plain")["path"] == f"{tmp_path}/home/ws/plain"
        assert [entry["name"] for entry in client.call("files.list", path=front)["entries"]] == ["keep", "plain"]
    for op in ("files.delete", "files.mkdir"):
        with expect_error("policy.path_readonly", 403):
            client.call(op, path=f"{tmp_path}/home/ws/keep/f")
    assert (tmp_path / "home/ws/keep/f").read_text() == "keep/f"


def test_a_move_brings_nothing_to_where_it_may_not_be_written(make_server, tmp_path):
    """R95: a folder that is moved brings its entries along, and each has a new path."""
    for name in ("x/.ssh", "y/keep", "z/other"):
        (tmp_path / "home" / name).mkdir(parents=True)
        (tmp_path / "home" / name / "f").write_text("f")
    (tmp_path / "home/empty").mkdir()
    client = make_server(base=tmp_path / "home", policy={"paths": {
        "roots": [f"{tmp_path}/home"], "deny": ["a/.ssh", "empty/.ssh"], "readonly": ["b/keep"]}}).client()
    for op in ("files.move", "files.copy"):
        for source, destination, code in (("x", "a", "policy.path_denied"), ("x", "empty", "policy.path_denied"),
                                          ("y", "b", "policy.path_readonly")):
            with expect_error(code, 403):
                client.call(op, source=source, destination=destination)
    assert sorted(os.listdir(tmp_path / "home")) == ["empty", "x", "y", "z"]
    client.call("files.move", source="z", destination="a")
    assert (tmp_path / "home/a/other/f").read_text() == "f"
