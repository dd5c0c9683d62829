# SPDX-License-Identifier: Apache-2.0
"""What a server offers and allows, as discover() has told."""
from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from . import errors
from ._op import PathLike
from ._sync import wait_for

if TYPE_CHECKING:
    from ._generated import CoreCheckResult

# Groups of a v1 server that says only which groups are on; these are off where it does not say.
LEGACY_OFF = ("dev_tools", "browser")


class PathScope(NamedTuple):
    base: str
    roots: tuple[str, ...]
    readonly: tuple[str, ...]
    deny: tuple[str, ...]


class PathVerdict(NamedTuple):
    """allowed is None where only the server can know."""

    allowed: bool | None
    reason: str


class ServerCapabilities:
    """
    The body of GET /capabilities, of any generation of server: with `ops`, with `endpoints` alone, or with
    `groups` alone (a v1 server, `legacy`).  Nothing here asks the server but check().
    """

    def __init__(self, body: Mapping[str, Any], check: Callable[..., Awaitable[CoreCheckResult]] | None = None) -> None:
        self.raw = dict(body)
        self._check = check
        self._ops: Mapping[str, Any] | None = body.get("ops") if isinstance(body.get("ops"), Mapping) else None
        self._endpoints: Mapping[str, Any] = body.get("endpoints") or {}
        self._groups: Mapping[str, Any] = body.get("groups") or {}
        self.legacy = self._ops is None and not self._endpoints
        server = body.get("server")
        self.server_version: str | None = server.get("version") if isinstance(server, Mapping) else body.get("server_version")
        self.catalog_digest: str | None = body.get("catalog_digest")
        self.features = tuple(body.get("features") or ())

    def entry(self, op: str) -> Mapping[str, Any] | None:
        """What is said of one op (by its id or endpoint id), None when it is not listed."""
        from ._generated import OPS

        known = OPS.get(op) or next((one for one in OPS.values() if one.endpoint == op), None)
        name, endpoint = (known.id, known.endpoint) if known else (op, None)
        if self._ops is not None:
            return self._ops.get(name)
        if self._endpoints:
            return self._endpoints.get(endpoint or "")
        if known is None or (known.endpoint is None and known.group != "core"):
            return None
        on = self._groups.get(known.group, known.group not in LEGACY_OFF)
        return {"enabled": bool(on), "allowed": bool(on), "scope": known.scope, "group": known.group, "limits": {}}

    def can(self, op: str) -> bool:
        """Whether the server has it and this token may call it."""
        entry = self.entry(op)
        return bool(entry and entry.get("enabled", True) and entry.get("allowed", True))

    def limit(self, op: str, name: str) -> int | None:
        entry = self.entry(op)
        value = (entry or {}).get("limits", {}).get(name)
        return int(value) if value is not None else None

    def paths(self, op: str | None = None) -> PathScope | None:
        """Where files may be reached; None where the server does not tell."""
        facts = self.raw.get("paths")
        if not isinstance(facts, Mapping) or (op is not None and self.entry(op) is None):
            return None
        return PathScope(str(facts.get("base", "")), *(tuple(facts.get(name) or ()) for name in ("roots", "readonly", "deny")))

    def require(self, op: str) -> None:
        """Raises what the call would raise, as far as it is known."""
        from ._generated import OPS

        entry = self.entry(op)
        known = OPS.get(op)
        facts: dict[str, Any] = {"op": str(op), "endpoint": known.endpoint if known else None}
        if entry is None:
            if op.startswith("custom.") or (known and known.group == "core"):
                return
            mismatch = errors.ContractMismatchError(
                f"the server (version {self.server_version or 'unknown'}) has no op '{op}'", error_code="op.unknown", **facts)
            mismatch.server_version = self.server_version
            raise mismatch
        if not entry.get("enabled", True):
            raise errors.OperationNotEnabledError(
                f"'{op}' is switched off on this server", error_code="op.not_enabled", rule=entry.get("rule"), **facts)
        if not entry.get("allowed", True):
            raise errors.PolicyDeniedError(
                f"this token may not call '{op}'", error_code="policy.scope_denied", rule=entry.get("rule"), **facts)

    async def check(self, op: str, **args: Any) -> CoreCheckResult:
        """Asks the server whether a call would be let through, without its effect."""
        if self._check is None:
            raise errors.ServerConfigError("these capabilities came without a client that could ask")
        return await self._check(op, **args)

    def check_sync(self, op: str, **args: Any) -> CoreCheckResult:
        return wait_for(self.check(op, **args))

    def check_path(self, path: PathLike, op: str) -> PathVerdict:
        """
        Whether a path lies where this token may reach, from what discover() told alone.  Links are not
        followed, so a yes means that nothing speaks against it; None means that only the server can know.
        """
        from ._generated import OPS

        if not self.can(op):
            return PathVerdict(False, f"'{op}' may not be called")
        scope = self.paths()
        if scope is None or self.legacy:
            return PathVerdict(None, "the server does not tell its paths")
        text = "/" + posixpath.normpath(_absolute(os.fsdecode(path), scope.base)).lstrip("/")
        if not any(_below(text, root) for root in scope.roots):
            return PathVerdict(False, "outside the roots")
        if any(_covers(pattern, text, scope.base) for pattern in scope.deny):
            return PathVerdict(False, "denied")
        known = OPS.get(op)
        if known and not known.reads_only and any(_covers(pattern, text, scope.base) for pattern in scope.readonly):
            return PathVerdict(False, "read-only")
        return PathVerdict(True, "nothing speaks against it")


def _absolute(path: str, base: str) -> str:
    """A relative path starts at the base, "~" is the base."""
    if path == "~" or path.startswith("~/"):
        return base + path[1:]
    return posixpath.join(base, path)


def _below(path: str, root: str) -> bool:
    root = root.rstrip("/")
    return path == root or path.startswith(root + "/")


def _covers(pattern: str, path: str, base: str) -> bool:
    """
    As the server decides it: "*" and "?" stand for bytes inside one name, "**" for any number of names, and a pattern
    covers what it matches and all below.  Nothing else is special.
    """
    wanted = pattern if pattern.split("/")[0] == "**" else _absolute(pattern, base)
    parts = [part for part in os.fsencode(wanted).split(b"/") if part not in (b"", b".")]
    return re.match(b"".join(map(_part, parts)) + rb"(?:/|\Z)", os.fsencode(path), re.DOTALL) is not None


def _part(part: bytes) -> bytes:
    if part == b"**":
        return b"(?:/[^/]+)*?"
    return b"/" + re.escape(part).replace(rb"\*", b"[^/]*").replace(rb"\?", b"[^/]")
