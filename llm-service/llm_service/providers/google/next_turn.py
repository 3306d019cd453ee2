"""The conversation as Gemini wants it, thought signatures included."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from google.genai import types

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llm_service.providers.shared.conversation import Conversation, Step

NO_SIGNATURE = b"skip_thought_signature_validator"
"""The value that the Gemini API documents for a function call whose signature is not to be had any more."""


def to_contents(conversation: Conversation, *, wants_signatures: bool) -> list[types.Content]:
    """Write the steps; the answers to a turn's calls stand right behind it, as Gemini demands."""
    contents: list[types.Content] = []
    for step in conversation.steps:
        if step.user:
            contents.append(types.Content(role="user", parts=[types.Part(text=step.text)]))
            continue
        if step.turn is not None:
            contents.append(types.Content.model_validate(step.turn.content))
        else:
            contents.append(_rebuilt(step, wants_signatures))
        answers = [
            types.Part(
                function_response=types.FunctionResponse(
                    id=result.call.id,
                    name=result.call.name,
                    response={"error" if result.failed else "output": result.text},
                )
            )
            for result in step.results
        ]
        if answers:
            contents.append(types.Content(role="user", parts=answers))
    return contents


def keep(parts: Sequence[types.Part]) -> dict[str, Any] | None:
    """Make the parts of an answer what goes back; None when there are none."""
    joined: list[types.Part] = []
    for part in parts:
        last = joined[-1] if joined else None
        if last is not None and _is_plain(last) and _is_plain(part) and bool(last.thought) == bool(part.thought):
            joined[-1] = types.Part(text=(last.text or "") + (part.text or ""), thought=last.thought)
        else:
            joined.append(part)
    content = types.Content(role="model", parts=joined)
    return content.model_dump(mode="json", exclude_none=True) if joined else None


def _is_plain(part: types.Part) -> bool:
    """Text and nothing else. A part with a signature must stay as it came."""
    return part.text is not None and part.thought_signature is None and part.part_metadata is None


def _rebuilt(step: Step, wants_signatures: bool) -> types.Content:
    parts = [types.Part(text=step.text)] if step.text else []
    for index, call in enumerate(step.calls):
        function_call = types.FunctionCall(id=call.id, name=call.name, args=call.arguments)
        # Of parallel calls only the first carries a signature.
        signature = NO_SIGNATURE if wants_signatures and index == 0 else None
        parts.append(types.Part(function_call=function_call, thought_signature=signature))
    return types.Content(role="model", parts=parts)
