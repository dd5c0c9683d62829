# SPDX-License-Identifier: Apache-2.0
"""The figures of walks: one tree of many files, ours against find, grep and tar in turn."""
import contextlib
import http.client
import json
import os
import shutil
import signal
import statistics
import subprocess
import time

from figures import Row, alternating, median_ratio, words

FOLDERS, IN_ONE = 200, 1000  # 200,000 files
LINE = "the quick brown fox jumps over the lazy dog\n"


def make_tree(bench):
    tree = bench.folder / "tree"
    count = IN_ONE // 10 if bench.is_quick else IN_ONE
    for folder in range(FOLDERS):
        below = tree / f"d{folder:03}"
        below.mkdir(parents=True)
        for number in range(count):
            text = LINE * (1 + number % 7)
            (below / f"f{number:04}.txt").write_text(text + "needle\n" if number % 500 == 0 else text)
    return tree


def timed(work):
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def answer(bench, method, target, body=None, headers=None):
    connection = http.client.HTTPConnection("127.0.0.1", bench.server.port, timeout=100)
    connection.request(method, target, json.dumps(body) if body is not None else None, headers or {})
    reply = connection.getresponse()
    while reply.read(1 << 20):
        pass
    if reply.status != 200:
        raise SystemExit(f"bench: {target} answers {reply.status}")
    connection.close()


def command(*words):
    subprocess.run(words, stdout=subprocess.DEVNULL, check=True, timeout=100)


def row(name, bench, ours, other, aim):
    left, right = alternating(bench.rounds(5), lambda: timed(ours), lambda: timed(other))
    return Row(name, f"{statistics.median(left) * 1000:.0f} ms", f"{statistics.median(right) * 1000:.0f} ms",
               median_ratio(left, right), aim)


def walks(bench):
    tree = make_tree(bench)
    many = bench.folder / "many"
    many.mkdir()
    for number in range(10_000 if bench.is_quick else 100_000):
        (many / f"entry-{number:06}").touch()
    raw = {"Accept": "application/octet-stream"}
    rows = [
        row("list 100,000 entries against find -printf", bench,
            lambda: answer(bench, "GET", "/files/list?path=many&max_entries=100000"),
            lambda: command("find", str(many), "-maxdepth", "1", "-printf", r"%f %p %y %s %T+ %m %u %g\n"), "<= 1.50"),
        row("search 200,000 files against find -name", bench,
            lambda: answer(bench, "POST", "/files/search", {"path": "tree", "pattern": "f0999.t?t", "max_results": 1000, "timeout": 60}),
            lambda: command("find", str(tree), "-maxdepth", "5", "-name", "f0999.t?t"), "<= 1.50"),
        row("grep in them against grep -r", bench,
            lambda: answer(bench, "POST", "/files/grep", {"path": "tree", "pattern": "needle", "max_results": 1000, "timeout": 60}),
            lambda: command("grep", "-rn", "needle", str(tree)), "<= 2.00"),
        row("archive them as tar.gz against tar | gzip -6", bench,
            lambda: answer(bench, "POST", "/files/archive", {"paths": ["tree"], "format": "tar.gz"}, raw),
            lambda: command("sh", "-c", f"tar -C {bench.folder} -cf - tree | gzip -6"), "<= 1.00"),
    ]
    rows += latency(bench)
    shutil.rmtree(tree)
    shutil.rmtree(many)
    return rows


def latency(bench):
    """While the tree goes out as archives and 100 uploads come in, one caller asks now and then."""
    seconds = bench.seconds(5)
    (bench.folder / "load").mkdir()
    archive = ["curl", "-s", "-o", "/dev/null", "-H", "Accept: application/octet-stream", "-H", "Content-Type: application/json",
               "-d", '{"paths":["tree"]}', f"http://127.0.0.1:{bench.server.port}/files/archive"]
    upload = [bench.programs / "bench_transfer", "upload", str(bench.server.port)]
    with contextlib.ExitStack() as stack:
        archives = subprocess.Popen(["sh", "-c", 'while :; do "$@"; done', "sh", *archive], start_new_session=True)
        stack.callback(end_group, archives)
        for number in range(100):
            load = subprocess.Popen([*upload, f"/files/upload-stream?path=load/{number}", str(1 << 20), str(4 * seconds)],
                                    stdout=subprocess.DEVNULL, start_new_session=True)
            stack.callback(end_group, load)
        time.sleep(0.5)  # until they are under way; nothing depends on it
        ours = [words(bench.program("latency", bench.server.port, seconds / 2)) for _ in range(2)]
        others = words(bench.program("latency", bench.nginx.port, seconds / 2))
    shutil.rmtree(bench.folder / "load", ignore_errors=True)  # what is under way ends by itself
    p99, p50 = (statistics.mean(one[f"{name}_us"] for one in ours) / 1000 for name in ("p99", "p50"))
    return [Row("GET /health while 200,000 files are archived and 100 uploads run: p99", f"{p99:.2f} ms",
                f"nginx beside it {others['p99_us'] / 1000:.2f} ms", p99, "<= 5.00", "ms"),
            Row("  its median", f"{p50:.2f} ms", f"nginx beside it {others['p50_us'] / 1000:.2f} ms", p50, "", "ms")]


def end_group(process):
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
