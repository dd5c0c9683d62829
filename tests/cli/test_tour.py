# SPDX-License-Identifier: Apache-2.0
"""The scripts of examples/ do what the README says of them."""
import pathlib
import re
import subprocess
import struct

from lib.abx import Abx, abx_binary
from lib.processes import eventually

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_the_tour_of_the_browser(make_server, tmp_path):
    server = make_server(policy=(ROOT / "examples/browser/policy.yaml").read_text())
    home = Abx(server.url, tmp_path)
    environment = home.environment()
    environment["PATH"] = f"{pathlib.Path(abx_binary()).parent}:{environment['PATH']}"
    done = subprocess.run([ROOT / "examples/browser/tour.sh", "tour.png"], cwd=tmp_path, env=environment, capture_output=True,
                          text=True, timeout=100)
    assert done.returncode == 0 and done.stderr == "", done
    assert re.search(r"^title: A list$", done.stdout, re.M) and "1 × a lamp" in done.stdout
    assert re.search(r"^4 things$", done.stdout, re.M) and re.search(r"^4$", done.stdout, re.M)
    assert re.search(r"log: added 1 × a lamp$", done.stdout, re.M)
    picture = (tmp_path / "tour.png").read_bytes()
    assert picture[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", picture[16:24])[0] == 1280
    # Nothing is left there: no process, no file.
    eventually(lambda: "serve.py" not in home("ps").out)
    assert home("ls").out == ""


def test_the_readme_names_what_there_is():
    text = (ROOT / "README.md").read_text()
    named = set(re.findall(r"\b(?:examples|deploy|docs|catalog)/[\w./-]*\w", text))
    assert {"examples/browser/tour.sh", "examples/browser/policy.yaml"} <= named
    assert [path for path in named if not (ROOT / path).exists()] == []
