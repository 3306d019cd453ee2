"""Tool calls of an answer: joins their streamed pieces, and gives them ids and arguments at the end."""

import hashlib
import json
import re
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from llm_service.errors import MalformedToolCall
from llm_service.providers.shared.arguments import read_arguments
from llm_service.providers.shared.text import well_formed

MAX_ID_LENGTH = 40  # OpenAI's limit, applied to all providers because a conversation may change its provider
# Matches ids with characters that every API accepts.
_PORTABLE_ID = re.compile(rf"[A-Za-z0-9_-]{{1,{MAX_ID_LENGTH}}}")
_SHORT_ID = re.compile(r"[A-Za-z0-9]{9}")


def portable_id(own: str) -> str:
    """Returns the id, or its hash if some API refuses the id's characters or length."""
    return own if _PORTABLE_ID.fullmatch(own) else f"call_{hashlib.sha256(own.encode()).hexdigest()[:24]}"


def short_id(own: str) -> str:
    """Returns the id in Mistral's form, nine letters and digits: the id itself, or its hash."""
    return own if _SHORT_ID.fullmatch(own) else hashlib.sha256(own.encode()).hexdigest()[:9]


@dataclass
class Call:
    """A tool call as received so far.

    When the call is complete, `arguments`, `id` and `kept_id` are set. `id` is unique in the conversation and accepted
    by every API. `kept_id` is the provider's own id, to send back to this provider; "" if there is none.
    """

    index: object
    provider_id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)
    id: str = ""
    kept_id: str = ""
    arguments: str = ""


def _begins_another(call: Call, piece: Call) -> bool:
    """Returns True if the piece starts another call instead of continuing `call`."""
    if piece.provider_id and call.provider_id:
        return bool(piece.name) and piece.provider_id != call.provider_id
    if not piece.name or not call.pieces:
        return False
    if piece.name != call.name:
        return piece.index is None or _is_complete(call)
    return bool(piece.pieces) and _is_complete(call)


def _is_complete(call: Call) -> bool:
    try:
        json.loads("".join(call.pieces))
    except (ValueError, RecursionError):
        return False
    return True


def join_piece(calls: list[Call], piece: Call) -> Call:
    """Adds a piece to the call that it continues, or as a new call. Returns the call.

    Some providers send one index for all calls, or no index. Then a new id or name begins the next call. Others send
    a new id with each piece, so a piece without a name begins no call.
    """
    same = [call for call in reversed(calls) if piece.index is None or call.index == piece.index]
    by_id = (call for call in same if piece.provider_id and call.provider_id == piece.provider_id)
    call = next(by_id, next(iter(same), None))
    if call is None or _begins_another(call, piece):
        calls.append(piece)
        return piece
    call.provider_id = call.provider_id or piece.provider_id
    if piece.name != call.name:
        call.name += piece.name
    call.pieces += piece.pieces
    return call


def complete_calls(calls: Iterable[Call], taken: set[str], schema_of: Callable[[str], Mapping[str, Any]]) -> list[Call]:
    """Returns the calls with ids and arguments. A text with the arguments of several calls becomes several calls.

    Arguments that cannot be read stay unchanged, because the engine reports them to the model. Adds the ids to `taken`.
    Raises MalformedToolCall if a call has no name.
    """
    complete: list[Call] = []
    for call in calls:
        if not call.name:
            raise MalformedToolCall("the model wrote a tool call without a name")
        text = "".join(call.pieces)
        for number, arguments in enumerate(read_arguments(text, schema_of(call.name)) or [well_formed(text)]):
            one = call if number == 0 else replace(call, provider_id="", extra={})
            one.arguments = arguments
            one.kept_id = _kept_id(one.provider_id, taken)
            portable = one.kept_id and _PORTABLE_ID.fullmatch(one.kept_id)
            one.id = one.kept_id if portable else f"call_{uuid.uuid4().hex[:24]}"
            taken.update((one.id, one.kept_id))
            complete.append(one)
    return complete


def _kept_id(own: str, taken: set[str]) -> str:
    return own if own and own not in taken and own.isascii() and own.isprintable() else ""
