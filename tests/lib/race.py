# SPDX-License-Identifier: Apache-2.0
"""
Calls of every file op while another process swaps folders and files for links that lead out.

A World lies below one folder: root/ is the server's only root, out/ its neighbour.  In root/ stand pairs of
names, one a folder or file and the other a link to its like in out/; the swapper exchanges the two as fast
as the kernel does.  What out/ holds has marks that no answer may show, and must be the same at the end, to
the time of each entry.
"""
import contextlib
import ctypes
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

from lib.archives import Tar

MARK = b"NOBODY-MAY-SEE-THIS"
SECRET = MARK * 411  # its length is a mark too
LEAKS = re.compile(rb'%s|"name":"only-outside"|"size":%d\b' % (MARK, len(SECRET)))
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.I)
RENAME_EXCHANGE = 2
PAIRS = ("absolute", "relative", "deep/absolute", "tree/swapped")
CONNECTIONS = 6
LONGER = 60


def swap_for_ever(root):
    """The other process: exchanges each pair in turn until it is ended; prints how often."""
    rename = ctypes.CDLL(None, use_errno=True).renameat2
    count, ended = 0, []
    signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
    pairs = [tuple(os.fsencode(os.path.join(root, f"{name}{suffix}")) for suffix in ("", "-other")) for name in (*PAIRS, "file")]
    print("swapping", flush=True)
    while not ended:
        for left, right in pairs:
            count += rename(-100, left, -100, right, RENAME_EXCHANGE) == 0
    print(count, flush=True)


class World:
    def __init__(self, top):
        self.root, self.out = pathlib.Path(top) / "root", pathlib.Path(top) / "out"
        self.root.mkdir()
        for folder in (self.out, self.out / "only-outside", self.out / "only-outside/below"):
            folder.mkdir()
        for name in ("f", "keep", "only-outside/secret"):
            (self.out / name).write_bytes(SECRET)
        for name in PAIRS:
            self.make_pair(name)
        (self.root / "file").write_text("inside")
        (self.root / "file-other").symlink_to(self.out / "f")
        (self.root / "packed.tar").write_bytes(Tar().folder("d").add("d/f", b"inside").add("keep", b"inside").done())
        self.before = self.snapshot()

    def make_pair(self, name):
        """Both are gone before one is made, and the link is made last: until then nothing can be swapped under us."""
        folder, link = self.root / name, self.root / f"{name}-other"
        while os.path.lexists(folder) or os.path.lexists(link):
            for path in (folder, link):
                try:
                    path.unlink(missing_ok=True)
                except IsADirectoryError:
                    shutil.rmtree(path, ignore_errors=True)  # does not follow a link that it has become
        folder.mkdir(parents=True)
        (folder / "f").write_text("inside")
        (folder / "keep").write_text("inside")
        link.symlink_to(os.path.relpath(self.out, link.parent) if name == "relative" else self.out)

    def snapshot(self):
        """All that can be said of out/ without touching it: names, kinds, sizes, times, contents."""
        found = {}
        for folder, names, files in os.walk(self.out):
            for name in (".", *names, *files):
                path = os.path.join(folder, name)
                st = os.lstat(path)
                found[path] = (st.st_mode, st.st_size, st.st_mtime_ns, st.st_ctime_ns, st.st_nlink, st.st_ino)
        return found

    def check(self):
        assert self.snapshot() == self.before, "something outside the roots was changed"
        for name in ("f", "keep", "only-outside/secret"):
            assert (self.out / name).read_bytes() == SECRET, f"{name} outside the roots was changed"


def requests(number):
    """The calls of one round as (op, arguments); "GET" is a raw download."""
    name = f"{PAIRS[number % len(PAIRS)]}{'-other' if number % 2 else ''}"
    file = f"file{'-other' if number % 2 else ''}"
    spot = f"spot{number % 7}"
    yield "GET", f"{name}/f"
    yield "files.upload", {"path": f"{name}/u", "content_base64": "aGk="}
    yield "files.list", {"path": name}
    yield "files.stat", {"path": f"{name}/f"}
    yield "files.stat", {"path": f"{name}/only-outside/secret"}
    yield "files.download", {"path": f"{name}/only-outside/secret"}
    yield "files.move", {"source": f"{name}/u", "destination": spot}
    yield "files.move", {"source": spot, "destination": f"{name}/only-outside/moved"}
    yield "files.move", {"source": f"{name}/only-outside", "destination": f"stolen{number % 7}"}
    yield "files.mkdir", {"path": f"{name}/made/below", "parents": True}
    yield "files.delete", {"path": f"{name}/made"}
    yield "files.delete", {"path": f"{name}/keep"}
    yield "files.upload", {"path": f"{name}/keep", "content_base64": "aGk="}
    yield "files.upload_stream", {"path": file, "content_base64": "aGk="}
    yield "GET", file
    yield "files.list", {"path": ".", "recursive": True}
    yield "files.read", {"path": f"{name}/f"}
    yield "files.write", {"path": f"{name}/w", "content": "inside"}
    yield "files.write", {"path": file, "content": "inside", "append": True}
    yield "files.edit", {"path": f"{name}/w", "edits": [{"old": "inside", "new": "edited"}]}
    yield "files.chmod", {"path": name, "mode": "755", "recursive": True}
    yield "files.copy", {"source": name, "destination": f"copy{number % 7}"}
    yield "files.delete", {"path": f"copy{number % 7}"}
    yield "files.copy", {"source": f"{name}/f", "destination": f"{PAIRS[(number + 1) % len(PAIRS)]}/only-outside/copied"}
    yield "files.search", {"path": ".", "pattern": "only-outside"}
    yield "files.grep", {"path": name, "pattern": "NOBODY"}
    yield "TAR", {"paths": [name, f"{name}/f", file], "format": "tar"}
    yield "files.extract", {"path": "packed.tar", "destination": f"{name}/only-outside/unpacked"}
    yield "files.extract", {"path": "packed.tar", "destination": name}
    yield "files.extract", {"path": "packed.tar", "destination": f"{name}/made/unpacked", "parents": True}
    if number % 6 == 0:  # takes its time
        yield "files.watch", {"path": name if number % 24 == 0 else ".", "recursive": True, "max_events": 8, "timeout": 0.05}


def as_bytes(op, args):
    if op == "GET":
        return f"GET /files/download-stream?path={args} HTTP/1.1\r\nHost: localhost\r\nAccept: application/octet-stream\r\n\r\n".encode()
    body, accept = json.dumps(args), "Accept: application/octet-stream\r\n" if op == "TAR" else ""
    op = "files.archive" if op == "TAR" else op
    return f"POST /ops/{op} HTTP/1.1\r\nHost: localhost\r\n{accept}Content-Length: {len(body)}\r\n\r\n{body}".encode()


class Replies:
    """Statuses and bodies as they come on a connection, read without doubts: the time is for the calls."""

    def __init__(self, connection):
        self.socket, self.bytes, self.at = connection.socket, bytearray(), 0

    def until(self, end):
        """What stands before the next `end`, which is passed over."""
        while (found := self.bytes.find(end, self.at)) < 0:
            self.more()
        part, self.at = bytes(self.bytes[self.at:found]), found + len(end)
        return part

    def exactly(self, length):
        while len(self.bytes) - self.at < length:
            self.more()
        self.at += length
        return bytes(self.bytes[self.at - length:self.at])

    def more(self):
        del self.bytes[:self.at]
        self.at = 0
        part = self.socket.recv(1 << 18)
        assert part, f"the connection ended: {bytes(self.bytes[-300:])!r}"
        self.bytes += part

    def chunks(self):
        while length := int(self.until(b"\r\n"), 16):
            yield self.exactly(length)
            self.exactly(2)
        while self.until(b"\r\n"):
            pass  # a trailer

    def next(self):
        head = self.until(b"\r\n\r\n")
        length = LENGTH.search(head)
        return int(head[9:12]), self.exactly(int(length[1])) if length else b"".join(self.chunks())


class Race:
    """
    run(calls, seconds) makes calls until one of the two is reached, or longer, where the swaps were not met by
    then; the counts tell what came of them.
    """

    def __init__(self, server, world):
        self.server, self.world = server, world
        self.calls = self.allowed = self.denied = self.swaps = 0
        self.random = random.Random(1)

    def answers(self, replies, count):
        for _ in range(count):
            status, body = replies.next()
            assert not LEAKS.search(body), f"an answer shows what is outside the roots: {body[:300]!r}"
            assert status < 500, f"{status}: {body[:300]!r}"
            self.allowed += status == 200
            self.denied += b"policy.path_denied" in body
            self.calls += 1

    def one_round(self, connections, number):
        """A batch on each connection at once, so that calls meet each other too."""
        connection = connections[0]
        sent = []
        for offset, one in enumerate(connections):
            batch = [as_bytes(*call) for call in requests(number + offset)]
            if (number + offset) % 5 == 0:
                self.random.shuffle(batch)
            one.send(b"".join(batch))
            sent.append(len(batch))
        for one, count in zip(self.replies, sent):
            self.answers(one, count)
        if number % 8 == 3:
            # A whole tree is deleted while something in it is swapped, and made again.
            connection.send(as_bytes("files.delete", {"path": "tree"}))
            self.answers(self.replies[0], 1)
            self.world.make_pair("tree/swapped")

    def is_over(self, calls, end):
        """A machine that stands still for seconds has shown nothing in them."""
        has_shown = self.allowed > 100 and self.denied > 20
        now = time.monotonic()
        return (self.calls >= calls or now >= end) and (has_shown or now >= end + LONGER)

    def run(self, calls, seconds):
        end = time.monotonic() + seconds
        swapper = subprocess.Popen([sys.executable, "-m", "lib.race", str(self.world.root)], stdout=subprocess.PIPE, text=True,
                                   cwd=pathlib.Path(__file__).parents[1])
        try:
            assert swapper.stdout.readline() == "swapping\n"
            with contextlib.ExitStack() as stack:
                connections = [stack.enter_context(self.server.client().connect()) for _ in range(CONNECTIONS)]
                self.replies = [Replies(one) for one in connections]
                for number in itertools.count():
                    if self.is_over(calls, end):
                        break
                    self.one_round(connections, number)
                    if number % 64 == 0:
                        self.world.check()
        finally:
            swapper.terminate()
            self.swaps = int(swapper.communicate(timeout=30)[0] or 0)
        self.world.check()


if __name__ == "__main__":
    swap_for_ever(sys.argv[1])
