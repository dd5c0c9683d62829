# SPDX-License-Identifier: Apache-2.0
"""Server-sent events, read as strictly as the rules promise them (R11, R12)."""
import dataclasses
import re
import time

from lib import contract
from lib.contract import need
from lib.raw import Broken

CONTROL = re.compile("[\x00-\x1f\x7f\u2028\u2029]")


@dataclasses.dataclass
class Event:
    name: str
    data: dict
    id: str | None = None
    at: float = 0.0  # when it came, by the monotonic clock


class StreamBroken(Broken):
    """The stream ended without its last event."""


class Stream:
    """The events of one call, each checked against the catalog as it is taken."""

    def __init__(self, op, connection, reply):
        self.op, self.connection, self.reply = op, connection, reply
        self.comments = 0
        self._body = reply.chunks()
        self._text = b""
        for name, value in (("content-type", "text/event-stream"), ("cache-control", "no-cache"), ("x-accel-buffering", "no")):
            need((reply.header(name) or "").startswith(value), f"{op['id']}: header {name} is {reply.header(name)!r}")

    def _block(self):
        """The lines up to the next blank one; None at the end of the body."""
        while b"\n\n" not in self._text:
            part = next(self._body, None)
            if part is None:
                need(not self._text, f"{self.op['id']}: half an event at the end: {self._text[:200]!r}")
                return None
            self._text += part
        block, self._text = self._text.split(b"\n\n", 1)
        return block.split(b"\n")

    def _parse(self, lines):
        found = {}
        for line in lines:
            name, colon, value = line.partition(b": ")
            name = name.decode()
            need(colon and name in ("event", "data", "id") and name not in found, f"{self.op['id']}: the line {line[:200]!r}")
            text = value.decode("utf-8")
            need(not CONTROL.search(text), f"{self.op['id']}: a control character in {line[:200]!r}")
            found[name] = text
        need("event" in found and "data" in found, f"{self.op['id']}: not an event: {lines!r:.300}")
        return Event(found["event"], contract.strict_json(found["data"].encode()), found.get("id"), time.monotonic())

    def __iter__(self):
        last, ended = None, False
        while True:
            lines = self._block()
            if lines is None:
                break
            if all(line.startswith(b":") for line in lines):
                self.comments += 1
                continue
            event = self._parse(lines)
            need(not ended, f"{self.op['id']}: '{event.name}' after the last event")
            ended = contract.check_event(self.op, event.name, event.data)
            last = event.name
            yield event
        if not ended and last != "error":
            raise StreamBroken(f"{self.op['id']}: the stream ended without its last event")
        self.close()

    def until(self, name):
        """The first event of this name; those before it are passed over."""
        for event in self:
            if event.name == name:
                return event
        raise StreamBroken(f"{self.op['id']}: no event '{name}'")

    def collect(self):
        """All events, and the data of each kind put together: {"events", "stdout", "exit", …}."""
        events = list(self)
        together = {"events": events}
        for event in events:
            if isinstance(event.data.get("data"), str):
                together.setdefault(event.name, []).append(event.data["data"])
            else:
                together[event.name] = event.data
        return {name: "".join(value) if isinstance(value, list) and name != "events" else value
                for name, value in together.items()}

    def close(self):
        self.connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
