"""The shape that the folder of each API has: request, events, next turn, failures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Iterator, Sequence

    from llm_service.proto.llm_service_pb2 import GenerateRequest, GenerateResponse
    from llm_service.providers.settings import Endpoint, Settings
    from llm_service.providers.shared.answer import Answer
    from llm_service.providers.shared.failures import Said
    from llm_service.providers.shared.tool_names import ToolNames
    from llm_service.providers.shared.tool_schemas import Dialect
    from llm_service.providers.shared.turns import Turn


@dataclass(frozen=True)
class Prepared:
    """A request in a provider's form, with headers of its own besides the client's."""

    body: dict[str, Any]
    headers: dict[str, str] = field(default_factory=dict)


class Events(Protocol):
    """Reads the events of one answer."""

    def read(self, event: Any) -> Iterator[GenerateResponse]:
        """Take an event in; give what can go out at once. StreamedError when it tells of a failure."""
        ...

    def end(self) -> Iterator[GenerateResponse]:
        """Note that the stream has ended; give what waited for more."""
        ...

    def turn(self) -> Turn | None:
        """Give the whole answer for the next turn; None when text and tool calls say it all."""
        ...


class Client(Protocol):
    """An SDK's client with its connections."""

    def stream(self, prepared: Prepared) -> AsyncGenerator[Any, None]:
        """Send a request, and give the events of the answer; None for any other sign of life."""
        ...

    async def close(self) -> None:
        """End the connections."""
        ...


class Wire(Protocol):
    """An API. Each is a module, so that its SDK is loaded when it is needed."""

    DIALECT: Dialect
    Events: Callable[[Answer], Events]
    DROPPABLE: Sequence[str]
    """Parameters without which a request still means the same, for servers that do not know them."""

    def connect(self, endpoint: Endpoint) -> Client:
        """Make a client; CredentialsError when the credentials cannot be used."""
        ...

    def prepare(self, request: GenerateRequest, settings: Settings, names: ToolNames) -> Prepared:
        """Write the request; InvalidRequest when it has no content."""
        ...

    def said(self, error: BaseException) -> Said | None:
        """Read what the provider says in an error; None when it is none of the provider's."""
        ...
