# SPDX-License-Identifier: Apache-2.0
"""abx watch: a line for each change."""
import json
import shutil
import signal
import threading

import pytest


@pytest.fixture
def busy():
    """Makes one file after the other until the test is over: nobody has to guess when a watch has begun."""
    done, threads = threading.Event(), []

    def begin(folder):
        def work():
            number = 0
            while not done.wait(0.01):
                number += 1
                (folder / f"f{number}").write_text("")

        threads.append(threading.Thread(target=work))
        threads[-1].start()

    yield begin
    done.set()
    for thread in threads:
        thread.join()


def test_lines(abx, folder, busy):
    (folder / "d").mkdir()
    busy(folder / "d")
    with abx.start("watch", "-r", str(folder)) as process:
        line = process.stdout.readline().decode()
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
    assert line.startswith(f"create {folder}/d/f")


def test_json_and_the_end(abx, folder):
    with abx.start("--json", "watch", str(folder)) as process:
        assert json.loads(process.stdout.readline())["event"] == "ready"
        (folder / "a\nb").mkdir()
        event = json.loads(process.stdout.readline())
        assert event["data"]["type"] == "create" and event["data"]["path"] == f"{folder}/a\nb"
        shutil.rmtree(folder)
        last = json.loads(process.stdout.readlines()[-1])
        assert process.wait(20) == 0 and last == {"event": "end", "data": {"reason": "deleted"}}


def test_a_rename_is_one_line(abx, folder):
    (folder / "old\n").write_text("")
    with abx.start("watch", "--timeout", "20", str(folder)) as process:
        turn = threading.Thread(target=rename_until, args=(folder, process))
        turn.start()
        line = process.stdout.readline().decode()
        process.terminate()
        process.wait(20)
        turn.join()
    # A rename in the moment of the first look may find its new name there already: then it is a write (R68).
    kind, what = line.split(" ", 1)
    assert kind in ("rename", "write")
    assert what in (f"{folder}/new <- {folder}/old\\n\n", f"{folder}/old\\n <- {folder}/new\n")


def rename_until(folder, process):
    names = ["old\n", "new"]
    while process.poll() is None:
        (folder / names[0]).rename(folder / names[1])
        names.reverse()


def test_time_and_refusals(abx, folder):
    done = abx("watch", "--timeout", "0.1", str(folder))
    assert done.code == 0 and done.out == ""
    assert abx("watch", f"{folder}/no").code == 5
    assert abx("watch", "--timeout", "soon", str(folder)).code == 2
