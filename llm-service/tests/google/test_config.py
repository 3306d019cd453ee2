"""Every field of the configuration that this backend reads, checked in the provider's request."""

from __future__ import annotations

import io
import json
import logging
from typing import Any

import pytest

from llm_service.logs import JsonFormatter
from llm_service.proto.llm_service_pb2 import ToolCall, ToolDefinition
from tests.google.gemini import KEY, Gemini, assistant, result, tool, user
from tests.provider_tools import provider_tools


async def test_model(gemini: Gemini) -> None:
    sent = await gemini.asked(model="gemini-3-flash-preview")
    assert sent.method == "POST"
    assert sent.path == "/v1beta/models/gemini-3-flash-preview:streamGenerateContent?alt=sse"
    assert (await gemini.asked(model="gemini-2.5-pro")).path.startswith("/v1beta/models/gemini-2.5-pro:")
    (received,) = await gemini.ask(model="")
    assert received["error"]["code"] == "invalid_request"


async def test_api_key_env(gemini: Gemini) -> None:
    assert (await gemini.asked()).headers["x-goog-api-key"] == KEY
    assert (await gemini.asked(api_key_env="OTHER_KEY")).headers["x-goog-api-key"] == "other-key"
    # With an empty api_key_env, the SDK still gets a placeholder, because a gateway may add the key itself.
    assert (await gemini.asked(api_key_env="")).headers["x-goog-api-key"] == "not-needed"


async def test_base_url(gemini: Gemini) -> None:
    assert (await gemini.asked(base_url=f"{gemini.http.url}/gateway/")).path.startswith("/gateway/v1beta/models/")
    assert (await gemini.asked(base_url=f"{gemini.http.url}/gateway")).path.startswith("/gateway/v1beta/models/")


@pytest.mark.parametrize(("tokens", "kept"), [(0, 10_000), (100_000, 10_000), (1000, 4000), (25, 100)])
async def test_max_tool_result_tokens(gemini: Gemini, tokens: int, kept: int) -> None:
    conversation = [user("why?"), assistant("", ToolCall(id="1", name="a.b")), result("1", "a.b", "x" * 10_000)]
    sent = await gemini.asked(None, *conversation, max_tool_result_tokens=tokens)
    text = sent.json["contents"][2]["parts"][0]["functionResponse"]["response"]["output"]
    assert text.startswith("x" * kept)
    assert not text.startswith("x" * (kept + 1))
    assert ("[cut: 10000 characters" in text) == (kept < 10_000)


THREE = {"google_search": True, "code_execution": True, "url_context": True}
THREE_SENT: list[dict[str, Any]] = [{"codeExecution": {}}, {"googleSearch": {}}, {"urlContext": {}}]


async def test_native_tools(gemini: Gemini) -> None:
    sent = await gemini.asked(native_tools=THREE, model="gemini-2.5-pro")
    assert sent.json["tools"] == THREE_SENT
    assert "toolConfig" not in sent.json
    sent = await gemini.asked(native_tools={"google_search": False, "url_context": True})
    assert sent.json["tools"] == [{"urlContext": {}}]
    assert "tools" not in (await gemini.asked(native_tools={"google_search": False})).json
    (received,) = await gemini.ask(native_tools={"google_maps": True})
    assert received["error"]["code"] == "invalid_request"


@pytest.mark.parametrize("switches", [{}, dict.fromkeys(THREE, False)], ids=["none", "all off"])
@pytest.mark.parametrize("model", ["gemini-2.5-pro", "gemini-3.7-flash"])
async def test_no_native_tools_unless_asked(gemini: Gemini, model: str, switches: dict[str, bool]) -> None:
    alone = await gemini.asked(native_tools=switches, model=model)
    assert "tools" not in alone.json
    assert provider_tools(alone.json) == []
    beside = await gemini.asked(native_tools=switches, model=model, tools=[tool("a.b")])
    assert [list(item) for item in beside.json["tools"]] == [["functionDeclarations"]]
    assert provider_tools(beside.json) == []
    assert len(provider_tools((await gemini.asked(native_tools=THREE, model=model)).json)) == len(THREE)


async def test_native_tools_beside_function_tools(gemini: Gemini, caplog: pytest.LogCaptureFixture) -> None:
    newer = await gemini.asked(native_tools=THREE, tools=[tool("a.b")])
    native = [item for item in newer.json["tools"] if "functionDeclarations" not in item]
    assert sorted(native, key=str) == THREE_SENT
    assert len(newer.json["tools"]) == 4
    assert newer.json["toolConfig"] == {"includeServerSideToolInvocations": True}
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
    older = await gemini.asked(native_tools=THREE, tools=[tool("a.b")], model="gemini-2.5-flash")
    assert [list(item) for item in older.json["tools"]] == [["functionDeclarations"]]
    assert "toolConfig" not in older.json
    (warning,) = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert "native tools left out" in warning.message
    assert vars(warning)["execution_id"] == "execution-1"


@pytest.mark.parametrize(
    ("model", "thinking"),
    [
        ("gemini-2.5-pro", {"thinkingBudget": 32768}),
        ("models/gemini-2.5-pro-preview-06-05", {"thinkingBudget": 32768}),
        ("gemini-2.5-flash", {"thinkingBudget": 24576}),
        ("gemini-2.5-flash-lite", {"thinkingBudget": 24576}),
        ("gemini-3-flash-preview", {"thinkingLevel": "HIGH"}),
        ("gemini-flash-latest", {"thinkingLevel": "HIGH"}),
        ("something-else", {"thinkingLevel": "HIGH"}),
    ],
)
async def test_thinking_by_model_family(gemini: Gemini, model: str, thinking: dict[str, object]) -> None:
    sent = await gemini.asked(model=model)
    assert sent.json["generationConfig"]["thinkingConfig"] == {"includeThoughts": True} | thinking


async def test_models_without_thinking_are_not_asked_to_think(gemini: Gemini) -> None:
    assert "thinkingConfig" not in (await gemini.asked(model="gemini-2.0-flash")).json.get("generationConfig", {})


async def test_function_tools(gemini: Gemini) -> None:
    schema = {"$schema": "x", "properties": {"pod": {"type": ["string", "null"]}}, "required": ["pod"]}
    tools = [tool("k8s.get_pod", schema), ToolDefinition(name="odd name!", parameters_schema="")]
    first, second = (await gemini.asked(tools=tools)).json["tools"][0]["functionDeclarations"]
    assert first == {
        "name": "k8s__get_pod",
        "description": "what k8s.get_pod does",
        "parametersJsonSchema": {"type": "object", **{key: schema[key] for key in ("properties", "required")}},
    }
    assert second["description"] == second["name"]
    assert second["parametersJsonSchema"] == {"type": "object", "properties": {}}
    assert second["name"].startswith("odd_name_")


async def test_logs_hold_no_prompt_and_no_key(gemini: Gemini) -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        await gemini.asked(None, user("SECRET-PROMPT"), tools=[tool("a.b")])
        await gemini.ask(user("SECRET-PROMPT"), base_url="http://127.0.0.1:1/SECRET-PATH")
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert any(line["logger"].startswith("httpx") for line in lines)
    for secret in ("SECRET-PROMPT", "SECRET-PATH", KEY):
        assert secret not in stream.getvalue()
