# SPDX-License-Identifier: Apache-2.0
"""A program in a pane of tmux: a real emulator stands between it and the test, which sees what a person would see."""
import os
import pathlib
import re
import select
import shlex
import shutil
import subprocess
import tempfile
import time

LONGEST = 60


class Pane:
    """pane.keys("Enter"), pane.type("text"), pane.expect(r"pattern") on the screen as it stands."""

    def __init__(self, command, environment, cols=80, rows=24):
        assert shutil.which("tmux"), "tmux is needed: tools/install-deps test"
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="abx-pane-"))
        self.environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TERM": "xterm-256color", "SHELL": "/bin/sh",
                            **environment}
        wakes = self.scratch / "wakes"
        os.mkfifo(wakes)
        self.wakes = os.open(wakes, os.O_RDWR | os.O_NONBLOCK)
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(cols), "-y", str(rows),
                  "exec env PS1='outer> ' ENV= /bin/sh")
        try:
            self.tmux("set", "-g", "escape-time", "0", ";", "set", "-g", "status", "off", ";",
                      "set", "-w", "-g", "window-size", "manual")
            self.resize(cols, rows)
            # Whatever the pane prints comes here as well: so a change of the screen is waited for, not polled.
            self.tmux("pipe-pane", f"exec cat >{shlex.quote(str(wakes))}")
            self.expect(r"^outer>")
            self.type(shlex.join(map(str, command)) + "\n")
        except BaseException:
            self.close()
            raise

    def tmux(self, *args, **how):
        done = subprocess.run(["tmux", "-S", str(self.scratch / "s"), *args], env=self.environment, capture_output=True,
                              timeout=LONGEST, **how)
        assert done.returncode == 0, (args, done.stderr)
        return done.stdout.decode(errors="replace")

    def keys(self, *names):
        self.tmux("send-keys", *names)

    def type(self, text):
        for line in text.splitlines(keepends=True):
            if line.rstrip("\n"):
                self.tmux("send-keys", "-l", "--", line.rstrip("\n"))
            if line.endswith("\n"):
                self.keys("Enter")

    def paste(self, text):
        """As a person pastes: marked, where the program has asked for that."""
        self.tmux("load-buffer", "-", input=text.encode())
        self.tmux("paste-buffer", "-p", "-r")

    def resize(self, cols, rows):
        self.tmux("resize-window", "-x", str(cols), "-y", str(rows))

    def screen(self):
        return self.tmux("capture-pane", "-p")

    def asks(self, what):
        """A variable of tmux, as alternate_on or cursor_y."""
        return self.tmux("display-message", "-p", f"#{{{what}}}").strip()

    def expect(self, wanted):
        """Waits until the screen has the pattern (with ^ and $ at lines), or until wanted(pane) is true."""
        until = time.monotonic() + LONGEST
        while True:
            text = self.screen()
            found = wanted(self) if callable(wanted) else re.search(wanted, text, re.M)
            if found:
                return found
            left = until - time.monotonic()
            assert left > 0 and select.select([self.wakes], [], [], left)[0], f"{wanted} is not on the screen:\n{self.screen()}"
            os.read(self.wakes, 1 << 20)

    def close(self):
        subprocess.run(["tmux", "-S", str(self.scratch / "s"), "kill-server"], capture_output=True, timeout=LONGEST)
        os.close(self.wakes)
        shutil.rmtree(self.scratch, ignore_errors=True)  # its server may still be taking its socket away
