"""Marks for OpenAI's prompt cache, whose newer models read a prefix only where one ends."""

from typing import Any

_MARK = {"prompt_cache_breakpoint": {"mode": "explicit"}}
_TOLD = ("system", "user", "tool")


def mark_prefixes(messages: list[dict[str, Any]], part_type: str) -> list[dict[str, Any]]:
    """Returns the messages or items with marks at the system's text and at the last two texts told to the model.

    This request reads what the previous one wrote at its last mark. All such texts become lists of one part, so that
    the beginning of a conversation stays the same whether it is marked or not.
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
