# SPDX-License-Identifier: Apache-2.0
"""abx ps, start, logs, kill and stdin against the real server; a program that writes to nobody."""
import json
import os
import random
import signal

import pytest

from lib.abx import Abx
from lib.cut import Cut
from lib.processes import eventually, is_alive, unread


@pytest.fixture
def start(abx):
    """Starts a process, whose pid it gives; at the end all are ended."""
    pids = []

    def begin(*args, **how):
        done = abx("start", *args, **how)
        assert done.code == 0 and done.err == "", done
        pids.append(done.out.strip())
        assert pids[-1].isdigit()
        return pids[-1]

    yield begin
    for pid in pids:
        abx("kill", "-s", "KILL", pid)


def row(abx, pid, *flags):
    lines = abx("ps", *flags).out.splitlines()
    return next((line for line in lines if line.split()[0] == pid), None)


def test_start_and_follow(abx, start, folder):
    pid = start("-w", str(folder), "-e", "A=b c", "--name", "n1", "--", "sh", "-c",
                'pwd; printf "%s" "$A"; printf "\\377\\000e" >&2; exit 7')
    done = abx("logs", "-f", pid)
    assert done.code == 0 and done.raw == f"{folder}\nb c".encode() and done.err_raw == b"\xff\x00e"
    again = abx("logs", pid)
    assert (again.code, again.raw, again.err_raw) == (0, done.raw, done.err_raw)
    assert row(abx, pid) is None
    line = row(abx, pid, "-a")
    assert "exited (7)" in line and " n1 " in line
    events = [json.loads(line) for line in abx("--json", "logs", "-f", pid).out.splitlines()]
    assert events[-1]["event"] == "exit" and events[-1]["data"]["exit_code"] == 7


def test_follow_shows_what_comes(abx, start):
    pid = start("-i", "--", "cat")
    with abx.start("logs", "-f", pid) as process:
        for text in (b"one\n", b"two\n"):
            assert abx("stdin", pid, input=text).code == 0
            assert process.stdout.readline() == text
        # What runs has no end yet, but reading it ends.
        assert abx("logs", pid).raw == b"one\ntwo\n"
        assert abx("stdin", "--eof", pid, input=b"three").code == 0
        assert process.stdout.read() == b"three" and process.wait(60) == 0
    refused = abx("stdin", pid, input=b"x")
    assert refused.code == 1 and "process.stdin: " in refused.err


@pytest.mark.parametrize("json_form", [False, True])
def test_following_goes_on_where_a_connection_broke(abx, server, start, json_form):
    pid = start("--sh", "for i in $(seq 8000); do echo line $i é; [ $((i % 5)) -ne 0 ] || echo err $i >&2; done")
    whole = abx("logs", "-f", pid)
    assert whole.code == 0 and whole.raw.count(b"\n") == 8000
    places = random.Random(7)
    cut = Cut(server, [places.randrange(50000, 90000) for _ in range(4)])
    far = Abx(cut.url, abx.home, token=abx.token)
    if json_form:
        events = [json.loads(line) for line in far("--json", "--quiet", "logs", "-f", pid).out.splitlines()]
        for stream, wanted in ("stdout", whole.raw), ("stderr", whole.err_raw):
            assert "".join(e["data"]["data"] for e in events if e["data"].get("stream") == stream) == wanted.decode()
        assert events[-1]["event"] == "exit"
    else:
        done = far("--quiet", "logs", "-f", pid)
        assert (done.code, done.raw, done.err_raw) == (0, whole.raw, whole.err_raw)
    assert cut.connections > 1
    cut.stop()


def test_following_ends_with_the_server(make_server, tmp_path):
    own = make_server()
    abx = Abx(own.url, tmp_path)
    pid = abx("start", "--", "sh", "-c", "echo one; exec sleep 1000").out.strip()
    with abx.start("logs", "-f", pid) as process:
        assert process.stdout.readline() == b"one\n"
        own.kill()
        assert process.wait(60) == 1
        said = process.stderr.read().decode().splitlines()
        assert said[0] == "abx: the connection broke; going on where it did" and "cannot reach the server" in said[1]
    # What never began is not tried again.
    assert abx("logs", "-f", pid).err.count("\n") == 1


def test_a_large_input_and_output(abx, start):
    pid = start("-i", "--", "cat")
    data = bytes(range(256)) * 2500
    assert abx("stdin", "--eof", pid, input=data).code == 0
    assert abx("logs", "-f", pid).raw == data
    assert abx("logs", pid).raw == data


def test_output_that_is_gone_is_told(abx, start):
    pid = start("--sh", "head -c 3000000 /dev/zero", "|", "tr '\\0' x")
    assert abx("--quiet", "logs", "-f", pid).code == 0  # it has ended, and all of its output was read
    done = abx("logs", pid)
    assert done.code == 0 and 0 < len(done.raw) < 3000000
    assert done.err == f"abx: {3000000 - len(done.raw)} bytes of the output are no longer kept\n"


def test_kill(abx, start):
    pid = start("--sh", "trap 'echo got; exit 3' USR1; sleep 1000 >/dev/null 2>&1 & echo ready; wait")
    with abx.start("logs", "-f", pid) as process:
        assert process.stdout.readline() == b"ready\n"
        assert "running" in row(abx, pid)
        assert abx("kill", "-s", "USR1", "--alone", pid).code == 0
        assert process.stdout.readline() == b"got\n" and process.wait(60) == 0
    # What it left behind is reached by its number, until nothing lives any more.
    assert abx("kill", "-s", "KILL", pid).code == 0
    other = start("sleep", "1000")
    assert json.loads(abx("--json", "kill", "-s", "9", other).out)["signal"] == "SIGKILL"
    assert abx("logs", "-f", other).code == 0
    assert "exited (137)" in row(abx, other, "--all")
    assert json.loads(abx("--json", "ps").out)["processes"]


def test_ctrl_c_while_nobody_reads(abx):
    process = abx.start("sh", "echo $$; exec yes")
    pid = int(os.read(process.stdout.fileno(), 100).split()[0])
    eventually(lambda: unread(process.stdout) > 1 << 15)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130 and process.stderr.read() == b""
    eventually(lambda: not is_alive(pid), what="the end of yes")


def test_refusals(abx, start):
    for args in (("logs", "no"), ("logs", "-f", "no"), ("kill", "no"), ("stdin", "no")):
        done = abx(*args, input=b"x")
        assert done.code == 5 and done.err.startswith("abx: process."), done
    assert abx("stdin", "no", input=b"").code == 5
    done = abx("start", "--", "/no/such/program")
    assert done.code == 1 and done.out == "" and "process.start: " in done.err
    assert abx("start").code == 2
    assert abx("start", "--timeout", "soon", "--", "true").code == 2
    silent = start("--no-output", "--", "true")
    assert abx("logs", silent).code == 1
    assert abx("kill", "-s", "NOSUCH", silent).code == 2
