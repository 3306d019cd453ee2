"""Marks for OpenAI's prompt cache."""

from __future__ import annotations

import json
from typing import Any

import pytest

from llm_service.proto.llm_service_pb2 import LLMConfig
from llm_service.providers.families import reads_at_marks
from llm_service.providers.openai_chat.request import to_messages
from llm_service.providers.openai_responses.request import to_items
from llm_service.providers.settings import Api, Endpoint, Settings
from llm_service.providers.shared.cache_marks import mark_prefixes
from llm_service.providers.shared.conversation import read_conversation
from llm_service.providers.shared.tool_names import ToolNames
from tests.conversations import tool
from tests.wires.conftest import SYSTEM, USER, request
from tests.wires.test_message_order import turn

TOOLS = [tool("host.disk_usage")]


def settings(provider: str, model: str, base_url: str = "") -> Settings:
    return Settings(Endpoint(Api.RESPONSES, provider=provider, base_url=base_url), model, model)


@pytest.mark.parametrize(
    ("provider", "model", "base_url", "expected"),
    [
        ("openai", "gpt-5.6-sol", "", True),
        ("openai", "gpt-6.2-sol", "", True),
        ("azure", "gpt-6-sol", "https://example.org", True),
        ("openai", "gpt-5.5", "", False),
        ("openai", "gpt-5.60", "", False),
        ("openai", "gpt-6-sol", "https://gateway.example.org", False),
        ("xai", "grok-4.7", "", False),
    ],
)
def test_models_that_read_at_marks(provider: str, model: str, base_url: str, expected: bool) -> None:
    assert reads_at_marks(settings(provider, model, base_url)) is expected


def marked(rounds: int, chat: bool) -> list[Any]:
    messages = [SYSTEM, USER, *(one for number in range(rounds) for one in turn(f"call_{number}"))]
    asked = settings("openai", "gpt-6-sol")
    conversation = read_conversation(request(LLMConfig(), messages, TOOLS), asked, ToolNames(["host.disk_usage"]))
    if chat:
        return mark_prefixes(to_messages(conversation, asked), "text")
    return mark_prefixes(to_items(conversation), "input_text")


@pytest.mark.parametrize("chat", [True, False])
def test_each_request_reads_what_the_one_before_wrote(chat: bool) -> None:
    before = ""
    for rounds in range(6):
        sent = marked(rounds, chat)
        marks = [at for at, one in enumerate(sent) if "prompt_cache_breakpoint" in json.dumps(one)]
        assert len(marks) <= 3
        assert marks[0] == 0
        plain = json.dumps(sent).replace(', "prompt_cache_breakpoint": {"mode": "explicit"}', "")
        assert plain.startswith(before.rstrip("]"))  # apart from the marks, the request is unchanged
        before = plain
        if rounds:
            earlier = marked(rounds - 1, chat)
            last = max(at for at, one in enumerate(earlier) if "prompt_cache_breakpoint" in json.dumps(one))
            assert last in marks
