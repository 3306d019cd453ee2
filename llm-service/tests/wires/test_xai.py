"""xAI's Chat Completions."""

from __future__ import annotations

from typing import Any

import pytest

from tests.wires.chat_events import TEXT, calls, delta, piece
from tests.wires.conftest import KEY, TOOLS, Rig, error_of, next_turn, request, short
from tests.wires.wire import Reply, data, disturbed, failure, oddly


def usage(completion: int, reasoning: int) -> dict[str, Any]:
    # xAI counts reasoning apart from the completion, and repeats the usage so far in every chunk.
    return {
        "prompt_tokens": 10,
        "completion_tokens": completion,
        "total_tokens": 10 + completion + reasoning,
        "completion_tokens_details": {"reasoning_tokens": reasoning},
    }


WORK = data(
    {**delta(role="assistant", reasoning_content="Look "), "usage": usage(0, 2)},
    {**delta(reasoning_content="first."), "usage": usage(0, 4)},
    {**delta(content="I look."), "usage": usage(3, 4)},
    {**calls(piece(0, '{"path": "/"}', "call_a", "host__disk_usage")), "usage": usage(9, 4)},
    {**calls(piece(1, "{}", "call_b", "host__list-files")), "usage": usage(12, 4)},
    {**delta("tool_calls"), "usage": usage(12, 4)},
    {**delta(), "choices": [], "usage": usage(12, 4)},
    "[DONE]",
)
WRONG_KEY = "Incorrect API key provided: xa***9f. You can obtain an API key from the console."
SPENT = "Your team 1 has either used all available credits or reached its monthly spending limit."
WORK_OUT = [
    ("thinking", "Look "),
    ("thinking", "first."),
    ("text", "I look."),
    ("call", "call_a", "host.disk_usage", '{"path": "/"}'),
    ("call", "call_b", "host.list-files", "{}"),
    ("usage", 10, 12, 4, 26),
]


@pytest.mark.parametrize("pieces", [[WORK], oddly(WORK), oddly(disturbed(WORK))], ids=["whole", "odd", "disturbed"])
async def test_a_turn_and_the_next_one(rig: Rig, pieces: list[bytes]) -> None:
    rig.server.replies = [Reply(pieces), Reply([TEXT])]
    config = rig.config("xai", "grok-4.6")
    responses = await rig.ask(request(config, tools=TOOLS))
    assert short(responses) == WORK_OUT
    first = rig.server.requests[0]
    assert first.path == "/chat/completions"
    assert first.headers["authorization"] == f"Bearer {KEY}"
    assert first.body["model"] == "grok-4.6"
    assert "reasoning_effort" not in first.body
    await rig.ask(request(config, next_turn(responses, ["90 %", "Error: none"]), TOOLS))
    sent = rig.bodies[1]["messages"][2:]
    assert [message["role"] for message in sent] == ["assistant", "tool", "tool"]
    assert [call["id"] for call in sent[0]["tool_calls"]] == ["call_a", "call_b"]
    assert sent[0]["tool_calls"][0]["function"] == {"name": "host__disk_usage", "arguments": '{"path": "/"}'}
    assert [message["tool_call_id"] for message in sent[1:]] == ["call_a", "call_b"]


async def test_models_with_an_effort_get_the_high_one(rig: Rig) -> None:
    rig.server.replies = [Reply([TEXT])]
    await rig.ask(request(rig.config("xai", "grok-4.3")))
    assert rig.bodies[0]["reasoning_effort"] == "high"


@pytest.mark.parametrize(
    ("reply", "code", "retryable"),
    [
        (failure(400, {"code": "invalid-argument", "error": "no such field"}), "invalid_request", False),
        (failure(400, {"code": "invalid-argument", "error": WRONG_KEY}), "invalid_credentials", False),
        (failure(400, {"code": "invalid-argument", "error": f"{'x' * 300} {WRONG_KEY}"}), "invalid_request", False),
        (failure(429, {"code": "resource-exhausted", "error": SPENT}), "rate_limited", True),
        (failure(401, {"code": "unauthenticated", "error": "no"}), "invalid_credentials", False),
        (
            failure(
                400,
                {
                    "code": "Client specified an invalid argument",
                    "error": "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
                },
            ),
            "context_too_long",
            False,
        ),
        (Reply([data(delta("content_filter"), "[DONE]")]), "content_blocked", False),
    ],
    ids=["400", "wrong key", "quoted", "no credits", "401", "too long", "filter"],
)
async def test_refusals_are_final(rig: Rig, reply: Reply, code: str, retryable: bool) -> None:
    rig.server.replies = [reply]
    assert error_of(await rig.ask(request(rig.config("xai", "grok-4.6"))))[:2] == (code, retryable)


@pytest.mark.parametrize(
    "reply",
    [
        failure(429, {"code": "resource-exhausted", "error": "slow down"}),
        failure(503, {"code": "unavailable", "error": "later"}),
        Reply([WORK[:40]], cut=True),
        Reply([data(delta("stop"), "[DONE]")]),
    ],
    ids=["429", "503", "cut", "empty"],
)
async def test_temporary_failures_are_retried(rig: Rig, reply: Reply) -> None:
    rig.server.replies = [reply, Reply([WORK])]
    assert short(await rig.ask(request(rig.config("xai", "grok-4.6"), tools=TOOLS))) == WORK_OUT
    assert rig.waits == [2.0]
