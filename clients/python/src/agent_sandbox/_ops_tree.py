# SPDX-License-Identifier: Apache-2.0
"""The tree of refs of one server, made at run time."""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Union

from ._op import OpRef


class OpsTree:
    """Attributes are the parts of ids; iterating gives all refs."""

    def __init__(self, ids: Iterable[str], at: str = "") -> None:
        self._ids, self._at = sorted(ids), at

    def __getattr__(self, name: str) -> Union[OpRef, OpsTree]:
        if name.startswith("_"):
            raise AttributeError(name)
        path = f"{self._at}.{name}" if self._at else name
        below = [one for one in self._ids if one.startswith(path + ".")]
        if below:
            return OpsTree(below, path)
        if path in self._ids:
            return OpRef(path)
        raise AttributeError(f"the server has no op '{path}'")

    def __iter__(self) -> Iterator[OpRef]:
        return map(OpRef, self._ids)

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, op: object) -> bool:
        return op in self._ids

    def __dir__(self) -> list[str]:
        start = len(self._at) + 1 if self._at else 0
        return sorted({one[start:].partition(".")[0] for one in self._ids})
