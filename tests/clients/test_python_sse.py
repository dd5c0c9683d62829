# SPDX-License-Identifier: Apache-2.0
"""The Python client's own reader of events (B153)."""
import pytest

from agent_sandbox._sse import SSEParser

ODD = "x\u2028y\u2029z\x85\x0b\x0c\x1c\x1e é 😀"
TEXT = (f": hello\n\nevent: stdout\nid: 7\ndata: {ODD}\n\nevent: two\r\ndata: a\r\ndata:b\r\n\r\n"
        "data: cr\r\revent: empty\n\nretry: 5\nunknown\ndata\n\ndata:  two blanks\n\n").encode()
WANTED = [("stdout", ODD, "7"), ("two", "a\nb", "7"), ("message", "cr", "7"), ("message", "", "7"), ("message", " two blanks", "7")]


def parsed(pieces):
    parser = SSEParser()
    found = [event for piece in pieces for event in parser.feed(piece)]
    return found, parser


def test_split_at_any_byte():
    for cut in range(len(TEXT) + 1):
        assert parsed([TEXT[:cut], TEXT[cut:]])[0] == WANTED, f"cut at {cut}"


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_in_small_pieces(size):
    assert parsed([TEXT[at:at + size] for at in range(0, len(TEXT), size)])[0] == WANTED


def test_a_byte_order_mark_is_no_part_of_the_first_name():
    assert parsed([b"\xef\xbb\xbfdata: a\n\n"])[0] == [("message", "a", None)]
    assert parsed([b"\xef", b"\xbb\xbfdata: a\n\n"])[0] == [("message", "a", None)]


def test_half_an_event_is_none():
    found, parser = parsed([b"event: exit\ndata: {}\n"])
    assert found == [] and parser.pending
    assert not parsed([b"data: x\n\n"])[1].pending


def test_an_event_has_a_largest_size(monkeypatch):
    monkeypatch.setattr("agent_sandbox._sse.EVENT_MAX", 100)
    with pytest.raises(ValueError):
        parsed([b"data: " + b"x" * 200])
    with pytest.raises(ValueError):
        parsed([b"data: " + b"x" * 60 + b"\n"] * 3)


def test_time_is_linear():
    """A long line in many pieces is looked at once."""
    parser = SSEParser()
    for _ in range(20000):
        parser.feed(b"x" * 100)
    assert parser.feed(b"\n\n") == []
