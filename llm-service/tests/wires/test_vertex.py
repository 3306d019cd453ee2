"""Claude and Gemini on Vertex AI, with a service account whose token server is the fake provider."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.wires import test_anthropic, test_google
from tests.wires.conftest import SYSTEM, TOOLS, USER, Rig, error_of, next_turn, request, rigged, short
from tests.wires.wire import Reply, Request, failure

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from llm_service.proto.llm_service_pb2 import LLMConfig

TOKEN = "ya29.test-token"


@pytest.fixture(scope="module")
def private_key() -> str:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    form = serialization.PrivateFormat.PKCS8
    return key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()).decode()


@pytest.fixture
async def vertex(tmp_path: Path, private_key: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Rig]:
    monkeypatch.delenv("GOOGLE_CLOUD_PROJECT", raising=False)
    broken = tmp_path / "broken.json"
    broken.write_text("{}")
    path = tmp_path / "account.json"
    env = {"ACCOUNT": str(path), "GONE": str(tmp_path / "gone"), "BROKEN": str(broken)}
    async with rigged(env) as rig:
        account = {
            "type": "service_account",
            "project_id": "of-the-file",
            "private_key_id": "1",
            "private_key": private_key,
            "client_email": "tarsy@example.org",
            "client_id": "2",
            "token_uri": f"{rig.server.url}/token",
        }
        path.write_text(json.dumps(account))
        yield rig


def config(rig: Rig, model: str, **fields: Any) -> LLMConfig:
    base = {"api_key_env": "", "credentials_env": "ACCOUNT", "project": "p1", "location": "europe-west4"}
    return rig.config("vertexai", model, **(base | fields))


def script(rig: Rig, *replies: Reply) -> None:
    token = Reply(
        [json.dumps({"access_token": TOKEN, "expires_in": 3600, "token_type": "Bearer"}).encode()],
        content_type="application/json",
    )
    waiting = list(replies)

    def reply(asked: Request) -> Reply:
        return token if asked.path == "/token" else waiting.pop(0)

    rig.server.make_reply = reply


def calls(rig: Rig) -> list[Request]:
    return [asked for asked in rig.server.requests if asked.path != "/token"]


async def test_claude(vertex: Rig) -> None:
    script(vertex, Reply([test_anthropic.WORK]), Reply([test_anthropic.TEXT]))
    asked = config(vertex, "claude-sonnet-4-5@20250929")
    responses = await vertex.ask(request(asked, tools=TOOLS))
    assert short(responses) == test_anthropic.WORK_OUT
    first = calls(vertex)[0]
    model = "projects/p1/locations/europe-west4/publishers/anthropic/models/claude-sonnet-4-5@20250929"
    assert (first.method, first.path) == ("POST", f"/{model}:streamRawPredict")
    assert first.headers["authorization"] == f"Bearer {TOKEN}"
    assert first.body["anthropic_version"]
    assert "model" not in first.body
    assert first.body["system"][0]["text"] == SYSTEM.content
    assert first.body["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": USER.content, **test_anthropic.CACHED}]}
    ]
    assert first.headers["anthropic-beta"] == "interleaved-thinking-2025-05-14"
    assert first.body["thinking"] == {"type": "enabled", "budget_tokens": 32000}
    await vertex.ask(request(asked, next_turn(responses, ["90 %", "Error: none"]), TOOLS))
    content = calls(vertex)[1].body["messages"][1]["content"]
    assert content[0] == {"type": "thinking", "thinking": "Look first.", "signature": "SIGNED0"}
    assert calls(vertex)[1].body["messages"][2] == test_anthropic.RESULTS
    # Both calls use one token, which took the third request.
    assert len(vertex.server.requests) == 3


@pytest.mark.parametrize("model", ["claude-sonnet-4-5@20250929", "gemini-3.7-flash"])
async def test_a_known_model_that_is_not_found_is_tried_again(vertex: Rig, model: str) -> None:
    body = test_anthropic.TEXT if "claude" in model else test_google.TEXT
    said = {"error": {"code": 404, "status": "NOT_FOUND", "message": f"Publisher Model `{model}` was not found"}}
    script(vertex, failure(404, said), failure(404, said), Reply([body]))
    responses = await vertex.ask(request(config(vertex, model)))
    assert not responses[-1].HasField("error"), responses[-1].error
    assert len(calls(vertex)) == 3
    script(vertex, *([failure(404, said)] * 4))
    error = (await vertex.ask(request(config(vertex, model))))[-1].error
    assert (error.code, error.http_status, error.retryable) == ("invalid_request", 404, False)


async def test_an_unknown_model_that_is_not_found_is_refused_at_once(vertex: Rig) -> None:
    script(vertex, failure(404, {"error": {"code": 404, "status": "NOT_FOUND", "message": "not found"}}))
    error = (await vertex.ask(request(config(vertex, "llama-9"))))[-1].error
    assert (error.code, error.http_status) == ("invalid_request", 404)
    assert vertex.waits == []


async def test_gemini(vertex: Rig) -> None:
    script(vertex, Reply([test_google.WORK]), Reply([test_google.TEXT]))
    asked = config(vertex, "gemini-3.7-flash")
    responses = await vertex.ask(request(asked, tools=TOOLS))
    assert [entry[0] for entry in short(responses)] == ["thinking", "text", "call", "call", "usage"]
    first = calls(vertex)[0]
    model = "projects/p1/locations/europe-west4/publishers/google/models/gemini-3.7-flash"
    assert (first.method, first.path) == ("POST", f"/v1beta1/{model}:streamGenerateContent?alt=sse")
    assert first.headers["authorization"] == f"Bearer {TOKEN}"
    assert first.body["contents"] == [{"role": "user", "parts": [{"text": USER.content}]}]
    await vertex.ask(request(asked, next_turn(responses, ["90 %", "x"]), TOOLS))
    parts = calls(vertex)[1].body["contents"][1]["parts"]
    assert [part["thoughtSignature"] for part in parts if "thoughtSignature" in part] == [test_google.SIGNATURE]


@pytest.mark.parametrize("model", ["claude-sonnet-5", "gemini-3.7-flash"])
async def test_project_and_location(vertex: Rig, model: str) -> None:
    body = test_anthropic.TEXT if model.startswith("claude") else test_google.TEXT
    script(vertex, Reply([body]), Reply([body]))
    await vertex.ask(request(config(vertex, model, project="p2", location="us-east5")))
    await vertex.ask(request(config(vertex, model, location="")))
    paths = [asked.path for asked in calls(vertex)]
    assert "projects/p2/locations/us-east5/" in paths[0]
    assert "projects/p1/locations/global/" in paths[1]


@pytest.mark.parametrize("model", ["claude-sonnet-5", "gemini-3.7-flash"])
@pytest.mark.parametrize(
    ("variable", "code"),
    [("GONE", "missing_credentials"), ("UNSET", "missing_credentials"), ("BROKEN", "invalid_credentials")],
)
async def test_invalid_credentials_are_reported(vertex: Rig, model: str, variable: str, code: str) -> None:
    responses = await vertex.ask(request(config(vertex, model, credentials_env=variable)))
    got, retryable, message = error_of(responses)
    assert (got, retryable) == (code, False)
    assert variable in message
    assert vertex.server.requests == []


@pytest.mark.parametrize("model", ["claude-sonnet-5", "gemini-3.7-flash"])
@pytest.mark.parametrize("variable", ["", "GOOGLE_APPLICATION_CREDENTIALS"])
async def test_google_searches_credentials_without_a_file(
    vertex: Rig, model: str, variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path))
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    monkeypatch.delenv("GOOGLE_APPLICATION_CREDENTIALS", raising=False)
    asked = request(config(vertex, model, credentials_env=variable))
    got, retryable, message = error_of(await vertex.ask(asked))
    assert (got, retryable) == ("missing_credentials", False)
    assert "GOOGLE_APPLICATION_CREDENTIALS" in message
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "account.json"))
    script(vertex, Reply([test_anthropic.TEXT if model.startswith("claude") else test_google.TEXT]))
    assert short(await vertex.ask(asked))[0] == ("text", "Größe: 90 % 💾")
    assert calls(vertex)[0].headers["authorization"] == f"Bearer {TOKEN}"


@pytest.mark.parametrize("model", ["claude-sonnet-5", "gemini-3.7-flash"])
async def test_a_refused_token_is_reported(vertex: Rig, model: str) -> None:
    vertex.server.make_reply = lambda _: failure(400, {"error": "invalid_grant", "error_description": "no"})
    got, retryable, message = error_of(await vertex.ask(request(config(vertex, model))))
    assert (got, retryable) == ("invalid_credentials", False)
    assert "ACCOUNT" in message


@pytest.mark.parametrize("model", ["claude-sonnet-5", "gemini-3.7-flash"])
async def test_refused_credentials_are_reported(vertex: Rig, model: str) -> None:
    script(vertex, failure(403, {"error": {"code": 403, "message": USER.content, "status": "PERMISSION_DENIED"}}))
    got, retryable, message = error_of(await vertex.ask(request(config(vertex, model))))
    assert (got, retryable) == ("invalid_credentials", False)
    assert "ACCOUNT" in message
