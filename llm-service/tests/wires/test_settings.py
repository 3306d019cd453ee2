"""The operator's parameters of an answer, checked in the request to each API."""

from __future__ import annotations

from typing import Any

import pytest

from tests.wires.chat_events import TEXT as CHAT_TEXT
from tests.wires.conftest import TOOLS, Rig, error_of, request, rigged
from tests.wires.test_anthropic import TEXT as ANTHROPIC_TEXT
from tests.wires.test_google import TEXT as GOOGLE_TEXT
from tests.wires.test_openai_responses import TEXT as RESPONSES_TEXT
from tests.wires.wire import Reply, failure

ADAPTIVE = {"type": "adaptive", "display": "summarized"}


async def sent(rig: Rig, body: bytes, provider: str, model: str, **fields: Any) -> Any:
    rig.server.replies = [Reply([body])]
    responses = await rig.ask(request(rig.config(provider, model, **fields), tools=TOOLS[:1]))
    assert not responses[-1].HasField("error"), responses[-1].error
    return rig.bodies[-1]


@pytest.mark.parametrize(
    ("model", "fields", "expected"),
    [
        ("claude-sonnet-5", {"effort": "low"}, {"thinking": ADAPTIVE, "output_config": {"effort": "low"}}),
        ("claude-sonnet-5", {"effort": "off"}, {"thinking": {"type": "disabled"}, "output_config": None}),
        ("claude-sonnet-5", {"thinking_budget": 0}, {"thinking": {"type": "disabled"}}),
        (
            "claude-sonnet-4-5",
            {"effort": "low"},
            {"thinking": {"type": "enabled", "budget_tokens": 4096}, "output_config": None},
        ),
        ("claude-sonnet-4-5", {"thinking_budget": 9000}, {"thinking": {"type": "enabled", "budget_tokens": 9000}}),
        ("claude-sonnet-4-5", {"effort": "off", "temperature": 0.5}, {"thinking": None, "temperature": 0.5}),
        ("claude-sonnet-4-5", {"temperature": 0.5}, {"temperature": None}),
        (
            "claude-sonnet-4-5",
            {"max_output_tokens": 5000},
            {"max_tokens": 5000, "thinking": {"type": "enabled", "budget_tokens": 2500}},
        ),
        ("claude-sonnet-4-5", {"max_output_tokens": 1000}, {"max_tokens": 1000, "thinking": None}),
        ("prod-sonnet", {"model_family": "claude-sonnet-5"}, {"thinking": ADAPTIVE, "model": "prod-sonnet"}),
        ("us.anthropic.claude-sonnet-5-v1:0", {}, {"thinking": ADAPTIVE}),
        ("claude-sonnet-5-5", {"effort": "off"}, {"thinking": {"type": "between_tools"}}),
        ("claude-opus-5-5", {"effort": "off"}, {"thinking": None, "output_config": {"effort": "low"}}),
        ("claude-fable-5-1", {"thinking_budget": 0}, {"thinking": None, "output_config": {"effort": "low"}}),
        ("claude-opus-5-5", {"effort": "max"}, {"thinking": ADAPTIVE, "output_config": {"effort": "max"}}),
        ("claude-opus-5", {"effort": "xhigh"}, {"output_config": {"effort": "xhigh"}}),
        ("claude-opus-4-6", {"effort": "xhigh"}, {"output_config": {"effort": "high"}}),
    ],
)
async def test_anthropic(rig: Rig, model: str, fields: dict[str, Any], expected: dict[str, Any]) -> None:
    body = await sent(rig, ANTHROPIC_TEXT, "anthropic", model, **fields)
    assert {key: body.get(key) for key in expected} == expected


@pytest.mark.parametrize(
    ("model", "header"),
    [
        ("claude-sonnet-4-5", "interleaved-thinking-2025-05-14"),
        ("claude-3-7-sonnet", None),
        ("claude-opus-4-6", None),
    ],
)
async def test_thinking_between_calls(rig: Rig, model: str, header: str | None) -> None:
    await sent(rig, ANTHROPIC_TEXT, "anthropic", model)
    assert rig.server.requests[-1].headers.get("anthropic-beta") == header
    await sent(rig, ANTHROPIC_TEXT, "anthropic", model, headers={"Anthropic-Beta": "own"})
    expected = f"own,{header}" if header else "own"
    assert rig.server.requests[-1].headers["anthropic-beta"] == expected


@pytest.mark.parametrize(
    ("provider", "model", "effort", "expected"),
    [
        ("openai", "gpt-6-sol", "max", "max"),
        ("openai", "gpt-5.6-sol", "max", "max"),
        ("openai", "gpt-5.6-sol", "xhigh", "xhigh"),
        ("openai", "gpt-5.5", "max", "xhigh"),
        ("openai", "gpt-5.1", "max", "high"),
        ("openai", "o3", "xhigh", "high"),
        ("openai", "deepseek-v4", "max", "max"),
        ("openai", "gpt-6.1-sol", "off", "none"),  # behind a gateway, the configured effort is sent unchanged
        ("xai", "grok-4.3", "", "high"),
        ("xai", "grok-4.7", "max", "xhigh"),
        ("xai", "grok-4.5", "max", "high"),
    ],
)
async def test_an_effort_is_the_greatest_that_the_model_takes(
    rig: Rig, provider: str, model: str, effort: str, expected: str
) -> None:
    body = await sent(rig, CHAT_TEXT, provider, model, effort=effort)
    assert body["reasoning_effort"] == expected


async def test_an_effort_that_is_refused_is_lowered(rig: Rig) -> None:
    said = "Unsupported value: 'max' is not supported with this model. Supported values are: 'low' and 'high'."
    refusal = failure(400, {"error": {"message": said, "param": "reasoning_effort"}})
    rig.server.replies = [refusal, Reply([CHAT_TEXT])]
    await rig.ask(request(rig.config("openai", "new-model", effort="max")))
    assert [body.get("reasoning_effort") for body in rig.bodies] == ["max", "xhigh"]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, {"reasoning": {"effort": "high", "summary": "auto"}}),
        ({"effort": "max"}, {"reasoning": {"effort": "xhigh", "summary": "auto"}}),
        ({"effort": "off", "temperature": 0.25}, {"reasoning": {"effort": "none"}, "temperature": 0.25}),
        ({"temperature": 0.25, "max_output_tokens": 900}, {"temperature": None, "max_output_tokens": 900}),
        ({"model_family": "gpt-4.1"}, {"reasoning": None}),
    ],
)
async def test_responses_at_any_address(rig: Rig, fields: dict[str, Any], expected: dict[str, Any]) -> None:
    body = await sent(rig, RESPONSES_TEXT, "openai", "gpt-5.2", api="responses", **fields)
    assert rig.server.requests[-1].path == "/responses"
    assert {key: body.get(key) for key in expected} == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, {"reasoning_effort": None, "temperature": None, "max_tokens": None}),
        (
            {"effort": "low", "temperature": 0.0, "max_output_tokens": 7},
            {"reasoning_effort": "low", "temperature": 0.0, "max_tokens": 7},
        ),
        ({"effort": "off"}, {"reasoning_effort": "none"}),
    ],
)
async def test_chat(rig: Rig, fields: dict[str, Any], expected: dict[str, Any]) -> None:
    body = await sent(rig, CHAT_TEXT, "openai", "local", **fields)
    assert {key: body.get(key) for key in expected} == expected


@pytest.mark.parametrize(
    ("model", "fields", "thinking"),
    [
        ("gemini-2.5-flash", {"effort": "off"}, {"includeThoughts": False, "thinkingBudget": 0}),
        ("gemini-2.5-pro", {"effort": "off"}, {"includeThoughts": True, "thinkingBudget": 128}),
        ("gemini-2.5-pro", {"thinking_budget": 99_999}, {"includeThoughts": True, "thinkingBudget": 32_768}),
        ("gemini-3-flash", {"effort": "off"}, {"includeThoughts": True, "thinkingLevel": "MINIMAL"}),
        ("gemini-3-pro", {"effort": "off"}, {"includeThoughts": True, "thinkingLevel": "LOW"}),
    ],
)
async def test_gemini(rig: Rig, model: str, fields: dict[str, Any], thinking: dict[str, Any]) -> None:
    body = await sent(rig, GOOGLE_TEXT, "google", model, temperature=0.5, max_output_tokens=80, **fields)
    settings = body["generationConfig"]
    assert (settings["thinkingConfig"], settings["temperature"], settings["maxOutputTokens"]) == (thinking, 0.5, 80)


@pytest.mark.parametrize(
    ("provider", "model", "text"),
    [
        ("openai", "m", CHAT_TEXT),
        ("anthropic", "claude-sonnet-5", ANTHROPIC_TEXT),
        ("google", "gemini-3", GOOGLE_TEXT),
    ],
)
async def test_headers(provider: str, model: str, text: bytes) -> None:
    async with rigged({"TEST_KEY": "key-of-a-test", "TEAM": "blue"}) as rig:
        await sent(rig, text, provider, model, headers={"X-Team": "team ${TEAM}"})
        assert rig.server.requests[-1].headers["x-team"] == "team blue"
        config = rig.config(provider, model, headers={"X-Team": "${NOT_SET}"})
        code, _, message = error_of(await rig.ask(request(config)))
        assert code == "missing_credentials"
        assert "NOT_SET" in message


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("Bearer ${GATE}", "q7Zt0pLmX2vB9sKd4hWy"),
        ("${GATE}", "Basic q7Zt0pLmX2vB9sKd4hWy"),
        ("team:${GATE}", "q7Zt0pLmX2vB9sKd4hWy"),
        ("Bearer q7Zt0pLmX2vB9sKd4hWy", ""),
    ],
)
async def test_the_secret_of_a_header_is_never_shown(header: str, value: str) -> None:
    async with rigged({"GATE": value}) as rig:
        rig.server.replies = [failure(400, {"error": {"message": "consumer q7Zt0pLmX2vB9sKd4hWy is not of this team"}})]
        config = rig.config("openai", "m", api_key_env="", headers={"Authorization": header})
        message = (await rig.ask(request(config)))[-1].error.message
        assert "consumer *** is not of this team" in message


@pytest.mark.parametrize(
    "fields",
    [
        {"effort": "huge"},
        {"api": "soap"},
        {"thinking_budget": -1},
        {"max_output_tokens": 0},
        {"headers": {"a b": "x"}},
        {"headers": {"a": "x\ny"}},
    ],
)
async def test_invalid_values_are_named(rig: Rig, fields: dict[str, Any]) -> None:
    code, _, message = error_of(await rig.ask(request(rig.config("openai", "m", **fields))))
    assert code == "invalid_request"
    assert any(name in message for name in fields)


async def test_a_refused_parameter_is_left_out_afterwards(rig: Rig) -> None:
    refusal = failure(400, {"error": {"message": "Unknown parameter: 'stream_options'.", "code": None}})
    rig.server.replies = [refusal, Reply([CHAT_TEXT]), Reply([CHAT_TEXT])]
    config = rig.config("openai", "local")
    for _ in range(2):
        assert not (await rig.ask(request(config)))[-1].HasField("error")
    assert ["stream_options" in body for body in rig.bodies] == [True, False, False]
    assert rig.waits == []


async def test_a_refusal_that_quotes_the_request_is_not_remembered(rig: Rig) -> None:
    quoted = failure(400, {"error": {"message": "no: {'messages': [], 'stream_options': {'include_usage': True}}"}})
    rig.server.replies = [quoted, quoted, Reply([CHAT_TEXT])]
    config = rig.config("openai", "local")
    assert error_of(await rig.ask(request(config)))[0] == "invalid_request"
    assert not (await rig.ask(request(config)))[-1].HasField("error")
    assert ["stream_options" in body for body in rig.bodies] == [True, False, True]


async def test_only_the_beginning_of_a_refusal_is_searched(rig: Rig) -> None:
    rig.server.replies = [failure(400, {"error": {"message": f"no: {'x ' * 2000}'stream_options'"}})]
    assert error_of(await rig.ask(request(rig.config("openai", "local"))))[0] == "invalid_request"
    assert len(rig.bodies) == 1


async def test_a_required_parameter_is_not_left_out(rig: Rig) -> None:
    rig.server.replies = [failure(400, {"error": {"message": "tools is not supported"}})]
    code, _, message = error_of(await rig.ask(request(rig.config("openai", "local"), tools=TOOLS)))
    assert code == "invalid_request"
    assert "tools is not supported" in message
