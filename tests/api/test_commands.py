# SPDX-License-Identifier: Apache-2.0
"""commands.run: output, ends, input, what cannot be started (B001 to B036).  Each runs with cgroups and without."""
import base64
import contextlib
import json
import os
import time

import pytest

from lib.client import expect_error
from lib.parallel import together
from lib.processes import children, eventually, gone, in_time, nap, no_descriptor_is_left, running, sleeping
from lib.server import is_sanitized

MIB = 1 << 20


def run(client, command=None, **more):
    if command is not None:
        more["command"] = command
    return client.call("commands.run", **more)


def end(number):
    for pid in sleeping(number):
        os.kill(pid, 9)


# --- output


@pytest.mark.parametrize("redirection, held", [("", True), ("</dev/null >/dev/null", True), ("</dev/null >/dev/null 2>&1", False)])
def test_b001_r01_r02_a_background_child_does_not_hold_the_answer(runner, redirection, held):
    """It is left alone, by the same rule for all three; that a pipe was still held is told."""
    number = nap()

    def is_told():
        """A child that is slow to redirect its output holds the pipe until it has."""
        result = run(runner, f"sleep {number} {redirection} & echo hi")
        assert (result["stdout"], result["exit_code"]) == ("hi\n", 0)
        assert result.get("background") or not held
        return result.get("background", False) == held

    try:
        eventually(is_told)
        eventually(lambda: sleeping(number))  # the answer may be faster than its exec
    finally:
        end(number)


def test_b003_r01_a_background_child_that_prints_all_the_time(runner):
    server = runner.server
    mark = nap()
    result = run(runner, f"(trap 'echo $? >pipe-{mark}' PIPE EXIT; while :; do echo x; sleep 0.05; done) & echo done", timeout=60)
    assert result["exit_code"] == 0 and result["background"] is True and "done\n" in result["stdout"]
    before = server.rss_kib()
    eventually(lambda: (server.base / f"pipe-{mark}").exists(), what="the writer met SIGPIPE")
    assert is_sanitized() or server.rss_kib() - before < 4096


def test_r01_what_comes_just_behind_the_exit_is_read(runner):
    def is_read():
        result = run(runner, "(sleep 0.05; echo late) & echo early")
        return result["stdout"] == "early\nlate\n" and "background" not in result
    eventually(is_read)  # a machine that stalls may let it come too late


def test_b006_output_that_ends_inside_a_character(runner):
    text = run(runner, "printf 'ok\\342\\202'")
    assert (text["stdout"], text["lossy"]) == ("ok\ufffd", True)
    exact = run(runner, "printf 'ok\\342\\202'", encoding="base64")
    assert exact["stdout"] == "b2vigg==" and "lossy" not in exact


def test_b007_r03_the_limit_does_not_cut_a_character(runner):
    result = run(runner, "printf '%0.s\\303\\251' $(seq 20)", max_output_bytes=11)
    assert result["stdout"] == "é" * 5 and result["stdout_truncated"] is True and result["stdout_bytes"] == 40
    assert result["stderr_truncated"] is False and "lossy" not in result
    exact = run(runner, "printf '%0.s\\303\\251' $(seq 20)", max_output_bytes=11, encoding="base64")
    assert base64.b64decode(exact["stdout"]) == "é".encode() * 5 + b"\xc3"


@pytest.mark.parametrize("size, limit, truncated", [(10, 10, False), (11, 10, True), (0, 0, False), (5, 0, True)])
def test_r03_truncated_is_true_exactly_when_bytes_are_missing(runner, size, limit, truncated):
    result = run(runner, f"head -c {size} /dev/zero | tr '\\0' a", max_output_bytes=limit)
    assert result["stdout"] == "a" * min(size, limit)
    assert (result["stdout_bytes"], result["stdout_truncated"]) == (size, truncated)


def test_b008_r04_nul_and_bytes_that_are_not_utf8(runner):
    text = run(runner, "printf 'a\\000b\\377\\376c\\n'")
    assert text["stdout"] == "a\0b\ufffd\ufffdc\n" and text["lossy"] is True
    exact = run(runner, "printf 'a\\000b\\377\\376c\\n'", encoding="base64")
    assert base64.b64decode(exact["stdout"]) == b"a\0b\xff\xfec\n"
    assert "lossy" not in run(runner, "printf 'a\\000b'")


def test_r04_lossy_tells_of_our_replacements_only(runner):
    assert "lossy" not in run(runner, "printf '\\357\\277\\275'")


def test_b009_r03_truncation_is_told(runner):
    result = run(runner, "echo BEGIN; head -c 20000000 /dev/zero | tr '\\0' x; echo END")
    assert result["stdout_truncated"] is True and result["stdout_bytes"] == 20_000_010
    assert len(result["stdout"]) == 10_485_760 and result["stdout"].startswith("BEGIN\nxxx") and result["exit_code"] == 0


def test_b010_memory_does_not_follow_the_output(process_server, runner):
    """60 MB each of eight at once: the bound is that of the kept bytes and the budget, not of the output."""
    before = process_server.rss_kib()
    limit = 1 * MIB
    done = []

    def one(_):
        result = run(runner, "head -c 60000000 /dev/zero", max_output_bytes=limit)
        assert result["stdout_bytes"] == 60_000_000 and result["stdout_truncated"] is True
        done.append(1)

    def alive(_):
        while len(done) < 8:
            assert runner.rest("core.health") == {"status": "ok"}

    together(lambda job: job(None), [one] * 8 + [alive])
    assert is_sanitized() or process_server.peak_kib() - before < (8 * 2 * limit + 32 * MIB) // 1024


def test_a_hundred_commands_at_once_with_two_megabytes_each(make_server):
    """They share max_memory_bytes; whoever gets less is told so by stdout_truncated, and nobody fails."""
    server = make_server()
    client = server.client(timeout=200)
    before = server.rss_kib()
    results = together(lambda _: run(client, "head -c 2000000 /dev/zero", encoding="base64"), range(100), most=100)
    for result in results:
        kept = len(base64.b64decode(result["stdout"]))
        assert result["stdout_bytes"] == 2_000_000 and result["exit_code"] == 0
        assert result["stdout_truncated"] is (kept < 2_000_000)
    assert is_sanitized() or server.peak_kib() - before < (64 + 48) * 1024


def test_b014_137_is_not_proof_of_a_signal(runner):
    result = run(runner, "exit 137")
    assert result["exit_code"] == 137 and "signal" not in result
    result = run(runner, "kill -KILL $$")
    assert (result["exit_code"], result["signal"]) == (137, "SIGKILL")
    assert "oom_killed" not in result
    assert run(runner, "kill -TERM $$")["signal"] == "SIGTERM"
    assert run(runner, "kill -40 $$")["signal"] == "SIG40"


def test_both_streams(runner):
    result = run(runner, "echo out; echo err >&2; exit 3")
    assert (result["stdout"], result["stderr"], result["exit_code"]) == ("out\n", "err\n", 3)
    assert (result["stdout_bytes"], result["stderr_bytes"]) == (4, 4)
    assert result["duration_ms"] >= 0 and result["pid"] > 1
    assert run(runner, "printf 'no newline'")["stdout"] == "no newline"


# --- what cannot be started


def test_b015_r08_an_unknown_program(runner, process_server):
    result = run(runner, "no-such-tool-xyz --flag")
    assert result["exit_code"] == 127 and "no-such-tool-xyz" in result["stderr"]
    bad = process_server.base / "badinterp"
    bad.write_text("#!/no/such/interp\n")
    bad.chmod(0o755)
    for program, reason in (("no-such-tool-xyz", "no such"), ("/etc/passwd", "not executable"), (str(bad), "interpreter"),
                            (str(process_server.base), "")):
        with expect_error("commands.cannot_start", 400) as caught:
            run(runner, argv=[program])
        error = caught.error
        assert program in error.message and reason in error.message
        assert error.details["step"] == "exec" and error.details["path"] == program and error.details["errno"]


def test_b015_a_file_that_is_no_program(runner, process_server):
    text = process_server.base / "plain"
    text.write_text("just text")
    text.chmod(0o755)
    with expect_error("commands.cannot_start", 400, says=str(text)):
        run(runner, argv=[str(text)])


def test_argv_reaches_the_program_unchanged(runner):
    words = ["a b", "*", "$HOME", "'", '"', "\\", "", "\n", "ä", "-n"]
    result = run(runner, argv=["printf", "%s\\0", *words])
    assert result["stdout"].split("\0")[:-1] == words
    with expect_error("args.invalid", says="argv"):
        run(runner, argv=[])
    with expect_error("args.invalid", says="argv"):
        run(runner, argv=[""])


def test_a_shell_of_ones_own(runner):
    assert run(runner, "echo $0", shell="/bin/sh")["stdout"] == "/bin/sh\n"
    with expect_error("commands.cannot_start", says="/no/such/shell"):
        run(runner, "true", shell="/no/such/shell")


def test_b016_r08_a_bad_cwd(runner, process_server, outside):
    base = process_server.base
    (base / "file").write_text("")
    (base / "deleted").mkdir(exist_ok=True)
    (base / "deleted").rmdir()
    for path in ("none", "file", "deleted"):
        with expect_error("commands.cannot_start", 400, says="cwd") as caught:
            run(runner, "pwd", cwd=str(base / path))
        assert str(base / path) in caught.error.message and caught.error.details["step"] == "cwd"
        assert "not found" not in caught.error.message
    with expect_error("policy.path_denied", 403):
        run(runner, "pwd", cwd=str(outside))
    (base / "good").mkdir(exist_ok=True)
    assert run(runner, "pwd", cwd=str(base / "good"))["stdout"] == run(runner, "pwd", cwd="good")["stdout"] == f"{base}/good\n"
    assert run(runner, "pwd")["stdout"] == f"{base}\n"


def test_b016_a_cwd_that_may_not_be_entered(make_server):
    if os.geteuid() != 0:
        pytest.skip("only root runs programs as another user")
    server = make_server(policy={"process": {"user": "nobody"}, "groups": {"dev_tools": True}}, token="token-of-b016")
    server.scratch.chmod(0o755)
    shut = server.base / "shut"
    shut.mkdir(mode=0o700)
    for op, args in (("commands.run", {"command": "pwd"}), ("process.start", {"argv": ["pwd"]}), ("terminal.create", {}),
                     ("devtools.code.run", {"code": "pwd", "language": "bash"})):
        with expect_error("commands.cannot_start", 400, says=f"cwd '{shut}': Permission denied") as caught:
            server.client().call(op, cwd=str(shut), **args)
        assert caught.error.details == {"step": "cwd", "errno": "EACCES", "path": str(shut)}
    shut.chmod(0o755)
    server.base.chmod(0o700)  # the one that nobody named
    with expect_error("commands.cannot_start", 400, says=f"cwd '{server.base}': Permission denied"):
        run(server.client(), "pwd")


# --- the text of a command


def test_b018_a_here_document(runner):
    text = "line one\n  $HOME `x`\n"
    assert run(runner, f"cat > h.txt <<'EOF'\n{text}EOF\ncat h.txt")["stdout"] == text
    for _ in range(20):
        assert run(runner, "echo ok")["stdout"] == "ok\n"


def test_b020_the_text_reaches_the_shell_unchanged(runner):
    command = "case x in (x) echo y;; esac; cat <<< \"a'b\"; f() { echo $((1<<3)); }; f; [[ a =~ ^[a-z]$ ]] && echo ok"
    assert run(runner, command, shell="/bin/bash")["stdout"] == "y\na'b\n8\nok\n"


def test_r07_long_commands(runner):
    for size in (131_000, 131_071, 131_072, 140_000, 5_000_000):
        command = "# " + "x" * (size - 20) + "\necho $((1 + 1))\n"
        result = run(runner, command)
        assert (result["stdout"], result["stderr"], result["exit_code"]) == ("2\n", "", 0), size
    # The descriptor that it came through is not inherited, and the text is whole to its last newline.
    padding = "# " + "x" * 140_000 + "\n"
    assert run(runner, padding + "ls /proc/self/fd | wc -l; env | grep -c abx_text; exit 5")["exit_code"] == 5
    listed = run(runner, padding + "ls -l /proc/self/fd")["stdout"]
    assert "memfd" not in listed
    assert run(runner, padding + "cat <<'E'\na\n\nE")["stdout"] == "a\n\n"


def test_r07_a_long_command_needs_no_program_but_the_shell(runner, process_server):
    """Where PATH has no cat, or one that fails, a command that was not read whole is no success."""
    text = "# " + "x" * 140_000 + "\nprintf '%s\\n' 'a  b\\t'\n  echo \"${abx_text-unset}\"; ls -l /proc/self/fd 2>&-\necho end # no newline"
    for shell in ("/bin/bash", "/bin/sh"):
        result = run(runner, text, shell=shell, env={"PATH": "/nonexistent"})
        assert (result["stdout"], result["exit_code"]) == ("a  b\\t\nunset\nend\n", 0)
    (process_server.base / "bin").mkdir(exist_ok=True)
    cat = process_server.base / "bin" / "cat"
    cat.write_text("#!/bin/sh\necho echo half\nexit 1\n")
    cat.chmod(0o755)
    for shell in ("/bin/bash", "/bin/sh"):
        result = run(runner, text, shell=shell, env={"PATH": str(cat.parent)})
        assert (result["stdout"], result["exit_code"]) == ("", 126)


def test_r07_long_arguments_and_variables(runner):
    assert run(runner, argv=["printf", "%s", "x" * 131_071])["stdout_bytes"] == 131_071
    with expect_error("args.invalid", 400, says="131071"):
        run(runner, argv=["printf", "%s", "x" * 131_072])
    assert run(runner, "printf %s \"$A\" | wc -c", env={"A": "x" * 131_069})["stdout"].strip() == "131069"
    with expect_error("args.invalid", 400, says="'A") as caught:
        run(runner, "true", env={"A": "x" * 131_072})
    assert "131071" in caught.error.message


def test_more_arguments_than_the_system_takes(runner):
    with expect_error("commands.cannot_start", 400) as caught:
        run(runner, argv=["true"] + ["x" * 100_000] * 80)
    assert caught.error.details["step"] == "exec"


# --- ends


def test_b021_r05_a_timeout_ends_all_that_was_started(runner):
    one, two = nap(), nap()

    def ended(timeout):
        with expect_error("commands.timeout", 408) as caught:
            run(runner, f"echo before; sleep {one} & (sleep {two}; true) | cat", timeout=timeout)
        assert not sleeping(one) and not sleeping(two), "the answer comes when the tree is gone (R05)"
        details = caught.error.details
        assert details["timeout"] == timeout and details["exit_code"] in (0, 143)
        return details["stdout"] == "before\n" and details

    details = in_time(ended)
    assert {"stderr", "duration_ms", "pid", "stdout_truncated", "stderr_truncated"} <= details.keys()


@pytest.mark.parametrize("escape", [
    "setsid sleep {n} & sleep 60", "setsid sh -c 'sleep {n} & sleep 61' & sleep 60", "nohup sleep {n} >/dev/null 2>&1 & sleep 60",
    "(setsid sh -c 'setsid sleep {n} &' &) ; sleep 60", "cd / && (exec -a other sleep {n}) & sleep 60"])
def test_b021_whoever_left_the_session_is_ended_too(runner, escape):
    number = nap()
    with expect_error("commands.timeout"):
        run(runner, escape.format(n=number), timeout=0.5)
    assert not sleeping(number) and not running("other", number)


def test_b022_a_descendant_that_ignores_sigterm(runner):
    one, two = nap(), nap()

    def killed(timeout):
        began = time.monotonic()
        with expect_error("commands.timeout") as caught:
            run(runner, f"trap '' TERM INT HUP; echo deaf; (trap '' TERM; sleep {one}) ; sleep {two}", timeout=timeout)
        assert not sleeping(one) and not sleeping(two)
        return caught.error.details["stdout"] == "deaf\n" and (caught.error.details["signal"], time.monotonic() - began - timeout)

    signal, grace = in_time(killed)
    assert signal == "SIGKILL" and grace > 1.5


def test_a_timeout_leaves_time_to_clean_up(runner, process_server):
    def cleaned(timeout):
        mark = process_server.base / f"clean-{nap()}"
        with expect_error("commands.timeout"):
            run(runner, f"trap 'echo clean >{mark}; exit 9' TERM; while :; do sleep 0.05; done", timeout=timeout)
        return mark.exists() and mark.read_text()

    assert in_time(cleaned) == "clean\n"


def test_b024_many_timeouts_with_held_pipes(process_server, runner):
    number = nap()

    def one(_):
        with expect_error("commands.timeout"):
            run(runner, f"setsid sleep {number} & sleep 60", timeout=0.5)

    with no_descriptor_is_left(process_server):
        together(one, range(50))
    assert run(runner, "echo alive")["stdout"] == "alive\n"
    assert not sleeping(number)


TIMEOUTS = {"0": (200, 0), "0.001": (408, 0.001), "-1": (400, None), '"5"': (400, None), "null": (400, None), "1e400": (400, None),
            "3600": (200, 3600), "3601": (400, None), "9223372036854775807": (400, None), "absent": (200, 300), "62.5": (200, 62.5),
            "-0.0": (200, 0), "true": (400, None)}


@pytest.mark.parametrize("value", TIMEOUTS)
def test_b026_r06_timeouts(runner, value):
    """No limit and its absence as documented; over the cap refused, with the cap named; what is in force is told."""
    status, told = TIMEOUTS[value]
    more = "" if value == "absent" else f',"timeout":{value}'
    command = "sleep 600" if status == 408 else "echo ok"
    reply = runner.request("POST", "/shell", f'{{"command":"{command}"{more}}}'.encode())
    body = json.loads(reply.read())
    assert reply.status == status, body
    if status == 400:
        assert body["wire_code"] == "args.invalid" and "timeout" in body["error"]
        assert "360" not in value or "3600" in body["error"]
    else:
        assert (body if status == 200 else body["details"])["timeout"] == told
        assert status == 408 or body["stdout"] == "ok\n"


@pytest.mark.parametrize("leave", ["close", "reset", "half_close"])
def test_b027_r14_the_caller_goes_away(runner, leave):
    number = nap()
    body = json.dumps({"command": f"sleep {number} & setsid sleep {number} & sleep {number}"})
    with runner.connect() as connection:
        connection.send(f"POST /shell HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n{body}")
        eventually(lambda: len(sleeping(number)) == 3, what="the command runs")
        getattr(connection, leave)()
        gone(number)


def test_b027_the_caller_goes_away_while_background_children_hold_the_pipe(runner):
    def is_ended():
        """Whether it went before the two seconds were over after which such children are left alone."""
        number = nap()
        body = json.dumps({"command": f"sleep {number} & while :; do sleep 0.05; echo x; done & exit 0"})
        with runner.connect() as connection:
            connection.send(f"POST /shell HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n{body}")
            eventually(lambda: sleeping(number), what="the command runs")
            connection.reset()
        with contextlib.suppress(AssertionError):
            eventually(lambda: not sleeping(number), 10)
            return True
        end(number)
        return False

    assert any(is_ended() for _ in range(4))


def test_b028_stuck_commands_do_not_block_the_rest(runner):
    number = nap()
    stuck = []
    try:
        for _ in range(40):
            connection = runner.connect()
            body = json.dumps({"command": f"exec sleep {number}", "timeout": 600})
            connection.send(f"POST /shell HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n{body}")
            stuck.append(connection)
        eventually(lambda: len(sleeping(number)) == 40, what="all 40 run")
        for ask in (lambda: run(runner, "echo alive")["stdout"] == "alive\n", lambda: runner.rest("files.stat", path=".")["exists"],
                    lambda: runner.rest("core.health")["status"] == "ok"):
            assert ask()
    finally:
        for connection in stuck:
            connection.close()
    gone(number)


def test_b029_r09_end_of_file_at_once_without_stdin(runner):
    result = run(runner, "cat; wc -c; python3 -c 'import sys; print(len(sys.stdin.read()))'")
    assert result["stdout"].split() == ["0", "0"]
    assert run(runner, "readlink /proc/self/fd/0")["stdout"] == "/dev/null\n"


def test_b030_stdin_is_fed_while_both_outputs_are_read(runner):
    text = "0123456789abcdef" * (512 * 1024)
    result = run(runner, "tee /dev/stderr", stdin=text)
    assert result["stdout"] == result["stderr"] == text and result["exit_code"] == 0
    result = run(runner, "head -c 400000 /dev/zero >&2; echo ok")
    assert result["stdout"] == "ok\n" and result["stderr_bytes"] == 400_000 and result["stderr"] == "\0" * 400_000


def test_b030_a_command_that_does_not_want_its_stdin(runner):
    result = run(runner, "exec <&-; echo ok", stdin="x" * 8 * MIB)
    assert result["stdout"] == "ok\n"
    assert run(runner, "head -c 3", stdin="abcdef" * MIB)["stdout"] == "abc"
    number = nap()
    with expect_error("commands.timeout"):
        run(runner, f"sleep {number}", stdin="x" * 4 * MIB, timeout=0.3)


def test_stdin_as_bytes_and_empty(runner):
    data = bytes(range(256)) * 100
    encoded = base64.b64encode(data).decode()
    assert base64.b64decode(run(runner, "cat", stdin_b64=encoded, encoding="base64")["stdout"]) == data
    assert run(runner, "wc -c", stdin="")["stdout"].strip() == "0"
    assert run(runner, "cat", stdin="ä\0\n")["stdout"] == "ä\0\n"
    with expect_error("args.invalid", says="only one of 'stdin', 'stdin_b64'"):
        run(runner, "cat", stdin="", stdin_b64="")
    with expect_error("args.invalid", says="base64"):
        run(runner, "cat", stdin_b64="a")


def test_b035_silence_is_no_hang(runner):
    """No limit on silence exists; that none of the connection's limits applies is in test_http_conn.c."""
    assert run(runner, "sleep 1.2; echo ok", timeout=60)["stdout"] == "ok\n"


def test_b036_r13_r17_the_docs_name_the_way_out(runner):
    run_op, stream_op = runner.ops["commands.run"], runner.ops["commands.stream"]
    for name in ("commands.stream", "process.start", "process.output"):
        assert name in run_op["description"]
    assert "process.start" in stream_op["description"]


# --- surroundings


LEADER = "ps -o pid=,pgid=,sid=,tty= -p $$; (exec 3<>/dev/tty) 2>/dev/null || echo none; wc -c"


def test_r09_r10_its_own_session_no_terminal_and_no_input(make_server, process_server):
    """Of commands, processes and code alike: nothing can wait for a person (B160)."""
    client = make_server(*["--no-cgroups"] * ("--no-cgroups" in process_server.command), policy={"groups": {"dev_tools": True}}).client()
    shown = [run(client, argv=["sh", "-c", LEADER])["stdout"], client.call("devtools.code.run", code=LEADER, language="bash")["stdout"]]
    started = client.call("process.start", argv=["sh", "-c", LEADER], capture_output=True)
    with client.stream("process.follow", pid=started["id"]) as stream:
        shown.append(stream.collect()["chunk"])
    for text in shown:
        pid, group, session, *rest = text.split()
        assert pid == group == session and rest == ["?", "none", "0"]


def test_children_inherit_no_descriptors(runner):
    with runner.stream("commands.stream", command="echo; exec sleep 600") as other:
        other.until("stdout")
        # ls opens one itself.
        assert run(runner, "ls /proc/self/fd")["stdout"].split() == ["0", "1", "2", "3"]


@pytest.mark.parametrize("command", [
    "sudo -k true", "ssh -o ConnectTimeout=1 127.0.0.1", "git commit", "git clone https://127.0.0.1:1/x",
    "python3 -c 'import getpass; getpass.getpass()'", "npm init", "read -p name: x", "less /etc/passwd", "su -c true nobody", "passwd",
    "sh -c 'stty -a; read x'"])
def test_b160_none_waits_for_a_person(runner, command):
    """What is not installed on this machine ends with 127, which is an end too."""
    run(runner, command, timeout=80, http_timeout=100)


def test_b160_a_pager_does_not_wait(runner):
    script = ("git init -q repo && cd repo && for i in $(seq 40); do git -c user.name=x -c user.email=x@x commit -q --allow-empty "
              "-m \"a message of some length $i\"; done; git log")
    if run(runner, "command -v git")["exit_code"]:
        pytest.skip("no git here")
    result = run(runner, f"rm -rf repo; {script}", timeout=100, http_timeout=110)
    assert result["exit_code"] == 0 and result["stdout"].count("a message") == 40


def test_b160_nothing_is_set_against_the_callers_will(runner):
    names = set(line.partition("=")[0] for line in run(runner, "env")["stdout"].splitlines())
    assert not names & {"GIT_TERMINAL_PROMPT", "PAGER", "GIT_PAGER", "DEBIAN_FRONTEND", "CI", "TERM"}
    assert run(runner, "echo $PAGER", env={"PAGER": "mine"})["stdout"] == "mine\n"


def test_b162_a_tool_that_starts_a_daemon_at_first_use(runner, process_server):
    """It keeps every descriptor it was given; it is left alone on a plain exit, and the second call finds it."""
    number = nap()
    tool = process_server.base / f"tool-{number}"
    tool.write_text(f"""#!/bin/bash
if [ -e {tool}.pid ] && kill -0 $(cat {tool}.pid); then echo found; exit 0; fi
for fd in 3 4 5 6 7 8 9; do eval "exec $fd>&1"; done
setsid sleep {number} & echo $! > {tool}.pid
echo ready
""")
    tool.chmod(0o755)
    try:
        for said in ("ready", "found"):
            result = run(runner, str(tool))
            assert (result["stdout"], result["exit_code"]) == (f"{said}\n", 0)
        assert len(eventually(lambda: sleeping(number))) == 1
    finally:
        end(number)


def test_output_at_full_speed_from_many(runner):
    results = together(lambda i: run(runner, f"seq {i}000 {i}999"), range(1, 41))
    for i, result in enumerate(results, 1):
        assert result["stdout"] == "".join(f"{n}\n" for n in range(i * 1000, i * 1000 + 1000))


def test_no_zombies_and_no_descriptors_are_left(process_server, runner):
    with no_descriptor_is_left(process_server):
        together(lambda _: run(runner, "true & (true &) ; (sh -c 'sleep 0.01' &); true"), range(200))
        eventually(lambda: not children(process_server.pid, zombies_only=True), what="no zombie is left")
