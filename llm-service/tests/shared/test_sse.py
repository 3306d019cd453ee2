"""Events are read the same wherever a stream is split."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from llm_service.providers.shared import transport
from llm_service.providers.shared.transport import read_events

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

RAW = (
    b'\xef\xbb\xbf: hi\r\n\r\ndata: {"a":1}\r\n\r\ndata:{"b":\ndata:  2}\n\n'
    b'event: x\rid: 3\rdata: {"c":"\xe2\x80\xa8\xe2\x80\xa9\xc2\x85"}\r\rdata\n\nretry: 1\n\n'
    b'event: lost\n\ndata: {"type":"own"}\n\ndata: [DONE]\n\ndata: {"d":4}'
)
WANTED = [{"a": 1}, {"b": 2}, {"c": "\u2028\u2029\u0085", "type": "x"}, {"type": "own"}, {"type": "[DONE]"}, {"d": 4}]


class Pieces(httpx2.AsyncByteStream):
    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = list(pieces)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece

    async def aclose(self) -> None: ...


async def heard(*pieces: bytes) -> list[Any]:
    return [event async for event in read_events(httpx2.Response(200, stream=Pieces(pieces)), "choices")]


async def events(*pieces: bytes) -> list[Any]:
    return [event for event in await heard(*pieces) if event is not None]


async def test_events_are_equal_for_every_split() -> None:
    for at in range(len(RAW) + 1):
        assert await events(RAW[:at], RAW[at:]) == WANTED
    assert await events(*(RAW[i : i + 1] for i in range(len(RAW)))) == WANTED


async def test_any_bytes_count_as_activity() -> None:
    assert await heard(b": ping\n\n", b'data: {"a":1}\n', b"\n", b"event: ping\n\n") == [None, None, {"a": 1}, None]


async def test_a_truncated_event_is_reported() -> None:
    assert await events(b'data: {"a":1}\n\ndata: {"b":') == [{"a": 1}, {"type": transport.TRUNCATED}]
    assert await events(b'data: {"a":1}\n\ndata: {"b":2}\n') == [{"a": 1}, {"b": 2}]
    assert await events() == []


async def test_an_event_without_json_is_an_error() -> None:
    with pytest.raises(ValueError, match="Expecting"):
        await events(b'data: {"a":\n\n')


async def test_an_endless_event_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "MAX_EVENT_BYTES", 1000)
    with pytest.raises(httpx2.RemoteProtocolError):
        await events(*[b"data: " + b"x" * 300 + b"\n"] * 4)
    with pytest.raises(httpx2.RemoteProtocolError):
        await events(*[b"x" * 300] * 4)
    assert len(await events(*[b'data: {"a": ' + b"1" * 300 + b"}\n\n"] * 10)) == 10
