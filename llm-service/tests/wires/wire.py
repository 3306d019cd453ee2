"""A provider's HTTP server whose answers a test writes byte by byte."""

from __future__ import annotations

import asyncio
import contextlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.shared.fake_http import listening

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests"}


@dataclass(frozen=True)
class Hold:
    """Marks a point in a reply at which the server waits until this event is set."""

    until: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(frozen=True)
class Reply:
    """A scripted answer, whose pieces are written one by one.

    Attributes:
        cut: the server closes the connection before the end of the body.
    """

    pieces: Sequence[bytes | Hold]
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    content_type: str = "text/event-stream"


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: Any
    raw: bytes = b""


class FakeServer:
    """Answers each request with the next scripted reply and records the request."""

    def __init__(self) -> None:
        self.replies: list[Reply] = []
        self.make_reply: Callable[[Request], Reply] | None = None
        self.requests: list[Request] = []
        self.connections = 0
        self.gone = asyncio.Event()
        """Set when a client disconnected during an answer."""
        self._tasks: set[asyncio.Task[Any]] = set()
        self.url = ""

    @contextlib.asynccontextmanager
    async def run(self) -> AsyncIterator[FakeServer]:
        async with listening(self._serve, self._tasks) as self.url:
            yield self

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        try:
            while (request := await _read(reader)) is not None:
                self.requests.append(request)
                reply = self.make_reply(request) if self.make_reply else self.replies.pop(0)
                await self._answer(reply, reader, writer)
                if reply.cut:
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            self.gone.set()
        except asyncio.CancelledError:
            # Swallowed because run() cancels the tasks at its end, and asyncio would log each cancelled one.
            pass
        finally:
            self._tasks.discard(task)
            writer.close()
            with contextlib.suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _answer(self, reply: Reply, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = [f"HTTP/1.1 {reply.status} {REASONS.get(reply.status, 'Error')}"]
        headers = {"Content-Type": reply.content_type, "Transfer-Encoding": "chunked", **reply.headers}
        head += [f"{name}: {value}" for name, value in headers.items()]
        writer.write("\r\n".join([*head, "", ""]).encode())
        for piece in reply.pieces:
            if isinstance(piece, Hold):
                await self._hold(piece, reader)
            elif piece:
                writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                await writer.drain()
                await asyncio.sleep(0)
        if not reply.cut:
            writer.write(b"0\r\n\r\n")
            await writer.drain()

    async def _hold(self, hold: Hold, reader: asyncio.StreamReader) -> None:
        waiting = asyncio.create_task(hold.until.wait())
        hanging_up = asyncio.create_task(reader.read(1))
        try:
            await asyncio.wait({waiting, hanging_up}, return_when=asyncio.FIRST_COMPLETED)
            if hanging_up.done():
                raise ConnectionResetError
        finally:
            waiting.cancel()
            hanging_up.cancel()


async def _read(reader: asyncio.StreamReader) -> Request | None:
    line = await reader.readline()
    if not line:
        return None
    method, path, _ = line.decode().split(" ", 2)
    headers = {}
    while (line := await reader.readline()) not in (b"\r\n", b""):
        name, _, value = line.decode().partition(":")
        headers[name.strip().lower()] = value.strip()
    raw = await reader.readexactly(int(headers.get("content-length", "0")))
    is_json = "json" in headers.get("content-type", "")
    return Request(method, path, headers, json.loads(raw) if is_json and raw else raw, raw)


def data(*events: Any, end: str = "\n") -> bytes:
    """Returns events that contain only data."""
    return b"".join(f"data: {_dump(event)}{end}{end}".encode() for event in events)


def named(*events: dict[str, Any], end: str = "\n") -> bytes:
    """Returns events named by their type."""
    return b"".join(f"event: {e['type']}{end}data: {_dump(e)}{end}{end}".encode() for e in events)


def _dump(event: Any) -> str:
    return event if isinstance(event, str) else json.dumps(event, ensure_ascii=False)


def oddly(body: bytes) -> list[bytes]:
    """Splits the body into pieces of 1, 2, 3, 5, 8, 13, 1, … bytes: within lines, line ends and characters."""
    pieces, sizes, begin, number = [], (1, 2, 3, 5, 8, 13), 0, 0
    while begin < len(body):
        size = sizes[number % len(sizes)]
        pieces.append(body[begin : begin + size])
        begin, number = begin + size, number + 1
    return pieces


def disturbed(body: bytes) -> bytes:
    """Returns the body with CRLF line ends, and with comments and pings between events."""
    lines = body.replace(b"\n", b"\r\n")
    return b": hello\r\n\r\n" + lines.replace(b"\r\n\r\n", b"\r\n\r\n: keep-alive\r\n\r\n")


def failure(status: int, body: Any, **headers: str) -> Reply:
    """Returns an error answer; underscores in header names become dashes."""
    named_headers = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply([_dump(body).encode()], status, named_headers, content_type="application/json")
