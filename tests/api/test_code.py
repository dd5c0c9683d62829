# SPDX-License-Identifier: Apache-2.0
"""Code runs (R83, R05, R09, B108)."""
import os
import pathlib
import re
import shutil
import signal

import pytest

from lib.client import expect_error
from lib.processes import eventually, gone, nap, sleeping
from lib.server import Server

GROUPS = {"groups": {"dev_tools": True}, "devtools": {"languages": {
    "sh": ["sh", "{file}", "more"], "gone": ["no-such-interpreter-7770", "{file}"], "bash": ["sh", "{file}"]}}}


@pytest.fixture(scope="module")
def server():
    """In the place of the shared one: `client` and `folder` are of this."""
    with Server(policy=GROUPS) as server:
        yield server


def run(client, code, language="python", **more):
    return client.rest("devtools.code.run", code=code, language=language, **more)


def test_off_by_default(make_server):
    with expect_error("op.not_enabled", 404):
        make_server().client().call("devtools.code.run", code="1")


@pytest.mark.parametrize("language, code", [
    ("python", "import sys\nprint('out')\nprint('err', file=sys.stderr)\nsys.exit(3)"),
    ("node", "console.log('out'); console.error('err'); process.exitCode = 3"),
    ("sh", "echo out; echo err >&2; exit 3")])
def test_both_streams_and_the_code(client, language, code):
    if language == "node" and not shutil.which("node"):
        pytest.skip("no Node.js here")
    result = run(client, code, language)
    assert (result["stdout"], result["stderr"], result["exit_code"], result["language"]) == ("out\n", "err\n", 3, language)
    assert not result["stdout_truncated"] and not result["stderr_truncated"] and 0 <= result["execution_time_ms"] < 30000
    assert result["timeout"] == 30


def test_python_is_the_default_and_code_may_be_empty(client):
    result = client.call("devtools.code.run", code="")
    assert (result["exit_code"], result["stdout"], result["stderr"], result["language"]) == (0, "", "", "python")
    assert run(client, "", "sh")["exit_code"] == 0


def test_r83_a_file_that_is_gone_afterwards(client, folder):
    result = run(client, "import os\nprint(__name__, os.path.isfile(__file__), open(__file__).read().count('isfile'))", cwd=str(folder))
    assert result["stdout"] == "__main__ True 2\n" and os.listdir(folder) == []
    error = run(client, "x = 1\nraise ValueError('here')")["stderr"]
    assert "line 2" in error and "raise ValueError('here')" in error
    assert run(client, 'cat "$0"', "sh")["stdout"] == 'cat "$0"'


def test_r83_modules_are_found_from_cwd(client, folder):
    (folder / "mine.py").write_text("value = 'from cwd'\n")
    assert run(client, "import mine; print(mine.value)", cwd=str(folder))["stdout"] == "from cwd\n"
    assert "ModuleNotFoundError" in run(client, "import mine")["stderr"]
    if shutil.which("node"):
        (folder / "mine.js").write_text("module.exports = 'from cwd'\n")
        (folder / "node_modules/dep").mkdir(parents=True)
        (folder / "node_modules/dep/index.js").write_text("exports.x = 'dep'\n")
        code = "console.log(require('./mine'), require('dep').x, require.main === module); import('./mine.js').then((m) => console.log(m.default))"
        assert run(client, code, "node", cwd=str(folder))["stdout"] == "from cwd dep true\nfrom cwd\n"


def test_node_runs_es_modules(client, folder):
    """Also with an await at the top; what is CommonJS stays so."""
    if not shutil.which("node"):
        pytest.skip("no Node.js here")
    (folder / "mine.mjs").write_text("export default 'from cwd'\n")
    code = "import fs from 'fs'; import mine from './mine.mjs'; const one = await Promise.resolve(1); console.log(typeof fs.open, mine, one); "
    result = run(client, code + "process.exitCode = 3", "node", cwd=str(folder))
    assert (result["stdout"], result["stderr"], result["exit_code"]) == ("function from cwd 1\n", "", 3)
    assert run(client, code + "process.exit()", "node", cwd=str(folder))["exit_code"] == 0
    assert run(client, "export const a = 1; console.log(import.meta.url)", "node", cwd=str(folder))["stdout"] in (
        f"file://{folder}/%5Bcode%5D\n", f"file://{folder}/[code]\n")
    failed = run(client, "await 1;\nthrow new Error('mine')", "node")
    assert failed["exit_code"] == 1 and "Error: mine" in failed["stderr"] and re.search(r"code(%5D|]):2\b", failed["stderr"])
    assert run(client, "await new Promise(() => {})", "node")["exit_code"] == 13, "as of a script: it never came to its end"
    assert run(client, "#!/usr/bin/env node\nwith ({ a: 1 }) console.log(a, typeof require('fs').open)", "node")["stdout"] == "1 function\n"
    wrong = run(client, "const x = 1;\nfoo(", "node")
    assert wrong["exit_code"] == 1 and "SyntaxError" in wrong["stderr"] and re.search(r"code(%5D|]):2\b", wrong["stderr"])


def test_r83_a_folder_that_cannot_be_written(client, folder, make_server):
    proc = client.call("devtools.code.run", code="pwd; echo $1", language="sh", cwd=str(folder))
    assert proc["stdout"] == f"{folder}\nmore\n"
    # /sys takes no file: the code is in memory then.
    server = make_server(policy={**GROUPS, "paths": {"roots": ["/tmp", "/sys/kernel"]}})
    assert run(server.client(), "pwd", "sh", cwd="/sys/kernel")["stdout"] == "/sys/kernel\n"
    result = run(server.client(), "import sys; print(sys.path[0], open(sys.argv[0]).read().count('sys'), sorted(globals()))", cwd="/sys/kernel")
    assert result["stdout"].startswith("/sys/kernel 4 ['__") and "start" not in result["stdout"], result


def test_processes_of_python_that_are_not_forks_find_the_code(client):
    """What multiprocessing does by itself from 3.14 on."""
    for method in ("fork", "spawn", "forkserver"):
        code = f"""
import multiprocessing
def double(x):
    return 2 * x
if __name__ == "__main__":
    with multiprocessing.get_context("{method}").Pool(1) as pool:
        print(pool.map(double, [1, 2]))
"""
        result = run(client, code, timeout=120)
        assert (result["stdout"], result["stderr"]) == ("[2, 4]\n", ""), method


def test_what_python_raises_is_shown_as_of_a_script(client):
    """Only the lines of the code, whoever shows them; the exit code is that of a script."""
    for code, lines in (("def f():\n    raise ValueError('x')\nf()", ["3, in <module>", "2, in f"]), ("x = (1,\n", ["1"])):
        result = run(client, code)
        shown = [line.split(" line ")[1] for line in result["stderr"].splitlines() if " line " in line]
        assert shown == lines and result["exit_code"] == 1
    result = run(client, "import sys\nsys.excepthook = lambda kind, error, trace: print(kind.__name__, trace.tb_lineno)\n1 / 0")
    assert (result["stdout"], result["stderr"], result["exit_code"]) == ("ZeroDivisionError 3\n", "", 1)
    assert run(client, "raise SystemExit(7)")["exit_code"] == 7
    assert run(client, "raise KeyboardInterrupt")["signal"] == "SIGINT"


def test_r09_stdin(client):
    assert run(client, "import sys; print(repr(sys.stdin.read()))")["stdout"] == "''\n"
    assert run(client, "import sys; print(repr(sys.stdin.read()))", stdin="a\nb")["stdout"] == "'a\\nb'\n"


def test_variables(client):
    result = run(client, "import os; print(os.environ['A'], os.environ['HOME'] == os.path.expanduser('~'), 'ABX_TOKEN' in os.environ)", env={"A": "ä"})
    assert result["stdout"] == "ä True False\n"
    with expect_error("policy.env_denied", 403):
        run(client, "1", env={"ABX_X": "1"})
    with expect_error("args.invalid", 400):
        run(client, "1", env={"A": "x" * 140000})


def test_b108_the_tools_of_commands_are_those_of_code(client):
    client.call("system.env.set", vars={"SET_BEFORE": "yes"})
    assert run(client, "import os; print(os.environ['SET_BEFORE'])")["stdout"] == "yes\n"
    client.call("system.env.set", vars={"SET_BEFORE": None})
    path = client.call("commands.run", command="echo $PATH")["stdout"]
    assert run(client, "echo $PATH", "sh")["stdout"] == path


def test_r05_the_result_of_a_timeout(client):
    number = nap()
    with expect_error("commands.timeout", 408) as caught:
        run(client, f"echo before; sleep {number} & sleep {number}", "sh", timeout=4.5)
    details = caught.error.body["details"]
    assert details["stdout"] == "before\n" and details["timeout"] == 4.5 and details["language"] == "sh"
    gone(number)
    for bad in (301, -1):
        with expect_error("args.invalid", 400):
            run(client, "1", timeout=bad)


def test_r06_no_timeout_at_all(client):
    done = run(client, "echo done", "sh", timeout=0)
    assert (done["stdout"], done["timeout"]) == ("done\n", 0)


def test_a_caller_who_leaves(client):
    number = nap()
    with client.asked("devtools.code.run", code=f"sleep {number} & sleep {number}", language="sh"):
        eventually(lambda: len(sleeping(number)) == 2)
    gone(number)


def test_languages(client):
    assert run(client, "echo $BASH_VERSION-", "bash")["stdout"] == "-\n", "the policy's own comes first"
    with expect_error("runtime.unavailable", 503, says="no-such-interpreter-7770"):
        run(client, "1", "gone")
    with expect_error("args.invalid", 400, says="python, node, bash, sh, gone"):
        run(client, "1", "cobol")


def test_no_interpreter(make_server, tmp_path):
    client = make_server(policy={"groups": {"dev_tools": True}}, env={"PATH": str(tmp_path)}).client()
    for language in ("python", "node", "bash"):
        with expect_error("runtime.unavailable", 503):
            run(client, "1", language)
    (pathlib.Path(client.server.base) / ".git").mkdir()
    for op in ("devtools.git.status", "devtools.git.diff"):
        with expect_error("runtime.unavailable", 503, says="git"):
            client.rest(op)


def test_an_interpreter_that_is_none(make_server, tmp_path):
    (tmp_path / "python3").write_text("no program\n")
    client = make_server(policy={"groups": {"dev_tools": True}}, env={"PATH": str(tmp_path)}).client()
    with expect_error("commands.cannot_start", 400):
        run(client, "1")


def test_much_output(client):
    result = run(client, "print('ä' * 6000000)")
    assert len(result["stdout"]) == 5 * 1024 * 1024 and result["stdout_truncated"]
    assert run(client, "import sys; sys.stdout.buffer.write(b'a\\xffb')")["stdout"] == "a\ufffdb"


def test_r02_r03_r04_what_is_told_of_a_command_is_told_of_code(client):
    done = run(client, "printf 'a\\377b'; printf four >&2; kill -9 $$", "bash")
    assert (done["stdout"], done["lossy"], done["stdout_bytes"], done["stderr_bytes"]) == ("a\ufffdb", True, 3, 4)
    assert (done["exit_code"], done["signal"]) == (137, "SIGKILL") and "background" not in done
    number = nap()
    done = run(client, f"sleep {number} & echo on", "bash")
    assert done["background"] is True and done["stdout"] == "on\n" and not {"lossy", "signal"} & done.keys()
    for pid in sleeping(number):
        os.kill(pid, signal.SIGKILL)


def test_b087_cwd_outside(client, folder):
    (folder / "out").symlink_to("/etc")
    for cwd in ("/etc", str(folder / "out"), f"{folder}/../../.."):
        with expect_error("policy.path_denied", 403):
            run(client, "1", cwd=cwd)
    with expect_error("commands.cannot_start", 400):
        run(client, "1", cwd=str(folder / "none"))
