"""OpenAI Chat Completions: failures."""

from __future__ import annotations

from typing import Any

import pytest

from tests.wires.chat_events import TEXT, TEXT_OUT, calls, delta, piece, usage
from tests.wires.conftest import TOOLS, Rig, error_of, request, short, unbilled
from tests.wires.wire import Reply, data, failure

BAD_ENDS: dict[str, tuple[bytes, list[Any]]] = {
    "content filter": (
        data(delta(content="Well"), delta("content_filter"), "[DONE]"),
        [("text", "Well"), ("error", "content_blocked", False)],
    ),
    "refusal": (
        data(delta(refusal="I can't"), delta(refusal=" do that"), delta("stop"), "[DONE]"),
        [("error", "content_blocked", False)],
    ),
    "arguments that are no JSON": (
        data(delta(content="x"), calls(piece(0, "{path", "a", "b")), delta("tool_calls"), "[DONE]"),
        [("text", "x"), ("call", "a", "b", "{path")],
    ),
    "a call cut by the limit": (
        data(delta(content="x"), calls(piece(0, '{"pa', "a", "b")), delta("length"), usage(3, 9), "[DONE]"),
        [("text", "x"), ("usage", 3, 9, 0, 12), ("error", "output_truncated", False)],
    ),
    "text cut by the limit": (
        data(delta(content="x"), delta("length"), "[DONE]"),
        [("text", "x"), ("text", "\n\n[The answer was cut here: it reached the output limit of the model.]")],
    ),
    "an error in the stream": (
        data(delta(content="x"), {"error": {"message": "boom", "type": "server_error", "code": "server_error"}}),
        [("text", "x"), ("error", "partial_stream_error", True)],
    ),
}


@pytest.mark.parametrize(("body", "expected"), BAD_ENDS.values(), ids=BAD_ENDS.keys())
async def test_failed_ends_are_mapped(rig: Rig, body: bytes, expected: list[Any]) -> None:
    rig.server.replies = [Reply([body])]
    assert short(await rig.ask(request(rig.config("openai", "local"), tools=TOOLS))) == expected


TRUNCATED = data(delta(content="Half"), calls(piece(0, "{}", "call_a", "host__disk_usage")))


@pytest.mark.parametrize("cut", [True, False], ids=["connection lost", "ended early"])
async def test_truncated_streams_are_reported(rig: Rig, cut: bool) -> None:
    rig.server.replies = [Reply([TRUNCATED, b'data: {"id"'], cut=cut)]
    responses = await rig.ask(request(rig.config("openai", "local"), tools=TOOLS))
    assert short(responses) == [("text", "Half"), ("error", "partial_stream_error", True)]
    assert len(rig.server.requests) == 1


EMPTY = {
    "no choices at all": data({**delta(), "choices": []}, usage(4, 0), "[DONE]"),
    "choices are null": data({**delta(), "choices": None}, delta("stop"), "[DONE]"),
    "no content": data(delta(role="assistant", content=""), delta("stop"), usage(4, 0), "[DONE]"),
    "delta is null": data({**delta(), "choices": [{"index": 0, "delta": None}]}, delta("stop"), "[DONE]"),
    "nothing": b"",
    "only the end": data("[DONE]"),
}


@pytest.mark.parametrize("body", EMPTY.values(), ids=EMPTY.keys())
async def test_empty_answers_are_retried(rig: Rig, body: bytes) -> None:
    rig.server.replies = [Reply([body]), Reply([body]), Reply([TEXT])]
    assert unbilled(short(await rig.ask(request(rig.config("openai", "local"))))) == unbilled(TEXT_OUT)
    assert rig.waits == [2.0, 4.0]


async def test_empty_answers_are_reported_after_the_retries(rig: Rig) -> None:
    rig.server.replies = [Reply([EMPTY["no content"]])] * 4
    responses = await rig.ask(request(rig.config("openai", "local")))
    # The provider bills each attempt, so the usage includes all four.
    assert short(responses) == [("usage", 16, 0, 0, 16), ("error", "empty_response", True)]
    assert len(rig.server.requests) == 4


async def test_thinking_alone_is_no_answer(rig: Rig) -> None:
    rig.server.replies = [Reply([data(delta(reasoning="Hm."), delta("stop"), usage(1, 2), "[DONE]")])]
    responses = await rig.ask(request(rig.config("openai", "local")))
    assert short(responses) == [("thinking", "Hm."), ("usage", 1, 2, 0, 3), ("error", "empty_response", True)]


def openai_error(code: str, message: str = "Why is the disk full?", **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, "type": code, "code": code, "param": None, **more}}


REFUSALS = {
    "wrong key": (failure(401, openai_error("invalid_api_key")), "invalid_credentials", "TEST_KEY"),
    "no permission": (failure(403, openai_error("forbidden")), "invalid_credentials", "TEST_KEY"),
    "no such model": (failure(404, openai_error("model_not_found")), "invalid_request", "; check model and base_url"),
    "too long": (failure(400, openai_error("context_length_exceeded")), "context_too_long", "longer"),
    "too long for llama.cpp": (
        failure(400, {"error": {"code": 400, "message": "too large", "type": "exceed_context_size_error"}}),
        "context_too_long",
        "longer",
    ),
    "too long for vLLM": (
        failure(400, openai_error("BadRequestError", "This model's maximum context length is 4096 tokens")),
        "context_too_long",
        "longer",
    ),
    "filtered": (failure(400, openai_error("content_filter")), "content_blocked", "filters"),
    "refused": (failure(400, openai_error("unsupported_value")), "invalid_request", "unsupported_value"),
    "not JSON": (failure(400, "<html>"), "invalid_request", "400"),
}


@pytest.mark.parametrize(("reply", "code", "named"), REFUSALS.values(), ids=REFUSALS.keys())
async def test_refusals_are_final(rig: Rig, reply: Reply, code: str, named: str) -> None:
    rig.server.replies = [reply]
    got, retryable, message = error_of(await rig.ask(request(rig.config("openai", "local"))))
    assert (got, retryable) == (code, False)
    assert named in message
    assert len(rig.server.requests) == 1


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (400, "Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens)."),  # SGLang
        (400, "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 204800]"),  # Qwen
        (400, "prompt token count of 93854 exceeds the limit of 90000"),  # Copilot
        (400, "Prompt exceeds max length"),  # Z.AI
        (400, "Prompt too long"),
        (413, "Request body too large for gpt-4o model. Max size: 8000 tokens."),  # GitHub Models
        (422, "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 65537."),  # Together, TGI
        (422, "Input validation error: `inputs` must have less than 4095 tokens. Given: 5000"),
    ],
)
async def test_a_conversation_is_too_long_in_the_words_of_each_server(rig: Rig, status: int, text: str) -> None:
    rig.server.replies = [failure(status, openai_error("invalid_request_error", text))]
    responses = await rig.ask(request(rig.config("openai", "local")))
    assert error_of(responses)[:2] == ("context_too_long", False)


@pytest.mark.parametrize(
    "text",
    ["Invalid 'input[2].call_id': string exceeds the maximum length 64", "tools: the description exceeds 1024"],
)
async def test_another_long_value_is_no_long_conversation(rig: Rig, text: str) -> None:
    rig.server.replies = [failure(400, openai_error("invalid_request_error", text))]
    responses = await rig.ask(request(rig.config("openai", "local")))
    assert error_of(responses)[:2] == ("invalid_request", False)


TROUBLES = {
    "429 with Retry-After": (failure(429, openai_error("rate_limit_exceeded"), Retry_After="7"), 8.0),
    "429 in milliseconds": (failure(429, openai_error("rate_limit_exceeded"), retry_after_ms="1500"), 2.5),
    "429 without": (failure(429, openai_error("rate_limit_exceeded")), 2.0),
    "500": (failure(500, openai_error("server_error")), 2.0),
    "503 not JSON": (failure(503, "busy"), 2.0),
    "529": (failure(529, openai_error("overloaded")), 2.0),
    "lost at once": (Reply([], cut=True), 2.0),
    "a status in the stream": (Reply([data({"error": {"message": "boom", "code": 503}})]), 2.0),
    "a status as a text": (
        Reply([data({"error": {"message": "slow down", "type": "None", "param": "None", "code": "429"}})]),
        2.0,
    ),
    "error as the first event": (Reply([data(openai_error("server_error"))]), 2.0),
    "no JSON as the first event": (Reply([data("{oops")]), 2.0),
}


@pytest.mark.parametrize(("reply", "wait"), TROUBLES.values(), ids=TROUBLES.keys())
async def test_temporary_failures_are_retried(rig: Rig, reply: Reply, wait: float) -> None:
    rig.server.replies = [reply, Reply([TEXT])]
    assert short(await rig.ask(request(rig.config("openai", "local")))) == TEXT_OUT
    assert rig.waits == [wait]


async def test_failures_that_persist_are_reported(rig: Rig) -> None:
    rig.server.replies = [failure(429, openai_error("rate_limit_exceeded"))] * 4
    code, retryable, message = error_of(await rig.ask(request(rig.config("openai", "local"))))
    assert (code, retryable) == ("max_retries", True)
    assert "429" in message
    # The SDK's own retries are off: all 4 attempts are made by the service.
    assert len(rig.server.requests) == 4


async def test_an_exhausted_quota_is_not_awaited(rig: Rig) -> None:
    rig.server.replies = [failure(429, openai_error("insufficient_quota"))]
    code, _, message = error_of(await rig.ask(request(rig.config("openai", "local"))))
    assert code == "rate_limited"
    assert "quota" in message
    assert rig.waits == []


async def test_an_unreachable_server_is_reported(rig: Rig) -> None:
    config = rig.config("openai", "local", base_url="http://127.0.0.1:9")
    assert error_of(await rig.ask(request(config)))[:2] == ("transport", True)
    assert len(rig.waits) == 3


@pytest.mark.parametrize("event", [{"error": "boom"}, {"error": {"message": "boom"}}], ids=["words", "object"])
async def test_an_error_without_a_code(rig: Rig, event: dict[str, Any]) -> None:
    rig.server.replies = [Reply([data(event)])]
    assert error_of(await rig.ask(request(rig.config("openai", "local"))))[:2] == ("provider_error", True)
