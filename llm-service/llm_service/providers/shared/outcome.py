"""The ways in which an answer ends, by the stop reasons that providers send."""

from enum import Enum

MAX_DETAILS = 200  # maximum characters of the provider's explanation in an error


class Outcome(Enum):
    """How an answer ended. The values list providers' stop reasons; others (stop, end_turn, …) are DONE."""

    DONE = ""
    LENGTH = "length max_tokens max_output_tokens model_length"
    BLOCKED = (
        "content_filter content_filtered refusal prompt_blocked safety recitation language blocklist "
        "prohibited_content spii image_safety image_prohibited_content image_recitation image_other model_armor "
        "jailbreak sensitive guardrail_intervened"
    )
    CONTEXT = "model_context_window_exceeded context_length_exceeded"
    MALFORMED = (
        "malformed_function_call unexpected_tool_call too_many_tool_calls malformed_response missing_thought_signature"
    )
    NOTHING = "other no_image"
    FAILED = "error failed cancelled insufficient_system_resource network_error abort"


_BY_WORD = {word: outcome for outcome in Outcome for word in outcome.value.split()}


def outcome_of(stop: str) -> Outcome:
    """Returns the outcome that a provider's stop reason means."""
    return _BY_WORD.get(stop.lower(), Outcome.DONE)
