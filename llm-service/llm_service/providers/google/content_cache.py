"""The model's own turns, kept so that they go back to it as they came, thought signatures included.

The engine's conversation has no place for signatures. A turn that is not here any more (another process, too
old) is built anew from the conversation; the model then goes on without its earlier reasoning.
"""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from google.genai import types

TTL_SECONDS = 3600.0
"""From the last use; an agent's run takes minutes."""
MAX_BYTES = 64 * 1024 * 1024
"""Of all turns together: some thousand turns with long thoughts."""
MAX_CONVERSATIONS = 1000
_PART_OVERHEAD_BYTES = 500


@dataclass(frozen=True)
class CachedTurn:
    """One answer of the model.

    Attributes:
        content: all of its parts, as they came.
        provider_ids: the provider's id for each call id that the engine knows; None where it gave none.
    """

    content: types.Content
    provider_ids: Mapping[str, str | None] = field(default_factory=dict)


@dataclass
class _Conversation:
    used: float
    turns: dict[str, tuple[CachedTurn, int]] = field(default_factory=dict)
    size: int = 0


def turn_key(call_ids: Iterable[str], text: str) -> str:
    """Name a turn by what the engine keeps of it: its calls, or, when it has none, its text."""
    ids = "\n".join(call_ids)
    return f"calls {ids}" if ids else f"text {hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()}"


class ContentCache:
    """Turns by conversation and key. Conversations that were not used for long go first."""

    def __init__(
        self,
        *,
        ttl_seconds: float = TTL_SECONDS,
        max_bytes: int = MAX_BYTES,
        max_conversations: int = MAX_CONVERSATIONS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ttl = ttl_seconds
        self._max_bytes = max_bytes
        self._max_conversations = max_conversations
        self._clock = clock
        self._conversations: OrderedDict[tuple[str, ...], _Conversation] = OrderedDict()
        self._size = 0

    def get(self, conversation: tuple[str, ...], key: str) -> CachedTurn | None:
        """Find a turn; its whole conversation counts as used."""
        self._drop_old()
        found = self._conversations.get(conversation)
        if found is None or key not in found.turns:
            return None
        self._touch(conversation, found)
        return found.turns[key][0]

    def put(self, conversation: tuple[str, ...], key: str, turn: CachedTurn) -> None:
        """Keep a turn, if need be at the cost of the conversations that were not used for longest."""
        self._drop_old()
        size = _size(turn.content)
        if size > self._max_bytes:
            return
        kept = self._conversations.setdefault(conversation, _Conversation(self._clock()))
        replaced = kept.turns.pop(key, None)
        change = size - (replaced[1] if replaced is not None else 0)
        kept.turns[key] = (turn, size)
        kept.size += change
        self._size += change
        self._touch(conversation, kept)
        while len(self._conversations) > self._max_conversations or (
            self._size > self._max_bytes and len(self._conversations) > 1
        ):
            self._drop_first()
        while self._size > self._max_bytes:
            oldest = next(iter(kept.turns))
            freed = kept.turns.pop(oldest)[1]
            kept.size -= freed
            self._size -= freed

    @property
    def size_bytes(self) -> int:
        """Estimated size of everything that is kept."""
        return self._size

    def __len__(self) -> int:
        return len(self._conversations)

    def _touch(self, conversation: tuple[str, ...], entry: _Conversation) -> None:
        entry.used = self._clock()
        self._conversations.move_to_end(conversation)

    def _drop_old(self) -> None:
        limit = self._clock() - self._ttl
        while self._conversations and next(iter(self._conversations.values())).used <= limit:
            self._drop_first()

    def _drop_first(self) -> None:
        _, dropped = self._conversations.popitem(last=False)
        self._size -= dropped.size


def _size(content: types.Content) -> int:
    total = 0
    for part in content.parts or []:
        total += _PART_OVERHEAD_BYTES + len(part.text or "") + len(part.thought_signature or b"")
        if part.text is None:
            total += len(part.model_dump_json(exclude_none=True, exclude={"thought_signature"}))
    return total
