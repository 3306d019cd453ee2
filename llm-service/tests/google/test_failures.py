"""Errors of Gemini as the engine receives them."""

from __future__ import annotations

import pytest

from llm_service.providers.shared.limits import StreamLimits
from llm_service.providers.shared.text import CUT_NOTE
from tests.google.gemini import (
    KEY,
    Gemini,
    answer,
    chunk,
    events,
    failure,
    start_gemini,
    text_part,
    usage,
)
from tests.shared.fake_http import Answer, Stream, happens

TEXT = {"text": {"content": "fine"}}
BAD_KEY = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
RETRY_INFO = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}


@pytest.mark.parametrize(
    ("reply", "wait"),
    [
        (failure(429, "RESOURCE_EXHAUSTED", Retry_After="7"), 8),
        (failure(429, "RESOURCE_EXHAUSTED", [RETRY_INFO]), 35.5),
        (failure(429, "RESOURCE_EXHAUSTED"), 2),
        (failure(500, "INTERNAL"), 2),
        (failure(503, "UNAVAILABLE", Retry_After="1"), 2),
        (Answer(529, b"overloaded", {"Content-Type": "text/plain"}), 2),
        (Stream([]), 2),
        (Stream(events({"candidates": []} | usage())), 2),
        (Stream(events(chunk(finish="STOP") | usage())), 2),
        (Stream(events(chunk(text_part(""), finish="STOP") | usage())), 2),
        (Stream(events(chunk(text_part("", thoughtSignature="c2lnbmVk"), finish="STOP") | usage())), 2),
        (Stream(events(chunk(finish="MALFORMED_FUNCTION_CALL") | usage())), 2),
    ],
    ids=lambda value: str(value)[:60],
)
async def test_temporary_failures_are_retried(gemini: Gemini, reply: Answer | Stream, wait: float) -> None:
    gemini.http.replies += [reply, answer(text_part("fine"))]
    received = await gemini.ask()
    assert received[0] == TEXT
    assert gemini.waits.seconds == [wait]
    first, second = gemini.http.requests
    assert first.json == second.json


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_gives_up_after_three_retries(gemini: Gemini, status: int) -> None:
    gemini.http.replies += [failure(status, "BUSY")] * 4
    (received,) = await gemini.ask()
    assert received["error"]["code"] == "max_retries"
    assert received["error"]["retryable"]
    assert f"HTTP {status}, BUSY" in received["error"]["message"]
    assert "quotes the prompt" in received["error"]["message"]
    assert gemini.waits.seconds == [2, 4, 8]


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (chunk(finish="STOP"), "empty_response"),
        (chunk(finish="OTHER"), "empty_response"),
        (chunk(finish="NO_IMAGE"), "empty_response"),
        (chunk({"functionCall": {"name": "k8s__logs", "args": {}}}, finish="OTHER"), "empty_response"),
        ({"candidates": []}, "empty_response"),
        (chunk(finish="MALFORMED_FUNCTION_CALL"), "malformed_tool_call"),
    ],
    ids=lambda value: str(value)[-60:],
)
async def test_useless_answers_are_no_outage(gemini: Gemini, reply: dict[str, object], code: str) -> None:
    gemini.http.replies += [Stream(events(reply | usage()))] * 4
    received = await gemini.ask()
    assert received[-1]["error"]["code"] == code
    assert received[-1]["error"]["retryable"]
    assert gemini.waits.seconds == [2, 4, 8]


async def test_a_long_retry_after_is_not_awaited(gemini: Gemini) -> None:
    gemini.http.replies.append(failure(429, "RESOURCE_EXHAUSTED", Retry_After="3600"))
    (received,) = await gemini.ask()
    assert received["error"]["code"] == "rate_limited"
    assert received["error"]["retry_after_seconds"] == 3600
    assert gemini.waits.seconds == []


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (failure(400, "INVALID_ARGUMENT"), "invalid_request"),
        (failure(404, "NOT_FOUND"), "invalid_request"),
        (failure(400, "INVALID_ARGUMENT", [BAD_KEY]), "invalid_credentials"),
        (failure(401, "UNAUTHENTICATED"), "invalid_credentials"),
        (failure(403, "PERMISSION_DENIED"), "invalid_credentials"),
        (Stream(events({"promptFeedback": {"blockReason": "SAFETY"}})), "content_blocked"),
        (Stream(events(chunk(finish="SAFETY"))), "content_blocked"),
        (Stream(events(chunk(finish="PROHIBITED_CONTENT"))), "content_blocked"),
        (Stream(events(chunk(finish="MAX_TOKENS"))), "output_truncated"),
    ],
    ids=lambda value: str(value)[:60],
)
async def test_permanent_failures_are_reported_at_once(gemini: Gemini, reply: Answer | Stream, code: str) -> None:
    gemini.http.replies.append(reply)
    (received,) = await gemini.ask()
    assert received["error"]["code"] == code
    assert "retryable" not in received["error"]
    assert KEY not in received["error"]["message"]
    assert received["error"].get("http_status", 0) == (reply.status if isinstance(reply, Answer) else 0)
    assert ("GEMINI_KEY" in received["error"]["message"]) == (code == "invalid_credentials")


@pytest.mark.parametrize(
    "words",
    [
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        "The input token count exceeds the maximum number of input tokens allowed (1048576).",
    ],
)
async def test_a_too_long_conversation_has_its_own_code(gemini: Gemini, words: str) -> None:
    gemini.http.replies.append(failure(400, "INVALID_ARGUMENT", message=words))
    (received,) = await gemini.ask()
    assert received["error"]["code"] == "context_too_long"
    assert "retryable" not in received["error"]


@pytest.mark.parametrize(
    ("finish", "code", "retryable"),
    [
        ("SAFETY", "content_blocked", False),
        ("RECITATION", "content_blocked", False),
        ("MALFORMED_FUNCTION_CALL", "malformed_tool_call", True),
        ("UNEXPECTED_TOOL_CALL", "malformed_tool_call", True),
        ("OTHER", "partial_stream_error", True),
    ],
)
async def test_an_interrupted_answer_reports_its_usage(gemini: Gemini, finish: str, code: str, retryable: bool) -> None:
    gemini.http.replies.append(Stream(events(chunk(text_part("fine"), finish=finish) | usage())))
    text, spent, error = await gemini.ask()
    assert text == TEXT
    assert spent["usage"]["total_tokens"] == 17
    assert error["error"]["code"] == code
    assert error["error"].get("retryable", False) == retryable
    assert finish in error["error"]["message"]


async def test_a_text_at_the_output_limit_ends_with_a_note(gemini: Gemini) -> None:
    gemini.http.replies.append(Stream(events(chunk(text_part("fine"), finish="MAX_TOKENS") | usage())))
    text, spent = await gemini.ask()
    assert text["text"]["content"] == f"fine{CUT_NOTE}"
    assert spent["usage"]["total_tokens"] == 17


async def test_thinking_without_an_answer_is_an_empty_response(gemini: Gemini) -> None:
    gemini.http.replies.append(Stream(events(chunk(text_part("hm", thought=True), finish="STOP"))))
    thought, error = await gemini.ask()
    assert thought == {"thinking": {"content": "hm"}}
    assert error["error"]["code"] == "empty_response"
    assert error["error"]["retryable"]


@pytest.mark.parametrize("variable", ["NOT_SET", "EMPTY_KEY"])
async def test_a_missing_key_is_reported(gemini: Gemini, variable: str) -> None:
    (received,) = await gemini.ask(api_key_env=variable)
    assert received["error"]["code"] == "missing_credentials"
    assert variable in received["error"]["message"]
    assert gemini.http.requests == []


async def test_a_missing_variable_name_is_reported(gemini: Gemini) -> None:
    (received,) = await gemini.ask(api_key_env="", base_url="")
    assert received["error"]["code"] == "missing_credentials"
    assert "api_key_env" in received["error"]["message"]


async def test_an_invalid_key_is_not_quoted(gemini: Gemini) -> None:
    (received,) = await gemini.ask(api_key_env="ODD_KEY")
    assert received["error"]["code"] == "invalid_credentials"
    assert "ODD_KEY" in received["error"]["message"]
    assert "cl" not in received["error"]["message"].replace("cannot", "")
    assert gemini.http.requests == []


@pytest.mark.parametrize("base_url", ["127.0.0.1:80", "file:///etc/passwd", "http://", "http://[", "http://h:99999"])
async def test_an_invalid_address_is_refused(gemini: Gemini, base_url: str) -> None:
    (received,) = await gemini.ask(base_url=base_url)
    assert received["error"]["code"] == "invalid_request"


async def test_a_refused_connection_is_reported(gemini: Gemini) -> None:
    (received,) = await gemini.ask(base_url="http://127.0.0.1:1")
    assert received["error"]["code"] == "transport"
    assert received["error"]["retryable"]
    assert len(gemini.waits.seconds) == 3


async def test_silence_before_the_first_token_times_out() -> None:
    async with start_gemini(StreamLimits(first_token_seconds=5, stall_seconds=60)) as gemini:
        gemini.http.replies.append(Stream([b": ping\n\n"], end="hang"))
        (received,) = await gemini.ask()
        assert received["error"]["code"] == "initial_timeout"
        assert received["error"]["retryable"]
        await happens(gemini.http.client_left)


async def test_silence_in_the_middle_times_out() -> None:
    async with start_gemini(StreamLimits(first_token_seconds=60, stall_seconds=0.2)) as gemini:
        gemini.http.replies.append(Stream(events(chunk(text_part("fine"))), end="hang"))
        text, error = await gemini.ask()
        assert text == TEXT
        assert error["error"]["code"] == "stall_timeout"
        assert error["error"]["retryable"]
        await happens(gemini.http.client_left)
