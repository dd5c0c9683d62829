# SPDX-License-Identifier: Apache-2.0
"""Reading the policy again while the server works: nothing in between two policies, and nothing left of what was taken away."""
import datetime
import json
import os
import threading

import pytest

from lib.access import token
from lib.client import expect_error
from lib.processes import eventually, nap
from lib.ws import Refused, Terminal

FLIPS = 100


def write(server, policy):
    """At once: the server may be reading it for the SIGHUP before."""
    (server.scratch / "policy.new").write_text(json.dumps(policy))
    os.replace(server.scratch / "policy.new", server.scratch / "policy.yaml")


def reload(server, policy, by="admin-token"):
    write(server, policy)
    server.client(token=by).call("core.reload")


# --- what is open when it is taken away

ADMIN = token("admin", ["*"])


def first(stream, *names):
    return next(event for event in stream if event.name in names)


@pytest.fixture
def open_calls(make_server):
    """For each of three tokens a stream or socket of every kind, each waiting for something that does not come."""
    names = ("stays", "goes", "loses", "renewed")
    policy = {"profile": "full_access", "tokens": [ADMIN, *(token(name, ["*"]) for name in names)]}
    server = make_server(policy=policy)
    opened = {}
    for name in names:
        client = server.client(token=f"{name}-token")
        session = client.call("terminal.create", command="cat")
        started = client.call("process.start", command="cat", capture_output=True, stdin=True)
        terminal = Terminal(client, session)
        terminal.live()
        run = client.stream("commands.stream", command=f"echo here; exec sleep {nap()}")
        watch = client.stream("files.watch", path=".")
        follow = client.stream("process.follow", pid=started["id"])
        first(run, "stdout")
        first(watch, "ready")
        opened[name] = {"terminal": terminal, "commands.stream": run, "files.watch": watch, "process.follow": follow}
    return server, opened


def test_what_is_open_ends_with_the_right_to_it(open_calls):
    server, opened = open_calls
    new = {**token("renewed", ["*"]), "sha256": token("another", [])["sha256"]}
    reload(server, {"profile": "full_access", "tokens": [ADMIN, token("stays", ["*"]), token("loses", ["core:read"]), new]})
    for name, wire_code in (("goes", "auth.invalid_token"), ("renewed", "auth.invalid_token"), ("loses", "policy.scope_denied")):
        terminal = opened[name].pop("terminal")
        while terminal.step():
            pass
        assert terminal.closed == (1008, wire_code), name
        for kind, stream in opened[name].items():
            codes = [event.data.get("wire_code") for event in stream if event.name == "error"]
            assert codes == [wire_code], (name, kind)
    stays = opened["stays"]
    stays["terminal"].type("still here\r")
    stays["terminal"].expect("still here")
    (server.base / "new").write_text("x")
    assert first(stays["files.watch"], "event").data["path"] == str(server.base / "new")
    for stream in stays.values():
        stream.close()


def test_what_is_open_ends_when_its_token_expires(make_server):
    tokens = [ADMIN, token("stays", ["*"], expires="2099-01-01"), token("goes", ["*"])]
    server = make_server(policy={"tokens": tokens})
    watches = {name: server.client(token=f"{name}-token").stream("files.watch", path=".") for name in ("stays", "goes")}
    for watch in watches.values():
        first(watch, "ready")
    soon = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0) + datetime.timedelta(seconds=3)
    reload(server, {"tokens": [*tokens[:2], token("goes", ["*"], expires=soon.strftime("%Y-%m-%dT%H:%M:%SZ"))]})
    assert [event.data["wire_code"] for event in watches["goes"] if event.name == "error"] == ["auth.token_expired"]
    assert datetime.datetime.now(datetime.timezone.utc) >= soon
    (server.base / "new").write_text("x")
    assert first(watches["stays"], "event").data["path"] == str(server.base / "new")
    watches["stays"].close()


def test_a_group_that_is_switched_off_ends_its_sockets(open_calls):
    server, opened = open_calls
    everybody = [ADMIN, *(token(name, ["*"]) for name in opened)]
    reload(server, {"profile": "full_access", "groups": {"terminal": False}, "tokens": everybody})
    for calls in opened.values():
        terminal = calls.pop("terminal")
        while terminal.step():
            pass
        assert terminal.closed == (1008, "op.not_enabled")
        for stream in calls.values():
            stream.close()


def test_a_call_that_waits_ends_too(make_server):
    server = make_server(policy={"tokens": [ADMIN, token("goes", ["*"])]})
    client = server.client(token="goes-token")
    started = client.call("process.start", command="cat", capture_output=True, stdin=True)
    with client.asked("process.output", pid=started["id"], wait=60) as result:
        reload(server, {"tokens": [ADMIN]})
        with expect_error("auth.invalid_token", 401):
            result()


def test_a_ticket_goes_with_its_token(make_server):
    policy = {"tokens": [ADMIN, token("ci", ["*"])]}
    server = make_server(policy=policy)
    client = server.client(token="ci-token")
    session = client.call("terminal.create", command="cat")
    used = client.call("terminal.create", command="cat")
    # A name alone is not enough: another token may have it.
    renewed = {**token("ci", ["*"]), "sha256": token("another", [])["sha256"]}
    reload(server, {"tokens": [ADMIN, renewed]})
    anybody = server.client(token=None)
    with pytest.raises(Refused) as refused:
        Terminal(anybody, session, query="&ticket=" + session["ws_url"].partition("ticket=")[2])
    assert refused.value.error.wire_code == "auth.invalid_token"
    reload(server, policy)
    with Terminal(anybody, used, query="&ticket=" + used["ws_url"].partition("ticket=")[2]) as terminal:
        terminal.live()


def test_a_ticket_is_valid_no_longer_than_its_token(make_server):
    server = make_server(policy={"tokens": [ADMIN, token("ci", ["*"])]})
    session = server.client(token="ci-token").call("terminal.create", command="cat")
    reload(server, {"tokens": [ADMIN, token("ci", ["*"], expires="2020-01-01")]})
    with pytest.raises(Refused) as refused:
        Terminal(server.client(token=None), session, query="&ticket=" + session["ws_url"].partition("ticket=")[2])
    assert (refused.value.error.wire_code, refused.value.error.rule) == ("auth.token_expired", "policy:tokens.ci.expires")


@pytest.mark.parametrize("op_id", ["commands.run", "commands.stream", "files.mkdir"])
@pytest.mark.parametrize("then, wire_code", [(None, "auth.invalid_token"), ({"scopes": ["core:read"]}, "policy.scope_denied"),
                                             ({"expires": "2020-01-01"}, "auth.token_expired")])
def test_a_call_whose_body_comes_after_the_right_to_it_was_lost_does_nothing(make_server, tmp_path, op_id, then, wire_code):
    audit = {"audit": {"file": str(tmp_path / "audit")}}
    server = make_server(policy={**audit, "tokens": [ADMIN, token("late", ["*"])]})
    body = json.dumps({"path": "made"} if op_id == "files.mkdir" else {"command": "mkdir made"}).encode()
    with server.client(token="late-token").connect() as connection:
        connection.send(f"POST /ops/{op_id} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer late-token\r\n"
                        f"Expect: 100-continue\r\nContent-Length: {len(body)}\r\n\r\n")
        assert connection.reply("POST", interim=True).status == 100
        reload(server, {**audit, "tokens": [ADMIN, *([{**token("late", ["*"]), **then}] if then else [])]})
        connection.send(body)
        reply = connection.reply("POST")
        assert json.loads(reply.read())["wire_code"] == wire_code
    assert not (server.base / "made").exists()
    whole = eventually(lambda: [line for line in (tmp_path / "audit").read_text().split("\n")[:-1] if f'"op":"{op_id}"' in line])
    lines = [json.loads(line) for line in whole]
    assert [(line["principal"], line["decision"], line["error"]) for line in lines] == [("late", "deny", wire_code)]


# --- under load


def policies(server):
    """Two that differ in scopes, roots, limits, groups and tokens: every answer is all of one or all of the other."""
    one, two = server.base / "one", server.base / "two"
    return [{"tokens": [ADMIN, token("ci", ["files:read", "core:read"], paths={"roots": [str(one)]}), token("guest", ["core:read"])],
             "limits": {"process.start": {"max_processes": 11}}, "groups": {"system": True}},
            {"tokens": [ADMIN, token("ci", ["process:run", "core:read"], paths={"roots": [str(two)]})],
             "limits": {"process.start": {"max_processes": 22}}, "groups": {"system": False}}]


def capabilities(client):
    told = client.call("core.capabilities")
    return (tuple(told["principal"]["scopes"]), tuple(told["paths"]["roots"]), told["groups"]["system"],
            told["ops"]["process.start"]["limits"]["max_processes"], told["ops"]["files.stat"]["allowed"])


def answer(client, op_id, **args):
    reply = client.request("POST", f"/ops/{op_id}", args)
    body = json.loads(reply.read())
    return reply.status, body.get("wire_code"), body.get("rule")


class Load(threading.Thread):
    """Asks one thing again and again, until it is told to stop, and keeps the different answers."""

    def __init__(self, ask):
        super().__init__()
        self.ask, self.answers, self.count, self.error = ask, set(), 0, None
        self.stops = threading.Event()

    def run(self):
        try:
            while not self.stops.is_set():
                self.answers.add(self.ask())
                self.count += 1
        except BaseException as error:  # told in the main thread
            self.error = error


def test_each_answer_is_one_of_two_policies(make_server):
    server = make_server(policy={"tokens": [ADMIN, token("ci", ["core:read"])]})
    for name in ("one", "two"):
        (server.base / name).mkdir()
    both = policies(server)
    reload(server, both[0])
    ci, guest = server.client(token="ci-token"), server.client(token="guest-token")
    scopes = "policy:tokens.ci.scopes"
    loads = {
        "capabilities": (Load(lambda: capabilities(ci)), {
            (("files:read", "core:read"), (str(server.base / "one"),), True, 11, True),
            (("process:run", "core:read"), (str(server.base / "two"),), False, 22, False)}),
        "files": (Load(lambda: answer(ci, "files.stat", path=str(server.base / "one"))), {
            (200, None, None), (403, "policy.scope_denied", scopes)}),
        "commands": (Load(lambda: answer(ci, "commands.run", command="true")), {
            (200, None, None), (403, "policy.scope_denied", scopes)}),
        "guest": (Load(lambda: answer(guest, "core.capabilities")), {
            (200, None, None), (401, "auth.invalid_token", None)}),
        "group": (Load(lambda: answer(server.client(token="admin-token"), "system.env.get")), {
            (200, None, None), (404, "op.not_enabled", "policy:groups.system")}),
    }
    for load, _ in loads.values():
        load.start()
    try:
        for flip in range(FLIPS):
            if flip % 10:
                reload(server, both[flip % 2])
            else:
                write(server, both[flip % 2])
                server.signal(1)
            # Everything was asked under each policy: the flips do not outrun the load.
            if flip % 10 in (4, 5):
                seen = [load.count for load, _ in loads.values()]
                eventually(lambda: all(load.error or load.count > before + 1 for (load, _), before in zip(loads.values(), seen)))
    finally:
        for load, _ in loads.values():
            load.stops.set()
        for load, _ in loads.values():
            load.join()
    for name, (load, allowed) in loads.items():
        assert load.error is None, (name, load.error)
        assert load.answers == allowed, (name, load.answers ^ allowed)
