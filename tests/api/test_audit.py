# SPDX-License-Identifier: Apache-2.0
"""The audit log: a line for each call, refused ones too, without secrets, whatever happens to the file."""
import json
import os
import pathlib
import random
import re
import select
import shutil
import signal
import socket
import stat
import struct
import tempfile
import threading
import time

import pytest

from lib.access import ask, token
from lib.client import expect_error
from lib.processes import eventually, nap
from lib.server import StartError
from lib.ws import Terminal

TOKEN = "s3cret-T+/=~"


def lines_of(file):
    text = file.read_text()
    assert text.endswith("\n") or not text
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def file(tmp_path):
    return tmp_path / "audit.jsonl"


@pytest.fixture
def audited(make_server, file):
    """A server with an audit log; `wait(n)` gives its lines when there are n of them."""
    def start(which=None, **policy):
        entries = [token("all", ["*"]), token("few", ["files:read"])]
        audit = {"file": str(file), **({"ops": which} if which else {})}
        return make_server(policy={"profile": "full_access", "tokens": entries, "audit": audit, **policy})
    return start


def wait(file, count):
    eventually(lambda: file.exists() and file.read_bytes().count(b"\n") >= count, what=f"{count} lines in {file}")
    found = lines_of(file)
    assert len(found) == count, found
    return found


def test_a_line_for_a_call(audited, file):
    server = audited()
    (server.base / "a").write_text("12345")
    server.client(token="all-token").call("files.read", path="a")
    line, = wait(file, 1)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line.pop("time"))
    assert 0 < line.pop("duration_ms") < 60_000 and line.pop("bytes_out") > 5 and line.pop("bytes_in") > 0
    assert line.pop("request_id")
    assert line == {"principal": "all", "op": "files.read", "args": {"path": str(server.base / "a")}, "decision": "allow",
                    "status": 200}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_calls_that_are_refused(audited, file):
    server = audited(paths={"deny": ["secret"]}, ops={"files.delete": False}, limits={"rate": {"per_second": 1000}})
    few = server.client(token="few-token")
    ask(server, "/files/list?path=x")
    ask(server, "/files/list?path=x", "Authorization: Bearer wrong-token-here")
    few.request("POST", "/ops/commands.run", {"command": "x"})
    few.request("POST", "/ops/files.delete", {"path": "x"})
    few.request("GET", "/no/such?token=abc")
    few.request("PATCH", "/files/list")
    few.request("GET", "/files/stat?path=secret")
    few.request("GET", "/files/stat?path=/etc/passwd")
    few.request("GET", "/files/stat?path=x", headers={"Origin": "http://elsewhere.example"})
    found = [(line["principal"], line["op"], line["decision"], line["status"], line["error"], line.get("rule"))
             for line in wait(file, 9)]
    assert found == [
        (None, "files.list", "deny", 401, "auth.missing_credentials", None),
        (None, "files.list", "deny", 401, "auth.invalid_token", None),
        ("few", "commands.run", "deny", 403, "policy.scope_denied", "policy:tokens.few.scopes"),
        ("few", "files.delete", "deny", 404, "op.not_enabled", "policy:ops.files.delete"),
        ("few", None, "deny", 404, "op.unknown", None),
        ("few", None, "deny", 405, "op.method_not_allowed", None),
        ("few", "files.stat", "deny", 403, "policy.path_denied", "policy:paths.deny[0]"),
        ("few", "files.stat", "deny", 403, "policy.path_denied", "policy:paths.roots"),
        (None, None, "deny", 403, "policy.origin_denied", "policy:cors.origins"),
    ]
    found = lines_of(file)
    assert found[4]["target"] == "GET /no/such" and found[6]["args"] == {"path": "secret"}
    assert "wrong-token-here" not in file.read_text()


def test_a_failure_is_no_refusal(audited, file):
    server = audited()
    server.client(token="all-token").request("POST", "/ops/files.read", {"path": "missing"})
    line, = wait(file, 1)
    assert (line["decision"], line["status"], line["error"]) == ("allow", 404, "files.not_found")


def test_too_many_and_no_http_at_all(audited, file):
    server = audited(limits={"rate": {"per_second": 0.01}})
    client = server.client(token="all-token")
    assert [client.request("GET", "/files/list?path=.").status for _ in range(2)] == [200, 429]
    with server.client(token=None).connect() as connection:
        connection.send("not HTTP\r\n\r\n")
        connection.reply("GET").read()
    found = wait(file, 3)
    assert (found[1]["status"], found[1]["rule"]) == (429, "policy:limits.rate.per_second")
    assert (found[2]["status"], found[2]["decision"], found[2]["op"]) == (400, "deny", None)


def test_secrets_are_masked(make_server, file):
    server = make_server(token=TOKEN, policy={"tokens": [token("own", ["*"])], "audit": {"file": str(file)}})
    client, own = server.client(), server.client(token="own-token")
    client.call("commands.run", command=f"true {TOKEN} API_KEY=abc1; true --password hunter2", env={"MY": "value3", "B": "value4"})
    client.call("commands.run", argv=["true", "--token", "abc5", "Authorization: Bearer abc6", "http://me:abc7@host/"])
    client.request("GET", "/files/stat?path=" + TOKEN.replace("+", "%2B"))
    own.call("commands.run", command="true own-token", stdin="abc8")
    ask(server, "/capabilities", "Authorization: Bearer own-token", "X-Request-Id: own-token")
    own.call("system.env.set", vars={"NAME": "abc9"})
    found = wait(file, 6)
    assert found[0]["args"] == {"command": "true *** API_KEY=***; true --password ***", "env": ["MY", "B"]}
    assert found[1]["args"] == {"argv": ["true", "--token", "***", "Authorization: ***", "http://***@host/"]}
    assert found[3]["args"] == {"command": "true ***"}
    assert found[4]["request_id"] == "***" and found[5]["args"] == {"vars": ["NAME"]}
    text = file.read_text()
    for secret in (TOKEN, "own-token", "hunter2", "value3", "value4", *(f"abc{n}" for n in (1, 5, 6, 7, 8, 9))):
        assert secret not in text, secret


def test_a_caller_without_a_token_cannot_hide_its_calls(make_server, file):
    server = make_server(policy={"audit": {"file": str(file)}})
    for secret in ('time', '"', "true"):
        server.client(token=None).request("POST", "/ops/commands.run", {"command": "true"}, {"Authorization": f"Bearer {secret}"})
    assert [line["args"] for line in wait(file, 3)] == [{"command": "true"}] * 3


@pytest.mark.parametrize("name", ["a\nb", 'a","op":"x', "a\x1b[2Jb", "a\u2028b", b"a\xff\xfeb", "\\", "x" * 200])
def test_no_name_breaks_its_line(audited, file, name):
    server = audited()
    raw = name if isinstance(name, bytes) else name.encode()
    target = "/files/stat?path=" + "".join(f"%{byte:02x}" for byte in raw)
    server.client(token="all-token").request("GET", target, headers={"X-Request-Id": 'x","principal":"y'})
    line, = wait(file, 1)
    assert line["principal"] == "all" and line["op"] == "files.stat" and line["request_id"] == 'x","principal":"y'
    assert line["args"]["path"] == f"{server.base}/" + raw.decode(errors="replace")
    assert b"\x1b" not in file.read_bytes()


def test_long_arguments_are_cut_and_lines_stay_short(audited, file):
    server = audited()
    client = server.client(token="all-token")
    client.call("commands.run", command="true " + "x" * 300_000)
    client.call("commands.run", argv=["true", *("\x01" * 900 for _ in range(50))])
    client.call("commands.run", argv=["true", *("y" for _ in range(2000))], env={f"V{n}": "" for n in range(1000)})
    found = wait(file, 3)
    assert all(line["cut"] for line in found) and max(map(len, file.read_bytes().splitlines())) <= 4096
    assert found[0]["args"]["command"] == "true " + "x" * 1019


def test_which_calls_are_written(audited, file):
    server = audited("writes")
    client = server.client(token="all-token")
    client.call("files.list", path=".")
    client.call("core.health")
    client.call("files.mkdir", path="d")
    client.call("commands.run", command="true")
    client.request("GET", "/files/list?path=/etc")
    assert [line["op"] for line in wait(file, 3)] == ["files.mkdir", "commands.run", "files.list"]


def test_a_list_of_ops(audited, file):
    server = audited(["files_list", "custom.deploy"])
    client = server.client(token="all-token")
    client.call("files.list", path=".")
    client.call("commands.run", command="true")
    ask(server, "/files/stat?path=x")
    assert [line["op"] for line in wait(file, 2)] == ["files.list", "files.stat"]


@pytest.mark.parametrize("name", ["custom.*", "run_command", "custom.hi"])
def test_a_list_of_ops_may_name_all_commands_of_the_author(make_server, file, tmp_path, name):
    (tmp_path / "hi.yaml").write_text("name: hi\nrun: [echo, hi]\nresult: text\n")
    server = make_server("--commands", tmp_path / "hi.yaml", policy={"audit": {"file": str(file), "ops": [name]}})
    for target in ("/ops/core.describe", "/ops/custom.hi", "/commands/hi"):
        assert ask(server, target, method="POST", body=b"{}").status == 200
    assert [line["op"] for line in wait(file, 2)] == ["custom.hi"] * 2


def test_streams_and_terminals_have_one_line_at_their_end(audited, file):
    server = audited()
    client, number = server.client(token="all-token"), nap()
    stream = client.stream("commands.stream", command=f"echo here; exec sleep {number}", cwd=str(server.base))
    assert next(event for event in stream if event.name == "stdout")
    session = client.call("terminal.create", command="cat")
    wait(file, 1)
    with Terminal(client, session) as terminal:
        terminal.type("hello\r")
        terminal.expect("hello")
    assert wait(file, 2)[1]["op"] == "terminal.connect"
    stream.close()
    found = wait(file, 3)
    assert (found[1]["status"], found[1]["args"]) == (101, {"session_id": session["session_id"]})
    assert found[1]["bytes_in"] > 0 and found[1]["bytes_out"] > 0
    assert found[2]["args"] == {"command": f"echo here; exec sleep {number}", "cwd": str(server.base)}
    assert found[2]["op"] == "commands.stream" and found[2]["status"] == 200


def test_a_caller_who_vanishes(audited, file):
    server = audited()
    body = json.dumps({"command": f"sleep {nap()}"}).encode()
    client = server.client(token="all-token")
    connection = client.connect()
    connection.send(client.head("POST", "/ops/commands.run", {"Content-Length": len(body), "Content-Type": "application/json"}), body)
    eventually(lambda: server.is_running() and client.call("core.health"), what="the server")
    connection.close()
    line = next(line for line in wait(file, 2) if line["op"] == "commands.run")
    assert line["gone"] and line["decision"] == "allow" and line["bytes_in"] == len(body)


def test_what_was_done_for_one_who_vanished_is_no_failure(audited, file):
    """Who leaves while the file is being written has it written, and the line of that tells of no error."""
    server = audited()
    client = server.client(token="all-token")
    method, target, body, headers = client.by_route("files.write", {"path": "f", "content": "x" * (2 << 20)})
    began = time.monotonic()
    client.request(method, target, body, headers)
    longest = time.monotonic() - began

    def is_written_for_nobody():
        with client.connect() as connection:
            connection.send(client.head(method, target, {**headers, "Content-Length": len(body)}), body)
            # Somewhere between the end of the body and that of the answer.
            until = time.monotonic() + random.uniform(0, longest)
            while time.monotonic() < until and not select.select([connection.socket], [], [], 0)[0]:
                pass
            connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        lines = [line for line in map(json.loads, file.read_text().split("\n")[:-1]) if line["op"] == "files.write"]
        assert all((line["status"] == 200) == ("error" not in line) and line["status"] for line in lines), lines
        return any(line["status"] == 200 and line.get("gone") for line in lines)

    eventually(is_written_for_nobody, 100, "a file that was written for one who left")


def test_bytes_of_raw_bodies_are_counted(audited, file):
    server = audited()
    client = server.client(token="all-token")
    client.send_bytes("files.upload_stream", b"x" * 100_000, path="up")
    client.get_bytes("files.download_stream", path="up")
    up, down = wait(file, 2)
    assert (up["bytes_in"], down["bytes_out"]) == (100_000, 100_000)


def test_a_file_that_did_not_change_is_no_failure(audited, file):
    client = audited().client(token="all-token")
    tag = client.send_bytes("files.upload_stream", b"x", path="f")["etag"]
    assert client.get_bytes("files.download", path="f", headers={"If-None-Match": tag}).status == 304
    line = wait(file, 2)[1]
    assert (line["status"], line["decision"]) == (304, "allow") and "error" not in line


def test_many_calls_at_once_each_have_their_line(audited, file):
    server = audited()

    def call_many(name):
        client = server.client(token="all-token")
        for number in range(40):
            client.request("GET", f"/files/stat?path={name}-{number}", headers={"X-Request-Id": f"{name}-{number}"})

    threads = [threading.Thread(target=call_many, args=(name,)) for name in "abcdef"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = wait(file, 240)
    assert {line["request_id"] for line in found} == {f"{name}-{number}" for name in "abcdef" for number in range(40)}
    assert not any("lost" in line for line in found)


def figures(client):
    text = client.request("GET", "/metrics").read().decode()
    found = dict(re.findall(r"^(abx_audit_\w+_total) (\d+)$", text, re.M))
    return int(found["abx_audit_lines_total"]), int(found["abx_audit_lost_total"])


def test_a_full_disk_is_counted_and_survived(make_server, file):
    server = make_server("--log-level", "error", token=TOKEN, policy={"audit": {"file": "/dev/full"}})
    client = server.client()
    for _ in range(5):
        client.call("files.list", path=".")
    eventually(lambda: figures(client)[1] >= 5)
    assert figures(client)[0] == 0
    assert server.stderr().count("No space left on device") == 1
    (server.scratch / "policy.yaml").write_text(json.dumps({"audit": {"file": str(file)}}))
    client.call("core.reload")
    found = wait(file, 1)
    assert found[0]["op"] == "core.reload" and found[0]["lost"] >= 7
    client.call("files.list", path=".")
    assert "lost" not in wait(file, 2)[1]


def test_a_pipe_that_nobody_reads(make_server, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    server = make_server(token=TOKEN, policy={"audit": {"file": str(pipe)}})
    client = server.client()
    for number in range(300):
        client.request("GET", f"/files/stat?path={'x' * 240}{number}")
    eventually(lambda: figures(client)[1] > 0)
    reader, text = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK), b""

    def told():
        nonlocal text
        client.call("core.health")
        try:
            text += os.read(reader, 1 << 20)
        except BlockingIOError:
            pass
        return any(json.loads(line).get("lost") for line in text.split(b"\n")[:-1])

    eventually(told)
    os.close(reader)
    client.call("core.health")


def test_a_file_that_was_moved_away_comes_again_at_a_reload(audited, file):
    server = audited()
    client = server.client(token="all-token")
    client.call("files.list", path=".")
    wait(file, 1)
    old = file.with_suffix(".1")
    file.rename(old)
    client.call("files.list", path=".")
    wait(old, 2)
    assert not file.exists()
    server.signal(signal.SIGHUP)
    eventually(file.exists)
    client.call("files.list", path=".")
    assert wait(file, 1)[0]["op"] == "files.list" and len(lines_of(old)) == 2
    file.unlink()
    client.call("core.reload")
    assert wait(file, 1)[0]["op"] == "core.reload"


def test_a_reload_turns_it_on_and_off_or_changes_nothing(make_server, file, tmp_path):
    server = make_server(token=TOKEN, policy={})
    client, policy = server.client(), server.scratch / "policy.yaml"
    client.call("files.list", path=".")
    policy.write_text(json.dumps({"audit": {"file": str(file)}}))
    client.call("core.reload")
    policy.write_text(json.dumps({"audit": {"file": str(tmp_path / "no" / "such")}}))
    with expect_error("args.invalid", 400, says="audit.file: cannot open"):
        client.call("core.reload")
    policy.write_text("{}")
    client.call("core.reload")
    client.call("files.list", path=".")
    policy.write_text(json.dumps({"audit": {"file": str(file)}}))
    client.call("core.reload")
    assert [(line["op"], line["status"]) for line in wait(file, 3)] == [("core.reload", 200), ("core.reload", 400), ("core.reload", 200)]


def test_a_file_that_cannot_be_opened_stops_the_start(make_server, tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "target")
    for name in ("", "link", "no/such"):
        with pytest.raises(StartError, match="audit.file: cannot open"):
            make_server(policy={"audit": {"file": f"{tmp_path}/{name}"}})
    assert not (tmp_path / "target").exists()
    with pytest.raises(StartError, match="an absolute path is wanted"):
        make_server(policy={"audit": {"file": "audit.log"}})
    with pytest.raises(StartError, match="unknown op 'files.lst', did you mean 'files.list'"):
        make_server(policy={"audit": {"ops": ["files.lst"]}})


def test_no_op_reaches_the_servers_own_files(make_server, tmp_path):
    """The policy file, the audit log and the file of the token, whatever the roots say; nor the folder that holds them."""
    folder, file = tmp_path / "folder", tmp_path / "folder" / "audit"
    secret = tmp_path / "secrets" / "token"
    folder.mkdir()
    secret.parent.mkdir()
    secret.write_text(f"{TOKEN}\n")
    server = make_server("--token-file", secret, base=tmp_path, policy={"paths": {"roots": ["/"]}, "audit": {"file": str(file)}})
    client, policy = server.client(token=TOKEN), server.scratch / "policy.yaml"
    for path, rule in ((file, "policy:audit.file"), (policy, "policy:file"), (secret, "policy:token_file")):
        for op_id, args in (("files.read", {"path": str(path)}), ("files.write", {"path": str(path), "content": "x"}),
                            ("files.delete", {"path": str(path)}), ("files.stat", {"path": str(path)}),
                            ("files.move", {"source": str(path), "destination": "y"}),
                            ("files.move", {"source": str(path.parent), "destination": f"{tmp_path}/y"}),
                            ("files.delete", {"path": str(path.parent), "recursive": True})):
            reply = client.request("POST", f"/ops/{op_id}", args)
            body = json.loads(reply.read())
            assert (reply.status, body["wire_code"], body["rule"]) == (403, "policy.path_denied", rule), (op_id, path)
        assert path.name not in [entry["name"] for entry in client.call("files.list", path=str(path.parent))["entries"]]
        assert path.exists()


def test_no_op_puts_another_file_in_the_place_of_the_policy(make_server, tmp_path):
    """A link, or one of several, by which the server finds it at the next reload."""
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "policy").write_text(json.dumps({"paths": {"roots": [str(tmp_path)]}, "tokens": [token("all", ["*"])]}))
    (tmp_path / "second").symlink_to("real/policy")
    (tmp_path / "first").symlink_to(tmp_path / "second")
    server = make_server("--policy", tmp_path / "first", base=tmp_path)
    client = server.client(token="all-token")
    client.call("files.write", path="mine", content=json.dumps({"profile": "full_access", "tokens": [token("all", ["*"])]}))
    for name in ("first", "second", "real/policy"):
        for op_id, args in (("files.delete", {"path": name}), ("files.move", {"source": name, "destination": "y"}),
                            ("files.move", {"source": "mine", "destination": name}), ("files.write", {"path": name, "content": "{}"}),
                            ("files.read", {"path": name}), ("files.copy", {"source": "mine", "destination": name})):
            with expect_error("policy.path_denied", 403) as refused:
                client.call(op_id, **args)
            assert refused.error.rule == "policy:file", (op_id, name)
    with expect_error("policy.path_denied", 403):
        client.call("files.delete", path="real")
    client.call("core.reload")
    assert not client.call("core.capabilities")["groups"]["dev_tools"]
    assert (tmp_path / "first").is_symlink() and (tmp_path / "second").is_symlink()


def test_a_confined_program_reaches_neither(make_server, tmp_path):
    file = tmp_path / "audit"
    policy = {"process": {"confine": "paths", **({"user": "root"} if os.geteuid() == 0 else {})}}
    server = make_server(token=TOKEN, policy={**policy, "audit": {"file": str(file)}})
    client = server.client()
    for path in (file, server.scratch / "policy.yaml"):
        shown = client.call("commands.run", command=f"cat {path}; echo x >> {path}; rm {path}; echo done")
        assert shown["stdout"] == "done\n" and shown["stderr"].count("Permission denied") == 3
    (tmp_path / "root").mkdir()
    with pytest.raises(StartError, match="programs can reach audit.file: it lies in a root"):
        make_server(base=tmp_path / "root", token=TOKEN, policy={**policy, "audit": {"file": str(tmp_path / "root" / "audit")}})


def test_a_confined_program_may_read_nothing_that_holds_the_servers_own_files(make_server, tmp_path):
    root, folder = tmp_path / "root", tmp_path / "folder"
    root.mkdir()
    folder.mkdir()
    (tmp_path / "link").symlink_to(folder)
    secret = folder / "token"
    secret.write_text(TOKEN)
    rules = {"paths": {"roots": [str(root)]}, "process": {"confine": "paths", "read": [str(tmp_path / "link")],
                                                         **({"user": "root"} if os.geteuid() == 0 else {})}}
    (folder / "policy").write_text(json.dumps(rules))
    for options, what in ((("--policy", folder / "policy", "--token", TOKEN), "the policy file"),
                          (("--token-file", secret), "the file of the token"), (("--token", TOKEN), "audit.file")):
        more = {} if "--policy" in options else {"policy": {**rules, "audit": {"file": str(folder / "audit")}} if what == "audit.file" else rules}
        with pytest.raises(StartError, match=f"programs can reach {what}: it lies in process.read"):
            make_server(*options, base=root, **more)
    rules["process"]["read"] = []
    shm = pathlib.Path(tempfile.mkdtemp(prefix="abx-test-", dir="/dev/shm"))
    try:
        with pytest.raises(StartError, match="programs can reach audit.file: it lies in a part of the system"):
            make_server(base=root, token=TOKEN, policy={**rules, "audit": {"file": str(shm / "audit")}})
        rules["process"]["confine"] = "best_effort"
        server = make_server(base=root, token=TOKEN, policy={**rules, "audit": {"file": str(shm / "audit")}})
        assert any("programs can reach audit.file" in text for text in server.client().call("core.capabilities")["confinement"]["missing"])
    finally:
        shutil.rmtree(shm)
