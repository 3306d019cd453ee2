"""A tool with an unusable schema is left out and the call succeeds, through the service and the real SDKs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from llm_service.proto.llm_service_pb2 import ToolDefinition
from tests.hostile_schemas import TEXTS, UNUSABLE
from tests.strict_schemas import problem_of
from tests.wires.conftest import TOOLS, Rig, error_of, request
from tests.wires.test_process import TEXTS as ANSWERS
from tests.wires.test_streams import MODELS
from tests.wires.wire import Reply, failure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from llm_service.proto.llm_service_pb2 import GenerateResponse
    from tests.wires.wire import Request

ODD = {f"odd.t{index}": name for index, name in enumerate(TEXTS)}
NAMED = {
    "openai": "tools[{}].function.parameters",
    "xai": "tools[{}].parameters",
    "anthropic": "tools.{}.custom.input_schema",
    "google": "GenerateContentRequest.tools[0].function_declarations[{}].parameters",
}


def declared(api: str, body: Any) -> Iterator[tuple[str, Any]]:
    """Yields the names and schemas of the tools in a request's body."""
    if api == "google":
        for tool in body["tools"][0]["functionDeclarations"]:
            yield tool["name"], tool["parametersJsonSchema"]
    for tool in body["tools"] if api != "google" else ():
        function = tool.get("function", tool)
        yield function["name"], function.get("parameters", function.get("input_schema"))


def strict(api: str, body: Any) -> Reply:
    """Answers like a provider that refuses every schema which its documentation forbids."""
    for index, (_, schema) in enumerate(declared(api, body)):
        problem = problem_of(schema, "gemini" if api == "google" else api)
        if problem is not None:
            return refusal(api, f"{NAMED[api].format(index)}: {problem}")
    return Reply([ANSWERS[api]])


def refusal(api: str, words: str) -> Reply:
    error = {"message": words, "status": "INVALID_ARGUMENT", "code": 400, "type": "invalid_request_error"}
    return failure(400, {"type": "error", "error": words if api == "xai" else error})


def left_out(responses: list[GenerateResponse]) -> dict[str, str]:
    return {tool.name: tool.reason for response in responses for tool in response.tools_left_out.tools}


@pytest.mark.parametrize("api", ANSWERS)
async def test_each_schema_costs_at_most_its_own_tool(rig: Rig, api: str) -> None:
    rig.server.make_reply = lambda sent: strict(api, sent.body)
    for name, text in ODD.items():
        tools = [TOOLS[0], ToolDefinition(name=name, parameters_schema=TEXTS[text]), TOOLS[1]]
        responses = await rig.ask(request(rig.config(api, MODELS[api]), tools=tools))
        assert not responses[-1].HasField("error"), (text, responses[-1].error.message)
        names = [sent for sent, _ in declared(api, rig.bodies[-1])]
        gone = left_out(responses)
        assert gone.keys() <= {name}
        assert len(names) == 3 - len(gone), text
        expected = text in UNUSABLE or (text, api) == ("odd name that is needed", "anthropic")
        assert (name in gone) == expected, text


@pytest.mark.parametrize("api", ANSWERS)
async def test_all_schemas_at_once(rig: Rig, api: str) -> None:
    rig.server.make_reply = lambda sent: strict(api, sent.body)
    tools = [TOOLS[0], *(ToolDefinition(name=name, parameters_schema=TEXTS[text]) for name, text in ODD.items())]
    responses = await rig.ask(request(rig.config(api, MODELS[api]), tools=tools))
    assert not responses[-1].HasField("error"), responses[-1].error.message
    assert responses[0].HasField("tools_left_out")
    assert {ODD[name] for name in left_out(responses)} - {"odd name that is needed"} == UNUSABLE
    assert "Tools that cannot be offered" in json.dumps(rig.bodies[0])


def refuses(api: str, tool: str, by_number: bool) -> Any:
    def reply(sent: Request) -> Reply:
        names = [name for name, _ in declared(api, sent.body)]
        if tool not in names:
            return Reply([ANSWERS[api]])
        if by_number:
            return refusal(api, f"{NAMED[api].format(names.index(tool))}: something new")
        return refusal(api, f"Invalid schema for function '{tool}': something new")

    return reply


@pytest.mark.parametrize("by_number", [True, False])
@pytest.mark.parametrize("api", ANSWERS)
async def test_a_tool_that_the_provider_names_is_left_out(rig: Rig, api: str, by_number: bool) -> None:
    rig.server.make_reply = refuses(api, "host__list-files", by_number)
    responses = await rig.ask(request(rig.config(api, MODELS[api]), tools=TOOLS))
    assert not responses[-1].HasField("error"), responses[-1].error.message
    assert left_out(responses) == {"host.list-files": "the provider refuses its schema"}
    assert len(rig.bodies) == 2
    assert [name for name, _ in declared(api, rig.bodies[1])] == ["host__disk_usage"]
    assert "Tools that cannot be offered" in json.dumps(rig.bodies[1])
    again = await rig.ask(request(rig.config(api, MODELS[api]), tools=TOOLS))
    assert left_out(again) == left_out(responses)
    assert len(rig.bodies) == 3  # the refusal is remembered, so it costs no further request


async def test_a_bounded_number_of_tools_is_left_out(rig: Rig) -> None:
    tools = [ToolDefinition(name=f"s.t{index}", parameters_schema="{}") for index in range(10)]
    rig.server.make_reply = lambda _sent: refusal("openai", "tools[0].parameters: no")
    responses = await rig.ask(request(rig.config("openai", "m"), tools=tools))
    assert error_of(responses)[:2] == ("invalid_request", False)
    assert list(left_out(responses)) == [f"s.t{index}" for index in range(6)]
    assert len(rig.bodies) == 7
