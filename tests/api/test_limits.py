# SPDX-License-Identifier: Apache-2.0
"""What runs out: processes, descriptors, memory, workers (B148, R88, R97, R108)."""
import contextlib
import json
import os
import pathlib
import random
import select
import shutil
import sys
import tempfile
import time

import pytest

from lib.client import ApiError, expect_error
from lib.parallel import together
from lib.processes import eventually, nap, sleeping
from lib.raw import Broken
from lib.server import binary, is_sanitized

MIB = 1 << 20


def run(client, command, **more):
    return client.call("commands.run", command=command, **more)


def limited(*lines):
    """What stands before the server's command: this program, which ends by executing it."""
    return [sys.executable, "-c", "\n".join(["import os, resource, sys", *lines, "os.execv(sys.argv[1], sys.argv[1:])"])]


@pytest.fixture
def open_folder():
    """One that any user may enter."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="abx-open-"))
    path.chmod(0o777)
    yield path
    shutil.rmtree(path, ignore_errors=True)


STARTS = [("commands.run", {"argv": ["true"]}), ("process.start", {"command": "true"}), ("terminal.create", {}),
          ("devtools.code.run", {"code": "1", "language": "bash"}), ("devtools.git.status", {}), ("browser.navigate", {"url": "about:blank"})]


def test_b148_r88_processes_run_out(make_server, open_folder):
    """503 that names processes, nothing else; and all is well again when there is room."""
    if os.geteuid() != 0:
        pytest.skip("needs a user of its own, which only root can make")
    uid = random.randint(300_000, 900_000)
    program = shutil.copy(binary(), open_folder / "server")  # the clone may lie where others may not look
    (open_folder / "policy").write_text(json.dumps({"groups": {"dev_tools": True, "browser": True}, "browser": {"path": "/bin/true"}}))
    (open_folder / ".git").mkdir()
    server = make_server("--policy", open_folder / "policy", base=open_folder, program=program, wrap=limited(
        f"os.setgroups([]); os.setgid({uid}); os.setuid({uid})", "resource.setrlimit(resource.RLIMIT_NPROC, (24, 24))"))
    client = server.client()
    run(client, "true")
    client.rest("files.stat", path=".")
    before = fds(server)
    number = nap()
    streams = []
    try:
        with expect_error("server.busy", 503, says="process"):
            for _ in range(40):
                streams.append(client.stream("commands.stream", argv=["sleep", number]))
        for op, args in STARTS:
            with expect_error("server.busy", 503, says="processes are used up (EAGAIN)"):
                client.call(op, **args)
        assert client.rest("core.health") == {"status": "ok"} and client.rest("files.stat", path=".")["exists"]
    finally:
        for stream in streams:
            stream.close()
    eventually(lambda: not sleeping(number), what="the end of all commands")
    eventually(lambda: can_run(client), what="room again")
    eventually(lambda: fds(server) <= before + 1, what="the descriptors are back")


def can_run(client):
    """Whether a command finds room; what has just ended may be a moment from giving its place back."""
    try:
        return run(client, "echo hi")["stdout"] == "hi\n"
    except ApiError as error:
        assert error.wire_code == "server.busy"
        return False


def fds(server):
    return len(os.listdir(f"/proc/{server.pid}/fd"))


def test_r88_descriptors_run_out(make_server):
    """Calls and connections are told so, the server does not spin, and comes back by itself."""
    server = make_server("--no-cgroups", wrap=limited("resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))"))
    client = server.client()
    run(client, "true")
    number = nap()
    streams = []
    with expect_error("server.busy", 503, says="descriptors"):
        for _ in range(40):
            streams.append(client.stream("commands.stream", argv=["sleep", number]))
    idle = []
    try:
        for _ in range(30):
            idle.append(client.connect())
        eventually(lambda: is_told(client), what="503 for a new connection")

        def stays_calm():
            cpu, began = server.cpu_seconds(), time.monotonic()
            while time.monotonic() - began < 1:  # as long as it takes to see whether it spins
                is_told(client)
            return is_sanitized() or server.cpu_seconds() - cpu < 0.5

        assert any(stays_calm() for _ in range(5))
    finally:
        for connection in idle:
            connection.close()
        for stream in streams:
            stream.close()
    eventually(lambda: not sleeping(number), what="the commands ended")
    assert eventually(lambda: client.request("GET", "/health").status == 200)
    eventually(lambda: can_run(client), what="room again")


def is_told(client):
    """Whether one who comes now hears that there is no room."""
    try:
        with client.connect(5) as connection:
            connection.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            reply = connection.reply()
            return reply.status == 503 and json.loads(reply.read())["wire_code"] == "server.busy"
    except (Broken, OSError):
        return False


def test_r97_memory_runs_out(make_server):
    """One budget for bodies and captures: beyond it 503 that says so, or less is kept and told; others go on."""
    server = make_server(policy={"version": 1, "limits": {"max_memory_bytes": 8 * MIB}})
    client = server.client()
    before = server.rss_kib()
    reply = client.request("POST", "/shell", json.dumps({"command": "wc -c", "stdin": "x" * 9 * MIB}).encode())
    body = json.loads(reply.read())
    assert (reply.status, body["wire_code"]) == (503, "server.busy") and "memory" in body["error"]
    assert reply.header("retry-after")
    result = run(client, "head -c 9000000 /dev/zero")
    assert result["stdout_truncated"] is True and result["stdout_bytes"] == 9_000_000 and len(result["stdout"]) > 100_000
    assert run(client, "wc -c", stdin="x" * MIB)["stdout"].strip() == str(MIB)

    def greedy(i):
        try:
            return "done", run(client, "cat; head -c 3000000 /dev/zero", stdin="x" * 2 * MIB)
        except ApiError as error:
            return error.wire_code, error.message

    def small(_):
        return client.rest("core.health"), run(client, "echo hi")["stdout"]

    answers = together(lambda job: job(None), [greedy] * 24 + [small] * 24, most=48)
    assert answers[24:] == [({"status": "ok"}, "hi\n")] * 24
    assert {code for code, _ in answers[:24]} <= {"done", "server.busy"}
    assert is_sanitized() or server.peak_kib() - before < 40 * 1024
    # Nothing leaked out of the budget: all of it can be had again.
    eventually(lambda: has_room(client))
    for _ in range(10):
        assert len(run(client, "cat", stdin="x" * 2 * MIB)["stdout"]) == 2 * MIB


def test_r97_ordinary_calls_are_answered_beside_bodies_that_hold_all_they_can(make_server):
    server = make_server(policy={"version": 1, "limits": {"max_memory_bytes": 8 * MIB}})
    client = server.client()
    holding = []
    try:
        # Bodies of which all but the end came, until there is no room for another: large ones, then smaller ones.
        for size in [2 * MIB >> shift for shift in range(0, 12, 2) for _ in range(4)]:
            connection = client.connect()
            holding.append(connection)
            connection.send(f"POST /shell HTTP/1.1\r\nHost: localhost\r\nContent-Length: {size}\r\n\r\n")
            with contextlib.suppress(ConnectionError):  # refused before all was sent
                connection.send(b'{"command": "wc -c", "stdin": "' + b"x" * (size - 100))
        answered = select.select([connection.socket for connection in holding], [], [], 60)[0]
        assert 0 < len(answered) < len(holding)
        for _ in range(20):
            assert client.rest("core.health") == {"status": "ok"}
            assert run(client, "wc -c", stdin="x" * 10_000)["stdout"].strip() == "10000"
    finally:
        for connection in holding:
            connection.close()
    assert eventually(lambda: has_room(client), what="their memory is back")


@contextlib.contextmanager
def memory_is_full(client, sizes):
    """Bodies of which all but the end came, until there is no room for more of them."""
    holding = []
    try:
        for size in sizes:
            connection = client.connect()
            holding.append(connection)
            head = f"POST /shell HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {size}\r\n\r\n"
            with contextlib.suppress(ConnectionError):  # refused before all was sent
                connection.send(head.encode(), b'{"command": "wc -c", "stdin": "' + b"x" * (size - 100))
        assert select.select([connection.socket for connection in holding], [], [], 60)[0]
        yield
    finally:
        for connection in holding:
            connection.close()


def test_r97_the_server_can_tell_of_itself_when_memory_has_run_out(make_server):
    """What it says is made of its own rows; to read them needs memory too, and its lack ended the server."""
    client = make_server(policy={"version": 1, "limits": {"max_memory_bytes": MIB}}).client()
    with memory_is_full(client, [256 * 1024] * 4 + [16_000] * 64 + [4_000] * 16):
        for op in ("core.capabilities", "core.describe", "core.openapi"):
            try:
                client.rest(op)
            except ApiError as error:
                assert error.wire_code == "server.busy"
    assert eventually(lambda: client.request("GET", "/openapi.json").status == 200)


def test_r97_headers_that_find_no_memory(make_server):
    """To keep a header needs memory; the lack of it ended the server."""
    client = make_server(policy={"version": 1, "limits": {"max_memory_bytes": MIB}}).client()
    with memory_is_full(client, [256 * 1024] * 4 + [16_000] * 64 + [400] * 250):
        calls = (
            ("POST", "/shell", "Content-Type"), ("GET", "/download?path=x", "Range"), ("POST", "/pty/sessions", "X-Other"),
            ("GET", "/metrics", "X-Other"))
        for method, path, name in calls:
            for length in (10, 300, 4000):
                body = json.dumps({"command": "true"}).encode() if method == "POST" else None
                reply = client.request(method, path, body, headers={name: "a" * length})
                assert reply.status in (200, 404, 415, 503)
                reply.read()
    assert eventually(lambda: client.request("GET", "/openapi.json").status == 200)


def has_room(client):
    try:
        return len(run(client, "cat", stdin="x" * 2 * MIB)["stdout"]) == 2 * MIB
    except ApiError as error:
        assert error.wire_code == "server.busy"
        return False


def test_r97_a_body_takes_memory_as_it_comes(make_server):
    """Large lengths that are announced and never sent hold nothing back from others."""
    server = make_server(policy={"version": 1, "limits": {"max_memory_bytes": 16 * MIB}})
    client = server.client()
    waiting = []
    try:
        for _ in range(20):
            connection = client.connect()
            connection.send(f"POST /shell HTTP/1.1\r\nHost: localhost\r\nContent-Length: {10 * MIB}\r\n\r\n{{")
            waiting.append(connection)
        assert run(client, "wc -c", stdin="x" * 4 * MIB)["stdout"].strip() == str(4 * MIB)
    finally:
        for connection in waiting:
            connection.close()


def test_the_limits_of_the_policy_hold(make_server):
    policy = {"version": 1, "limits": {"max_body_bytes": 1024, "commands.run": {"max_output_bytes": 10, "max_timeout": 50}}}
    client = make_server(policy=policy).client()
    with expect_error("limit.body_too_large", 413) as caught:
        run(client, "true", stdin="x" * 2000)
    assert caught.error.rule == "policy:limits.max_body_bytes"
    result = run(client, "echo 0123456789abcdef", timeout=50)
    assert result["stdout"] == "0123456789" and result["stdout_truncated"] is True
    with expect_error("args.invalid", 400, says="50"):
        run(client, "true", timeout=51)
    assert run(client, "true", timeout=0)["timeout"] == 0
    shown = client.rest("core.capabilities")["ops"]["commands.run"]["limits"]
    assert (shown["max_output_bytes"], shown["max_timeout"]) == (10, 50)


def test_the_default_timeout_is_no_more_than_the_cap(make_server):
    """R06: a lower cap lowers what is in force without a timeout, and that is told."""
    client = make_server(policy={"version": 1, "limits": {"commands.run": {"max_timeout": 50}}}).client()
    assert run(client, "true")["timeout"] == 50


def test_the_largest_answers_and_questions(client):
    text = "\u0000" * MIB  # six times as long in JSON
    assert run(client, "cat", stdin=text)["stdout"] == text
    words = ["x" * 1000] * 1500
    assert client.call("commands.run", argv=["echo", *words])["stdout_bytes"] == 1001 * 1500
