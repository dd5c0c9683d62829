# SPDX-License-Identifier: Apache-2.0
"""abx with a terminal of its own, whose other side is the test."""
import fcntl
import os
import pty
import re
import select
import struct
import termios
import time

LONGEST = 60


class Screen:
    def __init__(self, abx, *args):
        self.master, self.slave = pty.openpty()
        self.seen = b""
        self.resize(90, 30)
        self.before = termios.tcgetattr(self.slave)
        self.process = abx.start(*args, stdin=self.slave, stdout=self.slave, stderr=self.slave, start_new_session=True)

    def resize(self, cols, rows):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

    def type(self, text):
        os.write(self.master, text)

    def expect(self, pattern, within=LONGEST):
        until = time.monotonic() + within
        while not (found := re.search(pattern, self.seen)):
            left = until - time.monotonic()
            assert left > 0 and select.select([self.master], [], [], left)[0], self.seen
            self.seen += os.read(self.master, 65536)
        self.seen = self.seen[found.end():]
        return found

    def end(self):
        """The exit code; the terminal must be as it was."""
        code = self.process.wait(LONGEST)
        assert termios.tcgetattr(self.slave) == self.before
        return code

    def close(self):
        self.process.kill()
        self.process.wait(LONGEST)
        os.close(self.master)
        os.close(self.slave)
