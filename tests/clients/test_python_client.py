# SPDX-License-Identifier: Apache-2.0
"""The Python client against the real server: streams, bytes, discovery, errors, twins."""
import asyncio
import gc
import itertools
import os
import threading

import pytest

from agent_sandbox import UnknownEvent, errors, ops
from agent_sandbox.models import server as models
from lib.access import token
from lib.cut import Cut
from lib.processes import eventually, nap, running

_marks = itertools.count()


def run(coroutine):
    return asyncio.run(coroutine)


def sleeper():
    """A command line that no other test has."""
    return ["sleep", f"6{os.getpid()}.{next(_marks)}"]


def within_a_second(argv):
    eventually(lambda: not running(*argv), what=f"the end of {argv}")


# Streams


def test_unicode_line_separators_do_not_split_an_event(srv):
    """B153."""
    async def collect():
        return [e async for e in srv.commands.stream(r"printf 'x\342\200\250y\302\205z\013w\014v\036u'")]

    events = run(collect())
    assert "".join(e.data for e in events if e.event == "stdout") == "x\u2028y\x85z\x0bw\x0cv\x1eu"
    assert events[-1].event == "exit" and events[-1].exit_code == 0


@pytest.mark.parametrize("how", ["break", "aclose", "with", "cancel", "exception"])
def test_leaving_a_stream_ends_the_command(srv, how):
    argv = sleeper()

    async def begin():
        stream = srv.commands.stream(argv=argv)
        async for event in stream:
            if event.event == "start":
                await asyncio.to_thread(eventually, lambda: running(*argv))
                break
        return stream

    async def work():
        if how == "break":
            await begin()
            gc.collect(0)
            await asyncio.to_thread(within_a_second, argv)
        elif how == "aclose":
            stream = await begin()
            await stream.aclose()
            await asyncio.to_thread(within_a_second, argv)
            assert [event async for event in stream] == []
        elif how == "with":
            async with await begin():
                pass
            await asyncio.to_thread(within_a_second, argv)
        elif how == "cancel":
            stream = await begin()
            task = asyncio.ensure_future(stream.__anext__())
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.to_thread(within_a_second, argv)
        else:
            with pytest.raises(ZeroDivisionError):
                async for event in srv.commands.stream(argv=argv):
                    if event.event == "start":
                        await asyncio.to_thread(eventually, lambda: running(*argv))
                        raise ZeroDivisionError
            await asyncio.to_thread(within_a_second, argv)

    run(work())


@pytest.mark.parametrize("name", ["commands.run", "devtools.code.run", "commands.run_stream"])
def test_cancelling_a_call_ends_the_command(srv, name):
    argv = sleeper()

    async def work():
        if name == "devtools.code.run":
            call = srv.devtools.code.run("exec " + " ".join(argv), language="bash")
        else:
            call = getattr(srv.commands, name.rpartition(".")[2])(argv=argv)
        task = asyncio.ensure_future(call)
        await asyncio.to_thread(eventually, lambda: running(*argv))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.to_thread(within_a_second, argv)

    run(work())


def test_a_stream_for_code_without_a_loop(srv):
    argv = sleeper()
    with srv.commands.stream_sync(argv=argv) as stream:
        assert next(stream).event == "start"
        eventually(lambda: running(*argv))
    within_a_second(argv)
    assert [event.event for event in srv.commands.stream_sync("echo a")] == ["start", "stdout", "exit"]


def test_run_stream_hands_out_text(srv):
    out, err = [], []

    async def late(text):
        await asyncio.sleep(0)
        err.append(text)

    ended = run(srv.commands.run_stream("echo a; echo b >&2; exit 3", on_stdout=out.append, on_stderr=late))
    assert ("".join(out), "".join(err), ended.exit_code) == ("a\n", "b\n", 3)
    with pytest.raises(errors.ProcessError) as caught:
        srv.commands.run_stream_sync("exit 3", check=True)
    assert caught.value.result.exit_code == 3


def test_the_servers_timeout_in_a_stream_is_told_and_then_the_exit(srv):
    events = list(srv.commands.stream_sync("sleep 60", timeout=0.2))
    assert [event.event for event in events[-2:]] == ["error", "exit"] and events[-2].wire_code == "commands.timeout"


# Timeouts


def test_the_clients_timeout_ends_the_command_and_says_that_it_was_the_clients(srv):
    """B158."""
    argv = sleeper()
    with pytest.raises(errors.RequestTimeoutError, match="request_timeout of 0.5 s"):
        run(srv.commands.run(argv=argv, timeout=0, request_timeout=0.5))
    within_a_second(argv)


def test_the_servers_timeout_is_told_with_what_was_written(srv, folder):
    """Where it strikes before the command has run at all, which is nobody's fault, there is another with more time."""
    for seconds in (0.3, 3, 30):
        with pytest.raises(errors.CommandTimeoutError) as caught:
            run(srv.commands.run("echo a; touch written; sleep 60", cwd=folder, timeout=seconds))
        assert caught.value.code == "E3001"
        if (folder / "written").exists():
            break
    assert caught.value.details["stdout"] == "a\n"


def test_a_clients_timeout_for_all_its_calls(server, connect):
    srv = connect(server, request_timeout=0.3)
    argv = sleeper()
    with pytest.raises(errors.RequestTimeoutError):
        list(srv.commands.stream_sync(argv=argv, timeout=0))
    within_a_second(argv)
    assert srv.core.health_sync(request_timeout=60).status == "ok"


# Results


def test_results_are_dicts_too(srv, folder):
    result = srv.files.stat_sync(folder)
    as_dict = dict(result)
    assert as_dict["exists"] is True and result["type"] == result.type == "directory" and "path_b64" not in result
    assert list(as_dict) == list(result.keys()) == list(result.to_dict()) and result.get("nothing", 5) == 5
    with pytest.raises(KeyError):
        result["path_b64"]


def test_arguments_are_checked_here(srv):
    for call in (lambda: srv.call_sync("files.stat", pth="/"), lambda: srv.call_sync("files.stat"),
                 lambda: srv.files.list_sync("/", depth="3"), lambda: srv.files.list_sync("/", recursive=1),
                 lambda: srv.files.list_sync(5), lambda: srv.commands.run_sync("x", encoding="latin-1"),
                 lambda: srv.commands.run_sync(argv="ls")):
        with pytest.raises(errors.ServerArgumentError) as caught:
            call()
        assert caught.value.status is None, "it was sent"
    with pytest.raises(errors.ServerArgumentError, match="did you mean 'path'"):
        srv.call_sync("files.stat", pth="/")
    with pytest.raises(TypeError):
        srv.files.stat_sync("/", nothing=1)


# Discovery


def test_discovery(make_server, connect):
    server = make_server(policy={"groups": {"file_ops": False}})
    srv = connect(server)
    with pytest.raises(errors.OperationNotEnabledError) as caught:
        srv.files.list_sync(".")
    assert caught.value.status == 404 and isinstance(caught.value, errors.EndpointNotAvailableError)
    caps = srv.discover_sync()
    assert not caps.can(ops.files.list) and caps.can(ops.commands.run) and not caps.legacy
    for call in (lambda: srv.files.list_sync("."), lambda: caps.require(ops.files.list)):
        with pytest.raises(errors.OperationNotEnabledError) as caught:
            call()
        assert caught.value.status is None and caught.value.rule == "policy:groups.file_ops", "it was sent"
    assert run(caps.check(ops.commands.run)).allowed is True
    assert srv.check_sync(ops.files.list, path=".").wire_code == "op.not_enabled"


def test_paths_from_discovery(srv, server, folder):
    caps = srv.discover_sync()
    assert caps.paths(ops.files.list).roots == (str(server.base),)
    assert caps.check_path(folder / "x", ops.files.stat).allowed is True
    assert caps.check_path("~/x/../y", ops.files.stat).allowed is True
    assert caps.check_path("../x", ops.files.stat).allowed is False
    assert caps.check_path("/etc/passwd", ops.files.stat) == (False, "outside the roots")
    assert run(caps.check(ops.files.stat, path="/etc/passwd")).allowed is False


PATTERNS = [
    "*.key", "**/*.key", "secret", "**/secret", "a/*", "a/*/c", "BASE/a/*", "BASE/*/c", "BASE//a/./b", "~/x", "~", "a/**", "a/**/c", "**/b/**", "**/a/**/c",
    "**", "/**x", "/**", "[ab]", "?", "a/?", "??", ".env", "a/", "b\\*", "a.b", "(x|y)", "a\nb", "é*",
]
PLACES = [
    "", "a", "a/b", "a/b/c", "a/d/c", "x", "x/y", "d.key", "a/d.key", "a/b/d.key/e", "secret", "a/secret/z", ".env", "a/.env", "ab", "a/c", "c", "b", "b\\z",
    "a.b", "axb", "[ab]", "(x|y)", "a\nb", "a\n", "é", "éa", "ê",
]


def test_patterns_mean_what_they_mean_to_the_server(make_server, connect, tmp_path):
    """A token for each, whose paths start elsewhere than the server's: what is told of them stands alone."""
    base = tmp_path / "base"
    (base / "sub").mkdir(parents=True)
    own = {"base": str(base / "sub"), "roots": [str(base / "sub")]}
    cases = [(pattern.replace("BASE", own["base"]), kind) for pattern in PATTERNS for kind in ("deny", "readonly")]
    server = make_server(base=base, policy={
        "paths": {"deny": ["sub/own", "**/*.pem"]},
        "tokens": [token(f"t{at}", ["*"], paths={**own, kind: [pattern]}) for at, (pattern, kind) in enumerate(cases)]})
    places = [*PLACES, "own", "own/x", "a/x.pem"]
    for at, (pattern, kind) in enumerate(cases):
        srv = connect(server, token=f"t{at}-token")
        caps = srv.discover_sync()
        for op in ops.files.stat, ops.files.mkdir:
            asked = srv.core.check_sync(checks=[{"op": op, "path": f"{own['base']}/{place}"} for place in places]).results
            told = {place: one.allowed for place, one in zip(places, asked, strict=True)}
            assert {place: caps.check_path(place or ".", op).allowed for place in places} == told, (pattern, kind, op)


def test_strict_wants_discovery_first(server, connect):
    srv = connect(server, strict=True)
    with pytest.raises(errors.ServerConfigError):
        srv.files.list_sync(".")
    assert srv.health_sync().status == "ok"
    srv.discover_sync()
    srv.files.list_sync(".")


async def called_stream(srv):
    return await (await srv.call("commands.stream", command="true")).collect()


def test_names_that_the_client_was_not_made_with(srv):
    with pytest.raises(errors.ContractMismatchError) as caught:
        srv.files.lisst_sync(path="/")
    assert caught.value.server_version in str(caught.value)
    with pytest.raises(errors.CommandNotFoundError):
        run(srv.custom.nothing(x=1))
    assert "files.list" in srv.ops and srv.ops.files.list == ops.files.list and len(srv.ops) > 10
    with pytest.raises(AttributeError):
        srv.ops.files.nothing  # noqa: B018
    assert srv.call_sync(ops.core.health).status == "ok"
    assert [op["id"] for op in srv.describe_sync("files.stat").ops] == ["files.stat"]
    assert [event.event for event in run(called_stream(srv))] == ["start", "exit"]


# Tokens


def test_tokens(make_server, monkeypatch, connect):
    server = make_server(token="s3cret")
    with pytest.raises(errors.ServerAuthError) as caught:
        connect(server).files.list_sync(".")
    assert (caught.value.code, caught.value.error_code, caught.value.status) == ("E3101", "auth.missing_credentials", 401)
    with pytest.raises(errors.ServerAuthError) as caught:
        connect(server, token="wrong").files.list_sync(".")
    assert "wrong" not in str(caught.value)
    connect(server, token="s3cret").files.list_sync(".")
    connect(server, token="s3cret", legacy_auth=True).files.list_sync(".")
    monkeypatch.setenv("ABX_SERVER_TOKEN", "s3cret")
    connect(server).files.list_sync(".")


def test_unix_sockets(make_server, tmp_path, monkeypatch, connect):
    monkeypatch.setenv("ALL_PROXY", "socks5://x")
    make_server(listen=f"unix:{tmp_path}/s")
    srv = connect(f"unix:{tmp_path}/s")
    assert srv.files.list_sync(".").entries == []
    assert [event.event for event in srv.commands.stream_sync("true")] == ["start", "exit"]


def test_many_calls_at_once_and_several_loops(srv):
    async def work():
        async with srv:
            results = await asyncio.gather(*(srv.commands.run(f"echo {number}") for number in range(20)))
            return [result.stdout for result in results]

    assert run(work()) == run(work()) == [f"{number}\n" for number in range(20)]


# Closing


def connections(server):
    """The ends of this machine's clients of the server that are connected."""
    with open("/proc/self/net/tcp") as table:
        rows = [line.split() for line in table.readlines()[1:]]
    return sum(row[2].endswith(f":{server.port:04X}") and row[3] == "01" for row in rows)


@pytest.mark.parametrize("inside", ["aclose", "close", "with"])
def test_closing_ends_the_connections_of_all_loops(make_server, connect, inside):
    server = make_server()
    srv = connect(server)

    async def work():
        async with srv:
            await srv.health()
            await asyncio.to_thread(srv.health_sync)
            await asyncio.to_thread(eventually, lambda: connections(server) == 2)
            if inside == "aclose":
                await srv.aclose()
            elif inside == "close":
                srv.close()
        await asyncio.to_thread(eventually, lambda: connections(server) == 0)
        with pytest.raises(errors.ServerConfigError, match="closed"):
            await srv.health()
        async with srv:
            await srv.health()

    run(work())
    with pytest.raises(errors.ServerConfigError, match="closed"):
        srv.health_sync()
    eventually(lambda: connections(server) == 0)


@pytest.mark.parametrize("how", ["stopped", "finished"])
def test_closing_does_not_wait_for_a_loop_that_ends_meanwhile(make_server, connect, how):
    """The loop of another thread gets the request to close its connections, and has no turn left for it."""
    srv, ended = connect(make_server()), []
    ready, asked = threading.Event(), threading.Event()

    def hold(loop):
        ask = loop.call_soon_threadsafe

        def noted(*args, **more):
            handle = ask(*args, **more)
            asked.set()
            return handle

        loop.call_soon_threadsafe = noted
        ready.set()
        asked.wait(30)

    async def work():
        await srv.health()
        hold(asyncio.get_running_loop())

    def elsewhere():
        if how == "finished":
            asyncio.run(work())
            return
        loop = asyncio.new_event_loop()
        loop.run_until_complete(srv.health())
        loop.call_soon(lambda: (hold(loop), loop.stop()))
        loop.run_forever()
        loop.close()

    def close():
        srv.close()
        ended.append(True)

    threads = [threading.Thread(target=elsewhere), threading.Thread(target=close, daemon=True)]
    threads[0].start()
    assert ready.wait(30)
    threads[1].start()
    for thread in threads:
        thread.join(30)
    assert ended


def test_arguments_that_cannot_be_right_say_why(srv):
    for args, code, says in (({"dept": 3}, "args.unknown", "did you mean 'depth'"), ({"path": None}, "args.missing", "'path' is required"),
                             ({"depth": "x"}, "args.invalid", "of type integer, not str")):
        with pytest.raises(errors.ServerArgumentError, match=says) as wrong:
            srv.call_sync("files.list", **{"path": ".", **args})
        assert wrong.value.error_code == code
    with pytest.raises(errors.ServerArgumentError, match="must be one of tar, tar.gz, tar.zst, zip, not 'rar'"):
        srv.files.archive_sync(["."], format="rar")


@pytest.mark.parametrize("call, says", [
    (lambda srv: srv.commands.run_sync("x", timeout=float("nan")), "of type number, not nan"),
    (lambda srv: srv.commands.run_sync("x", timeout=float("inf")), "of type number, not inf"),
    (lambda srv: srv.commands.run_sync("\udc80"), "cannot be sent"),
    (lambda srv: srv.commands.run_sync("x", env={"A": object()}), "cannot be sent"),
    (lambda srv: srv.commands.run_sync("x", stdin_b64=5), "'stdin_b64' must be bytes, not int"),
    (lambda srv: srv.process.get_sync("\udc80"), "'pid' cannot be sent"),
    (lambda srv: srv.process.start_sync("true", idempotency_key="a\nb"), "cannot be sent"),
    (lambda srv: srv.process.start_sync("true", idempotency_key="\xe9"), "cannot be sent"),
    (lambda srv: srv.files.archive_sync("x"), "of type array, not str"),
    (lambda srv: srv.files.archive_sync([5]), "must be a path, not int"),
])
def test_arguments_that_cannot_be_sent_are_not(srv, call, says):
    with pytest.raises(errors.ServerArgumentError, match=says) as wrong:
        call(srv)
    assert wrong.value.status is None and wrong.value.error_code == "args.invalid"


@pytest.mark.parametrize("url", ["", "ftp://x", "http://", "http://:9000", "127.0.0.1:9000", "http://x?y", "http://x#y", "http://x:99999", "unix:"])
def test_what_is_no_address(connect, url):
    with pytest.raises(errors.ServerConfigError, match="the URL must be") as wrong:
        connect(url)
    assert str(wrong.value).endswith(f"not '{url}'")


def test_a_server_that_dies_in_a_stream(make_server, connect):
    """B012: no exit code that was not received."""
    server = make_server()
    srv = connect(server)
    with pytest.raises(errors.StreamEndedError):
        for event in srv.commands.stream_sync("echo a; sleep 60"):
            if event.event == "stdout":
                server.process.kill()
                server.process.wait()
    server.kill()


def test_unknown_events_are_kept():
    event = UnknownEvent.model_validate({"event": "new", "x": 1})
    assert event["x"] == 1 and event.event == "new"


def test_the_first_call_may_fail(make_server, tmp_path, connect):
    """B159."""
    srv = connect(f"unix:{tmp_path}/late")
    with pytest.raises(errors.ServerConnectionError, match="cannot connect"):
        srv.custom.nothing_sync()
    make_server(listen=f"unix:{tmp_path}/late")
    assert srv.health_sync().status == "ok"
    with pytest.raises(errors.CommandNotFoundError):
        srv.custom.nothing_sync()


def test_giving_up_does_not_wait_for_the_command(srv):
    """Nor does this test's own time limit."""
    with pytest.raises(errors.RequestTimeoutError):
        srv.commands.run_sync(argv=["sleep", nap()], timeout=0, request_timeout=0.1)


def test_a_stream_that_broke_is_taken_up(srv, server, connect):
    """B163: every line once and whole."""
    line = "line {} é " + 40 * "x"  # all of them are more than what the ten that break let through, in whatever events they come
    pid = srv.process.start_sync(f"for n in $(seq 0 399); do echo {line.format('$n')}; done; exit 5", capture_output=True).pid
    text, since, breaks = [], 0, 0
    with Cut(server, [700 + 97 * number for number in range(10)]) as proxy:
        through = connect(proxy.url)
        while True:
            stream = through.process.follow(pid, since=since)
            try:
                events = through.caller.iterate(stream)
                for event in events:
                    text += [event.data] if event.event == "chunk" else []
                break
            except errors.StreamEndedError:
                since, breaks = int(stream.last_event_id or since), breaks + 1
    assert event.event == "exit" and event.exit_code == 5 and breaks == 10
    assert "".join(text) == "".join(f"{line.format(number)}\n" for number in range(400))


def test_watching_for_a_while(srv, folder):
    async def watch():
        watching = asyncio.ensure_future(srv.files.watch_for(folder, 100, max_events=5))
        while not watching.done():
            await srv.files.upload(folder / "new", b"x")
            await asyncio.sleep(0.05)
        return watching.result()

    assert srv.files.watch_for_sync(folder, 0.1) == []
    seen = run(watch())
    assert "new" in {event.name for event in seen} and all(isinstance(event, models.ServerWatchEvent) for event in seen)


def test_names_of_the_models():
    from agent_sandbox import PtyConnection
    from agent_sandbox.models import errors as older

    for name in ("ServerCapabilities", "FileEntry", "ShellEvent", "PtyConnection", "PathVerdict"):
        assert getattr(models, name), name
    assert models.PtyConnection is PtyConnection and older.PolicyDeniedError is errors.PolicyDeniedError
