# SPDX-License-Identifier: Apache-2.0
"""Each policy of deploy/policies in a real server: it starts, and does what its first lines promise."""
import json
import os
import pathlib
import re
import shutil
import tempfile

import pytest

from lib.access import digest
from lib.client import expect_error
from lib.processes import eventually

FOLDER = pathlib.Path(__file__).parents[2] / "deploy/policies"
TOKEN = "s3cret-of-the-options"


@pytest.fixture
def base():
    """A folder that an ordinary user can reach: pytest closes its own to others."""
    outer = pathlib.Path(tempfile.mkdtemp(prefix="abx-test-"))
    outer.chmod(0o711)
    path = outer / "user"
    path.mkdir()
    path.chmod(0o777)
    yield path
    shutil.rmtree(outer)


@pytest.fixture
def start(base, make_server):
    """The example with this machine's folders, and for each token one that the test knows: NAME-token."""
    def go(name, **how):
        text = (FOLDER / f"{name}.yaml").read_text()
        text = text.replace("/home/user", str(base)).replace("/var/log", str(base.parent))
        text = re.sub(r'(- name: (\w+)\n +sha256: )"0+\d"', lambda found: found[1] + digest(f"{found[2]}-token"), text)
        return make_server(policy=text, base=base, **how)
    return go


def may(client, op_id, **args):
    reply = client.request("POST", f"/ops/{op_id}", args)
    body = json.loads(reply.read())
    return (body.get("rule") or body["wire_code"]) if reply.status >= 400 else True


def test_default(start, base):
    client = start("default", token=TOKEN).client()
    (base / ".ssh").mkdir()
    (base / ".ssh/id").write_text("x")
    assert may(client, "files.list", path=".") is True and may(client, "commands.run", command="true") is True
    assert may(client, "files.read", path=".ssh/id") == "policy:paths.deny[0]"
    assert may(client, "files.list", path="/tmp") is True and may(client, "files.list", path="/etc") == "policy:paths.roots"
    assert may(client, "devtools.code.run", code="1") == "policy:profile"


def test_read_only(start, base):
    client = start("read-only", token=TOKEN).client()
    (base / "a").write_text("x")
    assert may(client, "files.read", path="a") is True and may(client, "system.metrics") is True
    assert may(client, "files.write", path="b", content="x") == "policy:profile"
    assert may(client, "commands.run", command="true") == "policy:profile"


def test_ci(start, base):
    server = start("ci")
    build, look = server.client(token="build-token"), server.client(token="look-token")
    (base / ".env").write_text("x")
    assert build.call("commands.run", command="echo $CI; umask; ulimit -n")["stdout"] == "true\n0022\n4096\n"
    assert may(build, "terminal.create") == "policy:groups.terminal"
    assert may(build, "files.read", path=".env") is True
    assert may(look, "files.read", path=".env") == "policy:tokens.look.paths.deny[0]"
    assert may(look, "files.list", path="/tmp") == "policy:tokens.look.paths.roots"
    assert may(look, "system.env.get") == "policy:tokens.look.ops.system.env.get"
    assert may(look, "commands.run", command="true") == "policy:tokens.look.scopes"
    capabilities = build.call("core.capabilities")
    assert capabilities["ops"]["process.start"]["limits"]["max_processes"] == 20


def test_agent(start, base):
    client = start("agent").client(token="agent-token")
    (base / "key.pem").write_text("x")
    (base / ".git/hooks").mkdir(parents=True)
    assert may(client, "files.read", path="key.pem") == "policy:paths.deny[2]"
    assert may(client, "files.write", path=".git/hooks/pre-commit", content="x") == "policy:paths.readonly[0]"
    assert client.call("commands.run", command="echo $PAGER $GIT_TERMINAL_PROMPT")["stdout"] == "cat 0\n"
    assert client.call("devtools.code.run", code="print(6*7)")["stdout"] == "42\n"
    started = client.call("process.start", command="read x", stdin=True)
    with expect_error("policy.signal_denied", 403):
        client.call("process.signal", pid=started["id"], signal="SIGSTOP")
    client.call("process.signal", pid=started["id"], signal="SIGKILL")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can run children as another user")
def test_confined(start, base):
    client = start("confined").client(token="agent-token")
    done = client.call("commands.run", command="id -un; echo x >made; cat /etc/shadow; echo x >/tmp/made; ulimit -n")
    assert done["stdout"].splitlines() == ["nobody", "1024"] and done["stderr"].count("ermission denied") >= 2
    assert (base / "made").owner() == "nobody"
    assert client.call("core.capabilities")["confinement"]["missing"] == []
    assert may(client, "system.info") == "policy:tokens.agent.scopes"
    file = base.parent / "agent-sandbox-audit.jsonl"
    eventually(lambda: file.read_text().count("\n") == 2)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line["op"] for line in lines] == ["commands.run", "system.info"] and lines[0]["args"]["command"].startswith("id -un")


def test_no_example_is_left_out():
    here = {name.removeprefix("test_").replace("_", "-") for name in globals() if name.startswith("test_")}
    assert {file.stem for file in FOLDER.glob("*.yaml")} == here - {"no-example-is-left-out"}
