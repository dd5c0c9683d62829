# SPDX-License-Identifier: Apache-2.0
"""The policy file: its errors, reading it again, its subcommands, and what it says of the whole process."""
import json
import os
import pwd
import resource
import subprocess

import pytest

from lib.access import ask, token
from lib.client import ApiError, expect_error
from lib.processes import eventually
from lib.server import StartError, binary

TOKEN = "s3cret-T+/=~"


# --- the file, and reading it again


@pytest.mark.parametrize("text, says", [
    ("verison: 1\n", "policy.yaml:1:1: unknown key 'verison', did you mean 'version'?"),
    ("version: 1\npaths:\n  rots: [/]\n", "policy.yaml:3:3: unknown key 'paths.rots', did you mean 'roots'?"),
    ("browser: {idle_timeout: -1}\n", "policy.yaml:1:25: "),
    ("paths: {roots: [/nonexistent/root]}\n", "paths.roots[0]"),
    ("a: &x 1\n", "policy.yaml:1:4: anchors, aliases and tags are not allowed")])
def test_a_file_with_an_error_stops_the_start(make_server, text, says):
    with pytest.raises(StartError) as refused:
        make_server(policy=text)
    assert says in str(refused.value)


def test_reload_is_all_or_nothing(make_server):
    server = make_server(token=TOKEN, policy={"tokens": [token("ci", ["core:read"])]})
    file, admin, ci = server.scratch / "policy.yaml", server.client(), server.client(token="ci-token")
    ci.call("core.capabilities")

    file.write_text("tokens: []\ngroups: {proces: false}\n")
    with expect_error("args.invalid", 400, says="policy.yaml:2:10: unknown group 'proces', did you mean 'process'?"):
        admin.call("core.reload")
    ci.call("core.capabilities")
    admin.call("commands.run", command="true")

    file.write_text("tokens: []\ngroups: {process: false}\n")
    admin.call("core.reload")
    with expect_error("auth.invalid_token", 401):
        ci.call("core.capabilities")
    with expect_error("op.not_enabled", 404):
        admin.call("commands.run", command="true")

    file.write_text("{}")
    server.signal(1)
    eventually(lambda: admin.call("core.capabilities")["groups"]["process"])
    with expect_error("auth.missing_credentials", 401):
        server.client(token=None).call("core.reload")


# --- the subcommands


def policy_command(*arguments):
    done = subprocess.run([binary(), "policy", *map(str, arguments)], capture_output=True, text=True, timeout=30,
                          env={"PATH": os.environ["PATH"]}, check=False)
    return done.returncode, done.stdout, done.stderr


def test_policy_check(tmp_path):
    file = tmp_path / "p.yaml"
    file.write_text("version: 1\nfiles: {fsink: true}\n")
    assert policy_command("check", file) == (1, "", f"{file}:2:9: unknown key 'files.fsink', did you mean 'fsync'?\n")
    file.write_text(json.dumps({"paths": {"roots": [str(tmp_path)]}, "tokens": [token("ci", ["process:run"])]}, indent=1))
    status, out, err = policy_command("check", file)
    assert (status, out) == (0, f"{file}: ok\n")
    assert "warning: 'ci' may run programs" in err


def test_policy_check_asks_all_that_the_start_asks(tmp_path):
    file = tmp_path / "p.yaml"
    file.write_text(json.dumps({"paths": {"roots": [str(tmp_path)]}, "process": {"confine": "best_effort"}}))
    status, out, err = policy_command("check", file)
    assert (status, out) == (1, "") and "process.confine needs a token" in err
    for text, place, says in (
            (f"paths: {{roots: ['{tmp_path}/none']}}", "1:17", "paths.roots[0]: cannot open"),
            (f"paths: {{roots: ['{tmp_path}'], base: /}}", f"1:{len(str(tmp_path)) + 28}", "paths.base: '/' is not below"),
            (f"paths: {{roots: ['{tmp_path}']}}\ntokens:\n- {json.dumps(token('a', ['*'], paths={'roots': ['/']}))}", "3:",
             "tokens.a.paths.roots[0]: '/' is not below the server's roots"),
            ("process:\n  confine: paths\n", "2:12", "process.confine needs a token"),
            ("server: {listen: ['127.0.0.1:0', here]}", "1:34", "server.listen[1]: HOST:PORT"),
            (f"server: {{commands: {tmp_path}/none}}", "1:20", "server.commands: cannot read"),
            ("limits: {max_bodybytes: 1}", "1:10", "unknown key 'limits.max_bodybytes', did you mean 'max_body_bytes'?"),
            ("devtools: {languages: {ruby: [ruby]}}", "1:30", "'{file}' is wanted")):
        file.write_text(text)
        status, out, err = policy_command("check", file)
        assert (status, out) == (1, "") and err.startswith(f"{file}:{place}") and says in err, err
    (tmp_path / "link").symlink_to(tmp_path / "target")
    for name in ("no/such", "link", ""):
        file.write_text(f"paths: {{roots: ['{tmp_path}']}}\naudit: {{file: '{tmp_path}/{name}'}}\n")
        status, out, err = policy_command("check", file)
        assert (status, out) == (1, "") and err.startswith(f"{file}:2:15: audit.file: cannot open"), err
    file.write_text(f"paths: {{roots: ['{tmp_path}']}}\naudit: {{file: '{tmp_path}/audit'}}\n")
    assert policy_command("check", file) == (0, f"{file}: ok\n", "")
    assert not (tmp_path / "audit").exists() and not (tmp_path / "target").exists()
    (tmp_path / "bad.yaml").write_text("nme: x\n")
    file.write_text(f"server: {{commands: {tmp_path}/bad.yaml}}")
    status, out, err = policy_command("check", file)
    assert (status, out) == (1, "") and err.startswith(f"{tmp_path}/bad.yaml:1:1: unknown key 'nme', did you mean 'name'?")
    file.write_text(json.dumps({"paths": {"base": str(tmp_path / "none")}}))
    status, out, err = policy_command("check", file)
    assert (status, out) == (1, "") and err.startswith(f"{file}:1:") and "paths.base: " in err


def test_policy_check_says_what_programs_are_not_held_to(tmp_path):
    file = tmp_path / "p.yaml"
    rules = {"paths": {"roots": [str(tmp_path)], "deny": ["**/.env"]}, "process": {"confine": "best_effort", **({"user": "nobody"} if os.geteuid() == 0 else {})},
             "tokens": [token("runs", ["process:run"], paths={"deny": ["a"], "readonly": ["b"]}),
                        token("reads", ["files:read"], paths={"deny": ["a"]})]}
    file.write_text(json.dumps(rules, indent=1))
    lines = file.read_text().splitlines()
    status, out, err = policy_command("check", file)
    assert (status, out) == (0, f"{file}: ok\n")
    told = [line.removeprefix(f"{file}:").split(": warning: ") for line in err.splitlines()]
    assert [says for _, says in told] == [
        "paths.deny holds for file ops; programs are not held to it",
        "tokens.runs.paths.deny holds for file ops; programs are not held to it",
        "tokens.runs.paths.readonly holds for file ops; programs are not held to it, but where it is a root as a whole"]
    assert ['"deny"' in lines[int(told[0][0]) - 1], '"deny"' in lines[int(told[1][0]) - 1], '"readonly"' in lines[int(told[2][0]) - 1]] == [True] * 3


def test_policy_check_warns_of_an_address_that_needs_a_token(tmp_path):
    file = tmp_path / "p.yaml"
    rules = {"paths": {"roots": [str(tmp_path)]}, "server": {"listen": ["127.0.0.1:9000", "0.0.0.0:9000"]}}
    file.write_text(json.dumps(rules, indent=1))
    status, out, err = policy_command("check", file)
    assert (status, out, err.count("\n")) == (0, f"{file}: ok\n", 1)
    assert "'0.0.0.0:9000' is not a loopback address and the file has no token" in err
    file.write_text(json.dumps({**rules, "tokens": [token("a", ["core:read"])]}))
    assert policy_command("check", file) == (0, f"{file}: ok\n", "")


def test_a_limit_of_programs_that_cannot_be_raised_stops_the_start(make_server, tmp_path):
    with open("/proc/sys/fs/nr_open", encoding="ascii") as most:
        too_many = int(most.read()) + 1
    rules = {"process": {"rlimits": {"nofile": too_many}}, "paths": {"roots": [str(tmp_path)]}}
    with pytest.raises(StartError, match=r"policy.yaml:4:\d+: process.rlimits.nofile: the server has \d+ itself"):
        make_server(base=tmp_path, policy=rules)
    (tmp_path / "p.yaml").write_text(json.dumps(rules))
    status, out, err = policy_command("check", tmp_path / "p.yaml")
    assert (status, out) == (1, "") and "process.rlimits.nofile: the server has" in err
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    server = make_server(policy={"process": {"rlimits": {"nofile": hard}}})
    assert server.client().call("commands.run", command="ulimit -n")["stdout"] == f"{hard}\n"


def test_a_reload_with_a_root_that_is_gone_is_told_with_its_place(make_server, tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    server = make_server(base=root, policy={"tokens": [token("admin", ["*"])]})
    (server.scratch / "policy.yaml").write_text(
        f"paths:\n  roots: ['{root}', '{tmp_path}/gone']\n" + json.dumps({"tokens": [token("admin", ["*"])]})[1:-1])
    with expect_error("args.invalid", 400, says=f"policy.yaml:2:{len(str(root)) + 15}: paths.roots[1]: cannot open"):
        server.client(token="admin-token").call("core.reload")


def test_explain_says_what_the_call_and_the_check_say(make_server, tmp_path):
    base = tmp_path / "base"
    (base / "vendor").mkdir(parents=True)
    policy = {"paths": {"base": str(base), "roots": [str(base)], "deny": ["**/.env"], "readonly": ["**/vendor"]},
              "ops": {"commands.stream": False},
              "tokens": [token("ci", ["core:read", "files:*", "process:*"], ops={"files.mkdir": False}),
                         token("look", ["*:read"]), token("old", ["*"], expires="2020-01-01")]}
    server = make_server(base=base, policy=policy)
    cases = [(op, path) for op in ("files.stat", "files.delete", "files.mkdir")
             for path in ("a", ".env", "vendor/x", "/etc/passwd", "../out")]
    cases += [("commands.run", None), ("commands.stream", None), ("core.capabilities", None), ("core.reload", None)]
    for name in ("ci", "look"):
        caller = server.client(token=f"{name}-token")
        for op, path in cases:
            verdict = caller.call("core.check", op=op, **({"path": path} if path else {}))
            more = ["--path", path] if path else []
            status, out, err = policy_command("explain", server.scratch / "policy.yaml", "--token", name, "--op", op, *more)
            assert (status == 0) == verdict["allowed"], (name, op, path, out, err, verdict)
            if op == "files.stat":
                try:
                    caller.call(op, path=path)
                    assert verdict["allowed"], path
                except ApiError as error:
                    assert (error.wire_code, error.rule) == (verdict["wire_code"], verdict["rule"])
            if not verdict["allowed"]:
                assert verdict["wire_code"] in out and verdict.get("rule", "").removeprefix("policy:") in out
    status, out, _ = policy_command("explain", server.scratch / "policy.yaml", "--token", "old", "--op", "files.stat")
    assert status == 4 and "auth.token_expired" in out and "tokens.old.expires" in out
    status, out, _ = policy_command("explain", server.scratch / "policy.yaml", "--op", "files.stat")
    assert status == 4 and "auth.missing_credentials" in out


# --- what the file says of the whole process


def test_the_file_may_say_where_to_listen(make_server, tmp_path):
    socket = tmp_path / "s.sock"
    server = make_server(policy={"server": {"listen": [f"unix:{socket}"], "shutdown_grace": 1}}, listen=None)
    assert server.unix == str(socket)
    assert server.client().call("core.health") == {"status": "ok"}


def test_the_umask_of_new_files_is_the_policys(make_server):
    for umask, mode in (("022", 0o644), ("077", 0o600)):
        server = make_server(policy={"process": {"umask": umask}, "files": {"fsync": True}})
        client = server.client()
        client.send_bytes("files.upload_stream", b"x", path="new")
        assert (server.base / "new").stat().st_mode & 0o777 == mode
        assert client.call("commands.run", command="umask")["stdout"] == f"0{umask}\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_files_and_programs_are_process_users(make_server, tmp_path):
    """R94: what file ops make belongs to process.user, and they may no more than that user may."""
    nobody = pwd.getpwnam("nobody")
    base = tmp_path / "base"
    (base / "closed").mkdir(parents=True)
    for folder in (base, tmp_path, *list(tmp_path.parents)[:-2]):
        folder.chmod(folder.stat().st_mode | 0o111)
    os.chown(base, nobody.pw_uid, nobody.pw_gid)
    (base / "closed").chmod(0o700)
    server = make_server(base=base, token=TOKEN, policy={"process": {"user": "nobody"}})
    client = server.client()
    client.send_bytes("files.upload_stream", b"x", path="new/file", parents=True)
    client.call("files.mkdir", path="folder")
    for name in ("new", "new/file", "folder"):
        assert (base / name).stat().st_uid == nobody.pw_uid, name
        assert (base / name).stat().st_gid == nobody.pw_gid, name
    with expect_error("files.permission_denied", 403):
        client.send_bytes("files.upload_stream", b"x", path="closed/file")
    with expect_error("files.permission_denied", 403):
        client.call("files.list", path="closed")
    shown = client.call("commands.run", command="id -un; id -gn; echo $HOME $USER $LOGNAME; echo x > made")
    assert shown["stdout"].split("\n")[0] == "nobody" and "nobody nobody" in shown["stdout"]
    assert (base / "made").stat().st_uid == nobody.pw_uid
    with expect_error("policy.command_denied", 403) as caught:
        client.call("commands.run", command="true", user="root")
    assert caught.error.rule == "policy:process.users"


def test_process_user_without_a_token_stops_the_start(make_server):
    name = pwd.getpwuid(os.geteuid()).pw_name
    with pytest.raises(StartError, match="process.user without any token"):
        make_server(policy={"process": {"user": name}})
    with pytest.raises(StartError, match="no user 'no-such-user'"):
        make_server(token=TOKEN, policy={"process": {"user": "no-such-user"}})


def test_a_reload_ends_the_streams_of_callers_who_lost_them(make_server):
    both = [token("stays", ["*"]), token("goes", ["*"]), token("changes", ["process:run"])]
    server = make_server(policy={"tokens": both})
    file, streams = server.scratch / "policy.yaml", {}
    for entry in both:
        stream = server.client(token=f"{entry['name']}-token").stream("commands.stream", command="echo here; exec sleep 60")
        assert next(event for event in stream if event.name == "stdout").data["data"] == "here\n"
        streams[entry["name"]] = stream
    changed = token("changes", ["files:read"])
    file.write_text(json.dumps({"tokens": [both[0], changed]}))
    server.client(token="stays-token").call("core.reload")
    for name, wire_code in (("goes", "auth.invalid_token"), ("changes", "policy.scope_denied")):
        last = list(streams[name])[-1]
        assert (last.name, last.data["wire_code"]) == ("error", wire_code), name
    streams["stays"].close()


def test_a_reload_cannot_open_the_server_to_everybody(make_server):
    server = make_server(policy={"tokens": [token("all", ["*"])]})
    (server.scratch / "policy.yaml").write_text("{}")
    client = server.client(token="all-token")
    with expect_error("args.invalid", 400, says="the last token cannot be taken away"):
        client.call("core.reload")
    assert ask(server, "/capabilities").status == 401


def test_names_of_hosts_mean_nothing_on_a_unix_socket(make_server, tmp_path):
    server = make_server(listen=f"unix:{tmp_path}/s.sock")
    for host in ("anything.example", "", "localhost"):
        assert ask(server, "/capabilities", host=host or " ").status == 200, host
    assert ask(server, "/capabilities", "Origin: http://anything.example", host="anything.example").status == 403


def test_max_connections_follow_a_reload(make_server):
    server = make_server(policy={"limits": {"max_connections": 50}})
    file, client = server.scratch / "policy.yaml", server.client()
    file.write_text(json.dumps({"limits": {"max_connections": 2}}))
    client.call("core.reload")
    streams = [client.stream("commands.stream", command="exec sleep 60") for _ in range(2)]
    try:
        for stream in streams:
            next(iter(stream))
        with client.connect() as third:
            reply = third.reply()
            assert reply.status == 429 and json.loads(reply.read())["wire_code"] == "limit.too_many"
    finally:
        for stream in streams:
            stream.close()
