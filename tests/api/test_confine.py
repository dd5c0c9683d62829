# SPDX-License-Identifier: Apache-2.0
"""Confinement of programs: what a child under "confine: paths" can and cannot do (R99, R100)."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile

import pytest

from lib.processes import may_unshare
from lib.server import StartError

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can run children as another user")

TOKEN = "the-only-token"


def policy(base, **process):
    return {
        "version": 1,
        "profile": "full_access",
        "paths": {"base": str(base), "roots": [str(base)]},
        "tokens": [{"name": "t", "sha256": hashlib.sha256(TOKEN.encode()).hexdigest(), "scopes": ["*"]}],
        "process": process,
    }


@pytest.fixture
def outside():
    """A folder outside every root that an ordinary user can reach: pytest closes its own to others."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="abx-test-"))
    path.chmod(0o711)
    yield path
    shutil.rmtree(path)


@pytest.fixture
def base(outside):
    path = outside / "base"
    path.mkdir()
    path.chmod(0o777)
    return path


@pytest.fixture(params=["root", "nobody"])
def confined(request, make_server, base):
    server = make_server(base=base, policy=policy(base, confine="paths", user=request.param, network="none"))
    server.token = TOKEN
    return server


def run(server, command, **more):
    return server.client(token=TOKEN).call("commands.run", command=command, timeout=60, **more)


def test_the_receipt_says_what_is_in_force(confined):
    receipt = confined.client(token=TOKEN).call("core.capabilities")["confinement"]
    assert receipt["mode"] == "paths" and receipt["filesystem"] and receipt["signals"]
    assert receipt["network"] == "none" and receipt["missing"] == []


@pytest.mark.parametrize("path", ["/etc/shadow", "/root", "/proc/{pid}/environ", "/proc/{pid}/mem", "/proc/{pid}/root/etc/shadow",
                                  "/proc/{pid}/cwd/", "{policy}"])
def test_what_it_cannot_read(confined, path):
    path = path.format(pid=confined.pid, policy=confined.scratch / "policy.yaml")
    result = run(confined, f'if [ -d "{path}" ]; then ls "{path}"; else head -c 1 "{path}"; fi')
    assert result["exit_code"] != 0 and result["stdout"] == ""


WAYS_OUT = {
    "plain": 'echo x > "$OUT/new"',
    "through a link": 'ln -s "$OUT" way; echo x > way/new',
    "truncate": 'truncate -s 0 "$OUT/victim"',
    "append": 'echo x >> "$OUT/victim"',
    "remove": 'rm -f "$OUT/victim"',
    "rename in": 'mv "$OUT/victim" .',
    "rename out": 'touch own; mv own "$OUT/new"',
    "hard link": 'ln "$OUT/victim" hard && echo x >> hard',
    "make a folder": 'mkdir "$OUT/folder"',
    "fifo": 'mkfifo "$OUT/fifo"',
    "proc cwd": 'cd /; echo x > "/proc/self/cwd$OUT/new"',
    "proc root": 'echo x > "/proc/self/root$OUT/new"',
    "python": '/usr/bin/python3 -c "import os,sys; os.truncate(sys.argv[1], 0)" "$OUT/victim"',
    "a child of a child": 'sh -c "sh -c \'echo x > \\"$OUT/new\\"\'"',
    "setsid": 'setsid -w sh -c "echo x > $OUT/new"',
    "a terminal's side": 'script -qc "echo x > $OUT/new" /dev/null',
}


@pytest.mark.parametrize("way", WAYS_OUT)
def test_no_way_writes_outside(confined, outside, way):
    victim = outside / "open"
    victim.mkdir()
    victim.chmod(0o777)
    (victim / "victim").write_text("as it was")
    (victim / "victim").chmod(0o666)
    result = run(confined, WAYS_OUT[way], env={"OUT": str(victim)})
    assert sorted(os.listdir(victim)) == ["victim"], result
    assert (victim / "victim").read_text() == "as it was"


def test_it_can_neither_signal_nor_trace_the_server(confined):
    result = run(confined, f"kill -0 {confined.pid}; echo $?; kill -STOP 1; echo $?")
    assert result["stdout"].split() == ["1", "1"]
    assert confined.is_running()


def test_it_has_no_capabilities_and_gets_none(confined):
    status = run(confined, "cat /proc/self/status")["stdout"]
    facts = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert {facts[name] for name in ("CapPrm", "CapEff", "CapBnd", "CapAmb", "CapInh")} == {"0" * 16}
    assert facts["NoNewPrivs"] == "1"


def test_a_reload_gives_capabilities_back_and_takes_them_again(make_server, base):
    server = make_server(base=base, policy=policy(base, user="root"))
    server.token = TOKEN
    client = server.client(token=TOKEN)
    look = "grep -E 'Cap(Prm|Eff|Bnd)|NoNewPrivs' /proc/self/status"
    before = run(server, look)["stdout"]
    assert before.count("0" * 16) == 0
    for _ in range(2):
        for process, expected in (({"confine": "paths"}, re.sub(r"[0-9a-f]{16}", "0" * 16, before).replace("NoNewPrivs:\t0", "NoNewPrivs:\t1")),
                                  ({}, before)):
            (server.scratch / "policy.yaml").write_text(json.dumps(policy(base, user="root", **process)))
            client.call("core.reload")
            assert run(server, look)["stdout"] == expected


def test_it_has_no_network(confined):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        result = run(confined, f"exec 3<>/dev/tcp/127.0.0.1/{port}")
    assert result["exit_code"] != 0
    names = run(confined, "tail -n +3 /proc/net/dev | cut -d: -f1")["stdout"].split()
    assert names == ["lo"]


def test_it_can_still_work(confined):
    result = run(confined, "echo 'int main(void) { return 42; }' > a.c && gcc a.c -o a && ./a; echo $?")
    assert result["stdout"].split() == ["42"], result
    result = run(confined, "/usr/bin/python3 -c 'import tempfile; print(tempfile.TemporaryFile().write(b\"xyz\"))'")
    assert result["stdout"] == "3\n", result
    result = run(confined, "git init -q one && cd one && git -c user.name=a -c user.email=b commit -q --allow-empty -m m"
                           " && cd .. && git clone -q one two && git -C two log --oneline | wc -l")
    assert result["stdout"] == "1\n", result
    if shutil.which("node", path="/usr/local/bin:/usr/bin"):
        assert run(confined, "PATH=/usr/local/bin:/usr/bin node -p 6*7")["stdout"] == "42\n"


def test_temporary_files_have_a_place(confined, base):
    result = run(confined, "mktemp")
    assert result["stdout"].startswith(f"{base}/.abx-tmp/"), result
    assert run(confined, "echo $TMPDIR", env={"TMPDIR": "/elsewhere"})["stdout"] == "/elsewhere\n"


def test_streams_are_confined_too(confined):
    events = list(confined.client(token=TOKEN).stream("commands.stream", command="cat /etc/shadow"))
    assert events[-1].name == "exit" and events[-1].data["exit_code"] != 0


def test_a_read_only_root_is_read_only_to_programs(make_server, base):
    (base / "rw").mkdir(mode=0o777)
    (base / "ro").mkdir(mode=0o777)
    (base / "ro").chmod(0o777)
    rules = policy(base, confine="paths", user="nobody")
    rules["paths"] = {"base": str(base / "rw"), "roots": [str(base / "rw"), str(base / "ro")], "readonly": [str(base / "ro")]}
    (base / "rw").chmod(0o777)
    server = make_server(base=rules["paths"]["base"], policy=rules)
    assert run(server, f"touch {base}/rw/a && touch {base}/ro/a")["exit_code"] != 0
    assert os.listdir(base / "rw") == [".abx-tmp", "a"] or "a" in os.listdir(base / "rw")
    assert os.listdir(base / "ro") == []


def test_further_paths_can_be_read(make_server, base, outside):
    extra = outside / "extra"
    extra.mkdir()
    (extra / "file").write_text("seen")
    server = make_server(base=base, policy=policy(base, confine="paths", user="nobody", read=[str(extra)]))
    assert run(server, f"cat {extra}/file")["stdout"] == "seen"
    assert run(server, f"echo x > {extra}/file")["exit_code"] != 0


def replace(path, text):
    """As editors and package managers do it: another file gets the name."""
    new = path.with_name("new")
    new.write_text(text)
    new.chmod(0o644)
    os.replace(new, path)


def test_what_was_replaced_is_reached_by_its_name(make_server, base, outside):
    """Rules of the kernel are about files; those of the policy about names."""
    root, conf, missing = outside / "root", outside / "conf", outside / "missing"
    rules = policy(base, confine="paths", user="nobody", read=[str(conf), str(missing)])
    rules["paths"]["roots"].append(str(root))
    rules["tokens"].append({**rules["tokens"][0], "name": "narrow", "sha256": hashlib.sha256(b"narrow").hexdigest(),
                            "paths": {"roots": [str(root / "sub"), str(base)]}})
    replace(conf, "one")
    for folder in (root, root / "sub"):
        folder.mkdir()
        folder.chmod(0o777)
    server = make_server(base=base, policy=rules)
    both = [server.client(token=TOKEN), server.client(token="narrow")]
    for text in ("one", "two", "three"):
        replace(conf, text)
        shutil.rmtree(root)
        for folder in (root, root / "sub"):
            folder.mkdir()
            folder.chmod(0o777)
        for client in both:
            result = client.call("commands.run", command=f"cat {conf}; echo {text} > {root}/sub/made")
            assert (result["stdout"], result["stderr"]) == (text, "")
            assert (root / "sub" / "made").read_text() == f"{text}\n"
            (root / "sub" / "made").unlink()
    replace(missing, "here")
    assert both[0].call("commands.run", command=f"cat {missing}")["stdout"] == "here"


@pytest.mark.skipif(not may_unshare("-m"), reason="no mounting here")
def test_a_file_of_the_system_that_was_replaced_can_be_read(base, outside, make_server):
    """The server sees a copy of /etc whose files are replaced, as useradd and ldconfig do it."""
    etc = outside / "etc"
    etc.mkdir()
    for name in ("passwd", "group"):
        replace(etc / name, pathlib.Path("/etc", name).read_text())
    (etc / "shadow").write_text("secret")
    server = make_server(base=base, policy=policy(base, confine="paths", user="nobody"),
                         wrap=("unshare", "-m", "sh", "-c", f'mount --bind {etc} /etc && exec "$@"', "sh"))
    server.token = TOKEN
    for number in range(3):
        replace(etc / "passwd", pathlib.Path("/etc/passwd").read_text() + f"new{number}:x:4000:4000::/:/bin/sh\n")
        assert f"new{number}:" in run(server, "cat /etc/passwd")["stdout"]
    replace(etc / "hosts", "127.0.0.1 added")
    assert run(server, "cat /etc/hosts")["stdout"] == "127.0.0.1 added"
    assert run(server, "cat /etc/shadow")["exit_code"] != 0


def test_the_environment_that_is_shown_is_that_of_programs(confined):
    shown = confined.client(token=TOKEN).call("system.env.get")["variables"]
    given = dict(line.split("=", 1) for line in confined.client(token=TOKEN).call("commands.run", argv=["env"])["stdout"].splitlines())
    given.pop("ABX_RUN_ID")
    assert shown == given and "TMPDIR" in shown


def test_each_user_has_a_place_for_temporary_files(make_server, base):
    rules = policy(base, confine="paths", user="nobody", users=["daemon"])
    server = make_server(base=base, policy=rules)
    server.token = TOKEN
    for _ in range(2):
        for more in ({}, {"user": "daemon"}):
            result = run(server, 'f=$(mktemp) && stat -c %U "$f" "$TMPDIR" && stat -c %a "$TMPDIR"', **more)
            name = more.get("user", "nobody")
            assert result["stdout"].split() == [name, name, "700"], result
    # After a reload the folder of the former user is nobody else's.
    rules["process"]["user"], rules["process"]["users"] = "daemon", []
    (server.scratch / "policy.yaml").write_text(json.dumps(rules))
    server.client(token=TOKEN).call("core.reload")
    assert run(server, 'stat -c %U "$(mktemp)"')["stdout"].split() == ["daemon"]


def test_git_needs_no_right_to_write_to_the_base_and_shows_no_temporary_folder(make_server, base):
    subprocess.run(["git", "init", "-q", str(base)], check=True, timeout=60)
    base.chmod(0o755)
    server = make_server(base=base, policy=policy(base, confine="paths", user="nobody", users=["daemon"]))
    server.token = TOKEN
    client = server.client(token=TOKEN)
    for more in ({}, {"user": "daemon"}):
        assert client.call("devtools.git.status", path=".")["files"] == []
        run(server, "mktemp", **more)
    assert client.call("devtools.git.status", path=".")["files"] == []
    assert len([name for name in os.listdir(base) if name.startswith(".abx-tmp")]) == 2


def test_nothing_is_made_in_a_read_only_base(make_server, base):
    rules = policy(base, confine="paths", user="nobody")
    rules["paths"]["readonly"] = [str(base)]
    server = make_server(base=base, policy=rules)
    server.token = TOKEN
    assert run(server, "echo ${TMPDIR-none}")["stdout"] == "none\n"
    assert os.listdir(base) == []


OLD_KERNEL = """
import ctypes, errno, os, struct, sys
calls = {444: errno.ENOSYS, {"x86_64": 272, "aarch64": 97}[os.uname().machine]: errno.EPERM}
code = [struct.pack("HBBI", 0x20, 0, 0, 0)]
for number, error in calls.items():
    code += [struct.pack("HBBI", 0x15, 0, 1, number), struct.pack("HBBI", 0x06, 0, 0, 0x50000 | error)]
code.append(struct.pack("HBBI", 0x06, 0, 0, 0x7FFF0000))
bytes_ = ctypes.create_string_buffer(b"".join(code))
program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(code), ctypes.addressof(bytes_)))
if ctypes.CDLL(None, use_errno=True).prctl(22, 2, program, 0, 0) != 0:
    raise OSError(ctypes.get_errno(), "seccomp")
os.execv(sys.argv[1], sys.argv[1:])
"""


def test_what_cannot_be_had_is_told_as_it_is(make_server, base):
    """A kernel that has no Landlock and makes no network namespace, where the policy goes on without."""
    server = make_server(base=base, policy=policy(base, confine="best_effort", user="nobody", network="none"),
                         wrap=("/usr/bin/python3", "-c", OLD_KERNEL))
    client = server.client(token=TOKEN)
    told = client.call("core.capabilities")["confinement"]
    assert (told["filesystem"], told["signals"], told["landlock_abi"], told["network"]) == (False, False, 0, "inherit")
    assert any("the network is open" in text for text in told["missing"]), told
    started = client.call("process.start", argv=["true"])
    assert client.call("process.get", pid=started["id"])["confinement"]["network"] == "inherit"


def test_root_is_kept_only_if_the_policy_says_so(make_server, base):
    with pytest.raises(StartError) as refused:
        make_server(base=base, policy=policy(base, confine="paths"))
    assert "process.user" in str(refused.value)


def test_confinement_without_a_token_is_refused(make_server, base):
    rules = policy(base, confine="paths", user="nobody")
    del rules["tokens"]
    with pytest.raises(StartError) as refused:
        make_server(base=rules["paths"]["base"], policy=rules)
    assert "token" in str(refused.value)
