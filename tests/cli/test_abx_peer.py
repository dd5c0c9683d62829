# SPDX-License-Identifier: Apache-2.0
"""abx against peers that break off, lie or misbehave: nothing is told as success that was none."""
import base64
import json
import os
import signal

import pytest

from lib.abx import Abx
from lib.peer import Peer, answer, events
from lib.processes import eventually


@pytest.fixture
def peer_abx(tmp_path):
    made = []

    def make(handler, before_body=None, **how):
        peer = Peer(handler, before_body)
        made.append(peer)
        abx = Abx(peer.url, tmp_path, **how)
        abx.peer = peer
        return abx

    yield make
    for peer in made:
        peer.stop()


def b64(text):
    return base64.b64encode(text if isinstance(text, bytes) else text.encode()).decode()


def stream(*parts, close=True, tail=b""):
    def handler(request):
        request.close = close
        return events(*parts) + tail
    return handler


START = ("start", '{"pid":7}')


@pytest.mark.parametrize("code", [0, 1, 42, 125, 255])
def test_exec_ends_with_the_code_of_the_exit_event(peer_abx, code):
    out = ("stdout", json.dumps({"data": b64(bytes(range(256)))}))
    err = ("stderr", json.dumps({"data": b64("e")}))
    done = peer_abx(stream(START, out, err, ("exit", json.dumps({"exit_code": code, "duration_ms": 1}))))("exec", "--", "x")
    assert (done.code, done.raw, done.err) == (code, bytes(range(256)), "e")


def test_a_stream_without_exit_is_a_failure(peer_abx):
    out = ("stdout", json.dumps({"data": b64("half")}))
    done = peer_abx(stream(START, out))("exec", "--", "x")
    assert done.code == 125 and done.out == "half"
    assert "stream ended without an exit" in done.err


def test_a_stream_that_ends_properly_without_exit_is_a_failure_too(peer_abx):
    done = peer_abx(stream(START, tail=b"0\r\n\r\n"))("sh", "x")
    assert done.code == 125 and "stream ended without an exit" in done.err


def test_an_exit_event_that_is_cut_does_not_count(peer_abx):
    text = b'event: exit\ndata: {"exit_code":0,"duration_ms":1}\n'
    whole = stream(START, tail=f"{len(text):x}\r\n".encode() + text + b"\r\n0\r\n\r\n")
    assert peer_abx(whole)("exec", "x").code == 125


def test_an_error_as_the_last_event_is_125_and_says_why(peer_abx):
    gone = ("error", json.dumps({"error": "memory is used up", "wire_code": "server.busy"}))
    done = peer_abx(stream(START, gone, tail=b"0\r\n\r\n"))("exec", "x")
    assert done.code == 125 and "memory is used up" in done.err and "without an exit" not in done.err


def test_a_timeout_is_124(peer_abx):
    late = ("error", json.dumps({"error": "ended after 1 s", "wire_code": "commands.timeout"}))
    exit_ = ("exit", json.dumps({"exit_code": 137, "signal": "SIGKILL", "duration_ms": 1000}))
    done = peer_abx(stream(START, late, exit_))("exec", "--timeout", "1", "--", "x")
    assert done.code == 124 and "ended after 1 s" in done.err


def error(wire_code, status, **more):
    return answer(json.dumps({"error": "no", "code": "x", "type": "X", "wire_code": wire_code, "request_id": "r1", **more}), status,
                  X_Request_Id="r1")


CODES = [
    ("auth.missing_credentials", 401, 3), ("auth.token_expired", 401, 3), ("policy.path_denied", 403, 4),
    ("policy.scope_denied", 403, 4), ("op.not_enabled", 404, 4), ("files.not_found", 404, 5), ("process.not_found", 404, 5),
    ("op.unknown", 404, 5), ("limit.too_many", 429, 75), ("install.failed", 500, 75), ("server.busy", 503, 75),
    ("server.internal", 500, 75), ("commands.timeout", 408, 124), ("files.permission_denied", 403, 1), ("files.exists", 409, 1),
    ("args.invalid", 400, 2), ("git.failed", 400, 1), ("runtime.unavailable", 503, 1),
]


@pytest.mark.parametrize("wire_code,status,code", CODES)
def test_exit_codes(peer_abx, wire_code, status, code):
    abx = peer_abx(lambda request: error(wire_code, status))
    assert abx("rm", "-r", "x").code == code
    assert abx("exec", "x").code == (124 if code == 124 else 125)


def test_an_error_is_one_line(peer_abx):
    body = {"error": "path is outside the allowed roots: /etc/\x1b[2Jshadow\n", "wire_code": "policy.path_denied", "op": "files.stat",
            "rule": "policy:paths.roots", "request_id": "5f"}
    abx = peer_abx(lambda request: answer(json.dumps(body), 403, X_Request_Id="5f"))
    expected = "abx: files.stat: path is outside the allowed roots: /etc/\\x1b[2Jshadow\\x0a (policy:paths.roots) [request 5f]\n"
    assert abx("stat", "/etc/shadow").err == expected


def test_an_answer_of_somebody_else(peer_abx):
    done = peer_abx(lambda request: answer("<html>", 502, "text/html"))("server", "ops")
    assert done.code == 1 and "502" in done.err and "gateway" in done.err
    done = peer_abx(lambda request: answer("<html>", 200, "text/html"))("server", "ops")
    assert done.code == 1 and "not JSON" in done.err
    done = peer_abx(lambda request: b"SSH-2.0-OpenSSH\r\n\r\n")("server", "ops")
    assert done.code == 1 and "not HTTP" in done.err


def stat(type_="file", mode="644", size=10):
    return answer(json.dumps({"name": "x", "path": "/x", "type": type_, "size": size, "permissions": mode, "modified": "", "exists": True}))


def download(reply):
    def handler(request):
        if "stat" in request.target:
            return stat()
        request.close = True
        return reply(request) if callable(reply) else reply
    return handler


TRUNCATED = [
    b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: 10\r\n\r\nhalf",
    b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nTransfer-Encoding: chunked\r\n\r\n8\r\nhalf",
    b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n\r\nhalf",
    b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: 10\r\nContent-Length: 4\r\n\r\nhalf",
]


@pytest.mark.parametrize("reply", TRUNCATED)
def test_a_broken_download_leaves_nothing(peer_abx, tmp_path, reply):
    (tmp_path / "got").write_text("before")
    abx = peer_abx(download(reply))
    done = abx("cp", ":x", "got")
    assert done.code == 1 and done.err.startswith("abx: ")
    assert (tmp_path / "got").read_text() == "before"
    assert os.listdir(tmp_path) == ["got"]
    assert abx("cat", "x").code == 1


CONTENT = bytes(range(256)) * 1000


def part_answer(first, until, etag='"aa-1"', partial=None):
    """The bytes from `first` on, of which only those before `until` come; a 206 where it is not the beginning."""
    partial = first > 0 if partial is None else partial
    more = {"ETag": etag, **({"Content_Range": f"bytes {first}-{len(CONTENT) - 1}/{len(CONTENT)}"} if partial else {})}
    whole = answer(CONTENT[first:], 206 if partial else 200, "application/octet-stream", **more)
    return whole[:len(whole) - len(CONTENT) + until]


def test_a_download_goes_on_where_it_broke_off(peer_abx, tmp_path):
    def whole(request):
        first = int(request.fields.get("range", "bytes=0-")[6:-1])
        return part_answer(first, min(first + 100000, len(CONTENT)))
    abx = peer_abx(download(whole))
    assert abx("cp", "-c", ":x", "got").code == 0
    assert (tmp_path / "got").read_bytes() == CONTENT and os.listdir(tmp_path) == ["got"]
    asked = [r.fields.get("range") for r in abx.peer.requests if "download" in r.target]
    assert asked == [None, "bytes=99999-", "bytes=199998-"]
    assert all(r.fields.get("if-range") == '"aa-1"' for r in abx.peer.requests if "range" in r.fields)


def test_a_part_stays_until_the_next_time(peer_abx, tmp_path):
    replies = [part_answer(0, 5000), part_answer(4999, 4999), part_answer(4999, len(CONTENT))]
    abx = peer_abx(download(lambda request: replies.pop(0)))
    done = abx("cp", "-c", ":x", "got")
    assert done.code == 1 and "broke" in done.err
    assert os.listdir(tmp_path) == ["got.aa-1.part"] and (tmp_path / "got.aa-1.part").read_bytes() == CONTENT[:5000]
    assert abx("cp", "-c", ":x", "got").code == 0
    assert (tmp_path / "got").read_bytes() == CONTENT and os.listdir(tmp_path) == ["got"]


def test_a_part_of_another_state_is_dropped(peer_abx, tmp_path):
    (tmp_path / "got.old.part").write_bytes(b"another")
    abx = peer_abx(download(lambda request: part_answer(0, len(CONTENT))))
    assert abx("cp", "-c", ":x", "got").code == 0
    assert (tmp_path / "got").read_bytes() == CONTENT and os.listdir(tmp_path) == ["got"]


def test_a_wrong_part_is_refused(peer_abx, tmp_path):
    (tmp_path / "got.aa-1.part").write_bytes(CONTENT[:5000])
    done = peer_abx(download(lambda request: part_answer(0, len(CONTENT), partial=True)))("cp", "-c", ":x", "got")
    assert done.code == 1 and "another part" in done.err and os.listdir(tmp_path) == ["got.aa-1.part"]


@pytest.mark.parametrize("etag", ['W/"weak"', '"../../evil"', '""', "x"])
def test_without_a_tag_nothing_stays(peer_abx, tmp_path, etag):
    assert peer_abx(download(part_answer(0, 5000, etag)))("cp", "-c", ":x", "got").code == 1
    assert os.listdir(tmp_path) == []


def listing(*entries):
    return answer(json.dumps({"path": "/d", "entries": list(entries), "truncated": False}))


@pytest.mark.parametrize("name", ["../evil", "..", ".", "", "a/b", "/etc/evil"])
def test_a_name_that_leads_elsewhere_is_not_made(peer_abx, tmp_path, name):
    def handler(request):
        if "files.stat" in request.target:
            return stat("directory", "755")
        if "files.list" in request.target:
            return listing({"name": name, "path": "/d/x", "type": "file", "mode": "644", "size": 1})
        return answer(b"x", media="application/octet-stream")
    done = peer_abx(handler)("cp", "-r", ":d", "into")
    assert done.code == 1 and "name" in done.err
    assert sorted(os.listdir(tmp_path)) == ["into"] and os.listdir(tmp_path / "into") == []


def test_a_symbolic_link_from_the_server_is_not_made(peer_abx, tmp_path):
    def handler(request):
        if "files.stat" in request.target:
            return stat("directory", "755")
        if json.loads(request.body)["path"] == "d":
            return listing({"name": "l", "path": "/d/l", "type": "symlink", "target": "/", "mode": "777", "size": 1})
        return listing()
    done = peer_abx(handler)("cp", "-r", ":d", "into")
    assert done.code == 1 and "symbolic link" in done.err
    assert os.listdir(tmp_path / "into") == []


def test_an_upload_that_is_refused_early_shows_the_reason(peer_abx, tmp_path):
    (tmp_path / "big").write_bytes(b"x" * 3_000_000)
    seen = []

    def handler(request):
        if "stat" in request.target:
            return answer('{"exists":false,"type":"unknown"}')
        seen.append(len(request.body))
        return error("limit.file_too_large", 413)
    done = peer_abx(handler)("cp", "big", ":big")
    assert done.code == 75 and seen == [3_000_000]


@pytest.mark.parametrize("size", [1000, 40_000_000])
def test_an_upload_is_refused_before_its_body(peer_abx, tmp_path, size):
    with open(tmp_path / "big", "wb") as file:
        file.truncate(size)

    def before_body(method, target, fields):
        return error("limit.file_too_large", 413) if method == "POST" and "upload" in target else None
    abx = peer_abx(lambda request: answer('{"exists":false,"type":"unknown"}'), before_body)
    done = abx("cp", "big", ":big")
    assert done.code == 75 and done.err == "abx: files.upload_stream: no [request r1]\n"


def test_ctrl_c_leaves_no_half_file(peer_abx, tmp_path):
    part = b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: 10\r\n\r\nhalf"
    abx = peer_abx(lambda request: stat() if "stat" in request.target else part)
    process = abx.start("cp", ":x", "got")
    eventually(lambda: any(path.stat().st_size == 4 for path in tmp_path.glob(".abx-*")))
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 130 and process.stderr.read() == b"" and os.listdir(tmp_path) == []


def test_what_the_server_stored_is_compared(peer_abx, tmp_path):
    (tmp_path / "f").write_bytes(b"12345")

    def handler(request):
        return answer('{"exists":false,"type":"unknown"}') if "stat" in request.target else answer('{"path":"f","bytes":4}')
    done = peer_abx(handler)("cp", "f", ":f")
    assert done.code == 1 and "4 of 5" in done.err


def test_a_kept_connection_that_was_closed_is_opened_again(peer_abx):
    def handler(request):
        request.close = True
        return answer('{"name":"x","path":"/x","type":"file","size":1,"permissions":"644","modified":"","exists":true}')
    abx = peer_abx(handler)
    assert abx("stat", "a", "b", "c").code == 0
    assert abx.peer.connections == 3


def test_one_connection_serves_several_calls(peer_abx):
    abx = peer_abx(lambda request: stat())
    assert abx("stat", "a", "b", "c").code == 0
    assert abx.peer.connections == 1 and len(abx.peer.requests) == 3


def test_no_proxy_is_used(peer_abx):
    abx = peer_abx(lambda request: stat())
    proxies = {name: "http://127.0.0.1:1" for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy")}
    assert abx("stat", "a", env=proxies).code == 0


def test_the_token_goes_out_and_cannot_break_the_header(peer_abx):
    abx = peer_abx(lambda request: stat(), token="secret-1")
    assert abx("stat", "a").code == 0
    assert abx.peer.requests[0].fields["authorization"] == "Bearer secret-1"
    done = abx("--token", "a\r\nX-Evil: 1", "stat", "a")
    assert done.code == 3 and len(abx.peer.requests) == 1


def test_ctrl_c_closes_the_connection(peer_abx):
    import threading
    gone, began = threading.Event(), threading.Event()

    def handler(request):
        return events(START, ("stdout", json.dumps({"data": b64("up\n")})))
    abx = peer_abx(handler)
    real_read = abx.peer._read

    def read(conn, stream):
        if abx.peer.requests:
            began.set()
            text = stream.readline()
            gone.set()
            assert text == b""
            return None
        return real_read(conn, stream)
    abx.peer._read = read
    process = abx.start("exec", "--", "x")
    assert process.stdout.readline() == b"up\n" and began.wait(60)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130 and process.stderr.read() == b""
    assert gone.wait(60)


@pytest.mark.parametrize("ignored", [False, True])
def test_a_reader_that_leaves_is_quiet(peer_abx, ignored):
    many = [("stdout", json.dumps({"data": b64("y\n" * 30000)}))] * 20
    abx = peer_abx(stream(START, *many, ("exit", '{"exit_code":0,"duration_ms":1}')))
    process = abx.start("exec", "--", "yes", restore_signals=not ignored)
    assert process.stdout.readline() == b"y\n"
    process.stdout.close()
    assert process.wait(60) in (141, -signal.SIGPIPE)
    assert process.stderr.read() == b""


def test_a_full_disk_is_told(peer_abx):
    abx = peer_abx(stream(START, ("stdout", json.dumps({"data": b64("x")})), ("exit", '{"exit_code":0,"duration_ms":1}')))
    with open("/dev/full", "wb") as full:
        process = abx.start("exec", "x", stdout=full)
        assert process.wait(60) == 125 and b"No space left" in process.stderr.read()
        process = Abx(None, abx.home).start("help", stdout=full)
        assert process.wait(60) == 1 and b"No space left" in process.stderr.read()


DESCRIBED = {"catalog_version": 1, "ops": [{
    "id": "x.y", "kind": "json", "method": "POST", "path": "/x", "effects": {"reads": True, "writes": False, "runs": False},
    "params": [{"name": "n", "type": "integer"}, {"name": "b", "type": "boolean"}, {"name": "s", "type": "string"},
               {"name": "l", "type": "array", "items": {"type": "string"}}, {"name": "o", "type": "object"},
               {"name": "f", "type": "bytes"}, {"name": "d", "type": "number"}, {"name": "a", "type": "any"}]}]}


def test_arguments_are_converted_by_the_servers_catalog(peer_abx, tmp_path):
    (tmp_path / "bytes").write_bytes(b"\xff\x00")
    abx = peer_abx(lambda request: answer(json.dumps(DESCRIBED)) if request.method == "GET" else answer('{"ok" : 1}'))
    done = abx("server", "call", "x.y", "--json", '{"s":"base","kept":[1,{"x":null}]}', "--arg", "n=5", "--arg", "b=yes", "--arg", "s=5",
               "--arg", "l=a", "--arg", "l=b", "--arg", 'o={"k":1}', "--arg", "d=0.5", "--file", "f=@bytes", "--arg", "a=t", "--arg", "zz=1")
    assert (done.code, done.out) == (0, '{"ok" : 1}\n')
    assert json.loads(abx.peer.requests[-1].body) == {
        "kept": [1, {"x": None}], "n": 5, "b": True, "s": "5", "l": ["a", "b"], "o": {"k": 1}, "d": 0.5, "f": "/wA=", "a": "t", "zz": "1"}
    assert abx("server", "call", "x.y", "--arg", "n=five").code == 2
    assert abx("server", "call", "x.y", "--arg", "n").code == 2
    assert abx("server", "call", "x.y", "--json", "[1]").code == 2


def test_contexts(peer_abx, tmp_path):
    abx = peer_abx(lambda request: stat())
    url, abx.url = abx.url, None
    assert abx("context", "add", "work", "--url", url, "--token", "-", input=b"tok\n").code == 0
    assert abx("context", "add", "other", "--url", "unix:/nowhere").code == 0
    file = tmp_path / ".config/abx/config.yaml"
    assert file.stat().st_mode & 0o777 == 0o600
    assert abx("context", "list").out == f"* work\t{url}\twith a token\n  other\tunix:/nowhere\n"
    assert abx("stat", "a").code == 0 and abx.peer.requests[-1].fields["authorization"] == "Bearer tok"
    # The token of a context is for its own server.
    assert abx("--url", url, "stat", "a").code == 0 and "authorization" not in abx.peer.requests[-1].fields
    assert abx("--context", "other", "stat", "a").code == 1
    assert abx("context", "use", "other").code == 0 and abx("stat", "a").code == 1
    assert abx("context", "rm", "other").code == 0 and abx("context", "use", "other").code == 5
    # One that is not there is not passed over: another server would be called.
    file.write_text("current: wrok\n" + file.read_text())
    done = abx("stat", "a")
    assert done.code == 2 and "no context 'wrok'" in done.err
    file.chmod(0o644)
    done = abx("--context", "work", "stat", "a")
    assert done.code == 1 and "chmod 600" in done.err


@pytest.mark.parametrize("url", ["", "http://", "http://h:0", "http://h:70000", "http://u@h:1", "ftp://x", "https://h", "unix:rel", "http://h:1\r\nX: y"])
def test_bad_addresses(tmp_path, url):
    done = Abx(None, tmp_path)("--url", url, "ls")
    assert done.code == 2 and done.err.startswith("abx: ") and done.err.count("\n") == 1


def test_no_server(tmp_path):
    abx = Abx("http://127.0.0.1:1", tmp_path)
    assert abx("ls").code == 1 and abx("exec", "true").code == 125 and abx("sh", "true").code == 125
    assert "127.0.0.1:1" in abx("ls").err
