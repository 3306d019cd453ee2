"""The google-native backend."""

from __future__ import annotations

import logging
from contextlib import aclosing
from typing import TYPE_CHECKING

from google.genai import types

from llm_service.errors import InvalidRequest, LLMServiceError
from llm_service.providers.google.client import ClientPool, open_responses
from llm_service.providers.google.content_cache import ContentCache
from llm_service.providers.google.contents import ContentsBuilder
from llm_service.providers.google.failures import map_error, refused_by, unreadable_answer
from llm_service.providers.google.models import family_of
from llm_service.providers.google.reader import StreamReader
from llm_service.providers.google.tools import NATIVE_TOOLS, function_tool, native_names
from llm_service.providers.shared.credentials import require_api_key
from llm_service.providers.shared.limits import StreamLimits, limited
from llm_service.providers.shared.log import CallLog, call_log
from llm_service.providers.shared.retry import RetryPolicy, generate_with_retries
from llm_service.providers.shared.tool_names import ToolNames
from llm_service.providers.shared.tool_schemas import GEMINI
from llm_service.providers.shared.usable_tools import RefusedTools, with_usable_tools

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from google import genai
    from httpx import Response

    from llm_service.proto.llm_service_pb2 import GenerateRequest, GenerateResponse

NO_KEY = "none"
"""Sent to a gateway that is configured without a key: it has its own, and the SDK will not do without one."""

logger = logging.getLogger("llm_service.providers.google")


class GoogleNativeProvider:
    """Gemini through Google's own SDK: thoughts, thought signatures, native tools, grounding."""

    def __init__(
        self,
        env: Mapping[str, str],
        *,
        limits: StreamLimits | None = None,
        retries: RetryPolicy | None = None,
        cache: ContentCache | None = None,
    ) -> None:
        """Prepare; nothing is connected yet.

        Args:
            env: where keys are looked up.
            limits: how long Gemini may be silent.
            retries: how often a call is tried again.
            cache: keeps the model's own turns.
        """
        self._env = env
        self._limits = limits if limits is not None else StreamLimits()
        self._retries = retries if retries is not None else RetryPolicy()
        self._cache = cache if cache is not None else ContentCache()
        self._clients = ClientPool()
        self._refused = RefusedTools()

    async def close(self) -> None:
        """Close all connections."""
        await self._clients.close()

    async def generate(self, request: GenerateRequest) -> AsyncGenerator[GenerateResponse, None]:
        """Stream thoughts, text, code, tool calls, then sources, then usage."""
        config = request.llm_config
        if not config.model:
            raise InvalidRequest("llm_config.model is empty")
        log = call_log(logger, request)
        keyless = config.base_url and not config.api_key_env
        key = NO_KEY if keyless else require_api_key(self._env, config.api_key_env)
        client = self._clients.get(key, config.base_url)

        def answer(usable: GenerateRequest) -> AsyncGenerator[GenerateResponse, None]:
            call = _Call(usable, self._cache, log)

            def mapped(error: BaseException) -> LLMServiceError:
                return call.refusal(error) or map_error(error, config.api_key_env)

            return generate_with_retries(
                lambda: call.attempt(client, self._limits), policy=self._retries, map_error=mapped, log=log
            )

        served = (config.model, config.base_url)
        async with aclosing(with_usable_tools(request, GEMINI, served, self._refused, answer)) as responses:
            async for response in responses:
                yield response


class _Call:
    """One request, ready to be sent, also more than once."""

    def __init__(self, request: GenerateRequest, cache: ContentCache, log: CallLog) -> None:
        config = request.llm_config
        family = family_of(config.model)
        self._model = config.model
        self._cache = cache
        # Another model, or another server, cannot read the signatures.
        self._conversation = (request.execution_id, config.model, config.base_url)
        self._keeps = bool(request.execution_id)
        self._tools = [tool.name for tool in request.tools]
        self._names = ToolNames(self._tools)
        self._taken_ids = {call.id for message in request.messages for call in message.tool_calls}
        conversation = ContentsBuilder(
            names=self._names,
            cached=lambda key: cache.get(self._conversation, key) if self._keeps else None,
            max_tool_result_tokens=config.max_tool_result_tokens,
            wants_signatures=family.wants_signatures,
        ).build(request.messages)
        self._contents = conversation.contents
        tools = [function_tool(request.tools, self._names)] if request.tools else []
        native = native_names(config.native_tools)
        if native and tools and not family.combines_tools:
            log.warning("native tools are left out: the model takes no function tools beside them")
            native = []
        self._config = types.GenerateContentConfig(
            system_instruction=conversation.system,
            tools=[*tools, *(NATIVE_TOOLS[name]() for name in native)] or None,
            tool_config=types.ToolConfig(include_server_side_tool_invocations=True) if native and tools else None,
            thinking_config=family.thinking_config(),
            automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        )

    def refusal(self, error: BaseException) -> InvalidRequest | None:
        """Tell which tools Gemini refused; None when it was something else."""
        refused = refused_by(error, [self._names.to_provider(tool) for tool in self._tools])
        if not refused:
            return None
        return InvalidRequest("Gemini refuses the schema of a tool", (self._tools[index] for index in refused))

    async def attempt(self, client: genai.Client, limits: StreamLimits) -> AsyncGenerator[GenerateResponse, None]:
        """Call the model once."""
        reader = StreamReader(self._names, self._taken_ids)
        async with aclosing(limited(self._chunks(client), limits)) as chunks:
            async for chunk in chunks:
                for response in reader.read(chunk):
                    yield response
        for response in reader.end():
            yield response
        if self._keeps and not reader.cut_off:
            self._cache.put(self._conversation, *reader.turn())

    async def _chunks(self, client: genai.Client) -> AsyncGenerator[types.GenerateContentResponse, None]:
        opened: list[Response] = []
        open_responses.set(opened)
        try:
            # The SDK's list of contents is invariant, and wider than what is built here.
            contents: list[types.ContentUnion] = [*self._contents]
            stream = await client.aio.models.generate_content_stream(
                model=self._model, contents=contents, config=self._config
            )
            async for chunk in stream:
                yield chunk
        except (ValueError, TypeError, AttributeError, LookupError) as error:
            if not opened:
                raise
            # How the SDK fails over JSON that is not what it expects; it checks little by itself.
            raise unreadable_answer() from error
        finally:
            # Closing the SDK's generator is not enough: the ones inside it stay open until they are collected.
            for response in opened:
                await response.aclose()
