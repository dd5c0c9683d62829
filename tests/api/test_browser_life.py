# SPDX-License-Identifier: Apache-2.0
"""The life of the browser: crashes, profiles, its end and its walls (R84, R96, R99, B116, B118, B119, B142)."""
import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile

import pytest

from lib import pages
from lib.access import token
from lib.browsing import (
    ON, command_line, evaluate, go, has_user_namespaces, main_process, members, picture, profile_of, renderers, shown)
from lib.client import expect_error
from lib.processes import children, eventually, is_alive, may_unshare, nap

pytestmark = pytest.mark.xdist_group("browser")

IS_ROOT = os.geteuid() == 0
AT_ONCE = 30.0  # two seconds by the specification; far below any timeout here, and a loaded machine may take some


# --- when it ends


@pytest.fixture
def own(make_server, site):
    """A server whose browser may be hurt."""
    server = make_server(policy=ON)
    client = server.client(timeout=60)
    go(client, site.url("/text"))
    site.forget()  # what tests before this one asked for is no sign of anything
    yield server, client


@pytest.mark.parametrize("victim", ["the browser", "the page"])
def test_b118_a_crash_is_told_to_all(own, site, victim):
    server, client = own
    before, fds = main_process(server), server.fds()
    profile = profile_of(before)
    script = "fetch('/words.json').then(() => new Promise(() => {}))"

    method, target, body, own_head = client.by_route("browser.evaluate", {"script": script, "timeout": 100000})
    with contextlib.ExitStack() as stack:
        callers = [stack.enter_context(client.connect(timeout=AT_ONCE)) for _ in range(20)]
        for caller in callers:
            caller.send(client.head(method, target, {"Content-Length": len(body), **own_head}), body)
        site.wait_for("/words.json")
        client.call("core.capabilities")  # by now the others were read too
        for pid in [before] if victim == "the browser" else renderers(server):
            with contextlib.suppress(ProcessLookupError):  # one that had no page may have ended by itself
                os.kill(pid, signal.SIGKILL)
        for caller in callers:
            reply = caller.reply("POST")
            assert (reply.status, json.loads(reply.read())["wire_code"]) == (502, "browser.crashed")
    assert go(client, site.url("/text"))["status"] == 200
    eventually(lambda: not profile.exists(), what="the folder of the dead browser is gone")
    eventually(lambda: not is_alive(before) and children(server.pid, zombies_only=True) == [], what="no zombie is left")
    assert main_process(server) not in (before, None)
    # A cgroup that is kept for the next one has two.
    eventually(lambda: server.fds() <= fds + 2, what="no descriptor is left")


@pytest.mark.parametrize("op, args", [
    ("navigate", {"url": "/hang"}), ("navigate", {"url": "/busy"}), ("click", {"selector": "#no", "timeout": 1000}),
    ("type", {"selector": "#name", "text": "x" * 10000, "delay": 20}), ("content", {}), ("screenshot", {}), ("pdf", {})])
def test_a_kill_in_the_middle_of_any_op(own, site, op, args):
    server, client = own
    go(client, site.url("/form"))
    path = args.get("url")
    args = {**args, "url": site.url(path)} if path else args
    if op == "type":
        path = "/words.json"
        evaluate(client, "document.getElementById('name').addEventListener('input', () => fetch('/words.json'), {once: true})")
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        call = pool.submit(lambda: client.rest(f"browser.{op}", **args))
        if path:
            site.wait_for(path)
        victim = main_process(server)
        os.kill(victim, signal.SIGKILL)
        heard = "done"
        try:
            call.result(40)
        except Exception as error:
            heard = error.wire_code
    # Where no sign tells that it has begun, it may have been done before, or find a new browser.
    assert heard == "browser.crashed" or (not path and heard == ("browser.not_found" if op == "click" else "done"))
    eventually(lambda: not pathlib.Path(f"/proc/{victim}").exists(), what="the server has heard of the end")
    assert go(client, site.url("/text"))["title"] == "A text page"


@pytest.mark.parametrize("op", ["content", "screenshot", "pdf"])
def test_a_kill_while_the_page_does_not_answer(own, site, op):
    server, client = own
    evaluate(client, "fetch('/words.json'); setTimeout(() => { while (true); }); 0")
    site.wait_for("/words.json")
    with client.asked(f"browser.{op}") as result, concurrent.futures.ThreadPoolExecutor(1) as pool:
        call = pool.submit(result)
        with pytest.raises(concurrent.futures.TimeoutError):
            call.result(4)  # by then it has begun: the page is asked for a sign of life first, and for long only then
        os.kill(main_process(server), signal.SIGKILL)
        with expect_error("browser.crashed", 502):
            call.result(60)
    assert go(client, site.url("/text"))["status"] == 200


@pytest.mark.parametrize("op, args", [
    ("click", {"selector": "#name"}), ("evaluate", {"script": "fetch('/words.json'); new Promise(() => {})", "timeout": 60000})])
def test_a_kill_while_the_page_is_at_it(own, site, op, args):
    server, client = own
    go(client, site.url("/form"))
    if op == "click":
        evaluate(client, "document.getElementById('name').addEventListener('mousedown', () => {"
                         " const x = new XMLHttpRequest(); x.open('GET', '/words.json', false); x.send(); while (true); }); 0")
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        call = pool.submit(lambda: client.rest(f"browser.{op}", **args))
        site.wait_for("/words.json")
        os.kill(main_process(server), signal.SIGKILL)
        with expect_error("browser.crashed", 502):
            call.result(60)
    assert go(client, site.url("/text"))["status"] == 200


def test_a_kill_while_it_starts(make_server, site, tmp_path):
    """The first start stands still until it is killed, so that it is no race."""
    slow = tmp_path / "chromium"
    slow.write_text(f"#!/bin/sh\nmkdir {tmp_path}/first && exec sleep {nap()}\nexec chromium \"$@\"\n")
    slow.chmod(0o755)
    server = make_server(policy={**ON, "browser": {"path": str(slow)}})
    client = server.client(timeout=60)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        call = pool.submit(lambda: go(client, site.url("/text")))
        eventually((tmp_path / "first").exists)
        os.kill(members(server)[0], signal.SIGKILL)
        with expect_error("browser.failed", 502, says="at its start"):
            call.result(60)
    assert go(client, site.url("/text"))["status"] == 200


def test_a_page_that_closes_itself(own, site):
    server, client = own
    evaluate(client, "window.open('', '_self'); 0")
    with contextlib.suppress(Exception):
        evaluate(client, "window.close(); new Promise(() => {})", timeout=1000)
    assert go(client, site.url("/text"))["status"] == 200


def test_b116_each_start_has_a_new_profile(own, site):
    server, client = own
    first = profile_of(main_process(server))
    assert first.exists() and first.name.startswith("abx-browser-")
    assert (first.stat().st_mode & 0o777) == 0o700
    evaluate(client, "document.cookie = 'here=1; max-age=1000'")
    assert "here=1" in evaluate(client, "document.cookie")
    os.kill(main_process(server), signal.SIGKILL)
    eventually(lambda: not first.exists())
    go(client, site.url("/text"))
    assert profile_of(main_process(server)) != first and evaluate(client, "document.cookie") == ""


def test_b116_what_a_killed_server_left_goes_at_the_next_start(make_server, site, tmp_path):
    folder = tmp_path / "temp"
    folder.mkdir()
    dead, living = make_server(policy=ON, env={"TMPDIR": folder}), make_server(policy=ON, env={"TMPDIR": folder})
    for server in (dead, living):
        go(server.client(timeout=60), site.url("/text"))
    left, lives = (profile_of(main_process(server)) for server in (dead, living))
    all_of_it = members(dead)
    dead.kill()
    eventually(lambda: not any(map(is_alive, all_of_it)), what="the browser ends with its server")
    (left / "SingletonLock").unlink(missing_ok=True)
    (left / "SingletonLock").symlink_to("another-host-4711")
    for path in (left, lives):
        os.utime(path, (1, 1))
    third = make_server(policy=ON, env={"TMPDIR": folder})
    assert go(third.client(timeout=60), site.url("/text"))["status"] == 200
    assert not left.exists() and lives.exists(), "only what nobody holds is removed"
    assert go(living.client(), site.url("/form"))["status"] == 200


def test_it_ends_when_nobody_calls(make_server, site):
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        server = make_server(policy={**ON, "browser": {"idle_timeout": 1}}, env={"TMPDIR": folder})
        client = server.client(timeout=60)
        go(client, site.url("/text"))
        eventually(lambda: members(server) == [], what="the browser ends")
        eventually(lambda: not list(pathlib.Path(folder).glob("abx-browser-*")), what="its folder is gone")
        assert go(client, site.url("/text"))["status"] == 200


@pytest.mark.parametrize("how", ["SIGTERM", "SIGKILL", "twice"])
def test_b142_nothing_is_left_of_it(make_server, site, how):
    server = make_server(policy=ON)
    go(server.client(timeout=60), site.url("/text"))
    all_of_it, profile = members(server), profile_of(main_process(server))
    assert len(all_of_it) > 2
    if how == "SIGTERM":
        server.stop()
        assert not profile.exists()
    elif how == "twice":
        server.signal(signal.SIGTERM)
        server.signal(signal.SIGTERM)
        server.wait()
    else:
        server.kill()
    eventually(lambda: not any(map(is_alive, all_of_it)), what="all of it ends")


def test_sigterm_ends_those_who_wait(make_server, site):
    server = make_server("--shutdown-grace", "0", policy=ON)
    client = server.client(timeout=60)
    go(client, site.url("/form"))
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        call = pool.submit(lambda: evaluate(client, "fetch('/words.json').then(() => new Promise(() => {}))", timeout=100000))
        site.wait_for("/words.json")
        server.signal(signal.SIGTERM)
        with pytest.raises(Exception):
            call.result(60)
    assert server.wait() == 0


def test_another_policy_means_another_browser(make_server, site):
    server = make_server(policy=ON)
    client = server.client(timeout=60)
    go(client, site.url("/text"))
    before = main_process(server)
    client.call("core.reload")
    go(client, site.url("/text"))
    eventually(lambda: not is_alive(before))
    assert main_process(server) not in (before, None)


# --- how it runs


def test_its_environment_is_fixed_and_clean(make_server, tmp_path):
    """R96: what a program in the browser's place is given, which then ends."""
    fake, found = tmp_path / "fake", tmp_path / "found"
    fake.write_text(f"#!/bin/sh\n{{ env; ls /proc/self/fd; echo \"$@\"; }} > {found}\n")
    fake.chmod(0o755)
    server = make_server(
        policy={**ON, "browser": {"path": str(fake)}, "process": {"env": {"set": {"SECRET": "x", "LD_DEBUG": "all"}}}},
        env={"ABX_THING": "1", "http_proxy": "http://127.0.0.1:1", "HOME": "/root"})
    with expect_error("browser.failed", 502, says="ended with 0 at its start"):
        server.client().call("browser.content")
    lines = found.read_text().splitlines()
    variables = dict(line.split("=", 1) for line in lines if re.match(r"\w+=", line))
    assert variables["HOME"] == variables["TMPDIR"] and "/abx-browser-" in variables["HOME"]
    assert set(variables) <= {"PATH", "HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
                              "LC_ALL", "ABX_RUN_ID", "PWD", "OLDPWD", "SHLVL", "_"}
    descriptors = [int(line) for line in lines if line.isdigit()]
    assert {0, 1, 2, 3, 4} <= set(descriptors) and len(descriptors) <= 6, "and the one that ls opens"
    assert f"--user-data-dir={variables['HOME']}" in lines[-1]


@pytest.mark.parametrize("said, told", [
    ("[1:2:ERROR:a.cc(1)] No usable sandbox!", "No usable sandbox!"), ("[1:2:FATAL:a.cc(1)] dead\nlast", "dead"),
    ("[1:2:ERROR:a.cc(1)] odd\nno such library", "no such library"), ("[1:2:ERROR:a.cc(1)] odd\nwhy\n#0 0x5 f()", "why")])
def test_why_it_ended_at_its_start_is_told(make_server, tmp_path, said, told):
    fake = tmp_path / "fake"
    fake.write_text(f"#!/bin/sh\ncat >&2 <<'END'\n{said}\nEND\nexit 1\n")
    fake.chmod(0o755)
    server = make_server(policy={**ON, "browser": {"path": str(fake)}})
    with expect_error("browser.failed", 502, says="ended with 1 at its start: ") as caught:
        server.client().call("browser.content")
    assert caught.error.message.endswith(told)


@pytest.mark.skipif(not IS_ROOT, reason="only root runs it as root, or as somebody else")
def test_b119_as_root_it_has_no_sandbox_and_says_so(own):
    server, client = own
    assert b"--no-sandbox" in command_line(main_process(server))
    assert "browser-no-sandbox" in client.call("core.capabilities")["features"]


def confined(base, **process):
    return {**ON, "paths": {"base": str(base), "roots": [str(base)]}, "tokens": [token("t", ["*"])], "process": process}


@pytest.fixture
def open_folder():
    path = pathlib.Path(tempfile.mkdtemp(prefix="abx-test-"))
    path.chmod(0o755)
    (path / "base").mkdir()
    yield path / "base"
    subprocess.run(["rm", "-rf", path], check=True)


@pytest.mark.skipif(not IS_ROOT, reason="only root can run it as another user")
@pytest.mark.parametrize("process", [{"user": "nobody"}, {"user": "nobody", "confine": "paths"}, {"user": "root", "confine": "paths"}])
def test_r99_it_runs_as_the_policys_user_within_its_walls(make_server, site, open_folder, process):
    if process["user"] != "root" and not has_user_namespaces():
        pytest.skip("no user namespaces here for Chromium's sandbox")
    server = make_server(base=open_folder, policy=confined(open_folder, **process))
    client = server.client(token="t-token", timeout=60)
    assert go(client, site.url("/canvas"))["status"] == 200
    assert shown(client) == "10,20,30,255"
    leader = main_process(server)
    status = pathlib.Path(f"/proc/{leader}/status").read_text()
    as_root = process["user"] == "root"
    assert (re.search(r"^Uid:\s+(\d+)", status, re.M).group(1) == "0") == as_root
    assert (b"--no-sandbox" in command_line(leader)) == as_root
    assert ("browser-no-sandbox" in client.call("core.capabilities")["features"]) == as_root
    if "confine" in process:
        assert re.search(r"^NoNewPrivs:\s+1", status, re.M) and re.search(r"^CapBnd:\s+0+$", status, re.M)
    go(client, site.url("/text"))
    picture(client, full_page=False)
    assert client.rest("browser.pdf")["pages"] == 1
    profile = profile_of(leader)
    server.token = "t-token"
    server.stop()
    assert not profile.exists()


@pytest.mark.skipif(not IS_ROOT or not may_unshare("-m"), reason="no mounting here")
def test_b119_a_small_shm(make_server, site):
    server = make_server(policy=ON, wrap=["unshare", "-m", "sh", "-c", 'mount -t tmpfs -o size=64m tmpfs /dev/shm; exec "$@"', "sh"])
    client = server.client(timeout=60)
    assert go(client, site.url("/canvas"))["status"] == 200
    assert shown(client) == "10,20,30,255"
    assert b"--disable-dev-shm-usage" in command_line(main_process(server))
    result, _ = picture(client, format="jpeg")
    assert result["width"] == pages.CANVAS


# --- where it may go (test_browser_hosts.py has the rest)


def test_r100_other_spellings_and_schemes(make_server, site):
    site.forget()
    client = make_server(policy={**ON, "browser": {"allow_hosts": [f"127.0.0.1:{site.port}"]}}).client(timeout=60)
    for url in (f"http://user@127.0.0.2:{site.port}/", f"http://127.2:{site.port}/", f"http://2130706434:{site.port}/", f"http://[::1]:{site.port}/",
                f"https://127.0.0.2:{site.port}/", "http://127.0.0.1:1234/", f"http://127.0.0.1:{site.port}@127.0.0.2:{site.port}/",
                f"http:\\\\127.0.0.2:{site.port}/"):
        with pytest.raises(Exception, match="policy.host_denied|args.invalid"):
            go(client, url)
    assert [path for host, path in site.asked() if host == "127.0.0.2"] == []


def test_a_page_has_no_rights_at_the_server(own, site):
    """Where every host is allowed: another site's page is refused by its origin."""
    server, client = own
    answer = evaluate(client, f"fetch('http://127.0.0.1:{server.port}/capabilities').then(r => r.status, e => String(e))")
    assert "TypeError" in str(answer)
    eventually(lambda: any("403" in entry["text"] or "CORS" in entry["text"] for entry in client.rest("browser.console")["logs"]))
