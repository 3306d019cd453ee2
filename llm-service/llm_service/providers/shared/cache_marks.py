"""Sets marks for OpenAI's prompt cache, because newer models read a cached prefix only up to a mark."""

from typing import Any

_MARK = {"prompt_cache_breakpoint": {"mode": "explicit"}}
_TOLD = ("system", "user", "tool")


def mark_prefixes(messages: list[dict[str, Any]], part_type: str) -> list[dict[str, Any]]:
    """Returns the messages with marks at the system's text and at the last two texts sent to the model.

    This request reads the prefix that the previous request cached at its last mark. Every such text becomes a list of
    one part, marked or not, so that the beginning of a conversation stays the same.
    """
    key_of = {at: _text_key(message) for at, message in enumerate(messages)}
    told = [at for at, key in key_of.items() if key]
    marked = {*told[-2:], *(at for at in told[:1] if messages[at].get("role") == "system")}
    result = list(messages)
    for at in told:
        part = {"type": part_type, "text": messages[at][key_of[at]]}
        result[at] = {**messages[at], key_of[at]: [{**part, **_MARK} if at in marked else part]}
    return result


def _text_key(message: dict[str, Any]) -> str:
    if message.get("type") == "function_call_output":
        return "output"
    return "content" if message.get("role") in _TOLD else ""
