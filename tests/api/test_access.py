# SPDX-License-Identifier: Apache-2.0
"""Who may call, from where, and what: tokens, scopes, origins, the order of the checks."""
import json
import pathlib
import time

import pytest

from lib.access import ask, code, digest, token
from lib.client import expect_error
from lib.exchange import H, exchange, refusal
from lib.processes import eventually
from lib.server import StartError

TOKEN = "s3cret-T+/=~"


# --- secrets at start (B123)


@pytest.mark.parametrize("secret", ["", " ", " \t", "a ", " a", "a\tb"])
def test_a_token_that_is_none_stops_the_start(make_server, secret):
    with pytest.raises(StartError) as refused:
        make_server(token=secret)
    assert refused.value.code != 0 and "token" in str(refused.value)


@pytest.mark.parametrize("content", [b"", b"\n", b"  \n", b"a\nb\n", b"a\0b", b"x" * 5000])
def test_a_token_file_without_a_token_stops_the_start(make_server, tmp_path, content):
    file = tmp_path / "token"
    file.write_bytes(content)
    with pytest.raises(StartError) as refused:
        make_server("--token-file", file)
    assert refused.value.code != 0 and str(file) in str(refused.value)


def test_a_token_file_that_cannot_be_read_stops_the_start(make_server, tmp_path):
    for path in (tmp_path / "missing", tmp_path):
        with pytest.raises(StartError) as refused:
            make_server("--token-file", path)
        assert str(path) in str(refused.value)


def test_the_newline_at_the_end_of_a_token_file_is_cut(make_server, tmp_path):
    file = tmp_path / "token"
    file.write_text(TOKEN + "\n")
    server = make_server("--token-file", file)
    assert ask(server, "/capabilities", f"Authorization: Bearer {TOKEN}").status == 200


# --- credentials (B123, R74)


@pytest.fixture
def guarded(make_server):
    return make_server(token=TOKEN)


def test_the_exact_token_passes(guarded):
    for line in (f"Authorization: Bearer {TOKEN}", f"authorization: bearer {TOKEN}", f"AUTHORIZATION: BEARER {TOKEN}",
                 f"X-Access-Token: {TOKEN}", f"x-access-token: {TOKEN}",
                 f"Authorization: \t Bearer {TOKEN} \t"):  # blanks around a value are no part of it (RFC 9110, 5.5)
        assert ask(guarded, "/capabilities", line).status == 200, line
    both = ask(guarded, "/capabilities", f"Authorization: Bearer {TOKEN}", f"X-Access-Token: {TOKEN}")
    assert both.status == 200


@pytest.mark.parametrize("credential", [
    "", TOKEN[:-1], TOKEN + "x", TOKEN.upper(), f" {TOKEN}", f"\t{TOKEN}", f"{TOKEN} x", f"{TOKEN}, {TOKEN}", f"\"{TOKEN}\"", digest(TOKEN), "undefined", "x" * 4096])
def test_nothing_else_passes(guarded, credential):
    for line in (f"Authorization: Bearer {credential}", f"X-Access-Token: {credential}.x"):
        reply = ask(guarded, "/capabilities", line)
        assert reply.status == 401 and code(reply) == "auth.invalid_token", line
        assert reply.header("www-authenticate") == "Bearer"


def test_other_shapes_of_credentials_do_not_pass(guarded):
    for line in (f"Authorization: {TOKEN}", f"Authorization: Basic {TOKEN}", f"Authorization: Bearer{TOKEN}",
                 "Authorization:", "Authorization: Bearer"):
        assert ask(guarded, "/capabilities", line).status == 401, line
    twice = [f"Authorization: Bearer {TOKEN}"] * 2
    assert ask(guarded, "/capabilities", *twice).status == 401
    assert ask(guarded, "/capabilities", f"Authorization: Bearer {TOKEN}\0x").status == 400
    assert ask(guarded, f"/capabilities?token={TOKEN}").status == 401
    assert ask(guarded, f"/capabilities?access_token={TOKEN}").status == 401
    assert ask(guarded, "/capabilities", f"Authorization: Bearer {'x' * (1 << 20)}").status == 431


def test_no_credentials_and_two_different_ones(guarded):
    missing = ask(guarded, "/capabilities")
    assert (missing.status, code(missing)) == (401, "auth.missing_credentials")
    assert missing.header("www-authenticate") == "Bearer"
    two = ask(guarded, "/capabilities", f"Authorization: Bearer {TOKEN}", "X-Access-Token: other")
    assert (two.status, code(two)) == (401, "auth.conflicting_credentials")


def test_a_token_as_a_subprotocol_is_none_for_plain_requests(guarded):
    for line in (f"Sec-WebSocket-Protocol: abx.bearer.{TOKEN}, abx.pty.binary", f"Sec-WebSocket-Protocol: abx.bearer.{TOKEN}"):
        reply = ask(guarded, "/capabilities", line)
        assert reply.status == 401
        assert TOKEN not in str(reply.headers) and TOKEN.encode() not in reply.body


def test_health_is_open_and_says_no_more(guarded):
    reply = ask(guarded, "/health")
    assert reply.status == 200 and reply.json == {"status": "ok"}
    assert ask(guarded, "/health", "Authorization: Bearer wrong").status == 200


def test_an_expired_token(make_server):
    server = make_server(policy={"tokens": [token("old", ["*"], expires="2020-01-01T00:00:00Z"),
                                            token("new", ["*"], expires="2099-01-01T00:00:00Z")]})
    assert server.client(token="new-token").call("core.capabilities")["principal"]["name"] == "new"
    with expect_error("auth.token_expired", 401) as caught:
        server.client(token="old-token").call("core.capabilities")
    assert caught.error.rule == "policy:tokens.old.expires"


# --- the order of the checks (R91)


def test_an_unknown_caller_hears_401_whatever_is_asked(guarded):
    for method, target in (("GET", "/capabilities"), ("GET", "/no/such/route"), ("DELETE", "/capabilities"), ("GET", "/"),
                           ("POST", "/ops/core.describe"), ("POST", "/ops/no.such"), ("OPTIONS", "/capabilities")):
        assert ask(guarded, target, method=method, body=b"").status == 401, (method, target)
    mine = f"Authorization: Bearer {TOKEN}"
    assert ask(guarded, "/no/such/route", mine).status == 404
    wrong = ask(guarded, "/capabilities", mine, method="DELETE")
    assert wrong.status == 405 and "GET" in wrong.header("allow")


def test_who_is_not_known_learns_no_route_and_no_command(make_server, tmp_path):
    manifest = tmp_path / "own.yaml"
    manifest.write_text("name: own\nrun: [\"true\"]\n")
    server = make_server("--commands", str(manifest), token=TOKEN)
    for line in ("Accept: */*", "X-Access-Token: wrong"):
        bodies = [ask(server, target, line, method="POST", body=b"").json for target in (
            "/shell", "/no/such", "/commands/own", "/commands/none", "/ops/custom.own", "/code/run", "/capabilities")]
        for body in bodies:
            del body["request_id"]
        assert all(body == bodies[0] for body in bodies) and bodies[0]["op"] is bodies[0]["endpoint"] is None


def test_the_body_is_not_read_before_the_caller_is_known(make_server):
    server = make_server(policy={"tokens": [token("look", ["core:read"])]})
    for line, status in (("X-Access-Token: wrong", 401), ("X-Access-Token: look-token", 403)):
        with server.client(token=None).connect() as connection:
            connection.send(f"POST /shell HTTP/1.1\r\nHost: localhost\r\n{line}\r\nContent-Length: 1000000\r\n\r\n{{")
            reply = connection.reply("POST")
            assert reply.status == status
    assert ask(server, "/shell", "X-Access-Token: look-token", method="POST", body=b"{not json").status == 403


def test_the_origin_is_asked_before_the_route_and_the_caller(guarded):
    for target in ("/capabilities", "/no/such/route", "/health"):
        reply = ask(guarded, target, "Origin: https://evil.example")
        assert (reply.status, code(reply)) == (403, "policy.origin_denied"), target
        assert reply.json["rule"] == "policy:cors.origins"


def test_switched_off_comes_before_the_scope(make_server):
    server = make_server(policy={"groups": {"process": False}, "tokens": [token("none", []), token("all", ["*"])]})
    for secret in ("none-token", "all-token"):
        with expect_error("op.not_enabled", 404) as caught:
            server.client(token=secret).call("commands.run", command="true")
        assert caught.error.rule == "policy:groups.process"
    assert ask(server, "/shell", method="POST", body=b"{}").status == 401


# --- hosts and origins (B124, R73, R107)


def test_without_a_token_only_loopback_names_are_answered(server):
    for host in ("localhost", f"localhost:{server.port}", "127.0.0.1:1", "127.8.8.8", "[::1]", "LocalHost:80"):
        assert ask(server, "/capabilities", host=host).status == 200, host
    for host in ("evil.example", "127.0.0.1.evil.example", f"evil.example:{server.port}", "localhost.evil.example", "10.0.0.1"):
        for target in ("/capabilities", "/health"):
            reply = ask(server, target, host=host)
            assert (reply.status, code(reply)) == (403, "policy.origin_denied"), host


def test_with_a_token_any_host_is_answered(guarded):
    assert ask(guarded, "/capabilities", f"X-Access-Token: {TOKEN}", host="sandbox.example").status == 200


def test_the_servers_own_pages_may_call(server):
    own = f"localhost:{server.port}"
    assert ask(server, "/capabilities", f"Origin: http://{own}", host=own).status == 200
    for origin in ("http://evil.example", f"https://{own}", "http://localhost", f"http://localhost:{server.port + 1}", "null", "",
                   f"http://{own}/", f"http://{own}.evil.example", f"http://evil@{own}"):
        reply = ask(server, "/capabilities", f"Origin: {origin}", host=own)
        assert (reply.status, code(reply)) == (403, "policy.origin_denied"), origin
        assert reply.header("access-control-allow-origin") is None


APP = "https://app.example"


@pytest.fixture
def cors(make_server):
    return make_server(token=TOKEN, policy={"cors": {"origins": [APP]}})


def test_a_preflight_needs_no_token_and_runs_nothing(cors, tmp_path):
    """B124"""
    for body in (None, json.dumps({"command": f"touch {tmp_path}/ran"}).encode()):
        reply = ask(cors, "/shell", f"Origin: {APP}", "Access-Control-Request-Method: POST",
                    "Access-Control-Request-Headers: authorization, content-type", method="OPTIONS", body=body)
        assert reply.status == 204
        assert reply.header("access-control-allow-origin") == APP
        assert "Origin" in reply.header("vary")
        assert "POST" in reply.header("access-control-allow-methods")
        assert "authorization" in reply.header("access-control-allow-headers").lower()
    assert not list(tmp_path.iterdir())


def test_a_preflight_of_what_is_not_there_lets_the_page_read_the_error(cors):
    reply = ask(cors, "/no/such", f"Origin: {APP}", "Access-Control-Request-Method: PUT", method="OPTIONS")
    assert reply.status == 204 and reply.header("access-control-allow-origin") == APP
    assert "PUT" in reply.header("access-control-allow-methods")
    assert "Retry-After" in reply.header("access-control-expose-headers")


def test_every_answer_to_a_listed_origin_says_so(cors):
    """B124: the 401 too."""
    cases = [("/capabilities", f"X-Access-Token: {TOKEN}", 200), ("/capabilities", "X-Access-Token: wrong", 401),
             ("/no/such", f"X-Access-Token: {TOKEN}", 404), ("/health", "Accept: */*", 200),
             ("/files/stat", f"X-Access-Token: {TOKEN}", 400)]
    for target, line, status in cases:
        reply = ask(cors, target, line, f"Origin: {APP}")
        assert reply.status == status, target
        assert reply.header("access-control-allow-origin") == APP, target
        assert "Origin" in reply.header("vary"), target
    (cors.base / "f").write_text("0123456789")
    client = cors.client(headers={"Origin": APP})
    for method, target, body, headers, status in (
            ("GET", "/download?path=f", None, {"Range": "bytes=0-1"}, 206), ("GET", "/download?path=f", None, {"Range": "bytes=10-"}, 416),
            ("HEAD", "/download?path=f", None, {}, 200), ("GET", "/download?path=f", None, {"If-None-Match": "*", "Accept": "application/octet-stream"}, 304),
            ("POST", "/shell/stream", {"command": "true"}, {}, 200), ("POST", "/shell", b"{", {}, 400), ("DELETE", "/health", None, {}, 405),
            ("POST", "/files/archive", {"paths": ["f"]}, {"Accept": "application/octet-stream"}, 200), ("GET", "/pty?session_id=x", None, {}, 426)):
        reply = client.request(method, target, body, headers)
        assert reply.status == status, target
        assert (reply.header("access-control-allow-origin"), reply.header("vary")) == (APP, "Origin"), target


REFUSED = {
    "http.uri_too_long": (f"GET /{'a' * 9000} HTTP/1.1\r\n{H}", "\r\n"),
    "http.headers_too_large": (f"GET /health HTTP/1.1\r\n{H}" + "X: y\r\n" * 100, "\r\n"),
    "http.bad_request": (f"GET /health HTTP/1.1\r\n{H}", "no field\r\n\r\n"),
    "http.not_implemented": (f"POST /shell HTTP/1.1\r\n{H}", "Transfer-Encoding: gzip\r\n\r\n"),
    "http.expectation": (f"GET /health HTTP/1.1\r\n{H}", "Expect: more\r\n\r\n"),
    "http.upgrade_required": (f"GET /pty?session_id=x HTTP/1.1\r\n{H}", f"X-Access-Token: {TOKEN}\r\n\r\n"),
}


@pytest.mark.parametrize("wire_code", REFUSED)
def test_a_page_can_read_why_its_request_was_no_http(cors, wire_code):
    """R71, R73: who asks is taken from what came of the head; what was too long does not hide what stands behind it."""
    before, behind = REFUSED[wire_code]
    reply = exchange(cors.client(), before, f"Origin: {APP}\r\nX-Request-Id: mine\r\n", behind)
    assert refusal(reply) == wire_code
    assert (reply.header("access-control-allow-origin"), reply.header("vary")) == (APP, "Origin")
    assert reply.header("x-request-id") == "mine" and reply.header("connection") == "close"
    for line in ("", "Origin: https://other.example\r\n", f"Origin: {APP}.other\r\n"):
        reply = exchange(cors.client(), before, line, behind)
        assert reply.status >= 400 and reply.header("access-control-allow-origin") is None, line


def test_a_preflight_with_a_line_that_is_too_long_is_granted(cors):
    """Else the page would not hear that the line of its request is."""
    lines = "Access-Control-Request-Method: GET\r\nAccess-Control-Request-Headers: authorization\r\nX-Request-Id: mine\r\n\r\n"
    target = f"/{'a' * 9000} HTTP/1.1\r\n{H}"
    reply = exchange(cors.client(), f"OPTIONS {target}Origin: {APP}\r\n{lines}", method="OPTIONS")
    assert reply.status == 204 and reply.header("connection") == "close" and reply.header("x-request-id") == "mine"
    assert (reply.header("access-control-allow-origin"), reply.header("vary")) == (APP, "Origin")
    assert "GET" in reply.header("access-control-allow-methods") and reply.header("access-control-allow-headers") == "authorization"
    for origin in ("", "Origin: https://other.example\r\n"):
        reply = exchange(cors.client(), f"OPTIONS {target}{origin}{lines}", method="OPTIONS")
        assert refusal(reply) == "http.uri_too_long" and reply.header("access-control-allow-methods") is None


def test_a_page_can_read_that_the_host_is_refused(make_server):
    server = make_server(policy={"cors": {"origins": [APP]}})
    reply = ask(server, "/health", f"Origin: {APP}", host="evil.example")
    assert code(reply) == "policy.origin_denied" and reply.header("access-control-allow-origin") == APP


def test_a_page_of_two_origins_is_none(cors):
    """A browser sends one; the second of two must not hide behind the first."""
    reply = ask(cors, "/health", f"Origin: {APP}", "Origin: https://other.example")
    assert code(reply) == "policy.origin_denied" and reply.header("access-control-allow-origin") is None


def test_a_preflight_may_ask_for_much(cors):
    names = ", ".join(f"x-{i:04}" for i in range(3000))
    reply = ask(cors, "/shell", f"Origin: {APP}", "Access-Control-Request-Method: POST",
                f"Access-Control-Request-Headers: {names}", "Access-Control-Request-Headers: and-one", method="OPTIONS")
    assert reply.status == 204 and reply.header("x-request-id") and reply.header("access-control-allow-origin") == APP
    assert reply.header("access-control-allow-headers") == f"{names}, and-one"


def test_a_preflight_from_elsewhere_gets_nothing(cors):
    """B124"""
    reply = ask(cors, "/shell", "Origin: https://other.example", "Access-Control-Request-Method: POST", method="OPTIONS")
    assert reply.status == 403
    assert reply.header("access-control-allow-origin") is None
    assert reply.header("access-control-allow-methods") is None


# --- what a token may do


NARROW = [
    token("look", ["*:read"]),
    token("files", ["core:read", "files:*"], ops={"files.delete": False}),
    token("run", ["process:run"]),
    token("none", []),
]


@pytest.fixture
def narrow(make_server):
    return make_server(policy={"tokens": NARROW})


def test_scopes(narrow):
    look, files, run, none = (narrow.client(token=f"{entry['name']}-token") for entry in NARROW)
    assert look.call("core.capabilities")["principal"] == {"name": "look", "scopes": ["*:read"]}
    for caller, op, args, rule in ((look, "commands.run", {"command": "true"}, "policy:tokens.look.scopes"),
                                   (look, "core.reload", {}, "policy:tokens.look.scopes"),
                                   (files, "commands.run", {"command": "true"}, "policy:tokens.files.scopes"),
                                   (files, "files.delete", {"path": "x"}, "policy:tokens.files.ops.files.delete"),
                                   (run, "core.capabilities", {}, "policy:tokens.run.scopes"),
                                   (none, "core.describe", {}, "policy:tokens.none.scopes")):
        for way in (caller.call, caller.rest):
            with expect_error("policy.scope_denied", 403) as caught:
                way(op, **args)
            assert caught.error.rule == rule
    assert run.call("commands.run", command="echo hi")["stdout"] == "hi\n"


def test_the_catalog_shows_what_the_caller_may_call(narrow):
    seen = {entry["id"] for entry in narrow.client(token="look-token").call("core.describe")["ops"]}
    assert "core.capabilities" in seen and "commands.run" not in seen and "core.reload" not in seen
    ops = narrow.client(token="files-token").call("core.capabilities")["ops"]
    assert ops["commands.run"]["enabled"] and not ops["commands.run"]["allowed"]
    assert ops["commands.run"]["rule"] == "policy:tokens.files.scopes"
    assert ops["files.delete"]["rule"] == "policy:tokens.files.ops.files.delete"


def test_paths_of_a_token_lie_inside_the_servers(make_server, tmp_path):
    base = tmp_path / "base"
    (base / "sub").mkdir(parents=True)
    for name in ("top", "sub/mine", "sub/.env", "sub/key.pem"):
        (base / name).write_text("x")
    server = make_server(base=base, policy={
        "paths": {"base": str(base), "roots": [str(base)], "deny": ["**/.env"]},
        "tokens": [token("sub", ["*"], paths={"roots": [str(base / "sub")], "deny": ["**/*.pem"]}), token("all", ["*"])]})
    sub, everything = server.client(token="sub-token"), server.client(token="all-token")
    assert everything.call("files.stat", path=f"{base}/top")["exists"]
    assert sub.call("files.stat", path="mine")["exists"]
    for path, rule in ((f"{base}/top", "policy:tokens.sub.paths.roots"), ("../top", "policy:tokens.sub.paths.roots"),
                       ("/etc/passwd", "policy:tokens.sub.paths.roots"), ("key.pem", "policy:tokens.sub.paths.deny[0]"),
                       (".env", "policy:paths.deny[0]")):
        with expect_error("policy.path_denied", 403) as caught:
            sub.call("files.stat", path=path)
        assert caught.error.rule == rule, path
    paths = sub.call("core.capabilities")["paths"]
    assert paths["roots"] == [str(base / "sub")] and sorted(paths["deny"]) == ["**/*.pem", "**/.env"]


def test_a_token_cannot_have_a_root_outside(make_server, tmp_path):
    with pytest.raises(StartError, match=r"tokens\.out\.paths\.roots\[0\]"):
        make_server(policy={"tokens": [token("out", ["*"], paths={"roots": ["/usr"]})]})


def test_limits_of_a_token_can_only_be_lower(make_server):
    server = make_server(policy={
        "limits": {"commands.run": {"max_output_bytes": 100}},
        "tokens": [token("low", ["*"], limits={"shell": {"max_output_bytes": 10}}),
                   token("high", ["*"], limits={"commands.run": {"max_output_bytes": 1000}})]})
    for secret, wanted in (("low-token", 10), ("high-token", 100)):
        caller = server.client(token=secret)
        limits = caller.call("core.capabilities")["ops"]["commands.run"]["limits"]
        assert limits["max_output_bytes"] == wanted
        result = caller.call("commands.run", command="printf %0200d 0")
        assert len(result["stdout"]) == wanted and result["stdout_truncated"]


def test_groups_and_ops_that_are_off(make_server):
    server = make_server(policy={"groups": {"process": False}, "ops": {"files_delete": False, "commands.stream": True}})
    client = server.client()
    for op, args, rule in (("commands.run", {"command": "true"}, "policy:groups.process"),
                           ("files.delete", {"path": "x"}, "policy:ops.files_delete")):
        for way in (client.call, client.rest):
            with expect_error("op.not_enabled", 404) as caught:
                way(op, **args)
            assert caught.error.rule == rule
    facts = client.call("core.capabilities")
    assert not facts["groups"]["process"] and facts["groups"]["file_ops"] and facts["groups"]["core"]
    assert not facts["ops"]["commands.run"]["enabled"] and facts["ops"]["commands.stream"]["enabled"]


def test_groups_that_the_start_disables_stay_off(make_server):
    server = make_server(policy={"ops": {"commands.run": True}}, env={"ABX_SERVER_DISABLED_GROUPS": "process, terminal"})
    with expect_error("op.not_enabled", 404) as caught:
        server.client().call("commands.run", command="true")
    assert caught.error.rule == "policy:groups.process"
    with pytest.raises(StartError, match="unknown group"):
        make_server(env={"ABX_SERVER_DISABLED_GROUPS": "processes"})


@pytest.mark.parametrize("profile, allowed, refused", [
    ("read_only", ["core.capabilities", "files.stat"], ["commands.run", "files.delete", "core.reload"]),
    ("locked", ["core.capabilities", "core.reload"], ["commands.run", "files.stat"]),
    ("full_access", ["core.capabilities", "files.stat", "commands.run", "core.reload"], [])])
def test_profiles(make_server, profile, allowed, refused):
    ops = make_server(policy={"profile": profile}).client().call("core.capabilities")["ops"]
    for op in allowed:
        assert ops[op]["enabled"] and ops[op]["allowed"], op
    for op in refused:
        assert not ops[op]["enabled"] and ops[op]["rule"] == "policy:profile", op


def test_the_rate_of_a_token(make_server):
    server = make_server(policy={"tokens": [token("slow", ["*"], limits={"rate": {"per_second": 0.01}}), token("fast", ["*"])]})
    slow, fast = server.client(token="slow-token"), server.client(token="fast-token")
    began = time.monotonic()
    slow.call("core.capabilities")
    for _ in range(2):
        with expect_error("limit.rate", 429) as caught:
            slow.call("core.capabilities")
        assert caught.error.rule == "policy:tokens.slow.limits.rate.per_second"
        assert 90 - (time.monotonic() - began) <= int(caught.error.reply.header("retry-after")) <= 101
    for _ in range(20):
        fast.call("core.capabilities")
    assert ask(server, "/health").status == 200


# --- secrets stay secret (B122)


def test_the_token_is_nowhere(make_server, tmp_path):
    server = make_server("--log-level", "debug", token=TOKEN, policy={"audit": {"file": str(tmp_path / "audit")}})
    client = server.client()
    for line in (f"Authorization: Bearer {TOKEN}", f"Authorization: Bearer {TOKEN}x", f"X-Access-Token: {TOKEN}",
                 f"Sec-WebSocket-Protocol: abx.bearer.{TOKEN}"):
        reply = ask(server, f"/no/such?token={TOKEN}", line)
        assert TOKEN.encode() not in reply.body.replace(b"\\/", b"/"), line
    shown = client.call("commands.run", command="env; cat /proc/$PPID/cmdline /proc/$PPID/environ 2>&1")["stdout"]
    client.call("commands.run", command=f"true {TOKEN} {digest(TOKEN)}")
    client.call("files.write", path="f", content="said-in-a-body")
    client.send_bytes("files.upload", b"said-in-a-body", path="f")
    client.request("POST", "/files/write", b'{"path": "f", "content": "said-in-a-body')
    eventually(lambda: (tmp_path / "audit").read_text().count("commands.run") == 2)
    told = [shown, server.stderr(), (tmp_path / "audit").read_text(), json.dumps(client.call("core.capabilities")), json.dumps(client.call("core.describe"))]
    told.append(pathlib.Path(f"/proc/{server.pid}/cmdline").read_bytes().decode(errors="replace"))
    for text in told:
        assert TOKEN not in text and digest(TOKEN) not in text and "said-in-a-body" not in text  # R77


def test_the_variable_with_the_token_reaches_no_child(make_server):
    server = make_server(env={"ABX_SERVER_TOKEN": TOKEN})
    assert ask(server, "/capabilities").status == 401
    shown = server.client(token=TOKEN).call("commands.run", command="env")["stdout"]
    assert TOKEN not in shown and not any(line.startswith("ABX_") and not line.startswith("ABX_RUN_ID=")
                                          for line in shown.splitlines())
