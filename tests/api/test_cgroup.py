# SPDX-License-Identifier: Apache-2.0
"""
Limits of cgroups (R101): an error at start where they cannot be had, told under best_effort, in force where they can.

The tests of what is in force need a cgroup v2 with the controllers memory, pids and cpu that may be written; elsewhere they
are skipped and say what is missing.
"""
import errno
import os
import pathlib
import re

import pytest

from lib.access import token
from lib.client import expect_error
from lib.processes import eventually
from lib.server import StartError

LIMITS = {"memory_max": 64 << 20, "pids_max": 24, "cpu_max": 0.5}
CONTROLLERS = {"memory_max": "memory", "pids_max": "pids", "cpu_max": "cpu"}


def own_cgroup():
    """The v2 folder that this test runs in; None where there is none."""
    inside = re.search(r"^0::(.*)$", pathlib.Path("/proc/self/cgroup").read_text(), re.M)
    for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
        fields = line.split()
        if fields[fields.index("-") + 1] == "cgroup2" and inside:
            return pathlib.Path(fields[4]) / os.path.relpath(inside[1], fields[3])
    return None


def usable():
    """A folder for the server's own cgroup, with all controllers; or why there is none."""
    own = own_cgroup()
    if own is None:
        return None, "no cgroup v2 is mounted"
    missing = set(CONTROLLERS.values()) - set((own / "cgroup.controllers").read_text().split())
    if missing:
        return None, f"the cgroup v2 of this machine has no {', '.join(sorted(missing))}"
    given = set((own / "cgroup.subtree_control").read_text().split())
    if not set(CONTROLLERS.values()) <= given:
        return None, f"{own} gives its folders only {sorted(given)}"
    return own / f"abx-test-{os.getpid()}", None


FOLDER, WHY_NOT = usable()


def policy(**process):
    return {"profile": "full_access", "tokens": [token("all", ["*"])], "process": process}


@pytest.fixture
def limited(make_server):
    if WHY_NOT:
        print(f"skipped: {WHY_NOT}")
        pytest.skip(WHY_NOT)
    FOLDER.mkdir()
    server = make_server(policy=policy(cgroup=LIMITS), wrap=("sh", "-c", f'echo $$ >{FOLDER}/cgroup.procs; exec "$@"', "sh"))
    yield server.client(token="all-token")
    server.stop()

    def is_removed():
        try:
            FOLDER.rmdir()
            return True
        except OSError as error:  # what was killed last may take a moment to go
            assert error.errno == errno.EBUSY
            return False
    eventually(is_removed)


def test_the_limits_are_written(limited):
    command = "d=/sys/fs/cgroup$(sed -n s/^0:://p /proc/self/cgroup); cat $d/memory.max $d/pids.max $d/cpu.max"
    assert limited.call("commands.run", command=command)["stdout"] == f"{64 << 20}\n24\n50000 100000\n"


def test_the_receipt_tells_of_them(limited):
    started = limited.call("process.start", command="true")
    assert limited.call("process.get", pid=started["id"])["confinement"]["cgroup"] == {"own": True, **LIMITS}


def test_more_memory_is_killed_and_told(limited):
    done = limited.call("commands.run", argv=["python3", "-c", "x = bytearray(256 << 20)"])
    assert (done["signal"], done["oom_killed"]) == ("SIGKILL", True)
    assert "oom_killed" not in limited.call("commands.run", command="true")


def test_more_processes_cannot_be_made(limited):
    done = limited.call("commands.run", command="for i in $(seq 60); do sleep 5 & done; kill $(jobs -p)")
    assert "Resource temporarily unavailable" in done["stderr"] or "Cannot fork" in done["stderr"]


@pytest.mark.parametrize("key", LIMITS)
def test_without_the_controller_the_server_does_not_start(make_server, key):
    if not WHY_NOT:
        pytest.skip("this machine has the controllers")
    with pytest.raises(StartError, match=f"the policy cannot be enforced here: .* not limited: .*'{CONTROLLERS[key]}'"):
        make_server(policy=policy(cgroup={key: LIMITS[key]}))


def test_without_cgroups_there_are_no_limits(make_server):
    """Also where the machine has all that is needed."""
    with pytest.raises(StartError, match="memory is not limited"):
        make_server("--no-cgroups", policy=policy(cgroup=LIMITS))


def test_best_effort_goes_on_and_says_what_is_missing(make_server):
    server = make_server("--no-cgroups", policy=policy(
        cgroup=LIMITS, confine="best_effort", **({"user": "root"} if os.geteuid() == 0 else {})))
    client = server.client(token="all-token")
    missing = client.call("core.capabilities")["confinement"]["missing"]
    assert [text.split(":")[0] for text in missing if "limited" in text] == [
        "memory is not limited", "processes are not limited", "CPUs are not limited"]
    assert client.call("commands.run", command="echo works")["stdout"] == "works\n"


def test_a_reload_is_refused_too(make_server):
    server = make_server("--no-cgroups", policy=policy())
    client = server.client(token="all-token")
    (server.scratch / "policy.yaml").write_text('{"tokens": [], "process": {"cgroup": {"pids_max": 9}}}')
    with expect_error("args.invalid", 400):
        client.call("core.reload")
    assert client.call("commands.run", command="echo works")["stdout"] == "works\n"
