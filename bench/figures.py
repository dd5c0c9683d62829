# SPDX-License-Identifier: Apache-2.0
"""
The figures, each a function of a Bench that returns rows of the table.

A figure is a ratio wherever there is something to compare with in the same run: rounds of ours and of the
other alternate, and the median of the rounds' ratios is taken, so that other load falls on both.
"""
import contextlib
import dataclasses
import os
import re
import statistics
import subprocess
import time

MIB = 1 << 20
BIG = 1 << 30


@dataclasses.dataclass
class Row:
    name: str
    ours: str
    other: str
    value: float
    aim: str  # "<= 1.10", ">= 0.75", or "" for one that only informs
    unit: str = ""

    def is_met(self):
        if not self.aim:
            return None
        way, limit = self.aim.split()
        return self.value <= float(limit) if way == "<=" else self.value >= float(limit)


def words(text):
    """{"ratio": 1.1, …} from "ratio 1.1 …"."""
    parts = text.split()
    return {name: float(value) for name, value in zip(parts[::2], parts[1::2])}


def alternating(rounds, ours, other):
    """Runs both in turn; who goes first alternates.  Lists of what each returned."""
    left, right = [], []
    for number in range(rounds):
        for is_ours in ((True, False) if number % 2 else (False, True)):
            (left if is_ours else right).append(ours() if is_ours else other())
    return left, right


def median_ratio(left, right):
    return statistics.median(a / b for a, b in zip(left, right))


@contextlib.contextmanager
def one_cpu():
    """
    What is started in here stays on one CPU.  Of two, each program keeps to the one where it began, and in a virtual
    machine they differ: a ratio of two programs is then that of the CPUs.
    """
    all_of_them = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(all_of_them)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, all_of_them)


def exec_one(bench, rounds):
    with bench.new_server() as server:
        return words(bench.program("exec", server.port, rounds))


def exec_true(bench):
    several = [exec_one(bench, bench.rounds(8)) for _ in range(7)]
    got = {name: statistics.median(one[name] for one in several) for name in several[0]}
    with one_cpu():
        alone = exec_one(bench, bench.rounds(40))
    return [Row("exec /bin/true, POST /shell against a plain C loop", f"{got['http_us']:.0f} us", f"{got['floor_us']:.0f} us",
                got["ratio"], "<= 1.10"),
            Row("  the same, all on one CPU", f"{alone['http_us']:.0f} us", f"{alone['floor_us']:.0f} us", alone["ratio"], ""),
            Row("  of that, one exchange of GET /health", f"{alone['health_us']:.0f} us", "", alone["health_us"], "", "us")]


def confine(bench):
    """Two servers that differ in nothing else; only root can keep the user the same."""
    token, user = "bench-token", {"user": "root"} if os.geteuid() == 0 else {}
    kinds, rows = [("Landlock, no capabilities", {}, "<= 1.05")], []
    if os.geteuid() == 0 and subprocess.run(["unshare", "-n", "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
        kinds.append(("the same, without a network", {"network": "none"}, "<= 1.05"))
    for name, more, aim in kinds:
        with one_cpu(), bench.guarded_server(token, {"confine": "paths", **more, **user}) as ours, \
                bench.guarded_server(token, user) as other:
            got = words(bench.program("confine", ours.port, other.port, token, bench.rounds(100)))
        rows.append(Row(f"exec /bin/true, confined against not: {name}", f"{got['confined_us']:.0f} us",
                        f"{got['plain_us']:.0f} us", got["ratio"], aim))
    return rows


def spawn(bench):
    got = words(bench.program("spawn"))
    return [Row("  in the process: spawn_start against posix_spawn", f"{got['us']:.0f} us", "", got["spawn/posix_spawn"], ""),
            Row("  in the process: spawn_start against vfork and exec", f"{got['us']:.0f} us", "", got["spawn/vfork"], "")]


def wrk(bench, port, pid):
    before = bench.cpu_ns(pid)
    done = subprocess.run(["wrk", "-t1", "-c64", f"-d{bench.seconds(2)}s", f"http://127.0.0.1:{port}/health"],
                          capture_output=True, text=True, timeout=60, check=True)
    count, seconds = re.search(r"(\d+) requests in ([\d.]+)s", done.stdout).groups()
    if "Non-2xx" in done.stdout or "Socket errors" in done.stdout:
        raise SystemExit(f"bench: wrk saw errors:\n{done.stdout}")
    return int(count) / float(seconds), (bench.cpu_ns(pid) - before) / int(count) / 1000


def health(bench):
    ours, others = alternating(bench.rounds(7), lambda: wrk(bench, bench.server.port, bench.server.pid),
                               lambda: wrk(bench, bench.nginx.port, bench.nginx.pid))
    rates = [[pair[0] for pair in side] for side in (ours, others)]
    cpus = [[pair[1] for pair in side] for side in (ours, others)]
    return [Row("GET /health, 64 connections: rate against nginx", f"{statistics.median(rates[0]):.0f}/s",
                f"{statistics.median(rates[1]):.0f}/s", median_ratio(*rates), ">= 0.95"),
            Row("GET /health: CPU of a request against nginx", f"{statistics.median(cpus[0]):.2f} us",
                f"{statistics.median(cpus[1]):.2f} us", median_ratio(*cpus), "<= 1.00")]


def rate_of(bench, *arguments):
    return words(bench.program("transfer", *arguments))["mb_s"]


def upload(bench):
    size = 256 * MIB
    path, plain = bench.folder / "uploaded", bench.folder / "copied"

    def ours():
        path.unlink(missing_ok=True)
        return rate_of(bench, "upload", bench.server.port, "/files/upload-stream?path=uploaded", size)

    def dd():
        plain.unlink(missing_ok=True)
        began = time.monotonic()
        subprocess.run(["dd", "if=/dev/zero", f"of={plain}", "bs=256K", f"count={size // (256 << 10)}"], check=True,
                       stderr=subprocess.DEVNULL)
        return size / (time.monotonic() - began) / 1e6

    def through_loopback():
        """The same bytes through a socket into dd: what any server must at least do."""
        plain.unlink(missing_ok=True)
        return words(bench.program("loopback", "upload", plain, size))["mb_s"]

    left, right = alternating(bench.rounds(7), ours, dd)
    rows = [Row("upload to disk against dd", f"{statistics.median(left):.0f} MB/s", f"{statistics.median(right):.0f} MB/s",
                median_ratio(left, right), ">= 0.75")]
    left, right = alternating(bench.rounds(5), ours, through_loopback)
    rows.append(Row("  against a C loop of recv and write", f"{statistics.median(left):.0f} MB/s",
                    f"{statistics.median(right):.0f} MB/s", median_ratio(left, right), ""))
    path.unlink()
    plain.unlink()
    return rows


def download(bench):
    file = bench.folder / "source"
    with open(file, "wb") as out:
        for _ in range(256):
            out.write(os.urandom(MIB))

    def one(port, target, pid):
        before = bench.cpu_ns(pid)
        rate = rate_of(bench, "download", port, target)
        return rate, (bench.cpu_ns(pid) - before) / 256

    ours, others = alternating(
        bench.rounds(11), lambda: one(bench.server.port, "/files/download-stream?path=source", bench.server.pid),
        lambda: one(bench.nginx.port, "/files/source", bench.nginx.pid))
    floors, beside = alternating(bench.rounds(7), lambda: words(bench.program("loopback", "download", file))["mb_s"],
                                 lambda: one(bench.nginx.port, "/files/source", bench.nginx.pid)[0])
    file.unlink()
    rates = [[pair[0] for pair in side] for side in (ours, others)]
    cpus = [[pair[1] / 1000 for pair in side] for side in (ours, others)]
    return [Row("download from the page cache against nginx", f"{statistics.median(rates[0]):.0f} MB/s",
                f"{statistics.median(rates[1]):.0f} MB/s", median_ratio(*rates), ">= 1.80"),
            Row("  CPU of a MiB against nginx", f"{statistics.median(cpus[0]):.0f} us", f"{statistics.median(cpus[1]):.0f} us",
                median_ratio(*cpus), ""),
            Row("  a C loop of pread and send against nginx", f"{statistics.median(floors):.0f} MB/s",
                f"{statistics.median(beside):.0f} MB/s", median_ratio(floors, beside), "")]


def latency(bench):
    """Four uploads go on and on while one caller asks now and then; nginx beside them tells what the load alone costs."""
    seconds = bench.seconds(3)
    (bench.folder / "load").mkdir()
    command = [bench.programs / "bench_transfer", "upload", str(bench.server.port)]
    loads = [subprocess.Popen([*command, f"/files/upload-stream?path=load/{i}", str(64 * MIB), str(4 * seconds)],
                              stdout=subprocess.DEVNULL) for i in range(4)]
    try:
        time.sleep(0.3)  # until they are under way; nothing depends on it
        ours = [words(bench.program("latency", bench.server.port, seconds)) for _ in range(2)]
        others = words(bench.program("latency", bench.nginx.port, seconds))
    finally:
        for load in loads:
            load.kill()
            load.wait()
    p99 = statistics.mean(one["p99_us"] for one in ours) / 1000
    p50 = statistics.mean(one["p50_us"] for one in ours) / 1000
    return [Row("GET /health while 4 uploads saturate: p99", f"{p99:.2f} ms", f"nginx beside it {others['p99_us'] / 1000:.2f} ms", p99,
                "<= 2.00", "ms"),
            Row("  its median", f"{p50:.2f} ms", f"nginx beside it {others['p50_us'] / 1000:.2f} ms", p50, "", "ms")]


def memory(bench):
    with bench.new_server() as server:
        bench.get(server, "/health")
        idle = server.rss_kib() / 1024
        streams = [bench.open_stream(server) for _ in range(1000)]
        with_streams = server.rss_kib() / 1024
        for stream in streams:
            stream.close()
    rows = [Row("idle memory", f"{idle:.2f} MiB", "", idle, "<= 3.00", "MiB"),
            Row("memory with 1,000 open streams", f"{with_streams:.2f} MiB", "", with_streams, "<= 4.00", "MiB")]
    for name, ways in (("upload", ["upload-pattern"]), ("download", ["download-pattern"])):
        with bench.new_server() as server:
            bench.get(server, "/health")
            idle = server.rss_kib()
            for way in ways:
                size = [BIG] if way.startswith("upload") else []
                bench.program("transfer", way, server.port, f"/files/{name}-stream?path=gib", *size)
            growth = (server.peak_kib() - idle) / 1024
        rows.append(Row(f"growth of its peak by {name}ing 1 GiB, byte for byte", f"{growth:.2f} MiB", "", growth, "<= 1.00", "MiB"))
    (bench.folder / "gib").unlink()
    return rows


def start(bench):
    got = words(bench.program("startup", bench.rounds(40), bench.binary, "--listen", "127.0.0.1:0", "--base-dir", bench.folder))
    return [Row("start to first answer", f"{got['ms']:.2f} ms", f"/bin/true {got['floor_ms']:.2f} ms", got["ms"], "<= 4.00", "ms")]


def size(bench):
    megabytes = os.path.getsize(bench.binary) / 1e6
    return [Row("size of the static file", f"{megabytes:.2f} MB", "", megabytes, "<= 4.50", "MB")]


ALL = [size, start, memory, exec_true, confine, spawn, health, upload, download, latency]
