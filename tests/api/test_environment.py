# SPDX-License-Identifier: Apache-2.0
"""What children get: variables, signals, umask, limits, folder (B107 to B111, R38, R55, R79, R93)."""
import json
import os
import pathlib
import pwd
import resource
import signal
import sys

import pytest

from lib.client import expect_error
from lib.processes import eventually, nap, sleeping
from lib.server import is_sanitized

TOKEN = "a-token-of-this-test"


def run(client, command=None, **more):
    if command is not None:
        more["command"] = command
    return client.call("commands.run", **more)


def environment(client, **more):
    words = run(client, argv=["env", "-0"], **more)["stdout"].split("\0")
    return dict(word.split("=", 1) for word in words if word)


def python(*lines):
    """What stands before the server's command: this program, which ends by executing it."""
    return [sys.executable, "-c", "\n".join(["import os, resource, signal, sys", *lines, "os.execv(sys.argv[1], sys.argv[1:])"])]


@pytest.mark.parametrize("name, code", [
    ("", "args.invalid"), ("A=B", "args.invalid"), ("=", "args.invalid"), ("A\0B", "args.invalid"), ("ABX_X", "policy.env_denied"),
    ("ABX_RUN_ID", "policy.env_denied"), ("ABX_SERVER_TOKEN", "policy.env_denied")])
def test_b107_r79_names_that_are_refused(client, name, code):
    with expect_error(code, 403 if code.startswith("policy") else 400):
        run(client, "true", env={name: "x"})


def test_b107_r79_a_call_may_set_any_other_valid_name(client):
    """Loader variables too: the call runs what it likes in any case."""
    names = ["1X", "LD_PRELOAD_X", "BASH_ENV", "IFS", "PATH_X", "a.b", "x y", "ä", "LD_LIBRARY_PATH", "abx_x"]
    found = environment(client, env={name: f"v{i}" for i, name in enumerate(names)})
    for i, name in enumerate(names):
        assert found[name] == f"v{i}"
    assert run(client, argv=["env"], env={"LD_PRELOAD": "/no/such.so"})["exit_code"] == 0


@pytest.mark.parametrize("value", [5, None, {}, [], True])
def test_b107_a_value_that_is_no_text(client, value):
    with expect_error("args.invalid", 400, says="'A'"):
        run(client, "true", env={"A": value})


def test_b107_a_value_with_nul_and_odd_values(client):
    with expect_error("args.invalid", 400):
        run(client, "true", env={"A": "a\0b"})
    values = {"E": "", "N": "a\nb", "U": "ä€😀", "Q": "'\"\\$(x)", "S": " "}
    found = environment(client, env=values)
    assert {name: found[name] for name in values} == values


def test_b107_many_names(client):
    found = environment(client, env={f"NAME_{i}": str(i) for i in range(20_000)})
    assert all(found[f"NAME_{i}"] == str(i) for i in range(20_000))


def test_b107_very_many_names_do_not_hold_the_loop(server, client):
    """More than the system takes: refused by it, at a cost that grows no faster than the body."""
    body = json.dumps({"argv": ["true"], "env": {f"N{i}": "" for i in range(200_000)}}).encode()
    cpu = server.cpu_seconds()
    reply = client.request("POST", "/shell", body)
    assert reply.status in (400, 413, 503) and (is_sanitized() or server.cpu_seconds() - cpu < 2)


def test_b107_r93_the_servers_own_variables_reach_no_child(make_server):
    server = make_server(token=TOKEN, env={"ABX_SERVER_TOKEN": TOKEN, "ABX_SERVER_LOG_LEVEL": "warn", "SECRET_OF_THE_SERVER": "x"})
    found = environment(server.client())
    assert TOKEN not in str(found) and "SECRET_OF_THE_SERVER" not in found
    assert [name for name in found if name.startswith("ABX_")] in ([], ["ABX_RUN_ID"])


def test_b108_r38_what_is_always_there(client):
    found = environment(client)
    assert {"HOME", "USER", "LOGNAME", "SHELL", "PATH"} <= found.keys()
    assert found["USER"] == found["LOGNAME"] and pathlib.Path(found["SHELL"]).exists()
    assert found["LANG"] == os.environ.get("LANG", "C.UTF-8") and "TERM" not in found


def test_b108_r38_no_login_shell_for_commands(client, root):
    """~/.profile is not read, and its banner is in no command's stdout."""
    (root / ".profile").write_text("echo BANNER; PATH=/opt/x/bin:$PATH\n")
    (root / ".bashrc").write_text("echo BANNER\n")
    try:
        for shell in ("/bin/sh", "/bin/bash"):
            result = run(client, "echo hi", shell=shell, env={"HOME": str(root)})
            assert result["stdout"] == "hi\n"
        assert run(client, "shopt -q login_shell; echo $?", shell="/bin/bash")["stdout"] == "1\n"
    finally:
        (root / ".profile").unlink()
        (root / ".bashrc").unlink()


def test_b108_without_a_home(make_server):
    """HOME is not set for the server: its user's home, or / for who has none, and never empty."""
    server = make_server(wrap=python("os.environ.clear()"))
    found = environment(server.client())
    assert found["HOME"].startswith("/") and found["USER"] and found["SHELL"] and found["PATH"]
    assert found["LANG"] == "C.UTF-8"
    assert run(server.client(), "ls / >/dev/null && echo ok")["stdout"] == "ok\n"
    # B063: no TERM, and a locale that exists.
    result = run(server.client(), "echo T=$TERM $LANG; python3 -c 'print(chr(233))'; printf '\\303\\251' | wc -m", shell="/bin/sh")
    assert (result["stdout"], result["stderr"]) == ("T= C.UTF-8\né\n1\n", "")


def test_b108_a_user_without_a_home(make_server):
    if os.geteuid() != 0:
        pytest.skip("only root runs programs as another user")
    server = make_server(policy={"process": {"user": "nobody"}}, token=TOKEN)
    server.scratch.chmod(0o755)
    found = environment(server.client())
    entry = pwd.getpwnam("nobody")
    assert (found["HOME"], found["USER"], found["LOGNAME"], found["SHELL"]) == (entry.pw_dir, "nobody", "nobody", entry.pw_shell)
    assert run(server.client(), "echo ok; pwd")["stdout"] == f"ok\n{server.base}\n"


def test_the_policy_sets_variables(make_server):
    policy = {"version": 1, "process": {"env": {"inherit": ["PATH", "KEEP_*"], "set": {"FROM_POLICY": "yes", "LANG": "C"}}}}
    server = make_server(policy=policy, env={"KEEP_ME": "1", "NOT_ME": "1"})
    found = environment(server.client(), env={"FROM_CALL": "x"})
    assert (found["FROM_POLICY"], found["KEEP_ME"], found["LANG"], found["FROM_CALL"]) == ("yes", "1", "C", "x")
    assert "NOT_ME" not in found
    assert environment(server.client(), env={"FROM_POLICY": "no"})["FROM_POLICY"] == "no"


def test_b110_signals_are_as_new(make_server):
    server = make_server(wrap=python(
        "for s in (signal.SIGCHLD, signal.SIGHUP, signal.SIGINT, signal.SIGPIPE): signal.signal(s, signal.SIG_IGN)",
        "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT, signal.SIGCHLD, signal.SIGUSR1})"))
    client = server.client()
    result = run(client, argv=["grep", "-E", "Sig(Blk|Ign)", "/proc/self/status"])
    assert [line.split()[1] for line in result["stdout"].splitlines()] == ["0" * 16] * 2
    assert run(client, "sh -c 'exit 3'; echo $?")["stdout"] == "3\n"
    number = nap()
    with client.stream("commands.stream", argv=["sleep", number]) as stream:
        pid = stream.until("start").data["pid"]
        eventually(lambda: sleeping(number))
        os.kill(pid, signal.SIGTERM)
        assert stream.until("exit").data["signal"] == "SIGTERM"
    # And the server itself hears SIGTERM: its fixture stops it that way.


def test_b111_r55_umask_limits_and_folder(make_server, tmp_path):
    """A umask on purpose, the limits of before the server raised its own, no core files, a folder that exists."""
    gone = tmp_path / "gone"
    gone.mkdir()
    server = make_server(wrap=python(
        f"os.chdir({str(gone)!r}); os.rmdir({str(gone)!r}); os.umask(0o077)",
        "resource.setrlimit(resource.RLIMIT_NOFILE, (256, 2048)); resource.setrlimit(resource.RLIMIT_CORE, (0, 0))"))
    out = run(server.client(), "umask; ulimit -n; ulimit -Hn; ulimit -c; pwd")["stdout"].split()
    assert out == ["0022", "256", "2048", "0", str(server.base)]


def test_b111_a_core_limit_is_not_handed_down(make_server):
    """A server that may write cores has children that do not, unless the policy says so (R55, R109)."""
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    if hard == 0:
        pytest.skip("no core files on this machine")
    server = make_server(wrap=python("h = resource.getrlimit(resource.RLIMIT_CORE)[1]; resource.setrlimit(resource.RLIMIT_CORE, (h, h))"))
    assert run(server.client(), "ulimit -c")["stdout"] == "0\n"


def test_the_policy_sets_umask_and_limits(make_server):
    policy = {"version": 1, "process": {"umask": "077", "rlimits": {"nofile": 100, "fsize": 1_000_000}}}
    client = make_server(policy=policy).client()
    assert run(client, "umask; ulimit -n; ulimit -f")["stdout"].split() == ["0077", "100", "976"]


def test_children_have_a_normal_priority_and_no_privileges_of_the_servers(client):
    assert run(client, argv=["nice"])["stdout"] == f"{os.nice(0)}\n"
    assert run(client, "cat /proc/$PPID/environ", shell="/bin/sh")["exit_code"] in (0, 1)


def test_b107_r93_children_cannot_read_the_servers_memory(make_server):
    """It is not dumpable: who is not root cannot look into it, and its environment and arguments hold no token."""
    server = make_server(token=TOKEN, env={"ABX_SERVER_TOKEN": TOKEN})
    found = run(server.client(), "cat /proc/$PPID/environ /proc/$PPID/cmdline | tr '\\0' '\\n'")
    assert TOKEN not in found["stdout"]
