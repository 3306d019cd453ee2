"""Event streams are brought into one form, wherever they are split."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx2
import pytest

from llm_service.providers.shared import sse
from llm_service.providers.shared.sse import NormalisedStream

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

RAW = (
    b'\xef\xbb\xbf: hi\r\n\r\ndata: {"a":1}\r\n\r\ndata:{"b":\ndata:  2}\n\n'
    b'event: x\rid: 3\rdata: {"c":"\xe2\x80\xa8\xe2\x80\xa9\xc2\x85"}\r\rdata\n\nretry: 1\n\ndata: {"d":4}'
)
WANTED = [
    b'data: {"a":1}\n\n',
    b'data: {"b":  2}\n\n',
    b'data: {"c":"\\u2028\\u2029\\u0085"}\n\n',
    b"data: \n\n",
    b'data: {"d":4}\n\n',
]


class Pieces(httpx2.AsyncByteStream):
    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = list(pieces)
        self.closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece

    async def aclose(self) -> None:
        self.closed = True


async def events(*pieces: bytes) -> list[bytes]:
    return [event async for event in NormalisedStream(Pieces(pieces))]


async def test_every_place_to_split_it() -> None:
    for at in range(len(RAW) + 1):
        assert await events(RAW[:at], RAW[at:]) == WANTED
    assert await events(*(RAW[i : i + 1] for i in range(len(RAW)))) == WANTED


async def test_an_event_that_was_cut_off_is_dropped() -> None:
    assert await events(b'data: {"a":1}\n\ndata: {"b":') == [b'data: {"a":1}\n\n']
    assert await events(b'data: {"a":1}\n\ndata: {"b":2}\n') == [b'data: {"a":1}\n\n', b'data: {"b":2}\n\n']
    assert await events() == []


async def test_an_event_without_end_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "MAX_EVENT_BYTES", 1000)
    with pytest.raises(httpx2.RemoteProtocolError):
        await events(*[b"data: " + b"x" * 300 + b"\n"] * 4)
    with pytest.raises(httpx2.RemoteProtocolError):
        await events(*[b"x" * 300] * 4)
    assert len(await events(*[b"data: " + b"1" * 300 + b"\n\n"] * 10)) == 10


async def test_events_with_names() -> None:
    raw = b'event: x\ndata: {"a":1}\n\n: ping\n\ndata: {"b":2}\n\ndata: {"c":'
    named = [event async for event in NormalisedStream(Pieces([raw]), named=True)]
    assert named == [
        b'event: x\ndata: {"a":1}\n\n',
        b'event: message\ndata: {"b":2}\n\n',
        b'event: message\ndata: {"c":\n\n',
    ]
