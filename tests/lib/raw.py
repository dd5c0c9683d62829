# SPDX-License-Identifier: Apache-2.0
"""HTTP/1.1 by hand: what a test wants to send goes out as it is, what comes back is read strictly."""
import socket
import struct
import time


class Broken(AssertionError):
    """The connection ended, or its bytes were not HTTP."""


class Connection:
    """One connection.  Every wait has the same time limit, for one read or write."""

    def __init__(self, server, timeout=60):
        self.timeout = timeout
        if server.unix:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(timeout)
            self.socket.connect(server.unix)
        else:
            self.socket = socket.create_connection((server.host, server.port), timeout)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.rest = b""

    def send(self, *parts):
        for part in parts:
            self.socket.sendall(part.encode() if isinstance(part, str) else part)

    def more(self):
        """At least one new byte in rest, or False at the end."""
        try:
            part = self.socket.recv(1 << 16)
        except ConnectionError:
            part = b""
        self.rest += part
        return bool(part)

    def line(self, limit=65536):
        """A line without its CRLF; a bare LF is an error."""
        while b"\r\n" not in self.rest:
            if len(self.rest) > limit or not self.more():
                raise Broken(f"no whole line: {self.rest[:200]!r}")
        line, self.rest = self.rest.split(b"\r\n", 1)
        if b"\n" in line or b"\r" in line:
            raise Broken(f"a bare CR or LF in {line!r}")
        return line

    def some(self, most):
        """1 to most bytes, or b"" at the end."""
        if not self.rest and not self.more():
            return b""
        part, self.rest = self.rest[:most], self.rest[most:]
        return part

    def reply(self, method="GET", interim=False):
        """The next reply's head; the body is read by the reply's methods.  100 Continue is passed over."""
        began = time.monotonic()
        while True:
            reply = Reply(self, method, began)
            if interim or not 100 <= reply.status < 200 or reply.status == 101:
                return reply

    def is_closed(self, within=60):
        """Whether the peer closes, having sent nothing more."""
        self.socket.settimeout(within)
        try:
            return not self.rest and self.socket.recv(1) == b""
        except TimeoutError:
            return False
        except ConnectionError:
            return True
        finally:
            self.socket.settimeout(self.timeout)

    def half_close(self):
        self.socket.shutdown(socket.SHUT_WR)

    def reset(self):
        """Ends with RST."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Reply:
    """A reply as it arrives: status, headers (lower case, in order), then the body once."""

    def __init__(self, connection, method, began):
        self.connection = connection
        line = connection.line().decode("latin-1")
        version, _, rest = line.partition(" ")
        code, _, self.reason = rest.partition(" ")
        if version != "HTTP/1.1" or len(code) != 3 or not code.isdigit():
            raise Broken(f"not a status line: {line!r}")
        self.status = int(code)
        self.headers = []
        while line := connection.line():
            name, colon, value = line.decode("latin-1").partition(":")
            if not colon or not name or name != name.strip():
                raise Broken(f"not a header line: {line!r}")
            self.headers.append((name.lower(), value.strip()))
        self.head_seconds = time.monotonic() - began
        self._framing(method)
        self._body = None

    def _framing(self, method):
        coding, length = self.header("transfer-encoding"), self.header("content-length")
        if coding is not None and length is not None:
            raise Broken("both Content-Length and Transfer-Encoding")
        self.is_chunked = coding is not None
        if self.is_chunked and coding != "chunked":
            raise Broken(f"Transfer-Encoding: {coding}")
        self.length = int(length) if length is not None else None
        self.has_body = method != "HEAD" and self.status >= 200 and self.status not in (204, 304)

    def header(self, name, default=None):
        values = [value for key, value in self.headers if key == name.lower()]
        if len(values) > 1:
            raise Broken(f"header {name} {len(values)} times")
        return values[0] if values else default

    def chunks(self):
        """The body in parts, as they come; a body that ends early is an error."""
        if not self.has_body:
            return
        if self.is_chunked:
            yield from self._chunked()
        elif self.length is not None:
            yield from self._counted(self.length)
        else:
            while part := self.connection.some(1 << 20):
                yield part

    def _counted(self, left):
        while left:
            part = self.connection.some(left)
            if not part:
                raise Broken(f"the body ended {left} bytes early")
            left -= len(part)
            yield part

    def _chunked(self):
        self.trailers = []
        while True:
            size = int(self.connection.line().partition(b";")[0], 16)
            if size == 0:
                break
            yield from self._counted(size)
            if self.connection.line() != b"":
                raise Broken("no CRLF after a chunk")
        while line := self.connection.line():
            name, _, value = line.decode("latin-1").partition(":")
            self.trailers.append((name.lower(), value.strip()))

    def read(self):
        if self._body is None:
            self._body = b"".join(self.chunks())
        return self._body
