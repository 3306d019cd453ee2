"""Server-sent events, brought into the one form that SDKs read right.

SDKs read event streams with shortcuts: google-genai 2.34 takes a comment for JSON and splits lines where
httpx does, also at U+2028 within a text. A stream that goes through NormalisedStream has one "data:" line an event,
if wanted a name before it, no comments, no other fields, and no character that anything takes for the end of a line.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import httpx2

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

MAX_EVENT_BYTES = 32 * 1024 * 1024
"""An event larger than this is no answer of a model."""

_LINE_END = re.compile(rb"\r\n|\n|\r")
# Within JSON these can only stand in strings, where an escape means the same.
_ESCAPES = ((b"\xe2\x80\xa8", rb"\u2028"), (b"\xe2\x80\xa9", rb"\u2029"), (b"\xc2\x85", rb"\u0085"))


class NormalisedStream(httpx2.AsyncByteStream):
    """The body of an event stream whose events hold JSON."""

    def __init__(self, source: httpx2.AsyncByteStream, *, named: bool = False) -> None:
        """Read `source`; with `named` each event has a name: its own, or "message"."""
        self._source = source
        self._named = named

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield each event as soon as it is whole."""
        parser = _Parser(self._named)
        async for piece in self._source:
            for event in parser.feed(piece):
                yield event
        last = parser.rest()
        if last is not None:
            yield last

    async def aclose(self) -> None:
        """Close the connection, or give it back when the body was read to its end."""
        await self._source.aclose()


class _Parser:
    def __init__(self, named: bool) -> None:
        self._named = named
        self._name = b""
        self._buffer = bytearray()
        self._data: list[bytes] = []
        self._size = 0
        self._started = False

    def feed(self, piece: bytes) -> list[bytes]:
        self._buffer += piece
        if not self._started and len(self._buffer) >= 3:
            self._started = True
            if self._buffer.startswith(b"\xef\xbb\xbf"):
                del self._buffer[:3]
        events: list[bytes] = []
        start = 0
        for match in _LINE_END.finditer(self._buffer):
            # A CR at the very end may be the first half of a CRLF.
            if match.group() == b"\r" and match.end() == len(self._buffer):
                break
            event = self._line(bytes(self._buffer[start : match.start()]))
            if event is not None:
                events.append(event)
            start = match.end()
        del self._buffer[:start]
        if self._size + len(self._buffer) > MAX_EVENT_BYTES:
            raise httpx2.RemoteProtocolError("an event of the stream is too large")
        return events

    def rest(self) -> bytes | None:
        """Take the last event of a body without a blank line at its end, unless it was cut off."""
        event = self._line(bytes(self._buffer).rstrip(b"\r")) if self._buffer else None
        event = event if event is not None else self._line(b"")
        # A name that is read by an SDK that fails over what is cut off, as it should.
        if event is None or self._named:
            return event
        try:
            json.loads(event.partition(b"data: ")[2])
        except ValueError:
            return None
        return event

    def _line(self, line: bytes) -> bytes | None:
        if line:
            field, _, value = line.partition(b":")
            if field == b"data":
                value = value.removeprefix(b" ")
                self._data.append(value)
                self._size += len(value)
            elif field == b"event":
                self._name = value.strip()
            return None
        name, self._name = self._name, b""
        if not self._data:
            return None
        # A line break in JSON is a space between two tokens: a string cannot hold one.
        data = b" ".join(self._data)
        self._data.clear()
        self._size = 0
        for raw, escaped in _ESCAPES:
            data = data.replace(raw, escaped)
        head = b"event: " + (name or b"message") + b"\n" if self._named else b""
        return head + b"data: " + data + b"\n\n"
