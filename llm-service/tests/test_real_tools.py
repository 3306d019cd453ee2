"""Tools of public MCP servers, in the versions named in recorded/mcp_tools.json."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from llm_service.proto.llm_service_pb2 import ToolDefinition
from llm_service.providers.shared.tool_schemas import ANTHROPIC, GEMINI, OPENAI, normalise
from tests.strict_schemas import problem_of
from tests.wires.conftest import Rig, request, rig
from tests.wires.test_hostile_schemas import declared, left_out, strict
from tests.wires.test_process import TEXTS as ANSWERS
from tests.wires.test_streams import MODELS

__all__ = ["rig"]

SERVERS: dict[str, Any] = json.loads((Path(__file__).parent / "recorded/mcp_tools.json").read_text(encoding="utf-8"))
TOOLS = {f"{server}/{tool['name']}": tool for server, one in SERVERS.items() for tool in one["tools"]}
DIALECTS = {"openai": OPENAI, "anthropic": ANTHROPIC, "gemini": GEMINI}


def test_there_are_enough_cases() -> None:
    assert len(SERVERS) >= 4
    assert len(TOOLS) >= 56


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", TOOLS)
def test_each_tool_is_accepted_with_all_of_its_arguments(name: str, dialect: str) -> None:
    schema = TOOLS[name]["inputSchema"]
    made = normalise(json.dumps(schema), DIALECTS[dialect])
    assert problem_of(made, dialect) is None
    assert made["properties"].keys() == schema.get("properties", {}).keys()
    assert made.get("required", []) == schema.get("required", [])
    for argument, received in schema.get("properties", {}).items():
        described = received.get("description", "").strip()
        assert described in made["properties"][argument].get("description", "")


@pytest.mark.parametrize("api", ANSWERS)
async def test_all_tools_are_offered_at_once(rig: Rig, api: str) -> None:
    rig.server.make_reply = lambda sent: strict(api, sent.body)
    tools = [
        ToolDefinition(
            name=f"{server.rpartition('/')[2]}.{tool['name']}",
            description=tool["description"],
            parameters_schema=json.dumps(tool["inputSchema"]),
        )
        for server, one in SERVERS.items()
        for tool in one["tools"]
    ]
    responses = await rig.ask(request(rig.config(api, MODELS[api]), tools=tools))
    assert not responses[-1].HasField("error"), responses[-1].error.message
    assert left_out(responses) == {}
    names = [name for name, _ in declared(api, rig.bodies[0])]
    assert len(set(names)) == len(TOOLS)
    assert all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]{0,63}", name) for name in names)
