"""The backend of every real provider: one way through, whichever API is spoken."""

from __future__ import annotations

import contextlib
import itertools
from typing import TYPE_CHECKING

from llm_service.errors import InvalidRequest
from llm_service.proto.llm_service_pb2 import GenerateResponse, Waiting
from llm_service.providers.clients import ClientPool
from llm_service.providers.quirks import Quirks
from llm_service.providers.settings import read_settings
from llm_service.providers.shared.answer import Answer
from llm_service.providers.shared.failures import find_said, map_failure
from llm_service.providers.shared.limits import StreamLimits, watched
from llm_service.providers.shared.refusals import refused_tools
from llm_service.providers.shared.retry import RetryPolicy, generate_with_retries
from llm_service.providers.shared.tool_names import ToolNames
from llm_service.providers.shared.transport import CUT_OFF
from llm_service.providers.shared.turns import seal
from llm_service.providers.shared.usable_tools import RefusedTools, with_usable_tools

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Hashable, Mapping

    from llm_service.errors import LLMServiceError
    from llm_service.proto.llm_service_pb2 import GenerateRequest
    from llm_service.providers.clients import Connected
    from llm_service.providers.settings import Settings
    from llm_service.providers.wire import Events, Prepared


class ModelProvider:
    """Answers with OpenAI, Anthropic, xAI, Google, Vertex AI, Azure, Bedrock, or any compatible server."""

    def __init__(
        self, env: Mapping[str, str], limits: StreamLimits | None = None, policy: RetryPolicy | None = None
    ) -> None:
        """Make it; keys and credentials are looked up in `env` at each call."""
        self._env = env
        self.limits = limits or StreamLimits()
        self._policy = policy or RetryPolicy()
        self._clients = ClientPool()
        self._refused = RefusedTools()
        self.quirks = Quirks()

    async def close(self) -> None:
        """Close the connections."""
        await self._clients.close()

    async def generate(self, request: GenerateRequest) -> AsyncGenerator[GenerateResponse, None]:
        """Stream the answer."""
        config, settings = request.llm_config, read_settings(request.llm_config, self._env)
        endpoint = settings.endpoint
        # Not by the endpoint itself: a key in use today says nothing of what is refused.
        served = (endpoint.api, endpoint.door, endpoint.base_url, settings.model)
        where = {"session_id": request.session_id, "execution_id": request.execution_id}
        where |= {"provider": config.provider, "model": config.model}
        async with self._clients.use(endpoint) as connected:

            def answer(usable: GenerateRequest) -> AsyncGenerator[GenerateResponse, None]:
                call = _Call(self, usable, settings, connected, served)
                return generate_with_retries(call.attempt, policy=self._policy, map_error=call.map_error, where=where)

            responses = with_usable_tools(request, connected.wire.DIALECT, served, self._refused, answer)
            async with contextlib.aclosing(responses):
                async for response in responses:
                    yield response


class _Call:
    """One request, ready to be sent as often as it takes."""

    def __init__(
        self,
        provider: ModelProvider,
        request: GenerateRequest,
        settings: Settings,
        connected: Connected,
        served: Hashable,
    ) -> None:
        self._limits, self._quirks = provider.limits, provider.quirks
        self._settings, self._served = settings, served
        self._wire, self._client = connected.wire, connected.client
        self._tools = [tool.name for tool in request.tools]
        self._names = ToolNames(self._tools)
        self._taken = [call.id for message in request.messages for call in message.tool_calls]
        self._prepared = self._wire.prepare(request, settings, self._names)

    async def attempt(self) -> AsyncGenerator[GenerateResponse, None]:
        """Call the provider; once more at once when it refuses a parameter that can be left out."""
        sent = False
        while True:
            prepared = self._quirks.apply(self._served, self._prepared)
            try:
                async with contextlib.aclosing(self._once(prepared)) as responses:
                    async for response in responses:
                        sent = sent or not response.HasField("waiting")
                        yield response
            except Exception as raised:
                said = find_said(raised, self._wire.said)
                if sent or not self._quirks.learn(self._served, said, self._wire.DROPPABLE, prepared):
                    raise
            else:
                return

    async def _once(self, prepared: Prepared) -> AsyncGenerator[GenerateResponse, None]:
        answer = Answer(self._names, self._taken)
        events = self._wire.Events(answer)
        parts = watched(self._read(prepared, answer, events), self._limits)
        async with contextlib.aclosing(parts):
            async for part in parts:
                if part is None:
                    yield GenerateResponse(waiting=Waiting(reason=f"{self._settings.endpoint.name} is at work"))
                else:
                    for response in part:
                        yield response
        for response in itertools.chain(events.end(), answer.finish()):
            yield response
        turn = events.turn() if answer.whole else None
        if turn is not None and (sealed := seal(turn, [call.id for call in answer.finished], self._settings)):
            yield sealed

    async def _read(
        self, prepared: Prepared, answer: Answer, events: Events
    ) -> AsyncGenerator[list[GenerateResponse] | None, None]:
        """Give what each event holds, from the first one that says something; None is only a sign of life.

        What comes before (the name of the model, an id) comes at once, however long the model then thinks.
        """
        async with contextlib.aclosing(self._client.stream(prepared)) as stream:
            async for event in stream:
                if event is CUT_OFF:
                    answer.closes_without_reason = False
                part = list(events.read(event)) if event is not None else []
                yield part if part or (event is not None and answer.begun) else None

    def map_error(self, raised: BaseException) -> LLMServiceError:
        """Map what an attempt raised."""
        said = find_said(raised, self._wire.said)
        if said is not None:
            sent = [self._names.to_provider(name) for name in self._tools]
            refused = refused_tools(said.status, f"{said.param} {said.text}", sent)
            if refused:
                told = f"{self._settings.endpoint.name} refuses the schema of a tool"
                return InvalidRequest(told, tools=(self._tools[index] for index in refused))
        return map_failure(raised, said, self._settings)
