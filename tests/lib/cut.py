# SPDX-License-Identifier: Apache-2.0
"""A TCP proxy that breaks its connections: each after the next number of bytes from the server, none after the last."""
import contextlib
import socket
import struct
import threading


class Cut:
    def __init__(self, server, after):
        self.server, self.after, self.connections = server, iter(after), 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.thread = threading.Thread(target=self._accept, daemon=True)
        self.thread.start()

    def _accept(self):
        while True:
            try:
                conn, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            onward = socket.create_connection((self.server.host, self.server.port))
            left = next(self.after, None)
            threading.Thread(target=self._both, args=(conn, onward, left), daemon=True).start()

    def _both(self, conn, onward, left):
        """Nobody waits at a socket any more when it is closed: its number is soon another one's."""
        with onward, conn:
            forward = threading.Thread(target=self._forward, args=(conn, onward), daemon=True)
            forward.start()
            with contextlib.suppress(OSError):
                self._back(onward, conn, left)
            for one, how in (conn, socket.SHUT_RD), (onward, socket.SHUT_RDWR):
                with contextlib.suppress(OSError):
                    one.shutdown(how)
            forward.join()

    @staticmethod
    def _forward(conn, onward):
        with contextlib.suppress(OSError):
            while part := conn.recv(65536):
                onward.sendall(part)

    def _back(self, onward, conn, left):
        while part := onward.recv(65536 if left is None else min(left, 65536)):
            conn.sendall(part)
            left = left and left - len(part)
            if left == 0:
                # A reset for every other one.
                if self.connections % 2:
                    conn.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return

    def stop(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.listener.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
