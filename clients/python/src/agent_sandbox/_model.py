# SPDX-License-Identifier: Apache-2.0
"""Results and events: pydantic models that can be used as dicts too."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """What the server answered.  Fields that a newer server adds are kept."""

    model_config = ConfigDict(extra="allow", populate_by_name=True, protected_namespaces=(), frozen=False)

    def _wire(self) -> dict[str, str]:
        """Names on the wire of what the server sent, with those of the attributes."""
        fields = type(self).model_fields
        sent = self.model_fields_set
        known = {fields[name].alias or name: name for name in fields if name in sent}  # a set has no order, the rows have
        return {**known, **{name: name for name in self.model_extra or {}}}

    def __getitem__(self, name: str) -> Any:
        try:
            return getattr(self, self._wire()[name])
        except KeyError:
            raise KeyError(name) from None

    def __contains__(self, name: object) -> bool:
        return name in self._wire()

    def __len__(self) -> int:
        return len(self._wire())

    def __iter__(self) -> Iterator[str]:  # type: ignore[override]
        return iter(self._wire())

    def keys(self) -> list[str]:
        return list(self._wire())

    def values(self) -> list[Any]:
        return [self[name] for name in self.keys()]

    def items(self) -> list[tuple[str, Any]]:
        return [(name, self[name]) for name in self.keys()]

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self else default

    def to_dict(self) -> dict[str, Any]:
        """All the way down, as it was on the wire."""
        return self.model_dump(by_alias=True, exclude_unset=True)


class Event(Model):
    """One event of a stream; `event` is its name."""

    final: ClassVar[bool] = False
    event: str

    @property
    def event_id(self) -> str | None:
        """Where the stream may be taken up again, for streams that can."""
        return getattr(self, "__abx_event_id__", None)


class UnknownEvent(Event):
    """An event that a newer server sends."""
