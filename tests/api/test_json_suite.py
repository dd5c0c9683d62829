# SPDX-License-Identifier: Apache-2.0
"""The JSON reader accepts and refuses what the public JSONTestSuite says.

The vectors are those that the source distribution of pyjson5 ships.  They are read from the
archive; the package itself is not built for use.  ABX_JSON_VECTORS names an archive that is
there already; otherwise pip fetches it into the build folder.
"""

import os
import pathlib
import subprocess
import sys
import tarfile

import pytest

from lib.server import binary

PACKAGE = "pyjson5"
VERSION = "2.0.1"
FOLDER = "/JSONTestSuite/test_parsing/"
AT_LEAST = 300

# What the RFC leaves open, and we decide: any number is accepted; text is UTF-8 without a mark,
# without surrogates, and not nested deeper than 64 levels.
ACCEPTED = {
    "i_number_double_huge_neg_exp.json",
    "i_number_huge_exp.json",
    "i_number_neg_int_huge_exp.json",
    "i_number_pos_double_huge_exp.json",
    "i_number_real_neg_overflow.json",
    "i_number_real_pos_overflow.json",
    "i_number_real_underflow.json",
    "i_number_too_big_neg_int.json",
    "i_number_too_big_pos_int.json",
    "i_number_very_big_negative_int.json",
}

# The suite accepts names that come twice; we refuse them.
TWICE = {"y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json"}


# One worker only, so that the archive is fetched once.
pytestmark = pytest.mark.xdist_group("json_suite")


def reader():
    path = pathlib.Path(binary()).parent / "tests/unit/json_suite"
    assert path.exists(), f"{path} is not there: it is built with the unit tests"
    return path


@pytest.fixture(scope="module")
def archive():
    given = os.environ.get("ABX_JSON_VECTORS")
    if given:
        return pathlib.Path(given)
    folder = pathlib.Path(binary()).parent / "vectors"
    path = folder / f"{PACKAGE}-{VERSION}.tar.gz"
    if not path.exists():
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--retries", "10", "--no-deps", "--no-binary", PACKAGE]
        subprocess.run([*command, "--dest", str(folder), f"{PACKAGE}=={VERSION}"], check=True, timeout=300)
    return path


@pytest.fixture(scope="module")
def vectors(archive):
    with tarfile.open(archive) as tar:
        found = {
            member.name.rsplit("/", 1)[1]: tar.extractfile(member).read()
            for member in tar
            if FOLDER in member.name and member.isfile() and member.name.endswith(".json")
        }
    assert len(found) >= AT_LEAST
    return found


@pytest.fixture(scope="module")
def verdicts(vectors, tmp_path_factory):
    folder = tmp_path_factory.mktemp("vectors")
    program = reader()
    result = {}
    for name, content in vectors.items():
        path = folder / name
        path.write_bytes(content)
        done = subprocess.run([program, path], capture_output=True, timeout=60)
        assert done.returncode in (0, 1), f"{name}: {done.returncode} {done.stderr!r}"
        result[name] = done.returncode == 0
    return result


def names(verdicts, first, accepted):
    return sorted(name for name, verdict in verdicts.items() if name.startswith(first) and verdict == accepted)


def test_what_is_json_is_accepted(verdicts):
    assert set(names(verdicts, "y_", False)) == TWICE
    assert len(names(verdicts, "y_", True)) > 80


def test_what_is_not_json_is_refused(verdicts):
    assert names(verdicts, "n_", True) == []
    assert len(names(verdicts, "n_", False)) > 180


def test_what_the_rfc_leaves_open_is_decided(verdicts):
    assert set(names(verdicts, "i_", True)) == ACCEPTED
    assert len(names(verdicts, "i_", False)) > 20
