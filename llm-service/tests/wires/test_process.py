"""The backend in the real process, its logs, and tools as MCP servers declare them."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import subprocess
import sys
from typing import Any

import pytest
from grpc import aio

from llm_service.logs import JsonFormatter
from llm_service.proto.llm_service_pb2 import ToolDefinition
from llm_service.proto.llm_service_pb2_grpc import LLMServiceStub
from tests.test_server import finish, port_of, process
from tests.wires import chat_events, test_anthropic, test_google
from tests.wires.conftest import ENV, KEY, LIMIT, USER, Rig, request, short
from tests.wires.test_streams import MODELS
from tests.wires.wire import Reply, data, failure

TEXTS = {
    "openai": chat_events.TEXT,
    "xai": chat_events.TEXT,
    "anthropic": test_anthropic.TEXT,
    "google": test_google.TEXT,
}


def test_no_sdk_is_loaded_at_the_start() -> None:
    code = (
        "import sys, llm_service.__main__\n"
        "from llm_service.providers.registry import build_registry\n"
        "assert 'langchain' in build_registry({}).names()\n"
        "heavy = ('openai', 'anthropic', 'google.genai', 'pydantic')\n"
        "print([name for name in sys.modules if name.startswith(heavy)])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=LIMIT)
    assert done.stdout == "[]\n"


async def test_the_process_answers_and_ends_in_order(rig: Rig) -> None:
    rig.server.replies = [Reply([chat_events.TEXT])]
    async with process(**ENV) as started:
        port = await port_of(started)
        async with aio.insecure_channel(f"127.0.0.1:{port}") as channel, asyncio.timeout(LIMIT):
            ask = request(rig.config("openai", "local"))
            responses = [response async for response in LLMServiceStub(channel).Generate(ask)]
        started.terminate()
        status, _, log = await finish(started)
    assert short(responses) == chat_events.TEXT_OUT
    assert status == 0
    (ended,) = [entry for entry in log if entry["msg"] == "generate ended"]
    assert ended["execution_id"] == "execution-1"
    assert KEY not in json.dumps(log)
    assert USER.content not in json.dumps(log)


@pytest.mark.parametrize("api", TEXTS)
async def test_logs_hold_no_prompt_and_no_key(rig: Rig, api: str) -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger()
    root.addHandler(handler)
    level = root.level
    root.setLevel(logging.DEBUG)
    echo = {"error": {"message": "the key " + KEY, "code": 500, "status": "INTERNAL", "type": "server_error"}}
    rig.server.replies = [
        failure(500, echo),
        Reply([TEXTS[api]]),
        failure(400, echo),
        Reply([data(echo)] * 2, cut=True),
    ]
    rig.server.replies += [failure(401, echo)]
    try:
        for _ in range(3):
            await rig.ask(request(rig.config(api, MODELS[api])))
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
    assert "provider call retried" in stream.getvalue()
    assert USER.content not in stream.getvalue()
    assert KEY not in stream.getvalue()


SCHEMA: dict[str, Any] = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "additionalProperties": False,
    "required": ["namespace"],
    "$defs": {"level": {"type": "string", "enum": ["info", "warn"]}},
    "properties": {
        "namespace": {"type": ["string", "null"], "description": "Where", "default": None, "minLength": 1},
        "level": {"$ref": "#/$defs/level"},
        "since": {"anyOf": [{"type": "string", "format": "date-time"}, {"type": "integer"}]},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "names": {"type": "array", "items": {"type": "string"}, "maxItems": 5},
        "anything": {},
        "kind": {"const": "Pod"},
    },
}


SENT: dict[str, Any] = {key: value for key, value in SCHEMA.items() if key not in ("$schema", "$defs")} | {
    "properties": SCHEMA["properties"]
    | {"level": {"type": "string", "enum": ["info", "warn"]}, "kind": {"type": "string", "enum": ["Pod"]}}
}
"""The schema as the provider receives it: with references resolved, and a const written as an enum of one value."""


@pytest.mark.parametrize("api", TEXTS)
async def test_schemas_of_real_tools(rig: Rig, api: str) -> None:
    rig.server.replies = [Reply([TEXTS[api]])]
    tools = [
        ToolDefinition(
            name="kubernetes-server.pods_list", description="Lists pods", parameters_schema=json.dumps(SCHEMA)
        ),
        ToolDefinition(name="kubernetes-server.nothing"),
    ]
    responses = await rig.ask(request(rig.config(api, MODELS[api]), tools=tools))
    assert not responses[-1].HasField("error"), responses[-1].error.message
    sent = rig.bodies[0]["tools"]
    if api == "google":
        sent = sent[0]["functionDeclarations"]
        names = [tool["name"] for tool in sent]
        assert sent[0]["parametersJsonSchema"]["properties"].keys() == SCHEMA["properties"].keys()
    elif api == "anthropic":
        names = [tool["name"] for tool in sent]
        assert sent[0]["input_schema"] == SENT
    else:
        names = [tool["function"]["name"] for tool in sent]
        assert sent[0]["function"]["parameters"] == SENT
    assert names == ["kubernetes-server__pods_list", "kubernetes-server__nothing"]
