# SPDX-License-Identifier: Apache-2.0
"""commands.stream: events, back-pressure, ends, and what a caller can rely on (B008 to B034, R04, R11, R12, R27)."""
import base64
import json
import os
import time

import pytest

from lib.client import expect_error
from lib.parallel import together
from lib.processes import eventually, gone, in_time, nap, no_descriptor_is_left, rests, sleeping
from lib.raw import Broken
from lib.server import is_sanitized

MIB = 1 << 20


def collect(client, command, **more):
    with client.stream("commands.stream", command=command, **more) as stream:
        return stream.collect()


# --- events


def test_r11_r12_the_events_of_a_command(runner, tmp_path):
    command = f"echo out; until [ -e {tmp_path}/seen ]; do sleep 0.01; done; echo err >&2; exit 3"
    with runner.stream("commands.stream", command=command) as stream:
        told = iter(stream)
        events = [next(told), next(told)]
        (tmp_path / "seen").touch()
        events += told
    assert [event.name for event in events] == ["start", "stdout", "stderr", "exit"]
    assert all(event.id is None for event in events)
    assert events[0].data.keys() == {"pid"} and events[1].data == {"data": "out\n"} and events[2].data == {"data": "err\n"}
    assert events[3].data["exit_code"] == 3 and events[3].data.keys() == {"exit_code", "duration_ms"}


def test_the_order_of_two_streams_is_kept_as_far_as_pipes_allow(runner, tmp_path):
    command = f"seen() {{ until [ -e {tmp_path}/$1 ]; do sleep 0.01; done; }}; for i in 1 2 3 4 5 6; do echo o$i; seen o$i; echo e$i >&2; seen e$i; done"
    said = []
    with runner.stream("commands.stream", command=command) as stream:
        for event in stream:
            if event.name in ("stdout", "stderr"):
                said.append(event.data["data"].strip())
                (tmp_path / said[-1]).touch()
    assert said == [f"{kind}{i}" for i in range(1, 7) for kind in "oe"]


def test_output_comes_at_once(runner, folder):
    """The command waits for what only a reader of its first line does."""
    with runner.stream("commands.stream", command="echo ready; until [ -e go ]; do sleep 0.01; done; echo went",
                       cwd=str(runner.server.base)) as stream:
        assert stream.until("stdout").data["data"] == "ready\n"
        (runner.server.base / "go").write_text("")
        assert stream.until("stdout").data["data"] == "went\n"
        assert stream.until("exit").data["exit_code"] == 0
    (runner.server.base / "go").unlink()


def test_b008_r04_nul_and_bytes_that_are_not_utf8(runner):
    text = collect(runner, "printf 'a\\000b\\377\\376c\\n'")
    assert text["stdout"] == "a\0b\ufffd\ufffdc\n"
    assert [event.data.get("lossy") for event in text["events"] if event.name == "stdout"] == [True]
    exact = collect(runner, "printf 'a\\000b\\377\\376c\\n'", encoding="base64")
    assert base64.b64decode(exact["stdout"]) == b"a\0b\xff\xfec\n"


def test_a_character_is_never_split_across_events(runner):
    """Its bytes come one by one, with time between them."""
    command = "for b in 342 202 254 303 244 360 237 230 200; do printf \"\\\\$b\"; sleep 0.02; done; printf '\\342\\202'"
    events = collect(runner, command)["events"]
    said = [event.data for event in events if event.name == "stdout"]
    assert "".join(data["data"] for data in said) == "€ä😀\ufffd"
    assert [data.get("lossy", False) for data in said] == [False] * (len(said) - 1) + [True]


def test_r11_line_separators_and_controls_stay_inside_one_line(runner):
    """The client's parser refuses any control character in a data line (R11)."""
    assert collect(runner, "printf 'a\\342\\200\\250b\\342\\200\\251c\\r\\n\\r\\ndata: x\\n\\nevent: exit\\n\\177\\033[0m'")["stdout"] == (
        "a\u2028b\u2029c\r\n\r\ndata: x\n\nevent: exit\n\x7f\x1b[0m")


def test_b009_all_bytes_are_delivered(client):
    together_ = collect(client, "echo BEGIN; head -c 20000000 /dev/zero | tr '\\0' x; echo END")
    assert together_["stdout"] == "BEGIN\n" + "x" * 20_000_000 + "END\n"


def test_b032_a_very_long_line(runner):
    """It comes before the pause ends, in events of bounded size."""
    command = "head -c 5000000 /dev/zero | tr '\\0' a; until [ -e long ]; do sleep 0.01; done; echo"
    total = 0
    with runner.stream("commands.stream", command=command) as stream:
        for event in stream:
            if event.name == "stdout":
                total += len(event.data["data"])
                assert len(event.data["data"]) <= 256 * 1024
            if total == 5_000_000:
                (runner.server.base / "long").write_text("")
    assert total == 5_000_001
    (runner.server.base / "long").unlink()


def test_lines(runner):
    with runner.stream("commands.stream", command="printf 'a\\nb'; sleep 0.05; printf 'c\\n\\nd'; echo e >&2", lines=True) as stream:
        events = [(event.name, event.data.get("data")) for event in stream]
    assert [data for name, data in events if name == "stdout"] == ["a", "bc", "", "d"]
    assert ("stderr", "e") in events


def test_lines_behind_the_route_as_in_the_first_version(runner):
    def ask(target, **args):
        body = json.dumps({"command": "printf 'a\\nb'", **args}).encode()
        with runner.connect() as connection:
            connection.send(f"POST {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n".encode(), body)
            reply = connection.reply("POST")
            return reply.status, reply.read().decode()

    status, text = ask("/shell/stream?lines=true")
    assert status == 200 and 'data: {"data":"a"}\n' in text and 'data: {"data":"b"}\n' in text
    status, text = ask("/shell/stream?lines=no")
    assert status == 200 and 'data: {"data":"a\\n' in text
    for target, args in (("/shell/stream?lines=true", {"lines": True}), ("/shell/stream?lines=maybe", {}), ("/shell/stream?timeout=1", {}),
                         ("/shell/stream?lines=true&timeout=1", {}), ("/ops/commands.stream?lines=true", {}), ("/shell?lines=true", {})):
        status, text = ask(target, **args)
        assert status == 400 and json.loads(text)["wire_code"] in ("args.invalid", "args.unknown"), target


def test_lines_that_are_too_long_are_cut(runner):
    with runner.stream("commands.stream", command="head -c 3000000 /dev/zero | tr '\\0' a; echo; echo end", lines=True) as stream:
        said = [event.data["data"] for event in stream if event.name == "stdout"]
    assert "".join(said) == "a" * 3_000_000 + "end" and said[-1] == "end" and 3 <= len(said) <= 5


# --- ends


def test_b012_r12_a_stream_that_broke_is_no_success(make_server):
    server = make_server()
    with server.client().stream("commands.stream", command="while :; do echo x; sleep 0.1; done") as stream:
        stream.until("stdout")
        server.kill()
        with pytest.raises(Broken):
            list(stream)


def test_b012_exit_comes_after_the_last_byte(runner):
    for _ in range(20):
        events = collect(runner, "seq 1 2000; seq 1 2000 >&2")["events"]
        assert events[-1].name == "exit"
        for stream in ("stdout", "stderr"):
            assert "".join(event.data["data"] for event in events if event.name == stream) == "".join(f"{i}\n" for i in range(1, 2001))


def test_r05_r12_a_timeout_sends_error_and_then_its_one_exit(runner):
    one, two = nap(), nap()

    def ended(timeout):
        events = collect(runner, f"echo before; sleep {one} & (sleep {two}; true) | cat", timeout=timeout)["events"]
        assert not sleeping(one) and not sleeping(two)
        return len(events) > 3 and events

    events = in_time(ended)
    assert [event.name for event in events] == ["start", "stdout", "error", "exit"]
    assert events[2].data["wire_code"] == "commands.timeout" and events[2].data["code"] == "timeout"


def test_b015_what_cannot_start_is_no_stream(runner):
    with expect_error("commands.cannot_start", 400, says="no-such-tool-xyz"):
        runner.stream("commands.stream", argv=["no-such-tool-xyz"])
    with expect_error("args.invalid", 400, says="timeout"):
        runner.stream("commands.stream", command="true", timeout=3601)
    with expect_error("args.missing", 400):
        runner.stream("commands.stream")


def test_signals_are_told(runner):
    assert collect(runner, "kill -SEGV $$")["exit"]["signal"] == "SIGSEGV"
    end = collect(runner, "exit 137")["exit"]
    assert end["exit_code"] == 137 and "signal" not in end


@pytest.mark.parametrize("leave", ["close", "reset", "half_close"])
def test_b027_r14_the_caller_goes_away(runner, leave):
    """Although nothing is printed."""
    number = nap()
    with runner.stream("commands.stream", command=f"echo; sleep {number} & setsid sleep {number} & sleep {number}") as stream:
        stream.until("stdout")
        eventually(lambda: len(sleeping(number)) == 3, what="the command runs")
        getattr(stream.connection, leave)()
        gone(number)


def test_b027_the_caller_goes_away_while_the_child_is_held(runner):
    """It prints without end to one who does not read, ignores SIGTERM, and is ended all the same."""
    number = nap()
    with runner.stream("commands.stream", command=f"trap '' TERM; sleep {number} & yes") as stream:
        stream.until("stdout")
        eventually(lambda: sleeping(number))
        stream.connection.reset()
        gone(number)


def test_b001_r02_background_children(runner):
    number = nap()
    end = collect(runner, f"sleep {number} & echo hi")
    assert end["stdout"] == "hi\n" and end["exit"]["background"] is True
    for pid in eventually(lambda: sleeping(number)):
        os.kill(pid, 9)
    gone(number)


def test_b003_a_background_child_that_prints_without_end(runner):
    """Whatever the pace of the reader: two seconds after the exit it is over (R01)."""
    with runner.stream("commands.stream", command="yes & echo hi") as stream:
        for event in stream:  # or it takes more than a test may
            if event.name == "stdout":
                time.sleep(0.002)  # the pace of the reader, nothing is waited for
        assert event.name == "exit" and event.data["background"] is True


# --- slow readers


def test_b010_b011_r27_a_slow_reader_slows_the_command_down(process_server, runner):
    """Nothing is lost, memory stays flat, and the command is not far ahead of its reader."""
    mark = process_server.base / f"progress-{nap()}"
    command = f"for i in $(seq 1 40); do seq $((i * 50000 - 49999)) $((i * 50000)); echo $i > {mark}; done"
    before = process_server.rss_kib()
    text, events = [], 0
    with runner.stream("commands.stream", command=command) as stream:
        for event in stream:
            if event.name == "stdout":
                text.append(event.data["data"])
                events += 1
                if events == 5:
                    # It stands still while nobody reads: 15 MB in all, of which the kernel may hold ten on their way.
                    steps = eventually(lambda: mark.exists() and int(mark.read_text() or 0))
                    assert steps < 32
        assert event.data["exit_code"] == 0
    assert "".join(text) == "".join(f"{i}\n" for i in range(1, 2_000_001))
    assert is_sanitized() or process_server.rss_kib() - before < 8 * 1024


def test_r27_a_stalled_reader_holds_nobody_else(process_server, runner):
    number = nap()
    before = process_server.rss_kib()
    with runner.stream("commands.stream", command=f"sleep {number} & yes") as stalled:
        stalled.until("start")
        for _ in range(20):
            assert runner.rest("core.health") == {"status": "ok"}
            assert runner.call("commands.run", command="echo hi")["stdout"] == "hi\n"
        assert is_sanitized() or process_server.rss_kib() - before < 8 * 1024
        rests(process_server)  # waiting for a reader burns nothing
    gone(number)


def test_hundreds_of_idle_streams(make_server):
    """Bounded memory, and whoever asks for /health gets it at once."""
    server = make_server(policy={"version": 1, "limits": {"max_connections": 600}})
    client = server.client()
    before = server.rss_kib()
    number = nap()
    streams = []
    try:
        for _ in range(250):
            streams.append(client.stream("commands.stream", argv=["sleep", number]))
        for stream in streams:
            stream.until("start")
        for _ in range(20):
            assert client.rest("core.health") == {"status": "ok"}
        assert is_sanitized() or server.rss_kib() - before < 250 * 16 + 1024
        rests(server)
    finally:
        for stream in streams:
            stream.close()
    gone(number)


def test_streams_that_come_and_go_leave_nothing(process_server, runner):
    def one(i):
        with runner.stream("commands.stream", command="echo a; sleep 0.02; echo b" if i % 2 else "yes") as stream:
            stream.until("stdout")

    with no_descriptor_is_left(process_server):
        together(one, range(160))


# --- on the wire


def test_r11_headers_come_at_once_and_events_are_two_lines(runner):
    """B034; the comment after silence is in tests/unit/test_http_conn.c too, with a short limit."""
    body = json.dumps({"command": "sleep 600"})
    with runner.connect() as connection:
        connection.send(f"POST /shell/stream HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n{body}")
        reply = connection.reply("POST")
        assert (reply.status, reply.header("content-type")) == (200, "text/event-stream")
        assert (reply.header("cache-control"), reply.header("x-accel-buffering")) == ("no-cache", "no")
        first = next(reply.chunks())
        lines = first.split(b"\n")
        assert lines[0] == b"event: start" and lines[1].startswith(b'data: {"pid":') and lines[2:] == [b"", b""]


@pytest.mark.check
def test_r11_a_quiet_stream_has_a_comment_within_twenty_seconds(client, folder):
    """B034"""
    def quiet(op, args):
        with client.stream(op, **args) as stream:
            names = [event.name for event in stream]
            return names, stream.comments

    answers = together(lambda one: quiet(*one), [("commands.stream", {"command": "sleep 20; echo done"}),
                                                 ("files.watch", {"path": str(folder), "timeout": 20})])
    assert [names for names, _ in answers] == [["start", "stdout", "exit"], ["ready", "end"]]
    assert all(comments >= 1 for _, comments in answers)


def test_stdin_reaches_a_stream(runner):
    text = "0123456789abcdef" * (128 * 1024)
    assert collect(runner, "cat", stdin=text)["stdout"] == text
    assert collect(runner, "cat")["exit"]["exit_code"] == 0


def test_r07_a_long_command(runner):
    assert collect(runner, "# " + "x" * 200_000 + "\necho ok")["stdout"] == "ok\n"


def test_what_a_stream_is_refused_and_replaces(client):
    """The refusals of commands.run hold for streams; each stream tells for itself what was replaced."""
    with expect_error("policy.command_denied", 403):
        client.stream("commands.stream", command="true", user="nobody-at-all")
    with expect_error("policy.env_denied", 403):
        client.stream("commands.stream", command="true", env={"ABX_X": "1"})
    events = list(client.stream("commands.stream", command="printf '\\377' >&2"))
    assert [event.data for event in events if event.name == "stderr"] == [{"data": "\ufffd", "lossy": True}]
    events = list(client.stream("commands.stream", command="sleep 600", timeout=0.1))
    assert [event.name for event in events][-2:] == ["error", "exit"]
