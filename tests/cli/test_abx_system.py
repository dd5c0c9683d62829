# SPDX-License-Identifier: Apache-2.0
"""abx info, top, env, ports, packages, code and git against the real server."""
import json
import os
import pty
import re
import select
import signal
import socket
import subprocess

import pytest

from lib.abx import Abx


@pytest.fixture(scope="module")
def server():
    from lib.server import Server
    with Server(policy={"groups": {"dev_tools": True}, "devtools": {"languages": {"sh": ["sh", "{file}"]}}}) as one:
        yield one
        one.check_silence()


@pytest.fixture
def abx(server, tmp_path):
    return Abx(server.url, tmp_path)


def test_info(abx):
    done = abx("info")
    assert done.code == 0 and f"kernel: {os.uname().release}\n" in done.out
    assert json.loads(abx("--json", "info").out)["os"] == "Linux"


def test_ports(abx, server):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        done = abx("ports")
        assert re.search(rf"^tcp +{port} +127\.0\.0\.1 +{os.getpid()} +\S+", done.out, re.M), done
        assert port in [one["port"] for one in json.loads(abx("--json", "ports").out)["listening"]]


def test_env(abx):
    assert re.search(r"^PATH=\S+$", abx("env").out, re.M)
    assert abx("env", "--set", "CLI_A=1 = 2", "-s", "CLI_B=").code == 0
    assert abx("env", "CLI_A", "CLI_B", "CLI_NONE").out == "CLI_A=1 = 2\nCLI_B=\n"
    assert abx("sh", "echo $CLI_A").out == "1 = 2\n"
    assert json.loads(abx("--json", "env", "-u", "CLI_A").out) == {"updated": ["CLI_A"]}
    assert abx("env", "CLI_*").out == "CLI_B=\n"
    assert abx("env", "-u", "CLI_B").code == 0
    done = abx("env", "CLI_A=2")
    assert done.code == 2 and "--set CLI_A=2" in done.err
    assert abx("env", "--set", "CLI_A").code == 2 and abx("env", "-u", "A", "B").code == 2
    done = abx("env", "--set", "PATH=/evil")
    assert done.code == 4 and "PATH" in done.err


def test_packages(abx):
    assert abx("packages", "apk").code == 0
    if os.path.exists("/var/lib/dpkg/status"):
        assert re.search(r"^libc6 \S+$", abx("packages", "apt").out, re.M)
    assert {"manager", "packages"} == json.loads(abx("--json", "packages", "apk").out).keys()
    assert abx("packages", "brew").code == 2


def test_top_once(abx):
    for words in (("top",), ("top", "--once")):
        done = abx(*words)
        assert done.code == 0 and "\033" not in done.out
        assert [line.split()[0] for line in done.out.splitlines()] == ["cpu", "memory", "disk", "load", "network", "running"]
    assert json.loads(abx("--json", "top").out)["memory_total_mb"] > 0


def test_top_live(abx):
    ours, theirs = pty.openpty()
    process = abx.start("top", stdin=theirs, stdout=theirs)
    os.close(theirs)
    seen = b""
    while seen.count(b"\033[H\033[J") < 2:
        assert select.select([ours], [], [], 60)[0], seen
        seen += os.read(ours, 4096)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0 and process.stderr.read() == b""
    os.close(ours)


def test_code(abx, tmp_path):
    done = abx("code", "python", input=b"import sys; print('\xc3\xa4'); print('e', file=sys.stderr); sys.exit(3)")
    assert (done.code, done.raw, done.err) == (3, "ä\n".encode(), "e\n")
    (tmp_path / "script").write_text("cat; echo $X; pwd; exit 4")
    done = abx("code", "sh", "script", "-i", "-e", "X=y", "-w", "/", input=b"in ")
    assert done.code == 125 and "outside" in done.err
    done = abx("code", "sh", "script", "-i", "-e", "X=y", input=b"in ")
    assert done.code == 4 and done.out.startswith("in y\n")
    assert abx("code", "sh", "-", input=b"echo $1-").out == "-\n"
    assert json.loads(abx("--json", "code", "sh", input=b"exit 5").out)["exit_code"] == 5


def test_code_whose_output_is_not_whole(abx):
    """The code's own exit code, but not without a word."""
    done = abx("code", "python", input=b"import os; os.write(1, b'a\\xff'); raise SystemExit(3)")
    assert (done.code, done.out) == (3, "a\ufffd") and "not UTF-8" in done.err
    done = abx("code", "sh", input=b"head -c 10485761 /dev/zero | tr '\\0' x")
    assert done.code == 0 and len(done.out) == 10_485_760 and "output is missing" in done.err


def test_code_that_fails_for_us(abx, tmp_path):
    assert abx("code", "sh", "--timeout", "0.3", input=b"sleep 7780").code == 124
    done = abx("code", "cobol", input=b"")
    assert done.code == 125 and "cobol" in done.err
    for words in (("code", "sh", "none"), ("code", "sh", "-i"), ("code",)):
        assert abx(*words).code == 125
    (tmp_path / "bytes").write_bytes(b"\xff")
    assert abx("code", "sh", "bytes").code == 125


@pytest.fixture
def repo(server):
    path = server.base / "repo"
    if not path.exists():
        path.mkdir()
        def git(*words):
            subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e@x", "-c", "maintenance.auto=false", *words], cwd=path, check=True, capture_output=True)
        git("init", "-q", "-b", "main")
        for name in ("a", "b", "c"):
            (path / name).write_text(f"{name}\n" * 5)
        git("add", ".")
        git("commit", "-qm", "first")
        git("mv", "b", "moved")
        (path / "c").write_text("staged\n")
        git("add", "c")
        (path / "a").write_text("a\nchanged\x1b[31m\n")
        (path / "new").write_text("x\n")
    return path


def test_git_status(abx, repo):
    done = abx("git", "status", str(repo))
    assert done.code == 0
    assert done.out == "## main\n M a\nM  c\nR  b -> moved\n?? new\n"
    assert abx("git", "status", f":{repo}").out == done.out
    assert json.loads(abx("--json", "git", "status", "repo").out)["root"] == str(repo)
    done = abx("git", "status")
    assert done.code != 0 and "in no git repository" in done.err


def test_git_diff(abx, repo):
    done = abx("git", "diff", "-C", "repo")
    assert done.code == 0 and "\n+changed\x1b[31m\n" in done.out and done.out.startswith("diff --git a/a b/a\n")
    assert abx("git", "diff", "-C", "repo", "c").out == ""
    assert "+staged" in abx("git", "diff", "-C", "repo", "--staged", "c").out
    assert json.loads(abx("--json", "git", "diff", "-C", "repo").out)["stats"]["files_changed"] == 1


def test_git_diff_of_what_is_not_utf8(abx, server):
    """A name goes through as it is; a patch with replaced bytes is not told as a good one."""
    path = server.base / "latin"
    path.mkdir()
    odd = os.fsdecode(b"n\xff")
    (path / odd).write_text("one\n")
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "first")):
        subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e@x", "-c", "maintenance.auto=false", *words], cwd=path, check=True, capture_output=True)
    (path / "b").write_text("b\n")
    subprocess.run(["git", "add", "-N", "b"], cwd=path, check=True)
    (path / odd).write_text("two\n")
    done = abx("git", "diff", "-C", "latin", odd)
    assert "+two" in done.out and "+b" not in done.out
    assert done.code == 1 and "cannot be applied" in done.err
    assert abx("git", "diff", "-C", "latin", "b").code == 0


def test_git_diff_on_a_terminal(abx, repo):
    ours, theirs = pty.openpty()
    process = abx.start("git", "diff", "-C", "repo", stdout=theirs, env={"NO_COLOR": "1"})
    os.close(theirs)
    seen = b""
    try:
        while part := os.read(ours, 4096):
            seen += part
    except OSError:
        pass
    os.close(ours)
    assert process.wait(60) == 0
    assert b"+changed\\x1b[31m" in seen and b"\x1b" not in seen
