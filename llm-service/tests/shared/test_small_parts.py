"""HTTP statuses, tool results, texts, logs."""

from __future__ import annotations

import io
import json
import logging
from datetime import UTC, datetime

import pytest

from llm_service.errors import InvalidCredentials, InvalidRequest, ProviderUnavailable, RateLimited
from llm_service.logs import JsonFormatter
from llm_service.proto.llm_service_pb2 import GenerateRequest, LLMConfig
from llm_service.providers.shared.http_status import error_for_status, parse_retry_after
from llm_service.providers.shared.log import call_log
from llm_service.providers.shared.text import arguments_from_json, arguments_to_json, well_formed
from llm_service.providers.shared.tool_results import cut_tool_result, is_tool_error


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
    made = error_for_status(status, provider="Gemini", key_variable="KEY", retry_after=3, word="SOME_WORD")
    assert type(made) is error
    assert f"HTTP {status}, SOME_WORD" in str(made)
    assert "Gemini" in str(made)
    if isinstance(made, RateLimited | ProviderUnavailable):
        assert made.retry_after == 3


@pytest.mark.parametrize("word", ["free text of a prompt", "x" * 61, "<b>", ""])
def test_only_a_word_is_quoted(word: str) -> None:
    made = error_for_status(400, provider="Gemini", key_variable="KEY", word=word)
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


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        ("Error: no", True),
        ("  ERROR 42", True),
        ("-----BEGIN TOOL RESULT-----\nError: no\n-----END TOOL RESULT-----", True),
        ("Errors are rare", False),
        ("no error", False),
        ("", False),
    ],
)
def test_tool_errors(text: str, failed: bool) -> None:
    assert is_tool_error(text) == failed


def test_texts() -> None:
    assert well_formed("a\ud800é") == "a?é"
    assert arguments_to_json(None) == "{}"
    assert arguments_to_json({"a": "é\ud800"}) == '{"a": "é?"}'
    assert arguments_from_json(" ") == {}
    assert arguments_from_json('{"a": 1}') == {"a": 1}
    assert arguments_from_json("[1]") == {"input": [1]}
    assert arguments_from_json("{") == {"input": "{"}


def test_a_log_line_tells_its_call() -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    logger = logging.getLogger("llm_service.test_log")
    logger.addHandler(handler)
    config = LLMConfig(provider="google", model="m")
    log = call_log(logger, GenerateRequest(session_id="s", execution_id="e", llm_config=config))
    log.warning("said", extra={"retry": 1})
    logger.removeHandler(handler)
    entry = json.loads(stream.getvalue())
    wanted = {"msg": "said", "session_id": "s", "execution_id": "e", "provider": "google", "model": "m", "retry": 1}
    assert entry.items() >= wanted.items()
