# SPDX-License-Identifier: Apache-2.0
"""The real server as a child process: started, measured, ended, and its last words judged."""
import contextlib
import functools
import json
import os
import pathlib
import re
import select
import signal
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
READY = re.compile(r"\bready on ((?:http://|unix:)\S+)")
# What sanitizers, glibc and assert() print; none of it may ever be there.
FAULTS = re.compile(r"Sanitizer|runtime error:|Assertion .* failed|\*\*\* stack smashing|buffer overflow detected|double free")
# What no second run forgives: tests/conftest.py.
FATAL = re.compile(FAULTS.pattern + r"|the server ended|the server did not end|exit code -?\d+ after SIGTERM")
PASSED_ON = ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "TMPDIR", "LANG", "LD_LIBRARY_PATH")


def binary():
    return os.environ.get("ABX_TEST_SERVER") or str(ROOT / "build/agent-sandbox-server")


@functools.cache
def printed(*arguments):
    """JSON that the binary prints, as `describe --json`."""
    done = subprocess.run([binary(), *arguments], capture_output=True, timeout=30, check=True)
    return json.loads(done.stdout)


@functools.cache
def is_sanitized():
    """Whether the binary carries AddressSanitizer; figures of memory and time do not hold then."""
    return b"__asan_init" in pathlib.Path(binary()).read_bytes()


class Server:
    """
    One server with full access unless a policy or a token says otherwise.

    policy is a dict (written as JSON, which is YAML) or text; env is added to a clean
    environment; wrap is what stands in front of the command and ends by executing it; everything
    positional goes to the command line.  The base folder is
    new and goes away at the end, unless it is given.
    """

    def __init__(self, *options, base=None, program=None, policy=None, token=None, env=None, listen="127.0.0.1:0", wrap=(),
                 ready_within=60):
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="abx-test-"))
        self.base = pathlib.Path(base) if base else self.scratch / "base"
        self.base.mkdir(exist_ok=True)
        self.token = token
        self.stderr_path = self.scratch / "stderr"
        address = ["--listen", listen] if listen else []
        command = [*wrap, str(program or binary()), *address, "--base-dir", str(self.base), *map(str, options)]
        if policy is not None:
            file = self.scratch / "policy.yaml"
            file.write_text(policy if isinstance(policy, str) else json.dumps(policy, indent=1))
            command += ["--policy", str(file)]
        if token is not None:
            command += ["--token", token]
        self.command = command
        with open(self.stderr_path, "wb") as stderr:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr, env=self._environment(env),
                cwd=self.scratch, start_new_session=True)
        try:
            self.ready_line = self._ready(ready_within)
        except BaseException:
            self.kill()
            raise
        self.url = READY.search(self.ready_line).group(1)
        self.unix = self.url.removeprefix("unix:") if self.url.startswith("unix:") else None
        self.host, self.port = "localhost", None
        if not self.unix:
            host, _, port = self.url.removeprefix("http://").rstrip("/").rpartition(":")
            self.host, self.port = host.strip("[]"), int(port)

    def _environment(self, more):
        clean = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        return {**clean, "HOME": str(self.scratch), **{name: str(value) for name, value in (more or {}).items()}}

    def _ready(self, within):
        deadline = time.monotonic() + within
        text = b""
        while b"\n" not in text:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise AssertionError(f"no ready line after {within} s: {text!r}\n{self.stderr()}")
            part = os.read(self.process.stdout.fileno(), 4096)
            if not part:
                self.process.wait(within)
                raise StartError(self.process.returncode, self.stderr())
            text += part
        line = text.decode()
        assert line.count("\n") == 1 and READY.search(line), f"not one ready line: {line!r}"
        return line.rstrip("\n")

    @property
    def pid(self):
        return self.process.pid

    def client(self, token=..., **options):
        from lib.client import Client
        return Client(self, token=self.token if token is ... else token, **options)

    def stderr(self):
        return self.stderr_path.read_text(errors="replace") if self.stderr_path.exists() else ""

    def is_running(self):
        return self.process.poll() is None

    def _status(self, name):
        text = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        return re.search(rf"^{name}:\s*(\d+)", text, re.M)

    def rss_kib(self):
        return int(self._status("VmRSS").group(1))

    def peak_kib(self):
        return int(self._status("VmHWM").group(1))

    def threads(self):
        return int(self._status("Threads").group(1))

    def fds(self):
        """
        How many descriptors are open.  The server is not dumpable, so that only root with the
        right to trace may look; elsewhere the test that asks is skipped.
        """
        try:
            return len(os.listdir(f"/proc/{self.pid}/fd"))
        except PermissionError:
            import pytest
            return pytest.skip("this machine does not let us see the server's descriptors")

    def _ticks(self, *fields, thread=""):
        """Seconds: fields of /proc/PID/stat that count clock ticks, summed; 0 is the state."""
        all_fields = pathlib.Path(f"/proc/{self.pid}/{thread}/stat").read_text().rpartition(")")[2].split()
        return sum(int(all_fields[field]) for field in fields) / os.sysconf("SC_CLK_TCK")

    def cpu_seconds(self):
        return self._ticks(11, 12)

    def cpu_seconds_of_loop(self):
        return self._ticks(11, 12, thread=f"task/{self.pid}")

    def cpu_seconds_of_children(self):
        """Of those that were waited for."""
        return self._ticks(13, 14)

    def signal(self, number):
        self.process.send_signal(number)

    def where(self):
        """What each thread of the server is doing, a line for each, as far as this machine lets us see it."""
        lines = []
        for task in pathlib.Path(f"/proc/{self.pid}/task").iterdir():
            facts = [task.name]
            for name in ("comm", "syscall", "stack"):
                with contextlib.suppress(OSError):
                    facts.append((task / name).read_text().strip().replace("\n", " "))
            lines.append(" ".join(facts))
        return "\n".join(lines)

    def wait(self, within=60):
        """The exit code, when the server ends by itself or was told to."""
        try:
            return self.process.wait(within)
        except subprocess.TimeoutExpired:
            where = self.where()
            self.kill()
            raise AssertionError(f"the server did not end within {within} s\n{where}\n{self.stderr()[-4000:]}") from None

    def check_silence(self):
        found = FAULTS.search(self.stderr())
        assert not found, f"the server's stderr holds '{found.group(0)}':\n{self.stderr()[-8000:]}"

    def stop(self, within=60):
        """SIGTERM, exit code 0, nothing from a sanitizer.  Does nothing the second time."""
        if not self.scratch.exists():
            return
        try:
            if self.is_running():
                self.signal(signal.SIGTERM)
            code = self.wait(within)
            self.check_silence()
            assert code == 0, f"exit code {code} after SIGTERM\n{self.stderr()[-4000:]}"
        finally:
            self._clean()

    def kill(self):
        if self.is_running():
            self.process.kill()
            self.process.wait()
        try:
            self.check_silence()
        finally:
            self._clean()

    def _clean(self):
        if self.process.stdout:
            self.process.stdout.close()
        # Trees in it may be deeper than Python's own removal goes.
        subprocess.run(["rm", "-rf", "--", self.scratch], stderr=subprocess.DEVNULL)

    def __enter__(self):
        return self

    def __exit__(self, kind, *rest):
        if kind:
            self.kill()
        else:
            self.stop()


class StartError(AssertionError):
    """The server ended before it was ready: code and stderr say why."""

    def __init__(self, code, stderr):
        super().__init__(f"the server ended with {code} before it was ready\n{stderr}")
        self.code, self.stderr = code, stderr
