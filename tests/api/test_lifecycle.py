# SPDX-License-Identifier: Apache-2.0
"""Start and end of the server, and what becomes of its children (B115, B142, B143, B146, R85 to R87)."""
import contextlib
import email.utils
import fcntl
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time

import pytest

from lib.client import expect_error
from lib.parallel import together
from lib.ports import free_port
from lib.processes import children, eventually, gone, nap, running, sleeping
from lib.server import Server, is_sanitized

BOTH = pytest.mark.parametrize("options", [(), ("--no-cgroups",)], ids=["cgroups", "proc"])


def begin(client, command, **more):
    """commands.run, sent and not waited for."""
    body = json.dumps({"command": command, **more})
    connection = client.connect()
    connection.send(f"POST /shell HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n{body}")
    return connection


# --- SIGTERM


@BOTH
def test_b142_r86_sigterm_ends_all_that_was_started(make_server, options):
    """A command that was left behind, one in a session of its own, a stream: all gone, exit code 0."""
    server = make_server(*options, "--shutdown-grace", 1)
    client = server.client()
    left, escaped, streamed, doubled = nap(), nap(), nap(), nap()
    client.call("commands.run", command=f"sleep {left} >/dev/null 2>&1 & setsid sleep {escaped} >/dev/null 2>&1 &")
    client.call("commands.run", command=f"(setsid sh -c 'setsid sleep {doubled} >/dev/null 2>&1 &' &)")
    with client.stream("commands.stream", command=f"echo; sleep {streamed}") as stream:
        stream.until("stdout")
        eventually(lambda: all(sleeping(number) for number in (left, escaped, streamed, doubled)))
        server.signal(signal.SIGTERM)
        end = list(stream)[-1]
        assert end.name == "error" and end.data["wire_code"] == "server.shutting_down"
    assert server.wait() == 0
    gone(left, escaped, streamed, doubled)  # what was killed last may take a moment to go


@BOTH
def test_b142_children_hear_sigterm_and_have_time(make_server, options, tmp_path):
    def has_time(number):
        """Whether one that wants to clean up at SIGTERM could; on a machine that stalls the grace may be too short."""
        mark = tmp_path / f"mark{number}"
        end_with_children(make_server(*options), mark)
        return mark.exists() and mark.read_text() == "bye\n"

    assert any(has_time(number) for number in range(4))


def end_with_children(server, mark):
    client, stubborn = server.client(), nap()
    client.call("commands.run", command=(
        f"(trap 'echo bye > {mark}; exit' TERM; echo > {mark}.ready; while :; do sleep 0.02; done) >/dev/null 2>&1 & "
        f"(trap '' TERM; exec sleep {stubborn}) >/dev/null 2>&1 &"))
    eventually(lambda: pathlib.Path(f"{mark}.ready").exists() and sleeping(stubborn))
    server.signal(signal.SIGTERM)
    assert server.wait() == 0
    gone(stubborn)


def test_r86_running_calls_get_their_grace(make_server):
    server = make_server("--shutdown-grace", 600)
    client = server.client()
    with begin(client, "echo begun > begun; until [ -e go ]; do sleep 0.01; done; echo done") as connection:
        eventually(lambda: (server.base / "begun").exists())
        server.signal(signal.SIGTERM)
        eventually(lambda: refuses(server), what="no new connections are taken")
        assert server.is_running()
        (server.base / "go").write_text("")
        reply = connection.reply("POST")
        assert json.loads(reply.read())["stdout"] == "done\n" and reply.header("connection") == "close"
    assert server.wait() == 0


def refuses(server):
    try:
        socket.create_connection((server.host, server.port), 1).close()
        return False
    except OSError:
        return True


def test_r86_the_grace_ends(make_server):
    server = make_server("--shutdown-grace", 1)
    number = nap()
    with begin(server.client(), f"sleep {number}"):
        eventually(lambda: sleeping(number))
        began = time.monotonic()
        server.signal(signal.SIGTERM)
        assert server.wait() == 0
        assert time.monotonic() - began > 0.9
    gone(number)


def test_r86_a_second_sigterm_is_at_once(make_server):
    server = make_server("--shutdown-grace", 600)
    number = nap()
    with begin(server.client(), f"trap '' TERM; sleep {number}"):
        eventually(lambda: sleeping(number))
        server.signal(signal.SIGTERM)
        eventually(lambda: refuses(server))
        server.signal(signal.SIGTERM)
        assert server.wait() == 0
    gone(number)


def test_r86_bodies_on_their_way_and_idle_connections_are_dropped(make_server):
    server = make_server("--shutdown-grace", 600)
    client = server.client()
    idle = client.connect()
    kept = client.connect()
    kept.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
    kept.reply().read()
    half = client.connect()
    half.send("POST /shell HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
    head = client.connect()
    head.send("GET /hea")
    eventually(lambda: client.rest("core.health"))
    server.signal(signal.SIGTERM)
    assert idle.is_closed() and kept.is_closed() and head.is_closed()
    for connection in (idle, kept, head, half):
        connection.close()
    assert server.wait() == 0


def test_r86_one_who_never_reads_does_not_hold_the_end(make_server):
    server = make_server("--shutdown-grace", 600)
    with server.client().stream("commands.stream", argv=["yes"]) as stream:
        pid = stream.until("start").data["pid"]
        stream.until("stdout")
        eventually(lambda: is_held(server, pid))
        server.signal(signal.SIGTERM)
        assert server.wait() == 0


def is_held(server, pid):
    """Whether nothing is taken of what this child prints: its reader does not read."""
    def state():
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return fields[0], fields[11:13]  # asleep or not, and its times

    before = state()
    server.client().call("commands.run", command="sleep 0.1")
    return before[0] == "S" and state() == before


def test_calls_that_come_during_the_end_are_told(make_server):
    server = make_server("--shutdown-grace", 600)
    client = server.client()
    with begin(client, "echo > begun; until [ -e go ]; do sleep 0.01; done") as busy:
        eventually(lambda: (server.base / "begun").exists())
        busy.send("GET /capabilities HTTP/1.1\r\nHost: localhost\r\n\r\n")  # waits behind the command
        server.signal(signal.SIGTERM)
        eventually(lambda: refuses(server))
        (server.base / "go").write_text("")
        reply = busy.reply("POST")
        assert reply.status == 200 and reply.read()
        assert busy.is_closed()
    assert server.wait() == 0


def test_sigint_is_an_end_too(make_server):
    server = make_server()
    server.signal(signal.SIGINT)
    assert server.wait() == 0


def test_sighup_reads_the_policy_again(make_server):
    server = make_server(policy={"version": 1})
    client = server.client()
    client.call("commands.run", command="true")
    (server.scratch / "policy.yaml").write_text(json.dumps({"version": 1, "groups": {"process": False}}))
    server.signal(signal.SIGHUP)

    def refused():
        return client.request("POST", "/shell", {"command": "true"}).status == 404

    eventually(refused, what="the new policy holds")
    (server.scratch / "policy.yaml").write_text("nonsense")
    server.signal(signal.SIGHUP)
    eventually(lambda: "nonsense" in server.stderr() or "reload" in server.stderr(), what="the failure is logged")
    with expect_error("op.not_enabled"):
        client.call("commands.run", command="true")


# --- SIGKILL


@BOTH
def test_b142_r87_after_sigkill(make_server, options):
    """Direct children are killed by the kernel; no half-dead owner of a port is left."""
    port, number = free_port(), nap()
    server = make_server(*options, listen=f"127.0.0.1:{port}")
    with begin(server.client(), f"exec sleep {number}"):
        eventually(lambda: sleeping(number))
        server.kill()
        gone(number)
    again = make_server(*options, listen=f"127.0.0.1:{port}")
    assert again.client().rest("core.health") == {"status": "ok"}


# --- pid 1, zombies, descriptors


AS_PID_1 = """
import ctypes, os, signal, sys
libc = ctypes.CDLL(None, use_errno=True)
if libc.unshare(0x20000000) < 0:
    os._exit(77)
child = os.fork()
if child == 0:
    os.execv(sys.argv[1], sys.argv[1:])
for number in (signal.SIGTERM, signal.SIGINT):
    signal.signal(number, lambda n, f: os.kill(child, n))
while True:
    try:
        status = os.waitpid(child, 0)[1]
        break
    except InterruptedError:
        pass
os._exit(os.waitstatus_to_exitcode(status) & 255)
"""


@BOTH
def test_b143_as_pid_1_no_zombie_stays(make_server, options):
    if os.geteuid() != 0:
        pytest.skip("needs a pid namespace, which only root can make")
    server = make_server(*options, wrap=[sys.executable, "-c", AS_PID_1])
    inside = children(server.pid)[0]
    client = server.client()
    assert client.call("commands.run", command="echo $PPID")["stdout"] == "1\n"

    def one(_):
        assert client.call("commands.run", command="(sh -c 'sleep 0.05' &) ; true")["exit_code"] == 0

    together(one, range(300), most=16)
    eventually(lambda: not children(inside, zombies_only=True), what="no zombie is left")
    eventually(lambda: not children(inside), what="nobody is left")


@BOTH
def test_no_zombie_stays(make_server, options):
    server = make_server(*options)
    client = server.client()
    together(lambda _: client.call("commands.run", command="(setsid sh -c 'sleep 0.05' &) ; true"), range(200), most=16)
    eventually(lambda: not children(server.pid, zombies_only=True), what="no zombie is left")


def test_b146_a_start_is_quick_with_very_many_descriptors_allowed(make_server):
    """Nothing closes one possible descriptor after the other."""
    wrap = [sys.executable, "-c", "import os, resource, sys\nhard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]\n"
            "resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))\n"
            "os.execv(sys.argv[1], sys.argv[1:])"]
    server = make_server(wrap=wrap)
    client = server.client()

    def are_quick():
        before = server.cpu_seconds() + server.cpu_seconds_of_children()
        for _ in range(50):
            client.call("commands.run", argv=["true"])
        return is_sanitized() or server.cpu_seconds() + server.cpu_seconds_of_children() - before < 1

    assert any(are_quick() for _ in range(4))  # what a machine counts may be more than what was done


# --- start


def test_ready_is_told_once_to_who_waits_for_it(make_server, tmp_path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
        notify.bind(str(tmp_path / "notify"))
        notify.settimeout(60)
        server = make_server(env={"NOTIFY_SOCKET": str(tmp_path / "notify")})
        assert notify.recv(100) == b"READY=1"
    assert "NOTIFY_SOCKET" not in server.client().call("commands.run", argv=["env"])["stdout"]


def drain(pipe):
    text = b""
    with contextlib.suppress(BlockingIOError):
        while True:
            text += os.read(pipe, 1 << 20)
    return text


def test_nobody_has_to_read_the_log(make_server, tmp_path):
    """A parent that has a pipe for stderr and forgets it: calls go on, and the log says what is missing of it."""
    os.mkfifo(tmp_path / "log")
    pipe = os.open(tmp_path / "log", os.O_RDWR | os.O_NONBLOCK)
    try:
        server = make_server("--log-level", "info", wrap=("sh", "-c", f'exec "$@" 2>{tmp_path}/log', "sh"))
        size, calls = fcntl.fcntl(pipe, fcntl.F_GETPIPE_SZ), 0
        with server.client().connect() as connection:
            def call():
                connection.send(f"GET /{'x' * 180} HTTP/1.1\r\nHost: localhost\r\n\r\n")
                reply = connection.reply()
                reply.read()
                assert reply.status == 404
            while calls * 180 < 2 * size:
                call()
                calls += 1
            text = drain(pipe)
            assert text.count(b" info call ") < calls
            call()

            def is_all_told():
                nonlocal text
                text += drain(pipe)
                lost = sum(map(int, re.findall(rb"^\S+ warn log lost=(\d+)$", text, re.M)))
                return lost and lost + text.count(b" info call ") == calls + 1
            eventually(is_all_told, what="a line, or a place in the count, for each call")
        assert all(re.match(rb"\S+ (info call|warn log) .*\S$", line) for line in text.splitlines())
        server.stop()
    finally:
        os.close(pipe)


def test_a_port_that_is_taken_is_a_start_error(make_server):
    from lib.server import StartError
    first = make_server()
    with pytest.raises(StartError) as refused:
        make_server(listen=f"127.0.0.1:{first.port}")
    assert refused.value.code == 2 and str(first.port) in refused.value.stderr


def test_a_left_over_socket_file_is_replaced_and_a_living_one_is_not(make_server, tmp_path):
    from lib.server import StartError
    path = tmp_path / "socket"
    first = make_server(listen=f"unix:{path}")
    with pytest.raises(StartError):
        make_server(listen=f"unix:{path}")
    first.kill()
    assert path.exists()
    assert make_server(listen=f"unix:{path}").client().rest("core.health") == {"status": "ok"}


def test_ipv6(make_server):
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("no IPv6 here")
    server = make_server(listen="[::1]:0")
    assert server.client().rest("core.health") == {"status": "ok"}


def test_r93_the_server_is_not_dumpable_and_shows_no_token(make_server):
    server = make_server(token="t0ken-of-this-test", env={"ABX_SERVER_TOKEN": "t0ken-of-this-test"})
    for name in ("cmdline", "environ"):
        try:
            assert b"t0ken-of-this-test" not in pathlib.Path(f"/proc/{server.pid}/{name}").read_bytes()
        except PermissionError:
            pass
    if os.geteuid() == 0:
        assert os.stat(f"/proc/{server.pid}/mem").st_uid == 0
    assert not running("t0ken-of-this-test")


def test_a_clock_that_is_set_moves_no_deadline():
    """R85: no source but the log's and the tokens' lines asks for the time of day."""
    root = pathlib.Path(__file__).resolve().parents[2]
    found = subprocess.run(["grep", "-rlE", r"CLOCK_REALTIME|gettimeofday", str(root / "src")], capture_output=True, text=True,
                           check=False).stdout.split()
    assert {pathlib.Path(name).name for name in found} <= {"clock.c", "clock.h"}


# The time of day plus the seconds that a file holds.
MOVED_CLOCK = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long moved(void)
{
	char text[32] = "";
	int fd = open("%s", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, text, sizeof text - 1) < 0)
		_exit(99);
	close(fd);
	return atol(text);
}

int clock_gettime(clockid_t id, struct timespec *now)
{
	long status = syscall(SYS_clock_gettime, id, now);

	if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)
		now->tv_sec += moved();
	return (int)status;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	struct timespec exact;

	clock_gettime(CLOCK_REALTIME, &exact);
	*now = (struct timeval){ exact.tv_sec, exact.tv_nsec / 1000 };
	return zone ? -1 : 0;
}

time_t time(time_t *now)
{
	struct timespec exact;

	clock_gettime(CLOCK_REALTIME, &exact);
	return now ? *now = exact.tv_sec : exact.tv_sec;
}
"""


@pytest.mark.parametrize("by", [3600, -3600])
def test_b115_deadlines_stay_where_they_are_when_the_clock_is_set(make_server, tmp_path, by):
    """None comes early, none is stalled; only timestamps jump."""
    if is_sanitized():
        pytest.skip("AddressSanitizer must be loaded first")
    offset, library = tmp_path / "offset", tmp_path / "moved.so"
    offset.write_text("0")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, "-xc", "-"], input=MOVED_CLOCK % offset, text=True, check=True)
    server = make_server(env={"LD_PRELOAD": library}, policy={"limits": {"terminal.create": {"idle_timeout": 8}}})
    client = server.client()
    began = time.monotonic()
    late, idle = nap(), client.call("terminal.create", argv=["sleep", nap()])["session_id"]
    before = email.utils.parsedate_to_datetime(client.request("GET", "/health").header("date"))
    stream = client.stream("commands.stream", argv=["sleep", late], timeout=8)
    with begin(client, "echo > begun; until [ -e go ]; do sleep 0.01; done; echo done", timeout=600) as call:
        eventually(lambda: (server.base / "begun").exists())
        offset.write_text(str(by))
        after = email.utils.parsedate_to_datetime(client.request("GET", "/health").header("date"))
        if abs((after - before).total_seconds()) < 1800:
            pytest.skip("the time of day of this file cannot be moved: it is linked statically")
        are_there = sleeping(late) and client.call("terminal.get", id=idle)["alive"]
        assert are_there or time.monotonic() - began > 7  # by a clock that was not set
        assert [event.name for event in stream] == ["start", "error", "exit"]
        eventually(lambda: not client.call("terminal.get", id=idle)["alive"], what="the idle terminal is hung up")
        (server.base / "go").write_text("")
        result = json.loads(call.reply("POST").read())
        assert result["stdout"] == "done\n" and 0 <= result["duration_ms"] < 1_800_000


def is_stopped(server):
    states = [pathlib.Path(f"/proc/{server.pid}/task/{task}/stat").read_text().rpartition(")")[2].split()[0]
              for task in os.listdir(f"/proc/{server.pid}/task")]
    return set(states) == {"T"}


def test_r87_what_a_killed_server_left_is_removed_at_the_next_start(tmp_path):
    """A tree that is being copied or extracted has a temporary name beside the destination until it is whole."""
    (tmp_path / "lists").mkdir()
    base = tmp_path / "base"
    (base / "from").mkdir(parents=True)
    for i in range(3000):
        (base / f"from/f{i}").write_bytes(b"x" * 3000)
    (base / ".abx-upload-0123456789abcdef").write_text("not a server's")

    def left():
        return [name for name in os.listdir(base) if name.startswith(".abx-upload-") and not name.endswith("abcdef")]

    server = Server(base=base, env={"TMPDIR": tmp_path / "lists"})
    for number in range(20):
        connection, body = server.client().connect(), json.dumps({"source": "from", "destination": f"to{number}"})
        connection.send(f"POST /ops/files.copy HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n{body}")
        eventually(lambda: left() or (base / f"to{number}").exists())
        server.signal(signal.SIGSTOP)
        eventually(lambda: is_stopped(server))
        if left():
            break
        server.signal(signal.SIGCONT)  # it was quicker than we could look
    server.kill()
    connection.close()
    assert len(left()) == 1 and os.listdir(tmp_path / "lists")
    with Server(base=base, env={"TMPDIR": tmp_path / "lists"}) as server:
        eventually(lambda: not left(), what="what was left is gone")
        assert server.client().call("files.stat", path=".abx-upload-0123456789abcdef")["exists"]
        server.stop()
    assert os.listdir(tmp_path / "lists") == [], "a server that ends properly leaves nothing"
