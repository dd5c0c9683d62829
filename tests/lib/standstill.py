# SPDX-License-Identifier: Apache-2.0
"""
A machine that stands still: `ABX_TEST_SECONDS=900 tools/run-api SERVER -p lib.standstill` stops what runs below a
worker of pytest (servers, abx, browsers, commands) and the worker itself at random, for up to ABX_STANDSTILL seconds.

What has a terminal is left alone: a shell would take the stop of its job for one by its user.  lib.stutter is gentler
to the machine and harder on sockets.
"""
import contextlib
import os
import pathlib
import random
import signal
import subprocess
import sys
import time

MOST = float(os.environ.get("ABX_STANDSTILL", "2"))


def stat(pid):
    """State, parent and terminal of a process."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return fields[0], int(fields[1]), int(fields[4])


def below(root):
    """What runs below it without a terminal, apart from ourselves."""
    parents = {}
    for entry in os.listdir("/proc"):
        with contextlib.suppress(OSError, ValueError):
            state, parent, terminal = stat(int(entry))
            if state not in "ZT" and not terminal and int(entry) != os.getpid():
                parents[int(entry)] = parent
    found = {root}
    while more := {pid for pid, parent in parents.items() if parent in found and pid not in found}:
        found |= more
    return sorted(found - {root})


def stand_still(worker):
    """One, a few or all of them, or the worker, which starts what the others wait for."""
    pids = [worker] if random.random() < 0.2 else below(worker)
    chosen = random.sample(pids, min(len(pids), random.choice((1, 1, 2, 5, 100))))
    for number, seconds in ((signal.SIGSTOP, random.choice((0.1, MOST)) * random.random()), (signal.SIGCONT, 0)):
        for pid in chosen:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        time.sleep(seconds)


def main(worker):
    while os.getppid() == worker:
        time.sleep(random.random())
        stand_still(worker)


def pytest_configure():
    if "PYTEST_XDIST_WORKER" in os.environ:
        subprocess.Popen([sys.executable, __file__, str(os.getpid())], stdin=subprocess.DEVNULL, start_new_session=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
