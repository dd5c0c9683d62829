# SPDX-License-Identifier: Apache-2.0
"""abx cp -r: whole trees up and down."""
import os
import pathlib
import subprocess

import pytest

from lib.abx import abx_binary
from lib.names import STRANGE

PAIRS = bytes(byte for first in range(256) for second in range(256) for byte in (first, second))


def make_tree(top):
    (top / "empty").mkdir(parents=True)
    (top / "deep/er").mkdir(parents=True)
    (top / "deep/er/f").write_bytes(PAIRS)
    (top / "deep/.hidden").write_text("h")
    (top / "run").write_text("#!/bin/sh\n")
    (top / "run").chmod(0o755)
    for name in STRANGE:
        (top / name).write_text(name)
    with open(os.fsencode(top) + b"/\xff\xfe", "wb") as file:
        file.write(b"not UTF-8")


def tree(top):
    found = {}
    for path, dirs, files in os.walk(os.fsencode(top)):
        for name in dirs:
            found[os.path.relpath(os.path.join(path, name), os.fsencode(top))] = None
        for name in files:
            full = os.path.join(path, name)
            with open(full, "rb") as file:
                found[os.path.relpath(full, os.fsencode(top))] = (file.read(), os.stat(full).st_mode & 0o777)
    return found


def test_trees_both_ways(abx, folder, tmp_path):
    make_tree(tmp_path / "t")
    assert abx("cp", "t", f":{folder}/up").code == 1
    assert abx("cp", "-r", "t", f":{folder}/up").code == 0
    assert tree(folder / "up") == tree(tmp_path / "t")
    assert abx("cp", "-r", f":{folder}/up", "down").code == 0
    assert tree(tmp_path / "down") == tree(tmp_path / "t")
    assert abx("cp", "-r", "t", f":{folder}/up").code == 0
    assert tree(folder / "up/t") == tree(tmp_path / "t")


def test_folders_keep_their_modes_and_get_the_name_that_is_given(abx, folder, tmp_path):
    (folder / "t/private").mkdir(parents=True)
    (folder / "t/private/f").write_text("x")
    (folder / "t/private").chmod(0o500)
    (folder / "t").chmod(0o711)
    assert abx("cp", "-r", f":{folder}/t", "new/").code == 0
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("new", "new/private")] == [0o711, 0o700]
    assert abx("cp", "-r", "new", f":{folder}/new/").code == 0
    assert tree(folder / "new") == tree(tmp_path / "new") == {b"private": None, b"private/f": (b"x", 0o644)}
    (tmp_path / "in").mkdir()
    assert abx("cp", "-r", f":{folder}/new/private/..", "in").code == 0
    assert tree(tmp_path / "in") == tree(tmp_path / "new")
    # A file gets no folder made for it.
    (tmp_path / "f").write_text("x")
    assert abx("cp", "f", f":{folder}/none/").code == 5 and abx("cp", f":{folder}/new/private/f", "none/").code == 1
    assert sorted(os.listdir(tmp_path)) == ["f", "in", "new"]
    (folder / "t/private").chmod(0o700)


def test_a_deep_tree(abx, folder, tmp_path):
    path = tmp_path / "t"
    for _ in range(300):
        path = path / "d"
    path.mkdir(parents=True)
    (path / "f").write_text("at the bottom")
    assert abx("cp", "-r", "t", f":{folder}/t").code == 0
    assert abx("cp", "-r", f":{folder}/t", "back").code == 0
    assert tree(tmp_path / "back") == tree(tmp_path / "t")
    assert abx("rm", "-r", f"{folder}/t").code == 0 and os.listdir(folder) == []


def test_links_and_specials_are_left_out_and_told(abx, folder, tmp_path):
    (tmp_path / "t").mkdir()
    (tmp_path / "t/f").write_text("f")
    (tmp_path / "t/to-file").symlink_to("f")
    (tmp_path / "t/to-folder").symlink_to(".")
    (tmp_path / "t/broken").symlink_to("nothing")
    os.mkfifo(tmp_path / "t/fifo")
    done = abx("cp", "-r", "t", f":{folder}/t")
    assert done.code == 1 and done.err.count("left out") == 3
    assert sorted(os.listdir(folder / "t")) == ["f", "to-file"] and not (folder / "t/to-file").is_symlink()
    (folder / "t/loop").symlink_to(".")
    done = abx("cp", "-r", f":{folder}/t", "down")
    assert done.code == 1 and done.err.count("left out") == 1
    assert sorted(os.listdir(tmp_path / "down")) == ["f", "to-file"]


def test_memory_is_flat(abx, folder, tmp_path):
    with open(tmp_path / "big", "wb") as file:
        file.truncate(96 << 20)
    script = "ulimit -v 60000; exec \"$@\""
    if b"__asan_init" in pathlib.Path(abx_binary()).read_bytes():
        pytest.skip("AddressSanitizer needs its shadow")
    for arguments in (("cp", "big", f":{folder}/big"), ("cp", f":{folder}/big", "back")):
        done = subprocess.run(["sh", "-c", script, "sh", abx_binary(), *arguments], cwd=tmp_path, env=abx.environment(),
                              capture_output=True, timeout=60, check=False)
        assert done.returncode == 0, done
    assert (folder / "big").stat().st_size == (tmp_path / "back").stat().st_size == 96 << 20
