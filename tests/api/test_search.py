# SPDX-License-Identifier: Apache-2.0
"""search and grep: what is found, what is passed over, and that neither grows, hangs or leads out (B083, B102, B104, B105)."""
import json
import os
import re
import subprocess

import pytest

from lib.client import expect_error
from lib.parallel import together
from lib.processes import eventually

MIB = 1 << 20


def make(folder, *names, content=""):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content or name)


def search(client, folder, pattern, **more):
    return client.rest("files.search", path=str(folder), pattern=pattern, **more)


def found(client, folder, pattern, **more):
    answer = search(client, folder, pattern, **more)
    assert not answer["timed_out"] and not answer["truncated"]
    return [os.path.relpath(one["path"], folder) for one in answer["results"]]


def grep(client, path, pattern, **more):
    return client.rest("files.grep", path=str(path), pattern=pattern, **more)


def lines(client, path, pattern, **more):
    return [(os.path.relpath(hit["path"], path), hit["line"], hit["text"]) for hit in grep(client, path, pattern, **more)["matches"]]


# search

def test_search_by_name_and_by_path(client, folder):
    make(folder, "a.c", "b.h", "x/a.c", "x/y/a.c", "x/y/z/.hidden.c", "x/[1].c")
    assert found(client, folder, "*.c") == ["a.c", "x/[1].c", "x/a.c", "x/y/a.c", "x/y/z/.hidden.c"]
    assert found(client, folder, "*.c", hidden=False) == ["a.c", "x/[1].c", "x/a.c", "x/y/a.c"]
    assert found(client, folder, "x/*.c") == ["x/[1].c", "x/a.c"]
    assert found(client, folder, "**/y/*.c") == ["x/y/a.c"]
    assert found(client, folder, "x/**") == ["x/[1].c", "x/a.c", "x/y", "x/y/a.c", "x/y/z", "x/y/z/.hidden.c"]
    assert found(client, folder, "[ab].[!h]") == ["a.c", "x/a.c", "x/y/a.c"]
    assert found(client, folder, "\\[1].c") == ["x/[1].c"]
    assert found(client, folder, "nothing") == []


def test_search_depth_kind_and_number(client, folder):
    make(folder, "1/2/3/4/5/6/f")
    (folder / "l").symlink_to("1")
    (folder / "dangling").symlink_to("none")
    os.mkfifo(folder / "pipe")
    assert "1/2/3/4/5" in found(client, folder, "*") and "1/2/3/4/5/6" not in found(client, folder, "*")
    assert found(client, folder, "*", max_depth=1) == ["1", "dangling", "l", "pipe"]
    assert found(client, folder, "f", max_depth=9) == ["1/2/3/4/5/6/f"]
    kinds = {"file": ["1/2/3/4/5/6/f"], "directory": [f"1{''.join(f'/{n}' for n in range(2, k + 1))}" for k in range(1, 7)],
             "symlink": ["dangling", "l"], "other": ["pipe"]}
    for kind, names in kinds.items():
        assert found(client, folder, "*", type=kind, max_depth=99) == names
        assert {one["type"] for one in search(client, folder, "*", type=kind, max_depth=99)["results"]} == {kind}
    answer = search(client, folder, "*", max_results=2)
    assert len(answer["results"]) == 2 and answer["truncated"] and not answer["timed_out"]
    answer = client.call("files.search", path=str(folder), pattern="*", max_depth=1, max_results=4)
    assert len(answer["results"]) == 4 and not answer["truncated"]
    for bad in ({"max_depth": 0}, {"max_results": 0}, {"type": "fifo"}, {"timeout": -1}, {"pattern": ""}, {"pattern": "x" * 5000}):
        with expect_error("args.invalid", 400):
            client.rest("files.search", **{"path": str(folder), "pattern": "*", **bad})


def test_search_where_nothing_is(client, folder):
    make(folder, "f")
    with expect_error("files.not_a_directory", 409):
        search(client, folder / "f", "*")
    with expect_error("policy.path_denied", 403):
        search(client, "/etc", "*")
    assert search(client, folder, "x")["path"] == str(folder)


@pytest.mark.parametrize("op", ["files.search", "files.grep"])
def test_b104_r66_a_linked_start_is_followed_and_no_link_below(client, folder, op):
    make(folder, "real/sub/x", content="needle")
    (folder / "link").symlink_to(folder / "real")
    (folder / "relative").symlink_to("real")
    (folder / "real/loop").symlink_to(".")
    (folder / "real/up").symlink_to("..")
    pattern = "x" if op == "files.search" else "needle"
    key = "results" if op == "files.search" else "matches"
    wanted = client.rest(op, path=f"{folder}/real", pattern=pattern)[key]
    assert [one["path"] for one in wanted] == [f"{folder}/real/sub/x"]
    for start in ("link", "link/", "relative", "real/loop", "real/up/link"):
        assert client.rest(op, path=f"{folder}/{start}", pattern=pattern)[key] == wanted
    for start in ("none", "none/x"):
        with expect_error("files.not_found", 404):
            client.rest(op, path=f"{folder}/{start}", pattern=pattern)
    with expect_error("files.not_a_directory", 409):
        client.rest(op, path=f"{folder}/real/sub/x/y", pattern=pattern)


WRITES = [("files.write", {"content": "x"}), ("files.edit", {"edits": [{"old": "x", "new": "y"}]}), ("files.chmod", {"mode": "777"})]
READS = [("files.read", {}), ("files.search", {"pattern": "*"}), ("files.grep", {"pattern": "x"})]


@pytest.mark.parametrize(("op", "more"), READS + WRITES)
def test_b083_no_op_follows_a_link_out(client, folder, outside, op, more):
    (outside / "f").write_text("x")
    for name, target in {"l": outside, "f": outside / "f", "rel": os.path.relpath(outside / "f", folder), "loop": "loop"}.items():
        (folder / name).symlink_to(target)
    for name in ("l", "f", "rel", "l/f", "l/new"):
        with expect_error("policy.path_denied", 403):
            client.call(op, path=f"{folder}/{name}", **more)
    assert 400 <= client.request("POST", f"/ops/{op}", {"path": f"{folder}/loop", **more}).status < 500
    assert (outside / "f").read_text() == "x" and os.listdir(outside) == ["f"]


def test_b083_b087_copies_do_not_lead_out(client, folder, outside):
    (outside / "f").write_text("x")
    (folder / "l").symlink_to(outside)
    (folder / "f").write_text("x")
    for source, destination in (("l/f", "x"), ("l", "x"), ("f", "l/new"), ("f", "../../x")):
        with expect_error("policy.path_denied", 403) as caught:
            client.call("files.copy", source=f"{folder}/{source}", destination=f"{folder}/{destination}")
        assert str(outside) not in caught.error.message
    assert os.listdir(outside) == ["f"]


# rules of the policy

@pytest.fixture
def ruled(make_server):
    server = make_server(policy={"version": 1, "paths": {"deny": ["**/secret"], "readonly": ["**/fixed"]}})
    base = server.base
    make(base, "d/open", "d/secret/x", "d/sub/fixed/x", "e/secret", content="needle")
    return server


def test_r95_walks_pass_over_what_is_denied(ruled):
    client = ruled.client()
    assert found(client, ruled.base, "*x") == ["d/sub/fixed/x"]
    assert found(client, ruled.base, "secret") == []
    assert [path for path, _, _ in lines(client, ruled.base, "needle")] == ["d/open", "d/sub/fixed/x"]
    for op, more in READS:
        with expect_error("policy.path_denied", 403):
            client.call(op, path="e/secret", **more)


def test_r95_nothing_protected_is_changed(ruled):
    client, base = ruled.client(), ruled.base
    for op, more in WRITES:
        with expect_error("policy.path_denied", 403):
            client.call(op, path="e/secret", **more)
        with expect_error("policy.path_readonly", 403):
            client.call(op, path="d/sub/fixed/x", **more)
    before = os.stat(base / "d").st_mode
    for recursive in (True, False):
        with expect_error("policy.path_denied", 403):
            client.call("files.chmod", path="e", mode="700", recursive=recursive)
        with expect_error("policy.path_readonly", 403):
            client.call("files.chmod", path="d/sub", mode="700", recursive=recursive)
    assert os.stat(base / "d").st_mode == before
    client.call("files.chmod", path="d/open", mode="600")


def test_r95_copies_hold_nothing_denied_and_write_nothing_protected(ruled):
    client, base = ruled.client(), ruled.base
    client.call("files.copy", source="e", destination="copy")
    assert os.listdir(base / "copy") == []
    with expect_error("policy.path_readonly", 403):
        client.call("files.copy", source="d", destination="copy2")
    with expect_error("policy.path_readonly", 403):
        client.call("files.copy", source="d/open", destination="d/sub/fixed/x")
    with expect_error("policy.path_denied", 403):
        client.call("files.copy", source="d/open", destination="e/secret")
    with expect_error("policy.path_denied", 403):
        client.call("files.copy", source="e/secret", destination="x")
    assert sorted(os.listdir(base)) == ["copy", "d", "e"]


# grep

def test_grep_lines_and_columns(client, folder):
    make(folder, "a", content="one\ntwo needle needle\r\n\nneedle")
    answer = grep(client, folder, "need[l]e")
    path = f"{folder}/a"
    assert answer == {"path": str(folder), "files_searched": 1, "files_skipped": 0, "truncated": False, "timed_out": False, "matches": [
        {"path": path, "line": 2, "column": 5, "text": "two needle needle\r"}, {"path": path, "line": 4, "column": 1, "text": "needle"}]}
    assert client.call("files.grep", path=path, pattern="needle")["matches"] == answer["matches"]
    assert [hit["line"] for hit in grep(client, folder, "^$")["matches"]] == [3]
    assert grep(client, folder, "nothing")["matches"] == []


def test_grep_options(client, folder):
    make(folder, "a.c", "b.h", "x/a.c", content="a.b\nA.B\naxb\n")
    assert len(lines(client, folder, "a.b")) == 6
    assert lines(client, folder, "a.b", literal=True, glob="a.*") == [("a.c", 1, "a.b"), ("x/a.c", 1, "a.b")]
    assert lines(client, folder, "A.b", literal=True, ignore_case=True, glob="x/*") == [("x/a.c", 1, "a.b"), ("x/a.c", 2, "A.B")]
    assert lines(client, folder, "^axb$", ignore_case=True, glob="**/a.c") == [("a.c", 3, "axb"), ("x/a.c", 3, "axb")]
    answer = grep(client, folder, "a", max_results=3)
    assert len(answer["matches"]) == 3 and answer["truncated"]
    for bad in ({"context": 51}, {"context": -1}, {"max_results": 0}, {"timeout": -1}, {"pattern": "x" * 40000}):
        with expect_error("args.invalid", 400):
            client.rest("files.grep", **{"path": str(folder), "pattern": "a", **bad})


def test_grep_context(client, folder):
    make(folder, "f", content="".join(f"{n}\n" for n in range(1, 11)))
    hits = grep(client, folder, "^(1|5|6|10)$", context=2)["matches"]
    assert [(hit["text"], hit["before"], hit["after"]) for hit in hits] == [
        ("1", [], ["2", "3"]), ("5", ["3", "4"], ["6", "7"]), ("6", ["4", "5"], ["7", "8"]), ("10", ["8", "9"], [])]
    answer = grep(client, folder, "5|6", context=2, max_results=1)
    assert answer["truncated"] and answer["matches"][0]["after"] == ["6", "7"]
    # Of a literal, which is looked for in another way, the same.
    assert grep(client, folder, "10", context=1)["matches"][0]["before"] == ["9"]


def test_grep_tells_of_bytes_replaced_in_the_context_too(client, folder):
    (folder / "text").write_bytes(b"\xe9\nneedle\nplain\nneedle\n\xe9\n")
    told = grep(client, folder, "needle", context=1)["matches"]
    assert [(hit["text"], hit.get("lossy")) for hit in told] == [("needle", True)] * 2
    assert all("lossy" not in hit for hit in grep(client, folder, "needle")["matches"])


def test_grep_passes_over_what_is_no_text(client, folder):
    make(folder, "text", content="needle")
    (folder / "binary").write_bytes(b"needle\n\0")
    (folder / "late").write_bytes(b"needle\n" + b"." * 300000 + b"\n\0needle\n")
    (folder / "bytes").write_bytes(b"\xff needle \xfe\n")
    os.mkfifo(folder / "pipe")
    (folder / "link").symlink_to("text")
    answer = grep(client, folder, "needle")
    assert [os.path.basename(hit["path"]) for hit in answer["matches"]] == ["bytes", "late", "text"]
    assert (answer["files_searched"], answer["files_skipped"]) == (3, 2)
    assert answer["matches"][0]["lossy"] is True and answer["matches"][0]["text"] == "\ufffd needle \ufffd"
    with expect_error("files.not_regular", 409):
        grep(client, folder / "pipe", "x")
    with expect_error("policy.path_denied", 403):
        grep(client, "/etc/passwd", "root")


def test_grep_honours_gitignore(client, folder):
    make(folder, ".git/config", "a.o", "keep.o", "build/x", "src/build/x", "src/a.tmp", "src/deep/b.tmp", "src/deep/c", content="needle")
    (folder / ".gitignore").write_text("# objects\n*.o\n!keep.o\n/build/\n")
    (folder / "src/.gitignore").write_text("*.tmp\n")
    (folder / "src/deep/.gitignore").write_text("!b.tmp\n")
    assert [path for path, _, _ in lines(client, folder, "needle")] == ["keep.o", "src/build/x", "src/deep/b.tmp", "src/deep/c"]
    assert len(lines(client, folder, "needle", no_ignore=True)) == 8


def test_gitignore_is_what_git_says(client, folder):
    """The same tree, judged by git itself."""
    names = ["a.log", "b/a.log", "b/keep.log", "doc/x/y.txt", "doc/y.txt", "t/one", "t/two/three", "sp ace", "#hash", "!bang", "d/e/f/g", "Foo", "q[1]"]
    make(folder, *names, content="needle")
    rules = ["*.log", "!keep.log", "doc/*.txt", "t/**", "!t/one", "sp\\ ace", "\\#hash", "\\!bang", "**/f/", "[fF]oo", "q\\[1\\]", "", "  "]
    (folder / ".gitignore").write_text("\n".join(rules))
    if subprocess.run(["git", "init", "-q", "."], cwd=folder, capture_output=True).returncode:
        pytest.skip("git is not here")
    done = subprocess.run(["git", "ls-files", "-z", "--others", "--exclude-standard"], cwd=folder, capture_output=True, check=True)
    wanted = sorted(set(os.fsdecode(done.stdout).split("\0")) - {"", ".gitignore"})
    assert [path for path, _, _ in lines(client, folder, "^needle$")] == wanted


def rss(server):
    return int(re.search(r"VmRSS:\s+(\d+)", open(f"/proc/{server.pid}/status").read())[1]) * 1024


def test_b102_r65_huge_files_and_too_many_hits(make_server):
    server = make_server()
    client, base = server.client(), server.base
    with open(base / "line", "wb") as out:
        out.write(b"first needle ")
        for _ in range(300):
            out.write(b"." * MIB)
        out.write(b" last needle\n")
    with open(base / "binary", "wb") as out:
        out.truncate(1 << 30)
    (base / "many").write_bytes(b"a match\n" * 2_000_000)
    (base / "long").write_bytes((b"match " + b"x" * 4000 + b"\n") * 5000)
    grep(client, base, "warm")
    before = rss(server)
    for pattern in ("last needle", "last n[e]edle"):
        answer = grep(client, base, pattern, timeout=60, http_timeout=90)
        (hit,) = answer["matches"]
        assert hit["cut"] is True and len(hit["text"]) <= 4096 and "last needle" in hit["text"] and hit["column"] == 13 + 300 * MIB + 2
        assert answer["files_skipped"] == 1 and not answer["timed_out"]
    answer = grep(client, base, "a match", glob="many", max_results=5000)
    assert len(answer["matches"]) == 5000 and answer["truncated"]
    answer = grep(client, base, "match", max_results=100000, glob="long")
    assert answer["truncated"] and len(json.dumps(answer)) < 10 * MIB
    assert rss(server) - before < 60 * MIB, (before, rss(server))
    for name in ("line", "binary"):
        os.unlink(base / name)


def test_b102_it_stops_when_the_caller_leaves(make_server):
    server = make_server()
    client = server.client()
    with open(server.base / "f", "wb") as out:
        for _ in range(64):
            out.write(b"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n" * 32768)
    body = json.dumps({"path": "f", "pattern": r"(\w+\s?){1,3}[bc]$", "timeout": 0}).encode()

    with client.connect() as connection:
        connection.send(client.head("POST", "/files/grep", {"Content-Type": "application/json", "Content-Length": len(body)}), body)
        began = server.cpu_seconds()
        eventually(lambda: server.cpu_seconds() > began + 0.05)
    # The connection of a call is there until its work has ended.
    eventually(lambda: "\nabx_connections 1\n" in client.call("system.prometheus")["text"], what="the end of the search")
    assert client.rest("files.stat", path="f")["exists"]


def test_b105_patterns_that_explode(client, folder):
    make(folder, "f", content="a" * 40 + "!\nfine\n")
    answer = grep(client, folder, "(a+)+$")
    assert answer["timed_out"] and answer["files_given_up"] == [{"path": f"{folder}/f", "timed_out": True}]
    assert answer["files_searched"] == 1
    assert client.request("POST", "/files/grep", {"path": str(folder), "pattern": "(x{1000}){1000}"}).status in (200, 400)
    for pattern, says in (("[", "offset 1"), ("a(b", "offset 3"), ("(?<=a+)b", "offset")):
        with expect_error("args.invalid", 400, says=says):
            grep(client, folder, pattern)
    for pattern in ("", "a\0b"):
        with expect_error("args.invalid", 400):
            grep(client, folder, pattern)
    assert client.rest("core.health")["status"] == "ok"


def test_the_timeout_ends_both(client, folder):
    (folder / "f").write_bytes(b"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n" * 200000)
    for number in range(2000):
        (folder / f"{number}").write_text("")
    assert grep(client, folder / "f", r"(\w+\s?){1,3}[bc]$", timeout=0.05)["timed_out"]
    answer = search(client, folder, "*", timeout=0.000001)
    assert answer["timed_out"] and answer["truncated"]


def test_many_at_once(client, folder):
    make(folder, *(f"{n % 10}/{n}" for n in range(500)), content="needle\n")
    answers = together(lambda _: grep(client, folder, "needle")["matches"], range(12), 4)
    assert all(answer == answers[0] for answer in answers) and len(answers[0]) == 500
    answers = together(lambda _: search(client, folder, "1*", max_results=1000)["results"], range(12), 4)
    assert all(answer == answers[0] for answer in answers) and len(answers[0]) == 112
