"""Azure and Bedrock: addresses and credentials differ from the main provider's, the content does not."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from typing import TYPE_CHECKING, Any

import pytest

from tests.wires import test_anthropic
from tests.wires.chat_events import TEXT as CHAT_TEXT
from tests.wires.chat_events import TEXT_OUT as CHAT_OUT
from tests.wires.conftest import TOOLS, Rig, error_of, next_turn, request, rigged, short
from tests.wires.test_openai_responses import TEXT as RESPONSES_TEXT
from tests.wires.test_openai_responses import TEXT_OUT as RESPONSES_OUT
from tests.wires.wire import Reply, Request, failure

if TYPE_CHECKING:
    from collections.abc import Iterable


async def test_an_azure_deployment(rig: Rig) -> None:
    rig.server.replies = [Reply([CHAT_TEXT])]
    config = rig.config("azure", "my-deployment", api_version="2026-06-01", model_family="gpt-5.2")
    assert short(await rig.ask(request(config))) == CHAT_OUT
    (sent,) = rig.server.requests
    assert sent.path == "/openai/deployments/my-deployment/chat/completions?api-version=2026-06-01"
    assert sent.headers["api-key"] == "sk-test-0123456789"
    assert sent.body["reasoning_effort"] == "high"


@pytest.mark.parametrize("ending", ["", "/openai/v1", "/openai/v1/"])
async def test_azures_own_v1(rig: Rig, ending: str) -> None:
    rig.server.replies = [Reply([RESPONSES_TEXT])]
    config = rig.config("azure", "gpt-5.2", base_url=rig.server.url + ending)
    assert short(await rig.ask(request(config))) == RESPONSES_OUT
    (sent,) = rig.server.requests
    assert sent.path == "/openai/v1/responses"
    assert sent.headers["authorization"] == "Bearer sk-test-0123456789"


async def test_azure_uses_the_identity_of_the_machine(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plays the machine's identity service, which an App Service reaches over plain HTTP."""

    def answer(asked: Request) -> Reply:
        if "/token" in asked.path:
            token = {"access_token": "entra-token", "expires_on": "4102444800", "resource": "r", "token_type": "Bearer"}
            return Reply([json.dumps(token).encode()], content_type="application/json")
        return Reply([RESPONSES_TEXT])

    rig.server.make_reply = answer
    monkeypatch.setenv("IDENTITY_ENDPOINT", f"{rig.server.url}/token")
    monkeypatch.setenv("IDENTITY_HEADER", "secret")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    config = rig.config("azure", "gpt-5.2", api_key_env="")
    assert short(await rig.ask(request(config))) == RESPONSES_OUT
    assert rig.server.requests[-1].headers["authorization"] == "Bearer entra-token"


async def test_azure_needs_an_address(rig: Rig) -> None:
    code, _, message = error_of(await rig.ask(request(rig.config("azure", "m", base_url=""))))
    assert (code, "base_url" in message) == ("invalid_request", True)


def frame(headers: dict[str, str], payload: bytes) -> bytes:
    """Returns one message of AWS's event stream format."""
    encoded = b"".join(
        bytes([len(name)]) + name.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()
        for name, value in headers.items()
    )
    prelude = struct.pack(">II", 16 + len(encoded) + len(payload), len(encoded))
    message = prelude + struct.pack(">I", zlib.crc32(prelude)) + encoded + payload
    return message + struct.pack(">I", zlib.crc32(message))


def bedrock(events: Iterable[dict[str, Any]]) -> Reply:
    headers = {":message-type": "event", ":event-type": "chunk", ":content-type": "application/json"}
    body = b"".join(
        frame(headers, json.dumps({"bytes": base64.b64encode(json.dumps(event).encode()).decode()}).encode())
        for event in events
    )
    return Reply([body[:50], body[50:]], content_type="application/vnd.amazon.eventstream")


def events_of(body: bytes) -> list[dict[str, Any]]:
    return [json.loads(line[6:]) for line in body.decode().splitlines() if line.startswith("data: ")]


AWS = {"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "secret-of-aws", "AWS_REGION": "eu-central-1"}
MODEL = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"


async def test_bedrock(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in AWS.items():
        monkeypatch.setenv(name, value)
    async with rigged(AWS) as rig:
        rig.server.replies = [
            bedrock(events_of(test_anthropic.WORK)),
            bedrock(events_of(test_anthropic.TEXT)),
        ]
        config = rig.config("bedrock", MODEL, api_key_env="")
        responses = await rig.ask(request(config, tools=TOOLS))
        assert short(responses) == test_anthropic.WORK_OUT
        await rig.ask(request(config, next_turn(responses, ["90 %", "Error: none"]), TOOLS))
        first, second = rig.server.requests
    assert first.path == f"/model/{MODEL.replace(':', '%3A')}/invoke-with-response-stream" or MODEL in first.path
    assert "Credential=AKIDEXAMPLE/" in first.headers["authorization"]
    assert "/eu-central-1/bedrock/aws4_request" in first.headers["authorization"]
    assert first.body["anthropic_beta"] == ["interleaved-thinking-2025-05-14"]
    assert first.body["thinking"]["type"] == "enabled"
    assert second.body["messages"][1]["content"][0]["signature"] == "SIGNED0"


async def test_bedrock_with_a_key_and_its_refusals(rig: Rig) -> None:
    rig.server.replies = [
        failure(403, {"message": "The security token included in the request is invalid."}),
        failure(400, {"message": "Input is too long for requested model."}),
    ]
    config = rig.config("bedrock", MODEL, location="us-east-1")
    code, _, message = error_of(await rig.ask(request(config)))
    assert (code, "security token" in message) == ("invalid_credentials", True)
    assert rig.server.requests[0].headers["authorization"] == "Bearer sk-test-0123456789"
    assert error_of(await rig.ask(request(config)))[0] == "context_too_long"


async def test_bedrock_needs_a_region(rig: Rig) -> None:
    code, _, message = error_of(await rig.ask(request(rig.config("bedrock", MODEL))))
    assert (code, "AWS_REGION" in message) == ("invalid_request", True)
