"""The langchain backend."""

from __future__ import annotations

import contextlib
import importlib
import logging
from typing import TYPE_CHECKING, Any, cast

from llm_service.errors import InvalidRequest
from llm_service.providers.langchain.cache import ModelCache
from llm_service.providers.langchain.collector import Collector
from llm_service.providers.langchain.native_tools import native_tools
from llm_service.providers.langchain.replay import TurnStore
from llm_service.providers.langchain.settings import Api, read_settings
from llm_service.providers.shared.limits import StreamLimits, limited
from llm_service.providers.shared.log import call_log
from llm_service.providers.shared.retry import RetryPolicy, generate_with_retries
from llm_service.providers.shared.tool_names import ToolNames
from llm_service.providers.shared.tool_schemas import ANTHROPIC, GEMINI, OPENAI
from llm_service.providers.shared.usable_tools import RefusedTools, with_usable_tools

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from langchain_core.messages import BaseMessage
    from langchain_core.outputs import ChatGenerationChunk

    from llm_service.errors import LLMServiceError
    from llm_service.proto.llm_service_pb2 import GenerateRequest, GenerateResponse
    from llm_service.providers.langchain.model import Model

logger = logging.getLogger("llm_service.langchain")

_DIALECTS = {
    Api.OPENAI_CHAT: OPENAI,
    Api.OPENAI_RESPONSES: OPENAI,
    Api.XAI: OPENAI,
    Api.ANTHROPIC: ANTHROPIC,
    Api.ANTHROPIC_VERTEX: ANTHROPIC,
    Api.GOOGLE: GEMINI,
    Api.GOOGLE_VERTEX: GEMINI,
}


class LangChainProvider:
    """Answers with OpenAI, Anthropic, xAI, Google, Vertex AI, or any OpenAI-compatible server."""

    def __init__(self, env: Mapping[str, str], limits: StreamLimits, policy: RetryPolicy | None = None) -> None:
        self._env = env
        self._limits = limits
        self._policy = policy or RetryPolicy()
        self._models = ModelCache()
        self._turns = TurnStore()
        self._refused = RefusedTools()

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> LangChainProvider:
        """Build it from the environment, where its keys are looked up too, at each call.

        Raises:
            ValueError: a limit cannot be used.
        """
        return cls(env, StreamLimits.from_env(env))

    async def close(self) -> None:
        """Close the connections."""
        await self._models.close()

    async def generate(self, request: GenerateRequest) -> AsyncGenerator[GenerateResponse, None]:
        """Stream the answer."""
        settings = read_settings(request.llm_config, self._env)
        model = await self._models.acquire(settings)
        try:

            def answer(usable: GenerateRequest) -> AsyncGenerator[GenerateResponse, None]:
                call = _Call(usable, model, self._turns, self._limits)
                return generate_with_retries(
                    call.attempt, policy=self._policy, map_error=call.map_error, log=call_log(logger, request)
                )

            # Not by the settings themselves: a key in use today says nothing of what is refused.
            served = (settings.api, settings.base_url, settings.model)
            responses = with_usable_tools(request, _DIALECTS[settings.api], served, self._refused, answer)
            async with contextlib.aclosing(responses):
                async for response in responses:
                    yield response
        finally:
            self._models.release(settings)


class _Call:
    """One request, ready to be sent as often as it takes."""

    def __init__(self, request: GenerateRequest, model: Model, turns: TurnStore, limits: StreamLimits) -> None:
        # Imported when the model was built; at the top they would slow the start of the service.
        conversation = importlib.import_module("llm_service.providers.langchain.conversation")
        self._failures = importlib.import_module("llm_service.providers.langchain.failures")
        self._request = request
        self._model = model
        self._turns = turns
        self._limits = limits
        self._names = ToolNames(tool.name for tool in request.tools)
        known = turns.turns(request.execution_id, model.settings)
        self._messages: list[BaseMessage] = conversation.to_messages(request, model, self._names, known)
        self._options: dict[str, Any] = dict(model.request_options(self._messages))
        functions = conversation.to_functions(request, model, self._names)
        if not functions and model.wants_called_tools and any(m.tool_calls for m in request.messages):
            functions = conversation.called_functions(request, self._names)
            self._options["tool_choice"] = {"type": "none"}
        if functions and model.declare is not None:
            self._options["tools"] = model.declare(functions)
            functions = []
        tools = functions + native_tools(request, model.settings, call_log(logger, request))
        if tools:
            bound: Any = model.chat.bind_tools(tools)
            self._options |= bound.kwargs

    async def attempt(self) -> AsyncGenerator[GenerateResponse, None]:
        """Call the provider once."""
        taken = (call.id for message in self._request.messages for call in message.tool_calls)
        collector = Collector(self._model, self._names, taken)
        async with contextlib.aclosing(limited(self._read(collector), self._limits)) as parts:
            async for part in parts:
                for response in part:
                    yield response
        for response in collector.finish():
            yield response
        if collector.turn is not None:
            self._turns.add(self._request.execution_id, self._model.settings, collector.turn)

    async def _read(self, collector: Collector) -> AsyncGenerator[list[GenerateResponse], None]:
        """Give what each chunk holds, from the first one that says something.

        What comes before (the name of the model, an id) comes at once, however long the model then thinks:
        the limit for the first token should go on.
        """
        # Not astream: it keeps every chunk until the end and hands prompts to whatever tracing the
        # environment names.
        source = self._model.chat._astream(self._messages, **self._options)
        begun = False
        async with contextlib.aclosing(cast("AsyncGenerator[ChatGenerationChunk, None]", source)) as chunks:
            async for chunk in chunks:
                part = list(collector.read(chunk))
                begun = begun or bool(part) or collector.has_calls
                if begun:
                    yield part

    def map_error(self, raised: BaseException) -> LLMServiceError:
        """Map what an attempt raised."""
        sent = [self._names.to_provider(tool.name) for tool in self._request.tools]
        refused = self._failures.refused_by(raised, sent)
        if refused:
            name = self._model.settings.provider_name
            tools = (self._request.tools[index].name for index in refused)
            return InvalidRequest(f"{name} refuses the schema of a tool", tools)
        error: LLMServiceError = self._failures.map_failure(raised, self._model.settings)
        return error
