# SPDX-License-Identifier: Apache-2.0
"""Processes that outlive their caller: table, signals, limits, ends."""
import calendar
import concurrent.futures
import contextlib
import json
import re
import shutil
import signal
import socket
import subprocess
import time

import pytest

from lib.client import expect_error
from lib.processes import children, eventually, gone, in_time, nap, no_descriptor_is_left, running, sleeping
from lib.server import Server, is_sanitized

# Processes are told apart by their arguments: the same test in both modes at once would see its twin's.
pytestmark = pytest.mark.xdist_group("process")


OPS_OF_ONE = ("process.get", "process.output", "process.stdin", "process.signal")


def start(client, command=None, capture_output=True, **more):
    if command is not None:
        more["command"] = command
    return client.rest("process.start", capture_output=capture_output, **more)


def ended(client, process):
    """The entry, once the process has ended."""
    def is_ended():
        entry = client.rest("process.get", pid=process["id"])
        return entry if entry["state"] == "exited" else None
    return eventually(is_ended, what=f"the end of {process['command']}")


def everything(client, process, **how):
    """All output of both streams, read to the end."""
    text, next_ = {"stdout": "", "stderr": ""}, 0
    while True:
        got = client.rest("process.output", pid=process["id"], since=next_, wait=50, **how)
        for chunk in got["chunks"]:
            text[chunk["stream"]] += chunk["data"]
        next_ = got["next"]
        if got["eof"]:
            return text


def first_output(client, process, since=0):
    """The first chunk behind an offset, as soon as there is one."""
    return client.rest("process.output", pid=process["id"], since=since, wait=50)["chunks"][0]["data"]


MEASURED = ("rss_bytes", "cpu_seconds")


def known(entry):
    """All of an entry but what changes while the process runs."""
    return {name: value for name, value in entry.items() if name not in MEASURED}


# One after the other: they look for the same programs.
ONE_WORKER = pytest.mark.xdist_group("processes")


@pytest.fixture(scope="module", params=[pytest.param(name, marks=ONE_WORKER) for name in ("cgroups", "no-cgroups")])
def mode(request):
    """A server that may make cgroups, and one that may not (R92)."""
    with Server(*(["--no-cgroups"] if request.param == "no-cgroups" else [])) as server:
        yield server
        server.check_silence()


def test_start_tells_what_runs(client):
    before, number = time.time(), nap()
    process = client.rest("process.start", command=f"sleep {number}")
    assert process["command"] == f"sleep {number}"
    eventually(lambda: process["pid"] in sleeping(number))
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", process["started_at"])
    started = calendar.timegm(time.strptime(process["started_at"][:19], "%Y-%m-%dT%H:%M:%S"))
    assert before - 2 < started < time.time() + 2
    entry = client.rest("process.get", pid=process["pid"])
    for other in (client.rest("process.get", pid=process["id"]), client.call("process.get", pid=process["pid"])):
        assert other.keys() == entry.keys() and known(other) == known(entry)
    assert entry["state"] == "running" and entry["exit_code"] is None and entry["name"] is None
    assert not entry["capture_output"] and not entry["stdin_open"] and entry["rss_bytes"] > 0
    client.rest("process.signal", pid=process["id"], signal=9)


def test_argv_is_shown_as_one_would_type_it(client):
    process = start(client, argv=["printf", "%s|", "a b", "it's", ""])
    assert process["command"] == "printf '%s|' 'a b' 'it'\\''s' ''"
    assert everything(client, process)["stdout"] == "a b|it's||"
    assert len(start(client, "true " + "é" * 2000)["command"].encode()) <= 1024


def test_parameters_are_those_of_commands(client, folder):
    process = start(client, "echo $X; pwd; cat", cwd=str(folder), env={"X": "y"})
    assert everything(client, process)["stdout"] == f"y\n{folder}\n"
    with expect_error("commands.cannot_start") as caught:
        start(client, argv=["/nothing/here"])
    assert caught.error.details["step"] == "exec"
    with expect_error("policy.env_denied"):
        start(client, "true", env={"ABX_X": "1"})
    with expect_error("policy.command_denied"):
        start(client, "true", user="nobody-at-all")
    with expect_error("args.missing"):
        start(client)
    with expect_error("args.invalid"):
        start(client, "true", timeout=-1)
    with expect_error("args.invalid", says="name"):
        start(client, "true", name="x" * 129)
    with expect_error("args.unknown", says="encoding"):  # of the read, not of the start (R22)
        start(client, "true", encoding="base64")


def test_cwd_outside_is_denied(client, outside):
    with expect_error("policy.path_denied", 403) as caught:
        start(client, "true", cwd=str(outside))
    assert caught.error.rule == "policy:paths.roots"


def test_names_are_labels(client):
    """R29, B048"""
    for _ in range(20):
        process = start(client, "sleep 7702", name="work")
        client.rest("process.signal", pid=process["id"], signal="SIGKILL")
        ended(client, process)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        both = list(pool.map(lambda _: start(client, "sleep 7702", name="work"), range(2)))
    assert {client.rest("process.get", pid=one["id"])["name"] for one in both} == {"work"}
    assert both[0]["id"] != both[1]["id"]
    for one in both:
        client.rest("process.signal", pid=one["id"], signal="SIGKILL")


def test_unknown_ids_are_all_told_alike(client):
    """B049, R18"""
    process = start(client, "sleep 7703")
    for pid in ("nope", "0", "-1", "1", "99999999999", "4294967296", "18446744073709551617", f"0{process['pid']}", f"+{process['pid']}"):
        bodies = []
        for op in OPS_OF_ONE:
            args = {"data": "x"} if op == "process.stdin" else {}
            with expect_error("process.not_found", 404) as caught:
                client.rest(op, pid=pid, **args)
            bodies.append(caught.error.message)
        with expect_error("process.not_found", 404) as caught:
            client.rest_stream("process.follow", pid=pid)
        assert {*bodies} == {caught.error.message}
    client.rest("process.signal", pid=process["pid"])
    assert ended(client, process)["signal"] == "SIGTERM"


def test_exit_is_told(client):
    assert ended(client, start(client, "exit 7"))["exit_code"] == 7
    entry = ended(client, start(client, "kill -9 $$"))
    assert entry["exit_code"] == 137 and entry["signal"] == "SIGKILL" and "oom_killed" not in entry
    assert "timed_out" not in entry and entry["ended_at"] >= entry["started_at"]


def test_caller_may_leave(client):
    """B163: what was started as a process survives its caller."""
    connection, number = client.connect(), nap()
    body = json.dumps({"command": f"sleep {number}"}).encode()
    connection.send(client.head("POST", "/process/start", {"Content-Length": len(body)}), body)
    connection.close()
    eventually(lambda: sleeping(number))
    [process] = [p for p in client.rest("process.list")["processes"] if p["command"] == f"sleep {number}"]
    assert process["state"] == "running"
    client.rest("process.signal", pid=process["id"])


def test_list_has_everybody_in_order(mode):
    client = mode.client()
    made = [start(client, f"sleep 77{n}") for n in range(10, 13)] + [start(client, "exit 3")]
    ended(client, made[3])
    client.rest("process.signal", pid=made[1]["id"])
    ended(client, made[1])
    listed = [p for p in client.rest("process.list")["processes"] if p["id"] in {one["id"] for one in made}]
    assert [p["id"] for p in listed] == [one["id"] for one in made]
    assert [p["state"] for p in listed] == ["running", "exited", "running", "exited"]
    assert [p["exit_code"] for p in listed] == [None, 143, None, 3]
    for one in (made[0], made[2]):
        client.rest("process.signal", pid=one["id"])


def test_usage_is_told(mode):
    client = mode.client()
    process = start(client, "python3 -c 'b = bytearray(40 << 20)\nwhile True: pass' & while :; do :; done")

    def busy():
        entry = client.rest("process.get", pid=process["id"])
        return entry if entry["cpu_seconds"] > 0.1 and entry["rss_bytes"] > 40 << 20 else None
    assert eventually(busy)["descendants"] == 1
    client.rest("process.signal", pid=process["id"], signal="SIGKILL")
    entry = ended(client, process)
    assert entry["cpu_seconds"] > 0
    eventually(lambda: client.rest("process.get", pid=process["id"])["descendants"] == 0)


def test_leader_gone_children_live(mode):
    """B037, R19"""
    client = mode.client()
    one, two, three = nap(), nap(), nap()
    process = start(client, f"setsid sleep {one} & sleep {two} & (sleep {three} &) ; exit 4")
    entry = ended(client, process)
    assert entry["exit_code"] == 4
    eventually(lambda: client.rest("process.get", pid=process["id"])["descendants"] == 3)
    with expect_error("process.exited", 409):
        client.rest("process.signal", pid=process["id"], group=False)
    assert client.rest("process.signal", pid=process["id"], signal="SIGKILL") == {"pid": process["pid"], "signal": "SIGKILL"}
    gone(one, two, three)
    eventually(lambda: client.rest("process.get", pid=process["id"])["descendants"] == 0)
    with expect_error("process.exited", 409):
        client.rest("process.signal", pid=process["id"], signal="SIGKILL")


def test_timeout_ends_the_tree(mode):
    """B037: nobody is left who owns the port."""
    client, one, two = mode.client(), nap(), nap()
    script = "import socket, time; s = socket.socket(); s.bind((\"127.0.0.1\", 0)); s.listen(); print(s.getsockname()[1], flush=True); time.sleep(60)"

    def started(timeout):
        """The process and its port, when somebody listened on it before the timeout struck."""
        command = f"trap '' TERM; (trap - TERM; exec setsid python3 -c '{script}') & sleep {one} & wait; sleep {two}"
        process = start(client, command, timeout=timeout)
        chunks = client.rest("process.output", pid=process["id"], wait=50)["chunks"]
        with contextlib.suppress(ConnectionRefusedError):
            if chunks:
                socket.create_connection(("127.0.0.1", int(chunks[0]["data"]))).close()
                return process, int(chunks[0]["data"])
        return None

    process, port = in_time(started, shortest=2)
    entry = ended(client, process)
    assert entry["timed_out"] and entry["signal"] == "SIGKILL"
    assert [p["timed_out"] for p in client.rest("process.list")["processes"] if p["id"] == process["id"]] == [True]
    eventually(lambda: client.rest("process.get", pid=process["id"])["descendants"] == 0)
    gone(one, two)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))
    got = client.rest("process.output", pid=process["id"])
    assert got["timed_out"] and got["signal"] == "SIGKILL"


def test_signal_reaches_the_group_or_the_one(mode):
    client, number = mode.client(), nap()
    process = start(client, f"sleep {number} & trap 'echo usr' USR1; echo ready; while :; do wait; done")
    assert first_output(client, process) == "ready\n"
    assert client.rest("process.signal", pid=process["id"], signal="SIGUSR1", group=False)["signal"] == "SIGUSR1"
    assert first_output(client, process, 6) == "usr\n"
    eventually(lambda: sleeping(number))
    assert client.rest("process.signal", pid=process["pid"], signal=19)["signal"] == "SIGSTOP"
    client.rest("process.signal", pid=process["pid"], signal="SIGCONT")
    client.rest("process.signal", pid=process["id"], signal="SIGKILL")
    ended(client, process)
    gone(number)


def test_signals_that_are_none(client):
    """R16: 400 before the policy is asked."""
    process = start(client, "sleep 7741")
    for bad in ("TERM", "sigterm", "SIGNOPE", "SIG", "", "15", 0, -1, 65, 1 << 40, 1.5, True, None, ["SIGTERM"]):
        with expect_error("args.invalid", 400, says="signal"):
            client.rest("process.signal", pid=process["id"], signal=bad)
    for denied in ("SIGSEGV", 11, 64):
        with expect_error("policy.signal_denied", 403) as caught:
            client.rest("process.signal", pid=process["id"], signal=denied)
        assert caught.error.rule == "policy:process.signals"
    client.rest("process.signal", pid=process["id"])


def test_no_signal_after_the_end(client):
    """B045"""
    process = start(client, "true")
    ended(client, process)
    for group in (True, False):
        with expect_error("process.exited", 409):
            client.rest("process.signal", pid=process["pid"], signal="SIGTERM", group=group)


def test_no_signal_goes_to_a_number(mode, make_server, tmp_path):
    """B045: every one goes through a pidfd, which never means another process; so of a tree whose leader is gone, too."""
    if is_sanitized() or not shutil.which("strace") or subprocess.run(["strace", "-qq", "true"], capture_output=True).returncode:
        pytest.skip("a sanitizer that cannot be traced, or nothing here can be")
    trace = tmp_path / "trace"
    wrap = ["strace", "-D", "-f", "-qq", "-o", trace, "-e", "trace=kill,tkill,tgkill,pidfd_send_signal", "-e", "signal=none"]
    server = make_server(*["--no-cgroups"] * ("--no-cgroups" in mode.command), wrap=wrap)
    client = server.client()
    one, two, three = nap(), nap(), nap()
    done, left = start(client, "true"), start(client, f"setsid sleep {one} & sleep {two} & exit")
    busy = start(client, f"sleep {three} & sleep {three}")
    ended(client, done)
    ended(client, left)
    eventually(lambda: [len(sleeping(number)) for number in (one, two, three)] == [1, 1, 2])
    with expect_error("process.exited", 409):
        client.rest("process.signal", pid=done["id"])
    for one in (left, busy):
        client.rest("process.signal", pid=one["id"], signal="SIGKILL")
    ended(client, busy)
    with expect_error("commands.timeout"):
        client.call("commands.run", command="sleep 7745 & sleep 7745", timeout=0.2)
    server.stop()
    eventually(lambda: not running(*server.command), what="the end of strace, which has written all then")
    sent = re.findall(r"\b(\w+)\(", trace.read_text())
    assert len(sent) >= 5 and set(sent) == {"pidfd_send_signal"}


def test_finished_ones_do_not_pile_up(make_server):
    """B047, R20"""
    server = make_server(policy={"limits": {"process.start": {"retain": 5, "max_processes": 1000}}})
    client = server.client()
    first = start(client, "true")
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: start(client, "echo x"), range(60)))
    eventually(lambda: len(client.rest("process.list")["processes"]) == 5)
    before = server.rss_kib()
    with no_descriptor_is_left(server):
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda _: start(client, "echo x"), range(300)))
        eventually(lambda: len(client.rest("process.list")["processes"]) == 5)
        assert {p["state"] for p in client.rest("process.list")["processes"]} == {"exited"}
    assert is_sanitized() or server.rss_kib() < before + 4096
    eventually(lambda: not children(server.pid, zombies_only=True))
    with expect_error("process.not_found", 404):
        client.rest("process.get", pid=first["id"])


def test_max_processes(make_server):
    policy = {"limits": {"process.start": {"max_processes": 3}}}
    client = make_server(policy=policy).client()
    made = [start(client, "sleep 7750") for _ in range(3)]
    with expect_error("limit.too_many", 429, says="max_processes"):
        start(client, "true")
    client.rest("process.signal", pid=made[0]["id"])
    ended(client, made[0])
    ended(client, start(client, "true"))


def test_server_takes_everybody_along(mode):
    """B142: TERM, grace, KILL; children of a process that is gone, too."""
    def has_time():
        """Whether one that wants to clean up at SIGTERM could; on a machine that stalls the grace may be too short."""
        with Server(*["--no-cgroups"] * ("--no-cgroups" in mode.command)) as server:
            end_with_children(server)
            return (server.base / "bye").exists()

    def end_with_children(server):
        client, sleeps = server.client(), [nap() for _ in range(5)]
        marks = [start(client, f"trap 'echo bye > {server.base}/bye; exit' TERM; echo; while :; do sleep 0.01; done"),
                 start(client, f"setsid sleep {sleeps[0]} & sleep {sleeps[1]}"),
                 start(client, f"trap '' TERM; echo; sleep {sleeps[2]}; sleep {sleeps[3]}"),
                 start(client, f"setsid sleep {sleeps[4]} & exit")]
        for one in (marks[0], marks[2]):
            assert first_output(client, one) == "\n"
        ended(client, marks[3])
        server.signal(signal.SIGTERM)
        assert server.wait() == 0
        gone(*sleeps)  # what was killed last may take a moment to go

    assert any(has_time() for _ in range(4))


def test_killed_server_leaves_no_direct_child(make_server):
    """R87, B142"""
    server, number = make_server(), nap()
    start(server.client(), argv=["sleep", number])
    eventually(lambda: sleeping(number))
    server.process.kill()
    server.process.wait()
    gone(number)
    server.kill()


# Idempotency-Key (R28, R102)

def keyed(client, key, body, **headers):
    reply = client.request("POST", "/process/start", body, {"Idempotency-Key": key, **headers})
    return reply.status, json.loads(reply.read())


def test_key_starts_once(client, folder):
    body = {"command": f"echo x >> {folder}/count; echo; sleep 7780", "capture_output": True}
    status, first = keyed(client, "k1", body)
    assert status == 200
    assert keyed(client, "k1", json.dumps(dict(reversed(body.items())), indent=3).encode()) == (200, first)
    assert first_output(client, first) == "\n"
    client.rest("process.signal", pid=first["id"])
    ended(client, first)
    assert keyed(client, "k1", body) == (200, first)
    assert (folder / "count").read_text() == "x\n"
    status, other = keyed(client, "k2", body)
    assert status == 200 and other["id"] != first["id"]
    client.rest("process.signal", pid=other["id"])
    reply = client.request("POST", "/ops/process.start", body, {"Idempotency-Key": "k1"})
    assert json.loads(reply.read()) == first


def test_key_is_looked_at_before_the_folder(client, folder):
    """R102: the first answer, also when what the start needed is gone by now; another body is told before its folder is."""
    place = folder / "place"
    place.mkdir()
    body = {"command": "pwd >../where", "cwd": str(place)}
    status, first = keyed(client, "k7", body)
    assert status == 200
    ended(client, first)
    place.rmdir()
    assert keyed(client, "k7", body) == (200, first)
    assert (folder / "where").read_text() == f"{place}\n"
    status, refused = keyed(client, "k7", {**body, "command": "true"})
    assert (status, refused["wire_code"]) == (409, "args.idempotency_mismatch")
    assert keyed(client, "k8", body)[0] == 400


def test_key_with_another_body(client):
    assert keyed(client, "k3", {"command": "true"})[0] == 200
    for other in ({"command": "false"}, {"command": "true", "name": "x"}, {"argv": ["true"]}):
        status, body = keyed(client, "k3", other)
        assert (status, body["wire_code"]) == (409, "args.idempotency_mismatch")
        with expect_error("args.idempotency_mismatch", 409):
            client.headers = {"Idempotency-Key": "k3"}
            client.rest("process.start", **other)
        client.headers = {}


def test_failed_start_leaves_its_key_free(client, folder):
    body = {"argv": [str(folder / "later")]}
    assert keyed(client, "k4", body)[0] == 400
    (folder / "later").write_text("#!/bin/sh\n")
    (folder / "later").chmod(0o755)
    assert keyed(client, "k4", body)[0] == 200


def test_key_is_the_callers_own(make_server):
    import hashlib
    tokens = [{"name": n, "sha256": hashlib.sha256(n.encode()).hexdigest(), "scopes": ["*"]} for n in ("one", "two")]
    server = make_server(policy={"tokens": tokens})
    one, two = server.client(token="one"), server.client(token="two")
    body = {"command": "true"}
    assert keyed(one, "k", body)[1]["id"] != keyed(two, "k", body)[1]["id"]
    assert keyed(one, "k", body) == keyed(one, "k", body)


def test_bad_keys(client):
    for key in ("", "x" * 256):
        status, body = keyed(client, key, {"command": "true"})
        assert (status, body["wire_code"]) == (400, "args.invalid")


def test_many_repeats_at_once_start_one(client, folder):
    body = {"command": f"echo x >> {folder}/once"}
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: keyed(client, "many", body)[1]["id"], range(24)))
    assert len({*answers}) == 1
    ended(client, {"id": answers[0], "command": "once"})
    assert (folder / "once").read_text() == "x\n"


def test_a_list_of_many_is_quick(server, client):
    """It costs a look at each; nobody waits long for it."""
    made = [start(client, "sleep 7790 & sleep 7790; true", capture_output=False) for _ in range(40)]
    try:
        before = server.cpu_seconds_of_loop()
        for _ in range(5):
            assert client.request("GET", "/process/list").status == 200
        assert is_sanitized() or server.cpu_seconds_of_loop() - before < 2
    finally:
        for one in made:
            client.rest("process.signal", pid=one["id"], signal="SIGKILL")


def test_the_answer_to_a_start_reaches_one_who_only_half_closed(client):
    """R14: a short answer that is on its way is still sent, or what was started is known to nobody."""
    body = b'{"command": "true"}'
    head = client.head("POST", "/process/start", {"Content-Type": "application/json", "Content-Length": len(body)})
    for _ in range(30):
        with client.connect() as connection:
            connection.send(head + body)
            connection.half_close()
            assert connection.reply("POST").status == 200
