# SPDX-License-Identifier: Apache-2.0
"""What the catalog says of an op, and how arguments become a request."""
from __future__ import annotations

import base64
import difflib
import math
import os
import re
from collections.abc import AsyncIterable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, NamedTuple, Union
from urllib.parse import quote

from .errors import ServerArgumentError

PathLike = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
BytesLike = Union[bytes, bytearray, memoryview, str]  # a str is base64 already
Body = Union[bytes, bytearray, memoryview, IO[bytes], Iterable[bytes], AsyncIterable[bytes]]
Progress = Callable[[int, Union[int, None]], None]


LONG_VALUE = 4096


class OpRef(str):
    """The id of an op, as a value: ops.files.list."""

    __slots__ = ()

    @property
    def id(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return f"ops.{self}"


class ErrorRow(NamedTuple):
    """One row of the server's table of errors."""

    status: int
    code: str
    type: str
    exception: str
    e_code: str


@dataclass(frozen=True)
class Param:
    name: str
    place: str
    type: str
    required: bool = False
    nullable: bool = False
    b64: str | None = None
    choices: Sequence[str] = ()
    items: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Request:
    """What stands in the HTTP request of a call."""

    method: str
    path: str
    query: Sequence[tuple[str, str]]
    body: dict[str, Any] | None

    @property
    def target(self) -> str:
        text = "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in self.query)
        return self.path + ("?" + text if text else "")


@dataclass(frozen=True)
class Op:
    id: str
    endpoint: str | None
    group: str
    scope: str | None
    kind: str
    method: str
    path: str
    also: str | None
    since: str
    reads_only: bool
    idempotent: bool
    params: Mapping[str, Param]
    one_of: Sequence[Sequence[str]]
    raw: Mapping[str, Any]
    limits: Mapping[str, Mapping[str, Any]]
    dynamic: bool

    @classmethod
    def from_catalog(cls, spec: Mapping[str, Any]) -> Op:
        effects = spec.get("effects", {})
        params = {
            row["name"]: Param(
                row["name"], row.get("in", "body"), row["type"], bool(row.get("required")), bool(row.get("nullable")),
                row.get("b64"), row.get("choices", ()), row.get("items", {}))
            for row in spec.get("params", [])
        }
        return cls(
            spec["id"], spec.get("endpoint"), spec["group"], spec.get("scope"), spec.get("kind", "json"), spec["method"],
            spec["path"], spec.get("also"), spec.get("since", ""), not (effects.get("writes") or effects.get("runs")),
            bool(effects.get("idempotent")), params, spec.get("one_of", []), spec.get("raw") or {},
            {row["name"]: row for row in spec.get("limits", [])}, bool(spec.get("dynamic")))

    def bind(self, args: Mapping[str, Any], *, raw: bool = False) -> Request:
        """The arguments in their places, checked; None is "not given".  raw: the body is bytes, so all go into the query."""
        path = self._route(args)
        in_route = set(re.findall(r"{(\w+)}", path))
        query: list[tuple[str, str]] = []
        body: dict[str, Any] = {}
        for name, value in self._values(args):
            if name in in_route:
                path = path.replace("{" + name + "}", self._quoted(name, as_text(value)))
            elif raw or self.method in ("GET", "HEAD", "DELETE"):
                query.append(self._short(name, as_text(value)))
            else:
                body[name] = value
        has_body = not raw and self.method in ("POST", "PUT", "PATCH")
        return Request(self.method, path, query, body if has_body else None)

    def _quoted(self, name: str, value: str) -> str:
        try:
            return quote(value, safe="")
        except UnicodeEncodeError as fault:
            raise self._wrong(f"the parameter '{name}' cannot be sent: {fault}") from None

    def _short(self, name: str, value: str) -> tuple[str, str]:
        """A long path of characters that a URL triples goes by its twin, so that the request line stays below 8 KiB."""
        twin = self.params[name].b64 if name in self.params else None
        if len(self._quoted(name, value)) > LONG_VALUE and twin:
            return twin, as_base64(value.encode())
        return name, value

    def _route(self, args: Mapping[str, Any]) -> str:
        for path in (self.also, self.path):
            if path and all(args.get(name) is not None for name in re.findall(r"{(\w+)}", path)):
                return path
        missing = [name for name in re.findall(r"{(\w+)}", self.path) if args.get(name) is None]
        raise self._missing(missing[0])

    def _values(self, args: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
        given = {name: value for name, value in args.items() if value is not None}
        twins = {param.b64: param for param in self.params.values() if param.b64}
        for name, value in given.items():
            if name in self.params:
                yield self._value(self.params[name], value)
            elif name in twins:
                is_list = twins[name].type == "array" and isinstance(value, (list, tuple))
                yield name, [self._base64(name, one) for one in value] if is_list else self._base64(name, value)
            else:
                raise self._unknown(name)
        for param in self.params.values():
            if param.required and param.name not in given and (param.b64 or param.name) not in given:
                raise self._missing(param.name)

    def _value(self, param: Param, value: Any) -> tuple[str, Any]:
        if param.type == "path":
            return self._path(param, value)
        if param.type == "bytes":
            return param.name, self._base64(param.name, value)
        if param.type == "array" and not isinstance(value, (str, bytes, Mapping)) and isinstance(value, Iterable):
            return self._paths(param, list(value)) if param.b64 else (param.name, list(value))
        if not fits(param, value) and param.type == "choice":
            raise self._wrong(f"the parameter '{param.name}' must be one of {', '.join(param.choices)}, not {value!r}")
        if not fits(param, value):
            got = repr(value) if isinstance(value, float) else type(value).__name__
            raise self._wrong(f"the parameter '{param.name}' must be of type {param.type}, not {got}")
        return param.name, dict(value) if param.type == "object" else value

    def _base64(self, name: str, value: Any) -> str:
        if not isinstance(value, (str, bytes, bytearray, memoryview)):
            raise self._wrong(f"the parameter '{name}' must be bytes, not {type(value).__name__}")
        return as_base64(value)

    def _path(self, param: Param, value: Any) -> tuple[str, Any]:
        name, values = self._paths(param, [value])
        return name, values[0]

    def _paths(self, param: Param, values: Sequence[Any]) -> tuple[str, list[str]]:
        """Paths whose bytes are not UTF-8 go by their twin, in base64."""
        wrong = [value for value in values if not isinstance(value, (str, bytes, os.PathLike))]
        if wrong:
            raise self._wrong(f"the parameter '{param.name}' must be a path, not {type(wrong[0]).__name__}")
        exact = [os.fsencode(value) for value in values]
        try:
            return param.name, [one.decode("utf-8") for one in exact]
        except UnicodeDecodeError:
            if not param.b64:
                raise self._wrong(f"the parameter '{param.name}' is not UTF-8") from None
            return param.b64, [as_base64(one) for one in exact]

    def _unknown(self, name: str) -> ServerArgumentError:
        near = difflib.get_close_matches(name, list(self.params), 1)
        return self._wrong(f"there is no parameter '{name}'" + (f"; did you mean '{near[0]}'?" if near else ""), "args.unknown")

    def _missing(self, name: str) -> ServerArgumentError:
        return self._wrong(f"the parameter '{name}' is required", "args.missing")

    def _wrong(self, message: str, code: str = "args.invalid") -> ServerArgumentError:
        return ServerArgumentError(message, op=self.id, endpoint=self.endpoint, error_code=code)


def fits(param: Param, value: Any) -> bool:
    kind = param.type
    if kind == "any":
        return True
    if kind == "boolean":
        return isinstance(value, bool)
    if kind in ("integer", "number"):
        return isinstance(value, int if kind == "integer" else (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    if kind == "object":
        return isinstance(value, Mapping)
    if kind == "choice":
        return isinstance(value, str) and (not param.choices or value in param.choices)
    if kind == "array":
        return False
    return isinstance(value, str) or (param.place == "path" and isinstance(value, int))


def as_base64(value: Any) -> str:
    return value if isinstance(value, str) else base64.b64encode(bytes(value)).decode("ascii")


def as_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
