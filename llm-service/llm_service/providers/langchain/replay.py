"""What the next turn must send back besides text and tool calls: signed thoughts, encrypted reasoning, item ids.

The wire to the engine carries none of that, so it waits here. A turn that is not here any more goes back as
text and tool calls only, which every provider accepts (models/anthropic.py tells at what price).
"""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from llm_service.proto.llm_service_pb2 import ConversationMessage

TTL_SECONDS = 3600.0
"""Longer than any agent execution runs; counted from its last call."""
MAX_EXECUTIONS = 2000
MAX_CHARACTERS = 64 * 1024 * 1024
"""Of all turns together; about what one of the largest requests takes."""


@dataclass(frozen=True)
class Turn:
    """An answer as its provider wants it back.

    Attributes:
        text: all of its text.
        call_ids: ids of its tool calls, as the engine knows them.
        content: its content blocks, for LangChain.
        additional: additional_kwargs of the LangChain message.
        characters: its size, about.
    """

    text: str
    call_ids: tuple[str, ...]
    content: list[dict[str, Any]]
    additional: dict[str, Any]
    characters: int

    def is_of(self, message: ConversationMessage) -> bool:
        """Tell whether the engine's message is this answer, unchanged."""
        if self.call_ids:
            return self.call_ids == tuple(call.id for call in message.tool_calls)
        return not message.tool_calls and self.text.strip() == message.content.strip()


@dataclass
class _Execution:
    expires: float
    turns: list[Turn] = field(default_factory=list)

    def characters(self) -> int:
        return sum(turn.characters for turn in self.turns)


class TurnStore:
    """Turns by execution and model: another model cannot read them."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._executions: OrderedDict[tuple[str, object], _Execution] = OrderedDict()
        self._characters = 0

    def turns(self, execution_id: str, model: object) -> Sequence[Turn]:
        """Give the turns of an execution with this model, oldest first."""
        self._drop_old()
        found = self._executions.get((execution_id, model))
        if found is None:
            return ()
        self._touch((execution_id, model), found)
        return tuple(found.turns)

    def add(self, execution_id: str, model: object, turn: Turn) -> None:
        """Keep a turn; without an execution there is nothing that would ask for it."""
        if not execution_id or turn.characters > MAX_CHARACTERS:
            return
        key = (execution_id, model)
        execution = self._executions.setdefault(key, _Execution(0))
        execution.turns.append(turn)
        self._characters += turn.characters
        self._touch(key, execution)
        self._drop_old()

    def __len__(self) -> int:
        """Count the executions."""
        return len(self._executions)

    def _touch(self, key: tuple[str, object], execution: _Execution) -> None:
        execution.expires = self._clock() + TTL_SECONDS
        self._executions.move_to_end(key)

    def _drop_old(self) -> None:
        now = self._clock()
        while self._executions:
            oldest = next(iter(self._executions.values()))
            full = len(self._executions) > MAX_EXECUTIONS or self._characters > MAX_CHARACTERS
            if not full and oldest.expires > now:
                return
            self._executions.popitem(last=False)
            self._characters -= oldest.characters()


_JOINED = ("text", "thinking", "signature", "arguments")
"""Fields of a block that come in pieces; of every other field the last value counts."""


class BlockJoiner:
    """Puts the content blocks of a stream together again, by their index."""

    def __init__(self) -> None:
        self._blocks: list[dict[str, Any]] = []
        self._by_index: dict[object, dict[str, Any]] = {}

    def add(self, content: str | list[str | dict[Any, Any]]) -> None:
        """Take in the content of a chunk."""
        for block in [content] if isinstance(content, str) else content:
            if isinstance(block, str):
                if block:
                    self._merge("text", {"type": "text", "text": block})
            # The arguments come with the tool calls.
            elif block.get("type") != "input_json_delta":
                self._merge(block.get("index"), block)

    def finish(self, calls: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
        """Give the blocks for the next turn; calls are (id, arguments) as they went to the engine, in order."""
        remaining = list(calls)
        blocks = []
        for block in self._blocks:
            whole: dict[str, Any] = {key: "".join(value) if key in _JOINED else value for key, value in block.items()}
            match whole.get("type"):
                case "thinking" if not whole.get("signature"):
                    # Not signed, so of no use to any provider.
                    continue
                case "tool_use" if remaining:
                    whole = {"type": "tool_use", "id": remaining.pop(0)[0], "name": whole.get("name"), "input": {}}
                case "function_call" if remaining:
                    whole["call_id"], whole["arguments"] = remaining.pop(0)
                case "reasoning":
                    whole["summary"] = [{"type": "summary_text", "text": t} for t in whole["summary"].values()]
            blocks.append(whole)
        return blocks

    def _merge(self, index: object, block: dict[Any, Any]) -> None:
        target = self._by_index.get(index) if index is not None else None
        if target is None:
            target = {}
            self._blocks.append(target)
            if index is not None:
                self._by_index[index] = target
        for key, value in block.items():
            if key == "summary":
                parts = target.setdefault(key, {})
                for part in value:
                    number = part.get("index", len(parts))
                    parts[number] = parts.get(number, "") + (part.get("text") or "")
            elif key in _JOINED:
                if value:
                    target.setdefault(key, []).append(value)
            elif key != "index" and value is not None:
                target[key] = value
