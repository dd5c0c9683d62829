# SPDX-License-Identifier: Apache-2.0
"""Workers, which are kept: their protocol, what they do wrong, their end, back-pressure, reload."""
import contextlib
import json
import os
import pwd
import signal
import subprocess

import pytest

from lib.access import token
from lib.client import expect_error
from lib.custom import client_of, manifest, noted, puppet, run
from lib.parallel import together
from lib.processes import eventually, gone, is_alive, nap, sleeping
from lib.server import Server, binary


def asked(folder, method):
    return [message for message in map(json.loads, noted(folder, "asked")) if message["method"] == method]


def worker(client):
    one, = client.call("custom.list")["workers"]
    return one


def ready(client):
    return eventually(lambda: worker(client)["state"] == "ready" and worker(client), what="the worker is ready")


@pytest.fixture
def start(make_server, tmp_path):
    """A server with one puppet, and a client that knows its commands."""
    def begin(*how, options=(), policy=None, **keys):
        puppet(tmp_path, how=how, **keys)
        server = make_server("--commands", tmp_path, *options, policy=policy)
        if not how:
            ready(server.client())  # the server waits for it, but not for as long as a busy machine may take
        return client_of(server)

    return begin


@contextlib.contextmanager
def under_way(client, name, **args):
    """A call that the server has read and that is not waited for; the connection, for its reply."""
    body = json.dumps(args)
    with client.connect() as connection:
        connection.send(f"POST /commands/{name} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n{body}")
        client.request("GET", "/health")  # sent later, so read later
        yield connection


def reply_of(connection):
    reply = connection.reply("POST")
    return reply.status, json.loads(reply.read())


# --- how it should be


def test_describe_and_call(start, tmp_path):
    client = start()
    assert [message["method"] for message in asked(tmp_path, "describe")] == ["describe"]
    listed = {one["name"]: one for one in client.call("custom.list")["commands"]}
    assert "secret" not in listed and run(client, "secret") == "told"
    assert [arg["name"] for arg in listed["echo"]["args"]] == ["text", "count", "ratio", "sure", "items", "more"]
    assert client.ops["custom.echo"]["summary"] == "Give back." and worker(client) == {"manifest": "puppet.yaml", "state": "ready"}
    assert run(client, "echo", text="a\n\u2028\0é", more={"x": [1.5, None]}) == {
        "text": "a\n\u2028\0é", "count": 1, "sure": False, "items": [], "more": {"x": [1.5, None]}}
    assert len(noted(tmp_path, "starts")) == 1
    assert asked(tmp_path, "call")[-1]["name"] == "echo"
    with expect_error("args.invalid", 400, "'count' must be an integer") as caught:
        run(client, "echo", text="x", count="1")
    assert caught.error.details["invalid"] == ["count"] and len(asked(tmp_path, "call")) == 2


def test_many_in_flight_and_out_of_order(start, tmp_path):
    client = start()
    keys = [f"k{number}" for number in range(20)]
    with contextlib.ExitStack() as stack:
        held = {key: stack.enter_context(under_way(client, "hold", key=key)) for key in keys}
        eventually(lambda: len(noted(tmp_path, "held")) == 20)
        for key in reversed(keys):
            run(client, "release", key=key)
            assert reply_of(held[key]) == (200, {"result": f"let go: {key}"})
    assert together(lambda number: run(client, "echo", text=str(number))["text"], range(100), 30) == [str(n) for n in range(100)]
    assert len(noted(tmp_path, "starts")) == 1


def test_errors_of_a_command(start):
    client = start()
    with expect_error("custom.failed", 500, "custom.fail failed: KeyError: no such thing: é") as caught:
        run(client, "fail", type="KeyError")
    assert caught.error.body["type"] == "KeyError"
    assert caught.error.details == {"command": "fail", "type": "KeyError", "message": "no such thing: é", "stderr": "Traceback: it went wrong\n"}
    with expect_error("custom.failed", 500, "just a text") as caught:
        run(client, "fail-oddly")
    assert (caught.error.body["type"], caught.error.details["stderr"]) == ("CommandError", "")
    with expect_error("custom.failed", 500, "says no more"):
        run(client, "void")


def test_it_runs_as_all_programs_do(start, tmp_path):
    client = start(env={"TASK": "x"}, cwd="/")
    facts = run(client, "facts")
    assert (facts["cwd"], facts["umask"], facts["fds"], facts["session"], facts["run_id"], facts["abx"]) == ("/", 0o22, [0, 1, 2], True, True, [])
    assert run(client, "env", name="TASK") == "x" and run(client, "env", name="TERM") is None


def test_results_have_a_limit(start):
    client = start(policy={"limits": {"custom.large": {"max_result_bytes": 1000}}})
    with expect_error("custom.failed", 500, "max_result_bytes"):
        run(client, "large")
    client = start()
    assert len(run(client, "large")) == 2 << 20


def test_no_memory_for_an_answer_is_not_the_workers_fault(start, tmp_path):
    client = start(policy={"limits": {"max_memory_bytes": 1 << 20}})
    for _ in range(3):
        with expect_error("server.busy", 503):
            run(client, "large")
    assert run(client, "echo", text="x")["text"] == "x" and len(noted(tmp_path, "starts")) == 1


# --- time and leaving


def test_a_call_that_is_not_answered_in_time(start, tmp_path):
    client = start()
    with expect_error("commands.timeout", 408, "custom.silent did not answer within 0.3 seconds") as caught:
        run(client, "silent")
    assert caught.error.details == {"command": "silent", "stderr": "", "timeout": 0.3}
    cancel, = eventually(lambda: asked(tmp_path, "cancel"))
    silent, = (message for message in asked(tmp_path, "call") if message["name"] == "silent")
    assert cancel == {"id": silent["id"], "method": "cancel"}
    assert run(client, "echo", text="still there")["text"] == "still there" and len(noted(tmp_path, "starts")) == 1


def test_a_late_answer_and_a_second_one_are_nobodys(start, tmp_path):
    client = start(timeout=100)
    with under_way(client, "hold", key="late"):
        eventually(lambda: noted(tmp_path, "held"))
    eventually(lambda: asked(tmp_path, "cancel"))
    assert run(client, "release", key="late") is None
    assert run(client, "twice") == "first"
    assert run(client, "twice") == "first"
    assert len(noted(tmp_path, "starts")) == 1


def test_a_call_that_was_not_sent_is_taken_back(start, tmp_path):
    """A worker that does not read: its pipe fills, what is behind waits with us and can be given up."""
    client = start(policy={"limits": {"custom.echo": {"max_calls": 3}}})
    large = "x" * 50_000  # two are more than a pipe holds, and each begins at once: no worker thread parses it

    def is_refused():
        with under_way(client, "echo", text="probe") as probe:
            probe.socket.settimeout(0.5)
            try:
                refused = probe.reply("POST").status == 429
            except TimeoutError:
                refused = False
        client.request("GET", "/health")  # that it has left is known by now
        return refused

    with under_way(client, "freeze") as frozen:
        eventually(lambda: noted(tmp_path, "frozen"))
        with under_way(client, "echo", text=large) as first, under_way(client, "echo", text=large) as second:
            with under_way(client, "echo", text="never sent"):
                eventually(is_refused)
            eventually(lambda: not is_refused())
            eventually(lambda: not is_refused())
            (tmp_path / "thaw").touch()
            assert reply_of(frozen)[0] == 200
            assert all(reply_of(one)[1]["result"]["text"] == large for one in (first, second))
    assert run(client, "echo", text="after")["text"] == "after"
    texts = [message["args"].get("text", "")[:10] for message in asked(tmp_path, "call") if message["name"] == "echo"]
    assert texts == ["x" * 10, "x" * 10, "after"]


def test_calls_at_once_have_a_limit(start, tmp_path):
    client = start(policy={"limits": {"custom.hold": {"max_calls": 1}}})
    with under_way(client, "hold", key="1"):
        eventually(lambda: noted(tmp_path, "held"))
        with expect_error("limit.too_many", 429):
            run(client, "hold", key="2")
        assert run(client, "echo", text="others may")["text"] == "others may"


# --- what it may do wrong


@pytest.mark.parametrize(("result", "words"), [
    ('"cut \\ud83d"', "half of a surrogate pair"), ("[" * 80 + "]" * 80, "nested deeper than 64 levels"), ('{"1":1,"1":2}', "a name that the object has already")])
def test_an_answer_that_is_json_elsewhere(start, tmp_path, result, words):
    """What JSON.stringify or json.dumps make of odd data fails the call that asked for it, and no other."""
    client = start()
    with under_way(client, "hold", key="other") as other:
        eventually(lambda: noted(tmp_path, "held"))
        with expect_error("custom.failed", 500, words) as caught:
            run(client, "answer", json=result)
        assert caught.error.body["type"] == "WorkerError"
        run(client, "release", key="other")
        assert reply_of(other) == (200, {"result": "let go: other"})
    assert run(client, "answer", json='"\\ud83d\\ude00"') == "\U0001f600"
    assert len(noted(tmp_path, "starts")) == 1


@pytest.mark.parametrize(("name", "words"), [
    ("die", "ended with exit code 3"), ("killed", "was ended by SIGKILL"), ("garbage", "it is not JSON: 'not json at all'"),
    ("array", "not a JSON object"), ("stranger", "a call that it was never given"), ("both", "one of 'result' and 'error'"),
    ("flood", "lines that nobody waits for"), ("long", "a line longer than"), ("mute", "it closed its standard output"),
])
def test_what_breaks_a_worker(start, tmp_path, name, words):
    """The calls that it has fail and say why; it is started again and works."""
    client = start()
    with under_way(client, "hold", key="other") as other:
        eventually(lambda: noted(tmp_path, "held"))
        with expect_error("custom.failed", 500, words) as caught:
            run(client, name)
        status, body = reply_of(other)
        assert (status, body["type"], caught.error.body["type"]) == (500, "WorkerError", "WorkerError") and words in body["error"]
    assert run(client, "echo", text="again")["text"] == "again"
    assert len(noted(tmp_path, "starts")) == 2 and worker(client)["state"] == "ready"
    first = int(noted(tmp_path, "starts")[0])
    eventually(lambda: not os.path.exists(f"/proc/{first}"))


def test_its_last_words_are_told_to_those_who_were_there(start):
    client = start()
    with expect_error("custom.failed", 500) as caught:
        run(client, "die-loudly")
    assert caught.error.details["stderr"] == ("x" * 10000 + "the last words")[-4096:]
    with expect_error("custom.failed", 500) as caught:
        run(client, "void")
    assert caught.error.details["stderr"] == ""


def test_a_worker_that_closes_its_input(start, tmp_path):
    client = start()
    with under_way(client, "deaf") as deaf:
        eventually(lambda: noted(tmp_path, "deaf"))
        with expect_error("custom.failed", 500, "closed its standard input"):
            run(client, "echo", text="x")
        assert reply_of(deaf)[0] == 500
    assert run(client, "echo", text="again")["text"] == "again"


def test_all_that_it_started_ends_with_it(start, tmp_path):
    client, number = start(), nap()
    run(client, "nap", number=number)
    eventually(lambda: sleeping(number))
    with expect_error("custom.failed"):
        run(client, "die")
    eventually(lambda: not sleeping(number))


@pytest.mark.parametrize(("how", "words"), [
    ("hang", "did not describe its commands within 3 seconds"), ("dies", "ended with exit code 7"), ("junk", "not JSON: 'hello'"),
    ("refuses", "could not describe its commands: not today"), ("{}", "it has no 'commands'"),
    (json.dumps({"commands": [{"name": "Bad"}]}), "'Bad' is not a name for a command"),
    (json.dumps({"commands": [{"name": "a"}, {"name": "a"}]}), "two commands are called 'a'"),
    (json.dumps({"commands": [{"name": "a", "args": [{"name": "x y"}]}]}), "'x y' is not a name for an argument"),
    (json.dumps({"commands": [{"name": "a", "args": [{"name": "x", "type": "int"}]}]}), "no type 'int'"),
    (json.dumps({"commands": [{"name": "a", "args": [{"name": "x", "type": "integer", "default": 1.5}]}]}), "not of type integer"),
    (json.dumps({"commands": [{"name": "a", "timeout": -1}]}), "'timeout'"),
])
def test_a_worker_that_cannot_describe_itself(start, tmp_path, how, words):
    """The start goes on, custom.list says what is wrong, and it is tried again until it can."""
    manifest(tmp_path, "other.yaml", name="other", run=["echo", "fine"])
    client = start(how, **({"start_timeout": 3} if how == "hang" else {}))
    assert run(client, "other") == "fine\n"
    assert eventually(lambda: words in worker(client).get("problem", ""), what=words)
    assert [one["name"] for one in client.call("custom.list")["commands"]] == ["other"]
    (tmp_path / "how").write_text("well\n")
    ready(client)
    assert run(client_of(client.server), "echo", text="at last")["text"] == "at last"


def test_a_worker_that_is_not_there(make_server, tmp_path):
    manifest(tmp_path, "w.yaml", worker=["/no/such/worker"])
    client = make_server("--commands", tmp_path).client()
    assert "/no/such/worker" in worker(client)["problem"] and worker(client)["state"] == "restarting"


def test_one_that_will_not_come_back_fails_its_calls(start, tmp_path):
    client = start()
    (tmp_path / "how").write_text("dies\n")
    with expect_error("custom.failed", 500, "exit code 3"):
        run(client, "die")
    eventually(lambda: len(noted(tmp_path, "starts")) >= 3)
    with expect_error("custom.failed", 500, "exit code 7"):
        run(client, "echo", text="x")
    (tmp_path / "how").unlink()
    ready(client)
    assert run(client, "echo", text="x")["text"] == "x"


def test_a_name_that_is_taken(start, tmp_path):
    manifest(tmp_path, "zz.yaml", name="echo", run=["echo", "mine"])
    client = start()
    assert run(client, "echo") == "mine\n" and worker(client)["problem"] == "zz.yaml has the command 'echo' already"
    assert run(client, "secret") == "told"


# --- reload and end


def test_a_reload_keeps_what_did_not_change(start, tmp_path):
    client = start()
    with under_way(client, "hold", key="k") as held:
        eventually(lambda: noted(tmp_path, "held"))
        client.call("core.reload")
        assert len(noted(tmp_path, "starts")) == 1
        puppet(tmp_path, timeout=77)
        client.call("core.reload")
        assert len(noted(tmp_path, "starts")) == 2 and noted(tmp_path, "ended") == []
        assert run(client, "echo", text="by the new one")["text"] == "by the new one"
        # The old one lives as long as its calls, and can still answer them.
        os.kill(int(noted(tmp_path, "starts")[0]), signal.SIGTERM)
        assert reply_of(held)[0] == 500
    eventually(lambda: not os.path.exists(f"/proc/{noted(tmp_path, 'starts')[0]}"))
    assert len(noted(tmp_path, "starts")) == 2


def test_a_reload_waits_for_new_commands_and_ends_old_workers(start, tmp_path):
    client = start()
    (tmp_path / "puppet.yaml").unlink()
    client.call("core.reload")
    assert client.call("custom.list") == {"commands": []}
    puppet(tmp_path)
    client.call("core.reload")
    assert run(client, "echo", text="x")["text"] == "x"


def test_an_old_worker_reads_its_end_of_file(start, tmp_path):
    client = start()

    def ends_by_itself():
        """It has two seconds, which may be too short on a machine that stalls."""
        (tmp_path / "puppet.yaml").unlink()
        client.call("core.reload")
        pid = noted(tmp_path, "starts")[-1]
        eventually(lambda: not os.path.exists(f"/proc/{pid}"), what="the worker ended")
        puppet(tmp_path)
        client.call("core.reload")
        ready(client)
        return pid in noted(tmp_path, "ended")

    assert any(ends_by_itself() for _ in range(4))


def test_another_policy_starts_them_again(start, tmp_path):
    client = start(policy={"process": {"env": {"set": {"MARK": "1"}}}})
    assert run(client, "env", name="MARK") == "1"
    policy = client.server.scratch / "policy.yaml"
    policy.write_text(policy.read_text().replace('"1"', '"2"'))
    client.call("core.reload")
    assert run(client, "env", name="MARK") == "2" and len(noted(tmp_path, "starts")) == 2


def test_the_end_of_the_server_ends_them(tmp_path):
    puppet(tmp_path)
    number = nap()
    with Server("--commands", tmp_path) as server:
        run(client_of(server), "nap", number=number)
    gone(number)
    eventually(lambda: not is_alive(noted(tmp_path, "starts")[0]))


def test_sigterm_while_a_worker_starts(tmp_path):
    puppet(tmp_path, how=["hang"], start_timeout=600)
    with subprocess.Popen([binary(), "--listen", "127.0.0.1:0", "--commands", tmp_path], stdout=subprocess.PIPE, cwd=tmp_path) as server:
        pid = int(eventually(lambda: noted(tmp_path, "starts"))[0])
        server.send_signal(signal.SIGTERM)
        assert server.wait(60) == 0 and server.stdout.read() == b""
    eventually(lambda: not is_alive(pid))


def test_a_call_under_way_gets_the_grace(tmp_path):
    puppet(tmp_path)
    server = Server("--commands", tmp_path, "--shutdown-grace", 600)
    client = client_of(server)
    with under_way(client, "freeze") as connection:
        eventually(lambda: noted(tmp_path, "frozen"))
        server.signal(signal.SIGTERM)
        (tmp_path / "thaw").touch()
        assert reply_of(connection) == (200, {"result": None})
    server.stop()


def is_refused(client):
    try:
        client.connect().close()
        return False
    except ConnectionError:
        return True


def test_a_second_sigterm_with_calls_under_way(tmp_path):
    """One that was sent, and one that waits for a worker to come back."""
    puppet(tmp_path, start_timeout=600)
    server = Server("--commands", tmp_path, "--shutdown-grace", 600)
    client = client_of(server)
    with under_way(client, "hold", key="k"):
        eventually(lambda: noted(tmp_path, "held"))
        (tmp_path / "how").write_text("hang\n")
        with expect_error("custom.failed", 500):
            run(client, "die")
        eventually(lambda: len(noted(tmp_path, "starts")) == 2)
        with under_way(client, "echo", text="waits"):
            server.signal(signal.SIGTERM)
            eventually(lambda: is_refused(client))
            server.signal(signal.SIGTERM)
            assert server.wait() == 0
    server.stop()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can run children as another user")
def test_it_is_the_policys_user(make_server, tmp_path):
    os.chmod(tmp_path, 0o777)
    policy = {"profile": "full_access", "tokens": [token("all", ["*"])], "process": {"user": "nobody"}}
    manifest(tmp_path, "who.yaml", cwd="/", worker=["sh", "-c", """
        while read -r line; do
            id=${line#*:} id=${id%%,*}
            case $line in
                *describe*) echo "{\\"id\\":$id,\\"result\\":{\\"commands\\":[{\\"name\\":\\"who\\"}]}}" ;;
                *) echo "{\\"id\\":$id,\\"result\\":$(id -u)}" ;;
            esac
        done"""])
    client = make_server("--commands", tmp_path, policy=policy).client(token="all-token")
    assert ready(client)
    reply = client.request("POST", "/commands/who", b"{}", {"Content-Type": "application/json"})
    assert json.loads(reply.read())["result"] == pwd.getpwnam("nobody").pw_uid
