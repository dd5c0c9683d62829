# SPDX-License-Identifier: Apache-2.0
"""
What the server is for, from end to end: a project goes in, is built and tested while its output
comes back, a fault is found and mended, and the program that was built comes out again.
"""
import base64
import os
import pathlib
import subprocess
import sys
import tarfile

import pytest

PROJECT = pathlib.Path(__file__).resolve().parents[2] / "examples/demo-c"


def make(client, folder, target=""):
    """The build's lines as they came, and its exit code; all is made anew, whatever the times of files say."""
    with client.stream("commands.stream", command=f"make -B {target} 2>&1", cwd=str(folder), lines=True, timeout=60) as stream:
        events = list(stream)
    return [event.data["data"] for event in events if event.name == "stdout"], events[-1].data["exit_code"]


def test_a_project_is_built_tested_mended_and_brought_home(client, folder, tmp_path):
    if client.call("commands.run", command="command -v make cc")["exit_code"]:
        pytest.skip("no make or no compiler here")
    assert client.rest("files.mkdir", path=str(folder / "demo"))["created"] is True
    for file in PROJECT.iterdir():
        sent = client.send_bytes("files.upload_stream", file.read_bytes(), path=str(folder / "demo" / file.name))
        assert sent["bytes"] == file.stat().st_size
    listed = client.rest("files.list", path=str(folder / "demo"))["entries"]
    assert {entry["name"] for entry in listed} == {file.name for file in PROJECT.iterdir()}

    lines, code = make(client, folder / "demo", "test")
    assert code == 0 and lines[-6:] == [f"ok {i}: {n} words" for i, n in enumerate((0, 0, 1, 1, 2, 4), 1)]

    # A fault: the tests tell, and the compiler does too.
    source = (PROJECT / "words.c").read_bytes()
    client.send_bytes("files.upload_stream", source.replace(b"&& !inside", b"|| inside"), path=str(folder / "demo/words.c"))
    lines, code = make(client, folder / "demo", "test")
    assert code == 2 and any(line.startswith("FAILED") for line in lines)
    client.send_bytes("files.upload_stream", source.replace(b"size_t count = 0;", b"int unused, count = 0"),
                      path=str(folder / "demo/words.c"))
    lines, code = make(client, folder / "demo")
    assert code == 2 and any("words.c:" in line and "error" in line for line in lines)
    client.rest("files.upload", path=str(folder / "demo/words.c"), content_base64=base64.b64encode(source).decode())
    assert make(client, folder / "demo", "words words-test")[1] == 0

    # The program runs there, and comes home whole: it runs here too.
    assert client.call("commands.run", argv=["./words", "a b", "c"], cwd=str(folder / "demo"))["stdout"] == "3\n"
    reply = client.get_bytes("files.download_stream", path=str(folder / "demo/words"))
    program = tmp_path / "words"
    program.write_bytes(reply.read())
    program.chmod(0o755)
    assert subprocess.run([program, "one two", " three "], capture_output=True, check=True).stdout == b"3\n"
    assert program.read_bytes() == (folder / "demo/words").read_bytes()

    assert client.rest("files.delete", path=str(folder / "demo"))["deleted"] is True
    assert client.rest("files.stat", path=str(folder / "demo"))["exists"] is False


def test_the_same_by_archive(client, folder, tmp_path):
    """One archive in, unpacked by a command; the result leaves through a pipe of bytes."""
    packed = tmp_path / "demo.tar.gz"
    with tarfile.open(packed, "w:gz") as archive:
        archive.add(PROJECT, "demo")
    client.send_bytes("files.upload_stream", packed.read_bytes(), path=str(folder / "demo.tar.gz"))
    result = client.call("commands.run", command="tar xzf demo.tar.gz && cat demo/words.h | sha256sum", cwd=str(folder))
    assert result["exit_code"] == 0, result
    code = "import hashlib,sys; print(hashlib.sha256(open(sys.argv[1],'rb').read()).hexdigest())"
    assert result["stdout"].split()[0] == subprocess.run(
        [sys.executable, "-c", code, str(PROJECT / "words.h")], capture_output=True, text=True, check=True).stdout.strip()
    with client.stream("commands.stream", argv=["tar", "cf", "-", "demo"], cwd=str(folder), encoding="base64") as stream:
        parts = [base64.b64decode(event.data["data"]) for event in stream if event.name == "stdout"]
    (tmp_path / "back.tar").write_bytes(b"".join(parts))
    with tarfile.open(tmp_path / "back.tar") as archive:
        names = {os.path.basename(name) for name in archive.getnames()} - {"demo"}
        assert names == {file.name for file in PROJECT.iterdir()}
        assert archive.extractfile("demo/words.c").read() == (PROJECT / "words.c").read_bytes()
