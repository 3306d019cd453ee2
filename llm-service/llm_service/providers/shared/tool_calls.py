"""Tool calls that come in pieces, put together again."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from llm_service.errors import MalformedToolCall
from llm_service.providers.shared.text import well_formed

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_ID_LENGTH = 40
"""OpenAI accepts no longer ones in Chat Completions; a conversation may move between providers."""


@dataclass
class Call:
    """A call as far as it has come in."""

    index: object
    id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class FinishedCall:
    """A whole call, with an id that is unique in the conversation and the provider's own; "" = it gave none.

    The name is the provider's, the arguments are a JSON object as text; `extra` is what else the provider wants back.
    """

    id: str
    provider_id: str
    name: str
    arguments: str
    extra: dict[str, Any]


class ToolCallJoiner:
    """Collects the pieces of one answer's calls.

    A piece belongs to the call with its index. What providers do about that differs: some give every call
    the same index and tell them apart by id, some give no index at all and send whole calls or begin each
    with its name, some repeat id and name in every piece, some send no id.
    """

    def __init__(self, taken_ids: Iterable[str] = ()) -> None:
        """Start with the ids that the conversation has already."""
        self._calls: list[Call] = []
        self._taken = set(taken_ids)

    def add(self, index: object, call_id: str = "", name: str = "", arguments: str = "") -> Call:
        """Take in a piece, and give the call that it belongs to."""
        call = next((call for call in reversed(self._calls) if index is None or call.index == index), None)
        if call is None or _begins_another(call, index, call_id, name, arguments):
            call = Call(index)
            self._calls.append(call)
        call.id = call.id or call_id
        if name and name != call.name:
            call.name += name
        if arguments:
            call.pieces.append(arguments)
        return call

    def finish(self) -> list[FinishedCall]:
        """Give the calls in order; MalformedToolCall when one has no name, or arguments that are no JSON object."""
        finished = []
        for call in self._calls:
            if not call.name:
                raise MalformedToolCall("the model wrote a tool call without a name")
            arguments = to_object("".join(call.pieces))
            finished.append(FinishedCall(self._own_id(call.id), call.id, well_formed(call.name), arguments, call.extra))
        return finished

    def __len__(self) -> int:
        """Count the calls that have begun."""
        return len(self._calls)

    def whole(self) -> bool:
        """Tell whether every call has a name and complete arguments; none at all may be still to come."""
        return all(call.name and _is_whole(call) for call in self._calls)

    def _own_id(self, provider_id: str) -> str:
        """Keep the provider's id, unless the conversation could not use it."""
        own = provider_id
        if not own or own in self._taken or len(own) > MAX_ID_LENGTH or not (own.isascii() and own.isprintable()):
            own = f"call_{uuid.uuid4().hex[:24]}"
        self._taken.add(own)
        return own


def _begins_another(call: Call, index: object, call_id: str, name: str, args: str) -> bool:
    """Tell whether a piece that could go on with this call is the first one of the next call."""
    if call_id and call.id:
        return call_id != call.id
    if not name or not call.pieces:
        return False
    if name != call.name:
        return index is None or _is_whole(call)
    return bool(args) and _is_whole(call)


def _is_whole(call: Call) -> bool:
    try:
        json.loads("".join(call.pieces))
    except (ValueError, RecursionError):
        return False
    return True


def to_object(arguments: str) -> str:
    """Check that the arguments are a JSON object, else MalformedToolCall; none at all are an empty one."""
    try:
        value = json.loads(arguments if arguments.strip() else "{}")
        if isinstance(value, str):
            # Some models put the object into a string.
            arguments, value = value, json.loads(value)
    except (ValueError, RecursionError) as error:
        raise MalformedToolCall("the model wrote tool arguments that are not JSON") from error
    if value is None or not arguments.strip():
        return "{}"
    if not isinstance(value, dict):
        raise MalformedToolCall("the model wrote tool arguments that are not a JSON object")
    # The model's own text is kept, but a lone surrogate in it could not go on the wire.
    return well_formed(arguments)
