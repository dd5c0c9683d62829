# SPDX-License-Identifier: Apache-2.0
"""Questions to /proc, and waiting for an answer with a deadline."""
import contextlib
import fcntl
import itertools
import os
import pathlib
import struct
import subprocess
import termios
import time

_naps = itertools.count(600)


def may_unshare(*words):
    """Whether unshare works here with these options: not in a chroot, nor in many containers."""
    return subprocess.run(["unshare", *words, "true"], capture_output=True).returncode == 0


def running(*argv):
    """Pids of processes, zombies apart, whose argument list is exactly this."""
    wanted = b"\0".join(os.fsencode(word) for word in argv) + b"\0"
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                if pathlib.Path(f"/proc/{entry}/cmdline").read_bytes() == wanted:
                    found.append(int(entry))
            except OSError:
                continue
    return found


def nap():
    """A number for `sleep` that no other test uses: whoever sleeps so long is known by it."""
    return f"{next(_naps)}.{os.getpid()}"


def sleeping(number):
    """Pids of `sleep NUMBER`."""
    return running("sleep", number)


def children(pid, zombies_only=False):
    """Pids of direct children; with zombies_only those that nobody waited for."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                state, parent = pathlib.Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()[:2]
            except OSError:
                continue
            if int(parent) == pid and (state == "Z" or not zombies_only):
                found.append(int(entry))
    return found


def is_alive(pid):
    """Neither gone, nor waiting for its parent to look after it, which may be the machine's first process."""
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def unread(pipe):
    """How many bytes a pipe holds."""
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0]


def eventually(condition, within=60.0, what="the condition"):
    """The first true answer of condition(); fails when there is none in time."""
    deadline = time.monotonic() + within
    while True:
        answer = condition()
        if answer:
            return answer
        assert time.monotonic() < deadline, f"{what} did not come true within {within} s"
        time.sleep(0.01)


def in_time(attempt, shortest=0.5):
    """
    attempt(timeout) with a longer and a longer timeout of an op, until what the test wants to see was there before it
    struck: then it gives something true.  A machine that stalls needs more than the shortest.
    """
    for timeout in (shortest, 5, 25):
        answer = attempt(timeout)
        if answer:
            return answer
    raise AssertionError(f"not even {timeout} s were enough")


def rests(server, seconds=0.5, most=0.2):
    """Waits for a while of so many seconds in which the server uses at most this part of one processor."""
    def uses_little():
        before = server.cpu_seconds()
        time.sleep(seconds)  # nothing is waited for: this is the while that is measured
        return server.cpu_seconds() - before <= seconds * most
    eventually(uses_little, what="that the server rests")


@contextlib.contextmanager
def no_descriptor_is_left(server):
    """
    Around what opens far more descriptors in the server than the few that it may keep: eight empty cgroups
    with two each, which it has made before or makes now.
    """
    server.client().call("core.health")  # what was closed before is closed there, too
    before = server.fds()
    yield
    eventually(lambda: server.fds() <= before + 18, what="the end of all descriptors that were opened")


def gone(*numbers):
    """Waits for the end of every `sleep NUMBER`."""
    eventually(lambda: not any(sleeping(number) for number in numbers), what=f"the end of sleep {numbers}")
