# SPDX-License-Identifier: Apache-2.0
"""Server-sent events out of bytes that come in any pieces."""
from __future__ import annotations

from typing import NamedTuple

EVENT_MAX = 64 * 1024 * 1024


class RawEvent(NamedTuple):
    name: str
    data: str
    id: str | None


class SSEParser:
    """
    Feed it bytes, get the events that they completed.

    Lines end with LF, CR LF or CR and with nothing else: U+2028, U+0085, form feeds and the like, at which
    str.splitlines() would cut, are part of the data.  Bytes become text a line at a time, so that a character
    may be split between pieces.
    """

    def __init__(self) -> None:
        self._rest = bytearray()
        self._scanned = 0
        self._first = True
        self._skip_lf = False
        self._name = ""
        self._data: list[str] = []
        self._id: str | None = None
        self._size = 0

    def feed(self, piece: bytes) -> list[RawEvent]:
        self._rest += piece
        if len(self._rest) + self._size > EVENT_MAX:
            raise ValueError(f"an event of more than {EVENT_MAX} bytes")
        events: list[RawEvent] = []
        start = 0
        while True:
            if self._skip_lf and start < len(self._rest):
                start += self._rest[start] == 0x0A
                self._skip_lf = False
            end = self._line_end(max(start, self._scanned))
            if end < 0:
                break
            line = bytes(self._rest[start:end])
            self._skip_lf = self._rest[end] == 0x0D
            start = end + 1
            self._scanned = start
            event = self._line(line)
            if event:
                events.append(event)
        del self._rest[:start]
        self._scanned = len(self._rest)
        return events

    @property
    def pending(self) -> bool:
        """Whether half an event is left, which the end of the stream makes void."""
        return bool(self._rest or self._data or self._name)

    def _line_end(self, start: int) -> int:
        lf = self._rest.find(b"\n", start)
        cr = self._rest.find(b"\r", start, lf if lf >= 0 else len(self._rest))
        return cr if cr >= 0 else lf

    def _line(self, raw: bytes) -> RawEvent | None:
        if self._first:
            raw, self._first = raw.removeprefix(b"\xef\xbb\xbf"), False
        line = raw.decode("utf-8", "replace")
        if not line:
            return self._dispatch()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
            self._size += len(raw)
        elif name == "event":
            self._name = value
        elif name == "id" and "\0" not in value:
            self._id = value
        return None

    def _dispatch(self) -> RawEvent | None:
        name, data = self._name, self._data
        self._name, self._data, self._size = "", [], 0
        return RawEvent(name or "message", "\n".join(data), self._id) if data else None
