# SPDX-License-Identifier: Apache-2.0
"""abx as a child process, in a home of its own."""
import os
import pathlib
import subprocess

from lib.server import binary

PASSED_ON = ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "TMPDIR", "LANG", "LD_LIBRARY_PATH")


def abx_binary():
    """Beside the server that is tested, so that one build folder is tested as a whole."""
    return os.environ.get("ABX_TEST_ABX") or str(pathlib.Path(binary()).parent / "abx")


class Done:
    def __init__(self, code, out, err):
        self.code, self.raw, self.err_raw = code, out, err

    @property
    def out(self):
        return self.raw.decode(errors="surrogateescape")

    @property
    def err(self):
        return self.err_raw.decode(errors="surrogateescape")

    def __repr__(self):
        return f"<exit {self.code}, out {self.raw[:400]!r}, err {self.err_raw[:400]!r}>"


class Abx:
    """abx("ls", "-l") -> Done; start(...) for one that is to be looked at while it runs."""

    def __init__(self, url, home, token=None):
        self.url, self.home, self.token = url, pathlib.Path(home), token

    def environment(self, more=None):
        clean = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        clean["HOME"] = str(self.home)
        if self.url:
            clean["ABX_URL"] = self.url
        if self.token:
            clean["ABX_SERVER_TOKEN"] = self.token
        return {**clean, **(more or {})}

    def start(self, *args, env=None, **how):
        how = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **how}
        return subprocess.Popen([abx_binary(), *args], env=self.environment(env), cwd=self.home, **how)

    def __call__(self, *args, input=b"", env=None, timeout=100, **how):
        process = self.start(*args, env=env, stdin=subprocess.PIPE, **how)
        try:
            out, err = process.communicate(input, timeout=timeout)
        except BaseException:
            process.kill()
            process.wait()
            raise
        assert b"Sanitizer" not in err and b"runtime error" not in err, err
        return Done(process.returncode, out, err)
