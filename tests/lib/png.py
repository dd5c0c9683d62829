# SPDX-License-Identifier: Apache-2.0
"""Just enough of PNG to ask a picture for the colour of a pixel: 8 bits, RGB or RGBA, not interlaced."""
import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def _chunks(data):
    assert data.startswith(SIGNATURE), f"no PNG: {data[:16]!r}"
    at = len(SIGNATURE)
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8:at + 8 + length]
        assert zlib.crc32(kind + body) == struct.unpack_from(">I", data, at + 8 + length)[0], f"{kind} is damaged"
        yield kind, body
        at += 12 + length


def _unfilter(kind, line, before, step):
    """One line in place; the filters of the PNG specification, section 9."""
    for i in range(len(line)):
        left = line[i - step] if i >= step else 0
        up = before[i]
        corner = before[i - step] if i >= step else 0
        if kind == 1:
            line[i] = (line[i] + left) & 255
        elif kind == 2:
            line[i] = (line[i] + up) & 255
        elif kind == 3:
            line[i] = (line[i] + (left + up) // 2) & 255
        else:
            guess = left + up - corner
            near = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))
            line[i] = (line[i] + near[2]) & 255


class Picture:
    def __init__(self, data):
        parts = list(_chunks(data))
        self.width, self.height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", parts[0][1])
        assert depth == 8 and colour in (2, 6) and not interlaced, (depth, colour, interlaced)
        self._step = 3 if colour == 2 else 4
        self._raw = zlib.decompress(b"".join(body for kind, body in parts if kind == b"IDAT"))
        self._lines, self._done = {}, -1

    def _line(self, y):
        """Lines depend on those above them, so all up to this one are made; plain ones cost nothing."""
        length = self.width * self._step
        while self._done < y:
            self._done += 1
            at = self._done * (length + 1)
            kind, line = self._raw[at], bytearray(self._raw[at + 1:at + 1 + length])
            before = self._lines.get(self._done - 1) or bytes(length)
            if kind == 2 and not any(line):
                line = bytearray(before)
            elif kind:
                _unfilter(kind, line, before, self._step)
            self._lines[self._done] = line
        return self._lines[y]

    def pixel(self, x, y):
        """(red, green, blue)"""
        line = self._line(y)
        return tuple(line[x * self._step:x * self._step + 3])
