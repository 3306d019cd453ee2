"""HTTP statuses, tool results, texts."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from llm_service.errors import InvalidCredentials, InvalidRequest, ProviderUnavailable, RateLimited
from llm_service.proto.llm_service_pb2 import GenerateResponse, TextDelta, ThinkingDelta, ToolCallDelta
from llm_service.providers.settings import Api, Endpoint, Settings
from llm_service.providers.shared.answer import merge_text
from llm_service.providers.shared.conversation import cut_tool_result
from llm_service.providers.shared.failures import ErrorDetails, map_failure, parse_retry_after
from llm_service.providers.shared.text import arguments_from_json, read_json, well_formed
from llm_service.providers.shared.usage import Usage

SETTINGS = Settings(Endpoint(Api.GOOGLE, provider="google", key_variable="KEY"), "gemini-3", "gemini-3")


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, InvalidRequest),
        (401, InvalidCredentials),
        (403, InvalidCredentials),
        (404, InvalidRequest),
        (408, ProviderUnavailable),
        (413, InvalidRequest),
        (422, InvalidRequest),
        (429, RateLimited),
        (500, ProviderUnavailable),
        (503, ProviderUnavailable),
        (529, ProviderUnavailable),
    ],
)
def test_statuses(status: int, error: type[Exception]) -> None:
    said = ErrorDetails(status, "", ("SOME_WORD",), {"retry-after": "3"})
    made = map_failure(RuntimeError(), said, SETTINGS)
    assert type(made) is error
    assert f"HTTP {status}, SOME_WORD" in str(made)
    assert "Gemini" in str(made)
    if isinstance(made, RateLimited | ProviderUnavailable):
        assert made.retry_after == 3


def test_a_refusal_without_a_key_variable_is_a_whole_sentence() -> None:
    settings = Settings(Endpoint(Api.GOOGLE, provider="google"), "gemini-3", "gemini-3")
    made = map_failure(RuntimeError(), ErrorDetails(401, "", ("UNAUTHENTICATED",)), settings)
    assert str(made).endswith("refused a call without credentials; api_key_env can name a variable with a key")


@pytest.mark.parametrize("word", ["free text of a prompt", "x" * 61, "<b>", ""])
def test_only_a_word_is_quoted(word: str) -> None:
    made = map_failure(RuntimeError(), ErrorDetails(400, "", (word,)), SETTINGS)
    assert str(made) == "Gemini refused the request (HTTP 400)"


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7),
        ("34.5s", 34.5),
        (" 0 ", 0),
        ("-3", 0),
        ("Sat, 21 Nov 2026 12:00:30 GMT", 30),
        ("Sat, 21 Nov 2026 11:00:00 GMT", 0),
        ("soon", None),
        ("Sat, 21 Nov 99999999999999999999 12:00:30 GMT", None),
        ("Sat, 21 Nov 2026 12:00:30 +99999999999999999999", None),
        ("nan", None),
        ("inf", None),
        ("", None),
        (None, None),
    ],
)
def test_retry_after(value: str | None, seconds: float | None) -> None:
    assert parse_retry_after(value, datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)) == seconds


def test_tool_results_are_cut() -> None:
    assert cut_tool_result("x" * 100, 0) == "x" * 100
    assert cut_tool_result("x" * 100, 25) == "x" * 100
    assert cut_tool_result("x" * 101, 25).startswith("x" * 100 + "\n\n[cut: 101 characters")
    marked = "-----BEGIN TOOL RESULT-----\n" + "x" * 1000 + "\n-----END TOOL RESULT-----"
    cut = cut_tool_result(marked, 25)
    assert cut.endswith("]\n-----END TOOL RESULT-----")
    assert cut.count("x") < 100


def test_adjacent_text_responses_are_merged() -> None:
    call = GenerateResponse(tool_call=ToolCallDelta())
    thoughts = [GenerateResponse(thinking=ThinkingDelta(content=text)) for text in "ab"]
    texts = [GenerateResponse(text=TextDelta(content=text)) for text in "cde"]
    responses = [*thoughts, *texts[:2], call, call, texts[2]]
    out = [(one.WhichOneof("content"), one.text.content or one.thinking.content) for one in merge_text(responses)]
    assert out == [("thinking", "ab"), ("text", "cd"), ("tool_call", ""), ("tool_call", ""), ("text", "e")]


def test_texts() -> None:
    assert well_formed("a\ud800é") == "a?é"
    assert read_json(rb'{"a": ["\ud800", "\ud83d\ude00", "\u00e9"]}') == {"a": ["?", "\U0001f600", "é"]}
    assert arguments_from_json(" ") == {}
    assert arguments_from_json('{"a": 1}') == {"a": 1}
    assert arguments_from_json("[1]") == {"input": [1]}
    assert arguments_from_json("{") == {"input": "{"}


def test_impossible_token_counts_are_ignored() -> None:
    usage = Usage()
    usage.add({"prompt_tokens": 1e300, "completion_tokens": 5, "total_tokens": float("inf")})
    info = usage.info()
    assert info is not None
    assert (info.input_tokens, info.output_tokens, info.total_tokens) == (0, 5, 5)
