"""Every field of LLMConfig is read: each is changed and checked in the provider's request."""

from __future__ import annotations

import pytest

from llm_service.proto.llm_service_pb2 import ConversationMessage, LLMConfig, ToolCall
from llm_service.providers.settings import Api, read_settings
from tests.wires.chat_events import TEXT as OPENAI_TEXT
from tests.wires.conftest import SYSTEM, USER, Rig, error_of, request, rigged, short
from tests.wires.test_anthropic import TEXT as ANTHROPIC_TEXT
from tests.wires.test_google import TEXT as GOOGLE_TEXT
from tests.wires.wire import Reply

FIELDS = {
    *("provider", "model", "api_key_env", "credentials_env", "base_url", "max_tool_result_tokens"),
    *("native_tools", "project", "location", "backend"),
    *("api", "api_version", "model_family", "effort", "thinking_budget", "max_output_tokens", "temperature", "headers"),
}


def test_every_field_is_tested() -> None:
    """The fields tested elsewhere: credentials_env, project and location in test_vertex.py, native_tools in
    test_google.py, parameters of the answer in test_settings.py, api and api_version in test_azure_bedrock.py.
    """
    assert set(LLMConfig.DESCRIPTOR.fields_by_name) == FIELDS


@pytest.mark.parametrize(
    ("provider", "model", "body", "path"),
    [
        ("openai", "some/model", OPENAI_TEXT, "/chat/completions"),
        ("xai", "grok-4.6", OPENAI_TEXT, "/chat/completions"),
        ("anthropic", "claude-sonnet-5", ANTHROPIC_TEXT, "/v1/messages"),
        ("google", "gemini-x", GOOGLE_TEXT, "/v1beta/models/gemini-x:streamGenerateContent?alt=sse"),
    ],
)
@pytest.mark.parametrize("prefix", ["", "/proxy/v9/"])
async def test_provider_model_and_base_url(
    rig: Rig, provider: str, model: str, body: bytes, path: str, prefix: str
) -> None:
    rig.server.replies = [Reply([body])]
    config = rig.config(provider, model, base_url=rig.server.url + prefix)
    assert short(await rig.ask(request(config)))[0] == ("text", "Größe: 90 % 💾")
    assert rig.server.requests[0].path == prefix.rstrip("/") + path
    assert rig.bodies[0].get("model", "gemini-x") in (model, "gemini-x")


@pytest.mark.parametrize(
    ("provider", "body", "header"),
    [
        ("anthropic", ANTHROPIC_TEXT, "authorization"),
        ("xai", OPENAI_TEXT, "authorization"),
        ("google", GOOGLE_TEXT, "x-goog-api-key"),
    ],
)
async def test_a_proxy_needs_no_key(rig: Rig, provider: str, body: bytes, header: str) -> None:
    rig.server.replies = [Reply([body])]
    config = rig.config(provider, "gemini-x", api_key_env="")
    assert short(await rig.ask(request(config)))[0] == ("text", "Größe: 90 % 💾")
    assert "not-needed" in rig.server.requests[0].headers[header]


async def test_the_key_is_read_from_the_variable() -> None:
    async with rigged({"KEY_A": "aaa", "KEY_B": "bbb", "KEY_C": "two words", "KEY_D": " "}) as rig:
        rig.server.replies = [Reply([OPENAI_TEXT])] * 3
        for variable in ("KEY_A", "KEY_B", "KEY_A"):
            await rig.ask(request(rig.config("openai", "m", api_key_env=variable)))
        sent = [r.headers["authorization"] for r in rig.server.requests]
        assert sent == ["Bearer aaa", "Bearer bbb", "Bearer aaa"]
        for variable, code in [("KEY_C", "invalid_credentials"), ("KEY_D", "missing_credentials")]:
            got, _, message = error_of(await rig.ask(request(rig.config("openai", "m", api_key_env=variable))))
            assert got == code
            assert variable in message
            assert "two words" not in message


async def test_clients_are_shared_only_by_equal_endpoints(rig: Rig) -> None:
    rig.server.replies = [Reply([OPENAI_TEXT])] * 6
    configs = [
        rig.config("openai", "m"),
        rig.config("openai", "m"),
        rig.config("openai", "m2"),
        rig.config("xai", "m"),
        rig.config("openai", "m", base_url=rig.server.url + "/v1"),
        rig.config("openai", "m", api_key_env=""),
    ]
    for config in configs:
        await rig.ask(request(config))
    # Requests with equal address and key share one client, whatever their models.
    assert len(rig.provider._clients) == 4
    assert rig.server.connections == 4


async def test_long_tool_results_are_cut(rig: Rig) -> None:
    rig.server.replies = [Reply([OPENAI_TEXT])] * 2
    messages = [
        SYSTEM,
        USER,
        ConversationMessage(role="assistant", tool_calls=[ToolCall(id="a", name="host.df", arguments="{}")]),
        ConversationMessage(role="tool", tool_call_id="a", tool_name="host.df", content="x" * 1000),
    ]
    for limit in (0, 25):
        await rig.ask(request(rig.config("openai", "m", max_tool_result_tokens=limit), messages))
    whole, cut = (body["messages"][-1]["content"] for body in rig.bodies)
    assert whole == "x" * 1000
    assert cut.startswith("x" * 100 + "\n")
    assert "1000 characters" in cut


async def test_an_empty_backend_means_this_one(rig: Rig) -> None:
    rig.server.replies = [Reply([OPENAI_TEXT])]
    assert short(await rig.ask(request(rig.config("openai", "m", backend=""))))[0] == ("text", "Größe: 90 % 💾")


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"provider": "other"}, "provider"),
        ({"model": ""}, "model"),
        ({"base_url": "file:///etc/passwd"}, "base_url"),
        ({"base_url": "http://"}, "base_url"),
        ({"base_url": "http://host:port/v1"}, "base_url"),
        ({"provider": "vertexai"}, "project"),
    ],
)
async def test_invalid_values_are_named(rig: Rig, fields: dict[str, str], named: str) -> None:
    config = rig.config(**{"provider": "openai", "model": "m", **fields})
    code, retryable, message = error_of(await rig.ask(request(config)))
    assert (code, retryable) == ("invalid_request", False)
    assert named in message


async def test_messages_without_content(rig: Rig) -> None:
    empty = ConversationMessage(role="user", content=" ")
    silent = ConversationMessage(role="assistant", content="")
    code, _, message = error_of(await rig.ask(request(rig.config("openai", "m"), [SYSTEM, empty, silent])))
    assert code == "invalid_request"
    assert "messages" in message
    rig.server.replies = [Reply([OPENAI_TEXT])]
    await rig.ask(request(rig.config("openai", "m"), [empty, silent, USER]))
    assert rig.bodies[0]["messages"] == [{"role": "user", "content": USER.content}]


def test_the_key_is_in_no_representation() -> None:
    config = LLMConfig(provider="anthropic", model="claude-sonnet-5", api_key_env="K")
    settings = read_settings(config, {"K": "s3cret"})
    assert settings.endpoint.api is Api.ANTHROPIC
    assert "s3cret" not in repr(settings)
