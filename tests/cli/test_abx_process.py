# SPDX-License-Identifier: Apache-2.0
"""abx ps, start, logs, kill and stdin against the real server."""
import json

import pytest


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
        assert process.stdout.read() == b"three" and process.wait(20) == 0
    refused = abx("stdin", pid, input=b"x")
    assert refused.code == 1 and "process.stdin: " in refused.err


def test_a_large_input_and_output(abx, start):
    pid = start("-i", "--", "cat")
    data = bytes(range(256)) * 2500
    assert abx("stdin", "--eof", pid, input=data).code == 0
    assert abx("logs", "-f", pid).raw == data
    assert abx("logs", pid).raw == data


def test_output_that_is_gone_is_told(abx, start):
    pid = start("--sh", "head -c 3000000 /dev/zero", "|", "tr '\\0' x")
    while row(abx, pid):
        pass
    done = abx("logs", pid)
    assert done.code == 0 and 0 < len(done.raw) < 3000000
    assert done.err == f"abx: {3000000 - len(done.raw)} bytes of the output are no longer kept\n"


def test_kill(abx, start):
    pid = start("--sh", "trap 'echo got; exit 3' USR1; sleep 1000 >/dev/null 2>&1 & echo ready; wait")
    with abx.start("logs", "-f", pid) as process:
        assert process.stdout.readline() == b"ready\n"
        assert "running" in row(abx, pid)
        assert abx("kill", "-s", "USR1", "--alone", pid).code == 0
        assert process.stdout.readline() == b"got\n" and process.wait(20) == 0
    # What it left behind is reached by its number, until nothing lives any more.
    assert abx("kill", "-s", "KILL", pid).code == 0
    other = start("sleep", "1000")
    assert json.loads(abx("--json", "kill", "-s", "9", other).out)["signal"] == "SIGKILL"
    assert abx("logs", "-f", other).code == 0
    assert "exited (137)" in row(abx, other, "--all")
    assert json.loads(abx("--json", "ps").out)["processes"]


def test_refusals(abx, start):
    for args in (("logs", "no"), ("logs", "-f", "no"), ("kill", "no"), ("stdin", "no")):
        done = abx(*args, input=b"x")
        assert done.code == 5 and done.err.startswith("abx: process."), done
    done = abx("start", "--", "/no/such/program")
    assert done.code == 1 and done.out == "" and "process.start: " in done.err
    assert abx("start").code == 2
    assert abx("start", "--timeout", "soon", "--", "true").code == 2
    silent = start("--no-output", "--", "true")
    assert abx("logs", silent).code == 1
    assert abx("kill", "-s", "NOSUCH", silent).code == 2
