# SPDX-License-Identifier: Apache-2.0
"""The judges, judged: each check of this folder must be able to fail.  No server is needed."""
import json
import pathlib
import socket
import subprocess
import sys
import types

import pytest

from lib import contract, coverage
from lib.contract import Breach
from lib.raw import Broken, Connection
from lib.sse import Stream, StreamBroken

ENTRY = {"type": "object", "name": "Entry", "fields": [
    {"name": "name", "type": "string"}, {"name": "target", "type": "path", "required": False}]}
LIST = {"id": "files.list", "endpoint": "files_list", "errors": ["files.not_found"], "result": {"type": "object", "fields": [
    {"name": "entries", "type": "array", "items": ENTRY},
    {"name": "size", "type": "integer", "minimum": 0},
    {"name": "kind", "type": "choice", "choices": ["a", "b"]},
    {"name": "data", "type": "bytes"},
    {"name": "limit", "type": "number", "nullable": True},
    {"name": "variables", "type": "object", "values": "string"}]}}
GOOD = {"entries": [{"name": "x", "target": "/y"}], "size": 1, "kind": "a", "data": "aGk=", "limit": None, "variables": {"A": "b"}}
STREAM = {"id": "commands.stream", "errors": [], "events": [
    {"event": "stdout", "fields": [{"name": "data", "type": "string"}]},
    {"event": "error", "fields": [{"name": "error", "type": "string"}]},
    {"event": "exit", "final": True, "fields": [{"name": "exit_code", "type": "integer"}]}]}
ROWS = [
    {"wire_code": "files.not_found", "status": 404, "code": "file_not_found", "type": "FileNotFoundError"},
    {"wire_code": "files.exists", "status": 409, "code": "conflict", "type": "FileExistsError"},
    {"wire_code": "policy.path_denied", "status": 403, "code": "path_not_allowed", "type": "PermissionError"},
    {"wire_code": "limit.rate", "status": 429, "code": "rate_limited", "type": "ResourceError"}]


@pytest.fixture(autouse=True)
def notes(monkeypatch, tmp_path):
    """Notes of these tests go to a folder of their own; the table of errors is the one above."""
    monkeypatch.setattr(coverage, "_seen", set())
    monkeypatch.setenv("ABX_COVERAGE_DIR", str(tmp_path))
    monkeypatch.setattr(contract, "printed", lambda *_: ROWS)
    return tmp_path


def peer(sent):
    """A connection whose other end has sent this and closed."""
    ours, theirs = socket.socketpair()
    theirs.sendall(sent)
    theirs.close()
    connection = Connection.__new__(Connection)
    ours.settimeout(5)
    connection.socket, connection.timeout, connection.rest = ours, 5, b""
    return connection


def reply(status=200, body=b"", headers=""):
    connection = peer(f"HTTP/1.1 {status} X\r\nX-Request-Id: r\r\nContent-Length: {len(body)}\r\n{headers}\r\n".encode() + body)
    return connection.reply()


def error(**changes):
    body = {"error": "no", "type": "FileNotFoundError", "code": "file_not_found", "wire_code": "files.not_found",
            "op": "files.list", "endpoint": "files_list", "request_id": "r", "details": {}}
    return {**body, **changes}


def test_a_good_result_passes_and_is_noted(notes):
    contract.check_result(LIST, GOOD)
    assert ("result", "files.list", "entries[].target") in coverage.merged(notes)


@pytest.mark.parametrize("change", [
    {"size": "1"}, {"size": True}, {"size": 1.0}, {"size": -1}, {"kind": "c"}, {"data": "a"}, {"data": "a\n=="}, {"limit": "x"}, {"variables": {"A": 1}},
    {"entries": None}, {"entries": [{}]}, {"entries": [{"name": 1}]}, {"entries": [{"name": "x", "new": 1}]}, {"extra": 1}])
def test_a_wrong_result_is_a_breach(change):
    with pytest.raises(Breach):
        contract.check_result(LIST, {**GOOD, **change})


def test_a_missing_field_is_a_breach():
    with pytest.raises(Breach, match="size is missing"):
        contract.check_result(LIST, {name: value for name, value in GOOD.items() if name != "size"})


def test_a_good_error_passes_and_is_noted(notes):
    contract.check_error(LIST, reply(404), error())
    assert ("error", "files.list", "files.not_found") in coverage.merged(notes)


@pytest.mark.parametrize("status, change", [
    (400, {}), (404, {"code": "x"}), (404, {"type": "x"}), (404, {"wire_code": "files.new"}), (404, {"error": ""}),
    (404, {"request_id": "s"}), (404, {"details": None}), (404, {"op": "files.stat"}), (404, {"endpoint": "x"}), (404, {"rule": "x"}),
    (404, {"more": 1}), (409, {"wire_code": "files.exists", "code": "conflict", "type": "FileExistsError"}),
    (403, {"wire_code": "policy.path_denied", "code": "path_not_allowed", "type": "PermissionError"}),
    (429, {"wire_code": "limit.rate", "code": "rate_limited", "type": "ResourceError"})])
def test_a_wrong_error_is_a_breach(status, change):
    with pytest.raises(Breach):
        contract.check_error(LIST, reply(status), error(**change))


def test_an_error_that_shows_the_token_is_a_breach():
    with pytest.raises(Breach, match="token"):
        contract.check_error(LIST, reply(404), error(error="no file s3cret"), ["s3cret"])


@pytest.mark.parametrize("text", [b'{"a":1,"a":2}', b'{"a":NaN}', b'"\\ud800"', b'"\xff"', b"{", b""])
def test_json_that_is_not_strict_is_a_breach(text):
    with pytest.raises(Breach):
        contract.strict_json(text)


def test_coverage_tells_what_is_missing(notes):
    contract.check_result(LIST, GOOD)
    seen = coverage.merged(notes)
    assert coverage.faults([LIST], seen, {}) == ["never seen: error files.list files.not_found"]
    assert coverage.faults([LIST], seen, {("error", "files.list", "files.not_found"): "why"}) == []
    assert "but seen" in coverage.faults([LIST], seen, {("op", "files.list", ""): "needs luck"})[1]
    assert len(coverage.faults([LIST], seen, {("op", "files.list", ""): "seen where there is luck"})) == 1
    assert len(coverage.faults([STREAM], set(), {})) == len(coverage.wanted([STREAM])) == 7


def test_an_exception_without_a_reason_is_refused(tmp_path):
    (tmp_path / "unseen").write_text("# why\nerror files.list files.io — needs a broken disk\n")
    assert coverage.exceptions(tmp_path / "unseen") == {("error", "files.list", "files.io"): "needs a broken disk"}
    (tmp_path / "unseen").write_text("error files.list files.io\n")
    with pytest.raises(ValueError):
        coverage.exceptions(tmp_path / "unseen")


def stream(text, headers="Content-Type: text/event-stream\r\nCache-Control: no-cache\r\nX-Accel-Buffering: no\r\n"):
    connection = peer(f"HTTP/1.1 200 OK\r\n{headers}Transfer-Encoding: chunked\r\n\r\n{len(text):x}\r\n".encode()
                      + text + b"\r\n0\r\n\r\n")
    return Stream(STREAM, connection, connection.reply())


def event(name, **data):
    return f"event: {name}\ndata: {json.dumps(data)}\n\n".encode()


def test_a_good_stream_is_read():
    together = stream(event("stdout", data="a") + b": still here\n\n" + event("stdout", data="b") + event("exit", exit_code=0)).collect()
    assert together["stdout"] == "ab" and together["exit"] == {"exit_code": 0} and len(together["events"]) == 3


@pytest.mark.parametrize("text", [
    event("new", x=1), event("stdout", data=1), event("exit", exit_code=0) * 2, b"event: stdout\n\n", b"data: {}\n\n",
    b"event: stdout\ndata: {}\ndata: {}\n\n", b'event: stdout\ndata: {"data":"\x01"}\n\n', b"event: stdout\ndata: {"])
def test_a_wrong_stream_is_a_breach(text):
    with pytest.raises(Breach):
        list(stream(text))


def test_a_stream_without_its_last_event_is_broken():
    with pytest.raises(StreamBroken):
        list(stream(event("stdout", data="a")))
    assert len(list(stream(event("error", error="lost")))) == 1


def test_a_stream_without_its_headers_is_a_breach():
    with pytest.raises(Breach):
        stream(b"", "Content-Type: text/event-stream\r\n")


@pytest.mark.parametrize("sent", [
    b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    b"HTTP/1.1 200 OK\nContent-Length: 0\n\n", b"HTTP/1.1 200 OK\r\nBad : 1\r\n\r\n", b"HTTP/1.0 200 OK\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc0\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n", b""])
def test_http_that_is_not_strict_is_broken(sent):
    with pytest.raises(Broken):
        peer(sent).reply().read()


def test_heads_need_a_request_id():
    with pytest.raises(Breach):
        contract.check_head(peer(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").reply())
    contract.check_head(reply())


def test_routes_are_filled_in_by_place():
    from lib.client import Client
    client = Client.__new__(Client)
    client.ops = {
        "process.signal": {"method": "POST", "path": "/process/{pid}/signal", "params": [
            {"name": "pid", "in": "path"}, {"name": "signal", "in": "body"}]},
        "files.list": {"method": "GET", "path": "/files/list", "params": [
            {"name": "path", "in": "query", "b64": "path_b64"}, {"name": "hidden", "in": "query"}]}}
    assert client.by_route("process.signal", {"pid": "a/b", "signal": 9})[:3] == ("POST", "/process/a%2Fb/signal", b'{"signal": 9}')
    assert client.by_route("files.list", {"path": b"a \xff+", "hidden": False}) == (
        "GET", "/files/list?path=a%20%FF%2B&hidden=false", None, {})


def test_running_finds_this_process_and_ready_lines_are_read():
    from lib.processes import children, eventually
    from lib.server import READY
    assert READY.search("agent-sandbox-server 0.1.0 ready on http://127.0.0.1:4711").group(1) == "http://127.0.0.1:4711"
    assert READY.search("agent-sandbox-server 0.1.0 ready on unix:/tmp/s").group(1) == "unix:/tmp/s"
    assert eventually(lambda: types.SimpleNamespace(x=1)).x == 1
    with pytest.raises(AssertionError):
        eventually(lambda: False, within=0.02)
    assert children(1 << 30) == []


def test_no_dead_name_and_no_case_twice_in_our_python():
    """A key that stands twice in a table of cases hid one of them."""
    root = pathlib.Path(__file__).parents[2]
    ruff = pathlib.Path(sys.executable).parent / "ruff"
    done = subprocess.run([ruff, "check", "--no-cache", "--isolated", "--select", "E9,F", "tests", "tools", "bench", "examples"],
                          cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
