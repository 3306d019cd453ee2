"""Failures that Anthropic's Messages API reports permanently or temporarily."""

from __future__ import annotations

from typing import Any

import pytest

from tests.wires.anthropic_events import START, STOP, end
from tests.wires.conftest import USER, Rig, error_of, request, short, unbilled
from tests.wires.test_anthropic import TEXT, TEXT_OUT
from tests.wires.wire import Reply, failure, named

# The SDK warns about models near their end of life, which the table of families still contains.
pytestmark = pytest.mark.filterwarnings("ignore:The model:DeprecationWarning")


def anthropic_error(kind: str, message: str = USER.content) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}}


@pytest.mark.parametrize(
    ("reply", "wait"),
    [
        (failure(429, anthropic_error("rate_limit_error"), Retry_After="3"), 4.0),
        (failure(500, anthropic_error("api_error")), 2.0),
        (failure(529, anthropic_error("overloaded_error")), 2.0),
        (Reply([named(START, anthropic_error("overloaded_error"))]), 2.0),
        (Reply([named(START, anthropic_error("rate_limit_error"))]), 2.0),
        (Reply([named(START, end("end_turn"), STOP)]), 2.0),
        (Reply([named(START)]), 2.0),
        (Reply([named(START)[:60]], cut=True), 2.0),
        (Reply([], cut=True), 2.0),
    ],
    ids=["429", "500", "529", "overloaded event", "rate event", "empty", "ended", "cut", "lost"],
)
async def test_temporary_failures_are_retried(rig: Rig, reply: Reply, wait: float) -> None:
    rig.server.replies = [reply, Reply([TEXT])]
    assert unbilled(short(await rig.ask(request(rig.config("anthropic", "claude-sonnet-5"))))) == unbilled(TEXT_OUT)
    assert rig.waits == [wait]


@pytest.mark.parametrize(
    ("status", "kind", "text_", "code"),
    [
        (400, "invalid_request_error", "bad", "invalid_request"),
        (400, "invalid_request_error", "prompt is too long: 300000 tokens > 200000 maximum", "context_too_long"),
        (
            400,
            "invalid_request_error",
            "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000",
            "context_too_long",
        ),
        (413, "request_too_large", "too large", "context_too_long"),
        (401, "authentication_error", "invalid x-api-key", "invalid_credentials"),
        (403, "permission_error", "no", "invalid_credentials"),
        (404, "not_found_error", "model", "invalid_request"),
    ],
)
async def test_refusals_are_final(rig: Rig, status: int, kind: str, text_: str, code: str) -> None:
    rig.server.replies = [failure(status, anthropic_error(kind, text_))]
    responses = await rig.ask(request(rig.config("anthropic", "claude-sonnet-5")))
    assert error_of(responses)[:2] == (code, False)
    assert len(rig.server.requests) == 1


@pytest.mark.parametrize(
    "text_",
    [
        "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to purchase credits.",
        "You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.",
        "You have reached your specified workspace API usage limits.",
    ],
)
async def test_exhausted_credit_counts_as_an_exhausted_quota(rig: Rig, text_: str) -> None:
    rig.server.replies = [failure(400, anthropic_error("invalid_request_error", text_))]
    error = (await rig.ask(request(rig.config("anthropic", "claude-sonnet-5"))))[-1].error
    assert (error.code, error.http_status, error.retry_after_seconds) == ("rate_limited", 400, 86_400)
    assert text_ in error.message
    assert len(rig.server.requests) == 1


async def test_a_stream_that_always_ends_early_is_a_transport_error(rig: Rig) -> None:
    rig.server.replies = [Reply([named(START)])] * 4
    assert error_of(await rig.ask(request(rig.config("anthropic", "claude-sonnet-5"))))[:2] == ("transport", True)
