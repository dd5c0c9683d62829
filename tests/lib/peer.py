# SPDX-License-Identifier: Apache-2.0
"""
A scripted HTTP server for what the real one never does: answers that break off, lie or are no HTTP.

Peer(handler): handler(request) gets method, target, fields, body and returns the bytes of the
answer; None, or bytes with close=True on the request, ends the connection after them.
"""
import socket
import threading


class Request:
    def __init__(self, method, target, fields, body):
        self.method, self.target, self.fields, self.body = method, target, fields, body
        self.close = False


def answer(body=b"", status=200, media="application/json", **fields):
    if isinstance(body, str):
        body = body.encode()
    lines = [f"HTTP/1.1 {status} X", f"Content-Type: {media}", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in fields.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


def events(*parts, length=None):
    """A stream of (event, JSON text); chunked without its end unless length says otherwise."""
    text = "".join(f"event: {event}\ndata: {data}\n\n" for event, data in parts).encode()
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head + (f"{len(text):x}\r\n".encode() + text + b"\r\n" if text else b"")


class Peer:
    def __init__(self, handler, before_body=None, on_upgrade=None):
        """
        before_body(method, target, fields) may answer a request whose body did not come yet;
        on_upgrade(request, conn, stream) has the connection to itself after the answer to an upgrade.
        """
        self.handler, self.before_body, self.on_upgrade = handler, before_body, on_upgrade
        self.requests, self.connections = [], 0
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
            threading.Thread(target=self._serve, args=(conn,), daemon=True).start()

    def _serve(self, conn):
        with conn, conn.makefile("rb") as stream:
            try:
                while request := self._read(conn, stream):
                    self.requests.append(request)
                    reply = self.handler(request)
                    if reply:
                        conn.sendall(reply)
                    if self.on_upgrade and "upgrade" in request.fields:
                        self.on_upgrade(request, conn, stream)
                        return
                    if reply is None or request.close:
                        return
            except OSError:
                return

    def _read(self, conn, stream):
        line = stream.readline().decode("latin-1").split()
        if len(line) != 3:
            return None
        fields = {}
        while (text := stream.readline().decode("latin-1").strip()):
            name, _, value = text.partition(":")
            fields[name.lower()] = value.strip()
        if self.before_body and (early := self.before_body(line[0], line[1], fields)):
            conn.sendall(early)
            conn.shutdown(socket.SHUT_WR)
            stream.read()
            return None
        if "expect" in fields:
            conn.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = b""
        if "content-length" in fields:
            body = stream.read(int(fields["content-length"]))
        elif fields.get("transfer-encoding") == "chunked":
            while size := int(stream.readline(), 16):
                body += stream.read(size)
                stream.readline()
            stream.readline()
        return Request(line[0], line[1], fields, body)

    def stop(self):
        """Nobody waits at the socket any more when it is closed: its number is soon another one's."""
        self.listener.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.listener.close()
