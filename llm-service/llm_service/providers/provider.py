"""The backend of every real provider: one way through, whichever API is spoken."""

from __future__ import annotations

import contextlib
import itertools
import logging
from typing import TYPE_CHECKING

from llm_service.errors import InvalidRequest
from llm_service.proto.llm_service_pb2 import GenerateResponse, Waiting
from llm_service.providers.clients import ClientPool
from llm_service.providers.quirks import Quirks
from llm_service.providers.settings import read_settings
from llm_service.providers.shared.failures import find_said, map_failure
from llm_service.providers.shared.limits import StreamLimits, watched
from llm_service.providers.shared.log import call_log
from llm_service.providers.shared.refusals import refused_tools
from llm_service.providers.shared.retry import RetryPolicy, generate_with_retries
from llm_service.providers.shared.tool_names import ToolNames
from llm_service.providers.shared.transport import Line, line
from llm_service.providers.shared.turns import seal
from llm_service.providers.shared.usable_tools import RefusedTools, with_usable_tools

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Hashable, Mapping

    from llm_service.errors import LLMServiceError
    from llm_service.proto.llm_service_pb2 import GenerateRequest
    from llm_service.providers.clients import Connected
    from llm_service.providers.settings import Settings
    from llm_service.providers.shared.answer import Answer
    from llm_service.providers.wire import Events

logger = logging.getLogger("llm_service.provider")


class ModelProvider:
    """Answers with OpenAI, Anthropic, xAI, Google, Vertex AI, Azure, Bedrock, or any compatible server."""

    def __init__(
        self, env: Mapping[str, str], limits: StreamLimits | None = None, policy: RetryPolicy | None = None
    ) -> None:
        """Make it.

        Args:
            env: where keys and credentials are looked up, at each call.
            limits: how long a provider may be silent.
            policy: how often a call is tried again.
        """
        self._env = env
        self._limits = limits or StreamLimits()
        self._policy = policy or RetryPolicy()
        self._clients = ClientPool()
        self._refused = RefusedTools()
        self._quirks = Quirks()

    async def close(self) -> None:
        """Close the connections."""
        await self._clients.close()

    async def generate(self, request: GenerateRequest) -> AsyncGenerator[GenerateResponse, None]:
        """Stream the answer."""
        settings = read_settings(request.llm_config, self._env)
        endpoint = settings.endpoint
        # Not by the endpoint itself: a key in use today says nothing of what is refused.
        served = (endpoint.api, endpoint.door, endpoint.base_url, settings.model)
        async with self._clients.use(endpoint) as connected:

            def answer(usable: GenerateRequest) -> AsyncGenerator[GenerateResponse, None]:
                call = _Call(usable, settings, connected, self._limits, self._quirks, served)
                return generate_with_retries(
                    call.attempt, policy=self._policy, map_error=call.map_error, log=call_log(logger, request)
                )

            responses = with_usable_tools(request, connected.wire.DIALECT, served, self._refused, answer)
            async with contextlib.aclosing(responses):
                async for response in responses:
                    yield response


class _Call:
    """One request, ready to be sent as often as it takes."""

    def __init__(
        self,
        request: GenerateRequest,
        settings: Settings,
        connected: Connected,
        limits: StreamLimits,
        quirks: Quirks,
        served: Hashable,
    ) -> None:
        self._settings = settings
        self._wire, self._client = connected.wire, connected.client
        self._limits = limits
        self._quirks = quirks
        self._served = served
        self._tools = [tool.name for tool in request.tools]
        self._names = ToolNames(self._tools)
        self._taken = [call.id for message in request.messages for call in message.tool_calls]
        self._prepared = self._wire.prepare(request, settings, self._names)

    async def attempt(self) -> AsyncGenerator[GenerateResponse, None]:
        """Call the provider; once more at once when it refuses a parameter that can be left out."""
        while True:
            sent = False
            try:
                async with contextlib.aclosing(self._once()) as responses:
                    async for response in responses:
                        sent = sent or not response.HasField("waiting")
                        yield response
            except Exception as raised:
                said = find_said(raised, self._wire.said)
                droppable = self._wire.DROPPABLE
                if sent or not self._quirks.learn(self._served, said, droppable, self._prepared.body):
                    raise
            else:
                return

    async def _once(self) -> AsyncGenerator[GenerateResponse, None]:
        answer, events = self._wire.reader(self._names, self._taken, self._settings)
        current = Line()
        parts = watched(self._read(answer, events, current), self._limits, lambda: current.heard)
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
        if turn is not None:
            sealed = seal(turn, [call.id for call in answer.finished], self._settings)
            if sealed is not None:
                yield sealed

    async def _read(
        self, answer: Answer, events: Events, current: Line
    ) -> AsyncGenerator[list[GenerateResponse], None]:
        """Give what each event holds, from the first one that says something.

        What comes before (the name of the model, an id) comes at once, however long the model then thinks.
        """
        line.set(current)
        try:
            prepared = self._quirks.apply(self._served, self._prepared)
            async with contextlib.aclosing(self._client.stream(prepared)) as stream:
                async for event in stream:
                    part = list(events.read(event))
                    if part or answer.begun:
                        yield part
        finally:
            await current.close()

    def map_error(self, raised: BaseException) -> LLMServiceError:
        """Map what an attempt raised."""
        said = find_said(raised, self._wire.said)
        if said is not None:
            sent = [self._names.to_provider(name) for name in self._tools]
            refused = refused_tools(said.status, f"{said.param} {said.text}", sent)
            if refused:
                name = self._settings.endpoint.name
                return InvalidRequest(f"{name} refuses the schema of a tool", (self._tools[i] for i in refused))
        return map_failure(raised, said, self._settings)
