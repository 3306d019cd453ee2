"""A fake provider over HTTP that sends the bytes which a test scripts, and records the requests."""

from __future__ import annotations

import asyncio
import contextlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence


async def happens(event: asyncio.Event, within_seconds: float = 20.0) -> None:
    """Waits for an event that must happen. Raises TimeoutError instead of hanging."""
    await asyncio.wait_for(event.wait(), within_seconds)


@contextlib.asynccontextmanager
async def listening(
    serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]], tasks: set[asyncio.Task[Any]]
) -> AsyncIterator[str]:
    """Listens on a free port and yields its URL; at the end, cancels the tasks that `serve` added to `tasks`."""
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@dataclass(frozen=True)
class Sent:
    """A request as received."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Answer:
    """A complete answer with a length."""

    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Stream:
    """An event stream, piece by piece.

    Attributes:
        pieces: each is sent on its own, as an HTTP chunk.
        end: "clean", "cut" (the connection closes in the middle of the body), "hang" (nothing more comes).
        content_type: its type.
    """

    pieces: Sequence[bytes]
    end: str = "clean"
    content_type: str = "text/event-stream; charset=utf-8"


class FakeHttp:
    """Answers requests with the queued replies, in order; a request without a reply is an error."""

    def __init__(self) -> None:
        self.requests: list[Sent] = []
        self.replies: list[Answer | Stream] = []
        self.hanging = asyncio.Event()
        self.client_left = asyncio.Event()
        self.url = ""
        self._tasks: set[asyncio.Task[Any]] = set()

    @contextlib.asynccontextmanager
    async def run(self) -> AsyncIterator[FakeHttp]:
        async with listening(self._serve, self._tasks) as self.url:
            yield self
        assert not self.replies, "queued replies that nobody asked for"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                while await self._exchange(reader, writer):
                    pass
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Serves one request; returns True if the connection stays open."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ", 2)
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        self.requests.append(Sent(method, path, headers, body))
        reply = self.replies.pop(0)
        if isinstance(reply, Answer):
            extra = "".join(f"{name}: {value}\r\n" for name, value in reply.headers.items())
            writer.write(
                f"HTTP/1.1 {reply.status} Told\r\nContent-Length: {len(reply.body)}\r\n{extra}\r\n".encode()
                + reply.body
            )
            await writer.drain()
            return True
        writer.write(
            f"HTTP/1.1 200 OK\r\nContent-Type: {reply.content_type}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
        )
        for piece in reply.pieces:
            writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            await writer.drain()
            await asyncio.sleep(0)
        if reply.end == "hang":
            self.hanging.set()
            await reader.read()
            self.client_left.set()
            return False
        if reply.end == "cut":
            return False
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True
