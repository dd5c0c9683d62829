# SPDX-License-Identifier: Apache-2.0
"""abx find, grep and edit, a copy from one place of the server to another, and an output that is not ready."""
import json
import os

from lib.processes import eventually, unread


def test_find(abx, folder):
    (folder / "d/e").mkdir(parents=True)
    (folder / "d/e/a.c").write_text("")
    (folder / "b.c").write_text("")
    assert abx("find", "*.c", str(folder)).out == f"{folder}/b.c\n{folder}/d/e/a.c\n"
    assert abx("find", "d/**", f":{folder}", "-t", "directory").out == f"{folder}/d/e\n"
    assert abx("find", "*.c", str(folder), "-d", "1").out == f"{folder}/b.c\n"
    done = abx("find", "*", str(folder), "-m", "1")
    assert done.code == 0 and done.out.count("\n") == 1 and "not complete" in done.err
    assert abx("find", "x", str(folder)).out == ""
    assert abx("find", "x", f"{folder}/missing").code == 5
    assert abx("find", "*", str(folder), "-d", "x").code == 2
    assert len(json.loads(abx("find", "--json", "*.c", str(folder)).out)["results"]) == 2


def test_grep(abx, folder):
    (folder / "a").write_text("one\nNeedle [x]\nthree\n")
    (folder / "b").write_text("needle\n")
    assert abx("grep", "need.e", str(folder)).out == f"{folder}/b:1:needle\n"
    assert abx("grep", "-i", "need.e", str(folder)).out == f"{folder}/a:2:Needle [x]\n{folder}/b:1:needle\n"
    assert abx("grep", "-F", "[x]", f"{folder}/a", f"{folder}/b").out == f"{folder}/a:2:Needle [x]\n"
    assert abx("grep", "-C", "1", "Needle", str(folder)).out == f"{folder}/a-1-one\n{folder}/a:2:Needle [x]\n{folder}/a-3-three\n"
    assert abx("grep", "-g", "b", ".", str(folder)).out == f"{folder}/b:1:needle\n"
    assert "not complete" in abx("grep", "-m", "1", ".", str(folder)).err
    assert abx("grep", "nothing", str(folder)).code == 1
    assert abx("grep", "[", str(folder)).code == 2
    assert abx("grep", "x", f"{folder}/missing", str(folder)).code == 5
    (folder / ".gitignore").write_text("b\n")
    assert abx("grep", "needle", str(folder)).code == 1
    assert abx("grep", "--no-ignore", "needle", str(folder)).code == 0
    assert len(json.loads(abx("grep", "--json", "three", str(folder)).out)["matches"]) == 1


def test_edit(abx, folder, tmp_path):
    path = folder / "f"
    path.write_text("one\ntwo\n")
    done = abx("edit", str(path), "--old", "two", "--new", "2")
    assert done.code == 0 and done.out.endswith("@@ -1,2 +1,2 @@\n one\n-two\n+2\n") and path.read_text() == "one\n2\n"
    (tmp_path / "patch").write_text("@@ -1 +1 @@\n-one\n+1\n")
    assert abx("edit", str(path), "--patch", str(tmp_path / "patch")).code == 0 and path.read_text() == "1\n2\n"
    done = abx("edit", str(path), "--patch", str(tmp_path / "patch"))
    assert done.code == 1 and "hunk 1" in done.err
    assert abx("edit", str(path), "-o", "\n", "-n", ";", "-c", "2").code == 0 and path.read_text() == "1;2;"
    assert abx("edit", str(path), "--old", "x").code == 2
    assert abx("edit", str(path), "--old", "x", "--new", "y", "--patch", "-").code == 2
    assert abx("edit", str(path), "--old", "1", "--new", "y", "--count", "z").code == 2
    assert abx("edit", str(path), "--patch", str(tmp_path / "none")).code != 0
    assert abx("edit", f"{folder}/none", "--old", "1", "--new", "y").code == 5
    assert json.loads(abx("edit", "--json", str(path), "--old", "1", "--new", "y").out)["replacements"] == 1


def test_a_copy_on_the_server(abx, folder):
    (folder / "d").mkdir()
    (folder / "d/f").write_text("x")
    assert abx("cp", f":{folder}/d", f":{folder}/e").code == 0 and (folder / "e/f").read_text() == "x"
    assert abx("cp", f":{folder}/d", f":{folder}/new/").code == 0 and (folder / "new/f").read_text() == "x"
    assert abx("cp", f":{folder}/d/f", f":{folder}/none/").code == 5 and not (folder / "none").exists()
    assert abx("cp", f":{folder}/d/f", f":{folder}/e/f2").code == 0 and sorted(os.listdir(folder / "e")) == ["f", "f2"]


def test_an_output_that_somebody_made_non_blocking(abx, folder):
    (folder / "many").write_bytes(b"line\n" * 100000)
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with abx.start("cat", f"{folder}/many", stdout=writer) as process, open(reader, "rb") as output:
        os.close(writer)
        eventually(lambda: unread(reader) > 32768, what="a full pipe")
        assert output.read() == b"line\n" * 100000
        assert process.wait(60) == 0 and process.stderr.read() == b""
