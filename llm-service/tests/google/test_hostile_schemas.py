"""A tool with an unusable schema is left out, and the call succeeds (google-native)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from llm_service.proto.llm_service_pb2 import ToolDefinition
from tests.google.gemini import Gemini, answer, failure, system, text_part, tool, user
from tests.hostile_schemas import TEXTS, UNUSABLE
from tests.strict_schemas import problem_of

FINE = {"text": {"content": "fine"}}


def left_out(received: list[dict[str, Any]]) -> list[str]:
    return [item["name"] for delta in received for item in delta.get("tools_left_out", {}).get("tools", [])]


async def test_each_schema_is_sent_in_a_form_that_gemini_accepts(gemini: Gemini) -> None:
    tools = [ToolDefinition(name=f"odd.t{index}", parameters_schema=text) for index, text in enumerate(TEXTS.values())]
    gemini.http.replies.append(answer(text_part("fine")))
    received = await gemini.ask(system("You are."), user("why?"), tools=[tool("a.b"), *tools])
    assert FINE in received
    names = list(TEXTS)
    assert {names[int(name.removeprefix("odd.t"))] for name in left_out(received)} == UNUSABLE
    (sent,) = gemini.http.requests
    declarations = sent.json["tools"][0]["functionDeclarations"]
    assert len(declarations) == 1 + len(TEXTS) - len(UNUSABLE)
    for declaration in declarations:
        assert problem_of(declaration["parametersJsonSchema"], "gemini") is None, declaration
    assert "Tools that cannot be offered" in json.dumps(sent.json["systemInstruction"])


@pytest.mark.parametrize(
    "words",
    [
        "* GenerateContentRequest.tools[0].function_declarations[1].parameters.properties[x].enum: only for STRING",
        "The declaration of function 'c__d' is not supported",
    ],
)
async def test_a_tool_that_gemini_names_is_left_out(gemini: Gemini, words: str) -> None:
    gemini.http.replies += [failure(400, "INVALID_ARGUMENT", message=words), answer(text_part("fine"))]
    received = await gemini.ask(system("You are."), user("why?"), tools=[tool("a.b"), tool("c.d")])
    assert received[:2] == [
        {"tools_left_out": {"tools": [{"name": "c.d", "reason": "the provider refuses its schema"}]}},
        FINE,
    ]
    assert gemini.waits.seconds == []
    second = gemini.http.requests[1].json
    assert [item["name"] for item in second["tools"][0]["functionDeclarations"]] == ["a__b"]
    assert "- c.d: the provider refuses its schema" in second["systemInstruction"]["parts"][0]["text"]
