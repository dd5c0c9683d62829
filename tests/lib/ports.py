# SPDX-License-Identifier: Apache-2.0
"""Ports that a test chooses itself."""
import contextlib
import pathlib
import random
import socket


def free_port():
    """One below those that the kernel hands out: nobody else gets it by chance before it is used, or between two uses."""
    lowest = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    for port in [*random.sample(range(lowest // 2, lowest), 100), 0]:
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return probe.getsockname()[1]
    raise AssertionError("no port is free")
