# SPDX-License-Identifier: Apache-2.0
"""abx token new, policy check and policy explain: without a server, by the code of one."""
import datetime
import hashlib
import json
import os
import re

import pytest

from lib.access import token
from lib.abx import Abx
from lib.client import expect_error


@pytest.fixture
def alone(tmp_path):
    """abx where no server runs."""
    return Abx(None, tmp_path)


def made(done):
    assert done.code == 0, done
    secret, entry = re.fullmatch(
        r"# The token, which is shown this once:\n(abx_[\w-]{43})\n\n# Below \"tokens:\" in the policy file:\n((?:  .*\n)+)", done.out).groups()
    return secret, entry


def test_a_new_token_opens_a_server_that_has_its_entry(alone, make_server, tmp_path):
    secret, entry = made(alone("token", "new", "ci", "--scopes", "core:read,files:*", "-s", "*:read", "--expires", "2w"))
    assert hashlib.sha256(secret.encode()).hexdigest() in entry and secret not in entry
    server = make_server(policy=f"version: 1\nfiles: {{fsync: false}}\ntokens:\n{entry}")
    client = server.client(token=secret)
    assert client.call("core.capabilities")["principal"] == {"name": "ci", "scopes": ["core:read", "files:*", "*:read"]}
    with expect_error("policy.scope_denied", 403):
        client.call("commands.run", command="true")


def test_two_tokens_are_never_the_same(alone):
    assert made(alone("token", "new", "a"))[0] != made(alone("token", "new", "a"))[0]


def test_a_new_token_as_json(alone):
    done = alone("token", "new", "ci", "--json", "-s", "*", "-e", "2077-01-01")
    shown = json.loads(done.out)
    assert shown.pop("sha256") == hashlib.sha256(shown.pop("token").encode()).hexdigest()
    assert shown == {"name": "ci", "scopes": ["*"], "expires": "2077-01-01"}


@pytest.mark.parametrize("text, seconds", [("90m", 5400), ("12h", 43200), ("30d", 2592000), ("2w", 1209600)])
def test_how_long_a_token_is_good(alone, text, seconds):
    def from_now():
        return datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)

    earliest = from_now()
    found = re.search(r"expires: (\S+)Z", made(alone("token", "new", "a", "-e", text))[1])[1]
    a_little = datetime.timedelta(seconds=2)
    assert earliest - a_little < datetime.datetime.fromisoformat(found + "+00:00") < from_now() + a_little


@pytest.mark.parametrize("words", [
    (), ("a b",), ("local",), ("",), ("x" * 65,), ("a", "b"), ("a", "-s", "x y"), ("a", "-s", "files"), ("a", "-s", "a:b:c"),
    ("a", "-s", ":read"), ("a", "-s", "file:read"), ("a", "-e", "2020-01-01"), ("a", "-e", "soon"), ("a", "-e", "0d"), ("a", "-e", "2027-13-01"), ("a", "-e", "2027-01-01T00:00:00"), ("a", "-e", "")])
def test_what_is_no_token(alone, words):
    done = alone("token", "new", *words)
    assert done.code == 2 and done.out == "" and done.err.startswith("abx: "), done


def test_policy_check(alone, tmp_path):
    file = tmp_path / "p.yaml"
    file.write_text("files: {fsink: true}\n")
    done = alone("policy", "check", str(file))
    assert (done.code, done.out, done.err) == (1, "", f"{file}:1:9: unknown key 'files.fsink', did you mean 'fsync'?\n")
    file.write_text(json.dumps({
        "paths": {"roots": [str(tmp_path)], "deny": ["**/.env"]}, "tokens": [token("ci", ["process:run"])]}, indent=1))
    done = alone("policy", "check", str(file))
    assert (done.code, done.out) == (0, f"{file}: ok\n")
    assert "'ci' may run programs, which are not confined" in done.err and "deny" in done.err
    assert alone("policy", "check").code == 2 and alone("policy", "check", str(tmp_path / "none")).code == 1


def test_policy_explain(alone, tmp_path):
    file = tmp_path / "p.yaml"
    file.write_text(json.dumps({"paths": {"roots": [str(tmp_path)], "deny": ["secret"]}, "tokens": [token("ci", ["files:read"])]}, indent=1))

    def explain(*words):
        done = alone("policy", "explain", str(file), *words)
        return done.code, done.out.splitlines()[:1]

    assert explain("--token", "ci", "--op", "files.stat", "--path", "x") == (0, ["files.stat: allowed"])
    assert explain("--token", "ci", "--op", "files.delete")[0] == 4
    code, said = explain("--token", "ci", "--op", "files.stat", "--path", "secret")
    assert code == 4 and "policy.path_denied" in said[0]
    assert explain("--op", "files.stat")[0] == 4
    assert explain("--token", "nobody", "--op", "files.stat")[0] == 2
    unknown = alone("policy", "explain", str(file), "--token", "ci", "--op", "files.stta")
    assert (unknown.code, unknown.err) == (2, "no op 'files.stta' in this build, did you mean 'files.stat'?\n")
    assert explain("--token", "ci")[0] == 2


def test_the_servers_program_may_be_elsewhere_or_missing(alone, tmp_path):
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\necho \"$@\"\nexit 4\n")
    program.chmod(0o755)
    done = alone("policy", "explain", "f", "--op", "x", env={"ABX_SERVER_PROGRAM": str(program)})
    assert (done.code, done.out) == (4, "policy explain f --op x\n")
    done = alone("policy", "check", "f", env={"ABX_SERVER_PROGRAM": os.devnull})
    assert done.code == 1 and "unless ABX_SERVER_PROGRAM names it" in done.err
