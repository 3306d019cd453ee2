"""The forced tool of an answer in the form of each provider."""

from __future__ import annotations

from typing import Any

import pytest

from llm_service.proto.llm_service_pb2 import ToolDefinition
from tests.wires.chat_events import TEXT as CHAT_TEXT
from tests.wires.conftest import TOOLS, Rig, request
from tests.wires.test_anthropic import TEXT as ANTHROPIC_TEXT
from tests.wires.test_google import TEXT as GOOGLE_TEXT
from tests.wires.test_openai_responses import TEXT as RESPONSES_TEXT
from tests.wires.wire import Reply, failure

TEXTS = {"anthropic": ANTHROPIC_TEXT, "google": GOOGLE_TEXT, "responses": RESPONSES_TEXT}
CLAUDE = {"type": "tool", "name": "host__list-files"}
GEMINI = {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["host__list-files"]}}
CHAT = {"type": "function", "function": {"name": "host__list-files"}}


async def sent(rig: Rig, provider: str, model: str, choice: str = "host.list-files", **fields: Any) -> Any:
    rig.server.replies = [Reply([TEXTS.get(fields.get("api", provider), CHAT_TEXT)])]
    asked = request(rig.config(provider, model, **fields), tools=TOOLS)
    asked.tool_choice = choice
    responses = await rig.ask(asked)
    assert not responses[-1].HasField("error"), responses[-1].error
    return rig.bodies[-1]


@pytest.mark.parametrize(
    ("provider", "model", "fields", "expected"),
    [
        ("openai", "local", {}, {"tool_choice": CHAT}),
        ("xai", "grok-4.3", {}, {"tool_choice": CHAT, "reasoning_effort": "high"}),
        ("openai", "gpt-5.2", {"api": "responses"}, {"tool_choice": {"type": "function", "name": "host__list-files"}}),
        ("google", "gemini-3-flash", {}, {"toolConfig": GEMINI}),
        ("google", "gemini-3-flash", {"native_tools": {"google_search": True}}, {"toolConfig": GEMINI}),
        # A forced call switches off thinking with a budget. Models that always think cannot be forced.
        ("anthropic", "claude-sonnet-4-5", {}, {"tool_choice": CLAUDE, "thinking": None}),
        ("anthropic", "claude-3-5-haiku", {}, {"tool_choice": CLAUDE, "thinking": None}),
        ("anthropic", "claude-sonnet-5", {"effort": "off"}, {"tool_choice": CLAUDE, "thinking": {"type": "disabled"}}),
        ("anthropic", "claude-opus-4-6", {}, {"tool_choice": None, "thinking": {"type": "adaptive"}}),
    ],
)
async def test_the_chosen_tool_is_forced(
    rig: Rig, provider: str, model: str, fields: dict[str, Any], expected: dict[str, Any]
) -> None:
    body = await sent(rig, provider, model, **fields)
    assert {key: body.get(key) for key in expected} == expected
    assert "googleSearch" not in str(body["tools"])
    free = await sent(rig, provider, model, "", **fields)
    assert "tool_choice" not in free
    assert "functionCallingConfig" not in str(free)


async def test_a_server_that_cannot_force_a_tool_chooses_itself(rig: Rig) -> None:
    refusal = failure(400, {"error": {"message": "deepseek-reasoner does not support this tool_choice", "code": None}})
    rig.server.replies = [refusal, Reply([CHAT_TEXT])]
    asked = request(rig.config("openai", "deepseek-reasoner"), tools=TOOLS)
    asked.tool_choice = TOOLS[0].name
    assert not (await rig.ask(asked))[-1].HasField("error")
    assert ["tool_choice" in body for body in rig.bodies] == [True, False]


async def test_a_tool_left_out_is_not_forced(rig: Rig) -> None:
    rig.server.replies = [Reply([CHAT_TEXT])]
    broken = ToolDefinition(name="host.broken", parameters_schema="[]")
    asked = request(rig.config("openai", "local"), tools=[*TOOLS, broken])
    asked.tool_choice = broken.name
    assert (await rig.ask(asked))[0].HasField("tools_left_out")
    assert "tool_choice" not in rig.bodies[-1]
