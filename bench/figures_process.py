# SPDX-License-Identifier: Apache-2.0
"""The figures of commands and terminals: output, a timeout, a key and its echo."""
import statistics
import time

from figures import MIB, Row, words


def lines_file(bench):
    file = bench.folder / "text"
    line = "".join(chr(33 + i % 90) for i in range(79)).replace('"', "a").replace("\\", "b") + "\n"
    file.write_text(line * (64 * MIB // len(line)))
    return file


def stdout(bench):
    """64 MiB many times, and 1 GiB in one: its rate, and what the server grows by while it goes through."""
    file = lines_file(bench)
    got = words(bench.program("stdout", bench.server.port, file, bench.rounds(11), 1))
    with bench.new_server() as server:
        bench.get(server, "/health")
        words(bench.program("stdout", server.port, file, 2, 1))
        idle = server.rss_kib()
        large = words(bench.program("stdout", server.port, file, bench.rounds(4), 16))
        growth = (server.peak_kib() - idle) / 1024
    file.unlink()
    return [Row("stdout through events against a raw pipe", f"{got['sse_mb_s']:.0f} MB/s", f"{got['pipe_mb_s']:.0f} MB/s",
                got["ratio"], ">= 0.50"),
            Row("  1 GiB of it in one call", f"{large['sse_mb_s']:.0f} MB/s", f"{large['pipe_mb_s']:.0f} MB/s", large["ratio"], ">= 0.50"),
            Row("  growth of the peak by that", f"{growth:.2f} MiB", "", growth, "<= 1.00", "MiB")]


def overshoot(bench):
    """A child in a session of its own holds the pipe: how much later than its timeout a command's answer comes."""
    client, late = bench.server.client(), []
    for _ in range(bench.rounds(20)):
        began = time.perf_counter()
        reply = client.request("POST", "/shell", {"command": "setsid sleep 600 & sleep 600", "timeout": 0.3})
        status = reply.status
        reply.read()
        late.append((time.perf_counter() - began - 0.3) * 1000)
        assert status == 408
    middle = statistics.median(late)
    return [Row("answer after a timeout, with a child that holds the pipe", f"{middle:.1f} ms", f"worst of {len(late)}: {max(late):.1f} ms",
                middle, "<= 50.00", "ms")]


def echo(bench):
    client = bench.server.client()
    session = client.call("terminal.create", command="stty raw -echo; exec cat")
    target = "/" + session["ws_url"].split("/", 3)[3]
    got = words(bench.program("echo", bench.server.port, target, bench.rounds(40)))
    client.call("terminal.delete", id=session["session_id"])
    return [Row("a key and its echo through a terminal", f"{got['us']:.0f} us", f"a raw pty {got['raw_us']:.0f} us", got["us"] / 1000,
                "<= 0.30", "ms")]


ALL = [stdout, overshoot, echo]
