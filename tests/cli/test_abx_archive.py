# SPDX-License-Identifier: Apache-2.0
"""abx archive: the same bytes as the op's, into a file or a pipe."""
import io
import os
import zipfile

from lib.archives import names


def test_to_standard_output(abx, folder):
    (folder / "f").write_text("x")
    done = abx("archive", "--format", "tar", f":{folder}")
    assert done.code == 0 and names(done.raw) == [folder.name, f"{folder.name}/f"]


def test_into_a_file(abx, folder):
    (folder / "f").write_text("x")
    assert abx("archive", "-o", "out.zip", f"{folder}/f").code == 0
    with zipfile.ZipFile(abx.home / "out.zip") as packed:
        assert packed.read("f") == b"x"
    assert abx("archive", "-o", "out.tgz", f"{folder}/f").code == 0
    assert names((abx.home / "out.tgz").read_bytes()) == ["f"]


def test_refusals(abx, folder):
    done = abx("archive", "-o", "out.tar", f"{folder}/no")
    assert done.code == 5 and "abx: files.archive: " in done.err
    assert not (abx.home / "out.tar").exists()
    assert abx("archive", "-f", "rar", str(folder)).code == 2
    assert abx("archive").code == 2


def test_names_that_are_not_utf8(abx, folder):
    (folder / "f").write_text("x")
    with open(os.fsencode(folder) + b"/\xff", "wb") as file:
        file.write(b"raw")
    done = abx("archive", "-f", "tar", os.fsencode(folder) + b"/\xff", f"{folder}/f")
    assert done.code == 0 and names(done.raw) == ["f", "\udcff"]


def test_a_large_one(abx, folder):
    data = os.urandom(3 << 20)
    (folder / "big").write_bytes(data)
    done = abx("archive", "-f", "zip", f"{folder}/big")
    with zipfile.ZipFile(io.BytesIO(done.raw)) as packed:
        assert packed.read("big") == data
