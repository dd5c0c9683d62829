# SPDX-License-Identifier: Apache-2.0
"""What a process writes and reads: offsets, gaps, followers, standard input."""
import base64
import concurrent.futures
import contextlib
import hashlib
import json
import time

import pytest

from lib.client import expect_error
from lib.processes import eventually, no_descriptor_is_left
from lib.server import is_sanitized

RING = 1 << 20


def start(client, command, **more):
    return client.rest("process.start", command=command, **{"capture_output": True, **more})


def output(client, process, since=0, **more):
    return client.rest("process.output", pid=process["id"], since=since, **more)


def text_of(got):
    return "".join(chunk["data"] for chunk in got["chunks"])


def all_of(client, process, **more):
    """Each stream's text, read to the end in one reader's way."""
    text, since = {"stdout": "", "stderr": ""}, 0
    while True:
        got = output(client, process, since, wait=50, **more)
        for chunk in got["chunks"]:
            text[chunk["stream"]] += chunk["data"]
        since = got["next"]
        if got["eof"]:
            return text, got


def start_mixed(client):
    """abc, ERR on stderr, def: each when what was before it is read."""
    process = start(client, "printf abc; read x; printf ERR >&2; read x; printf def; exit 5", stdin=True)
    for seen in (3, 6):
        assert output(client, process, seen - 3, wait=50)["next"] == seen
        client.rest("process.stdin", pid=process["id"], data="\n")
    return process


def test_reading_consumes_nothing(client):
    """R21, B043"""
    process = start_mixed(client)
    text, last = all_of(client, process)
    assert text == {"stdout": "abcdef", "stderr": "ERR"}
    assert last["exit_code"] == 5 and last["state"] == "exited" and last["next"] == 9 and last["dropped"] == 0
    again = output(client, process)
    assert again == output(client, process) and again["chunks"] == [
        {"stream": "stdout", "offset": 0, "data": "abc"}, {"stream": "stderr", "offset": 3, "data": "ERR"},
        {"stream": "stdout", "offset": 6, "data": "def"}]
    assert output(client, process, 4)["chunks"][0] == {"stream": "stderr", "offset": 4, "data": "RR"}
    cut = output(client, process, max_bytes=5, encoding="base64")
    assert cut["next"] == 5 and not cut["eof"]
    assert base64.b64decode(cut["chunks"][1]["data"]) == b"ER"


def test_filter_leaves_holes(client):
    process = start_mixed(client)
    all_of(client, process)
    got = output(client, process, stream="stderr")
    assert got["chunks"] == [{"stream": "stderr", "offset": 3, "data": "ERR"}] and got["next"] == 9 and got["eof"]
    assert text_of(output(client, process, stream="stdout")) == "abcdef"
    assert output(client, process, 6, stream="stderr")["chunks"] == []


def test_strange_cursors(client):
    """B042"""
    process = start(client, "printf abc; sleep 7800")
    output(client, process, wait=50)
    for bad in ("18446744073709551615", "-1", "abc", "", "1.5", "0x1", " 1", str(1 << 53)):
        with expect_error("args.invalid", 400, says="since"):
            client.rest("process.output", pid=process["id"], since=bad)
    for beyond in (4, 1 << 40, (1 << 53) - 1):
        got = output(client, process, beyond, wait=60)
        assert got["chunks"] == [] and got["since"] == beyond and got["next"] == 3 and got["dropped"] == 0
    for bad in ({"wait": 61}, {"wait": -1}, {"max_bytes": 0}, {"stream": "stdin"}, {"encoding": "latin1"}):
        with expect_error("args.invalid", 400):
            output(client, process, **bad)
    client.rest("process.signal", pid=process["id"])


def test_wait_ends_with_the_first_byte_or_the_end(client):
    process = start(client, "read x; echo $x; read y", stdin=True)
    with contextlib.ExitStack() as calls:
        waiting = [calls.enter_context(client.asked("process.output", pid=process["id"], wait=60)) for _ in range(5)]
        began = time.monotonic()
        assert output(client, process, wait=0.3)["chunks"] == []
        assert time.monotonic() - began > 0.25
        client.rest("process.stdin", pid=process["id"], data="now\n")
        assert {text_of(result()) for result in waiting} == {"now\n"}
    with client.asked("process.output", pid=process["id"], since=4, wait=60) as waiting:
        client.rest("process.stdin", pid=process["id"], eof=True)
        result = waiting()
        assert result["eof"] and result["exit_code"] == 1


def test_wait_for_one_stream_only(client):
    process = start(client, "echo out; read x; echo err >&2; read y", stdin=True)
    output(client, process, wait=50)
    with client.asked("process.output", pid=process["id"], stream="stderr", wait=50) as waiting:
        client.rest("process.stdin", pid=process["id"], data="\n")
        assert text_of(waiting()) == "err\n"
    client.rest("process.signal", pid=process["id"])


def test_waiting_caller_may_leave(client, server):
    process = start(client, "read x", stdin=True)
    with no_descriptor_is_left(server):  # long before the minute is over, and while it runs
        for _ in range(50):
            connection = client.connect()
            connection.send(client.head("GET", f"/process/{process['id']}/output?wait=60", {}))
            connection.close()
    assert client.call("process.get", pid=process["id"])["state"] == "running"
    client.rest("process.stdin", pid=process["id"], data="x\n")
    assert output(client, process, wait=50)["eof"]


def test_not_captured(client):
    """R23"""
    process = start(client, "echo lost", capture_output=False)
    with expect_error("process.not_captured", 409):
        output(client, process)
    with expect_error("process.not_captured", 409):
        client.rest_stream("process.follow", pid=process["id"])


def test_characters_are_not_split(client):
    """R21: what an end cuts belongs to the later read, also when the two streams are mixed."""
    wanted = "grün € 😀 日本 " * 40
    script = ("import os, sys\n"
              "data = sys.argv[1].encode()\n"
              "for i in range(0, len(data), 3): os.write(1, data[i:i + 3]); os.write(2, data[i:i + 3])")
    process = client.rest("process.start", argv=["python3", "-c", script, wanted], capture_output=True)
    for max_bytes in (40, 100, RING):
        text, last = all_of(client, process, max_bytes=max_bytes)
        assert text == {"stdout": wanted, "stderr": wanted} and last["next"] == 2 * len(wanted.encode())
    with client.rest_stream("process.follow", pid=process["id"]) as stream:
        events = list(stream)
    for name in ("stdout", "stderr"):
        assert "".join(e.data["data"] for e in events if e.data.get("stream") == name) == wanted
    assert not any(e.data.get("lossy") for e in events)


def test_bytes_are_exact_in_base64_and_replaced_in_text(client):
    process = start(client, r"printf 'a\377\000\303'")
    text, _ = all_of(client, process)
    assert text["stdout"] == "a\ufffd\0\ufffd"
    got = output(client, process)
    assert all(chunk.get("lossy") for chunk in got["chunks"])
    exact = output(client, process, encoding="base64")
    assert b"".join(base64.b64decode(chunk["data"]) for chunk in exact["chunks"]) == b"a\xff\0\xc3"
    with client.rest_stream("process.follow", pid=process["id"], encoding="base64") as stream:
        assert b"".join(base64.b64decode(e.data["data"]) for e in stream if e.name == "chunk") == b"a\xff\0\xc3"
    with client.rest_stream("process.follow", pid=process["id"]) as stream:
        events = [e for e in stream if e.name == "chunk"]
    assert "".join(e.data["data"] for e in events) == "a\ufffd\0\ufffd" and events[0].data["lossy"]


def test_ring_keeps_the_newest_and_tells_what_is_gone(client):
    process = start(client, "seq -f '%09.0f' 300000")
    text, last = all_of(client, process)
    assert last["next"] == 3000000
    got = output(client, process, 100, max_bytes=2 * RING)
    assert got["dropped"] == 3000000 - RING - 100 and got["since"] == 100 and got["next"] == 3000000
    assert text_of(got) == "".join(f"{n:09d}\n" for n in range(1, 300001))[-RING:]
    assert output(client, process, 2900000, max_bytes=10)["chunks"][0] == {
        "stream": "stdout", "offset": 2900000, "data": "000290001\n"[:10]}
    with client.rest_stream("process.follow", pid=process["id"]) as stream:
        events = list(stream)
    gone = 3000000 - RING
    assert events[0].name == "gap" and events[0].data == {"from": 0, "to": gone, "dropped": gone}
    assert events[0].id == str(gone) and len("".join(e.data["data"] for e in events[1:-1])) == RING


def test_ring_size_is_the_policys(make_server):
    client = make_server(policy={"limits": {"process.start": {"max_output_bytes": 1000}}}).client()
    process = start(client, "seq -f '%09.0f' 200")
    all_of(client, process)
    assert output(client, process)["dropped"] == 1000


def test_follow_to_the_end(client):
    """R26"""
    process = start(client, "echo a; sleep 0.05; read x; echo b >&2; exit 3", stdin=True)
    with client.rest_stream("process.follow", pid=process["pid"]) as stream:
        told = iter(stream)
        events = [next(told)]
        client.rest("process.stdin", pid=process["id"], data="\n")
        events += told
    assert [(e.name, e.id) for e in events] == [("chunk", "2"), ("chunk", "4"), ("exit", "4")]
    assert events[1].data == {"stream": "stderr", "offset": 2, "data": "b\n"}
    assert events[2].data["exit_code"] == 3 and events[2].data["duration_ms"] >= 50
    with client.stream("process.follow", pid=process["id"], since=2, stream="stderr") as stream:
        assert [e.name for e in stream] == ["chunk", "exit"]


def test_follow_tells_of_signal_timeout_and_holder(client):
    process = start(client, "sleep 7810 & exec sleep 7811", timeout=0.2)
    with client.rest_stream("process.follow", pid=process["id"]) as stream:
        last = list(stream)[-1]
    assert last.data["timed_out"] and last.data["signal"] == "SIGTERM" and last.data["exit_code"] == 143
    process = start(client, "setsid sleep 7812 & true")
    with client.rest_stream("process.follow", pid=process["id"]) as stream:
        assert list(stream)[-1].data["background"]
    client.rest("process.signal", pid=process["id"], signal="SIGKILL")


def test_follow_goes_on_after_last_event_id(client):
    """B163: every line once and whole over ten connections."""
    rounds, each = 10, 6
    script = ("import json, sys\n"
              "for number, _ in enumerate(sys.stdin):\n"
              f"  for i in range(number * {each}, number * {each} + {each}):\n"
              f"    print(json.dumps({{'i': i, 'pad': 'é' * (7 ** (i % {each}))}}, ensure_ascii=False), flush=True)")
    process = client.rest("process.start", argv=["python3", "-c", script], capture_output=True, stdin=True)
    text, headers = "", None
    for number in range(1, rounds + 1):
        client.rest("process.stdin", pid=process["id"], data="more\n", eof=number == rounds)
        with client.rest_stream("process.follow", pid=process["id"], since=0, headers=headers) as stream:
            for event in stream:
                assert event.name == "chunk"
                text, headers = text + event.data["data"], {"Last-Event-ID": event.id}
                if text.count("\n") == number * each:
                    break
    with client.rest_stream("process.follow", pid=process["id"], since=0, headers=headers) as stream:
        assert [event.name for event in stream] == ["exit"]
    assert [json.loads(line)["i"] for line in text.splitlines()] == list(range(rounds * each))


def test_bad_last_event_id(client):
    process = start(client, "echo a")
    all_of(client, process)
    for bad in ("-1", "abc", "1;2", "18446744073709551616"):
        with expect_error("args.invalid", 400, says="Last-Event-ID"):
            client.rest_stream("process.follow", pid=process["id"], headers={"Last-Event-ID": bad})
    with client.rest_stream("process.follow", pid=process["id"], headers={"Last-Event-ID": "999"}) as stream:
        assert [(e.name, e.id) for e in stream] == [("exit", "2")]


def test_many_followers_and_large_answers(client):
    """B044: nobody goes deaf; a hundred readers of one process."""
    process = start(client, "while read l; do case $l in big) head -c 8000 /dev/zero | tr '\\0' X; echo;; *) echo got-$l;; esac; done",
                    stdin=True)
    since = 0
    for _ in range(15):
        with client.rest_stream("process.follow", pid=process["id"], since=since) as stream:
            for line in ("big", "s1", "s2", "s3"):
                client.rest("process.stdin", pid=process["id"], data=f"{line}\n")
            text = ""
            for event in stream:
                text, since = text + event.data["data"], int(event.id)
                if text.endswith("got-s3\n"):
                    break
        assert text == "X" * 8000 + "\ngot-s1\ngot-s2\ngot-s3\n"
    streams = [client.rest_stream("process.follow", pid=process["id"], since=since) for _ in range(100)]
    client.rest("process.stdin", pid=process["id"], data="all\n", eof=True)
    for stream in streams:
        with stream:
            assert [e.name for e in stream] == ["chunk", "exit"]


def test_slow_follower_holds_nobody(make_server):
    """R27: the process goes on, the follower is told of the gap."""
    server = make_server()
    client = server.client()
    process = start(client, "read x; head -c 40000000 /dev/zero | tr '\\0' y; echo; read z", stdin=True)
    slow = client.rest_stream("process.follow", pid=process["id"])
    before = server.rss_kib()
    client.rest("process.stdin", pid=process["id"], data="\n")
    eventually(lambda: output(client, process, (1 << 53) - 1)["next"] == 40000001, what="the whole output")
    if not is_sanitized():
        assert server.peak_kib() < before + 16 * 1024
    client.rest("process.stdin", pid=process["id"], eof=True)
    with slow:
        events = list(slow)
    assert any(e.name == "gap" for e in events) and events[-1].name == "exit" and events[-1].id == "40000001"
    told = sum(len(e.data["data"]) if e.name == "chunk" else e.data.get("dropped", 0) for e in events)
    assert told == 40000001


def test_job_outlives_its_reader(client):
    """B038"""
    process = start(client, "i=0; while :; do echo $((i+=1)); sleep 0.02; done")
    with client.rest_stream("process.follow", pid=process["id"]) as stream:
        next(iter(stream))
    eventually(lambda: output(client, process)["next"] > 60)
    numbers = text_of(output(client, process)).split()
    assert numbers == [str(n) for n in range(1, len(numbers) + 1)]
    assert client.rest("process.get", pid=process["id"])["state"] == "running"
    client.rest("process.signal", pid=process["id"])


def test_shutdown_ends_readers(make_server):
    """R12, R86"""
    server = make_server()
    client = server.client()
    process = start(client, "echo a; sleep 7820")
    output(client, process, wait=50)
    stream = client.rest_stream("process.follow", pid=process["id"])
    with client.asked("process.output", pid=process["id"], since=2, wait=50) as waiting:
        events = iter(stream)
        assert next(events).data["data"] == "a\n"
        server.signal(15)
        last = list(events)[-1]
        assert last.name == "error" and last.data["wire_code"] == "server.shutting_down"
        with expect_error("server.shutting_down"):
            waiting()
    assert server.wait() == 0


def test_readers_who_lose_the_scope_are_ended(make_server):
    """policy.md: a reload closes the streams of who may not have them any more; the process goes on."""
    def policy(scopes):
        return {"tokens": [{"name": name, "sha256": hashlib.sha256(f"{name} word".encode()).hexdigest(), "scopes": of}
                           for name, of in (("all", ["*"]), ("reader", scopes))]}
    server = make_server(policy=policy(["process:read"]))
    owner, reader = server.client(token="all word"), server.client(token="reader word")
    process = start(owner, "echo a; sleep 7821")
    waits = {"pid": process["id"], "since": 2, "wait": 50}
    output(owner, process, wait=50)
    with reader.rest_stream("process.follow", pid=process["id"]) as stream, reader.asked("process.output", **waits) as waiting:
        events = iter(stream)
        assert next(events).name == "chunk"
        (server.scratch / "policy.yaml").write_text(json.dumps(policy(["core:read"])))
        owner.rest("core.reload")
        last = list(events)[-1]
        assert last.name == "error" and last.data["wire_code"] == "policy.scope_denied"
        with expect_error("policy.scope_denied"):
            waiting()
    assert owner.rest("process.get", pid=process["id"])["state"] == "running"


def test_closed_pipes_are_the_end(client):
    """R24: output may end before the process does; a held pipe is given up after it."""
    process = start(client, "echo a; exec >&- 2>&-; sleep 7830")
    got = eventually(lambda: (lambda g: g if g["eof"] else None)(output(client, process)))
    assert got["state"] == "running" and text_of(got) == "a\n"
    client.rest("process.signal", pid=process["id"])
    process = start(client, "sleep 7831 & echo b")
    text, got = all_of(client, process)
    assert text["stdout"] == "b\n" and got["state"] == "exited"
    client.rest("process.signal", pid=process["id"], signal="SIGKILL")


# Standard input

def test_stdin_in_pieces_and_its_end(client, folder):
    """B040"""
    process = start(client, "cat >/dev/null; until [ -e go ]; do sleep 0.01; done; echo tail; exit 4", stdin=True, cwd=str(folder))
    assert client.rest("process.stdin", pid=process["id"], data="x\n", eof=True) == {"pid": process["pid"], "bytes": 2}
    with expect_error("process.stdin_closed", 409):
        client.rest("process.stdin", pid=process["id"], data="y")
    (folder / "go").touch()
    with client.rest_stream("process.follow", pid=process["id"]) as stream:
        events = list(stream)
    assert [e.data.get("data") for e in events] == ["tail\n", None] and events[1].data["exit_code"] == 4
    with expect_error("process.exited", 409):
        client.rest("process.stdin", pid=process["id"], data="y")
    process = start(client, "cat", stdin=True)
    for data in (b"a\0\xff", b"", "ü".encode()):
        client.rest("process.stdin", pid=process["id"], data_b64=base64.b64encode(data).decode())
    client.rest("process.stdin", pid=process["id"], data="ende", eof=True)
    all_of(client, process)
    got = output(client, process, encoding="base64")
    assert b"".join(base64.b64decode(c["data"]) for c in got["chunks"]) == b"a\0\xff\xc3\xbcende"


def test_stdin_states(client):
    """R09, R25"""
    process = start(client, "cat; sleep 7840")
    with expect_error("process.no_stdin", 409):
        client.rest("process.stdin", pid=process["id"], data="x")
    client.rest("process.signal", pid=process["id"])
    process = start(client, "exec <&-; echo closed; sleep 7841", stdin=True)
    output(client, process, wait=50)
    with expect_error("process.stdin_closed", 409) as caught:
        client.rest("process.stdin", pid=process["id"], data="x")
    assert caught.error.details["bytes"] == 0
    for bad, code in (({}, "args.missing"), ({"eof": False}, "args.missing"), ({"data": "x", "data_b64": "eA=="}, "args.invalid"),
                      ({"data_b64": "?"}, "args.invalid"), ({"data": 5}, "args.invalid")):
        with expect_error(code, 400):
            client.rest("process.stdin", pid=process["id"], **bad)
    client.rest("process.signal", pid=process["id"])


def test_stdin_waits_for_the_reader(client, folder):
    """More than the pipe holds, with a child that begins late: call for call, none within another."""
    process = start(client, "sleep 0.3; tee all | tr -s A-D; wc -c <all >&2", stdin=True, cwd=str(folder))

    def write(letter):
        return client.rest("process.stdin", pid=process["id"], data=letter * 300000)["bytes"]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        assert list(pool.map(write, "ABCD")) == [300000] * 4
    client.rest("process.stdin", pid=process["id"], eof=True)
    text, _ = all_of(client, process)
    assert sorted(text["stdout"]) == list("ABCD") and text["stderr"].strip() == "1200000"


def test_child_that_does_not_read(client):
    """The call waits, bounded, and says how much was written; nothing of the rest comes later."""
    process = start(client, "sleep 7850; wc -c", stdin=True)
    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor() as pool:
        second = pool.submit(lambda: client.rest("process.stdin", pid=process["id"], data="y" * 200000, eof=True))
        with expect_error("limit.too_many", 429) as caught:
            client.rest("process.stdin", pid=process["id"], data="x" * 200000)
        with expect_error("limit.too_many", 429) as also:
            second.result()
    assert time.monotonic() - began > 4
    written = caught.error.details["bytes"] + also.error.details["bytes"]
    assert 4096 <= written < 200000 and caught.error.details["pid"] == process["pid"]
    connection = client.connect()
    body = json.dumps({"data": "z" * 200000}).encode()
    connection.send(client.head("POST", f"/process/{process['id']}/stdin", {"Content-Length": len(body)}), body)
    connection.close()
    client.rest("process.signal", pid=process["id"], group=False, signal="SIGKILL")


def test_exit_ends_waiting_writers(client):
    process = start(client, "head -c 1 >/dev/null", stdin=True)  # ends when it sees the first byte
    with expect_error("process.exited", 409) as caught:
        client.rest("process.stdin", pid=process["id"], data="x" * 500000)
    assert caught.error.details["bytes"] > 0
    process = start(client, "head -c 1 >/dev/null; exec <&-; sleep 7851", stdin=True)
    with expect_error("process.stdin_closed", 409) as caught:
        client.rest("process.stdin", pid=process["id"], data="x" * 500000)
    client.rest("process.signal", pid=process["id"])


@pytest.mark.slow
def test_kept_output_leaves_room_for_work(make_server):
    """R97: a hundred ended processes, each with a full ring, do not starve what comes after them."""
    server = make_server(policy={"limits": {"process.start": {"max_processes": 200}}})
    client = server.client()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: start(client, "head -c 1048576 /dev/zero"), range(80)))
    eventually(lambda: all(p["state"] == "exited" for p in client.rest("process.list")["processes"]))
    if not is_sanitized():
        assert server.rss_kib() < 60 * 1024
    assert client.call("commands.run", command="head -c 5000000 /dev/zero")["stdout_truncated"] is False
    newest, oldest = output(client, made[-1], max_bytes=RING), output(client, made[0], max_bytes=RING)
    assert newest["dropped"] == 0 and newest["next"] == RING
    assert oldest["dropped"] == RING and oldest["chunks"] == [] and oldest["eof"]
