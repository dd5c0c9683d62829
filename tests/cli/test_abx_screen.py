# SPDX-License-Identifier: Apache-2.0
"""Programs that draw the whole screen, used by a person through abx shell in a real emulator."""
import hashlib
import re
import shutil
import sys

import pytest

from lib.abx import abx_binary
from lib.pane import Pane
from lib.ws import Terminal

EDITOR = shutil.which("vim.tiny") or shutil.which("vim")
PROMPT = r"^inner>"


@pytest.fixture
def pane(abx, folder):
    made = []

    def make(*command):
        made.append(Pane([abx_binary(), *command], abx.environment()))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def shell(pane, folder):
    """abx shell at its prompt."""
    one = pane("shell", "-w", folder)
    one.expect(r"[$#]$")
    one.type("PS1='inner'; PS1=$PS1'> '; PROMPT_COMMAND=; clear\n")
    one.expect(lambda p: re.match(PROMPT, p.screen()))
    return one


def leave(one):
    one.type("exit 3\n")
    one.expect(r"^outer>")
    one.type("echo code $?\n")
    one.expect(r"^code 3$")


def test_an_editor(shell, folder):
    assert EDITOR, "vim is needed: tools/install-deps test"
    (folder / "note.txt").write_text("first\nsecond\n")
    shell.type(f"{EDITOR} -u NONE -N note.txt\n")
    shell.expect(r"^first\nsecond\n~\n")
    assert shell.asks("alternate_on") == "1"
    shell.keys("G", "o")
    shell.type("third ü 漢")
    shell.expect(r"^third ü 漢$")
    # Smaller and larger: it draws itself into the new size, and the last line is the last one.
    for cols, rows in (60, 12), (100, 40):
        shell.resize(cols, rows)
        shell.expect(lambda p: len(lines := p.screen().split("\n")[:-1]) == rows and "INSERT" in lines[-1])
    shell.keys("Escape")
    shell.type(":wq\n")
    shell.expect(lambda p: p.asks("alternate_on") == "0")
    shell.type("stty size\n")
    shell.expect(r"^40 100$")
    assert (folder / "note.txt").read_text() == "first\nsecond\nthird ü 漢\n"
    leave(shell)


def test_a_pager(shell, folder):
    (folder / "long.txt").write_text("".join(f"line {i}\n" for i in range(1, 5001)))
    shell.type("less long.txt\n")
    shell.expect(r"\Aline 1\n(.*\n)*line 23\n")
    shell.keys("Space")
    shell.expect(r"\Aline 24\n")
    shell.type("/line 4321$\n")
    shell.expect(r"\Aline 4321\n")
    shell.keys("G")
    shell.expect(r"^line 5000$")
    shell.keys("g")
    shell.expect(r"\Aline 1\n")
    shell.resize(80, 10)
    shell.expect(r"\A(line \d+\n){9}[^l\n]?.*\n\Z")
    shell.keys("g")
    shell.expect(r"\A(line \d\n){8}line 9\n[^l]")
    shell.keys("q")
    shell.expect(PROMPT)
    leave(shell)


def test_top(shell):
    shell.type("top -d 0.3\n")
    first = shell.expect(r"\Atop - (\d\d:\d\d:\d\d) up ")
    shell.expect(r"^ +PID +USER ")
    shell.expect(lambda p: (now := re.match(r"top - (\S+) up ", p.screen())) and now[1] != first[1])
    shell.keys("q")
    shell.expect(PROMPT)
    leave(shell)


def test_detaching_from_an_editor(shell, pane, folder):
    """The screen here is a shell's again; who comes back sees the editor as it was."""
    shell.type(f"{EDITOR} -u NONE -N other.txt\n")
    shell.expect(r"^~$")
    shell.keys("i")
    shell.type("kept text\n~.")
    name = shell.expect(r"abx: detached; 'abx shell (\S+)' comes back")[1]
    shell.expect(r"^outer>")
    assert shell.asks("alternate_on") == "0"
    assert shell.asks("cursor_flag") == "1" and shell.asks("keypad_cursor_flag") == "0"
    other = pane("shell", name)
    other.expect(r"\Akept text\n")
    assert other.asks("alternate_on") == "1"
    other.keys("Escape")
    other.type(":wq\n")
    other.expect(lambda p: p.asks("alternate_on") == "0")
    assert (folder / "other.txt").read_text() == "kept text\n\n"
    other.type("exit 3\n")
    other.expect(r"^outer>")


def test_nothing_answers_a_replay(pane, client):
    """B060: what a terminal was asked before somebody came is not asked again, and nothing is typed into the shell."""
    asks = r"\033[6n\033[c\033[>c\033]11;?\007\033[?2004$p\033Z"
    session = client.call("terminal.create", command=f"printf '{asks}ready\\n'; exec cat -v")
    with Terminal(client, session) as viewer:
        viewer.expect("ready", within=60)  # and answers none of it
    one = pane("shell", session["session_id"])
    one.expect(r"^ready$")
    one.type("typed\n")
    one.expect(r"^ready\ntyped\ntyped\n")
    one.keys("C-d")
    one.expect(r"^outer>")


READER = """
import hashlib, os, sys, termios, tty
before = termios.tcgetattr(0)
tty.setraw(0)
os.write(1, b"\\x1b[?2004hready\\r\\n")
text = b""
while not text.endswith(b"\\x1b[201~"):
    text += os.read(0, 65536)
os.write(1, b"\\x1b[?2004l")
termios.tcsetattr(0, termios.TCSADRAIN, before)
assert text.startswith(b"\\x1b[200~")
text = text[6:-6]
print(len(text), hashlib.sha256(text).hexdigest()[:32])
"""


def test_a_large_paste(shell, folder):
    (folder / "reader.py").write_text(READER)
    shell.type(f"{sys.executable} reader.py\n")
    shell.expect(r"^ready$")
    text = "".join(f"{i}: ein Stück Text, 漢字 und ein Wort mehr\n" for i in range(20000))
    shell.paste(text)
    shell.expect(f"^{len(text.encode())} {hashlib.sha256(text.encode()).hexdigest()[:32]}$")
    leave(shell)


def test_a_paste_into_an_editor(shell, folder):
    shell.type(f"{EDITOR} -u NONE -N paste.txt\n")
    shell.expect(r"^~$")
    shell.keys("i")
    shell.expect(r"INSERT")
    text = "".join(f"\tif ({i}) {{ # ü\n" for i in range(3000))
    shell.paste(text)
    shell.expect(r"if \(2999\)")
    shell.keys("Escape")
    shell.type(":wq\n")
    shell.expect(lambda p: p.asks("alternate_on") == "0")
    assert (folder / "paste.txt").read_text() == text + "\n"
    leave(shell)
