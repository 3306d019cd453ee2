"""The answer as its provider wants it back in the next turn, on its way through the engine.

The engine keeps it with the message and sends it back unchanged, so any process can go on with a conversation. It is
only used for the provider, address and model that wrote it; without it a turn goes back as text and tool calls.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from llm_service.proto.llm_service_pb2 import GenerateResponse, ProviderTurn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from llm_service.proto.llm_service_pb2 import ConversationMessage
    from llm_service.providers.settings import Settings

MAX_BYTES = 8 * 1024 * 1024
"""Of one turn; larger ones are not kept."""


@dataclass(frozen=True)
class Turn:
    """An answer as the folder of its API made it; `ids` are the provider's of calls, by ours, where they differ."""

    content: Any
    ids: Mapping[str, str | None] = field(default_factory=dict)


def seal(turn: Turn, call_ids: Sequence[str], settings: Settings) -> GenerateResponse | None:
    """Make the message for the engine; None when there is more than anybody should carry."""
    envelope = {"by": _writer(settings), "calls": list(call_ids), "ids": dict(turn.ids), "content": turn.content}
    data = json.dumps(envelope, ensure_ascii=True, separators=(",", ":")).encode()
    return GenerateResponse(provider_turn=ProviderTurn(data=data)) if len(data) <= MAX_BYTES else None


def unseal(message: ConversationMessage, settings: Settings) -> Turn | None:
    """Read the turn of a message; None when there is none, or it is another's, or of another answer."""
    try:
        envelope = json.loads(message.provider_turn or b"null")
        own = envelope["by"] == _writer(settings) and envelope["calls"] == [call.id for call in message.tool_calls]
        return Turn(envelope["content"], envelope["ids"]) if own else None
    except (ValueError, KeyError, TypeError):
        return None


def _writer(settings: Settings) -> str:
    endpoint = settings.endpoint
    parts = (endpoint.api.value, endpoint.provider, endpoint.base_url, endpoint.project, settings.model)
    return hashlib.sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest()[:16]
