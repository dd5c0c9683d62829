#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Many short commands at once, with not one byte or exit code lost.

    bench/soak.py SERVER [--commands 100000] [--concurrency 32] [--seconds 600]

Starts the server and runs commands whose output and exit code are known beforehand: nine of ten
through commands.run, the tenth through process.start and process.output.  Prints one line of JSON;
exits with 1 when anything was lost, or when --seconds ended it early.
"""
import argparse
import asyncio
import json
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

SIZES = (1, 7, 80, 1000, 5000, 70000)  # of stdout; the last is more than a pipe holds


class Server:
    def __init__(self, binary):
        self.base = tempfile.TemporaryDirectory(prefix="abx-soak-")
        self.process = subprocess.Popen([binary, "--listen", "127.0.0.1:0", "--base-dir", self.base.name, "--log-level", "error"],
                                        stdout=subprocess.PIPE, text=True)
        self.port = int(re.search(r":(\d+)$", self.process.stdout.readline().strip()).group(1))

    def status(self, name):
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"^{name}:\s*(\d+)", text, re.M).group(1))

    def stop(self):
        self.process.terminate()
        code = self.process.wait(30)
        self.base.cleanup()
        return code


class Connection:
    """One keep-alive connection; its answers are JSON."""

    async def open(self, port):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
        return self

    async def call(self, method, target, body=None):
        data = json.dumps(body).encode() if body is not None else b""
        head = f"{method} {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n" if data else "\r\n"
        self.writer.write(head.encode() + data)
        head = await self.reader.readuntil(b"\r\n\r\n")
        return json.loads(await self.body(head.lower()))

    async def body(self, head):
        length = re.search(rb"content-length: (\d+)", head)
        if length:
            return await self.reader.readexactly(int(length.group(1)))
        parts = []
        while size := int(await self.reader.readline(), 16):
            parts.append(await self.reader.readexactly(size))
            await self.reader.readexactly(2)
        await self.reader.readline()
        return b"".join(parts)


def expected(number):
    out = str(number).rjust(SIZES[number % len(SIZES)], "0")
    return {"stdout": out, "stderr": f"e{number}", "exit_code": number % 256}


def command(number):
    """Without a second program: printf is the shell's own."""
    return f"printf '%0{SIZES[number % len(SIZES)]}d' {number}; printf e{number} >&2; exit {number % 256}"


async def run(connection, number):
    got = await connection.call("POST", "/shell", {"command": command(number)})
    return {name: got.get(name) for name in ("stdout", "stderr", "exit_code")}


async def start_and_read(connection, number):
    process = await connection.call("POST", "/process/start", {"command": command(number), "capture_output": True})
    got, since = {"stdout": "", "stderr": ""}, 0
    while True:
        part = await connection.call("GET", f"/process/{process['id']}/output?wait=30&since={since}")
        for chunk in part["chunks"]:
            got[chunk["stream"]] += chunk["data"]
        since = part["next"]
        if part["eof"]:
            return {**got, "exit_code": part["exit_code"]}


async def worker(port, numbers, deadline, faults):
    connection = await Connection().open(port)
    done = 0
    for number in numbers:
        if time.monotonic() > deadline:
            break
        got = await (start_and_read if number % 10 == 9 else run)(connection, number)
        if got != expected(number):
            faults.append({"number": number, "got": {name: str(value)[:200] for name, value in got.items()}})
        done += 1
    return done


async def soak(server, options):
    numbers, faults = iter(range(options.commands)), []
    deadline = time.monotonic() + options.seconds
    began = time.monotonic()
    done = sum(await asyncio.gather(*(worker(server.port, numbers, deadline, faults) for _ in range(options.concurrency))))
    return done, faults, time.monotonic() - began


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("server")
    parser.add_argument("--commands", type=int, default=100_000)
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=600)
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    server = Server(options.server)
    try:
        done, faults, seconds = asyncio.run(soak(server, options))
        peak = server.status("VmHWM")
    finally:
        code = server.stop()
    print(json.dumps({"commands": done, "wanted": options.commands, "lost": len(faults), "seconds": round(seconds, 1),
                      "per_second": round(done / seconds, 1), "server_peak_kib": peak, "server_exit": code, "faults": faults[:5]}))
    return 1 if faults or done < options.commands or code else 0


if __name__ == "__main__":
    sys.exit(main())
