"""Generate over a real channel."""

from __future__ import annotations

import io
import json
import logging
from typing import TYPE_CHECKING

import grpc
import pytest
from grpc import aio

from llm_service.errors import (
    BackendNotAvailable,
    CertificateError,
    ContentBlocked,
    ContextTooLong,
    EmptyResponse,
    InitialTimeout,
    InternalError,
    InvalidCredentials,
    InvalidRequest,
    LLMServiceError,
    MalformedToolCall,
    MissingCredentials,
    ModelNotFound,
    OutputTruncated,
    PartialStreamError,
    ProviderError,
    ProviderUnavailable,
    RateLimited,
    RetriesExhausted,
    ServiceStopping,
    StallTimeout,
    TransportError,
    UnexpectedAnswer,
    as_service_error,
)
from llm_service.logs import JsonFormatter
from llm_service.proto.llm_service_pb2 import (
    ConversationMessage,
    GenerateRequest,
    GenerateResponse,
    LLMConfig,
    TextDelta,
    ToolCall,
    ToolDefinition,
)
from tests.conftest import FailingProvider, GatedProvider, Running, serving
from tests.conversations import request_of, user_message
from tests.shared.fake_http import happens
from tests.toolboxes import HOST_TOOLS

if TYPE_CHECKING:
    from collections.abc import AsyncIterable

SECRET = "s3cret-prompt-text"
TRACE_ID, SPAN_ID = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
USER = ConversationMessage(role="user", content="disk full")


async def collect(stream: AsyncIterable[GenerateResponse]) -> list[GenerateResponse]:
    responses = [response async for response in stream]
    assert [response.is_final for response in responses] == [False] * (len(responses) - 1) + [True]
    return responses


async def test_an_investigation_step_over_the_wire(running: Running) -> None:
    responses = await collect(running.llm.Generate(request_of([user_message("Disk / above 90%")], HOST_TOOLS)))
    kinds = [response.WhichOneof("content") for response in responses]
    assert kinds[0] == "thinking"
    assert kinds[-2:] == ["usage", None]
    assert kinds.count("tool_call") >= 2
    usage = responses[-2].usage
    assert usage.total_tokens == usage.input_tokens + usage.output_tokens + usage.thinking_tokens > 0


@pytest.mark.parametrize(("backend", "named"), [("openai", "openai"), ("", "langchain")])
async def test_an_unknown_backend_is_named_with_those_that_exist(running: Running, backend: str, named: str) -> None:
    (response,) = await collect(running.llm.Generate(request_of([USER], backend=backend)))
    assert response.error.code == "backend_not_available"
    assert not response.error.retryable
    assert repr(named) in response.error.message
    assert "gated, offline" in response.error.message


CONFIG = LLMConfig(backend="offline")
CALL = ToolCall(id="1", name="a.b", arguments="{}")
INVALID = {
    "no messages": GenerateRequest(llm_config=CONFIG),
    "no config": GenerateRequest(messages=[USER]),
    "unknown role": GenerateRequest(llm_config=CONFIG, messages=[ConversationMessage(role="robot")]),
    "only system": GenerateRequest(llm_config=CONFIG, messages=[ConversationMessage(role="system", content="x")]),
    "calls of a user": GenerateRequest(
        llm_config=CONFIG, messages=[ConversationMessage(role="user", tool_calls=[CALL])]
    ),
    "call without a name": GenerateRequest(
        llm_config=CONFIG, messages=[ConversationMessage(role="assistant", tool_calls=[ToolCall(id="1")])]
    ),
    "call id twice": GenerateRequest(
        llm_config=CONFIG, messages=[ConversationMessage(role="assistant", tool_calls=[CALL, CALL])]
    ),
    "result without a call": GenerateRequest(
        llm_config=CONFIG, messages=[USER, ConversationMessage(role="tool", tool_call_id="9", content="x")]
    ),
    "tool without a name": GenerateRequest(llm_config=CONFIG, messages=[USER], tools=[ToolDefinition()]),
    "choice of no tool": GenerateRequest(llm_config=CONFIG, messages=[USER], tool_choice="a.b"),
    "tool twice": GenerateRequest(
        llm_config=CONFIG, messages=[USER], tools=[ToolDefinition(name="a.b"), ToolDefinition(name="a.b")]
    ),
}


@pytest.mark.parametrize("request_", INVALID.values(), ids=INVALID.keys())
async def test_invalid_requests(running: Running, request_: GenerateRequest) -> None:
    (response,) = await collect(running.llm.Generate(request_))
    assert response.error.code == "invalid_request"
    assert not response.error.retryable
    assert response.error.message


ERRORS: list[tuple[Exception, str, bool]] = [
    (InvalidRequest("x"), "invalid_request", False),
    (BackendNotAvailable("x"), "backend_not_available", False),
    (InternalError("x"), "internal", False),
    (ServiceStopping("x"), "service_stopping", True),
    (ProviderError("x"), "provider_error", True),
    (ModelNotFound("x"), "invalid_request", False),
    (MissingCredentials("x"), "missing_credentials", False),
    (InvalidCredentials("x"), "invalid_credentials", False),
    (CertificateError("x"), "certificate", False),
    (UnexpectedAnswer("x"), "unexpected_answer", False),
    (RateLimited("x"), "rate_limited", True),
    (ProviderUnavailable("x"), "provider_unavailable", True),
    (EmptyResponse("x"), "empty_response", True),
    (MalformedToolCall("x"), "malformed_tool_call", True),
    (ContentBlocked("x"), "content_blocked", False),
    (ContextTooLong("x"), "context_too_long", False),
    (OutputTruncated("x"), "output_truncated", False),
    (RetriesExhausted("x"), "max_retries", True),
    (TransportError("x"), "transport", True),
    (InitialTimeout("x"), "initial_timeout", True),
    (StallTimeout("x"), "stall_timeout", True),
    (PartialStreamError("x"), "partial_stream_error", True),
    (TimeoutError(SECRET), "stall_timeout", True),
    (ConnectionResetError(SECRET), "transport", True),
    (ValueError(SECRET), "internal", False),
    (RuntimeError(f"\ud800{SECRET}"), "internal", False),
]


def all_errors(cls: type[LLMServiceError] = LLMServiceError) -> set[type[LLMServiceError]]:
    return {found for sub in cls.__subclasses__() for found in {sub, *all_errors(sub)}}


def test_every_error_class_is_tested() -> None:
    assert {type(error) for error, _, _ in ERRORS if isinstance(error, LLMServiceError)} == all_errors()
    # ModelNotFound and InvalidRequest share a code, because only their retries differ.
    codes = [cls.code for cls in all_errors() - {ModelNotFound}]
    assert len(codes) == len(set(codes))
    assert as_service_error(ERRORS[0][0]) is ERRORS[0][0]


@pytest.mark.parametrize(("error", "code", "retryable"), ERRORS, ids=lambda value: str(value)[:30])
async def test_errors_end_the_stream_with_their_code(error: Exception, code: str, retryable: bool) -> None:
    before = [GenerateResponse(text=TextDelta(content="part"), is_final=True), GenerateResponse()]
    async with serving({"failing": FailingProvider(error, before)}) as running:
        responses = await collect(running.llm.Generate(request_of([USER], backend="failing")))
    assert [response.WhichOneof("content") for response in responses] == ["text", "error"]
    received = responses[-1].error
    assert (received.code, received.retryable) == (code, retryable)
    assert received.message
    assert SECRET not in received.message


async def test_cancelling_stops_the_provider_at_once(running: Running, gated: GatedProvider) -> None:
    call = running.llm.Generate(request_of([USER], backend="gated"))
    assert (await anext(aiter(call))).text.content == "first"
    await happens(gated.started)
    call.cancel()
    await happens(gated.ended)
    assert gated.how == "cancelled"


async def test_a_channel_that_closes_stops_the_provider(running: Running, gated: GatedProvider) -> None:
    other = aio.insecure_channel(f"127.0.0.1:{running.server.port}")
    call = type(running.llm)(other).Generate(request_of([USER], backend="gated"))
    await anext(aiter(call))
    await happens(gated.started)
    await other.close()
    await happens(gated.ended)
    assert gated.how == "cancelled"


async def test_large_conversations_are_accepted(running: Running) -> None:
    big = [ConversationMessage(role="user", content="disk " + "x" * (1024 * 1024)) for _ in range(20)]
    responses = await collect(running.llm.Generate(request_of(big)))
    assert not responses[-1].HasField("error")


async def test_messages_over_64_mib_are_refused(running: Running) -> None:
    options = [("grpc.max_send_message_length", -1)]
    async with aio.insecure_channel(f"127.0.0.1:{running.server.port}", options=options) as channel:
        huge = request_of([ConversationMessage(role="user", content="x" * (64 * 1024 * 1024))])
        call = type(running.llm)(channel).Generate(huge)
        with pytest.raises(aio.AioRpcError) as caught:
            await collect(call)
    assert caught.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_logs_hold_ids_and_no_text(running: Running) -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger("llm_service")
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        request = request_of([user_message(f"Disk full {SECRET}")], HOST_TOOLS)
        await collect(running.llm.Generate(request, metadata=[("traceparent", f"00-{TRACE_ID}-{SPAN_ID}-01")]))
        traced = stream.getvalue().splitlines()
        async with serving({"failing": FailingProvider(ValueError(SECRET))}) as failing:
            await collect(failing.llm.Generate(request_of([user_message(SECRET)], backend="failing")))
    finally:
        root.removeHandler(handler)
        root.setLevel(logging.NOTSET)
    entries = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert {entry["msg"] for entry in entries} == {"generate started", "generate failed", "generate ended"}
    assert all(entry["session_id"] == "session-1" and entry["execution_id"] == "execution-1" for entry in entries)
    failed = next(entry for entry in entries if entry["msg"] == "generate failed")
    assert failed["error_type"] == "ValueError"
    assert any("conftest.py" in place for place in failed["error_at"])
    assert SECRET not in stream.getvalue()
    contexts = [(json.loads(line)["trace_id"], json.loads(line)["span_id"]) for line in traced]
    assert contexts == [(TRACE_ID, SPAN_ID)] * 2
    assert all("trace_id" not in entry for entry in entries[2:])
