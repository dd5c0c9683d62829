# SPDX-License-Identifier: Apache-2.0
"""
A client that doubts every reply.

call() and rest() are the two bindings of an op; stream() reads events, send_bytes() and
get_bytes() move raw bodies, request() sends anything.  Whatever comes back is checked against the
catalog and noted for coverage.  A refusal raises ApiError; `with expect_error(code)` wants one.
"""
import contextlib
import json
import os
import time
import urllib.parse

from lib import contract, coverage
from lib.contract import need
from lib.raw import Connection
from lib.sse import Stream

BYTES = "application/octet-stream"


class ApiError(Exception):
    """An error body that the server sent, already checked."""

    def __init__(self, op, reply, body):
        super().__init__(f"{op['id'] if op else '-'}: {reply.status} {body['wire_code']}: {body['error']}")
        self.op, self.reply, self.body = op, reply, body
        self.status, self.wire_code, self.code = reply.status, body["wire_code"], body["code"]
        self.message, self.rule, self.details = body["error"], body.get("rule"), body["details"]


@contextlib.contextmanager
def expect_error(wire_code, status=None, says=None):
    """The block must raise ApiError with this code; `caught.error` holds it afterwards."""
    caught = type("Caught", (), {"error": None})()
    try:
        yield caught
    except ApiError as error:
        assert error.wire_code == wire_code, f"wanted {wire_code}: {error}"
        assert status in (None, error.status), f"wanted {status}: {error}"
        assert says is None or says in error.message, f"wanted '{says}' in: {error}"
        caught.error = error
    else:
        raise AssertionError(f"wanted {wire_code}, and it worked")


def query_text(value):
    """A query value: bytes as they are, booleans as words."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, bytes) else str(value)


class Client:
    """One caller.  Each of its waits has a deadline, `timeout` seconds: a call that hangs fails its test, and no test measures time."""

    def __init__(self, server, token=None, timeout=60, headers=None):
        self.server, self.token, self.timeout = server, token, timeout
        self.headers = dict(headers or {})
        self.ops = contract.ops()

    def connect(self, timeout=None):
        return Connection(self.server, timeout or self.timeout)

    def head(self, method, target, headers):
        host = f"[{self.server.host}]" if ":" in self.server.host else self.server.host
        lines = {"Host": f"{host}:{self.server.port}" if self.server.port else "localhost"}
        if self.token is not None:
            lines["Authorization"] = f"Bearer {self.token}"
        lines.update(self.headers)
        lines.update(headers)
        text = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value is not None)
        return f"{method} {target} HTTP/1.1\r\n{text}\r\n".encode()

    def _send(self, connection, method, target, body, headers):
        if isinstance(body, (bytes, bytearray, memoryview)):
            connection.send(self.head(method, target, {"Content-Length": len(body), **headers}), body)
        elif body is not None:
            connection.send(self.head(method, target, {"Transfer-Encoding": "chunked", **headers}))
            for part in body:
                if part:
                    connection.send(f"{len(part):x}\r\n", part, "\r\n")
            connection.send("0\r\n\r\n")
        else:
            connection.send(self.head(method, target, headers))

    def open(self, method, target, body=None, headers=None, timeout=None):
        """Sends a request; returns the connection and the reply's head.  body: bytes, or parts to send chunked."""
        headers = dict(headers or {})
        connection = self.connect(timeout)
        try:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # an answer may come before the body is sent
                self._send(connection, method, target, body, headers)
            reply = connection.reply(method)
        except BaseException:
            connection.close()
            raise
        contract.check_head(reply)
        return connection, reply

    def request(self, method, target, body=None, headers=None, timeout=None):
        """One exchange with its whole body; errors are replies here too, but their bodies are checked."""
        if isinstance(body, (dict, list)):
            body = json.dumps(body, ensure_ascii=False).encode()
            headers = {"Content-Type": "application/json", **(headers or {})}
        began = time.monotonic()
        connection, reply = self.open(method, target, body, headers, timeout)
        with connection:
            reply.read()
        reply.seconds = time.monotonic() - began
        if reply.status >= 400 and reply.has_body:
            self.error(None, reply)
        return reply

    def error(self, op, reply):
        need((reply.header("content-type") or "").startswith("application/json"), f"{reply.status} without a JSON body")
        body = contract.strict_json(reply.read())
        contract.check_error(op, reply, body, [self.token] if self.token else [])
        if op is None and body.get("op") in self.ops:
            contract.check_error(self.ops[body["op"]], reply, body)
        return ApiError(op, reply, body)

    def answer(self, op, reply):
        """The checked result of a JSON reply; raises ApiError."""
        if reply.status >= 400:
            raise self.error(op, reply)
        need(reply.status == 200, f"{op['id']}: status {reply.status}")
        need((reply.header("content-type") or "").startswith("application/json"), f"{op['id']}: not JSON")
        value = contract.strict_json(reply.read())
        contract.check_result(op, value)
        return value

    def by_id(self, op_id, args):
        return "POST", f"/ops/{op_id}", json.dumps(args, ensure_ascii=False).encode(), {"Content-Type": "application/json"}

    def by_route(self, op_id, args, all_in_query=False):
        """Method, target, body and headers of the op's REST route, each argument in its place."""
        op = self.ops[op_id]
        places = {param["name"]: param.get("in", "body") for param in op["params"]}
        places.update({param["b64"]: param.get("in", "body") for param in op["params"] if "b64" in param})
        path, query, body = op["path"], [], {}
        for name, value in args.items():
            place = places.get(name, "query" if op["method"] in ("GET", "DELETE") else "body")
            if place == "path":
                path = path.replace("{%s}" % name, urllib.parse.quote(query_text(value), safe=""))
            elif place == "query" or all_in_query:
                query.append((name, query_text(value)))
            else:
                body[name] = value
        target = path + ("?" + urllib.parse.urlencode(query, quote_via=urllib.parse.quote) if query else "")
        if op["method"] in ("GET", "DELETE") or all_in_query:
            return op["method"], target, None, {}
        return op["method"], target, json.dumps(body, ensure_ascii=False).encode(), {"Content-Type": "application/json"}

    def _exchange(self, op_id, binding, timeout, headers=None):
        method, target, body, own = binding
        connection, reply = self.open(method, target, body, {**own, **(headers or {})}, timeout)
        with connection:
            return self.answer(self.ops[op_id], reply)

    def call(self, op_id, /, http_timeout=None, **args):
        """The result, through POST /ops/{id}."""
        return self._exchange(op_id, self.by_id(op_id, args), http_timeout)

    def rest(self, op_id, /, http_timeout=None, **args):
        """The result, through the op's own route."""
        return self._exchange(op_id, self.by_route(op_id, args), http_timeout)

    @contextlib.contextmanager
    def asked(self, op_id, /, **args):
        """A call that the server has read, and that nobody waits for: the block has a function that returns the result."""
        method, target, body, headers = self.by_id(op_id, args)
        with self.connect() as connection:
            self._send(connection, method, target, body, headers)
            self.request("GET", "/health")  # sent later, so read later

            def result():
                reply = connection.reply(method)
                contract.check_head(reply)
                return self.answer(self.ops[op_id], reply)
            yield result

    def _stream(self, op_id, binding, timeout, headers=None):
        method, target, body, own = binding
        connection, reply = self.open(method, target, body, {**own, **(headers or {})}, timeout)
        if reply.status != 200:
            with connection:
                raise self.error(self.ops[op_id], reply)
        return Stream(self.ops[op_id], connection, reply)

    def stream(self, op_id, /, http_timeout=None, headers=None, **args):
        """The events of an op of kind sse, through POST /ops/{id}; close it or use `with` when leaving early."""
        return self._stream(op_id, self.by_id(op_id, args), http_timeout, headers)

    def rest_stream(self, op_id, /, http_timeout=None, headers=None, **args):
        return self._stream(op_id, self.by_route(op_id, args), http_timeout, headers)

    def send_bytes(self, op_id, data, /, http_timeout=None, headers=None, media_type=BYTES, **args):
        """A raw body (bytes, or parts to send chunked) with its arguments in the query; the JSON result."""
        method, target, _, _ = self.by_route(op_id, args, all_in_query=True)
        headers = {"Content-Type": media_type, **(headers or {})}
        return self._exchange(op_id, (method, target, data, headers), http_timeout)

    def get_bytes(self, op_id, /, http_timeout=None, headers=None, method=None, **args):
        """The raw form of an op's answer: a reply with .status, .header() and .read()."""
        op = self.ops[op_id]
        verb, target, body, own = self.by_route(op_id, args)
        headers = {"Accept": op.get("raw", {}).get("media_type", BYTES), **own, **(headers or {})}
        connection, reply = self.open(method or verb, target, body, headers, http_timeout)
        with connection:
            if reply.status >= 400:
                if method == "HEAD":
                    return reply
                raise self.error(op, reply)
            reply.read()
        coverage.saw("op", op_id)
        return reply

    def send_files(self, op_id, files, /, http_timeout=None, **args):
        """multipart/form-data: files is a list of (name, bytes)."""
        mark = f"abx{os.urandom(12).hex()}"
        parts = [f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'.encode() + data + b"\r\n"
                 for name, data in files]
        body = b"".join(parts) + f"--{mark}--\r\n".encode()
        return self.send_bytes(op_id, body, http_timeout=http_timeout, media_type=f"multipart/form-data; boundary={mark}", **args)
