# SPDX-License-Identifier: Apache-2.0
"""The static file in an empty root: nothing there but itself, no /proc, no /dev, no libc, no shell."""
import os
import pathlib
import select
import shutil
import subprocess
import types

import pytest

from lib.client import Client, expect_error
from lib.server import FAULTS, READY

STATIC = pathlib.Path(os.environ.get("ABX_TEST_STATIC", "/nowhere")).absolute()  # `make check` makes it and says where
PROGRAM = """
#include <unistd.h>
int main(int argc, char **argv)
{
	char text[64];
	ssize_t len = read(0, text, sizeof text);

	write(1, "made of nothing\\n", 16);
	write(2, text, len > 0 ? len : 0);
	return argc == 3 && argv[1][0] == 'a' ? 7 : 1;
}
"""

pytestmark = [
    pytest.mark.skipif(not STATIC.exists(), reason="ABX_TEST_STATIC does not name the static file: see `make check`"),
    pytest.mark.skipif(os.geteuid() != 0, reason="only root may change its root"),
]


@pytest.fixture
def empty(tmp_path):
    """A server in a root of its own with one folder, and a client of it."""
    root = tmp_path / "root"
    (root / "work").mkdir(parents=True)
    shutil.copy(STATIC, root / "server")

    def enter():
        os.chroot(root)
        os.chdir("/")

    with open(tmp_path / "stderr", "wb") as stderr:
        process = subprocess.Popen(["/server", "--listen", "127.0.0.1:0", "--base-dir", "/work"], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=stderr, env={}, preexec_fn=enter)
    try:
        assert select.select([process.stdout], [], [], 60)[0], "no ready line"
        line = process.stdout.readline().decode()
        assert READY.search(line), f"{line!r} {(tmp_path / 'stderr').read_text()}"
        port = int(line.rstrip().rstrip("/").rpartition(":")[2])
        yield Client(types.SimpleNamespace(host="localhost", port=port, unix=None)), root
        process.terminate()
        assert process.wait(60) == 0
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        process.stdout.close()
    assert not FAULTS.search((tmp_path / "stderr").read_text())


def compile_into(root, tmp_path):
    source = tmp_path / "x.c"
    source.write_text(PROGRAM)
    subprocess.run([os.environ.get("CC", "cc"), "-static", "-O1", "-o", root / "x", source], check=True, timeout=60)


def test_files_in_an_empty_root(empty):
    client, root = empty
    data = os.urandom(3 << 20)
    assert client.send_bytes("files.upload_stream", data, path="data")["bytes"] == len(data)
    assert (root / "work/data").read_bytes() == data
    assert os.listdir(root / "work") == ["data"], "something was left behind"
    assert client.get_bytes("files.download_stream", path="data").read() == data
    assert client.call("files.upload", path="data", content_base64="bmV3")["bytes"] == 3
    assert (root / "work/data").read_bytes() == b"new"
    assert [entry["name"] for entry in client.call("files.list", path=".")["entries"]] == ["data"]
    assert client.call("files.delete", path="data")["deleted"] and os.listdir(root / "work") == []


def test_programs_in_an_empty_root(empty, tmp_path):
    client, root = empty
    compile_into(root, tmp_path)
    done = client.call("commands.run", argv=["/x", "a", "b"], stdin="as given")
    assert (done["exit_code"], done["stdout"], done["stderr"]) == (7, "made of nothing\n", "as given")
    assert client.call("commands.run", argv=["/x"])["exit_code"] == 1, "without input it reads its end"
    with client.stream("commands.stream", argv=["/x", "a", "b"]) as stream:
        together = stream.collect()
    assert together["stdout"] == "made of nothing\n" and together["exit"]["exit_code"] == 7
    with expect_error("commands.cannot_start"):
        client.call("commands.run", argv=["/nothing"])
    with expect_error("commands.cannot_start"):
        client.call("commands.run", command="echo there is no shell")


def test_the_server_tells_what_it_has_in_an_empty_root(empty):
    client, _ = empty
    assert client.rest("core.health")["status"] == "ok"
    assert client.call("core.capabilities")
