# SPDX-License-Identifier: Apache-2.0
"""The TypeScript package: built, and run by Node against the real server and against stand-ins."""
import itertools
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import subprocess

import pytest
from stand_in import StandIn, answer, events

from lib.custom import puppet
from lib.cut import Cut
from lib.processes import eventually, running
from lib.server import ROOT, printed

PACKAGE = ROOT / "clients/typescript"
HERE = pathlib.Path(__file__).parent / "typescript"
_marks = itertools.count()
pytestmark = pytest.mark.skipif(not (shutil.which("node") and shutil.which("npm")), reason="Node is not installed")


def node(*words, **options):
    return ["node", "--no-warnings", *options.get("flags", ()), *map(str, words)]


@pytest.fixture(scope="module")
def checker(dist):
    with subprocess.Popen(node(HERE / "checks.mjs", dist, "serve"), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield process
        process.stdin.close()


@pytest.fixture
def check(checker):
    def run(name, *words):
        checker.stdin.write(json.dumps([name, *map(str, words)]).encode() + b"\n")
        checker.stdin.flush()
        return json.loads(checker.stdout.readline())

    return run


def test_every_op_by_its_case(dist, make_server):
    """The contract suite: tests/contract/cases.mjs."""
    server, guarded = make_server(policy={"profile": "full_access"}), make_server(token="s3cret")
    major = int(re.match(r"v(\d+)", subprocess.run(["node", "--version"], capture_output=True, text=True).stdout).group(1))
    # Node 18 has no WebSocket at all, 20 and 21 behind a flag.
    flags = ["--experimental-websocket"] if 20 <= major < 22 else []
    done = subprocess.run(node(HERE / "contract.mjs", dist, server.url, guarded.url, server.base, flags=flags), capture_output=True,
                          text=True, timeout=110)
    assert done.returncode == 0, done.stderr
    lines = {line["id"]: line for line in map(json.loads, done.stdout.strip().split("\n"))}
    catalog = {op["id"]: op for op in printed("describe", "--json")["ops"]}
    assert set(lines) == set(catalog), done.stderr
    for name, line in lines.items():
        if name == "terminal.connect" and major < 20:
            assert "there is no WebSocket here" in line["fault"]
            continue
        assert "fault" not in line, f"{name}: {line['fault']}"
        if line.get("keys") is not None and catalog[name]["kind"] in ("json", "raw"):
            fields = {field["name"]: field for field in catalog[name]["result"]["fields"]}
            assert {key for key, field in fields.items() if field["required"]} <= set(line["keys"]) <= set(fields), name
        if "wanted" in line:
            assert (line["error"]["name"], line["error"]["op"]) == (line["wanted"], name), line
    text = (HERE.parent.parent / "contract/cases.mjs").read_text()
    missing = set(catalog) - set(re.findall(r'^  "([\w.]+)": \[', text, re.M))
    assert not missing, f"ops without a case in cases.mjs: {sorted(missing)}"


@pytest.mark.parametrize("part", ["catalog", "client"])
def test_the_generated_files_say_so(part):
    head = (PACKAGE / f"src/{part}.ts").read_text().split("\n", 4)
    catalog = printed("describe", "--json")
    assert "do not edit" in head[1] and catalog["digest"] in head[2]


def test_the_example_of_the_readme_runs(dist, server, folder, tmp_path):
    code = (PACKAGE / "README.md").read_text().split("```ts\n", 1)[1].split("```", 1)[0]
    code = code.replace("http://127.0.0.1:9000", server.url).replace(', { token: "…" }', "").replace('"/tmp"', json.dumps(str(folder)))
    (tmp_path / "readme.mjs").write_text(code.replace('"agent-sandbox"', f'"{dist}/index.js"').replace("make test", "echo tested"))
    done = subprocess.run(node(tmp_path / "readme.mjs"), capture_output=True, text=True, timeout=100)
    assert (done.stdout, done.stderr) == ("tested\n\n", "")


def test_events_split_at_any_byte(check, tmp_path):
    odd = "x\u2028y\u2029z\x85\x0b\x0c\x1c\x1e é 😀"
    (tmp_path / "events").write_bytes(("\ufeff: hello\n\nevent: stdout\nid: 7\ndata: " + odd + "\n\nevent: two\r\ndata: a\r\ndata:b\r\n\r\ndata: cr\r\r"
                                       "event: empty\n\ndata\n\ndata:  two\n\n").encode())
    assert check("parse", tmp_path / "events")["value"] == [[
        {"name": "stdout", "data": odd, "id": "7"}, {"name": "two", "data": "a\nb", "id": "7"}, {"name": "message", "data": "cr", "id": "7"},
        {"name": "message", "data": "", "id": "7"}, {"name": "message", "data": " two", "id": "7"}]]


def test_unicode_line_separators(check, server):
    """B153."""
    got = check("stream", server.url, r"printf 'x\342\200\250y\302\205z\013w\014v\036u'; exit 7")["value"]
    assert "".join(event["data"] for event in got if event["event"] == "stdout") == "x\u2028y\x85z\x0bw\x0cv\x1eu"
    assert got[-1]["event"] == "exit" and got[-1]["exit_code"] == 7


@pytest.mark.parametrize("how", ["break", "close", "signal"])
def test_leaving_a_stream_ends_the_command(dist, server, how):
    argv = ["sleep", f"8{os.getpid()}.{next(_marks)}"]
    with subprocess.Popen(node(HERE / "checks.mjs", dist, "leave", server.url, how, *argv), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as client:
        assert client.stdout.readline() == b"left\n"
        eventually(lambda: not running(*argv))
        out, _ = client.communicate(b"go\n", timeout=60)
    assert json.loads(out) == {"value": True}


def test_aborting_a_blocking_call_ends_the_command(dist, server):
    argv = ["sleep", f"8{os.getpid()}.{next(_marks)}"]
    with subprocess.Popen(node(HERE / "checks.mjs", dist, "abort", server.url, *argv), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as client:
        eventually(lambda: running(*argv))
        client.stdin.write(b"go\n")
        client.stdin.flush()
        assert client.stdout.readline() == b"left\n"
        eventually(lambda: not running(*argv))
        out, _ = client.communicate(b"go\n", timeout=60)
    assert json.loads(out) == {"value": "mine"}


def test_a_server_that_dies_in_a_stream(dist, make_server):
    """B012: no exit code that was not received."""
    server = make_server()
    words = node(HERE / "checks.mjs", dist, "told_as_it_comes", server.url, "sleep", f"8{os.getpid()}.{next(_marks)}")
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as client:
        assert client.stdout.readline() == b"start\n"
        server.kill()
        out, _ = client.communicate(timeout=60)
    assert json.loads(out)["error"]["name"] == "StreamEndedError" and json.loads(out)["error"]["broken"]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_no_proxy_for_loopback(dist, host):
    """B154: Node's fetch uses none unless it is told to by a switch of its own."""
    proxies = {name: "http://127.0.0.1:1" for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")}
    with StandIn(lambda _: answer(body={"exists": True})) as stand_in:
        port = stand_in.url.rpartition(":")[2]
        done = subprocess.run(node(HERE / "checks.mjs", dist, "stat", f"http://{host}:{port}"), capture_output=True, text=True, timeout=100,
                              env={**os.environ, **proxies})
        assert json.loads(done.stdout) == {"value": {"exists": True}}, done


def event(name, /, **data):
    return f"event: {name}\ndata: {json.dumps(data)}\n\n".encode()


@pytest.mark.parametrize("pieces, end", [
    ([event("start", pid=1), event("stdout", data="a")], True), ([event("start", pid=1)], False), ([], True),
    ([event("exit", exit_code=0, duration_ms=1)[:-1]], True)])
def test_a_stream_without_its_exit_is_an_error(check, pieces, end):
    """B012."""
    with StandIn(lambda _: events(*pieces, end=end)) as stand_in:
        assert check("stream", stand_in.url, "x")["error"]["broken"]


def test_nothing_is_sent_twice(check):
    with StandIn(lambda _: [b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{"]) as stand_in:
        assert check("run", stand_in.url, '{"command": "x"}')["error"]["name"] == "ServerConnectionError"
        assert len(stand_in.requests) == 1


def test_the_clients_timeout_ends_the_command(check, server):
    """B158."""
    argv = ["sleep", f"8{os.getpid()}.{next(_marks)}"]
    error = check("limited", server.url, json.dumps(argv))["error"]
    assert error["name"] == "RequestTimeoutError" and "request_timeout of 0.5 s" in error["message"]
    eventually(lambda: not running(*argv))


def test_binary_is_not_touched(check, server, folder, tmp_path):
    """B068."""
    data = b"".join(bytes((a, b)) for a in range(256) for b in range(0, 256, 2)) + b"\xef\xbb\xbf\r\n"
    (tmp_path / "local").write_bytes(data)
    assert check("bytes", server.url, tmp_path / "local", folder / "x", tmp_path / "back")["value"] == 995
    assert (folder / "x").read_bytes() == (folder / "x2").read_bytes() == (tmp_path / "back").read_bytes() == data


def test_every_row_of_the_table_is_its_class(check):
    rows = {row["wire_code"]: row for row in printed("describe", "--errors")}
    assert set(check("codes")["value"]) == set(rows)
    for wire_code, row in rows.items():
        body = {"error": "no", "type": row["type"], "code": row["code"], "wire_code": wire_code, "op": "files.stat", "endpoint": "files_stat",
                "rule": "policy:x", "request_id": "r", "details": {"a": 1}}
        with StandIn(lambda _, row=row, body=body: answer(row["status"], body)) as stand_in:
            error = check("stat", stand_in.url)["error"]
        assert (error["name"], error["code"], error["status"]) == (row["exception"], row["e_code"], row["status"])
        assert (error["error_code"], error["rule"], error["details"], error["request_id"]) == (wire_code, "policy:x", {"a": 1}, "r")


def test_classes_are_those_of_the_python_client():
    from agent_sandbox import errors

    text = (PACKAGE / "src/errors.ts").read_text()
    there = dict(re.findall(r"export class (\w+) extends (\w+)", text))
    for name in errors.__all__:
        kind = getattr(errors, name)
        if isinstance(kind, type) and name != "SandboxError":
            assert there[name] == kind.__bases__[0].__name__, name
            own = re.search(rf'class {name} extends \w+ {{\s+static override readonly code: string = "(\w+)"', text)
            assert (own.group(1) if own else None) == kind.__dict__.get("code"), name


@pytest.mark.parametrize("status", [502, 504, 524])
def test_a_gateways_timeout_names_the_way_out(check, status):
    with StandIn(lambda _: answer(status, b"<html>")) as stand_in:
        error = check("run", stand_in.url, '{"command": "x"}')["error"]
    assert "commands.stream" in error["message"] and error["status"] == status


def test_credentials(check):
    with StandIn(lambda _: answer(body={"exists": True})) as stand_in:
        check("stat", stand_in.url, '{"token": "t", "gateway_token": "g"}')
        check("stat", stand_in.url, '{"token": "t", "legacy_auth": true}')
        first, second = (request.headers for request in stand_in.requests)
    assert (first["authorization"], first["x-access-token"]) == ("Bearer t", "g") and "catalog=sha256:" in first["x-abx-client"]
    assert second["x-access-token"] == "t" and "authorization" not in second
    for options in ('{"token": ""}', '{"token": "a b"}', '{"request_timeout": 0}', '{"gateway_token": "g", "legacy_auth": true}'):
        assert check("setup", "http://x", options)["error"]["name"] == "ServerConfigError"
    for url in ("ftp://x", "http://", "http://x?y", "http://x:99999", "127.0.0.1:9000"):
        assert check("setup", url, "{}")["error"]["name"] == "ServerConfigError", url


def test_a_server_that_knows_groups_alone(check):
    def v1(request):
        if request.target == "/capabilities":
            return answer(body={"groups": {"file_ops": True, "process": False}})
        if request.target == "/commands/grade":
            return answer(body={"result": json.loads(request.body)["a"] + 1})
        if request.target.startswith("/ops"):
            return answer(404, {"error": "no", "code": "not_found", "wire_code": "op.unknown"})
        return answer(body={"entries": []})

    with StandIn(v1) as stand_in:
        assert check("discover", stand_in.url)["value"] == {
            "legacy": True, "list": True, "run": False, "custom": 2, "refused": "OperationNotEnabledError"}
        assert "authorization" not in stand_in.requests[-1].headers


def test_commands_of_the_template(check, make_server, tmp_path):
    puppet(tmp_path)
    got = check("custom", make_server("--commands", tmp_path).url)["value"]
    assert "echo" in got.pop("listed")
    assert got == {
        "echo": [1], "call": "told", "id": "first", "odd": ["ExecutionError", "custom.failed", "CommandError"],
        "fail": ["ExecutionError", "custom.failed", "KeyError"], "wrong": ["ServerArgumentError", "args.unknown", None],
        "nothing": ["CommandNotFoundError", "custom.unknown_command", None], "check": "args.missing"}


def test_the_first_call_may_fail(dist, make_server):
    """B159.  The address is one that nobody else listens on, so that its port is free in between, too."""
    host = f"127.{1 + os.getpid() % 250}.{os.getpid() // 250 % 250}.1"
    with socket.socket() as unused:
        unused.bind((host, 0))
        address = f"{host}:{unused.getsockname()[1]}"
        client = subprocess.Popen(node(HERE / "checks.mjs", dist, "later", f"http://{address}"), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        first = client.stdout.readline()
    with client:
        assert first == b"ServerConnectionError\n"
        make_server(listen=address)
        out, _ = client.communicate(b"go\n", timeout=60)
    assert json.loads(out) == {"value": {"status": "ok"}}


def test_arguments_are_checked_here(check):
    error = check("wrong", "http://127.0.0.1:1")["error"]
    assert error["name"] == "ServerArgumentError" and "path" in error["message"]


def test_every_endpoint_of_v1_has_its_methods(check):
    """The endpoints of the Python client, and for each its methods but for the older names."""
    from agent_sandbox.compat import ENDPOINT_METHODS

    missing = check("methods")["value"]
    assert missing == dict.fromkeys(ENDPOINT_METHODS, [])


def test_paths_from_discovery(check, make_server, connect):
    """As the Python client says it, for each path."""
    server = make_server(token="t", policy={"paths": {
        "deny": ["**/.ssh", "*.key", "[!a-y]*/x?z", "~/home", "deep/**/x", "one/*/y", "é?"], "readonly": ["*/ro", "**/*.lock", "(a.b)+$"]}})
    base = str(server.base)
    paths = [base, f"{base}/a", f"{base}/../x", "~", "~/a", "a/../b", "/etc", "/", f"{base}/.ssh/id", "x.key", "d/x.key/e", f"{base}/ro", "a.lock",
             "ro", "", ".", "zz/xyz", base + "x", "a[b", "a\\b", "é*", "é", "éa", "d/ro/x", "home/x", "deep", "deep/x", "deep/a/b/x/c", "one/y", "one/a/y",
             "one/a/b/y", "(a.b)+$", "aab", "[!a-y]z/xaz", "//etc", f"/{base}/a"]
    asked = [[path, op] for path in paths for op in ("files.stat", "files.write", "commands.run", "no.such")]
    verdicts = check("verdicts", server.url, '{"token": "t"}', json.dumps(asked))["value"]
    caps = connect(server, token="t").discover_sync()
    assert verdicts == [caps.check_path(path, op).allowed for path, op in asked]
    assert {True, False} <= set(verdicts)


def test_capabilities_ask_the_server(check, server):
    code, features, digest = check("asks", server.url)["value"]
    assert code == "policy.path_denied" and features and digest.startswith("sha256:")


def test_whole_files_of_this_machine(check, server, folder, tmp_path):
    (tmp_path / "local").write_bytes("\ufeffé\r\n".encode())
    assert check("whole", server.url, tmp_path / "local", folder / "remote", tmp_path / "back")["value"] == [
        False, True, 7, 7, "FileNotFoundError_", "\ufeffé\r\n"]
    (tmp_path / "back").chmod(0o600)
    assert check("download", server.url, folder / "remote", tmp_path / "back")["value"] == 7
    assert (tmp_path / "back").stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["back", "local"]
    assert (tmp_path / "back").read_bytes() == (tmp_path / "local").read_bytes()


def test_ranges_are_those_of_a_slice(check, server, folder):
    (folder / "x").write_bytes(b"0123456789")
    ranges = [[0, None], [3, None], [0, 4], [2, 5], [5, 5], [0, 0], [3, 100], [9, 10]]
    wrong = [[-2, None], [5, 2], [0, -1], [1.5, None]]
    seen = check("ranges", server.url, folder / "x", json.dumps(ranges + wrong))["value"]
    assert seen == ["0123456789"[start:end] for start, end in ranges] + ["ServerArgumentError args.invalid"] * len(wrong)
    with StandIn(lambda _: answer(200, b"0123456789")) as stand_in:
        assert check("ranges", stand_in.url, "x", json.dumps(ranges))["value"] == seen[:len(ranges)]


def test_a_body_whose_maker_fails(check, server, folder):
    """What it throws is what the caller gets, and nothing is there."""
    assert check("bodies", server.url, folder / "x")["value"] == ["mine", "ENOENT", *["ServerArgumentError"] * 3, False]


def test_a_download_to_a_full_disk(dist, server, folder, tmp_path):
    """A write that takes a part only: the last one must not look like the end."""
    (folder / "x").write_bytes(b"x" * 3000)

    def full():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))

    done = subprocess.run(node(HERE / "checks.mjs", dist, "download", server.url, folder / "x", tmp_path / "x"), capture_output=True,
                          timeout=100, preexec_fn=full)
    assert json.loads(done.stdout)["error"]["code"] == "EFBIG" and list(tmp_path.iterdir()) == []


def test_watching_for_a_while(check, server, folder):
    quiet, names = check("watched", server.url, folder)["value"]
    assert quiet == [] and "later" in names


def test_streams_to_functions_and_processes_to_their_end(check, server):
    out, err, code, failed, signal, last, text = check("told", server.url)["value"]
    assert (out, err, code, failed) == ("one\n", "two\n", 3, ["ProcessError", 4])
    assert signal == "SIGKILL" and last == "exit" and set(text.split()) <= {"a", "b"}


def test_a_stream_that_broke_is_taken_up(check, server):
    """B163: every line once and whole."""
    line = "line {} é " + 40 * "x"  # all of them are more than what the ten that break let through, in whatever events they come
    lines = "".join(f"{line.format(number)}\n" for number in range(400))
    with Cut(server, [700 + 97 * n for n in range(10)]) as proxy:
        seen = check("resumed", server.url, proxy.url, f"for n in $(seq 0 399); do echo {line.format('$n')}; done; exit 5")["value"]
    assert (seen["text"], seen["exit_code"]) == (lines, 5) and seen["breaks"] == 10


def test_unix_sockets(dist, check, make_server, tmp_path):
    server = make_server(listen=f"unix:{tmp_path}/s")
    assert check("unix", server.url, "", "big")["value"] == ["ok", 40 * 65536, 40 * 65536, 39, 3, "policy.path_denied", "ServerConfigError", "ServerConnectionError"]
    # Nor does Node warn of what piles up while a body waits for the server.
    done = subprocess.run(["node", HERE / "checks.mjs", dist, "unix", server.url, "", "big"], capture_output=True, timeout=100)
    assert json.loads(done.stdout)["value"][0] == "ok" and b"MaxListeners" not in done.stderr
    assert check("setup", "unix:", "{}")["error"]["name"] == "ServerConfigError"
    for how in ("break", "signal"):
        argv = ["sleep", f"8{os.getpid()}.{next(_marks)}"]
        with subprocess.Popen(node(HERE / "checks.mjs", dist, "leave", server.url, how, *argv), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as client:
            assert client.stdout.readline() == b"left\n"
            eventually(lambda argv=argv: not running(*argv))
            client.communicate(b"go\n", timeout=60)


@pytest.mark.check
def test_it_packs_and_installs_in_a_clean_folder(dist, server, tmp_path):
    source = tmp_path / "source"
    shutil.copytree(PACKAGE, source, ignore=shutil.ignore_patterns("dist"), symlinks=True)
    done = subprocess.run(["npm", "pack", "--silent", "--pack-destination", str(tmp_path)], cwd=source, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    (packed,) = tmp_path.glob("*.tgz")
    clean = tmp_path / "clean"
    clean.mkdir()
    (clean / "package.json").write_text('{"type": "module"}')
    subprocess.run(["npm", "install", "--silent", str(packed)], cwd=clean, check=True, timeout=100)
    assert [path.name for path in (clean / "node_modules").iterdir() if not path.name.startswith(".")] == ["agent-sandbox"]
    code = f"import {{ ServerClient }} from 'agent-sandbox'; console.log((await new ServerClient('{server.url}').health()).status)"
    (clean / "use.mjs").write_text(code)
    assert subprocess.run(node("use.mjs"), cwd=clean, capture_output=True, text=True, timeout=100).stdout == "ok\n"
