# SPDX-License-Identifier: Apache-2.0
"""Calls over HTTP: one request each, no retries, every failure an exception of this package."""
from __future__ import annotations

import asyncio
import ipaddress
import os
import stat
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Mapping
from typing import IO, Any, TypeVar, cast
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import httpx
from pydantic import BaseModel, ValidationError

from . import errors
from ._answer import error_from_response
from ._op import Body, Op, Progress, Request
from ._stream import EventStream, SyncEventStream
from ._sync import end_in, run_soon, wait_for
from .capabilities import ServerCapabilities

T = TypeVar("T")
BYTES = "application/octet-stream"
PIECE = 256 * 1024
KEEP_ALIVE = 60.0  # shorter than the server's 75 s, so that no request meets a connection that is being closed


def is_local(url: str) -> bool:
    """Whether the address is this machine: no proxy has any business there."""
    if url.startswith("unix:"):
        return True
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
        has_host = bool(parts.hostname) and parts.port != 0
    except ValueError:  # no port, or no address
        return False
    if parts.scheme == "unix":
        return len(url) > len("unix:")
    return parts.scheme in ("http", "https") and has_host and not parts.query and not parts.fragment


class Caller:
    """What the methods of the tree call through; ServerClient owns one."""

    def __init__(
        self, url: str, *, token: str | None, gateway_token: str | None, gateway_headers: Mapping[str, str] | None, legacy_auth: bool,
        connect_timeout: float, request_timeout: float | None, use_proxy: bool | None, strict: bool, user_agent: str,
    ) -> None:
        self.url, self.token, self.legacy_auth, self.strict = url.rstrip("/"), token, legacy_auth, strict
        self.gateway_token, self.gateway_headers = gateway_token, dict(gateway_headers or {})
        self.connect_timeout, self.request_timeout = connect_timeout, request_timeout
        self.use_proxy = not is_local(url) if use_proxy is None else use_proxy
        self.user_agent = user_agent
        self.capabilities: ServerCapabilities | None = None
        self.server_version: str | None = None
        self._pools: WeakKeyDictionary[asyncio.AbstractEventLoop, httpx.AsyncClient] = WeakKeyDictionary()
        self._closed = False
        self._check_setup(url)

    def _check_setup(self, given: str) -> None:
        if not is_url(self.url):
            raise errors.ServerConfigError(f"the URL must be http://HOST:PORT, https://HOST or unix:/PATH, not '{given}'")
        if self.token is not None and (not self.token.strip() or any(not "!" <= c <= "~" for c in self.token)):
            raise errors.ServerConfigError("the token is empty, or holds characters that a header cannot carry")
        if self.legacy_auth and self.gateway_token:
            raise errors.ServerConfigError("legacy_auth and gateway_token would both send X-Access-Token")
        for name in ("connect_timeout", "request_timeout"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise errors.ServerConfigError(f"{name} must be greater than 0, or None for no limit")

    # Requests

    def base(self) -> str:
        return "http://localhost" if self.url.startswith("unix:") else self.url

    def headers(self) -> dict[str, str]:
        """One credential for the server; the gateway's own headers beside it."""
        head = {"X-ABX-Client": self.user_agent, "User-Agent": self.user_agent.partition(";")[0], "Accept-Encoding": "identity"}
        head.update(self.gateway_headers)
        if self.gateway_token:
            head["X-Access-Token"] = self.gateway_token
        if self.token and self.legacy_auth:
            head["X-Access-Token"] = self.token
        elif self.token:
            head["Authorization"] = f"Bearer {self.token}"
        return head

    def http(self) -> httpx.AsyncClient:
        """The pool of connections of the running event loop."""
        if self._closed:
            raise errors.ServerConfigError("the client is closed")
        loop = asyncio.get_running_loop()
        pool = self._pools.get(loop)
        if pool is None or pool.is_closed:
            pool = self._pools[loop] = self._make_pool()
        return pool

    def _make_pool(self) -> httpx.AsyncClient:
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=32, keepalive_expiry=KEEP_ALIVE)
        timeout = httpx.Timeout(None, connect=self.connect_timeout)
        transport = None
        if self.url.startswith("unix:"):
            transport = httpx.AsyncHTTPTransport(uds=self.url.removeprefix("unix:").removeprefix("//"), limits=limits, verify=False)
        tls = self.use_proxy or self.url.startswith("https:")  # where there is none, its certificates need not be loaded
        try:
            return httpx.AsyncClient(transport=transport, limits=limits, timeout=timeout, trust_env=self.use_proxy, verify=tls)
        except (ImportError, ValueError) as fault:
            raise errors.ServerConfigError(
                f"the proxy that the environment names cannot be used ({fault}); use_proxy=False goes without") from fault

    def open(self) -> None:
        self._closed = False

    async def disconnect(self) -> None:
        """Ends all connections: of this event loop, of the *_sync twins, of loops in other threads."""
        here = asyncio.get_running_loop()
        pools, self._pools = dict(self._pools), WeakKeyDictionary()
        for loop, pool in pools.items():
            if loop is here:
                await pool.aclose()
            elif loop.is_running():
                await end_in(loop, pool.aclose)

    async def aclose(self) -> None:
        self._closed = True
        await self.disconnect()

    def leave_running_loop(self) -> None:
        """Where nothing can be awaited, in a running loop: its connections end with its next turn."""
        try:
            here = asyncio.get_running_loop()
        except RuntimeError:
            return
        own = self._pools.pop(here, None)
        if own is not None:
            run_soon(here, own.aclose())

    def close(self) -> None:
        self.leave_running_loop()
        self.wait(self.aclose())

    async def request(
        self, op: Op, request: Request, *, headers: Mapping[str, str] | None = None, content: Any = None, stream: bool = False,
    ) -> httpx.Response:
        """The response to one request, whose status says success; its body is read unless it is to stream."""
        pool = self.http()
        head = {**self.headers(), **(headers or {})}
        try:
            made = pool.build_request(
                request.method, self.base() + request.target, headers=head, content=content,
                json=request.body if content is None and request.body is not None else None)
        except (TypeError, ValueError, httpx.InvalidURL) as fault:  # what JSON, a URL or a header cannot hold
            raise errors.ServerArgumentError(
                f"the arguments cannot be sent: {fault}", op=op.id, endpoint=op.endpoint, error_code="args.invalid") from fault
        try:
            response = await pool.send(made, stream=True)
            try:
                self._note_version(response)
                if not response.is_success:  # nor is a redirection one: it is somebody else's answer
                    content = await response.aread()
                    raise error_from_response(
                        op, response.status_code, content, response.headers.get("x-request-id"), self.server_version)
                if not stream:
                    await response.aread()
            except BaseException:
                await response.aclose()
                raise
            return response
        except httpx.HTTPError as broken:
            raise self.unreachable(op, broken) from broken

    def _note_version(self, response: httpx.Response) -> None:
        name, _, version = str(response.headers.get("server", "")).partition("/")
        if name == "agent-sandbox-server" and version:
            self.server_version = version

    def unreachable(self, op: Op, broken: httpx.HTTPError) -> errors.SandboxError:
        if isinstance(broken, httpx.LocalProtocolError):
            return errors.ServerArgumentError(
                f"the call cannot be sent: {broken}", op=op.id, endpoint=op.endpoint, error_code="args.invalid")
        if isinstance(broken, httpx.ConnectTimeout):
            message = f"cannot connect to {self.url} within {self.connect_timeout} s (connect_timeout)"
        elif isinstance(broken, httpx.ConnectError):
            message = f"cannot connect to {self.url}: {broken}"
        elif isinstance(broken, httpx.ProxyError):
            message = f"the proxy on the way to {self.url} failed: {broken}; use_proxy=False goes without"
        else:
            message = f"the connection broke before the answer was there ({broken!r}); whether the call took effect is not known"
        return errors.ServerConnectionError(message, op=op.id, endpoint=op.endpoint)

    def too_late(self, op: Op, seconds: float | None) -> errors.SandboxError:
        return errors.RequestTimeoutError(
            f"the client gave the call up after its own request_timeout of {seconds} s; the server's 'timeout' had not passed",
            op=op.id, endpoint=op.endpoint)

    async def timed(self, op: Op, what: Awaitable[T], request_timeout: float | None) -> T:
        """The whole of a call, from connecting to the last byte, within the client's own time."""
        seconds = request_timeout if request_timeout is not None else self.request_timeout
        if seconds is None:
            return await what
        try:
            return await asyncio.wait_for(what, seconds)
        except asyncio.TimeoutError:
            raise self.too_late(op, seconds) from None

    def gate(self, op: Op) -> None:
        """What discover() has told is consulted; without it nothing is asked."""
        if self.capabilities is not None:
            self.capabilities.require(op.id)
        elif self.strict and op.group != "core":
            raise errors.ServerConfigError("strict=True: discover() must be called before the first call", op=op.id)

    # What the generated methods call

    async def json(
        self, op: Op, args: Mapping[str, Any], model: type[T], request_timeout: float | None = None, *,
        check: bool = False, idempotency_key: str | None = None, if_match: str | None = None,
    ) -> T:
        self.gate(op)
        request = op.bind(args)
        head = {"Accept": "application/json", **condition(if_match)}
        if idempotency_key is not None:
            head["Idempotency-Key"] = idempotency_key
        response = await self.timed(op, self.request(op, request, headers=head), request_timeout)
        result = self.result(op, response, model)
        if check and cast(Any, result)["exit_code"] != 0:
            raise failed(op, result)
        return result

    def result(self, op: Op, response: httpx.Response, model: type[T]) -> T:
        try:
            value = response.json()
            if issubclass(model, BaseModel):
                return cast(T, model.model_validate(value))
        except (ValidationError, ValueError) as fault:
            raise errors.ContractMismatchError(
                f"the answer is not what the catalog says: {fault}", status_code=response.status_code, op=op.id,
                endpoint=op.endpoint, request_id=response.headers.get("x-request-id")) from fault
        return cast(T, value)

    async def fetch(self, op: Op, args: Mapping[str, Any], request_timeout: float | None = None) -> bytes:
        self.gate(op)
        head = {"Accept": str(op.raw.get("media_type") or BYTES)}
        response = await self.timed(op, self.request(op, op.bind(args), headers=head), request_timeout)
        content: bytes = response.content
        return content

    async def pieces(
        self, op: Op, args: Mapping[str, Any], *, start: int = 0, end: int | None = None, progress: Progress | None = None,
        request_timeout: float | None = None,
    ) -> AsyncIterator[bytes]:
        """The bytes as they come; a connection that breaks is an error and never the end."""
        self.gate(op)
        head = {"Accept": str(op.raw.get("media_type") or BYTES), **byte_range(op, start, end)}
        if start == end:
            return
        seconds = request_timeout if request_timeout is not None else self.request_timeout
        until = None if seconds is None else asyncio.get_running_loop().time() + seconds
        response = await self.timed(op, self.request(op, op.bind(args), headers=head, stream=True), seconds)
        is_part = response.status_code == 206
        length = response.headers.get("content-length") if is_part or "Range" not in head else None
        total, done, at = (int(length) if length else None), 0, start if is_part else 0
        try:
            pieces = response.aiter_raw(PIECE)
            # Who does not know ranges sends all of the file.
            while (is_part or end is None or at < end) and (piece := await self._piece(op, pieces, until, seconds)):
                wanted = piece[max(0, start - at):None if end is None else max(0, end - at)]
                at += len(piece)
                done += len(wanted)
                if progress and wanted:
                    progress(done, total)
                if wanted:
                    yield wanted
        finally:
            await response.aclose()

    async def _piece(self, op: Op, pieces: AsyncIterator[bytes], until: float | None, seconds: float | None) -> bytes:
        """The next one; none at the end."""
        left = None if until is None else max(0.001, until - asyncio.get_running_loop().time())
        try:
            while True:
                piece = await asyncio.wait_for(_next(pieces), left)
                if piece != b"":
                    return piece or b""
        except asyncio.TimeoutError:
            raise self.too_late(op, seconds) from None
        except httpx.HTTPError as broken:
            raise self.unreachable(op, broken) from broken

    async def send(
        self, op: Op, args: Mapping[str, Any], model: type[T], data: Body | None = None, progress: Progress | None = None,
        request_timeout: float | None = None, *, media_type: str = BYTES, if_match: str | None = None,
    ) -> T:
        if data is None:
            return await self.json(op, args, model, request_timeout, if_match=if_match)
        self.gate(op)
        length = length_of(data)
        self.check_size(op, length)
        head = {"Content-Type": media_type, "Accept": "application/json", **condition(if_match)}
        if length is not None:
            head["Content-Length"] = str(length)
        content = body_pieces(data, length, progress)
        sent = self.request(op, op.bind(args, raw=True), headers=head, content=content)
        return self.result(op, await self.timed(op, sent, request_timeout), model)

    def check_size(self, op: Op, length: int | None) -> None:
        """What is known to be too large is not sent."""
        limit = self.capabilities.limit(op.id, "max_bytes") if self.capabilities else None
        if limit is not None and length is not None and length > limit:
            raise errors.LimitExceededError(
                f"{length} bytes are more than the server's max_bytes of {limit}", op=op.id, endpoint=op.endpoint,
                error_code="limit.file_too_large", details={"max_bytes": limit, "bytes": length})

    def events(
        self, op: Op, args: Mapping[str, Any], table: Mapping[str, type[T]], request_timeout: float | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> EventStream[T]:
        self.gate(op)
        op.bind(args)
        seconds = request_timeout if request_timeout is not None else self.request_timeout
        return EventStream(self, op, args, table, seconds, headers)

    async def open_events(self, op: Op, args: Mapping[str, Any], headers: Mapping[str, str]) -> httpx.Response:
        return await self.request(op, op.bind(args), headers={"Accept": "text/event-stream", **headers}, stream=True)

    def wait(self, what: Awaitable[T]) -> T:
        return wait_for(what)

    def iterate(self, stream: EventStream[T]) -> SyncEventStream[T]:
        return SyncEventStream(self, stream)


def failed(op: Op, result: Any) -> errors.ProcessError:
    tail = str(result.get("stderr") or "").strip()[-500:]
    error = errors.ProcessError(
        f"the command exited with {result['exit_code']}" + (f": {tail}" if tail else ""), op=op.id, endpoint=op.endpoint,
        details=result.to_dict() if isinstance(result, BaseModel) and hasattr(result, "to_dict") else dict(result))
    error.result = result
    return error


def condition(if_match: str | None) -> dict[str, str]:
    return {} if if_match is None else {"If-Match": if_match}


def byte_range(op: Op, start: int, end: int | None) -> dict[str, str]:
    if start < 0 or (end is not None and end < start):
        raise errors.ServerArgumentError(
            f"from {start} to {end} is no range of bytes", op=op.id, endpoint=op.endpoint, error_code="args.invalid")
    return {"Range": f"bytes={start}-{'' if end is None else end - 1}"} if start or end is not None else {}


async def _next(pieces: AsyncIterator[bytes]) -> bytes | None:
    return await anext(pieces, None)


def length_of(data: Body) -> int | None:
    if isinstance(data, (bytes, bytearray)):
        return len(data)
    if isinstance(data, memoryview):
        return data.nbytes
    file: Any = data
    try:
        facts = os.fstat(file.fileno())
        # A file of size 0 may be one of /proc, which have content all the same.
        return int(facts.st_size - file.tell()) if stat.S_ISREG(facts.st_mode) and facts.st_size else None
    except (AttributeError, OSError):
        return None


async def body_pieces(data: Body, length: int | None, progress: Progress | None) -> AsyncIterator[bytes]:
    """As many as were announced: a file that grows meanwhile is sent as it was when the call began."""
    sent = 0
    async for piece in _raw_pieces(data):
        if not isinstance(piece, (bytes, bytearray, memoryview)):
            raise errors.ServerArgumentError(f"a body is made of bytes, not of {type(piece).__name__} (a file is to be opened with 'rb')")
        part = bytes(piece) if length is None else bytes(piece)[:length - sent]
        if not part:
            continue
        yield part
        sent += len(part)
        if progress:
            progress(sent, length)
        if sent == length:
            return
    if length is not None and sent < length:
        raise errors.ServerArgumentError(f"the file became shorter while it was sent: {sent} of {length} bytes")


async def _raw_pieces(data: Body) -> AsyncIterator[bytes]:
    if isinstance(data, (bytes, bytearray, memoryview)):
        view = memoryview(data).cast("B")
        for start in range(0, len(view), PIECE):
            yield bytes(view[start:start + PIECE])
    elif isinstance(data, AsyncIterable):
        async for piece in data:
            yield piece
    elif hasattr(data, "read"):
        file = cast(IO[bytes], data)
        while piece := await asyncio.to_thread(file.read, PIECE):
            yield piece
    else:
        for piece in data:
            yield piece
