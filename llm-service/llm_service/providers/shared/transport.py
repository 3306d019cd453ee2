"""HTTP clients of the SDKs, and one reader of event streams for all of them."""

import contextlib
import re
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Self, cast

import httpx2

from llm_service.providers.settings import Endpoint
from llm_service.providers.shared.text import as_dict, read_json, without

CONNECT_SECONDS = 10.0  # for connecting only; StreamLimits bounds the wait for an answer
MAX_CONNECTIONS = 1000  # maximum connections of one client; more than the concurrent agents of an engine
_KEPT_CONNECTIONS = 100
MAX_EVENT_BYTES = 32 * 1024 * 1024  # maximum size of one event of a stream
DONE, TRUNCATED = "[DONE]", "[cut off]"  # types of our own events: the end of a stream, and an incomplete last event
_MAX_ERROR_BYTES = 64 * 1024
# Request parameters that may stand at any depth of the body.
_NESTED = frozenset({"cache_control", "prompt_cache_breakpoint"})
# Matches the end of a line. A CR at the buffer's end is no match, because it may begin a CRLF.
_LINE_END = re.compile(rb"\r\n|\n|\r(?=[^\n])")


class NotAStreamError(Exception):
    """The provider or a proxy answered 200 with a web page or foreign JSON; `body` is None if it is not JSON."""

    def __init__(self, content_type: str, body: Any, response: httpx2.Response) -> None:
        super().__init__(content_type)
        self.content_type, self.body, self.response = content_type, body, response


def http_client(query: str = "") -> httpx2.AsyncClient:
    """Creates a client without a read timeout, because StreamLimits bounds silence for all APIs.

    `query`: parameters of the configured address, added to each request.
    """

    async def add_query(request: httpx2.Request) -> None:
        before = request.url.query.decode("ascii", "replace")
        request.url = request.url.copy_with(query="&".join(filter(None, (before, query))).encode())

    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(None, connect=CONNECT_SECONDS),
        limits=httpx2.Limits(max_connections=MAX_CONNECTIONS, max_keepalive_connections=_KEPT_CONNECTIONS),
        # No compression, because it would delay events in the compressor's buffers.
        headers={"Accept-Encoding": "identity"},
        # A redirect could send keys and prompts anywhere.
        follow_redirects=False,
        event_hooks={"response": [_bound], "request": [add_query] if query else []},
    )


async def _bound(response: httpx2.Response) -> None:
    """Cuts the body of an error response to _MAX_ERROR_BYTES, because the SDKs read it completely."""
    if not response.is_success:
        # Drops a compressed error body, because it was not requested and could expand to any size.
        stream = cast("httpx2.AsyncByteStream", response.stream)
        begun = b"" if "content-encoding" in response.headers else await _read_prefix(stream)
        await stream.aclose()
        response.stream = httpx2.ByteStream(begun)


async def _read_prefix(body: AsyncIterable[bytes], limit: int = _MAX_ERROR_BYTES) -> bytes:
    begun = bytearray()
    async for piece in body:
        begun += piece
        if len(begun) >= limit:
            break
    return bytes(begun[:limit])


@dataclass(frozen=True)
class PreparedRequest:
    """The body of a request in the provider's form, and headers in addition to the client's."""

    body: dict[str, Any]
    headers: dict[str, str] = field(default_factory=dict)

    def adding_message(self, message: dict[str, Any]) -> Self:
        """Returns the request with one more message at the end of its messages."""
        return replace(self, body={**self.body, "messages": [*self.body["messages"], message]})

    def without(self, names: Iterable[str]) -> Self:
        """Returns the request without the named parameters."""
        nested = _NESTED.intersection(names)
        body = {key: value for key, value in self.body.items() if key not in names}
        return replace(self, body=without(body, lambda key, _: key in nested) if nested else body)


class SdkClient:
    """Posts to one path and yields events as plain JSON, because building an SDK object for each chunk is slow."""

    def __init__(self, sdk: Any, stream_class: Any, path: str, *, answer_key: str, own_framing: bool = False) -> None:
        """Wraps an SDK's client. With `own_framing`, the SDK decodes the stream instead of our event parser."""
        self._sdk, self._stream_class, self._path, self._own_framing = sdk, stream_class, path, own_framing
        self._answer_key = answer_key

    async def stream(self, prepared: PreparedRequest) -> AsyncGenerator[Any, None]:
        """Sends a request and yields the events of the answer."""
        answer = await self._sdk.post(
            self._path,
            body=prepared.body,
            options={"headers": prepared.headers},
            cast_to=object,
            stream=True,
            stream_cls=self._stream_class[object],
        )
        own = answer if self._own_framing else None
        async with contextlib.aclosing(read_events(answer.response, self._answer_key, own)) as events:
            async for event in events:
                yield event

    async def close(self) -> None:
        """Closes the connections."""
        await self._sdk.close()


def common_options(endpoint: Endpoint) -> dict[str, Any]:
    """Returns the options for every SDK: our HTTP client and no retries."""
    headers = dict(endpoint.headers)
    return {"max_retries": 0, "timeout": None, "http_client": http_client(endpoint.query), "default_headers": headers}


async def read_events(
    response: httpx2.Response, answer_key: str, own: AsyncIterator[Any] | None = None
) -> AsyncGenerator[Any, None]:
    """Yields the JSON of each server-sent event as soon as it is complete, and None for other activity.

    An event whose JSON has no type gets the event's name as type. `own`: an SDK's decoder of the stream. JSON with a
    list under `answer_key` is a whole answer, and yielded as one event.
    Raises NotAStreamError for a web page or JSON, ValueError if an event is not JSON.
    """
    parser = _Parser()
    async with contextlib.aclosing(response):
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind in ("text/html", "application/json"):
            for event in await _read_whole(kind, answer_key, response):
                yield event
            return
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


async def _read_whole(kind: str, answer_key: str, response: httpx2.Response) -> list[Any]:
    """Reads an answer that came as JSON, or as a stream of the wrong type. Raises NotAStreamError for other bodies."""
    text = await _read_prefix(
        response.aiter_bytes(), MAX_EVENT_BYTES if kind == "application/json" else _MAX_ERROR_BYTES
    )
    if text.lstrip().startswith((b"data:", b"event:")):
        parser = _Parser()
        return [*parser.feed(text), *parser.rest()]
    try:
        body = read_json(text)
    except ValueError:
        body = None
    chunks = body if isinstance(body, list) else [body]
    if all(isinstance(as_dict(chunk).get(answer_key), list) for chunk in chunks):
        return chunks
    raise NotAStreamError(kind, body, response)


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
        """Yields the last event if no blank line follows it; TRUNCATED if its JSON is incomplete."""
        self._field(bytes(self._buffer).rstrip(b"\r"))
        try:
            yield from self._event()
        except ValueError:
            yield {"type": TRUNCATED}

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
