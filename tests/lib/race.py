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

MARK = b"NOBODY-MAY-SEE-THIS"
SECRET = MARK * 411  # its length is a mark too
LEAKS = re.compile(rb'%s|"name":"only-outside"|"size":%d\b' % (MARK, len(SECRET)))
RENAME_EXCHANGE = 2
PAIRS = ("absolute", "relative", "deep/absolute", "tree/swapped")
CONNECTIONS = 3


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


def as_bytes(op, args):
    if op == "GET":
        return f"GET /files/download-stream?path={args} HTTP/1.1\r\nHost: localhost\r\nAccept: application/octet-stream\r\n\r\n".encode()
    body = json.dumps(args)
    return f"POST /ops/{op} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()


class Race:
    """run(calls, seconds) makes calls until one of the two is reached; the counts tell what came of them."""

    def __init__(self, server, world):
        self.server, self.world = server, world
        self.calls = self.allowed = self.denied = self.swaps = 0
        self.random = random.Random(1)

    def answers(self, connection, count):
        for _ in range(count):
            reply = connection.reply()
            body = reply.read()
            assert not LEAKS.search(body), f"an answer shows what is outside the roots: {body[:300]!r}"
            assert reply.status < 500, f"{reply.status}: {body[:300]!r}"
            self.allowed += reply.status == 200
            self.denied += b"policy.path_denied" in body
            self.calls += 1

    def one_round(self, connections, number):
        """A batch on each connection at once, so that calls meet each other too."""
        connection = connections[0]
        for offset, one in enumerate(connections):
            batch = [as_bytes(*call) for call in requests(number + offset)]
            if (number + offset) % 5 == 0:
                self.random.shuffle(batch)
            one.send(b"".join(batch))
        for one in connections:
            self.answers(one, len(batch))
        if number % 8 == 3:
            # A whole tree is deleted while something in it is swapped, and made again.
            connection.send(as_bytes("files.delete", {"path": "tree"}))
            self.answers(connection, 1)
            self.world.make_pair("tree/swapped")

    def run(self, calls, seconds):
        end = time.monotonic() + seconds
        swapper = subprocess.Popen([sys.executable, __file__, str(self.world.root)], stdout=subprocess.PIPE, text=True)
        try:
            assert swapper.stdout.readline() == "swapping\n"
            with contextlib.ExitStack() as stack:
                connections = [stack.enter_context(self.server.client().connect()) for _ in range(CONNECTIONS)]
                for number in itertools.count():
                    if self.calls >= calls or time.monotonic() >= end:
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
