# SPDX-License-Identifier: Apache-2.0
"""bench/soak.py in small: the full number is run by hand."""
import json
import subprocess
import sys

from lib.server import ROOT, binary


def test_no_byte_and_no_exit_code_is_lost():
    done = subprocess.run([sys.executable, ROOT / "bench/soak.py", binary(), "--commands", "600", "--seconds", "90"],
                          capture_output=True, text=True, timeout=110, check=False)
    told = json.loads(done.stdout or "{}")
    assert done.returncode == 0, f"{told}\n{done.stderr[-2000:]}"
    assert told["commands"] == 600 and told["lost"] == 0
