"""The conversation as Gemini wants it, thought signatures included."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llm_service.providers.shared.conversation import Conversation, Step

NO_SIGNATURE = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="
"""What the Gemini API documents for a call whose signature is lost ("skip_thought_signature_validator"), in base64."""


def to_contents(conversation: Conversation, *, wants_signatures: bool) -> list[dict[str, Any]]:
    """Write the steps; the answers to a turn's calls stand right behind it, as Gemini demands."""
    contents: list[dict[str, Any]] = []
    for step in conversation.steps:
        if step.user:
            contents.append({"role": "user", "parts": [{"text": step.text}]})
            continue
        contents.append(step.turn.content if step.turn is not None else _rebuilt(step, wants_signatures))
        answers = []
        for result in step.results:
            own = {"id": result.call.id} if result.call.id is not None else {}
            response = {"error" if result.failed else "output": result.text}
            answers.append({"functionResponse": {**own, "name": result.call.name, "response": response}})
        if answers:
            contents.append({"role": "user", "parts": answers})
    return contents


def keep(parts: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Make the parts of an answer what goes back; None when there are none."""
    joined: list[dict[str, Any]] = []
    for part in parts:
        last = joined[-1] if joined else None
        if last is not None and _is_plain(last) and _is_plain(part) and last.get("thought") == part.get("thought"):
            joined[-1] = {**last, "text": last["text"] + part["text"]}
        else:
            joined.append(part)
    return {"role": "model", "parts": joined} if joined else None


def _is_plain(part: dict[str, Any]) -> bool:
    """Text and nothing else. A part with a signature must stay as it came."""
    return isinstance(part.get("text"), str) and part.keys() <= {"text", "thought"}


def _rebuilt(step: Step, wants_signatures: bool) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [{"text": step.text}] if step.text else []
    for index, call in enumerate(step.calls):
        # Of parallel calls only the first carries a signature.
        signature = {"thoughtSignature": NO_SIGNATURE} if wants_signatures and index == 0 else {}
        own = {"id": call.id} if call.id is not None else {}
        parts.append({"functionCall": {**own, "name": call.name, "args": call.arguments}, **signature})
    return {"role": "model", "parts": parts}
