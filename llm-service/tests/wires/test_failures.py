"""Connection failures are reported at once, and the provider's text is passed on without secrets."""

from __future__ import annotations

import asyncio
import datetime
import ipaddress
import json
import ssl
import time
from typing import TYPE_CHECKING, Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from llm_service.proto.llm_service_pb2 import ConversationMessage, ToolCall
from tests.wires.conftest import KEY, USER, Rig, error_of, request
from tests.wires.test_process import TEXTS
from tests.wires.test_streams import MODELS
from tests.wires.wire import Reply, failure

if TYPE_CHECKING:
    from pathlib import Path

APIS = ["openai", "anthropic", "google"]


@pytest.fixture
def own_certificate(tmp_path: Path) -> ssl.SSLContext:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path / "pair.pem"
    plain = serialization.NoEncryption()
    form = serialization.PrivateFormat.PKCS8
    path.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, form, plain)
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context


@pytest.mark.parametrize("api", APIS)
async def test_an_untrusted_certificate_is_reported(rig: Rig, api: str, own_certificate: ssl.SSLContext) -> None:
    server = await asyncio.start_server(lambda _reader, writer: writer.close(), "127.0.0.1", 0, ssl=own_certificate)
    async with server:
        url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        code, retryable, message = error_of(await rig.ask(request(rig.config(api, MODELS[api], base_url=url))))
    assert (code, retryable) == ("certificate", False)
    assert "certificate" in message
    assert rig.waits == []


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(
    ("body", "content_type", "named"),
    [
        (b"<html><title>Sign in</title></html>", "text/html", "a web page"),
        (b'{"status": "up", "version": "1.2"}', "application/json", "JSON"),
    ],
    ids=["a web page", "JSON"],
)
async def test_a_response_that_is_no_stream_is_reported(
    rig: Rig, api: str, body: bytes, content_type: str, named: str
) -> None:
    rig.server.replies = [Reply([body], content_type=content_type)]
    code, retryable, message = error_of(await rig.ask(request(rig.config(api, MODELS[api]))))
    assert (code, retryable) == ("unexpected_answer", False)
    assert named in message
    assert rig.waits == []


async def test_an_error_with_status_200(rig: Rig) -> None:
    body = b'{"error": {"code": 429, "message": "too many of you"}}'
    rig.server.replies = [Reply([body], content_type="application/json")] * 4
    code, _, message = error_of(await rig.ask(request(rig.config("openai", "local"))))
    assert code == "max_retries"
    assert "too many of you" in message


def refusal(text: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": "invalid_request_error", "code": 400, "message": text}}


@pytest.mark.parametrize("api", APIS)
async def test_the_providers_text_is_passed_on(rig: Rig, api: str) -> None:
    text = f"the key {KEY} and sk-other-secret-1234567890 may not do  this\n" + "x" * 2000
    rig.server.replies = [failure(400, refusal(text), x_request_id="req_42", request_id="req_42")]
    responses = await rig.ask(request(rig.config(api, MODELS[api])))
    error = responses[-1].error
    assert (error.code, error.http_status, error.request_id) == ("invalid_request", 400, "req_42")
    assert "the key *** and *** may not do this x" in error.message
    assert len(error.message) < 600


async def test_the_title_of_a_web_page_is_shown(rig: Rig) -> None:
    page = "<!doctype html><html><head><title>502 Bad &amp; Gateway</title></head><body>nginx</body></html>"
    rig.server.replies = [Reply([page.encode()], status=502, content_type="text/html")] * 4
    code, _, message = error_of(await rig.ask(request(rig.config("openai", "local"))))
    assert code == "max_retries"
    assert "HTTP 502: 502 Bad & Gateway" in message
    assert "html" not in message


async def test_a_page_that_never_ends_its_scripts_is_read_in_time(rig: Rig) -> None:
    page = "<script " * 60_000
    rig.server.replies = [Reply([page.encode()], status=400, content_type="text/html")]
    started = time.thread_time()
    code, _, _ = error_of(await rig.ask(request(rig.config("openai", "local"))))
    assert code == "invalid_request"
    assert time.thread_time() - started < 1, "all other answers waited"


@pytest.mark.parametrize("api", APIS)
async def test_a_too_long_wait_fails_at_once(rig: Rig, api: str) -> None:
    rig.server.replies = [failure(429, refusal("slow down"), Retry_After="600")]
    responses = await rig.ask(request(rig.config(api, MODELS[api])))
    error = responses[-1].error
    assert (error.code, error.retryable, error.retry_after_seconds) == ("rate_limited", True, 600)
    assert rig.waits == []


@pytest.mark.parametrize("api", APIS)
async def test_keys_and_prompts_do_not_follow_a_redirect(rig: Rig, api: str) -> None:
    other = f"{rig.server.url.replace('127.0.0.1', 'localhost')}/elsewhere"
    rig.server.make_reply = lambda _asked: Reply([b"moved"], status=307, headers={"Location": other})
    code, retryable, message = error_of(await rig.ask(request(rig.config(api, MODELS[api]))))
    assert (code, retryable) == ("invalid_request", False)
    assert f"redirects to {other}" in message
    assert len(rig.server.requests) == 1


async def test_stop_reasons_are_shown_without_secrets(rig: Rig) -> None:
    delta = {"stop_reason": "refusal", "stop_details": {"explanation": f"because of {KEY}\nin it"}}
    events = [{"type": "message_start", "message": {}}, {"type": "message_delta", "delta": delta}]
    rig.server.replies = [Reply([f"event: x\ndata: {json.dumps(event)}\n\n".encode() for event in events])]
    code, _, message = error_of(await rig.ask(request(rig.config("anthropic", MODELS["anthropic"]))))
    assert code == "content_blocked"
    assert message.endswith("(refusal: because of *** in it)")


@pytest.mark.parametrize("api", TEXTS)
async def test_a_lone_surrogate_in_earlier_arguments_is_tolerated(rig: Rig, api: str) -> None:
    rig.server.replies = [Reply([TEXTS[api]])]
    call = ToolCall(id="c1", name="host.disk_usage", arguments=r'{"path": "/\ud800"}')
    messages = [
        USER,
        ConversationMessage(role="assistant", tool_calls=[call]),
        ConversationMessage(role="tool", tool_call_id="c1", tool_name="host.disk_usage", content="91%"),
    ]
    responses = await rig.ask(request(rig.config(api, MODELS[api]), messages))
    assert not responses[-1].HasField("error"), responses[-1].error.message


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("headers", [{}, {"Content-Encoding": "gzip"}])
async def test_only_the_beginning_of_an_error_is_read(rig: Rig, api: str, headers: dict[str, str]) -> None:
    piece = b"x" * 64 * 1024
    rig.server.replies = [Reply([piece] * 1024, 400, headers, content_type="text/plain")]
    code, _, message = error_of(await rig.ask(request(rig.config(api, "claude-x"))))
    assert code == "invalid_request"
    assert len(message) < 700
    await asyncio.wait_for(rig.server.gone.wait(), 20)
