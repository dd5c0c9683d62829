# SPDX-License-Identifier: Apache-2.0
"""The Python client against servers that misbehave or are old, and with things in its environment."""
import asyncio
import json
import socket
import threading

import pytest
from stand_in import StandIn, answer, events

from agent_sandbox import SandboxError, ServerClient, _sse, errors, ops
from agent_sandbox._generated import ERRORS, OPS

GOOD = {"stdout": "", "stderr": "", "exit_code": 0, "duration_ms": 1, "stdout_truncated": False, "stderr_truncated": False,
        "stdout_bytes": 0, "stderr_bytes": 0, "timeout": 300, "pid": 5}


def event(name, /, **data):
    return f"event: {name}\ndata: {json.dumps(data)}\n\n".encode()


# Streams that break (B012)


@pytest.mark.parametrize("pieces, end", [
    ([event("start", pid=1), event("stdout", data="a")], True), ([event("start", pid=1)], False), ([], True), ([], False),
    ([event("exit", exit_code=0, duration_ms=1)[:-1]], True)])
def test_a_stream_without_its_exit_is_an_error(pieces, end):
    with StandIn(lambda _: events(*pieces, end=end)) as stand_in:
        srv = ServerClient(stand_in.url)
        with pytest.raises(errors.StreamEndedError):
            list(srv.commands.stream_sync("x"))
        with pytest.raises(errors.StreamEndedError):
            srv.commands.run_stream_sync("x")


def test_a_stream_that_ends_with_an_error_raises_it():
    with StandIn(lambda _: events(event("start", pid=1), event("error", error="lost", wire_code="server.internal", code="internal", type="InternalError"))) as stand_in:
        with pytest.raises(errors.ServerInternalError, match="lost"):
            list(ServerClient(stand_in.url).commands.stream_sync("x"))


@pytest.mark.parametrize("size", [1, 5, 1000])
def test_a_stream_in_any_pieces(size):
    text = event("start", pid=1) + event("stdout", data="\u2028é") + b": ping\n\n" + event("newer", x=1) + event("exit", exit_code=7, duration_ms=1)
    with StandIn(lambda _: events(*(text[at:at + size] for at in range(0, len(text), size)))) as stand_in:
        got = list(ServerClient(stand_in.url).commands.stream_sync("x"))
    assert [one.event for one in got] == ["start", "stdout", "newer", "exit"] and got[-1].exit_code == 7


def test_an_event_that_is_too_large(monkeypatch):
    monkeypatch.setattr(_sse, "EVENT_MAX", 1000)
    with StandIn(lambda _: events(event("stdout", data="x" * 2000))) as stand_in:
        with pytest.raises(errors.ContractMismatchError, match="more than 1000 bytes"):
            ServerClient(stand_in.url).commands.stream_sync("x").__next__()


def test_an_event_that_is_no_json():
    with StandIn(lambda _: events(b"event: exit\ndata: {\n\n")) as stand_in:
        with pytest.raises(errors.ContractMismatchError):
            list(ServerClient(stand_in.url).commands.stream_sync("x"))


# No retries (R90)


@pytest.mark.parametrize("call", [
    lambda srv: srv.commands.run_sync("x"), lambda srv: srv.files.list_sync("x"), lambda srv: srv.files.upload_sync("x", b"y")])
def test_nothing_is_sent_twice(call):
    with StandIn(lambda _: [b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{"]) as stand_in:
        with pytest.raises(errors.ServerConnectionError, match="not known"):
            call(ServerClient(stand_in.url))
        assert len(stand_in.requests) == 1


def test_a_download_that_breaks_is_no_file(tmp_path):
    with StandIn(lambda _: [b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"]) as stand_in:
        with pytest.raises(errors.ServerConnectionError):
            ServerClient(stand_in.url).files.download_file_sync("x", tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


def test_a_download_in_chunks_that_breaks_is_no_file(tmp_path):
    with StandIn(lambda _: [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"]) as stand_in:
        with pytest.raises(errors.ServerConnectionError):
            ServerClient(stand_in.url).files.download_file_sync("x", tmp_path / "x")


def test_a_redirection_is_no_answer(tmp_path):
    """A gateway that wants a login first: its page is nobody's file."""
    with StandIn(lambda _: answer(302, b"<html>", ["Location: /login"])) as stand_in:
        srv = ServerClient(stand_in.url)
        for call in (lambda: srv.files.download_sync("x"), lambda: srv.files.download_file_sync("x", tmp_path / "x"),
                     lambda: srv.files.list_sync("x"), lambda: srv.commands.stream_sync("x").__next__()):
            with pytest.raises(errors.ServerAPIError, match="answer is 302") as caught:
                call()
            assert caught.value.status == 302
    assert list(tmp_path.iterdir()) == []


def test_a_range_of_who_knows_none():
    async def gathered(**options):
        return b"".join([piece async for piece in srv.files.iter_bytes("x", **options)])

    with StandIn(lambda _: answer(200, b"0123456789")) as stand_in:
        srv = ServerClient(stand_in.url)
        for start, end in ((0, 4), (3, None), (2, 5), (3, 100), (20, None), (20, 30)):
            assert asyncio.run(gathered(start=start, end=end)) == b"0123456789"[start:end]


@pytest.mark.parametrize("of_the_client, of_the_call", [(None, 0.3), (0.3, None)])
def test_a_download_has_its_time_too(tmp_path, of_the_client, of_the_call):
    held = threading.Event()

    def half():
        yield b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"
        held.wait(60)

    with StandIn(lambda _: half()) as stand_in:
        with pytest.raises(errors.RequestTimeoutError, match="of 0.3 s"):
            ServerClient(stand_in.url, request_timeout=of_the_client).files.download_file_sync("x", tmp_path / "x", request_timeout=of_the_call)
        held.set()
    assert list(tmp_path.iterdir()) == []


# What is sent


def test_one_credential_and_who_we_are():
    with StandIn(lambda _: answer(body=GOOD)) as stand_in:
        ServerClient(stand_in.url, token="t", gateway_token="g", gateway_headers={"X-Gate": "1"}).commands.run_sync("x")
        ServerClient(stand_in.url, token="t", legacy_auth=True).commands.run_sync("x")
        first, second = (request.headers for request in stand_in.requests)
    assert (first["authorization"], first["x-access-token"], first["x-gate"]) == ("Bearer t", "g", "1")
    assert second["x-access-token"] == "t" and "authorization" not in second
    assert first["x-abx-client"].startswith("agent-sandbox-python/") and "catalog=sha256:" in first["x-abx-client"]


def test_what_was_not_given_is_not_sent():
    with StandIn(lambda _: answer(body=GOOD)) as stand_in:
        ServerClient(stand_in.url).commands.run_sync("x", timeout=0, env={"A": ""})
        assert json.loads(stand_in.requests[0].body) == {"command": "x", "timeout": 0, "env": {"A": ""}}


@pytest.mark.parametrize("how", [
    {"url": "ftp://x"}, {"url": "localhost:9000"}, {"url": "http://x", "token": ""}, {"url": "http://x", "token": "a b"},
    {"url": "http://x", "token": "a\nb"}, {"url": "http://x", "connect_timeout": 0}, {"url": "http://x", "request_timeout": -1},
    {"url": "http://x", "gateway_token": "g", "legacy_auth": True}])
def test_clients_that_are_set_up_wrongly(how):
    with pytest.raises(errors.ServerConfigError):
        ServerClient(how.pop("url"), **how)


# Proxies (B154)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "127.1.2.3"])
def test_no_proxy_for_loopback(monkeypatch, host):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1" if "ALL" not in name.upper() else "socks5://x")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with StandIn(lambda _: answer(body=GOOD)) as stand_in:
        port = stand_in.url.rpartition(":")[2]
        if host in ("127.0.0.1", "localhost"):
            ServerClient(f"http://{host}:{port}").commands.run_sync("x")
        assert not ServerClient(f"http://{host}:{port}").caller.use_proxy
        with pytest.raises(SandboxError, match="use_proxy=False"):
            ServerClient(f"http://{host}:{port}", use_proxy=True).commands.run_sync("x")


def test_elsewhere_the_proxy_counts(monkeypatch):
    with StandIn(lambda request: answer(body=GOOD)) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("http_proxy", proxy.url)
        ServerClient("http://sandbox.invalid:9000").commands.run_sync("x")
        assert proxy.requests[0].target == "http://sandbox.invalid:9000/shell"


# Connecting


def test_nobody_listens():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with pytest.raises(errors.ServerConnectionError, match="cannot connect"):
            ServerClient(f"http://127.0.0.1:{unused.getsockname()[1]}").health_sync()


def test_connecting_has_its_own_time():
    """A listener whose queue is full lets nobody in."""
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        port = full.getsockname()[1]
        waiting = [socket.create_connection(("127.0.0.1", port), 30), *(socket.socket() for _ in range(3))]
        for one in waiting[1:]:
            one.setblocking(False)
            one.connect_ex(("127.0.0.1", port))
        with pytest.raises(errors.ServerConnectionError, match="connect_timeout"):
            ServerClient(f"http://127.0.0.1:{port}", connect_timeout=0.2).health_sync()
        for one in waiting:
            one.close()


# Errors


@pytest.mark.parametrize("wire_code", ERRORS)
def test_every_row_of_the_table_is_its_class(wire_code):
    row = ERRORS[wire_code]
    body = {"error": "no", "type": row.type, "code": row.code, "wire_code": wire_code, "op": "files.stat", "endpoint": "files_stat",
            "rule": "policy:x", "request_id": "r", "details": {"a": 1}}
    with StandIn(lambda _: answer(row.status, body)) as stand_in:
        with pytest.raises(SandboxError) as caught:
            ServerClient(stand_in.url).files.stat_sync("x")
    error = caught.value
    assert (type(error).__name__, error.code, error.status_code, error.status) == (row.exception, row.e_code, row.status, row.status)
    assert (error.error_code, error.error_type, error.op, error.endpoint) == (wire_code, row.type, "files.stat", "files_stat")
    assert (error.rule, error.request_id, error.details) == ("policy:x", "r", {"a": 1})


@pytest.mark.parametrize("status, body, kind", [
    (404, {"code": "endpoint_disabled"}, errors.OperationNotEnabledError), (404, {"code": "unknown_command", "type": "ValueError"}, errors.CommandNotFoundError),
    (403, {"code": "path_not_allowed"}, errors.FilePolicyDeniedError), (404, {"type": "FileNotFoundError"}, errors.FileNotFoundError_),
    (408, {"type": "TimeoutError"}, errors.CommandTimeoutError), (403, {"type": "PermissionError"}, errors.PolicyDeniedError),
    (401, {}, errors.ServerAuthError), (413, {}, errors.LimitExceededError), (429, {"type": "ResourceError"}, errors.LimitExceededError),
    (400, {"type": "ValueError"}, errors.ServerArgumentError), (500, {}, errors.ServerInternalError), (503, {}, errors.ServerUnavailableError),
    (418, {}, errors.ServerAPIError), (403, {"wire_code": "policy.newer"}, errors.PolicyDeniedError),
    (409, {"wire_code": "files.newer"}, errors.FileOperationError), (409, {"wire_code": "install.running"}, errors.ServerInstallError),
    (502, {"wire_code": "agent.died"}, errors.ServerAgentError)])
def test_answers_of_older_and_newer_servers(status, body, kind):
    with StandIn(lambda _: answer(status, {"error": "no", **body})) as stand_in:
        with pytest.raises(SandboxError) as caught:
            ServerClient(stand_in.url).files.stat_sync("x")
    assert type(caught.value) is kind


@pytest.mark.parametrize("status", [502, 504, 524])
def test_a_gateways_timeout_names_the_way_out(status):
    """R13."""
    with StandIn(lambda _: answer(status, b"<html>gateway</html>")) as stand_in:
        with pytest.raises(errors.ServerAPIError, match=r"commands\.stream.*process\.start") as caught:
            ServerClient(stand_in.url).commands.run_sync("x")
    assert caught.value.status == status and "gateway" in caught.value.details["body"]


def test_codes_are_unique_but_for_the_documented_pairs():
    kinds = {name: getattr(errors, name) for name in errors.__all__ if name.endswith(("Error", "Error_"))}
    first = {}
    for name, kind in kinds.items():
        if name in errors.SHARED_CODES:
            parent = kinds[errors.SHARED_CODES[name]]
            assert issubclass(kind, parent) and kind.code == parent.code
        else:
            assert first.setdefault(kind.code, name) == name, f"{kind.code} twice"
    assert {f"E{number}" for number in range(3100, 3112)} <= set(first)


def test_an_answer_that_is_not_the_catalogs():
    with StandIn(lambda _: answer(body={"entries": 5})) as stand_in:
        with pytest.raises(errors.ContractMismatchError):
            ServerClient(stand_in.url).files.list_sync("x")


def test_a_newer_server_may_say_more():
    with StandIn(lambda _: answer(body={**GOOD, "newer": [1]})) as stand_in:
        assert ServerClient(stand_in.url).commands.run_sync("x")["newer"] == [1]


def test_an_op_that_an_older_server_lacks():
    body = {"error": "no op answers", "type": "NotFoundError", "code": "not_found", "wire_code": "op.unknown", "request_id": "r", "details": {}}
    with StandIn(lambda _: answer(404, body, ["Server: agent-sandbox-server/0.0.9"])) as stand_in:
        with pytest.raises(errors.ContractMismatchError, match=r"0\.0\.9"):
            ServerClient(stand_in.url).files.stat_sync("x")


# Older servers


def v1(request):
    if request.target == "/capabilities":
        return answer(body={"groups": {"file_ops": True, "process": False}, "version": "1.4"})
    if request.target == "/commands/grade":
        return answer(body={"result": json.loads(request.body)["a"] + 1})
    if request.target.startswith("/ops"):
        return answer(404, {"error": "not found", "code": "not_found", "type": "NotFoundError", "wire_code": "op.unknown"})
    return answer(body={"path": "/x", "entries": [], "truncated": False})


def test_a_server_that_knows_groups_alone():
    with StandIn(v1) as stand_in:
        srv = ServerClient(stand_in.url, token="t")
        caps = srv.discover_sync()
        assert caps.legacy and caps.can(ops.files.list) and not caps.can(ops.commands.run) and not caps.can("devtools.code.run")
        assert caps.paths() is None and caps.check_path("/x", ops.files.list).allowed is None
        srv.files.list_sync("/x")
        assert stand_in.requests[-1].headers["x-access-token"] == "t" and "authorization" not in stand_in.requests[-1].headers
        with pytest.raises(errors.OperationNotEnabledError):
            srv.commands.run_sync("x")
        assert asyncio.run(srv.custom.grade(a=1)) == 2
        new = next((op for op in OPS.values() if op.endpoint is None and op.group != "core"), None)
        if new:
            with pytest.raises(errors.ContractMismatchError):
                caps.require(new.id)


def test_a_server_that_knows_endpoints_alone():
    body = {"endpoints": {"files_list": {"enabled": True, "limits": {"max_entries": 5}}, "shell": {"enabled": False, "rule": "policy:x"}}}
    with StandIn(lambda _: answer(body=body)) as stand_in:
        caps = ServerClient(stand_in.url).discover_sync()
    assert not caps.legacy and caps.can(ops.files.list) and caps.limit(ops.files.list, "max_entries") == 5
    with pytest.raises(errors.OperationNotEnabledError) as caught:
        caps.require(ops.commands.run)
    assert caught.value.rule == "policy:x" and not caps.can(ops.files.stat)


def test_custom_commands_by_name():
    spec = {"id": "custom.grade", "endpoint": "run_command", "group": "commands", "scope": "commands:run", "kind": "json", "method": "POST",
            "path": "/commands/grade", "dynamic": True, "effects": {"runs": True}, "result": {"type": "any"},
            "params": [{"name": "submission", "in": "body", "type": "string", "required": True}]}

    def answers(request):
        if request.target == "/ops":
            return answer(body={"catalog_version": 1, "digest": "x", "server_version": "9", "ops": [spec]})
        return answer(body={"result": {"points": len(json.loads(request.body)["submission"])}})

    with StandIn(answers) as stand_in:
        srv = ServerClient(stand_in.url)
        assert asyncio.run(srv.custom.grade(submission="abc")) == {"points": 3}
        assert srv.custom.grade_sync(submission="ab") == {"points": 2} and srv.call_sync("custom.grade", submission="a") == {"points": 1}
        with pytest.raises(errors.ServerArgumentError, match="did you mean 'submission'"):
            srv.custom.grade_sync(submision="ab")
        with pytest.raises(errors.CommandNotFoundError, match="grade"):
            srv.custom.other_sync()
        assert [request.target for request in stand_in.requests].count("/ops") == 1
        assert srv.ops.custom.grade == "custom.grade"
