# SPDX-License-Identifier: Apache-2.0
"""ServerClient: the tree of the catalog over one server."""
from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from types import TracebackType
from typing import Any, ClassVar, TypeVar, Union

from . import _generated as generated
from . import errors
from ._caller import Caller
from ._extras import Commands, Files, deprecated
from ._generated import CATALOG_DIGEST, OPS, CoreCheckResult, CoreDescribeResult, CoreHealthResult, Tree
from ._machine import Custom, Devtools, System
from ._model import Model
from ._more import Process, Terminal
from ._namespace import DynamicNode
from ._op import Op, PathLike
from ._ops_tree import OpsTree
from .capabilities import ServerCapabilities
from .compat import ENDPOINT_METHODS

T = TypeVar("T")
PACKAGE = "agent-sandbox-python/0.1.0"


class ServerClient(Tree):
    """
    A client of one agent-sandbox-server.

    Nothing is asked of the server but the calls that are made, and one GET /ops when a name is used that this
    package was not generated with.  No call is ever repeated.

    :param url: http://HOST:PORT, https://…, or unix:/path.
    :param token: The server's token, sent as Bearer; ABX_SERVER_TOKEN where it is not given.
    :param connect_timeout: Seconds to reach the server.
    :param request_timeout: Seconds for the whole of a call, None for no limit.  It is the client's own; the
        `timeout` of a command is the server's.
    :param use_proxy: Whether HTTP_PROXY and the like count; by default for all addresses but loopback and unix:.
    :param gateway_token: What a gateway in front of the server asks for; sent as X-Access-Token.
    :param gateway_headers: Further headers for it.
    :param legacy_auth: Send the token as X-Access-Token, as v1 servers want it; discover() switches it on for them.
    :param strict: Refuse calls before discover() has told what is allowed.
    """

    ENDPOINT_METHODS: ClassVar[Mapping[str, Sequence[str]]] = ENDPOINT_METHODS

    def __init__(
        self, url: str, *, token: str | None = None, connect_timeout: float = 10.0, request_timeout: float | None = None,
        use_proxy: bool | None = None, gateway_token: str | None = None, gateway_headers: Mapping[str, str] | None = None,
        legacy_auth: bool = False, strict: bool = False,
    ) -> None:
        self.caller = Caller(
            url, token=token if token is not None else os.environ.get("ABX_SERVER_TOKEN") or None, gateway_token=gateway_token,
            gateway_headers=gateway_headers, legacy_auth=legacy_auth, connect_timeout=connect_timeout,
            request_timeout=request_timeout, use_proxy=use_proxy, strict=strict, user_agent=f"{PACKAGE}; catalog={CATALOG_DIGEST}")
        self._known: dict[str, Op] | None = None
        self._server_says: str | None = None

    @property
    def _client(self) -> ServerClient:
        return self

    @property
    def base_url(self) -> str:
        return self.caller.url

    # Namespaces that have more than their generated methods

    @cached_property
    def files(self) -> Files:
        return Files(self, "files")

    @cached_property
    def commands(self) -> Commands:
        return Commands(self, "commands")

    @cached_property
    def process(self) -> Process:
        return Process(self, "process")

    @cached_property
    def terminal(self) -> Terminal:
        return Terminal(self, "terminal")

    @cached_property
    def system(self) -> System:
        return System(self, "system")

    @cached_property
    def devtools(self) -> Devtools:
        return Devtools(self, "devtools")

    @cached_property
    def custom(self) -> Custom:
        return Custom(self, "custom")

    @property
    def pty(self) -> Terminal:
        """Deprecated: terminal."""
        deprecated("pty", "terminal")
        return self.terminal

    def __getattr__(self, name: str) -> DynamicNode:
        if name.startswith("_") or name == "caller":
            raise AttributeError(name)
        return DynamicNode(self, name)

    # Looking around

    async def health(self) -> CoreHealthResult:
        """Whether the server answers; needs no token."""
        return await self.core.health()

    async def capabilities(self) -> dict[str, Any]:
        """The raw body of GET /capabilities."""
        return await self.caller.json(OPS["core.capabilities"], {}, dict)

    async def discover(self) -> ServerCapabilities:
        """Asks what is offered and allowed.  From then on calls that cannot succeed fail before they are sent."""
        found = ServerCapabilities(await self.capabilities(), self.check)
        if found.legacy and not self.caller.gateway_token:
            self.caller.legacy_auth = True
        self.caller.server_version = found.server_version or self.caller.server_version
        self.caller.capabilities = found
        return found

    async def check(
        self, op: str, *, path: PathLike | None = None, args: Mapping[str, Any] | None = None, **more: Any,
    ) -> CoreCheckResult:
        """Asks the server whether a call would be let through, without its effect."""
        given = {**(args or {}), **more}
        return await self.core.check(op=str(op), path=_path_text(path), args=given or None)

    async def describe(self, op: str | None = None) -> CoreDescribeResult:
        """The catalog as this token may use it, custom commands among it; or one op of it."""
        found = await self.core.describe(id=op)
        if op is None:
            self._remember(found)
        return found

    @property
    def ops(self) -> OpsTree:
        """The refs of what this server offers, as far as it was asked (describe, discover), else of the catalog."""
        caps = self.caller.capabilities
        listed = set(caps.raw["ops"]) if caps and isinstance(caps.raw.get("ops"), Mapping) else set()
        return OpsTree(listed | set(self._known or {}) or set(OPS))

    def _remember(self, found: CoreDescribeResult) -> None:
        self._known = {spec["id"]: Op.from_catalog(spec) for spec in found.ops}
        self._server_says = self.caller.server_version = found.server_version

    # Calls by id

    async def call(self, op: str, /, *, request_timeout: float | None = None, **args: Any) -> Any:
        """Any op by its id or ref: a typed result where this package has its type, else what the JSON says."""
        known = OPS.get(str(op)) or await self._lookup(str(op))
        if known.kind == "ws":
            raise errors.ServerArgumentError(f"'{known.id}' is a connection and not a call", op=known.id)
        if known.kind == "sse":
            return self.caller.events(known, args, _event_table(known.id), request_timeout)
        result = await self.caller.json(known, args, _result_model(known.id), request_timeout)
        return result["result"] if known.id.startswith("custom.") and known.dynamic else result

    async def _lookup(self, name: str) -> Op:
        """An op that this package was not generated with.  What failed is not remembered."""
        if self._known is None:
            try:
                await self.describe()
            except (errors.ContractMismatchError, errors.EndpointNotAvailableError):
                if not name.startswith("custom."):
                    raise
                return _v1_command(name)
        found = (self._known or {}).get(name)
        if found is not None:
            return found
        if name.startswith("custom."):
            there = sorted(
                one.id.removeprefix("custom.") for one in (self._known or {}).values() if one.dynamic and one.id.startswith("custom."))
            raise errors.CommandNotFoundError(
                f"there is no custom command '{name.removeprefix('custom.')}'; there are: {', '.join(there) or 'none'}",
                op=name, error_code="custom.unknown_command")
        mismatch = errors.ContractMismatchError(
            f"the server (version {self._server_says}) offers no op '{name}' to this token", op=name, error_code="op.unknown")
        mismatch.server_version = self._server_says
        raise mismatch

    # Twins

    def health_sync(self) -> CoreHealthResult:
        return self.caller.wait(self.health())

    def capabilities_sync(self) -> dict[str, Any]:
        return self.caller.wait(self.capabilities())

    def discover_sync(self) -> ServerCapabilities:
        return self.caller.wait(self.discover())

    def check_sync(self, op: str, **args: Any) -> CoreCheckResult:
        return self.caller.wait(self.check(op, **args))

    def describe_sync(self, op: str | None = None) -> CoreDescribeResult:
        return self.caller.wait(self.describe(op))

    def call_sync(self, op: str, /, **args: Any) -> Any:
        return self.caller.wait(self.call(op, **args))

    # Closing

    async def aclose(self) -> None:
        """Ends all connections; calls are refused from then on, until the client is entered (`async with`) again."""
        await self.caller.aclose()

    def close(self) -> None:
        self.caller.close()

    async def __aenter__(self) -> ServerClient:
        self.caller.open()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.aclose()

    def __enter__(self) -> ServerClient:
        self.caller.open()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"ServerClient({self.caller.url!r})"


def _path_text(path: PathLike | None) -> str | None:
    return None if path is None else os.fsdecode(path)


def _class_name(op: str, suffix: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in op.replace("_", ".").split(".")) + suffix


def _result_model(op: str) -> type[Any]:
    found: Union[type[Model], None] = getattr(generated, _class_name(op, "Result"), None)
    return found or dict


def _event_table(op: str) -> Mapping[str, type[Any]]:
    table: Mapping[str, type[Any]] = getattr(generated, _class_name(op, "Events"), {})
    return table


def _v1_command(name: str) -> Op:
    """A v1 server has no GET /ops; its commands take whatever they are given."""
    command = name.removeprefix("custom.")
    return _AnyArguments.from_catalog({
        "id": name, "endpoint": "run_command", "group": "commands", "scope": "commands:run", "method": "POST",
        "path": f"/commands/{command}", "effects": {"runs": True}, "dynamic": True})


class _AnyArguments(Op):
    def _values(self, args: Mapping[str, Any]) -> list[tuple[str, Any]]:
        return list(args.items())
