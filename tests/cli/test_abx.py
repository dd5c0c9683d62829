# SPDX-License-Identifier: Apache-2.0
"""abx against the real server: what it prints, what it leaves, what it ends with."""
import hashlib
import json
import os
import pty
import re
import signal
import socket
import subprocess
import threading
import time

import pytest

from lib.abx import Abx
from lib.access import token
from lib.processes import eventually, gone, is_alive, nap
from lib.server import ROOT

PAIRS = bytes(byte for first in range(256) for second in range(256) for byte in (first, second))


# exec, sh (B157)


@pytest.mark.parametrize("code", [0, 1, 42, 124, 125, 255])
def test_the_code_of_the_command(abx, code):
    assert abx("exec", "--", "sh", "-c", f"exit {code}").code == code
    assert abx("sh", f"exit {code}").code == code


def test_death_by_signal(abx):
    assert abx("sh", "kill -KILL $$").code == 137
    assert abx("sh", "kill -TERM $$").code == 143


def test_both_streams_byte_for_byte(abx):
    done = abx("sh", r"""for i in $(seq 0 255); do printf "\\$(printf %o $i)"; done; printf 'e\377' >&2""")
    assert (done.code, done.raw, done.err_raw) == (0, bytes(range(256)), b"e\xff")


def test_arguments_are_not_looked_at_by_a_shell(abx):
    words = ["a b", "$HOME", "*", "", "--url", "-e", "é\n"]
    done = abx("exec", "printf", "[%s]", *words)
    assert done.out.encode(errors="surrogateescape").decode() == "".join(f"[{word}]" for word in words)


def test_workdir_env_and_timeout(abx, folder):
    assert abx("exec", "-w", str(folder), "pwd").out == f"{folder}\n"
    done = abx("exec", "-e", "A=1", "--env", "B=x=y", "-e", "HERE", "-e", "NOT_HERE", "--", "sh", "-c", "echo $A,$B,$HERE,${NOT_HERE-unset}",
               env={"HERE": "h"})
    assert done.out == "1,x=y,h,unset\n"
    done = abx("exec", "--timeout", "0.3", "--", "sleep", "7773")
    assert done.code == 124 and done.err.startswith("abx: commands.stream: ")


def test_stdin_is_passed(abx):
    assert abx("exec", "sha256sum", input=PAIRS * 16).out.split()[0] == hashlib.sha256(PAIRS * 16).hexdigest()
    assert abx("exec", "-n", "cat", input=b"x").raw == b""
    assert abx("exec", "cat").raw == b""


def test_our_failures_are_125(abx):
    done = abx("exec", "no-such-program-7774")
    assert done.code == 125 and "no-such-program-7774" in done.err and done.err.count("\n") == 1
    assert abx("sh", "no-such-program-7774").code == 127
    assert abx("exec", "-w", "/nowhere-7774", "true").code == 125
    assert abx("exec", "--nope", "true").code == 125


def test_a_server_that_is_down(tmp_path):
    """The reason on stderr, in one line, and a code that is none of the command's."""
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        abx = Abx(f"http://127.0.0.1:{nobody.getsockname()[1]}", tmp_path)
        for args, code in ((("exec", "true"), 125), (("sh", "exit 3"), 125), (("ls",), 1), (("cp", ":x", "y"), 1)):
            done = abx(*args)
            assert (done.code, done.raw) == (code, b"") and "cannot reach the server" in done.err and done.err.count("\n") == 1, done


def test_output_comes_as_it_is_made(abx):
    process = abx.start("sh", "echo first; read line; echo second")
    assert process.stdout.readline() == b"first\n"
    assert process.stdout.readline() == b"second\n"
    assert process.wait(60) == 0


def test_ctrl_c_ends_the_whole_tree(abx):
    number = nap()
    process = abx.start("sh", f"sleep {number} & echo $!; echo $$; wait")
    pids = [int(process.stdout.readline()) for _ in range(2)]
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130 and process.stderr.read() == b""
    eventually(lambda: not any(map(is_alive, pids)), what="the end of the tree")
    gone(number)


def test_a_reader_that_leaves(abx):
    process = abx.start("sh", "echo $$; exec yes")
    pid = int(process.stdout.readline())
    process.stdout.close()
    assert process.wait(60) in (141, -signal.SIGPIPE) and process.stderr.read() == b""
    eventually(lambda: not is_alive(pid), what="the end of yes")


@pytest.mark.parametrize("args", [("cat", "many"), ("find", "*"), ("ls", "-R"), ("help", "--man")])
def test_a_pipe_into_head_is_quiet(abx, folder, args):
    """More than a pipe takes."""
    for number in range(3000):
        (folder / f"{'n' * 60}{number}").write_text("")
    (folder / "many").write_text("line\n" * 100000)
    words = [args[0], f"{folder}/many"] if args[0] == "cat" else [*args, str(folder)] if args[0] != "help" else args
    process = abx.start(*words, *(["-m", "10000"] if args[0] == "find" else []))
    assert process.stdout.readline()
    process.stdout.close()
    assert process.wait(60) in (0, 141, -signal.SIGPIPE) and process.stderr.read() == b""


def test_events_as_json(abx):
    done = abx("--json", "sh", "echo x; exit 3")
    events = [json.loads(line) for line in done.out.splitlines()]
    assert done.code == 3 and [event["event"] for event in events] == ["start", "stdout", "exit"]
    assert events[1]["data"]["data"] == "x\n" and events[2]["data"]["exit_code"] == 3


class Cut:
    """A proxy in front of the server that closes both sides when told."""

    def __init__(self, server):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.server, self.socks = server, []
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        near, _ = self.listener.accept()
        far = socket.create_connection((self.server.host, self.server.port))
        self.socks = [near, far]
        for a, b in ((near, far), (far, near)):
            threading.Thread(target=self._pump, args=(a, b), daemon=True).start()

    @staticmethod
    def _pump(a, b):
        try:
            while part := a.recv(65536):
                b.sendall(part)
        except OSError:
            pass

    def cut(self):
        for sock in self.socks:
            sock.shutdown(socket.SHUT_RDWR)
        self.listener.close()


LINES = "for i in $(seq 1000); do echo $i; sleep 0.1; done; exit 7"


def test_a_stream_that_is_cut_is_no_success(server, tmp_path):
    cut = Cut(server)
    process = Abx(cut.url, tmp_path).start("sh", LINES)
    assert process.stdout.readline() == b"1\n"
    cut.cut()
    assert process.wait(60) == 125
    assert b"stream ended without an exit" in process.stderr.read()


def test_a_server_that_is_killed_is_no_success(make_server, tmp_path):
    server = make_server()
    process = Abx(server.url, tmp_path).start("sh", "for i in 1 2 3; do echo $i; done; exec sleep 100")
    assert process.stdout.readline() == b"1\n"
    server.kill()
    assert process.wait(60) == 125
    assert b"stream ended without an exit" in process.stderr.read()


# files


def test_bytes_up_and_down(abx, folder, tmp_path):
    for size, content in enumerate([b"", b"\x00", b"\r\n\xef\xbb\xbf", PAIRS, PAIRS * 40 + b"x"]):
        (tmp_path / "up").write_bytes(content)
        assert abx("cp", "up", f":{folder}/f{size}").code == 0
        assert (folder / f"f{size}").read_bytes() == content
        assert abx("cat", f"{folder}/f{size}").raw == content
        assert abx("cp", f":{folder}/f{size}", "down").code == 0
        assert (tmp_path / "down").read_bytes() == content


def test_a_download_continues(abx, client, folder, tmp_path):
    """What is there already is not fetched again: a byte in it that differs stays."""
    (folder / "f").write_bytes(PAIRS)
    tag = client.get_bytes("files.download_stream", path=str(folder / "f"), method="HEAD").header("etag").strip('"')
    part = tmp_path / f"got.{tag}.part"
    part.write_bytes(b"!" + PAIRS[1:1000])
    assert abx("cp", "-c", f":{folder}/f", "got").code == 0
    assert (tmp_path / "got").read_bytes() == b"!" + PAIRS[1:] and not part.exists()
    part.write_bytes(b"!" + PAIRS[1:])
    assert abx("cp", "-c", f":{folder}/f", "whole").code == 0
    assert abx("cp", "-c", f":{folder}/f", "got").code == 0 and (tmp_path / "got").read_bytes() == b"!" + PAIRS[1:]
    part.write_bytes(b"!")
    (folder / "f").write_bytes(b"changed")
    assert abx("cp", "-rc", f":{folder}", "got-all").code == 0 and (tmp_path / "got-all/f").read_bytes() == b"changed"
    assert abx("cp", "--continue", f":{folder}/f", "got").code == 0
    assert (tmp_path / "got").read_bytes() == b"changed" and not part.exists()


def test_stdin_and_stdout(abx, folder):
    assert abx("cp", "-", f":{folder}/in", input=PAIRS).code == 0
    assert (folder / "in").read_bytes() == PAIRS
    assert abx("cp", f":{folder}/in", "-").raw == PAIRS
    assert abx("cp", "-", f":{folder}", input=b"").code == 2


def test_pseudo_files(abx):
    assert abx("cp", "/proc/self/status", ":status").code == 0
    assert abx("cat", "status").out.startswith("Name:\tabx\n")


def test_modes(abx, folder, tmp_path):
    (tmp_path / "s").write_text("#!/bin/sh\n")
    (tmp_path / "s").chmod(0o750)
    assert abx("cp", "s", f":{folder}/s").code == 0
    assert (folder / "s").stat().st_mode & 0o777 == 0o750
    assert abx("cp", f":{folder}/s", "t").code == 0
    assert (tmp_path / "t").stat().st_mode & 0o777 == 0o750
    (tmp_path / "kept").write_text("")
    (tmp_path / "kept").chmod(0o600)
    assert abx("cp", f":{folder}/s", "kept").code == 0
    assert (tmp_path / "kept").stat().st_mode & 0o777 == 0o600


def test_where_files_go(abx, folder, tmp_path):
    (tmp_path / "a").write_text("A")
    (tmp_path / "b").write_text("B")
    (tmp_path / "d").mkdir()
    assert abx("cp", "a", "b", f":{folder}").code == 0
    assert (folder / "a").read_text() + (folder / "b").read_text() == "AB"
    assert abx("cp", f":{folder}/a", f":{folder}/b", "d").code == 0
    assert sorted(os.listdir(tmp_path / "d")) == ["a", "b"]
    assert abx("cp", "a", "b", f":{folder}/a").code == 2
    assert abx("cp", "a", "b").code == 2
    (tmp_path / "link").symlink_to("target")
    (tmp_path / "target").write_text("old")
    assert abx("cp", f":{folder}/b", "link").code == 0
    assert (tmp_path / "link").is_symlink() and (tmp_path / "target").read_text() == "B"


def test_a_failed_download_leaves_the_old_file(abx, folder, tmp_path):
    (tmp_path / "f").write_text("old")
    assert abx("cp", f":{folder}/missing", "f").code == 5
    assert abx("cp", f":{folder}", "f").code == 1
    assert (tmp_path / "f").read_text() == "old" and os.listdir(tmp_path) == ["f"]
    assert abx("cat", f"{folder}/missing").code == 5


def test_ls(abx, folder):
    (folder / "b").write_text("12345")
    (folder / ".h").write_text("")
    (folder / "a").mkdir()
    (folder / "a/inner").write_text("")
    (folder / "l").symlink_to("b")
    assert abx("ls", str(folder)).out == "a\nb\nl\n"
    assert abx("ls", "-a", f":{folder}").out == ".h\na\nb\nl\n"
    assert abx("ls", "-R", str(folder)).out == f"{folder}:\na\nb\nl\n\n{folder}/a:\ninner\n"
    rows = abx("ls", "-l", str(folder)).out.splitlines()
    assert [row[0] for row in rows] == ["d", "-", "l"] and rows[1].split()[0] == "-rw-r--r--" and " 5 " in rows[1]
    assert rows[2].endswith("l -> b") or " -> " in rows[2]
    assert abx("ls", f"{folder}/b").out == f"{folder}/b\n"
    assert abx("ls", "-l", f"{folder}/b").out.split() == [*rows[1].split()[:-1], f"{folder}/b"]
    (folder / "broken").symlink_to("nowhere")
    assert abx("ls", f"{folder}/broken").out == f"{folder}/broken\n"
    assert re.fullmatch(rf"l.* {folder}/broken -> nowhere\n", abx("ls", "-l", f"{folder}/broken").out)
    (folder / "broken").unlink()
    done = abx("ls", f"{folder}/missing", str(folder))
    assert done.code == 5 and "a\nb\nl\n" in done.out and done.err.startswith("abx: files.list: ")
    reply = json.loads(abx("--json", "ls", str(folder)).out)
    assert [entry["name"] for entry in reply["entries"]] == ["a", "b", "l"]


def test_names_that_are_not_utf8(abx, folder):
    with open(os.fsencode(folder) + b"/\xff", "wb") as file:
        file.write(b"raw")
    assert abx("ls", str(folder)).raw == b"\xff\n"
    assert abx("cat", os.fsencode(folder) + b"/\xff").raw == b"raw"
    assert abx("rm", os.fsencode(folder) + b"/\xff").code == 0 and os.listdir(folder) == []


def test_mv(abx, folder):
    (folder / "a").write_text("A")
    (folder / "b").write_text("B")
    (folder / "d").mkdir()
    assert abx("mv", f"{folder}/a", f"{folder}/c").code == 0 and (folder / "c").read_text() == "A"
    assert abx("mv", "-n", f"{folder}/c", f"{folder}/b").code == 1 and (folder / "b").read_text() == "B"
    assert abx("mv", f"{folder}/b", f"{folder}/c", f"{folder}/d").code == 0
    assert sorted(os.listdir(folder / "d")) == ["b", "c"]
    assert abx("mv", f"{folder}/missing", f"{folder}/x").code == 5


def test_rm(abx, folder):
    (folder / "f").write_text("")
    (folder / "d").mkdir()
    assert abx("rm", f"{folder}/d").code == 1 and (folder / "d").is_dir()
    assert abx("rm", f"{folder}/f", f"{folder}/missing").code == 5 and not (folder / "f").exists()
    assert abx("rm", "-f", f"{folder}/missing").code == 0
    (folder / "d/inner").write_text("")
    assert abx("rm", "-r", f"{folder}/d").code == 0 and os.listdir(folder) == []


def test_mkdir(abx, folder):
    assert abx("mkdir", f"{folder}/a/b").code == 5
    assert abx("mkdir", "-p", f"{folder}/a/b").code == 0 and (folder / "a/b").is_dir()
    assert abx("mkdir", "-p", f"{folder}/a/b").code == 0
    assert abx("mkdir", f"{folder}/a").code == 1
    assert abx("mkdir", "-m", "700", f"{folder}/m").code == 0 and (folder / "m").stat().st_mode & 0o777 == 0o700
    assert abx("mkdir", "-m", "7", f"{folder}/n").code == 2


def test_stat(abx, folder):
    (folder / "f").write_text("12345")
    out = abx("stat", f"{folder}/f").out
    assert "type: file\n" in out and "size: 5\n" in out
    done = abx("stat", f"{folder}/missing")
    assert done.code == 5 and done.err == f"abx: files.stat: no such file: {folder}/missing\n"
    assert json.loads(abx("stat", "--json", f"{folder}/f").out)["size"] == 5
    assert abx("stat", f"{folder}/missing", f"{folder}/f", f"{folder}/missing", f"{folder}/f").out == f"{out}\n{out}"


def test_outside_is_4(abx, outside):
    done = abx("cat", str(outside / "x"))
    assert done.code in (4, 5)
    assert abx("stat", "/etc/shadow").code in (0, 4)


# server


def test_server_ops_and_describe(abx):
    assert "files.list" in abx("server", "ops").out.split()
    assert {op["id"] for op in json.loads(abx("server", "ops", "--json").out)["ops"]} >= {"files.list", "commands.run"}
    out = abx("server", "describe", "files.list").out
    assert out.startswith("files.list: ") and "\nparameters:\n" in out and "GET /files/list" in out
    assert abx("server", "describe", "no.op").code == 5


def test_server_call(abx, folder):
    done = abx("server", "call", "files.stat", "--arg", f"path={folder}")
    assert json.loads(done.out)["type"] == "directory"
    done = abx("server", "call", "commands.run", "--arg", "argv=echo", "--arg", "argv=a b", "--arg", "timeout=5")
    assert json.loads(done.out)["stdout"] == "a b\n"
    lines = abx("server", "call", "commands.stream", "--json", '{"command":"echo x"}').out.splitlines()
    names = [json.loads(line)["event"] for line in lines]
    assert names[0] == "start" and names[-1] == "exit" and json.loads(lines[-1])["data"]["exit_code"] == 0
    assert abx("server", "call", "files.stat").code == 2
    assert abx("server", "call", "files.stat", "--arg", "pth=x").code == 2


def test_server_call_moves_bytes(abx, folder, tmp_path):
    (tmp_path / "f").write_bytes(PAIRS)
    assert abx("server", "call", "files.upload_stream", "--arg", f"path={folder}/a", "--file", "@f").code == 0
    assert abx("server", "call", "files.upload", "--arg", f"path={folder}/b", "--file", "content_base64=@f").code == 0
    assert (folder / "a").read_bytes() == (folder / "b").read_bytes() == PAIRS
    assert abx("server", "call", "files.download", "--arg", f"path={folder}/a").raw == PAIRS
    assert "content_base64" in json.loads(abx("--json", "server", "call", "files.download", "--arg", f"path={folder}/a").out)


def test_server_check(abx, folder):
    assert abx("server", "check", "files.list", "--arg", f"path={folder}").out == "allowed\n"
    done = abx("server", "check", "files.list", "--arg", "path=/etc")
    assert done.code == 4 and done.out.startswith("denied: ") and "policy:" in done.out


def test_server_check_of_an_op_that_is_not_described(make_server, tmp_path):
    server = make_server(policy={"tokens": [token("look", ["*:read"])]})
    abx = Abx(server.url, tmp_path, token="look-token")
    done = abx("server", "check", "files.delete", "--arg", "path=x")
    assert (done.code, done.err) == (4, "") and done.out.startswith("denied: ") and "tokens.look.scopes" in done.out
    shown = json.loads(abx("--json", "server", "check", "files.delete", "--arg", "path=x").out)
    assert (shown["allowed"], shown["wire_code"]) == (False, "policy.scope_denied")


def test_server_doctor(abx):
    done = abx("server", "doctor")
    assert done.code == 0 and "FAULT" not in done.out
    for word in ("reachable", "clock", "version", "credentials", "scopes", "groups", "writing", "programs"):
        assert word in done.out


def test_server_doctor_leaves_nothing_behind(make_server, tmp_path):
    server = make_server(policy={"tokens": [token("add", ["*"], ops={"files.delete": False})]})
    done = Abx(server.url, tmp_path, token="add-token")("--json", "server", "doctor")
    said = {line["tried"]: line for line in map(json.loads, done.out.splitlines())}
    assert (done.code, said["reachable"]["verdict"], said["writing"]["verdict"]) == (0, "ok", "note")
    assert "files.delete is not allowed" in said["writing"]["text"] and not list(server.base.glob(".abx-doctor*"))


def test_tokens(make_server, tmp_path):
    server = make_server(token="right-token")
    assert Abx(server.url, tmp_path, token="right-token")("ls").code == 0
    for secret in (None, "wrong-token"):
        abx = Abx(server.url, tmp_path, token=secret)
        done = abx("ls")
        assert done.code == 3 and "right-token" not in done.err and "wrong-token" not in done.err
        assert abx("exec", "true").code == 125
        assert "FAULT" in abx("server", "doctor").out


def test_a_unix_socket(make_server, tmp_path):
    server = make_server(listen=f"unix:{tmp_path}/s")
    assert Abx(f"unix:{tmp_path}/s", tmp_path)("sh", "echo $((6*7))").out == "42\n"
    assert server.is_running()


# the terminal


def on_terminal(abx, *arguments, env=None):
    """The output of abx when standard output and error are a terminal."""
    leader, follower = pty.openpty()
    process = abx.start(*arguments, env=env, stdout=follower, stderr=follower)
    os.close(follower)
    text = b""
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:
            break
        if not part:
            break
        text += part
    os.close(leader)
    return process.wait(60), text


def test_colours_and_escapes_are_for_terminals(abx, folder):
    (folder / "d").mkdir()
    (folder / "evil\x1b[2J").write_text("")
    code, text = on_terminal(abx, "ls", str(folder))
    assert code == 0 and b"\x1b[1;34md" in text and b"\x1b[2J" not in text and b"evil\\x1b[2J" in text
    code, text = on_terminal(abx, "ls", str(folder), env={"NO_COLOR": "1"})
    assert code == 0 and b"\x1b" not in text
    assert abx("ls", str(folder)).raw == b"d\nevil\x1b[2J\n"


def read_slowly(fifo):
    """The writer is held up for longer than a picture of its progress takes to be due."""
    with open(fifo, "rb") as reader:
        reader.read(1)
        time.sleep(0.3)  # not for an event: time itself must pass
        while reader.read(1 << 20):
            pass


def test_progress_is_for_terminals(abx, folder, tmp_path):
    with open(folder / "big", "wb") as file:
        file.truncate(8 << 20)
    os.mkfifo(tmp_path / "fifo")
    for flags, shown in ((), True), (("--quiet",), False):
        reader = threading.Thread(target=read_slowly, args=(tmp_path / "fifo",))
        reader.start()
        code, text = on_terminal(abx, *flags, "cp", f":{folder}/big", "fifo")
        reader.join()
        assert code == 0 and re.search(rb"% .*iB.*\r\x1b\[K$" if shown else rb"^$", text, re.S), text
    os.truncate(folder / "big", 1 << 20)
    assert abx("cp", f":{folder}/big", "/dev/null").err == ""


# help


def test_help(abx):
    done = abx("help")
    assert done.code == 0 and "\n  exec " in done.out
    names = [line.strip().split("  ")[0] for line in done.out.split("\n\n")[2].splitlines()]
    for name in names:
        assert abx("help", *name.split()).out.startswith(f"abx {name}: ")
        assert abx(*name.split(), "--help").code == 0
    assert abx().code == 2 and abx("nonsense").code == 2 and "'ls'" in abx("lss").err
    assert "'ls cp' is not a command" in abx("help", "ls", "cp").err and abx("info", "x").err.endswith("usage: abx info\n")
    assert abx("server").code == 2 and abx("--version").out.startswith("abx ")
    for words, meant in (("git statu", "git status"), ("contxt list", "context"), ("server opss", "server ops"), ("shel", "shell"), ("serv ops", "server"), ("git stat", "git status")):
        assert f"did you mean '{meant}'" in abx(*words.split()).err, words
    for shell in ("bash", "zsh", "fish"):
        assert "abx" in abx("completion", shell).out


@pytest.mark.parametrize("words,expected", [
    ("abx ", {"exec", "cp", "server", "context"}), ("abx server ", {"ops", "call", "doctor"}), ("abx server c", {"call", "check"}),
    ("abx --url x l", {"ls"}), ("abx --url http : //127.0.0.1 : 9000 l", {"ls"}), ("abx --url = unix : /x l", {"ls"}),
    ("abx shell --", {"--workdir"}), ("abx sh --", {"--timeout"}), ("abx ls --r", {"--recursive"}), ("abx context ", {"add", "use", "list", "rm"})])
def test_completion_in_bash(abx, words, expected):
    script = abx("completion", "bash").out + """
COMP_WORDS=($1); [ "${1% }" = "$1" ] || COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _abx; printf '%s\\n' "${COMPREPLY[@]}"
"""
    done = subprocess.run(["bash", "-c", script, "bash", words], capture_output=True, text=True, cwd=abx.home, check=True)
    assert words != "abx shell --" or "--timeout" not in done.stdout
    assert expected <= set(done.stdout.split()) and "cat" not in set(done.stdout.split()) - (expected if words != "abx " else {"cat"})


def test_completion_in_fish_has_the_flags_of_commands_of_two_words(abx):
    assert "__fish_seen_subcommand_from git; and __fish_seen_subcommand_from diff' -l staged" in abx("completion", "fish").out


def test_every_macro_of_the_manual_page_begins_a_line(abx):
    for line in abx("help", "--man").out.splitlines():
        assert not re.search(r"[^.\\]\.(TP|SS|PP|B|SH)\b", line) and line.isascii(), line
    for command in ("token new", "policy check", "policy explain"):
        assert "\n\n" + "flags:" in abx("help", *command.split()).out or command == "policy check"


@pytest.mark.parametrize("words", [("find", "*", "-d", "x"), ("find", "*", "-m", "-1"), ("grep", "x", "-C", "1.5"), ("grep", "x", "-m", "")])
def test_flags_that_want_a_number(abx, words):
    done = abx(*words)
    assert done.code == 2 and f"is a number, not '{words[-1]}'" in done.err


def test_the_manual_page_is_current(abx):
    assert (ROOT / "docs/man/abx.1").read_text() == abx("help", "--man").out
