"""The backend for all real providers, whatever their API."""

import contextlib
import itertools
from collections.abc import AsyncGenerator, Collection, Hashable, Mapping
from dataclasses import replace
from functools import partial

from llm_service import errors
from llm_service.errors import LLMServiceError
from llm_service.proto.llm_service_pb2 import GenerateRequest, GenerateResponse, ToolsLeftOut, Waiting
from llm_service.providers.clients import ClientPool, ConnectedClient
from llm_service.providers.settings import Settings, read_settings
from llm_service.providers.shared.answer import Answer, EventReader, merge_text
from llm_service.providers.shared.conversation import read_conversation, to_provider_turn
from llm_service.providers.shared.failures import ErrorDetails, StreamedError, find_error_details, map_failure
from llm_service.providers.shared.limits import StreamLimits, with_timeouts
from llm_service.providers.shared.quirks import Quirk, quirks_in
from llm_service.providers.shared.retry import RetryPolicy, generate_with_retries
from llm_service.providers.shared.tool_names import ToolNames
from llm_service.providers.shared.transport import TRUNCATED, PreparedRequest
from llm_service.providers.shared.usable_tools import RefusalCache, refused_parameter, refused_tools, usable_tools

MAX_REFUSALS = 6  # maximum repetitions of a refused request without the refused tools or parameter, or in another form
MAX_REQUESTS = 10  # maximum requests for one answer that the provider pauses


class ModelProvider:
    """The backend for OpenAI, Anthropic, xAI, Google, Vertex AI, Azure, Bedrock and compatible servers."""

    def __init__(self, env: Mapping[str, str], limits: StreamLimits, policy: RetryPolicy | None = None) -> None:
        """Creates the backend; keys and credentials are read from `env` at each call."""
        self._env = env
        self.limits = limits
        self._policy = policy or RetryPolicy()
        self._clients = ClientPool()
        self._refused = RefusalCache()

    async def close(self) -> None:
        """Closes the connections."""
        await self._clients.close()

    async def generate(self, request: GenerateRequest) -> AsyncGenerator[GenerateResponse, None]:
        """Streams the answer. If the provider refuses a tool or parameter, repeats the request without it."""
        config, read = request.llm_config, read_settings(request.llm_config, self._env)
        endpoint = read.endpoint
        served = _model_key(read)
        where = {"session_id": request.session_id, "execution_id": request.execution_id}
        where |= {"provider": config.provider, "model": config.model}
        reported: set[str] = set()
        dropped: set[str] = set()
        sent = False
        async with self._clients.use(endpoint) as connected:
            for tries in range(MAX_REFUSALS, -1, -1):
                usable, left_out = usable_tools(request, connected.api.DIALECT, served, self._refused)
                if new := [tool for tool in left_out if tool.name not in reported]:
                    reported.update(tool.name for tool in new)
                    yield GenerateResponse(tools_left_out=ToolsLeftOut(tools=new))
                known = (*connected.api.DROPPABLE, *connected.api.QUIRKS)
                left = {*dropped, *(name for name in known if (served, name) in self._refused)}
                settings = replace(read, quirks=frozenset(left.intersection(connected.api.QUIRKS)))
                call = _Call(usable, settings, connected, left_out=left)
                attempt = partial(call.attempt, self.limits)
                answer = generate_with_retries(attempt, policy=self._policy, map_error=call.map_error, where=where)
                try:
                    async with contextlib.aclosing(answer) as responses:
                        async for response in responses:
                            sent = sent or not response.HasField("waiting")
                            yield response
                except LLMServiceError as error:
                    refusal = None if sent or tries == 0 else self._remember_refusal(request, call, error)
                    if refusal is None:
                        raise
                    dropped |= refusal
                else:
                    # Stored only after success: the refusal may quote a name from the request that is not to blame.
                    for name in dropped:
                        self._refused.add(served, name)
                    return

    def _remember_refusal(self, request: GenerateRequest, call: "_Call", error: LLMServiceError) -> set[str] | None:
        """Remembers the tools that the provider refused.

        Returns the parameters to leave out of this call and the quirks to heed; None if there is nothing to change.
        """
        details = find_error_details(error)
        if details is None:
            return None
        words = f"{details.param} {details.text}"
        if quirks := call.quirks_in(details):
            return set(quirks[:1])
        if parameter := refused_parameter(details.status, words, call.droppable()):
            return {parameter}
        # Stores tools with the engine's schema, not the normalised one, because usable_tools looks them up by it.
        given = {tool.name: tool for tool in request.tools}
        tools = [given[call.request.tools[at].name] for at in refused_tools(details.status, words, call.tool_names)]
        for tool in tools:
            self._refused.add(_model_key(call.settings), tool)
        return set() if tools else None


def _model_key(settings: Settings) -> Hashable:
    """Returns the model's key in the RefusalCache; refusals do not depend on credentials."""
    endpoint = settings.endpoint
    return (endpoint.api, endpoint.provider, endpoint.base_url, settings.model)


class _Call:
    """One prepared request, which retries send again."""

    def __init__(
        self, request: GenerateRequest, settings: Settings, connected: ConnectedClient, *, left_out: Collection[str]
    ) -> None:
        self.request = request
        self.settings = settings
        self._api, self._client = connected.api, connected.client
        self._names = ToolNames(tool.name for tool in request.tools)
        self._schemas = {tool.name: tool.parameters_schema for tool in request.tools}
        self._conversation = conversation = read_conversation(request, settings, self._names)
        self._taken = {call.id for message in request.messages for call in message.tool_calls}
        self._taken |= {call.id for step in conversation.steps for call in step.calls if call.id}
        self.tool_names = [tool.name for tool in conversation.tools]
        self._prepared = self._api.prepare(conversation, settings, request).without(left_out)

    def quirks_in(self, details: ErrorDetails) -> list[Quirk]:
        """Returns the quirks that a refusal names and that would change the request."""
        spoken = quirks_in(details.status, f"{details.param} {details.text}", self._api.QUIRKS)
        return [
            quirk
            for quirk in spoken
            if self._with(quirk) != self._api.prepare(self._conversation, self.settings, self.request)
        ]

    def _with(self, quirk: Quirk) -> PreparedRequest:
        settings = replace(self.settings, quirks=self.settings.quirks | {quirk})
        return self._api.prepare(self._conversation, settings, self.request)

    def droppable(self) -> list[str]:
        """Returns the optional parameters that the request contains."""
        return [name for name in self._api.DROPPABLE if self._prepared.without([name]) != self._prepared]

    async def attempt(self, limits: StreamLimits) -> AsyncGenerator[GenerateResponse, None]:
        """Calls the provider once."""
        answer = Answer(self._names, self._taken, self._schemas)
        events = self._api.Events(answer)
        async with contextlib.aclosing(with_timeouts(self._read(answer, events), limits)) as parts:
            async for part in parts:
                for response in merge_text(part):
                    yield response
                if not part:
                    yield GenerateResponse(waiting=Waiting(reason=f"{self.settings.endpoint.name} is at work"))
        for response in itertools.chain(events.end(), answer.finish(), events.sources()):
            yield response
        turn = events.turn() if answer.whole else None
        if turn is not None and (
            provider_turn := to_provider_turn(turn, [call.id for call in answer.finished], self.settings)
        ):
            yield provider_turn

    async def _read(self, answer: Answer, events: EventReader) -> AsyncGenerator[list[GenerateResponse] | None, None]:
        """Yields the responses of each event; None for activity that does not belong to the answer."""
        prepared: PreparedRequest | None = self._prepared
        for _ in range(MAX_REQUESTS):
            if prepared is None:
                return
            async with contextlib.aclosing(self._client.stream(prepared)) as stream:
                async for event in stream:
                    if event is None:
                        yield None
                        continue
                    if event.get("error") or event.get("type") == "error":
                        raise StreamedError(event)
                    if event.get("type") == TRUNCATED:
                        answer.closes_without_reason = False
                    part = list(events.read(event))
                    yield part if part or answer.begun else None
            prepared = events.next_request(self._prepared)

    def map_error(self, raised: BaseException) -> LLMServiceError:
        """Maps an exception of an attempt to an error of the service."""
        details = find_error_details(raised)
        error = map_failure(raised, details, self.settings)
        if details is not None and error.transient and self.quirks_in(details):
            # A chat template that fails with status 500 fails at each attempt, so the error is not retryable.
            return errors.InvalidRequest(str(error)).caused_by(error)
        return error
