"""Implements the Generate call: validation, routing, the final message, error mapping and logs."""

import asyncio
import contextlib
import logging
import time
from typing import Any

from grpc import aio

from llm_service.errors import InvalidRequest, ServiceStopping, as_service_error, error_info
from llm_service.metrics import CallResult, Metrics
from llm_service.proto.llm_service_pb2 import ConversationMessage, ErrorInfo, GenerateRequest, GenerateResponse
from llm_service.proto.llm_service_pb2_grpc import LLMServiceServicer
from llm_service.providers.registry import LLMProvider, ProviderRegistry
from llm_service.trace_context import trace_fields

logger = logging.getLogger("llm_service.servicer")

SERVICE_NAME = "llm.v1.LLMService"
_TOKENS = ("input_tokens", "output_tokens", "thinking_tokens", "cached_input_tokens", "cache_write_tokens")


class _CallLog:
    """Logs and counts one call: ids, counts and durations, never content."""

    def __init__(self, request: GenerateRequest, metrics: Metrics, trace: dict[str, str]) -> None:
        self._config, self._metrics = request.llm_config, metrics
        self._code: str | None = None
        self._started = time.monotonic()
        self._first: float | None = None
        self._responses = 0
        self._usage: dict[str, int] = {}
        ids = {"session_id": request.session_id, "execution_id": request.execution_id}
        self._fields: dict[str, Any] = {**ids, **trace, "backend": self._config.backend, "model": self._config.model}
        sizes = {"messages": len(request.messages), "tools": len(request.tools)}
        logger.debug("generate started", extra=self._fields | sizes)
        metrics.started()

    def count(self, response: GenerateResponse) -> None:
        """Counts one response before it is sent."""
        if response.HasField("waiting"):
            return
        self._responses += 1
        if self._first is None:
            self._first = time.monotonic() - self._started
        if response.HasField("usage"):
            self._usage = {kind: getattr(response.usage, kind) for kind in _TOKENS}

    def failed(self, error: ErrorInfo, raised: Exception) -> None:
        """Logs the error; for an unexpected error also its location in the code."""
        self._code = error.code
        fields = {"code": error.code, "retryable": error.retryable, "reason": error.message}
        if error.http_status:
            fields |= {"http_status": error.http_status, "request_id": error.request_id}
        unexpected = error.code == "internal"
        logger.log(
            logging.ERROR if unexpected else logging.WARNING,
            "generate failed",
            extra=self._fields | fields,
            # If a backend mapped the error, the cause has the location where the failure occurred.
            exc_info=(raised.__cause__ or raised) if unexpected else None,
        )

    def ended(self, outcome: str) -> None:
        """Logs and counts the end of the call."""
        seconds = time.monotonic() - self._started
        fields = {"outcome": outcome, "duration_ms": round(seconds * 1000), "responses": self._responses}
        first = {} if self._first is None else {"first_response_ms": round(self._first * 1000)}
        logger.info("generate ended", extra=self._fields | fields | first | self._usage)
        tokens = {kind.removesuffix("_tokens"): count for kind, count in self._usage.items()}
        self._metrics.ended(self._config, outcome, CallResult(self._code, seconds, self._first, tokens))


class Servicer(LLMServiceServicer):
    """Serves Generate and counts the running streams."""

    def __init__(self, registry: ProviderRegistry, metrics: Metrics) -> None:
        self._registry = registry
        self._metrics = metrics
        self._running = 0
        self._draining = False
        self._idle = asyncio.Event()
        self._idle.set()

    async def drain(self, limit_seconds: float) -> None:
        """Refuses new calls, and waits until no stream is running or the limit (s) is over."""
        self._draining = True
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(limit_seconds):
                await self._idle.wait()

    def _provider_of(self, request: GenerateRequest) -> LLMProvider:
        if self._draining:
            raise ServiceStopping("the LLM service is stopping")
        check_request(request)
        return self._registry.get(request.llm_config.backend)

    # The generated base class declares a generator. This coroutine is used instead, because cancelling it closes the
    # provider's generator at once, not at garbage collection.
    async def Generate(  # type: ignore[override]  # noqa: N802
        self, request: GenerateRequest, context: aio.ServicerContext[GenerateRequest, GenerateResponse]
    ) -> None:
        """Answers one request; only the last message has is_final set."""
        self._running += 1
        self._idle.clear()
        call = _CallLog(request, self._metrics, trace_fields(context.invocation_metadata()))
        outcome, error = "cancelled", None
        try:
            try:
                async with contextlib.aclosing(self._provider_of(request).generate(request)) as responses:
                    async for response in responses:
                        if response.WhichOneof("content") is not None:
                            response.is_final = False
                            call.count(response)
                            await context.write(response)
            except Exception as raised:  # noqa: BLE001 -- maps every error of a backend
                error = error_info(as_service_error(raised))
                call.failed(error, raised)
            await context.write(GenerateResponse(is_final=True, error=error))
            outcome = "finished" if error is None else "failed"
        finally:
            call.ended(outcome)
            self._running -= 1
            if self._running == 0:
                self._idle.set()


ROLES = ("system", "user", "assistant", "tool")


def check_request(request: GenerateRequest) -> None:
    """Checks the constraints that protobuf types cannot express.

    Raises InvalidRequest, whose message names positions, never content.
    """
    if not request.messages:
        raise InvalidRequest("messages is empty")
    if not request.HasField("llm_config"):
        raise InvalidRequest("llm_config is missing")
    known_calls: set[str] = set()
    for index, message in enumerate(request.messages):
        _check_message(index, message, known_calls)
    if all(message.role == "system" for message in request.messages):
        raise InvalidRequest("messages has nothing but system messages")
    seen: set[str] = set()
    for index, tool in enumerate(request.tools):
        if not tool.name:
            raise InvalidRequest(f"tools[{index}].name is empty")
        if tool.name in seen:
            raise InvalidRequest(f"tools[{index}].name is there twice")
        seen.add(tool.name)
    if request.tool_choice and request.tool_choice not in seen:
        raise InvalidRequest("tool_choice names none of tools")


def _check_message(index: int, message: ConversationMessage, known_calls: set[str]) -> None:
    if message.role not in ROLES:
        raise InvalidRequest(f"messages[{index}].role is not one of {', '.join(ROLES)}")
    if message.tool_calls and message.role != "assistant":
        raise InvalidRequest(f"messages[{index}].tool_calls is for assistant messages only")
    for position, call in enumerate(message.tool_calls):
        if not call.id or not call.name:
            raise InvalidRequest(f"messages[{index}].tool_calls[{position}] has no id or no name")
        if call.id in known_calls:
            raise InvalidRequest(f"messages[{index}].tool_calls[{position}].id is there twice")
        known_calls.add(call.id)
    if message.role == "tool" and message.tool_call_id not in known_calls:
        raise InvalidRequest(f"messages[{index}].tool_call_id answers no earlier tool call")
