# SPDX-License-Identifier: Apache-2.0
"""abx shell and exec -t in a real terminal, against the real server."""
import signal

import pytest

from lib.processes import gone, nap
from lib.screen import Screen


@pytest.fixture
def screen(abx):
    made = []

    def make(*args):
        made.append(Screen(abx, *args))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_shell(screen, folder):
    one = screen("shell", "-w", str(folder), "-e", "GREETING=hello")
    one.type(b"echo $GREETING-$((40 + 2)); stty size; pwd\r")
    one.expect(rb"hello-42\r\n30 90\r\n" + str(folder).encode())
    one.resize(101, 41)
    one.process.send_signal(signal.SIGWINCH)
    # The new size travels beside the keys that ask for it, and before them or after: ask until it is there.
    one.type(b"until [ \"$(stty size)\" = '41 101' ]; do :; done; echo siz''ed\r")
    one.expect(rb"sized\r\n")
    # Ctrl-C is the remote program's, once that is in the foreground: so it speaks itself.
    one.type(b"sh -c 'echo wai\"\"ting; exec sleep 1000'\r")
    one.expect(rb"waiting\r\n")
    one.type(b"\x03")
    # The terminal throws away what is typed before it has seen that.
    one.expect(rb"\^C")
    one.type(b"echo a~.b; exit 7\r")
    one.expect(rb"a~\.b\r\n")
    assert one.end() == 7


@pytest.mark.parametrize("typed", [b"", b"echo $((40 + 2))\n", b"echo $((40 + 2))"])
def test_input_that_ends(abx, typed):
    """A shell or a command that reads ends with it, also when it comes before they are ready, or in the middle of a line."""
    shell = abx("shell", input=typed)
    assert shell.code == 0 and (b"42\r\n" in shell.raw) == bool(typed), shell
    cat = abx("exec", "-t", "--", "cat", input=typed)
    assert cat.code == 0 and (not typed or cat.raw.count(typed.rstrip()) == 2), cat  # its echo, and cat's


def test_detach_and_come_back(screen):
    one = screen("shell")
    one.type(b"X=kept; echo rea''dy\r")
    one.expect(rb"ready\r\n")
    one.type(b"~.")
    name = one.expect(rb"abx: detached; 'abx shell (\S+)' comes back").group(1).decode()
    assert one.end() == 0
    other = screen("shell", name)
    other.expect(rb"ready\r\n")
    other.type(b"~~; echo $X-again\r")
    other.expect(rb"kept-again\r\n")
    other.type(b"exit 3\r")
    assert other.end() == 3


def test_exec_in_a_terminal(screen, abx):
    one = screen("exec", "-it", "--", "sh", "-c", "test -t 0 && test -t 1 && read x && echo got-$x; exit 5")
    one.type(b"word\r")
    one.expect(rb"got-word\r\n")
    assert one.end() == 5
    # Without a terminal here there is one there all the same.
    done = abx("exec", "-t", "--", "sh", "-c", "test -t 1 && cat; kill -9 $$", input=b"line\n")
    assert done.code == 137 and done.raw.endswith(b"line\r\n")


def test_a_signal_leaves_the_terminal_as_it_was(screen):
    one = screen("shell")
    one.type(b"echo rea''dy\r")
    one.expect(rb"ready\r\n")
    one.process.send_signal(signal.SIGTERM)
    assert one.end() == 130


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_program_in_a_terminal_ends_with_us(screen, abx, client, number):
    name, left = nap(), nap()
    one = screen("exec", "-t", "--", "sh", "-c", f"trap '' HUP TERM; sleep {left} & echo rea''dy; sleep {name}")
    one.expect(rb"ready\r\n")
    one.process.send_signal(number)
    assert one.end() == 130
    gone(name, left)


def test_refusals(abx):
    done = abx("shell", "no-such-session")
    assert done.code == 125 and "no such terminal session: no-such-session" in done.err, done
    done = abx("exec", "-t", "--timeout", "1", "--", "true")
    assert done.code == 125 and "--tty" in done.err
    assert abx("exec", "-t", "--", "/no/such/program").code == 125
