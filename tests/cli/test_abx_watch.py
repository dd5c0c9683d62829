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
        assert process.wait(60) == 130
    assert line.startswith(f"create {folder}/d/f")


def test_json_and_the_end(abx, folder):
    with abx.start("--json", "watch", str(folder)) as process:
        assert json.loads(process.stdout.readline())["event"] == "ready"
        (folder / "a\nb").mkdir()
        event = json.loads(process.stdout.readline())
        assert event["data"]["type"] == "create" and event["data"]["path"] == f"{folder}/a\nb"
        shutil.rmtree(folder)
        last = json.loads(process.stdout.readlines()[-1])
        assert process.wait(60) == 0 and last == {"event": "end", "data": {"reason": "deleted"}}


def test_a_rename_is_one_line(abx, folder, busy):
    (folder / "old\n").write_text("")
    busy(folder)
    with abx.start("watch", str(folder)) as process:
        assert process.stdout.readline().decode().startswith(f"create {folder}/f")
        (folder / "old\n").rename(folder / "new")
        for line in process.stdout:
            if f" {folder}/f".encode() not in line:
                break
        process.terminate()
        process.wait(60)
    assert line.decode() == f"rename {folder}/new <- {folder}/old\\n\n"


def test_time_and_refusals(abx, folder):
    done = abx("watch", "--timeout", "0.1", str(folder))
    assert done.code == 0 and done.out == ""
    assert abx("watch", f"{folder}/no").code == 5
    assert abx("watch", "--timeout", "soon", str(folder)).code == 2
