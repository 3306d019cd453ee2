"""The HTTP client under all SDKs, and what it sees of an answer before an SDK does."""

from __future__ import annotations

import json
import time
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import httpx2

from llm_service.providers.shared.sse import NormalisedStream

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

CONNECT_SECONDS = 10.0
"""For the connection alone. How long a provider may think is not a matter of the HTTP client."""
MAX_CONNECTIONS = 1000
"""Of one client; above the number of agents that one engine runs at a time."""
_KEPT_CONNECTIONS = 100
_MAX_ERROR_BYTES = 64 * 1024


class Line:
    """The connection of one call: when it last gave a sign of life, and what must be closed at its end."""

    def __init__(self) -> None:
        self.heard = time.monotonic()
        self.responses: list[httpx2.Response] = []

    async def close(self) -> None:
        """Close what an SDK left open: it does so only when a stream is read to its end."""
        for response in self.responses:
            await response.aclose()


line: ContextVar[Line] = ContextVar("line")
"""Of the call that the task makes."""


class NotAStreamError(Exception):
    """A provider, or something in front of it, answered 200 with something else than a stream of events.

    Attributes:
        body: the JSON of the answer, None when it is none.
    """

    def __init__(self, content_type: str, body: Any, response: httpx2.Response) -> None:
        super().__init__(content_type)
        self.content_type = content_type
        self.body = body
        self.response = response


def http_client() -> httpx2.AsyncClient:
    """Make a client that waits as long as it takes; silence is limited by StreamLimits, for all APIs alike."""
    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(None, connect=CONNECT_SECONDS),
        limits=httpx2.Limits(max_connections=MAX_CONNECTIONS, max_keepalive_connections=_KEPT_CONNECTIONS),
        # Compressed events would wait in the compressor's buffers.
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [_look_at]},
        follow_redirects=True,
    )


async def _look_at(response: httpx2.Response) -> None:
    current = line.get(None)
    if current is not None:
        current.responses.append(response)
    if response.status_code != 200:
        return
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in ("text/html", "application/json"):
        text = await _beginning(response)
        raise NotAStreamError(kind, _json(text), response)
    source = response.stream
    if isinstance(source, httpx2.AsyncByteStream):
        if current is not None:
            source = _HeardStream(source, current)
        encoding = response.headers.get("content-encoding", "identity").strip().lower()
        if kind == "text/event-stream" and encoding == "identity":
            # Anthropic's SDK drops events without a name, google-genai takes a name for JSON.
            source = NormalisedStream(source, named="streamGenerateContent" not in response.url.path)
        response.stream = source


async def _beginning(response: httpx2.Response) -> bytes:
    text = b""
    async for piece in response.aiter_bytes():
        text += piece
        if len(text) > _MAX_ERROR_BYTES:
            break
    return text


def _json(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


class _HeardStream(httpx2.AsyncByteStream):
    """A body whose pieces are signs of life, comments and pings too."""

    def __init__(self, source: httpx2.AsyncByteStream, current: Line) -> None:
        self._source = source
        self._line = current

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._source:
            self._line.heard = time.monotonic()
            yield piece

    async def aclose(self) -> None:
        await self._source.aclose()
