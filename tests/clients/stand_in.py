# SPDX-License-Identifier: Apache-2.0
"""A small HTTP server that says what a test tells it to: older servers, gateways."""
import asyncio
import json
import threading


class Request:
    def __init__(self, method, target, headers, body):
        self.method, self.target, self.headers, self.body = method, target, headers, body


def answer(status=200, body=b"", headers=()):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(data)}", "Content-Type: application/json", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + data


def events(*pieces, end=True):
    """An event stream, its body in these pieces; end=False breaks the connection before the last chunk."""
    # It is closed in any case: a caller who did not know might send the next call into that.
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    return [head, *(f"{len(piece):x}\r\n".encode() + piece + b"\r\n" for piece in pieces), *([b"0\r\n\r\n"] if end else [])]


class StandIn:
    """answers(request) gives bytes, or a list of them that are sent one by one; .requests holds what came."""

    def __init__(self, answers):
        self.answers, self.requests, self.closed = answers, [], threading.Event()
        self.loop = asyncio.new_event_loop()
        self.ready = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()
        assert self.ready.wait(30)

    def _run(self):
        asyncio.set_event_loop(self.loop)
        self.server = self.loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.server.sockets[0].getsockname()[1]}"
        self.ready.set()
        self.loop.run_forever()
        self.server.close()
        tasks = asyncio.all_tasks(self.loop)
        for task in tasks:
            task.cancel()
        self.loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self.loop.close()

    async def _serve(self, reader, writer):
        try:
            while request := await self._request(reader):
                self.requests.append(request)
                parts = self.answers(request)
                for part in [parts] if isinstance(parts, bytes) else parts:
                    writer.write(part)
                    await writer.drain()
                if not isinstance(parts, bytes):
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self.closed.set()
            writer.close()

    async def _request(self, reader):
        head = await reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        method, target, _ = first.split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        return Request(method, target, headers, body)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(30)
