"""The same answer in every form that a server may send."""

from __future__ import annotations

import json

import pytest

from tests.google.gemini import Gemini, chunk, events, text_part, usage
from tests.shared.fake_http import Answer, Stream

CHUNKS = [
    chunk(text_part("tho\u2028ught", thought=True)),
    chunk(text_part("Größe: \u0085 € 🙂 data: x\n\n")),
    chunk(text_part("end"), finish="STOP") | usage(),
]
TOLD = [
    {"thinking": {"content": "tho\u2028ught"}},
    {"text": {"content": "Größe: \u0085 € 🙂 data: x\n\n"}},
    {"text": {"content": "end"}},
    {"usage": {"input_tokens": 10, "output_tokens": 5, "total_tokens": 17, "thinking_tokens": 2}},
]


def body(newline: str = "\r\n") -> bytes:
    return b"".join(events(*CHUNKS, newline=newline))


def pieces(raw: bytes, size: int) -> list[bytes]:
    return [raw[start : start + size] for start in range(0, len(raw), size)]


def pretty() -> bytes:
    """Returns events whose JSON is indented and so spans many data lines."""
    lines = (json.dumps(item, ensure_ascii=False, indent=1).split("\n") for item in CHUNKS)
    return "".join("".join(f"data:{line}\n" for line in event) + "\n" for event in lines).encode()


def commented() -> bytes:
    return (
        b": hello {\n\n"
        + body("\n").replace(b'data: {"cand', b': ping\nevent: message\nid: 1\nretry: 10\ndata: {"cand')
        + b":\n"
    )


FORMS = {
    "an event a packet": events(*CHUNKS),
    "all events in one packet": [body()],
    "LF": [body("\n")],
    "CR": [body("\r")],
    "single bytes": pieces(body(), 1),
    "seven bytes": pieces(body(), 7),
    "single bytes with CR": pieces(body("\r"), 1),
    "comments and other fields": pieces(commented(), 11),
    "many data lines": pieces(pretty(), 13),
    "byte order mark": [b"\xef\xbb\xbf" + body()],
    "no blank line at the end": [body().rstrip(b"\r\n")],
    "an unfinished line after the end": [body() + b'data: {"candi'],
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
async def test_every_form_gives_the_same_deltas(gemini: Gemini, form: list[bytes]) -> None:
    gemini.http.replies.append(Stream(form))
    assert await gemini.ask() == TOLD


@pytest.mark.parametrize("end", ["clean", "cut"])
@pytest.mark.parametrize("kept", [len(events(*CHUNKS)[0]), len(body()) - 30])
async def test_an_interrupted_stream_is_reported(gemini: Gemini, kept: int, end: str) -> None:
    gemini.http.replies.append(Stream([body()[:kept]], end=end))
    *streamed, error = await gemini.ask()
    assert streamed == TOLD[: len(streamed)]
    assert streamed
    assert error["error"]["code"] == "partial_stream_error"
    assert error["error"]["retryable"]
    assert len(gemini.http.requests) == 1


async def test_a_stream_interrupted_before_any_content_is_retried(gemini: Gemini) -> None:
    gemini.http.replies += [Stream([b": ping\n\n"], end="cut"), Stream([body()])]
    assert await gemini.ask() == TOLD
    assert len(gemini.waits.seconds) == 1


async def test_an_error_within_the_stream(gemini: Gemini) -> None:
    error = {"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}}
    gemini.http.replies += [Stream(events(error)), Stream([body()])]
    assert await gemini.ask() == TOLD
    gemini.http.replies.append(Stream([*events(CHUNKS[1]), *events(error)]))
    *_, received = await gemini.ask()
    assert received["error"]["code"] == "partial_stream_error"
    assert "503" in received["error"]["message"]


@pytest.mark.parametrize("content", ['["no", "object"]', '"text"', '{"candidates": 5}', '{"error": {"message": "m"}}'])
async def test_json_without_an_answer_is_reported(gemini: Gemini, content: str) -> None:
    gemini.http.replies.append(Stream([*events(CHUNKS[1]), f"data: {content}\n\n".encode()]))
    *_, received = await gemini.ask()
    assert received["error"]["retryable"], received


async def test_a_response_that_is_no_stream_is_reported(gemini: Gemini) -> None:
    gemini.http.replies += [Answer(200, b"<html>a proxy's login page</html>", {"Content-Type": "text/html"})]
    (received,) = await gemini.ask()
    assert received["error"]["code"] == "unexpected_answer"
    assert "retryable" not in received["error"]
    assert "a web page" in received["error"]["message"]
    assert gemini.waits.seconds == []
