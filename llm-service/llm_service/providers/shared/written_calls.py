"""Finds tool calls that a model wrote as text, in the templates of models or as plain JSON."""

import json
import re
from typing import Any, NamedTuple

from llm_service.providers.shared.text import as_list, as_text, to_json

MAX_HELD = 64_000  # maximum characters that are held back; a longer text is not a call

# Beginnings of calls at the start of a line. Text from there on is held back until it is clear what it is.
_TOKENS = (
    "<function", "<tool_call", "<invoke", "<minimax:tool_call", "<|python_tag|>", "<|tool_call", "<|channel|>",
    "<|start|>", "<｜tool▁call", "[TOOL_CALLS]", "<|action_start|>",
)  # fmt: skip
_PLAIN = ("{", "[{", "```json\n", "```\n", "```tool_call\n", "```tool_code\n")
_LINE = re.compile(r"^[ \t]*(?=[<\[{`])", re.MULTILINE)
# Matches the first key of a JSON object. A call begins with a key of _KEYS.
_FIRST_KEY = re.compile(r"(?:```\w*\n)?\s*\[?\s*\{\s*\"([^\"]*)\"")
_IN_FENCE = re.compile(r"```\w*\n\s*(\S)")
_KEYS = frozenset("name tool tool_name function type id arguments parameters args input tool_calls action".split())
_ARGUMENTS = ("arguments", "parameters", "args", "input", "action_input")
_NAMES = ("name", "tool_name", "tool", "function", "action", "recipient_name")

_XML_CALL = re.compile(
    r"<(?:function=|invoke\s+name=|tool_call>)\s*[\"']?([\w.:/-]+)[\"']?\s*>?\s*"
    r"(<(?:parameter|arg_key)\b.*?)(?=</(?:function|invoke|tool_call)>|\Z)",
    re.DOTALL,
)
_XML_ARGUMENT = re.compile(r"<parameter(?:=|\s+name=)[\"']?([^\"'>]{1,200})[\"']?>\n?|<arg_key>")
_XML_VALUE = re.compile(r"</arg_key>\s*<arg_value>")
_FUNCTION = re.compile(r"<function=([\w.:/-]+)>")
_CHANNEL = re.compile(r"<\|channel\|>\w+ to=([\w.:/-]+)[^{]*")
_NOISE = re.compile(
    r"function<｜tool▁sep｜>|<[|｜][^|｜>]*[|｜]>|</?(?:[a-z]+:)?(?:tool_calls?|function(?:_calls?)?|invoke)>"
    r"|\[/?TOOL_CALLS\]|\[(?:ARGS|CALL_ID)\]|```(?:\w+)?"
)
_NAME = re.compile(r"([\w.:/-]+)\s*(?=\{)")
_BLANKS = re.compile(r"[ \t]*")
_SPACE = re.compile(r"\s*")
_GAP = re.compile(r"[\s,;]*")


class WrittenCall(NamedTuple):
    """A call written as text: the name as written, and its arguments as JSON."""

    name: str
    arguments: str


class HeldText(NamedTuple):
    """The end of an answer that was held back. `token`: it begins with a token that only calls contain."""

    text: str
    calls: list[WrittenCall] | None
    token: bool


class CallGate:
    """Holds back streamed text from a line on that may begin a call, until it is clear that it does not."""

    def __init__(self) -> None:
        self._held = ""
        self._at_start = True  # only blanks stand before the held text in its line
        self._next_check = 0  # length of the held text at which it is checked again

    def add(self, piece: str) -> str:
        """Adds a piece of text. Returns the text that may be shown."""
        self._held += piece
        text = self._held
        if len(text) < self._next_check:
            return ""
        at = 0  # the text before this index can be shown
        while (begin := self._candidate(at)) < len(text):
            if len(text) - begin <= MAX_HELD and _may_be_call(text[begin:]):
                break
            # No call begins at this line, so the search continues after its first character.
            at, self._at_start = _skip(_BLANKS, text, begin) + 1, False
        if begin > at:
            self._at_start = _ends_line(text[at:begin], self._at_start)
        self._held = text[begin:]
        # Each check reads the whole text. Checking less often as it grows keeps the total time linear in its length.
        self._next_check = len(self._held) + len(self._held) // 16
        return text[:begin]

    def end(self) -> HeldText:
        """Ends the text. Returns what was held back."""
        held, self._held = self._held, ""
        text = held.lstrip()
        return HeldText(held, written_calls(text) if text else None, text.startswith(_TOKENS))

    def _candidate(self, at: int) -> int:
        """Returns where the first line from `at` on begins that may be a call; the end of the text if none does."""
        for match in _LINE.finditer(self._held, at):
            if match.start() > 0 or self._at_start:
                return match.start()
        return len(self._held)


def _skip(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Returns the end of the pattern's match at a position; the position if it does not match."""
    found = pattern.match(text, at)
    return found.end() if found else at


def _ends_line(text: str, at_start: bool) -> bool:
    last = text.rpartition("\n")
    return not last[2].strip() and (bool(last[1]) or at_start)


def _may_be_call(held: str) -> bool:
    text = held.lstrip(" \t")
    if len(text) > MAX_HELD:
        return False
    if any(text.startswith(token) or token.startswith(text) for token in _TOKENS):
        return True
    if not any(text.startswith(begin) or begin.startswith(text) for begin in _PLAIN):
        return False
    begun = _IN_FENCE.match(text)
    if begun is not None and begun[1] not in "{[":
        return False  # no JSON follows the fence, which may also be the end of an earlier block
    key = _FIRST_KEY.match(text)
    if key is not None and key[1] not in _KEYS:
        return False
    # JSON followed by prose is a quotation, not a call.
    body, fence, after = text.removeprefix("```").partition("\n```") if text.startswith("```") else (text, "", "")
    return not after.strip() if fence else _is_open(body)


def _is_open(text: str) -> bool:
    start = re.search(r"[\[{]", text)
    if start is None:
        return True
    try:
        _, end = json.JSONDecoder(strict=False).raw_decode(text, start.start())
    except (ValueError, RecursionError):
        return True
    rest = text[end:].strip("` \n\t")
    return not rest or rest[0] in "[{<,"


def written_calls(text: str) -> list[WrittenCall] | None:
    """Returns the calls in a text that consists only of calls; None for any other text."""
    text = _XML_CALL.sub(lambda found: f"\n{found[1]}{to_json(_xml_arguments(found[2]))}", text)
    text = _CHANNEL.sub(r"\n\1", _FUNCTION.sub(r"\n\1", text))
    text = _NOISE.sub("\n", text)
    calls: list[WrittenCall] = []
    at = _skip(_SPACE, text, 0)
    while at < len(text):
        named = _NAME.match(text, at)
        try:
            value, at = json.JSONDecoder(strict=False).raw_decode(text, named.end() if named else at)
        except (ValueError, RecursionError):
            return None
        found = [WrittenCall(named[1], to_json(value))] if named and isinstance(value, dict) else _from_json(value)
        if not found:
            return None
        calls += found
        at = _skip(_GAP, text, at)
    return calls or None


def _xml_arguments(text: str) -> dict[str, Any]:
    arguments: dict[str, Any] = {}
    at = 0
    while opened := _XML_ARGUMENT.search(text, at):
        key, at, close = opened[1], opened.end(), "</parameter>"
        if key is None:
            between = _XML_VALUE.search(text, at)
            if between is None:
                break
            key, at, close = text[at : between.start()], between.end(), "</arg_value>"
        end = text.find(close, at)
        if end < 0:
            break
        arguments[key.strip()] = text[at:end].removesuffix("\n")
        at = end
    return arguments


def _from_json(value: Any) -> list[WrittenCall]:
    if isinstance(value, list):
        each = [_from_json(one) for one in value]
        return [call for calls in each for call in calls] if all(each) else []
    if not isinstance(value, dict):
        return []
    if as_list(value.get("tool_calls")):
        return _from_json(value["tool_calls"])
    if isinstance(value.get("function"), dict):
        return _from_json(value["function"])
    name = next((as_text(value[key]) for key in _NAMES if as_text(value.get(key))), "")
    key = next((key for key in _ARGUMENTS if key in value), None)
    if not name or key is None:
        return []
    arguments = value[key]
    return [WrittenCall(name, arguments if isinstance(arguments, str) else to_json(arguments or {}))]
