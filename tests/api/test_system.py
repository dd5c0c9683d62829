# SPDX-License-Identifier: Apache-2.0
"""Facts and figures of the sandbox, its variables, ports and packages (R78, R80, R81, R96, B107, B112, B113)."""
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import time

import pytest

from lib.access import token
from lib.client import expect_error
from lib.processes import eventually, gone, nap, sleeping


def host_memory_mb():
    text = pathlib.Path("/proc/meminfo").read_text()
    return int(re.search(r"MemTotal:\s+(\d+) kB", text).group(1)) / 1024


# --- info and metrics


def test_info(client):
    info = client.rest("system.info")
    assert info["os"] == os.uname().sysname and info["kernel"] == os.uname().release and info["arch"] == os.uname().machine
    assert info["hostname"] == socket.gethostname()
    assert 1 <= info["cpu_count"] <= info["host_cpu_count"] == os.cpu_count()
    assert abs(info["host_memory_total_mb"] - host_memory_mb()) < 1
    assert 0 < info["memory_available_mb"] <= info["memory_total_mb"] <= info["host_memory_total_mb"]
    assert 0 < info["disk_free_gb"] <= info["disk_total_gb"]
    assert info["python_version"].count(".") == 2 and info["uptime_seconds"] > 0
    assert info["distro"] and client.call("system.info")["distro"] == info["distro"]


def test_info_without_interpreters(make_server, tmp_path):
    (tmp_path / "node").write_text("#!/bin/sh\nexit 3\n")
    (tmp_path / "node").chmod(0o755)
    info = make_server(env={"PATH": str(tmp_path)}).client().rest("system.info")
    assert (info["python_version"], info["node_version"]) == (None, None)


def test_metrics(make_server):
    client = make_server().client()
    before = client.rest("system.metrics")
    with socket.create_server(("127.0.0.1", 0)):
        metrics = client.call("system.metrics")
    assert 0 < metrics["memory_used_mb"] < metrics["memory_total_mb"] and metrics["memory_cache_mb"] >= 0
    assert abs(metrics["memory_percent"] - 100 * metrics["memory_used_mb"] / metrics["memory_total_mb"]) < 0.02
    assert 0 <= metrics["disk_used_gb"] <= metrics["disk_total_gb"] and 0 <= metrics["disk_percent"] <= 100
    assert 0 <= metrics["cpu_percent"] and metrics["cpu_load_1m"] >= 0
    assert metrics["processes"] >= 2 and metrics["open_sessions"] == 0
    assert metrics["uptime_seconds"] >= before["uptime_seconds"]
    assert metrics["network"]["rx_bytes"] >= before["network"]["rx_bytes"]


def test_sessions_are_counted(make_server):
    client = make_server().client()
    session = client.call("terminal.create")
    assert client.call("system.metrics")["open_sessions"] == 1
    client.call("terminal.delete", id=session["session_id"])
    eventually(lambda: client.call("system.metrics")["open_sessions"] == 0)


def cgroup_of(kind, name):
    """A group of our own in this machine's hierarchy of a v1 controller or of v2, or a skip that says why."""
    wanted = "cgroup2" if kind == "v2" else "cgroup"
    for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
        left, _, right = line.partition(" - ")
        if right.split()[0] == wanted and (kind == "v2" or kind in right.split()[2].split(",")):
            folder = pathlib.Path(left.split()[4]) / name
            try:
                folder.mkdir()
            except OSError as fault:
                pytest.skip(f"no cgroup can be made here: {fault}")
            return folder
    pytest.skip(f"no cgroup of {kind} is mounted here")


@pytest.fixture
def groups():
    """groups("memory") -> the folder of a new group, of one name in every hierarchy."""
    made, name = [], f"abx-test-{os.getpid()}-{time.monotonic_ns()}"

    def make(kind):
        folder = cgroup_of(kind, name)
        if folder not in made:
            made.append(folder)
        return folder

    yield make
    for folder in made:
        eventually(lambda folder=folder: is_removed(folder), what=f"rmdir {folder}")


def is_removed(folder):
    try:
        folder.rmdir()
        return True
    except OSError:
        return False


def moved(server, *folders):
    for folder in folders:
        (folder / "cgroup.procs").write_text(str(server.pid))


def limited_group(groups):
    """One whose memory is 256 MiB."""
    folder = groups("memory") if "memory" in pathlib.Path("/proc/self/cgroup").read_text() else groups("v2")
    limit = folder / ("memory.limit_in_bytes" if (folder / "memory.limit_in_bytes").exists() else "memory.max")
    if not limit.exists():
        pytest.skip("the memory controller is not delegated here")
    limit.write_text(str(256 << 20))
    return folder


def test_b112_a_real_limit_of_memory(make_server, groups):
    folder = limited_group(groups)
    server = make_server()
    moved(server, folder)
    client = server.client()
    used = client.call("system.metrics")["memory_used_mb"]
    hog = client.call("process.start", argv=[sys.executable, "-c", "b = bytearray(100 << 20); print('x', flush=True); input()"],
                      stdin=True, capture_output=True)
    eventually(lambda: client.call("process.output", pid=hog["id"])["chunks"])
    info, metrics = client.call("system.info"), client.call("system.metrics")
    assert (info["memory_limit_mb"], info["memory_total_mb"], metrics["memory_total_mb"]) == (256, 256, 256)
    assert 95 < metrics["memory_used_mb"] - used < 140 and 256 - info["memory_available_mb"] > 95
    assert info["host_memory_total_mb"] > 256
    client.call("process.signal", pid=hog["id"], signal=9, group=True)
    server.stop()


def test_r15_what_the_kernel_ends_for_want_of_memory_is_told(make_server, groups):
    """Where only the server's own group has a limit; that of a tree is in test_cgroup.py."""
    folder = limited_group(groups)
    server = make_server(wrap=["sh", "-c", f'echo $$ > {folder}/cgroup.procs; exec "$@"', "sh"])
    client, argv = server.client(), [sys.executable, "-c", "b = bytearray(1 << 30)"]
    done = client.call("commands.run", argv=argv)
    assert (done["signal"], done["oom_killed"]) == ("SIGKILL", True)
    started = client.call("process.start", argv=argv)
    entry = eventually(lambda: (lambda e: e if e["state"] == "exited" else None)(client.call("process.get", pid=started["id"])))
    assert (entry["signal"], entry["oom_killed"]) == ("SIGKILL", True)
    assert "oom_killed" not in client.call("commands.run", command="kill -KILL $$")
    server.stop()


def test_b112_a_real_quota(make_server, groups):
    if "cpu" in re.split("[:,\n]", pathlib.Path("/proc/self/cgroup").read_text()):
        folders = [groups("cpu"), groups("cpuacct")]
        if not (folders[0] / "cpu.cfs_quota_us").exists():
            pytest.skip("the kernel has no quota of CPU")
        (folders[0] / "cpu.cfs_period_us").write_text("100000")
        (folders[0] / "cpu.cfs_quota_us").write_text("50000")
    else:
        folders = [groups("v2")]
        if not (folders[0] / "cpu.max").exists():
            pytest.skip("the cpu controller is not delegated here")
        (folders[0] / "cpu.max").write_text("50000 100000")
    server = make_server()
    moved(server, *folders)
    client = server.client()
    info = client.call("system.info")
    assert (info["cpu_quota"], info["cpu_count"]) == (0.5, 1)
    burner = client.call("process.start", argv=["sh", "-c", "while :; do :; done"])
    # Of the whole machine it would be 25 at most; and others may take some.
    eventually(lambda: client.call("system.metrics")["cpu_percent"] > 30, what="the use of the quota")
    client.call("process.signal", pid=burner["id"], signal=9)
    server.stop()


def test_prometheus(make_server):
    client = make_server().client()
    with expect_error("args.missing"):
        client.call("files.stat")
    client.call("process.start", command="sleep 7761")
    reply = client.get_bytes("system.prometheus")
    assert reply.header("content-type") == "text/plain; version=0.0.4"
    text = reply.read().decode()
    types, values = {}, {}
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            name, kind = line.split()[2:]
            assert name not in types and kind in ("gauge", "counter")
            types[name] = kind
        elif not line.startswith("# HELP "):
            name, value = re.fullmatch(r"(\w+(?:\{[^}]*\})?) (\S+)", line).groups()
            assert name not in values and name.split("{")[0] in types
            values[name] = float(value)
    assert values['abx_requests_total{op="files.stat",status="4xx"}'] == 1
    assert values['abx_requests_total{op="process.start",status="2xx"}'] == 1
    assert values["abx_managed_processes"] == 1 and values["abx_terminal_sessions"] == 0
    assert values["abx_connections"] >= 1 and values["abx_memory_budget_limit_bytes"] == 64 << 20
    assert values["sandbox_memory_total_mb"] > 0 and values["sandbox_processes"] >= 2
    # Everybody who does not ask for JSON gets the text.
    for accept in (None, "*/*", "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"):
        plain = client.request("GET", "/metrics", headers={"Accept": accept})
        assert plain.status == 200 and plain.header("content-type").startswith("text/plain")
    as_json = client.request("GET", "/metrics", headers={"Accept": "application/json"})
    assert as_json.status == 200 and "abx_requests_total" in json.loads(as_json.read())["text"]
    assert client.call("system.prometheus")["text"].startswith("# HELP ")
    head = client.request("HEAD", "/metrics")
    assert head.status == 200 and head.header("content-type").startswith("text/plain")


def test_a_caller_who_leaves_a_measurement(make_server):
    server = make_server()
    client = server.client()
    for _ in range(5):
        with client.connect() as connection:
            connection.send(client.head("GET", "/system/metrics", {}))
    assert client.call("system.metrics")["processes"] > 0


# --- variables


def environment(client):
    words = client.call("commands.run", argv=["env", "-0"])["stdout"].split("\0")
    return dict(word.split("=", 1) for word in words if word and not word.startswith("ABX_RUN_ID"))


@pytest.fixture
def own(make_server):
    """A server of the test's own: what it sets stays."""
    return make_server(env={"LC_TIME": "C", "SHELL": "/bin/sh", "NOT_PASSED_ON": "x"}, token="own-token",
                       policy={"process": {"env": {"set": {"FROM_POLICY": "p", "API_KEY": "k"}}}}).client()


def test_r80_what_a_child_would_get(own):
    shown = own.rest("system.env.get")["variables"]
    real = environment(own)
    assert real.pop("API_KEY") == "k" and shown == real
    assert shown["FROM_POLICY"] == "p" and shown["LC_TIME"] == "C" and "NOT_PASSED_ON" not in shown


def test_secrets_are_never_shown(own):
    names = ["MY_TOKEN", "x_secret_y", "Api_Key", "PASSWORD", "AWS_CREDENTIALS"]
    own.call("system.env.set", vars={**dict.fromkeys(names, "hidden"), "PLAIN": "1"})
    assert environment(own)["MY_TOKEN"] == "hidden"
    assert "hidden" not in json.dumps(own.rest("system.env.get"))
    for how in ("filter", "names"):
        assert own.rest("system.env.get", **{how: ",".join([*names, "PLAIN"])})["variables"] == {"PLAIN": "1"}
    assert own.rest("system.env.get", filter="FROM_*, HOME ,NONE")["variables"].keys() == {"FROM_POLICY", "HOME"}
    assert own.rest("system.env.get", filter="")["variables"] == own.rest("system.env.get")["variables"]
    with expect_error("args.invalid"):
        own.call("system.env.get", filter="A", names="B")


def test_set_for_what_is_started_from_now_on(own):
    before = own.call("process.start", command="read x; echo A=$A", stdin=True, capture_output=True)
    assert own.rest("system.env.set", vars={"A": "1", "B": "x\ny", "EMPTY": "", "FROM_POLICY": "mine"}) == {
        "updated": ["A", "B", "EMPTY", "FROM_POLICY"]}
    real = environment(own)
    assert (real["A"], real["B"], real["EMPTY"], real["FROM_POLICY"]) == ("1", "x\ny", "", "mine")
    own.call("process.stdin", pid=before["id"], data="\n", eof=True)
    assert own.call("process.output", pid=before["id"], wait=25)["chunks"][0]["data"] == "A=\n"
    # A call's own come on top; null takes away, what was inherited too.
    assert own.call("commands.run", command="echo $A", env={"A": "2"})["stdout"] == "2\n"
    own.call("system.env.set", vars={"A": None, "LC_TIME": None, "NEVER_SET": None})
    assert environment(own).keys() & {"A", "LC_TIME", "NEVER_SET"} == set()
    own.call("core.reload")
    assert environment(own)["B"] == "x\ny"


@pytest.mark.parametrize("name", [
    "PATH", "HOME", "USER", "SHELL", "LD_PRELOAD", "LD_LIBRARY_PATH", "BASH_ENV", "ENV", "IFS", "NODE_OPTIONS", "PYTHONPATH",
    "PERL5LIB", "RUBYOPT", "GIT_DIR", "GIT_SSH_COMMAND", "DOTNET_STARTUP_HOOKS", "JAVA_TOOL_OPTIONS", "ABX_SERVER_TOKEN"])
def test_r96_protected_names(client, name):
    for value in ("x", None):
        with expect_error("policy.env_denied", 403, says=name):
            client.call("system.env.set", vars={"FINE": "1", name: value})
    assert client.rest("system.env.get", names="FINE")["variables"] == {}


@pytest.mark.parametrize("name", ["", "A=B", "A\0B", "="])
def test_b107_malformed_names(client, name):
    with expect_error("args.invalid", 400):
        client.call("system.env.set", vars={"FINE": "1", name: "x"})
    assert client.rest("system.env.get", names="FINE")["variables"] == {}


@pytest.mark.parametrize("value", [5, {}, [], True, "a\0b", "x" * 140000])
def test_b107_values_that_are_none(client, value):
    with expect_error("args.invalid", 400):
        client.call("system.env.set", vars={"A": value})


def test_b107_very_many(own):
    with expect_error("args.invalid", 400, says="1000"):
        own.call("system.env.set", vars={f"N{i}": "x" for i in range(20000)})
    own.call("system.env.set", vars={f"N{i}": "x" * 200 for i in range(1000)})
    with expect_error("args.invalid", 400, says="max_bytes"):
        own.call("system.env.set", vars={f"M{i}": "x" * 200 for i in range(1000)})
    assert len(environment(own)) > 1000


def test_no_token_in_a_child(own):
    assert "own-token" not in json.dumps([own.rest("system.env.get"), environment(own)])


# --- ports


def listening(client, port, pid=None):
    """What a process, we ourselves, has at the port; another one may have the same number of another protocol."""
    return [(one["protocol"], one["address"], one["pid"], one["process"]) for one in client.rest("system.ports")["listening"]
            if one["port"] == port and one["pid"] in (pid or os.getpid(), None)]


def test_r81_ports(client):
    me, name = os.getpid(), pathlib.Path("/proc/self/comm").read_text().rstrip("\n")
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp, \
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as connected:
        udp.bind(("127.0.0.1", 0))
        connected.connect(udp.getsockname())
        assert listening(client, tcp.getsockname()[1]) == [("tcp", "127.0.0.1", me, name)]
        assert listening(client, udp.getsockname()[1]) == [("udp", "127.0.0.1", me, name)]
        assert listening(client, connected.getsockname()[1]) == []
        result = client.call("system.ports")
        ports = [one["port"] for one in result["listening"]]
        assert ports == sorted(ports) and not result["truncated"]
        port = tcp.getsockname()[1]
    assert listening(client, port) == []


def test_r81_ports_of_ipv6(client):
    if not socket.has_dualstack_ipv6():
        pytest.skip("no IPv6 here")
    with socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True) as both, \
            socket.create_server(("::1", 0), family=socket.AF_INET6) as one:
        assert [found[:2] for found in listening(client, both.getsockname()[1])] == [("tcp6", "::")]
        assert [found[:2] for found in listening(client, one.getsockname()[1])] == [("tcp6", "::1")]


def test_the_port_of_a_started_program(client):
    code = "import socket,time; s=socket.create_server(('127.0.0.1',0)); print(s.getsockname()[1],flush=True); input()"
    started = client.call("process.start", argv=[sys.executable, "-c", code], stdin=True, capture_output=True)
    port = int(eventually(lambda: client.call("process.output", pid=started["id"])["chunks"])[0]["data"])
    assert [found[2] for found in listening(client, port, started["pid"])] == [started["pid"]]
    client.call("process.stdin", pid=started["id"], data="\n", eof=True)


# --- packages


def packages(client, manager):
    result = client.rest("system.packages", manager=manager)
    assert result["manager"] == manager
    return {one["name"]: one["version"] for one in result["packages"]}


def test_packages_of_apt(client):
    status = pathlib.Path("/var/lib/dpkg/status")
    found = packages(client, "apt")
    if not status.exists():
        pytest.skip("no dpkg here")
    shown = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status} ${Package} ${Version}\n"], capture_output=True, text=True, check=True)
    wanted = dict(line.split(" ")[1:] for line in shown.stdout.splitlines() if line.startswith("installed "))
    assert found == wanted


def test_managers_that_are_not_there(make_server, tmp_path):
    client = make_server(env={"PATH": str(tmp_path)}).client()
    for manager in ("pip", "npm", "cargo"):
        assert packages(client, manager) == {}
    assert client.rest("system.packages") == {"manager": "pip", "packages": []}
    with expect_error("args.invalid"):
        client.rest("system.packages", manager="brew")
    if not os.path.exists("/lib/apk/db/installed"):
        assert packages(client, "apk") == {}


FAKES = {
    "python3": """[ "$*" = "-I -m pip list --format=json --disable-pip-version-check --no-input" ] && echo '[{"name":"b","version":"1.0"}]'""",
    "npm": """[ "$1$2" = ls--global ] && echo '{"dependencies":{"npm":{"version":"9.0"}}}'; exit 1""",
    "cargo": """[ "$*" = "install --list" ] && printf 'rg v13.0.0:\\n    rg\\n'; env > "$HOME/env" """,
}


def test_managers_that_are_run(make_server, tmp_path):
    for name, script in FAKES.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    server = make_server(env={"PATH": f"{tmp_path}:/usr/bin:/bin", "SECRET_THING": "x"})
    client = server.client()
    client.call("system.env.set", vars={"npm_config_prefix": "/evil", "SET": "x"})
    assert packages(client, "pip") == {"b": "1.0"}
    assert packages(client, "npm") == {"npm": "9.0"}
    assert packages(client, "cargo") == {"rg": "13.0.0"}
    seen = (server.scratch / "env").read_text()
    assert "SET=" not in seen and "SECRET" not in seen and "evil" not in seen


def test_a_manager_that_hangs(make_server, tmp_path):
    number = nap()
    (tmp_path / "npm").write_text(f"#!/bin/sh\nsleep {number}\n")
    (tmp_path / "npm").chmod(0o755)
    server = make_server(env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, policy={"limits": {"system.packages": {"max_seconds": 1}}})
    with expect_error("commands.timeout", 408, says="npm"):
        server.client().rest("system.packages", manager="npm")
    gone(number)


def test_a_caller_who_leaves_a_manager_that_hangs(make_server, tmp_path):
    number = nap()
    (tmp_path / "npm").write_text(f"#!/bin/sh\nsleep {number}\n")
    (tmp_path / "npm").chmod(0o755)
    client = make_server(env={"PATH": f"{tmp_path}:/usr/bin:/bin"}).client()
    with client.connect() as connection:
        connection.send(client.head("GET", "/packages?manager=npm", {}))
        eventually(lambda: sleeping(number))
    gone(number)


def test_a_reader_may_look_and_not_set(make_server):
    server = make_server(policy={"tokens": [token("reader", ["*:read"])]})
    client = server.client(token="reader-token")
    assert client.rest("system.env.get")["variables"]["HOME"]
    with expect_error("policy.scope_denied"):
        client.call("system.env.set", vars={"A": "1"})
