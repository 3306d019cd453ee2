"""Every schema is converted to one that the provider accepts, or reported as unusable."""

from __future__ import annotations

import json
from typing import Any

import pytest

from llm_service.proto.llm_service_pb2 import ConversationMessage, GenerateRequest, ToolDefinition
from llm_service.providers.shared.tool_schemas import (
    ANTHROPIC,
    GEMINI,
    OPENAI,
    Dialect,
    UnusableSchema,
    normalise,
)
from llm_service.providers.shared.usable_tools import KEPT_SECONDS, RefusalCache, refused_tools, usable_tools
from tests.hostile_schemas import TEXTS, UNUSABLE
from tests.strict_schemas import problem_of

DIALECTS = {"openai": OPENAI, "anthropic": ANTHROPIC, "gemini": GEMINI}


def test_there_are_enough_cases() -> None:
    assert len(TEXTS) >= 100


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", TEXTS)
def test_a_schema_is_accepted_or_reported(name: str, dialect: str) -> None:
    try:
        schema = normalise(TEXTS[name], DIALECTS[dialect])
    except UnusableSchema:
        assert name in UNUSABLE or (name, dialect) == ("odd name that is needed", "anthropic")
        return
    assert name not in UNUSABLE
    assert problem_of(schema, dialect) is None
    assert normalise(json.dumps(schema), DIALECTS[dialect]) == schema


def value_of(schema: object, dialect: Dialect = OPENAI) -> Any:
    text = json.dumps({"type": "object", "properties": {"v": schema}})
    return normalise(text, dialect)["properties"]["v"]


def test_alternatives_of_the_whole_become_one_object() -> None:
    a = {"properties": {"kind": {"type": "string"}, "a": {"type": "string"}}, "required": ["kind", "a"]}
    b = {"properties": {"kind": {"type": "string"}, "b": {"type": "integer"}}, "required": ["kind", "b"]}
    assert normalise(json.dumps({"oneOf": [a, b]}), OPENAI) == {
        "type": "object",
        "properties": {"kind": {"type": "string"}, "b": {"type": "integer"}, "a": {"type": "string"}},
        "required": ["kind"],
    }
    both = normalise(json.dumps({"allOf": [a, b]}), OPENAI)
    assert both["required"] == ["kind", "a", "b"]


def test_unsupported_rules_are_described_in_words() -> None:
    enum = {"type": "integer", "enum": [1, 2], "description": "How many"}
    assert value_of(enum) == enum
    assert value_of(enum, GEMINI) == {"type": "integer", "description": "How many One of: 1, 2"}
    default = {"type": "string", "default": "x"}
    assert value_of(default) == default
    assert value_of(default, GEMINI) == {"type": "string", "description": 'Default: "x"'}


def test_null_beside_one_type() -> None:
    optional = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    assert value_of(optional) == {"type": ["string", "null"]}
    assert value_of(optional, GEMINI) == {"type": ["string", "null"]}


def test_references_are_resolved() -> None:
    schema = {
        "type": "object",
        "properties": {"v": {"$ref": "#/$defs/a", "description": "own"}},
        "$defs": {"a": {"type": "object", "properties": {"b": {"$ref": "#/$defs/b"}}}, "b": {"type": "integer"}},
    }
    value = normalise(json.dumps(schema), OPENAI)["properties"]["v"]
    assert value == {"type": "object", "properties": {"b": {"type": "integer"}}, "description": "own"}


def request_of(*texts: str) -> GenerateRequest:
    tools = [ToolDefinition(name=f"s.t{index}", parameters_schema=text) for index, text in enumerate(texts)]
    return GenerateRequest(messages=[ConversationMessage(role="system", content="You are.")], tools=tools)


def test_the_prompt_names_tools_that_are_left_out() -> None:
    request = request_of("{}", "[]")
    usable, left_out = usable_tools(request, OPENAI, "m", RefusalCache())
    assert [tool.name for tool in usable.tools] == ["s.t0"]
    assert [(tool.name, tool.reason) for tool in left_out] == [("s.t1", "its schema is not a JSON object")]
    assert usable.messages[0].content.startswith("You are.\n\n## Tools that cannot be offered\n")
    assert usable.messages[0].content.endswith("- s.t1: its schema is not a JSON object")
    assert request.messages[0].content == "You are."


def test_a_refused_tool_is_remembered_for_an_hour_by_schema_and_model() -> None:
    now = 0.0
    refused = RefusalCache(lambda: now)
    request = request_of("{}")
    refused.add("m", request.tools[0])
    assert usable_tools(request, OPENAI, "m", refused)[1]
    assert not usable_tools(request, OPENAI, "other", refused)[1]
    assert not usable_tools(request_of('{"type": "object"}'), OPENAI, "m", refused)[1]
    now = KEPT_SECONDS + 1
    assert not usable_tools(request, OPENAI, "m", refused)[1]


NAMES = ["host__a", "host__b", "host__c", "host__d"]


@pytest.mark.parametrize(
    ("status", "text", "found"),
    [
        (400, "Invalid schema for function 'host__b': In context=('properties'), array schema missing items.", [1]),
        (400, "tools[3].parameters Invalid schema", [3]),
        (400, "tools.2.custom.input_schema: JSON schema is invalid", [2]),
        (400, "* GenerateContentRequest.tools[0].function_declarations[1].parameters.properties[x].enum: bad", [1]),
        (
            400,
            "at 'tools[0].function_declarations[0].parameters' and 'tools[0].function_declarations[2].parameters'",
            [0, 2],
        ),
        (400, "tools[9].parameters Invalid schema", []),
        (500, "tools[1].parameters Invalid schema", []),
        (400, "Why is the disk full? host__a", []),
        (400, "No tool output found for function call 'host__a'.", []),
        (422, 'The parameters of "host__d" are not supported', [3]),
    ],
)
def test_refused_tools_are_found_in_the_error_text(status: int, text: str, found: list[int]) -> None:
    assert refused_tools(status, text, NAMES) == found
