"""No provider is asked to run its own tools unless the request enables them; checked in the provider's request."""

from __future__ import annotations

import pytest

from llm_service.providers.openai_chat import OWN_ENDPOINTS
from tests.provider_tools import provider_tools
from tests.wires.chat_events import TEXT as CHAT_TEXT
from tests.wires.conftest import TOOLS, Rig, request
from tests.wires.test_anthropic import TEXT as ANTHROPIC_TEXT
from tests.wires.test_google import TEXT as GOOGLE_TEXT
from tests.wires.test_openai_responses import TEXT as RESPONSES_TEXT
from tests.wires.test_vertex import calls, config, private_key, script, vertex
from tests.wires.wire import Reply

__all__ = ["private_key", "vertex"]

ANSWERS = {
    "openai": ("gpt-5.2", CHAT_TEXT),
    "responses": ("gpt-5.2", RESPONSES_TEXT),
    "xai": ("grok-4.6", CHAT_TEXT),
    "anthropic": ("claude-sonnet-5", ANTHROPIC_TEXT),
    "google": ("gemini-3.7-flash", GOOGLE_TEXT),
}
ON_VERTEX = {"claude-sonnet-5": ANTHROPIC_TEXT, "gemini-3.7-flash": GOOGLE_TEXT}
ON = {"google_search": True, "code_execution": True, "url_context": True}
SWITCHES = {"none": {}, "all off": dict.fromkeys(ON, False)}
FUNCTIONS = {"without functions": [], "with functions": TOOLS}


@pytest.mark.parametrize("functions", FUNCTIONS)
@pytest.mark.parametrize("switches", SWITCHES)
@pytest.mark.parametrize("api", ANSWERS)
async def test_native_tools_are_off_by_default(
    rig: Rig, api: str, switches: str, functions: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, text = ANSWERS[api]
    rig.server.replies = [Reply([text])]
    asked = rig.config(api, model, native_tools=SWITCHES[switches])
    if api == "responses":
        monkeypatch.setitem(OWN_ENDPOINTS, "openai", rig.server.url)
        asked = rig.config("openai", model, base_url="", native_tools=SWITCHES[switches])
    responses = await rig.ask(request(asked, tools=FUNCTIONS[functions]))
    assert not responses[-1].HasField("error")
    (body,) = rig.bodies
    assert ("tools" in body) == (functions == "with functions")
    assert provider_tools(body) == []


@pytest.mark.parametrize("functions", FUNCTIONS)
@pytest.mark.parametrize("model", ON_VERTEX)
async def test_native_tools_are_off_by_default_on_vertex(vertex: Rig, model: str, functions: str) -> None:
    script(vertex, Reply([ON_VERTEX[model]]))
    responses = await vertex.ask(request(config(vertex, model), tools=FUNCTIONS[functions]))
    assert not responses[-1].HasField("error")
    (sent,) = calls(vertex)
    assert ("tools" in sent.body) == (functions == "with functions")
    assert provider_tools(sent.body) == []


@pytest.mark.parametrize("api", [api for api in ANSWERS if api != "responses"])
async def test_only_google_is_asked_for_enabled_native_tools(rig: Rig, api: str) -> None:
    model, text = ANSWERS[api]
    rig.server.replies = [Reply([text])]
    await rig.ask(request(rig.config(api, model, native_tools=ON)))
    found = provider_tools(rig.bodies[0])
    assert found == (["codeExecution", "Search", "urlContext"] if api == "google" else [])
