"""The HTTP client under all SDKs, and the events of an answer, read one way whichever the SDK."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import httpx2

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator

CONNECT_SECONDS = 10.0
"""For the connection alone. How long a provider may think is not a matter of the HTTP client."""
MAX_CONNECTIONS = 1000
"""Of one client; above the number of agents that one engine runs at a time."""
_KEPT_CONNECTIONS = 100
MAX_EVENT_BYTES = 32 * 1024 * 1024
"""An event larger than this is no answer of a model."""
DONE = "[DONE]"
"""An event that is no JSON: OpenAI's end of a stream."""
CUT_OFF = object()
"""In place of a last event that is not whole."""
_MAX_ERROR_BYTES = 64 * 1024
# A CR at the very end may be the first half of a CRLF.
_LINE_END = re.compile(rb"\r\n|\n|\r(?=[^\n])")


class NotAStreamError(Exception):
    """A provider, or something before it, answered 200 with a web page or JSON; the body is None when it is no JSON."""

    def __init__(self, content_type: str, body: Any, response: httpx2.Response) -> None:
        super().__init__(content_type)
        self.content_type, self.body, self.response = content_type, body, response


def http_client() -> httpx2.AsyncClient:
    """Make a client that waits as long as it takes; silence is limited by StreamLimits, for all APIs alike."""
    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(None, connect=CONNECT_SECONDS),
        limits=httpx2.Limits(max_connections=MAX_CONNECTIONS, max_keepalive_connections=_KEPT_CONNECTIONS),
        # Compressed events would wait in the compressor's buffers.
        headers={"Accept-Encoding": "identity"},
        follow_redirects=True,
    )


async def events_of(response: httpx2.Response) -> AsyncGenerator[Any, None]:
    """Give the JSON of each server-sent event as soon as it is whole, and None for any other sign of life.

    SDKs take shortcuts here: comments for JSON, U+2028 within a text for the end of a line, no events without a name.
    An event whose JSON names no type has its own name as type. ValueError when an event is no JSON.
    """
    parser = _Parser()
    async for piece in response.aiter_bytes():
        heard = None
        for heard in parser.feed(piece):
            yield heard
        if heard is None:
            yield None
    for event in parser.rest():
        yield event


async def check_stream(response: httpx2.Response) -> None:
    """Look whether an answer is a stream, else NotAStreamError."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in ("text/html", "application/json"):
        return
    text = b""
    async for piece in response.aiter_bytes():
        text += piece
        if len(text) > _MAX_ERROR_BYTES:
            break
    raise NotAStreamError(kind, _json(text), response)


class _Parser:
    def __init__(self) -> None:
        self._name = b""
        self._buffer = bytearray()
        self._data: list[bytes] = []
        self._size = 0

    def feed(self, piece: bytes) -> Iterator[Any]:
        self._buffer += piece
        if self._size + len(self._buffer) > MAX_EVENT_BYTES:
            raise httpx2.RemoteProtocolError("an event of the stream is too large")
        if b"\n" not in piece and b"\r" not in self._buffer:
            return
        *lines, rest = _LINE_END.split(self._buffer)
        self._buffer = bytearray(rest)
        for line in lines:
            if line:
                self._field(bytes(line))
            elif self._data:
                yield from self._event()
            else:
                self._name = b""

    def rest(self) -> Iterator[Any]:
        """Take the last event of a body without a blank line at its end."""
        self._field(bytes(self._buffer).rstrip(b"\r"))
        try:
            yield from self._event()
        except ValueError:
            yield CUT_OFF

    def _field(self, line: bytes) -> None:
        field, _, value = line.removeprefix(b"\xef\xbb\xbf").partition(b":")
        if field == b"data":
            self._data.append(value.removeprefix(b" "))
            self._size += len(value)
        elif field == b"event":
            self._name = value.strip()

    def _event(self) -> Iterator[Any]:
        data, name = b"\n".join(self._data), self._name
        self._data, self._size, self._name = [], 0, b""
        event = DONE if data == DONE.encode() else json.loads(data) if data else None
        if name and isinstance(event, dict):
            event.setdefault("type", name.decode("utf-8", "replace"))
        if event is not None:
            yield event


def _json(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
