# SPDX-License-Identifier: Apache-2.0
"""Fixtures of all tests that need a server, and the time limit that every test has."""
import itertools
import os
import pathlib
import shutil
import signal
import tempfile

import pytest

from lib.server import FATAL, Server, binary

LONGEST_TEST = int(os.environ.get("ABX_TEST_SECONDS", "300"))
_numbers = itertools.count(1)

# A shell that starts us in the background has SIGINT ignored, which children would inherit: Ctrl-C is part of the tests.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# So does nohup with SIGHUP.
signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    def late(*_):
        pytest.fail(f"{item.nodeid} took more than {LONGEST_TEST} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, LONGEST_TEST)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def pytest_collection_modifyitems(config, items):
    if os.environ.get("ABX_TEST_CHECK"):
        return
    config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("check")])
    items[:] = [item for item in items if not item.get_closest_marker("check")]


def pytest_terminal_summary(terminalreporter):
    """Writes the ids of the tests that failed to $ABX_TEST_FAILED for tools/run-api, and `!` where the server crashed or hung."""
    path = os.environ.get("ABX_TEST_FAILED")
    failed = terminalreporter.getreports("failed") + terminalreporter.getreports("error")
    if path and failed:
        lines = {"!" if FATAL.search(report.longreprtext) else report.nodeid for report in failed}
        pathlib.Path(path).write_text("".join(f"{line}\n" for line in sorted(lines)))


@pytest.fixture(scope="session")
def server():
    """One server for each worker: no token, every group switched on, a base folder of its own."""
    assert os.path.exists(binary()), f"{binary()} is not there; `make build` makes it"
    shared = Server(policy={"profile": "full_access"})
    yield shared
    shared.stop()


@pytest.fixture
def client(server):
    """A client of the shared server, which must outlive the test."""
    yield server.client()
    assert server.is_running(), f"the server ended during the test\n{server.stderr()[-4000:]}"
    server.check_silence()


@pytest.fixture
def root(server):
    """The base folder of the shared server."""
    return server.base


@pytest.fixture
def folder(root):
    """A new folder of this test below the base folder."""
    path = root / f"t{os.getpid()}-{next(_numbers)}"
    path.mkdir()
    return path


@pytest.fixture
def make_server():
    """Starts further servers: make_server("--flag", policy={…}, token="…"); at the end all are stopped and judged."""
    made = []

    def make(*options, **how):
        made.append(Server(*options, **how))
        return made[-1]

    yield make
    faults = []
    for one in made:
        try:
            one.stop()
        except AssertionError as fault:
            faults.append(str(fault))
    assert not faults, "\n".join(faults)


@pytest.fixture(scope="session", params=[(), ("--no-cgroups",)], ids=["cgroups", "proc"])
def process_server(request):
    """Tests of processes run twice: trees are found by their cgroup, and in /proc (R92)."""
    shared = Server(*request.param)
    yield shared
    shared.stop()


@pytest.fixture
def runner(process_server):
    """A client of process_server."""
    yield process_server.client()
    assert process_server.is_running(), f"the server ended during the test\n{process_server.stderr()[-4000:]}"
    process_server.check_silence()


@pytest.fixture
def outside(tmp_path) -> pathlib.Path:
    """A folder outside every root."""
    path = tmp_path / "outside"
    path.mkdir()
    return path


@pytest.fixture
def quick():
    """A folder in memory where there is one: thousands of files are made in it."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    path = pathlib.Path(tempfile.mkdtemp(dir=memory, prefix="abx-test-"))
    yield path
    shutil.rmtree(path)
