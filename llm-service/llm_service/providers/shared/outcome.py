"""What a provider's reason for stopping means."""

from __future__ import annotations

from enum import Enum


class Outcome(Enum):
    """How an answer ended."""

    DONE = "done"
    LENGTH = "length"
    BLOCKED = "blocked"
    CONTEXT = "context"
    MALFORMED = "malformed"
    FAILED = "failed"


_OUTCOMES = {
    Outcome.LENGTH: "length max_tokens max_output_tokens model_length",
    Outcome.BLOCKED: (
        "content_filter content_filtered refusal prompt_blocked safety recitation language blocklist "
        "prohibited_content spii image_safety image_prohibited_content image_recitation image_other model_armor "
        "jailbreak sensitive guardrail_intervened"
    ),
    Outcome.CONTEXT: "model_context_window_exceeded context_length_exceeded",
    Outcome.MALFORMED: (
        "malformed_function_call unexpected_tool_call too_many_tool_calls malformed_response missing_thought_signature"
    ),
    Outcome.FAILED: "error failed cancelled insufficient_system_resource network_error other no_image abort",
}
_BY_WORD = {word: outcome for outcome, words in _OUTCOMES.items() for word in words.split()}


def outcome_of(stop_reason: str) -> Outcome:
    """Look the reason up. One that is not known (stop, end_turn, tool_calls, …) is a proper end."""
    return _BY_WORD.get(stop_reason.lower(), Outcome.DONE)
