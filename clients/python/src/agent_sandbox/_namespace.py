# SPDX-License-Identifier: Apache-2.0
"""The nodes of the client's tree, and calls of ops that this client was not generated with."""
from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ._caller import Caller


class Dialler(Protocol):
    """What a node needs of the client: the transport, and calls by id."""

    @property
    def caller(self) -> Caller: ...

    def call(self, op: str, /, **args: Any) -> Awaitable[Any]: ...


class DynamicNode:
    """A name that the generated tree does not have: callable, with further names below it."""

    def __init__(self, client: Dialler, path: str) -> None:
        self._client, self._path = client, path

    def __getattr__(self, name: str) -> DynamicNode:
        if name.startswith("_"):
            raise AttributeError(name)
        return DynamicNode(self._client, f"{self._path}.{name}")

    def __call__(self, **args: Any) -> Any:
        """Awaitable; with a name that ends in _sync, the result itself."""
        if self._path.endswith("_sync"):
            return self._client.caller.wait(self._client.call(self._path.removesuffix("_sync"), **args))
        return self._client.call(self._path, **args)

    def __repr__(self) -> str:
        return f"<op {self._path}>"


class Root:
    """The top of the tree."""

    @property
    def _client(self) -> Dialler:
        raise NotImplementedError


class Namespace:
    """The ops below one dotted name.  Names that it has no method for are looked up on the server when called."""

    def __init__(self, client: Dialler, path: str) -> None:
        self._client, self._path = client, path

    @property
    def _caller(self) -> Caller:
        return self._client.caller

    def __getattr__(self, name: str) -> DynamicNode:
        if name.startswith("_"):
            raise AttributeError(name)
        return DynamicNode(self._client, f"{self._path}.{name}")
