# SPDX-License-Identifier: Apache-2.0
"""The template author's commands that are a program for each call: manifests, arguments, results, policy, reload."""
import json
import os
import signal
import stat
import sys

import pytest

from lib.access import token
from lib.client import expect_error
from lib.custom import client_of, manifest, run
from lib.parallel import together
from lib.processes import eventually, in_time, nap, sleeping
from lib.server import Server, StartError

SHOW = [sys.executable, "-c", "import json, sys; print(json.dumps({{'argv': sys.argv[1:], 'stdin': sys.stdin.read()}}))"]
TEXT = {"name": "text", "type": "string"}


def write_all(folder):
    manifest(folder, "show.yaml", name="show", description="Show it.\nAll.", result="json", args=[
        TEXT, {"name": "count", "type": "integer", "default": 2}, {"name": "ratio", "type": "float", "default": 0.5},
        {"name": "sure", "type": "boolean", "default": True}],
        run=[*SHOW, "{text}", "a{text}b{count}", "{{{ratio}}}", "{sure}", "", "$HOME *"])
    manifest(folder, "json.yaml", name="read_json", stdin="json", result="json", args=[
        {"name": "items", "type": "array"}, {"name": "more", "type": "object", "required": False}, {"name": "n", "type": "float", "default": 1}],
        run=SHOW)
    manifest(folder, "text.yaml", name="text", run=["printf", r"caf\303\251\n"])
    manifest(folder, "odd.yaml", name="odd-bytes", run=["printf", r"a\377b"])
    manifest(folder, "hidden.yaml", name="behind", hidden=True, run=["echo", "here"])
    manifest(folder, "exit.yaml", name="exits", args=[{"name": "code", "type": "integer"}],
             run=["sh", "-c", "echo first >&2; echo 'the reason' >&2; exit \"$1\"", "sh", "{code}"])
    manifest(folder, "silent.yaml", name="exits-silently", run=["false"])
    manifest(folder, "signal.yaml", name="ends", run=["sh", "-c", "kill -SEGV $$"])
    manifest(folder, "bad.yaml", name="bad-json", result="json", run=["echo", "{{nothing"])
    manifest(folder, "waits.yaml", name="waits", timeout=0, args=[{"name": "number"}], run=["sleep", "{number}"])
    manifest(folder, "large.yaml", name="large", args=[{"name": "size", "type": "integer"}], run=["head", "-c", "{size}", "/dev/zero"])
    manifest(folder, "none.yaml", name="not-there", run=["/no/such/program"])
    manifest(folder, "env.yaml", name="env", result="json", env={"TASK": "grade {it}", "PATH": "/usr/bin:/bin"}, cwd="/",
             run=[sys.executable, "-c", "import json, os; print(json.dumps([dict(os.environ), os.getcwd(), os.umask(0)]))"])
    manifest(folder, "here.yaml", name="here", cwd=".", run=["pwd"])
    manifest(folder, "lost.yaml", name="lost", cwd="/no/folder", run=["pwd"])
    (folder / "README.md").write_text("not a manifest")
    (folder / ".hidden.yaml").write_text("neither: this")
    (folder / "old.yaml~").write_text("nor: this")


@pytest.fixture(scope="module")
def author(tmp_path_factory):
    folder = tmp_path_factory.mktemp("commands")
    write_all(folder)
    with Server("--commands", folder, policy={"profile": "full_access"}) as server:
        server.commands = folder
        yield server


@pytest.fixture
def srv(author):
    yield client_of(author)
    assert author.is_running()


# --- arguments and results


def test_a_value_is_one_element_whatever_it_holds(srv):
    odd = "two words; $(id) `id` 'x' \"y\" {count} * \\ \n é"
    got = run(srv, "show", text=odd)
    assert got == {"argv": [odd, f"a{odd}b2", "{0.5}", "true", "", "$HOME *"], "stdin": ""}
    assert run(srv, "show", text="", count=-7, ratio=3, sure=False)["argv"] == ["", "ab-7", "{3}", "false", "", "$HOME *"]
    assert run(srv, "show", text="x", count=9007199254740991, ratio=1e-300)["argv"][1:3] == ["axb9007199254740991", "{1e-300}"]
    assert srv.call("custom.show", text="by id")["result"]["argv"][0] == "by id"


def test_all_arguments_as_json(srv):
    got = run(srv, "read_json", items=[1, {"a": None}], more={"b": [True]})
    assert json.loads(got["stdin"]) == {"items": [1, {"a": None}], "more": {"b": [True]}, "n": 1} and got["stdin"].endswith("}\n")
    assert json.loads(run(srv, "read_json", items=[], more=None)["stdin"]) == {"items": [], "more": None, "n": 1}
    assert json.loads(run(srv, "read_json", items=["\0\n"])["stdin"]) == {"items": ["\0\n"], "n": 1}


def test_all_that_is_wrong_is_named(srv):
    with expect_error("args.missing", 400, "'text' is missing; there is no 'txt', did you mean 'text'?; 'count' must be an integer") as caught:
        run(srv, "show", txt="x", count="2", sure=1)
    assert caught.error.details == {"missing": ["text"], "unknown": ["txt"], "invalid": ["count", "sure"]}
    with expect_error("args.unknown", 400) as caught:
        run(srv, "text", other=1)
    assert caught.error.details == {"missing": [], "unknown": ["other"], "invalid": []}
    for bad in ({"count": 1.5}, {"count": 2**53}, {"ratio": "1"}, {"ratio": True}, {"sure": None}, {"text": None}, {"text": 5}, {"text": ["x"]}):
        with expect_error("args.invalid", 400) as caught:
            run(srv, "show", **{"text": "x", **bad})
        assert caught.error.details["invalid"] == list(bad)
    for name, value in (("items", {}), ("items", "x"), ("more", []), ("n", None)):
        with expect_error("args.invalid", 400, name):
            run(srv, "read_json", **{"items": [], name: value})
    with expect_error("args.unknown", 400, "at most 0 arguments, not 5000"):
        run(srv, "text", **{f"a{number}": 1 for number in range(5000)})


def test_bodies(srv):
    for body, code in ((b"[1]", "args.invalid"), (b"{", "args.invalid_json"), (b'{"text":"a","text":"b"}', "args.invalid_json"), (b"null", "args.invalid")):
        reply = srv.request("POST", "/commands/text", body, {"Content-Type": "application/json"})
        assert (reply.status, json.loads(reply.read())["wire_code"]) == (400, code)
    assert srv.request("POST", "/commands/text").status == 200
    assert srv.request("POST", "/commands/text?x=1", b"{}", {"Content-Type": "application/json"}).status == 400
    assert srv.request("POST", "/commands/text", b"{}", {"Content-Type": "text/plain"}).status == 415


def test_what_an_argument_of_a_program_cannot_hold(srv):
    with expect_error("args.invalid", 400, "'text' must not hold NUL"):
        run(srv, "show", text="a\0b")
    with expect_error("args.invalid", 400, "131071"):
        run(srv, "show", text="x" * 131071)
    assert run(srv, "show", text="x" * 131060)["argv"][0] == "x" * 131060


def test_results(srv):
    assert run(srv, "text") == "café\n"
    assert srv.rest("custom.odd-bytes") == {"result": "a\ufffdb", "lossy": True}
    assert run(srv, "large", size=0) == ""
    assert run(srv, "large", size=1 << 20) == "\0" * (1 << 20)
    with expect_error("custom.failed", 500, "max_result_bytes"):
        run(srv, "large", size=(8 << 20) + 1)
    with expect_error("custom.failed", 500, "its output is not JSON: line 1"):
        run(srv, "bad-json")


def test_failures(srv):
    with expect_error("custom.failed", 500, "custom.exits failed: the reason") as caught:
        run(srv, "exits", code=3)
    assert caught.error.details == {"command": "exits", "type": "CommandError", "message": "the reason", "exit_code": 3,
                                    "stderr": "first\nthe reason\n"}
    with expect_error("custom.failed", 500, "exit code 1") as caught:
        run(srv, "exits-silently")
    assert caught.error.details["stderr"] == ""
    with expect_error("custom.failed", 500, "SIGSEGV") as caught:
        run(srv, "ends")
    assert (caught.error.details["signal"], caught.error.details["exit_code"]) == ("SIGSEGV", 139)
    for name, words in (("not-there", "/no/such/program"), ("lost", "/no/folder")):
        with expect_error("custom.failed", 500, words):
            run(srv, name)
    assert run(srv, "exits", code=0) == ""


def test_r09_r10_environment_and_folder(author, srv):
    env, cwd, umask = run(srv, "env")
    assert (env["TASK"], env["PATH"], cwd, umask) == ("grade {it}", "/usr/bin:/bin", "/", 0o22)
    assert {name for name in env if name.startswith("ABX_")} == {"ABX_RUN_ID"} and env["LANG"] == "C.UTF-8" and "TERM" not in env
    assert run(srv, "here") == f"{author.commands}\n"


def test_the_timeout_ends_all_of_it(make_server, tmp_path):
    number = nap()

    def told(timeout):
        manifest(tmp_path, "slow.yaml", name="sleeps", timeout=timeout, args=[{"name": "number"}],
                 run=["sh", "-c", "echo begun >&2; sleep $1 & setsid sleep $1", "sh", "{number}"])
        with expect_error("commands.timeout", 408, f"within {timeout} seconds") as caught:
            run(client_of(make_server("--commands", tmp_path)), "sleeps", number=number)
        assert not sleeping(number)
        return caught.error.details["stderr"] and caught.error.details

    details = in_time(told)
    assert details == {"command": "sleeps", "stderr": "begun\n", "timeout": details["timeout"]}


def test_a_caller_who_leaves_ends_it(srv):
    number = nap()
    body = json.dumps({"number": number})
    with srv.connect() as connection:
        connection.send(f"POST /commands/waits HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n{body}")
        eventually(lambda: sleeping(number))
    eventually(lambda: not sleeping(number))


def test_many_at_once(srv):
    assert together(lambda number: run(srv, "show", text=str(number))["argv"][0], range(40), 20) == [str(number) for number in range(40)]


# --- what is known of them


def test_custom_list(author, srv):
    listed = {one["name"]: one for one in srv.rest("custom.list")["commands"]}
    assert "behind" not in listed and run(srv, "behind") == "here\n"
    assert len(listed) == 14 and "workers" not in srv.rest("custom.list")
    assert listed["show"] == {"name": "show", "description": "Show it.\nAll.", "args": [
        {"name": "text", "type": "string", "required": True, "description": ""},
        {"name": "count", "type": "integer", "required": False, "default": 2, "description": ""},
        {"name": "ratio", "type": "float", "required": False, "default": 0.5, "description": ""},
        {"name": "sure", "type": "boolean", "required": False, "default": True, "description": ""}]}


def test_unknown_commands(srv):
    for method, target in (("POST", "/commands/shw"), ("POST", "/ops/custom.shw")):
        reply = srv.request(method, target, b"{}", {"Content-Type": "application/json"})
        body = json.loads(reply.read())
        assert (reply.status, body["wire_code"], body["code"]) == (404, "custom.unknown_command", "unknown_command")
        assert "did you mean 'show'?" in body["error"] and "text" in body["error"] and "behind" not in body["details"]["commands"]
    reply = srv.request("POST", "/commands/custom.show", b"{}", {"Content-Type": "application/json"})
    assert reply.status == 404 and "no command 'custom.show', did you mean 'show'?" in json.loads(reply.read())["error"]
    assert srv.request("POST", "/commands/a/b").status == 404 and srv.request("POST", "/commands").status == 405
    reply = srv.request("GET", "/commands/show")
    assert (reply.status, reply.header("allow")) == (405, "POST, OPTIONS")
    assert srv.request("POST", "/ops/run_command").status == 404


def test_the_catalog_has_them(srv):
    spec, = srv.call("core.describe", id="custom.show")["ops"]
    assert spec == srv.ops["custom.show"] and (spec["dynamic"], spec["endpoint"], spec["path"]) == (True, "run_command", "/commands/show")
    assert spec["result"] == {"type": "any"} and spec["summary"] == "Show it."
    assert [(p["name"], p["type"], p["required"], p.get("default")) for p in spec["params"]] == [
        ("text", "string", True, None), ("count", "integer", False, 2), ("ratio", "number", False, 0.5), ("sure", "boolean", False, True)]
    kinds = {p["name"]: (p["type"], p.get("items"), p.get("nullable")) for p in srv.ops["custom.read_json"]["params"]}
    assert kinds == {"items": ("array", {"type": "any"}, None), "more": ("object", None, True), "n": ("number", None, None)}
    assert srv.rest("core.describe")["digest"] == srv.call("core.describe", id="core.health")["digest"]


def test_openapi_has_them(srv):
    from openapi_spec_validator import validate

    document = srv.rest("core.openapi")
    validate(document)
    operation = document["paths"]["/commands/show"]["post"]
    assert operation["operationId"] == "custom.show"
    schema = document["components"]["schemas"]["custom.show.params"]
    assert schema["properties"]["count"]["default"] == 2 and schema["required"] == ["text"] and schema["additionalProperties"] is False


def test_capabilities_and_check(srv):
    body = srv.rest("core.capabilities")
    assert body["ops"]["custom.show"]["allowed"] and body["endpoints"]["run_command"]["allowed"] and body["endpoints"]["list_commands"]["allowed"]
    for args, allowed, code in (
            ({"op": "custom.show"}, True, None), ({"op": "custom.show", "args": {"text": "x"}}, True, None),
            ({"op": "custom.show", "args": {"n": 1}}, False, "args.missing"), ({"endpoint": "run_command"}, True, None),
            ({"op": "custom.nothing"}, False, "custom.unknown_command")):
        verdict = srv.rest("core.check", **args)
        assert (verdict["allowed"], verdict.get("wire_code")) == (allowed, code)


def test_they_are_counted_together(srv):
    run(srv, "text")
    assert 'abx_requests_total{op="custom.*",status="2xx"}' in srv.call("system.prometheus")["text"]


# --- policy


def test_who_may(make_server, author):
    policy = {"profile": "full_access", "ops": {"custom.text": False}, "tokens": [
        token("lists", ["commands:list", "core:read"]), token("runs", ["commands:run"], ops={"custom.show": False}),
        token("other", ["files:read"]), token("narrow", ["commands:run", "core:read"], ops={"run_command": False})],
        "limits": {"custom.large": {"max_result_bytes": 10}, "custom.*": {"max_result_bytes": 5}}}
    server = make_server("--commands", author.commands, policy=policy)

    def ask(who, name, target="/commands/"):
        reply = server.client(token=who and f"{who}-token").request("POST", target + name, b'{"text":"x"}', {"Content-Type": "application/json"})
        body = json.loads(reply.read())
        return reply.status, body.get("wire_code"), body.get("rule")

    assert ask("runs", "text") == (404, "op.not_enabled", "policy:ops.custom.text")
    assert ask("runs", "show") == (403, "policy.scope_denied", "policy:tokens.runs.ops.custom.show")
    assert ask("lists", "show") == (403, "policy.scope_denied", "policy:tokens.lists.scopes")
    assert ask("narrow", "show") == (403, "policy.scope_denied", "policy:tokens.narrow.ops.run_command")
    assert ask("other", "nothing") == ask("other", "show") == (403, "policy.scope_denied", "policy:tokens.other.scopes")
    assert ask(None, "nothing")[1] == ask(None, "show")[1] == ask(None, "custom.show", "/ops/")[1] == "auth.missing_credentials"
    assert ask("runs", "behind") == (400, "args.unknown", None)
    names = {one["name"] for one in server.client(token="lists-token").rest("custom.list")["commands"]}
    assert "show" in names and "text" not in names
    assert not any(op["id"].startswith("custom.") and op.get("dynamic") for op in server.client(token="lists-token").rest("core.describe")["ops"])
    runs = client_of(server, token="narrow-token")
    assert "custom.show" not in runs.ops
    client = server.client(token="runs-token")
    for name, size, status in (("large", 11, 500), ("large", 10, 200), ("here", None, 500)):
        body = json.dumps({} if size is None else {"size": size}).encode()
        assert client.request("POST", f"/commands/{name}", body, {"Content-Type": "application/json"}).status == status


def test_the_group_switches_them_off(make_server, author):
    server = make_server("--commands", author.commands, "--disabled-groups", "commands")
    reply = server.client().request("POST", "/commands/text", b"{}", {"Content-Type": "application/json"})
    assert (reply.status, json.loads(reply.read())["rule"]) == (404, "policy:groups.commands")


def test_calls_at_once_have_a_limit(make_server, tmp_path):
    manifest(tmp_path, "w.yaml", name="waits", args=[{"name": "number"}], run=["sleep", "{number}"])
    server = make_server("--commands", tmp_path, policy={"limits": {"custom.*": {"max_calls": 2}}})
    client, number = client_of(server), nap()
    body = json.dumps({"number": number})
    request = f"POST /commands/waits HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n{body}"
    with client.connect() as one, client.connect() as two:
        one.send(request)
        two.send(request)
        eventually(lambda: len(sleeping(number)) == 2)
        with expect_error("limit.too_many", 429):
            run(client, "waits", number=number)
        client.call("core.reload")
        with expect_error("limit.too_many", 429):
            run(client, "waits", number="0")
    # Those that have left are counted until all that they had started is gone.
    reply = eventually(lambda: (lambda one: one if one.status == 200 else None)(client.request("POST", "/commands/waits", {"number": "0"})))
    assert json.loads(reply.read())["result"] == "" and not sleeping(number)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can run children as another user")
@pytest.mark.parametrize("confine", ["off", "paths"])
def test_they_run_as_all_programs_do(make_server, author, confine, tmp_path):
    policy = {"profile": "full_access", "tokens": [token("all", ["*"])], "process": {"user": "nobody", "confine": confine, "rlimits": {"nofile": 77}}}
    os.chmod(tmp_path, stat.S_IRWXU)
    manifest(tmp_path, "id.yaml", name="who", run=["sh", "-c", "id -un; ulimit -n; cat /etc/shadow 2>&1"])
    server = make_server("--commands", tmp_path, policy=policy)
    server.scratch.chmod(0o755)
    server.base.chmod(0o777)
    with expect_error("custom.failed", 500) as caught:
        run(client_of(server, token="all-token"), "who")
    assert caught.error.details["exit_code"] == 1


# --- where they come from


def test_a_single_file_and_the_variable(make_server, tmp_path):
    path = manifest(tmp_path, "any name.yml", name="one", run=["echo", "1"])
    assert run(client_of(make_server(f"--commands={path}")), "one") == "1\n"
    assert run(client_of(make_server(env={"ABX_SERVER_COMMANDS": path})), "one") == "1\n"
    assert run(client_of(make_server(policy={"server": {"commands": str(path)}})), "one") == "1\n"


@pytest.mark.parametrize(("keys", "words"), [
    ({"nme": "x", "run": ["true"]}, "1.yaml:2:2: unknown key 'nme', did you mean 'name'?"),
    ({"run": ["true"]}, "a command needs a name"),
    ({"name": "list", "run": ["true"]}, "not 'list' or 'call'"),
    ({"name": "Up", "run": ["true"]}, "small letters"),
    ({"name": "x"}, "'run' or 'worker' is wanted"),
    ({"name": "x", "run": []}, "a program"),
    ({"name": "x", "run": "true"}, "a list"),
    ({"name": "x", "run": ["{a}"]}, "there is no argument 'a'"),
    ({"name": "x", "run": ["a}"]}, "a '}' without its '{'"),
    ({"name": "x", "run": ["{a"]}, "a '{' without its '}'"),
    ({"name": "x", "run": ["{a b}"]}, "the name of an argument is wanted"),
    ({"name": "x", "run": ["true"], "worker": ["true"]}, "only one of 'run' and 'worker'"),
    ({"worker": ["true"], "args": []}, "'args' is not of a worker"),
    ({"name": "x", "run": ["true"], "args": [{"type": "string"}]}, "an argument without a name"),
    ({"name": "x", "run": ["true"], "args": [{"name": "a"}, {"name": "a"}]}, "two arguments are called 'a'"),
    ({"name": "x", "run": ["true"], "args": [{"name": "a", "type": "int"}]}, "one of string, integer, float, boolean, array, object"),
    ({"name": "x", "run": ["true"], "args": [{"name": "a", "type": "integer", "default": "b"}]}, "the default of 'a' must be an integer"),
    ({"name": "x", "run": ["true"], "args": [{"name": "a", "required": True, "default": "b"}]}, "it needs no default"),
    ({"name": "x", "run": ["{a}"], "args": [{"name": "a", "required": False}]}, "must be required or have a default"),
    ({"name": "x", "run": ["true"], "args": [{"name": "a", "type": "array"}]}, "only with 'stdin: json'"),
    ({"name": "x", "run": ["{a}"], "stdin": "json", "args": [{"name": "a", "type": "array"}]}, "use 'stdin: json'"),
    ({"name": "x", "run": ["true"], "timeout": -1}, "a number"),
    ({"name": "x", "run": ["true"], "env": {"ABX_X": "1"}}, "ABX_*"),
    ({"name": "x", "run": ["true"], "start_timeout": 3}, "for workers only"),
])
def test_a_wrong_manifest_stops_the_start(tmp_path, keys, words):
    manifest(tmp_path, "1.yaml", **keys)
    with pytest.raises(StartError) as caught:
        Server("--commands", tmp_path)
    assert caught.value.code == 2 and words in caught.value.stderr and "1.yaml" in caught.value.stderr


def test_two_of_one_name_stop_the_start(tmp_path):
    manifest(tmp_path, "a.yaml", name="x", run=["true"])
    manifest(tmp_path, "b.yaml", name="x", run=["true"])
    with pytest.raises(StartError) as caught:
        Server("--commands", tmp_path)
    assert "a.yaml" in caught.value.stderr and "b.yaml" in caught.value.stderr and "'x'" in caught.value.stderr


def test_a_folder_that_is_missing_stops_the_start_unless_it_is_the_default(tmp_path, make_server):
    with pytest.raises(StartError) as caught:
        Server("--commands", tmp_path / "no")
    assert str(tmp_path / "no") in caught.value.stderr
    os.mkfifo(tmp_path / "p.yaml")
    with pytest.raises(StartError) as caught:
        Server("--commands", tmp_path)
    assert "not a regular file" in caught.value.stderr
    assert make_server().client().rest("custom.list") == {"commands": []} or os.path.exists("/etc/agent-sandbox/commands.d")


# --- reload


def test_a_reload_is_all_or_nothing(make_server, tmp_path):
    manifest(tmp_path, "a.yaml", name="a", run=["echo", "old"])
    server = make_server("--commands", tmp_path)
    client = client_of(server)
    manifest(tmp_path, "a.yaml", name="a", run=["echo", "new"])
    bad = manifest(tmp_path, "b.yaml", name="b", run=["{no}"])
    with expect_error("args.invalid", 400, "b.yaml:"):
        client.call("core.reload")
    assert run(client, "a") == "old\n"
    manifest(tmp_path, "b.yaml", name="b", run=["echo", "b"])
    client.call("core.reload")
    client = client_of(server)
    assert (run(client, "a"), run(client, "b")) == ("new\n", "b\n")
    bad.unlink()
    server.signal(signal.SIGHUP)
    eventually(lambda: [one["name"] for one in client.call("custom.list")["commands"]] == ["a"])
    reply = client.request("POST", "/commands/b", b"{}", {"Content-Type": "application/json"})
    assert reply.status == 404
    (tmp_path / "a.yaml").unlink()
    tmp_path.rmdir()
    with expect_error("args.invalid", 400, str(tmp_path)):
        client.call("core.reload")
    assert run(client, "a") == "new\n"


def test_a_call_goes_on_with_what_it_began_with(make_server, tmp_path):
    number = nap()
    manifest(tmp_path, "a.yaml", name="a", run=["sh", "-c", "sleep $0; echo old", number])
    server = make_server("--commands", tmp_path)
    client = client_of(server)
    with client.connect() as connection:
        connection.send("POST /commands/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}")
        pid, = eventually(lambda: sleeping(number))
        (tmp_path / "a.yaml").unlink()
        client.call("core.reload")
        assert client.call("custom.list")["commands"] == []
        os.kill(pid, signal.SIGTERM)
        assert json.loads(connection.reply("POST").read()) == {"result": "old\n"}
