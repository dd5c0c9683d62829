# SPDX-License-Identifier: Apache-2.0
"""The receipt of process.get: what it says is in force, a probe in the program itself finds so."""
import json
import os
import pathlib
import pwd
import shutil
import socket
import tempfile

import pytest

from lib.access import token

# Tells what it finds, of itself, of a file outside the roots, of the server and of a listener.
PROBE = r"""
import json, os, resource, socket, sys
secret, server, port = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
status = dict(line.split(":\t", 1) for line in open("/proc/self/status").read().splitlines() if ":\t" in line)

def works(action):
    try:
        action()
    except OSError:
        return False
    return True

names = {"nofile": resource.RLIMIT_NOFILE, "core": resource.RLIMIT_CORE, "nproc": resource.RLIMIT_NPROC,
         "fsize": resource.RLIMIT_FSIZE, "cpu": resource.RLIMIT_CPU, "as": resource.RLIMIT_AS}
print(json.dumps({
    "uid": int(status["Uid"].split()[0]), "gid": int(status["Gid"].split()[0]),
    "no_new_privs": status["NoNewPrivs"] == "1",
    "capabilities_dropped": int(status["CapBnd"], 16) == 0 and int(status["CapEff"], 16) == 0,
    "reads_outside": works(lambda: open(secret).read()),
    "signals_server": works(lambda: os.kill(server, 0)),
    "connects": works(lambda: socket.create_connection(("127.0.0.1", port), 5)),
    "own_cgroup": "/abx-" in open("/proc/self/cgroup").read(),
    "rlimits": {name: resource.getrlimit(number)[0] for name, number in names.items()},
}))
"""

PROCESS = {
    "nothing": {},
    "limits": {"rlimits": {"nofile": 100, "nproc": 5000, "fsize": 1 << 20, "cpu": 7, "as": 1 << 30}},
    "confined": {"confine": "paths"},
    "no network": {"network": "none", "confine": "paths"},
    "best effort": {"confine": "best_effort", "rlimits": {"nofile": 50}},
}


@pytest.fixture
def outside():
    """A folder outside the roots that an ordinary user can read: pytest closes its own to others."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="abx-test-"))
    path.chmod(0o755)
    (path / "secret").write_text("x")
    yield path
    shutil.rmtree(path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can run children as another user")
@pytest.mark.parametrize("name, user, options", [
    *((name, user, ()) for name in PROCESS for user in ("root", "nobody")), ("nothing", "root", ("--no-cgroups",))])
def test_what_the_receipt_says_is_so(make_server, outside, name, user, options):
    base = outside / "base"
    base.mkdir()
    base.chmod(0o777)
    process = {**PROCESS[name], "user": user}
    server = make_server(*options, base=base, policy={
        "profile": "full_access", "tokens": [token("all", ["*"])], "paths": {"roots": [str(base)]}, "process": process})
    client = server.client(token="all-token")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        arguments = [str(outside / "secret"), str(server.pid), str(listener.getsockname()[1])]
        started = client.call("process.start", argv=["/usr/bin/python3", "-c", PROBE, *arguments], capture_output=True)
        told = client.call("process.output", pid=started["id"], wait=30)
        while not told["eof"]:
            told = client.call("process.output", pid=started["id"], wait=30)
    found = json.loads("".join(part["data"] for part in told["chunks"]))
    receipt = client.call("process.get", pid=started["id"])["confinement"]

    assert (receipt["uid"], receipt["gid"], receipt["user"]) == (found["uid"], found["gid"], user)
    assert receipt["uid"] == pwd.getpwnam(user).pw_uid
    assert receipt["no_new_privs"] == found["no_new_privs"]
    assert receipt["capabilities_dropped"] == found["capabilities_dropped"] or user == "nobody"
    assert receipt["filesystem"] == (not found["reads_outside"])
    if user == "root":  # nobody may not signal the server in any case
        assert receipt["signals"] == (not found["signals_server"])
    assert (receipt["network"] == "inherit") == found["connects"]
    assert receipt["cgroup"] == {"own": found["own_cgroup"]}
    assert receipt["rlimits"] == {key: found["rlimits"][key] for key in receipt["rlimits"]}
    assert receipt["rlimits"]["core"] == 0
    assert set(PROCESS[name].get("rlimits", {})) <= set(receipt["rlimits"])


def test_it_stays_what_it_was_at_the_start(make_server):
    """Running processes keep what they were started with."""
    server = make_server(policy={"profile": "full_access", "tokens": [token("all", ["*"])], "process": {"rlimits": {"nofile": 77}}})
    client = server.client(token="all-token")
    started = client.call("process.start", command="read x", stdin=True)
    before = client.call("process.get", pid=started["id"])["confinement"]
    assert before["rlimits"]["nofile"] == 77
    (server.scratch / "policy.yaml").write_text(json.dumps({"tokens": [token("all", ["*"])]}))
    client.call("core.reload")
    assert client.call("process.get", pid=started["id"])["confinement"] == before
    client.call("process.signal", pid=started["id"], signal="SIGKILL")
