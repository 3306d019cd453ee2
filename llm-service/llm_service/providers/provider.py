"""The backend of every real provider: one way through, whichever API is spoken."""

import contextlib
import itertools
from collections.abc import AsyncGenerator, Hashable, Mapping

from llm_service.errors import LLMServiceError
from llm_service.proto.llm_service_pb2 import GenerateRequest, GenerateResponse, ToolsLeftOut, Waiting
from llm_service.providers.clients import ClientPool, Connected
from llm_service.providers.settings import Settings, read_settings
from llm_service.providers.shared.answer import Answer, EventReader, joined
from llm_service.providers.shared.conversation import read_conversation, seal
from llm_service.providers.shared.failures import StreamedError, find_said, map_failure
from llm_service.providers.shared.limits import StreamLimits, watched
from llm_service.providers.shared.retry import RetryPolicy, generate_with_retries
from llm_service.providers.shared.tool_names import ToolNames
from llm_service.providers.shared.transport import CUT_OFF
from llm_service.providers.shared.usable_tools import Refused, refused_parameter, refused_tools, usable_tools

MAX_REFUSALS = 5  # tools and parameters that are left out of one call; each costs a call


class ModelProvider:
    """Answers with OpenAI, Anthropic, xAI, Google, Vertex AI, Azure, Bedrock, or any compatible server."""

    def __init__(self, env: Mapping[str, str], limits: StreamLimits, policy: RetryPolicy | None = None) -> None:
        """Make it; keys and credentials are looked up in `env` at each call."""
        self._env = env
        self.limits = limits
        self._policy = policy or RetryPolicy()
        self._clients = ClientPool()
        self._refused = Refused()

    async def close(self) -> None:
        """Close the connections."""
        await self._clients.close()

    async def generate(self, request: GenerateRequest) -> AsyncGenerator[GenerateResponse, None]:
        """Stream the answer. What the provider refuses and can be left out is, and the call made again at once."""
        config, settings = request.llm_config, read_settings(request.llm_config, self._env)
        endpoint = settings.endpoint
        # Not by the endpoint itself: a key in use today says nothing of what is refused.
        served = (endpoint.api, endpoint.provider, endpoint.base_url, settings.model)
        where = {"session_id": request.session_id, "execution_id": request.execution_id}
        where |= {"provider": config.provider, "model": config.model}
        told: set[str] = set()
        dropped: set[str] = set()
        sent = False
        async with self._clients.use(endpoint) as connected:
            for left in range(MAX_REFUSALS, -1, -1):
                usable, left_out = usable_tools(request, connected.wire.DIALECT, served, self._refused)
                if new := [tool for tool in left_out if tool.name not in told]:
                    told.update(tool.name for tool in new)
                    yield GenerateResponse(tools_left_out=ToolsLeftOut(tools=new))
                refused = [name for name in connected.wire.DROPPABLE if (served, name) in self._refused]
                known = [*dropped, *refused]
                call = _Call(usable, settings, connected, self.limits, known)
                answer = generate_with_retries(call.attempt, policy=self._policy, map_error=call.map_error, where=where)
                try:
                    async with contextlib.aclosing(answer) as responses:
                        async for response in responses:
                            sent = sent or not response.HasField("waiting")
                            yield response
                except LLMServiceError as error:
                    if sent or left == 0 or not self._learn(served, request, call, error, dropped):
                        raise
                else:
                    # Not before: the words may have been of the request that a refusal quotes.
                    for name in dropped:
                        self._refused.add(served, name)
                    return

    def _learn(
        self, served: Hashable, request: GenerateRequest, call: "_Call", error: LLMServiceError, dropped: set[str]
    ) -> bool:
        """Note what the provider refused; False when it is nothing without which the request means the same."""
        said = find_said(error)
        if said is None:
            return False
        words = f"{said.param} {said.text}"
        if parameter := refused_parameter(said.status, words, call.droppable()):
            dropped.add(parameter)
            return True
        # A tool by its own schema, not by the one that was made of it.
        given = {tool.name: tool for tool in request.tools}
        tools = [given[call.request.tools[at].name] for at in refused_tools(said.status, words, call.tool_names)]
        for tool in tools:
            self._refused.add(served, tool)
        return bool(tools)


class _Call:
    """One request, ready to be sent as often as it takes."""

    def __init__(
        self, request: GenerateRequest, settings: Settings, connected: Connected, limits: StreamLimits, no: list[str]
    ) -> None:
        self.request = request
        self._settings, self._limits = settings, limits
        self._wire, self._client = connected.wire, connected.client
        self._names = ToolNames(tool.name for tool in request.tools)
        self._taken = [call.id for message in request.messages for call in message.tool_calls]
        conversation = read_conversation(request, settings, self._names)
        self.tool_names = [tool.name for tool in conversation.tools]
        self._prepared = self._wire.prepare(conversation, settings, request).without(no)

    def droppable(self) -> list[str]:
        """Parameters of the request without which it means the same."""
        return [name for name in self._wire.DROPPABLE if self._prepared.without([name]) != self._prepared]

    async def attempt(self) -> AsyncGenerator[GenerateResponse, None]:
        """Call the provider."""
        answer = Answer(self._names, self._taken)
        events = self._wire.Events(answer)
        async with contextlib.aclosing(watched(self._read(answer, events), self._limits)) as parts:
            async for part in parts:
                for response in joined(part):
                    yield response
                if not part:
                    yield GenerateResponse(waiting=Waiting(reason=f"{self._settings.endpoint.name} is at work"))
        for response in itertools.chain(events.end(), answer.finish(), events.sources()):
            yield response
        turn = events.turn() if answer.whole else None
        if turn is not None and (sealed := seal(turn, [call.id for call in answer.finished], self._settings)):
            yield sealed

    async def _read(self, answer: Answer, events: EventReader) -> AsyncGenerator[list[GenerateResponse] | None, None]:
        """Give what each event holds, from the first one that says something; None is only a sign of life."""
        async with contextlib.aclosing(self._client.stream(self._prepared)) as stream:
            async for event in stream:
                if event is None:
                    yield None
                    continue
                if event.get("error") or event.get("type") == "error":
                    raise StreamedError(event)
                if event.get("type") == CUT_OFF:
                    answer.closes_without_reason = False
                part = list(events.read(event))
                yield part if part or answer.begun else None

    def map_error(self, raised: BaseException) -> LLMServiceError:
        """Map what an attempt raised."""
        return map_failure(raised, find_said(raised), self._settings)
