# SPDX-License-Identifier: Apache-2.0
"""The Python client's terminals and processes, against the real server."""
import asyncio
import itertools
import os

import pytest

from agent_sandbox import errors
from agent_sandbox.terminal import PtyConnection
from lib.processes import eventually, running

_marks = itertools.count()


def run(coroutine):
    return asyncio.run(coroutine)


@pytest.fixture
def session(srv):
    """session(argv) begins one that is ended with the test."""
    begun = []

    def begin(*argv, **options):
        begun.append(srv.terminal.create_sync(argv=list(argv), **options).session_id)
        return begun[-1]

    yield begin
    for name in begun:
        srv.terminal.delete_sync(name)


def test_typing_and_waiting_for_what_is_printed(srv, session):
    name = session("sh", "-c", "printf 'name? '; read name; echo \"hello $name\"; printf 'more\\n'; read rest; exit 3")

    async def talk():
        async with srv.terminal.connect(name) as tty:
            assert isinstance(tty, PtyConnection)
            await tty.expect(r"name\? ", timeout=60)
            await tty.send("w\u00f6rld\r")
            assert (await tty.expect(r"hello (\S+)\r\n", timeout=60)).group(1) == "w\u00f6rld"
            await tty.expect("more", timeout=60)
            await tty.send(b"x\n")
            rest = [message async for message in tty]
            assert rest[-1].event == "exited" and tty.exit_code == 3
            assert [message async for message in tty] == []

    run(talk())


def test_what_stands_behind_a_match_is_read_next(srv, session):
    async def talk():
        async with srv.terminal.connect(session("sh", "-c", "echo one two; cat")) as tty:
            await tty.expect("one", timeout=60)
            assert (await tty.recv()).data.startswith(" two")

    run(talk())


def test_waiting_has_an_end_and_loses_nothing(srv, session):
    async def talk():
        async with srv.terminal.connect(session("sh", "-c", "echo here; cat")) as tty:
            output = ""
            while "here" not in output:
                with pytest.raises(errors.RequestTimeoutError) as caught:
                    await tty.expect("never", timeout=0.3)
                output = caught.value.details["output"]
            await tty.expect("here", timeout=30)

    run(talk())


def test_a_program_that_ends_before(srv, session):
    async def talk():
        async with srv.terminal.connect(session("sh", "-c", "echo here")) as tty:
            with pytest.raises(errors.StreamEndedError) as caught:
                await tty.expect("never", timeout=60)
            assert "here" in caught.value.details["output"] and tty.exit_code == 0

    run(talk())


def test_size_and_signals(srv, session):
    name = session("sh", "-c", "trap 'echo got' INT; echo up; while :; do sleep 0.1; done", cols=77)

    async def talk():
        async with srv.terminal.connect(name) as tty:
            await tty.expect("up", timeout=60)
            await tty.resize(91, 31)
            await tty.signal("SIGINT")
            await tty.expect("got", timeout=60)

    run(talk())
    assert srv.terminal.get_sync(name).cols == 91


def test_raw_bytes(srv, session):
    async def talk():
        async with srv.terminal.connect(session("sh", "-c", "stty raw -echo; echo up; head -c 3 | od -An -tx1"), binary=True) as tty:
            await tty.expect("up", timeout=60)
            await tty.send(b"\xff\x00\xfe")
            await tty.expect("ff 00 fe", timeout=60)
        async with srv.terminal.connect(session("cat")) as tty:
            with pytest.raises(errors.ServerArgumentError):
                await tty.send(b"\xff")

    run(talk())


def test_a_session_outlives_its_clients_and_is_replayed(srv, session):
    name = session("sh", "-c", "echo first; cat")

    async def talk():
        async with srv.terminal.connect(name) as tty:
            await tty.expect("first", timeout=60)
        async with srv.terminal.connect(name) as tty:
            await tty.expect("first", timeout=60)
            assert srv.terminal.get_sync(name).alive

    run(talk())


def test_for_code_without_a_loop(srv, session):
    with srv.terminal.connect_sync(session("sh", "-c", "read x; exit 4")) as tty:
        tty.send("\r")
        assert list(tty)[-1].event == "exited" and tty.exit_code == 4


def test_no_such_session_and_no_token(srv, make_server, connect):
    with pytest.raises(errors.ServerAPIError) as caught:
        srv.terminal.connect_sync("nothing").__enter__().recv()
    assert caught.value.error_code == "terminal.not_found"
    server = make_server(token="t")
    with pytest.raises(errors.ServerAuthError) as caught:
        connect(server).terminal.connect_sync("nothing").__enter__()
    assert caught.value.status == 401
    name = connect(server, token="t").terminal.create_sync(argv=["cat"]).session_id
    with connect(server, token="t").terminal.connect_sync(name) as tty:
        assert tty.recv().event == "started"


def test_a_server_that_dies(make_server, connect):
    server = make_server()
    srv = connect(server)
    with srv.terminal.connect_sync(srv.terminal.create_sync(argv=["cat"]).session_id) as tty:
        tty.recv()
        server.process.kill()
        server.process.wait()
        with pytest.raises(errors.StreamEndedError):
            list(tty)
    server.kill()


def test_over_a_unix_socket(make_server, connect, tmp_path):
    make_server(listen=f"unix:{tmp_path}/s")
    srv = connect(f"unix:{tmp_path}/s")
    with srv.terminal.connect_sync(srv.terminal.create_sync(argv=["echo", "hi"]).session_id) as tty:
        tty.expect("hi", timeout=60)


# Processes


def test_a_process_is_followed_and_outlives_its_caller(srv):
    begun = srv.process.start_sync("echo a; read x; echo $x >&2; exit 3", capture_output=True, stdin=True)
    stream = srv.process.follow_sync(begun.pid)
    assert next(stream).data == "a\n"
    stream.close()
    assert srv.process.get_sync(begun.id).state == "running"
    assert srv.process.stdin_sync(begun.pid, "b\n").bytes == 2
    events = srv.process.follow_all_sync(begun.id)
    assert events[-1].exit_code == 3 and srv.process.read_all_sync(begun.id) == "a\nb\n"
    assert events[0].event_id == "2"
    later = srv.process.follow_sync(begun.id, since=2)
    assert next(later).data == "b\n"


def test_a_start_with_a_key_happens_once(srv):
    """R28."""
    mark = f"6{os.getpid()}.5{next(_marks)}"
    key = f"key-{os.getpid()}-{next(_marks)}"
    first = srv.process.start_sync(argv=["sleep", mark], idempotency_key=key)
    assert srv.process.start_sync(argv=["sleep", mark], idempotency_key=key).id == first.id
    assert len(eventually(lambda: running("sleep", mark))) == 1
    with pytest.raises(errors.ServerArgumentError) as caught:
        srv.process.start_sync(argv=["sleep", "1"], idempotency_key=key)
    assert caught.value.error_code == "args.idempotency_mismatch"
    srv.process.signal_sync(first.pid, signal="SIGKILL")
    eventually(lambda: not running("sleep", mark))
