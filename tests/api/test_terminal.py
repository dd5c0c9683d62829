# SPDX-License-Identifier: Apache-2.0
"""Terminals: sessions, what they show, and what becomes of them."""
import contextlib
import itertools
import json
import os
import pathlib
import re
import signal
import sys

import pytest

from lib.client import expect_error
from lib.parallel import together
from lib.processes import eventually, in_time, is_alive, nap, rests, running
from lib.server import ROOT, is_sanitized
from lib.ws import Terminal


@pytest.fixture
def client(make_server):
    """Sessions are counted and listed: each test has a server of its own."""
    return make_server().client()


@pytest.fixture
def term(client):
    """term(**args) creates a session; all are deleted at the end."""
    made = []

    def create(**args):
        made.append(client.rest("terminal.create", **args))
        return made[-1]

    yield create
    for session in made:
        try:
            client.call("terminal.delete", id=session["session_id"])
        except Exception as error:  # deleted by the test
            assert getattr(error, "wire_code", None) == "terminal.not_found", error


def shell(term, **args):
    return term(argv=["/bin/bash", "--norc", "--noprofile", "--noediting"], env={"PS1": "$ "}, **args)


_numbers = itertools.count(os.getpid() * 1000)


def some_seconds():
    """An argument for sleep that no other process on this machine has."""
    return str(next(_numbers))


def process_is_gone(pid):
    return not os.path.exists(f"/proc/{pid}")


def is_in_foreground(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return fields[0] == "S" and fields[2] == fields[5]  # its group is the terminal's


def test_create_list_get_delete(client, term):
    session = shell(term, cols=100, rows=30)
    assert re.fullmatch(r"ws://127\.0\.0\.1:\d+/pty\?session_id=\w+&ticket=[\w-]{43}", session["ws_url"])
    [entry] = client.rest("terminal.list")["sessions"]
    assert entry["id"] == session["session_id"] and entry["pid"] == session["pid"]
    assert (entry["cols"], entry["rows"], entry["alive"], entry["clients"], entry["exit_code"]) == (100, 30, True, 0, None)
    assert client.rest("terminal.get", id=session["session_id"]) == entry
    with Terminal(client, session) as viewer:
        assert viewer.event("started")["pid"] == session["pid"]
        assert client.call("terminal.get", id=session["session_id"])["clients"] == 1
    assert client.rest("terminal.delete", id=session["session_id"]) == {"status": "closed", "session_id": session["session_id"]}
    assert process_is_gone(session["pid"])
    assert client.call("terminal.list") == {"sessions": []}


def test_unknown_ids(client):
    for op in ("get", "delete", "resize"):
        args = {"cols": 80, "rows": 24} if op == "resize" else {}
        with expect_error("terminal.not_found", status=404):
            client.rest(f"terminal.{op}", id="nope", **args)
    with Terminal(client, "nope") as viewer:
        assert viewer.message() is None
        assert viewer.closed == (1008, "terminal.not_found")
    process = client.call("process.start", argv=["sleep", "660"])
    for other in (process["id"], process["pid"]):  # B051: a process is no terminal
        with expect_error("terminal.not_found", status=404):
            client.rest("terminal.resize", id=other, cols=80, rows=24)


def test_it_is_a_login_shell_with_term(client, term):
    with Terminal(client, term()) as viewer:
        viewer.live().type("echo A=$0=$TERM=$LANG=$(shopt -q login_shell && echo login)=; tput cols\n")
        assert b"A=-bash=xterm-256color=" in viewer.expect("=login=\r\n80\r\n")


def test_a_command_is_not_a_login_shell(client, term):
    with Terminal(client, term(command="echo A=$0=; shopt login_shell")) as viewer:
        viewer.expect("login_shell    \toff")
        assert viewer.end()["exit_code"] == 1


def test_bad_starts(client):
    with expect_error("commands.cannot_start"):
        client.rest("terminal.create", argv=["/no/such/program"])
    with expect_error("commands.cannot_start"):
        client.rest("terminal.create", shell="/no/such/shell")
    with expect_error("policy.env_denied"):
        client.rest("terminal.create", env={"ABX_X": "1"})
    with expect_error("policy.command_denied"):
        client.rest("terminal.create", user="nobody")
    for cols, rows in ((0, 24), (80, 0), (1001, 24), (-1, 5), (10**9, 10)):
        with expect_error("args.invalid"):
            client.rest("terminal.create", cols=cols, rows=rows)
    assert client.rest("terminal.list") == {"sessions": []}


def test_controlling_terminal(client, term):
    """B052: job control, /dev/tty, a session of its own."""
    first, second = some_seconds(), some_seconds()
    with Terminal(client, shell(term)) as viewer:
        assert b"job control" not in viewer.live().expect("$ ")
        viewer.type("echo to-the-tty > /dev/tty; ps -o sess=,pgid=,tty= -p $$; echo pid=$$.\n")
        found = viewer.match(rb"\r\nto-the-tty\r\n\s*(\d+)\s+(\d+)\s+pts/\d+\s*pid=(\d+)\.\r\n\$ ")
        assert found.group(1) == found.group(2) == found.group(3)
        viewer.type(f"sleep {first}\n")
        viewer.expect(f"sleep {first}\r\n")
        eventually(lambda: any(map(is_in_foreground, running("sleep", first))))
        viewer.type("\x03")
        viewer.expect("^C")
        viewer.expect("$ ")
        viewer.type(f"sleep {second}\n")
        eventually(lambda: any(map(is_in_foreground, running("sleep", second))))
        viewer.type("\x1a")
        viewer.expect("Stopped")
        viewer.type("fg\n")
        viewer.expect(f"sleep {second}\r\n")
        [job] = running("sleep", second)
        eventually(lambda: is_in_foreground(job))
        viewer.tell(type="signal", signal="SIGINT")  # to the job alone
        viewer.expect("$ ")
        viewer.type("exit 5\n")
        assert viewer.end()["exit_code"] == 5
        assert viewer.closed[0] == 1000


def test_signals(client, term):
    session = term(command="trap 'echo got-hup' HUP; trap 'echo got-quit' QUIT; trap 'echo got-term' TERM; echo go; "
                           "while :; do sleep 0.05; done")
    with Terminal(client, session) as viewer:
        viewer.expect("go\r\n")
        for name in ("SIGHUP", "SIGQUIT", "TERM"):
            viewer.tell(type="signal", signal=name)
            viewer.expect(f"got-{name.removeprefix('SIG').lower()}")
        viewer.tell(type="signal", signal="SIGUSR1")  # not one of them: ignored
        viewer.tell(type="signal", signal=9)
        viewer.tell(type="signal", signal="SIGKILL")
        ended = viewer.end()
        assert (ended["exit_code"], ended["signal"]) == (137, "SIGKILL")
    entry = client.call("terminal.get", id=session["session_id"])
    assert (entry["alive"], entry["exit_code"], entry["signal"]) == (False, 137, "SIGKILL")
    assert client.call("terminal.list")["sessions"] == [entry]


def test_sizes(client, term):
    """R40, B051: right from the first instruction, bad ones refused, the last of many holds."""
    session = term(command="stty size; read x; stty size; read x", cols=123, rows=45)
    with Terminal(client, session) as viewer:
        viewer.expect("45 123\r\n")
        for cols, rows in ((0, 0), (-1, 5), (65536, 65536), (10**9, 2), ("80", 24)):
            with expect_error("args.invalid"):
                client.call("terminal.resize", id=session["session_id"], cols=cols, rows=rows)
        viewer.tell(type="resize", cols=10**9, rows=0)
        viewer.tell(type="resize", cols="80", rows=24)
        for n in range(200):
            viewer.tell(type="resize", cols=100 + n % 7, rows=20)
        assert client.rest("terminal.resize", id=session["session_id"], cols=91, rows=17)["cols"] == 91
        viewer.tell(type="resize", cols=77, rows=33)
        eventually(lambda: client.call("terminal.get", id=session["session_id"])["cols"] == 77)
        viewer.type("\n")
        viewer.expect("33 77\r\n")
        viewer.type("\n")
        viewer.end()
    with expect_error("terminal.closed", status=409):
        client.call("terminal.resize", id=session["session_id"], cols=80, rows=24)


def test_resize_before_anybody_attached(client, term):
    session = term(command="read x; stty size")
    client.call("terminal.resize", id=session["session_id"], cols=50, rows=11)
    with Terminal(client, session) as viewer:
        viewer.live().type("\n")
        viewer.expect("11 50\r\n")


def test_output_split_characters(client, term, tmp_path):
    """UTF-8 cut between writes comes whole; what is none is replaced and told, and exact in binary."""
    session = term(command=r"stty -opost; read x; printf '\342'; sleep 0.1; printf '\202'; sleep 0.1; printf '\254|\377|\360\237'")
    text, raw = Terminal(client, session).live(), Terminal(client, session, binary=True).live()
    raw.type("\n")
    text.end()
    raw.end()
    assert text.shown.endswith("€|\ufffd|\ufffd".encode())
    assert raw.shown.endswith(b"\xe2\x82\xac|\xff|\xf0\x9f")
    assert raw.closed[0] == 1000


def test_sizes_and_signals_beside_binary(client, term):
    """R37: only input and output are binary."""
    with Terminal(client, term(command="read x; stty size; trap 'echo got-int' INT; echo go; while :; do sleep 0.05; done"), binary=True) as viewer:
        viewer.live().tell(type="resize", cols=91, rows=17)
        viewer.type(b"\n")
        viewer.expect("17 91\r\ngo\r\n")
        viewer.tell(type="signal", signal="SIGINT")
        viewer.expect("got-int")


def test_binary_is_exact_both_ways(client, term):
    session = term(command="stty raw -echo; echo ready; head -c 256 | od -An -v -tu1 | tr -s ' \\n' ' '; echo; "
                           "awk 'BEGIN { for (i = 0; i < 256; i++) printf \"%c\", i }' | LC_ALL=C cat; echo; echo done")
    with Terminal(client, session, binary=True) as viewer:
        viewer.expect("ready\n")
        viewer.type(bytes(range(256)))
        assert viewer.expect("done").split() [:256] == [str(n).encode() for n in range(256)]


def test_input_json_with_nul_and_escapes(client, term):
    session = term(command="stty raw -echo; echo ready; head -c 8 | od -An -tx1")
    with Terminal(client, session) as viewer:
        viewer.expect("ready\n")
        viewer.type("a\0\x1b€\u0085")
        viewer.expect("61 00 1b e2 82 ac c2 85")


def test_messages_that_are_none(client, term):
    """R34: well-formed text with unknown JSON is ignored."""
    with Terminal(client, shell(term)) as viewer:
        viewer.live()
        for text in ("", "x", "null", "[]", "{}", '"input"', '{"type":1}', '{"type":"input"}', '{"type":"input","data":7}',
                     '{"type":"resize"}', '{"type":"signal","signal":"SIGSTOP"}', '{"type":"unknown"}',
                     "[" * 200_000, '{"a":' * 50_000, "[" * 1000 + "]" * 1000, "[" + "1," * 100_000 + "1]",
                     '{"type":"input","data":"x","data":"y"}'):
            viewer.send(1, text)
        viewer.type("echo still-$((1+1))\n")
        viewer.expect("still-2")


def test_three_viewers(client, term):
    session = shell(term)
    viewers = [Terminal(client, session).live(), Terminal(client, session, binary=True).live(), Terminal(client, session).live()]
    viewers[0].type("echo one-$((1+1))\n")
    for viewer in viewers:
        viewer.expect("one-2\r\n")
    viewers[1].type(b"echo two-$((1+1))\n")
    viewers[0].close()
    for viewer in viewers[1:]:
        viewer.expect("two-2\r\n")
    viewers[2].type("exit\n")
    for viewer in viewers[1:]:
        assert viewer.end()["exit_code"] == 0


def test_replay_on_attach(client, term):
    """R31: marked, whole, and what comes after it is live."""
    session = shell(term)
    with Terminal(client, session) as first:
        assert [first.event("started")["type"], first.event("replay")["type"]] == ["event", "event"]
        first.live().type("echo before-$((1+1))\n")
        first.expect("before-2\r\n$ ")
    for binary in (False, True):
        with Terminal(client, session, binary=binary) as again:
            replay = again.event("replay")
            again.live()
            assert b"before-2\r\n" in again.replayed
            assert replay["bytes"] == len(again.replayed) and replay["dropped"] == 0
            again.type("echo after-$((2+1))\n")
            again.expect("after-3\r\n$ ")


def test_replay_begins_between_lines_with_its_modes(client, term):
    """B059: no part of a sequence or character, modes sent again, an unfinished sequence left out."""
    session = term(scrollback_bytes=3000, command=(
        r"stty -echo; printf '\033[?1049h\033[?2004h\033[?1002h\033[?25l'; "
        r"for i in $(seq 400); do printf '\033[3%dm€uro-%d\033[0m\n' $((i % 8)) $i; done; printf '\033]0;never ended'; "
        r"echo ready > ready; read x; printf '\033[Hlive\n'; read x"))
    eventually(lambda: (pathlib.Path(client.server.base) / "ready").exists())

    def settled():
        """What has just come may be a part of a sequence whose rest is on its way; later it is not."""
        replay, shown, rest = _replay_of(client, session)
        return shown.endswith("m€uro-400\x1b[0m\r\n".encode()) and rest == b"" and (replay, shown)

    replay, shown = eventually(settled)
    assert replay["dropped"] > 0
    modes, rest = re.fullmatch(rb"((?:\x1b\[\?\d+[hl])*)(.*)", shown, re.S).groups()
    assert modes == b"\x1b[?1049h\x1b[?25l\x1b[?1002h\x1b[?2004h"
    lines = rest.split(b"\r\n")
    assert lines.pop() == b""
    numbers = [int(re.fullmatch(r"\x1b\[3\dm€uro-(\d+)\x1b\[0m", line.decode()).group(1)) for line in lines]
    assert numbers == list(range(numbers[0], 401)) and len(rest) > 2500
    with Terminal(client, session) as viewer:
        viewer.live().type("\n")
        viewer.expect("live\r\n")


def _replay_of(client, session):
    with Terminal(client, session) as viewer:
        replay = viewer.event("replay")
        shown = viewer.live().replayed
        viewer.socket.settimeout(0.1)
        try:
            while viewer.step():
                pass
        except TimeoutError:
            viewer.socket.settimeout(60)
        return replay, shown, viewer.shown[len(shown):]


def test_nobody_attached_and_nothing_lost(client, term):
    """The session is drained when nobody watches, and its end is told to who comes later (R32)."""
    session = term(command="seq 1 20000; exit 3", scrollback_bytes=1000)
    eventually(lambda: not client.call("terminal.get", id=session["session_id"])["alive"])
    viewer = Terminal(client, session)
    ended = viewer.end()
    assert (ended["exit_code"], viewer.closed[0]) == (3, 1000)
    assert viewer.replayed.endswith(b"19999\r\n20000\r\n") and 900 < len(viewer.replayed) <= 1000
    assert viewer.replayed.startswith(b"19") and viewer.events[1]["dropped"] + len(viewer.replayed) == 128_894


def test_the_end_comes_after_the_last_byte(client, term):
    for _ in range(20):
        session = term(command="read x; seq 1 3000; exit 9")
        viewer = Terminal(client, session, binary=True).live()
        viewer.type("\n")
        assert viewer.end()["exit_code"] == 9
        assert viewer.shown.endswith(b"2999\r\n3000\r\n")


def test_reset_connection_and_reattach(client, term):
    """B061: the session lives on; the end of a connection and of a program are told apart."""
    session = shell(term)
    viewer = Terminal(client, session).live()
    viewer.type("X=1; echo me=$$,\n")
    pid = viewer.match(rb"me=(\d+),\r\n").group(1)
    viewer.reset()
    eventually(lambda: client.call("terminal.get", id=session["session_id"])["clients"] == 0)
    with Terminal(client, session) as again:
        again.live()
        assert b"me=" + pid in again.replayed
        again.type("echo again=$$,$X\n")
        again.expect(b"again=" + pid + b",1\r\n")


def test_window_is_nudged_on_reattach(client, term):
    """R105: a program that draws the whole screen is made to draw it again; the size is the same afterwards."""
    program = ("import os, signal, time\n"
               "signal.signal(signal.SIGWINCH, lambda *_: os.write(1, b'winch %d %d\\n' % os.get_terminal_size(0)))\n"
               "print('go', flush=True)\nwhile True: time.sleep(60)\n")
    session = term(argv=[sys.executable, "-c", program])
    with Terminal(client, session) as viewer:
        viewer.expect("go\r\n")
    with Terminal(client, session) as viewer:
        viewer.live().expect("winch 80 24")
        viewer.type("x")
        viewer.tell(type="resize", cols=80, rows=40)
        viewer.expect("winch 80 40")


def ask_for(viewer, word):
    """The shell tells the word when it is done with what it does; who was skipped over it asks again."""
    asks = f"echo {word}-$((1+1))\n".encode()
    viewer.type(asks)
    while f"{word}-2\r\n".encode() not in viewer.shown:
        del viewer.shown[:-50]
        if viewer.step() == "gap":
            viewer.type(asks)


def test_slow_viewer_is_skipped(client, term):
    """B058: who does not read is told of a gap; others are not held, and memory stays."""
    session = shell(term)
    slow = Terminal(client, session, binary=True, receive_buffer=65536).live()
    quick = Terminal(client, session, binary=True).live()
    quick.expect("$ ")
    before = client.server.rss_kib()
    quick.type(b"yes 0123456789012345678901234567890123456789 | head -c 10000000\n")
    ask_for(quick, "all")
    quick.type(b"yes\n")
    quick.skim(b"y\r\ny\r\n")
    quick.type(b"\x03")
    ask_for(quick, "ended")
    assert is_sanitized() or client.server.rss_kib() - before < 30_000
    gap = slow.event("gap")
    assert gap["dropped"] == gap["to"] - gap["from"] > 4_000_000
    ask_for(slow, "skipped")


def test_large_paste(client, term):
    """R41: more than every queue holds, into a program that echoes it all; nothing locks up, nothing is lost."""
    session = term(command="stty raw -echo; echo ready; head -c 3000000 | sha256sum")
    with Terminal(client, session, binary=True) as viewer:
        viewer.expect("ready\n")
        data = os.urandom(1 << 16) * 46
        for at in range(0, 3_000_000, 500_000):
            viewer.type(data[at:min(at + 500_000, 3_000_000)])
        import hashlib
        viewer.expect(hashlib.sha256(data[:3_000_000]).hexdigest(), within=60)


def test_paste_that_nobody_reads(client, term):
    """The queue is bounded: the socket is not read any more, and the session can still be ended."""
    session = term(command="stty raw -echo; echo ready; exec sleep 600")
    viewer = Terminal(client, session, binary=True)
    viewer.expect("ready\n")
    viewer.socket.settimeout(2)
    sent = 0
    with pytest.raises(TimeoutError):
        while sent < 64 << 20:
            viewer.type(bytes(1 << 19))
            sent += 1 << 19
    assert sent < 32 << 20
    viewer.connection.close()
    with Terminal(client, session) as other:
        other.live().tell(type="signal", signal="SIGINT")
        assert other.end()["signal"] == "SIGINT"


def test_line_of_cooked_mode(client, term):
    """B054: the kernel takes 4095 bytes of a line; the session is not wedged by more."""
    session = term(command="cat > l.txt")
    with Terminal(client, session) as viewer:
        viewer.live().type("z" * 9000 + "\n")
        viewer.type("short\n\x04")
        assert viewer.end()["exit_code"] == 0
    lines = (pathlib.Path(client.server.base) / "l.txt").read_text().split("\n")
    assert set(lines[0]) == {"z"} and 4000 < len(lines[0]) <= 4095 and lines[1] == "short"
    with Terminal(client, term(command="exec cat")) as viewer:
        viewer.live().type("z" * 9000)
        viewer.type("\x03")
        assert viewer.end()["signal"] == "SIGINT"
    told = (ROOT / "docs/terminals.md").read_text()
    assert "4095" in told and "files.write" in told  # the limit, and a way for longer text


def test_dead_terminals_cost_nothing(client, term):
    """B056: with sockets open, with a child that holds the terminal, with a program that closes it."""
    viewers = [Terminal(client, term(command="exit 4")) for _ in range(5)]
    for viewer in viewers:
        assert viewer.end()["exit_code"] == 4
    held = Terminal(client, term(command="sleep 600 & trap '' HUP; setsid sleep 601 & exit 6"))
    assert held.end()["exit_code"] == 6
    closer = term(command="exec </dev/null >/dev/null 2>&1; exec sleep 602")
    deaf = Terminal(client, closer).live()
    deaf.socket.settimeout(0.5)
    with pytest.raises(TimeoutError):
        deaf.step()
    rests(client.server, 1, 0.1)
    assert [entry["alive"] for entry in client.call("terminal.list")["sessions"]] == [False] * 6 + [True]


@pytest.mark.parametrize("options", [(), ("--no-cgroups",)])
def test_delete_ends_everything(make_server, options):
    client = make_server(*options).client()
    session = shell(lambda **args: client.rest("terminal.create", **args))
    a, b, c = all_three = some_seconds(), some_seconds(), some_seconds()
    with Terminal(client, session) as viewer:
        viewer.live().type(f"trap '' HUP TERM; nohup sleep {a} >/dev/null & setsid sleep {b} & (trap '' HUP; sleep {c}) & "
                           "echo on-$((1+1))\n")
        viewer.expect("on-2")
        eventually(lambda: all(running("sleep", n) for n in all_three))
        client.call("terminal.delete", id=session["session_id"])
        assert not any(running("sleep", n) for n in all_three) and process_is_gone(session["pid"])
        assert viewer.end()["signal"] == "SIGKILL"
    with expect_error("terminal.not_found"):
        client.call("terminal.delete", id=session["session_id"])


def test_delete_of_one_that_has_ended_ends_what_it_left(client, term):
    left = some_seconds()
    session = term(command=f"trap '' HUP; setsid sleep {left} & exit 0")
    eventually(lambda: not client.call("terminal.get", id=session["session_id"])["alive"])
    eventually(lambda: running("sleep", left))
    client.call("terminal.delete", id=session["session_id"])
    assert not running("sleep", left)


def test_many_sessions_leak_nothing(client):
    """B062: half of them do not heed the hang-up; their viewers vanish without a close frame."""
    count = 400 if os.environ.get("ABX_TEST_CHECK") else 40
    fds, terminals, before = client.server.fds(), len(os.listdir("/dev/pts")), client.server.rss_kib()

    def one(n):
        mine = client.server.client()
        name = nap()
        session = mine.call("terminal.create", command=f"trap '' HUP; sleep {name}; :" if n % 2 else f"sleep {name}")
        viewer = Terminal(mine, session).live()
        if n % 4 < 2:
            viewer.reset()
        else:
            viewer.connection.close()
        mine.call("terminal.delete", id=session["session_id"])
        return session["pid"], name

    for pid, name in together(one, range(count), most=8):
        assert process_is_gone(pid) and not running("sleep", name)
    assert client.call("terminal.list")["sessions"] == []
    eventually(lambda: client.server.fds() < fds + 24)  # eight empty cgroups are kept, with two each
    eventually(lambda: len(os.listdir("/dev/pts")) <= terminals + count // 3)  # other tests have theirs
    if not is_sanitized():
        assert client.server.rss_kib() - before < 4096


def test_limit_of_sessions(make_server):
    client = make_server(policy={"limits": {"terminal.create": {"max_sessions": 2}}}).client()
    first = client.call("terminal.create", command="exit 0")
    eventually(lambda: not client.call("terminal.get", id=first["session_id"])["alive"])
    for _ in range(2):  # one that has ended does not count
        client.call("terminal.create", argv=["sleep", "640"])
    with expect_error("limit.too_many", status=429):
        client.call("terminal.create", argv=["sleep", "640"])


def test_only_ten_that_have_ended_are_kept(client):
    ids = []
    for _ in range(13):
        ids.append(client.call("terminal.create", command="exit 0")["session_id"])
        eventually(lambda: all(not entry["alive"] for entry in client.call("terminal.list")["sessions"]))
    eventually(lambda: [entry["id"] for entry in client.call("terminal.list")["sessions"]] == ids[-10:])


def test_idle_sessions_are_hung_up(make_server):
    def others_live(seconds):
        """Whether those stay that are used or watched: a machine that stalls for so long does not use its own."""
        client = make_server(policy={"limits": {"terminal.create": {"idle_timeout": seconds}}}).client()
        idle = client.call("terminal.create", argv=["sleep", "650"])
        busy = client.call("terminal.create", command="while :; do echo x; sleep 0.2; done")
        watched = client.call("terminal.create", argv=["sleep", "651"])
        with contextlib.closing(Terminal(client, watched).connection):
            ended, *others = eventually(lambda: told_dead(client, idle, busy, watched))
        return ended["signal"] == "SIGHUP" and all(other["alive"] for other in others)

    def told_dead(client, *sessions):
        told = [client.call("terminal.get", id=session["session_id"]) for session in sessions]
        return None if told[0]["alive"] else told

    in_time(others_live, shortest=1)


def test_environment_is_small_and_usable(make_server):
    """B063; of commands: test_environment.py."""
    client = make_server(env={"HOME": "", "PATH": "", "LANG": ""}).client()
    session = client.call("terminal.create", command=r"echo T=$TERM L=$LANG; tput cols; printf '\303\251' | wc -m", cols=99)
    viewer = Terminal(client, session)
    viewer.end()
    assert viewer.shown.split() == [b"T=xterm-256color", b"L=C.UTF-8", b"99", b"1"]


def test_cwd_is_checked(make_server, outside):
    client = make_server().client()
    with expect_error("policy.path_denied"):
        client.rest("terminal.create", cwd=str(outside))
    (client.server.base / "d").mkdir()
    with Terminal(client, client.rest("terminal.create", cwd="d", command="pwd")) as viewer:
        viewer.end()
    assert viewer.shown.strip().endswith(b"/base/d")


def test_the_server_ends(make_server):
    """Sockets are closed with 1001 and everything that ran is ended (R86)."""
    server = make_server()
    client = server.client()
    shell_session = client.call("terminal.create", argv=["/bin/bash", "--norc"])
    stubborn = client.call("terminal.create", command="trap '' HUP TERM; echo go; while :; do sleep 0.1; done")
    viewer, other = Terminal(client, shell_session).live(), Terminal(client, stubborn).live()
    other.expect("go") if b"go" not in other.shown else None
    server.signal(signal.SIGTERM)
    while viewer.step() is not None:
        pass
    assert viewer.closed == (1001, "server.shutting_down")
    other.connection.close()
    assert server.wait() == 0
    eventually(lambda: not is_alive(shell_session["pid"]) and not is_alive(stubborn["pid"]))


def test_ws_url_behind_a_proxy(make_server):
    plain = make_server().client(headers={"Host": "localhost:1234", "X-Forwarded-Host": "evil.example"})
    assert plain.call("terminal.create", command="exit")["ws_url"].startswith("ws://localhost:1234/pty?")
    trusting = make_server(policy={"server": {"trust_forwarded": True}}).client(
        headers={"X-Forwarded-Host": "box.example", "X-Forwarded-Proto": "https"})
    assert trusting.call("terminal.create", command="exit")["ws_url"].startswith("wss://box.example/pty?")
    for how in (make_server("--trust-forwarded"), make_server(env={"ABX_SERVER_TRUST_FORWARDED": "yes"}),
                make_server("--trust-forwarded=false", policy={"server": {"trust_forwarded": True}})):
        url = how.client(headers={"X-Forwarded-Host": "box.example"}).call("terminal.create", command="exit")["ws_url"]
        assert url.startswith("ws://box.example/") != ("--trust-forwarded=false" in how.command)
    trusting.headers["X-Forwarded-Host"] = 'x"/><y'
    assert "y" not in json.dumps(trusting.call("terminal.create", command="exit")["ws_url"]).partition("/pty")[0]
