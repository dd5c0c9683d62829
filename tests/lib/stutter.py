# SPDX-License-Identifier: Apache-2.0
"""
A hunt for races: `tools/run-api SERVER -p lib.stutter` runs the tests on a machine that seems to stall.

Servers are stopped and continued at random, and so is the test between the steps of a request.  A test that
fails only here leans on the order of two things that nothing orders; or the server does.
"""
import random
import signal
import socket
import threading
import time

from lib.server import Server

_chance = random.Random()


def _pause(share, most):
    if _chance.random() < share:
        time.sleep(_chance.uniform(0, most))


def _late(method):
    def call(self, *args, **named):
        _pause(0.1, 0.1)
        answer = method(self, *args, **named)
        _pause(0.1, 0.2)
        return answer
    return call


class _Stalls(threading.Thread):
    """Stops a running server now and then, for as long as a busy machine might."""

    def __init__(self):
        super().__init__(daemon=True)
        self.servers = []

    def run(self):
        while True:
            time.sleep(_chance.uniform(0.05, 0.5))
            for server in list(self.servers):
                if not server.is_running():
                    self.servers.remove(server)
                elif _chance.random() < 0.5:
                    self._stall(server)

    @staticmethod
    def _stall(server):
        server.signal(signal.SIGSTOP)
        time.sleep(_chance.uniform(0.01, 0.3))
        server.signal(signal.SIGCONT)


def pytest_configure():
    stalls = _Stalls()
    stalls.start()
    begin = Server.__init__

    def noted(self, *args, **named):
        begin(self, *args, **named)
        stalls.servers.append(self)

    Server.__init__ = noted
    socket.socket.connect = _late(socket.socket.connect)
    socket.socket.sendall = _late(socket.socket.sendall)
