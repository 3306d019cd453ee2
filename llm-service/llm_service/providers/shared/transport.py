"""Clients under the SDKs, and the events of an answer, read one way whichever the SDK."""

import contextlib
import json
import re
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Self, cast

import httpx2

from llm_service.providers.settings import Endpoint
from llm_service.providers.shared.text import read_json, without

CONNECT_SECONDS = 10.0  # for the connection alone. How long a provider may think is not a matter of the HTTP client.
MAX_CONNECTIONS = 1000  # of one client; above the number of agents that one engine runs at a time
_KEPT_CONNECTIONS = 100
MAX_EVENT_BYTES = 32 * 1024 * 1024  # an event larger than this is no answer of a model
DONE, CUT_OFF = "[DONE]", "[cut off]"  # types of events that are no JSON: an end, and one that is not whole
_MAX_ERROR_BYTES = 64 * 1024
_NESTED = frozenset({"cache_control"})  # not at the top of a request, but within it
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
        # Keys and prompts would go wherever an answer says.
        follow_redirects=False,
        event_hooks={"response": [_bound]},
    )


async def _bound(response: httpx2.Response) -> None:
    """Have the SDKs, which read the body of an error whole, read its beginning."""
    if not response.is_success:
        # Compressed bodies, which nobody asked for, may be of any size, and are not read.
        stream = cast("httpx2.AsyncByteStream", response.stream)
        begun = b"" if "content-encoding" in response.headers else await _beginning(stream)
        await stream.aclose()
        response.stream = httpx2.ByteStream(begun)


async def _beginning(body: AsyncIterable[bytes]) -> bytes:
    begun = b""
    async for piece in body:
        begun += piece
        if len(begun) >= _MAX_ERROR_BYTES:
            break
    return begun[:_MAX_ERROR_BYTES]


@dataclass(frozen=True)
class Prepared:
    """A request in a provider's form, with headers of its own besides the client's."""

    body: dict[str, Any]
    headers: dict[str, str] = field(default_factory=dict)

    def without(self, names: Iterable[str]) -> Self:
        """The request without these parameters."""
        nested = _NESTED.intersection(names)
        body = {key: value for key, value in self.body.items() if key not in names}
        return replace(self, body=without(body, lambda key, _: key in nested) if nested else body)


class SdkClient:
    """Posts to one path and gives the events as JSON: an SDK's objects cost more than all else that a chunk takes."""

    def __init__(self, sdk: Any, stream_class: Any, path: str, *, own_framing: bool = False) -> None:
        """Take an SDK's client; with `own_framing` the answer is no server-sent events, and the SDK's to read."""
        self._sdk, self._stream_class, self._path, self._own_framing = sdk, stream_class, path, own_framing

    async def stream(self, prepared: Prepared) -> AsyncGenerator[Any, None]:
        """Send a request, and give the events of the answer."""
        answer = await self._sdk.post(
            self._path,
            body=prepared.body,
            options={"headers": prepared.headers},
            cast_to=object,
            stream=True,
            stream_cls=self._stream_class[object],
        )
        own = answer if self._own_framing else None
        async with contextlib.aclosing(events_of(answer.response, own)) as events:
            async for event in events:
                yield event

    async def close(self) -> None:
        """End the connections."""
        await self._sdk.close()


def common(endpoint: Endpoint) -> dict[str, Any]:
    """What is said to each SDK: connections of ours, and nothing tried again unasked."""
    headers = dict(endpoint.headers)
    return {"max_retries": 0, "timeout": None, "http_client": http_client(), "default_headers": headers}


async def events_of(response: httpx2.Response, own: AsyncIterator[Any] | None = None) -> AsyncGenerator[Any, None]:
    """Give the JSON of each server-sent event as soon as it is whole, and None for any other sign of life.

    An event whose JSON names no type has its own name as type; with `own` an SDK's reading is taken instead.
    NotAStreamError when it is no stream, ValueError when an event is no JSON.
    """
    parser = _Parser()
    async with contextlib.aclosing(response):
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind in ("text/html", "application/json"):
            try:
                body = json.loads(await _beginning(response.aiter_bytes()))
            except ValueError:
                body = None
            raise NotAStreamError(kind, body, response)
        if own is not None:
            async for event in own:
                yield event
            return
        async for piece in response.aiter_bytes():
            heard = None
            for heard in parser.feed(piece):
                yield heard
            if heard is None:
                yield None
        for event in parser.rest():
            yield event


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
            yield {"type": CUT_OFF}

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
        event = {"type": DONE} if data == DONE.encode() else read_json(data) if data else None
        if isinstance(event, dict):
            yield {"type": name.decode("utf-8", "replace"), **event} if name else event
