"""Which tools to call next, and with what: those whose words fit and whose arguments are known; no value is guessed."""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from llm_service.proto.llm_service_pb2 import TOOL_CLASS_READS, ToolDefinition
from llm_service.providers.offline.about import About, Things, kind_of, normalise
from llm_service.providers.offline.outputs import Output, harvest
from llm_service.providers.offline.text import code, parse_json, words_of
from llm_service.providers.shared.text import as_dict, as_list, as_text

FITS = 1.0  # below this a fit is taken for chance
NAME_WEIGHT, DESCRIPTION_WEIGHT, DESCRIPTION_MOST = 3.0, 0.7, 2.1  # descriptions have words by chance
ARGUMENT_BONUS, RUNBOOK_BONUS, INSTRUCTED_BONUS = 1.5, 3.0, 2.0
OUTSIDE, SET_ASIDE = 0.5, 0.1  # what is left of a score, by the agent's instructions
_SENTENCE = re.compile(r"(?<=[.;!?])\s+|\n\s*\n")
_ASIDE = re.compile(r"\b(?:leave|skip|ignore|do not|don't|never|(?:an)?other agents?)\b", re.IGNORECASE)
CLEANER = "remove_old_files"  # the one changing tool that rules know; the engine asks people before it is called
ENGINE_SERVER = "tarsy"  # tools of the engine itself look for tools, not at what is in trouble

# Text that a tool would carry out, or that is too vague to be taken by its name.
_NEVER = frozenset("command cmd exec program script code sql expression query id type kind status message name".split())
_LOG, _PACKED = re.compile(r"\.log[^/]*$|/logs?/"), re.compile(r"\.(gz|xz|bz2|zst|journal)$")
_OWNERS = ("pod", "deployment", "node", "namespace", "container", "service", "process")
_RESOLVES = frozenset(("dns", "lookup", "resolve", "domain"))
_TYPES: dict[str, type] = {"string": str, "integer": int, "boolean": bool, "array": list}


class Limits(NamedTuple):
    """How far to look: calls in all and of one answer; tools that fit less than `near` of the best are left out."""

    calls: int
    at_once: int
    near: float
    tools: int


# Eight answers are what a person reads in a report without skipping. One shows a symptom, a second what it comes with.
INVESTIGATION = Limits(calls=8, at_once=3, near=0.25, tools=2)
# A question asks for one thing, and somebody waits.
QUESTION = Limits(calls=4, at_once=2, near=0.6, tools=0)


class Choice(NamedTuple):
    """A call to make, and why, for people."""

    tool: str
    arguments: dict[str, Any]
    reason: str


Parameter = tuple[str, dict[str, Any], bool]  # its name, its JSON Schema, and whether a call must have it


class Tool(NamedTuple):
    """A tool; words are stems. It reads when the operator or its server says so; parameters are None if unreadable."""

    name: str
    words: list[str]
    described: list[str]
    parameters: list[Parameter] | None
    reads: bool


def read_tools(definitions: Iterable[ToolDefinition]) -> list[Tool]:
    """Read the tools of a request, whatever their schemas are worth."""
    tools = []
    for one in sorted(definitions, key=lambda definition: definition.name):
        server, _, name = one.name.partition(".")
        if server != ENGINE_SERVER:
            words, described = words_of(name or server), words_of(one.description[:2000])
            reads = one.tool_class == TOOL_CLASS_READS
            tools.append(Tool(one.name, words, described, _parameters(one.parameters_schema), reads))
    return tools


def _parameters(text: str) -> list[Parameter] | None:
    schema = parse_json(text) if text.strip() else {}
    if not isinstance(schema, dict):
        return None
    properties, required = schema.get("properties", {}), schema.get("required", [])
    if not isinstance(properties, dict) or not isinstance(required, list) or len(properties) > 100:
        return None
    names = dict.fromkeys([*map(str, required), *properties])
    return [(name, _plain(properties.get(name, {})), name in required) for name in names]


def _plain(schema: object) -> dict[str, Any]:
    """The schema where it is of one type, also where null is another; else one that nothing fits."""
    if not isinstance(schema, dict) or schema.keys() & {"$ref", "allOf"}:
        return {"type": "unknown"}
    options = schema.get("anyOf", schema.get("oneOf"))
    if options is None:
        return schema
    others = [one for one in as_list(options) if one != {"type": "null"}]
    return _plain(others[0]) if len(others) == 1 else {"type": "unknown"}


def _fill(tool: Tool, about: About, results: Things) -> tuple[dict[str, Any], list[str], bool]:
    """The arguments, what else a call must have (schema and earlier results give it too), and if the text gives any."""
    arguments: dict[str, Any] = {}
    missing: list[str] = []
    named = False
    for name, schema, required in tool.parameters or ():
        kind = _kind(tool, name)
        value = _first(schema, _told(tool, name, kind, schema, about))
        named |= value is not None
        if value is None and required:
            own = [schema[key] for key in ("const", "default") if key in schema]
            value = _first(schema, own[:1] or _takable(tool, kind, results))
        if value is not None:
            arguments[name] = value
        elif required:
            missing.append(name)
    return arguments, missing, named


def _kind(tool: Tool, parameter: str) -> str | None:
    """A vague name is of the kind of thing that the tool's own name speaks of."""
    if normalise(parameter) in ("name", "resourcename"):
        owner = next((word for word in _OWNERS if word in tool.words), None)
        return owner or ("host" if _RESOLVES.intersection(tool.words) else None)
    return kind_of(parameter)


def _told(tool: Tool, parameter: str, kind: str | None, schema: dict[str, Any], about: About) -> list[Any]:
    """What the text says of it: the choice whose word it says, the things of its kind, what stands under its name."""
    options = schema.get("enum")
    if isinstance(options, list):
        return [one for one in options[:200] if isinstance(one, str) and set(words_of(one)) & about.words.keys()]
    if kind is not None:
        return _takable(tool, kind, about.things)
    name = normalise(parameter)
    return [about.things.fields[name]] if name in about.things.fields and name not in _NEVER else []


def _takable(tool: Tool, kind: str | None, things: Things) -> list[str]:
    """The things of a kind; a tool for logs is not given a folder, nor what is packed."""
    for_logs = kind == "path" and {"log", "tail", "grep"}.intersection(tool.words)
    values = things.kinds.get(kind or "", ())
    return [one for one in values if not for_logs or (_LOG.search(one) and not _PACKED.search(one))]


def _first(schema: dict[str, Any], values: list[Any]) -> Any | None:
    return next((one for one in (_fitting(value, schema) for value in values) if one is not None), None)


def _fitting(value: Any, schema: dict[str, Any]) -> Any | None:
    """The value in the form that the schema asks for; None when it does not fit."""
    kind = schema.get("type", "string")
    if isinstance(kind, list):
        kind = next((one for one in kind if one != "null"), None)
    if kind == "array" and isinstance(value, str):
        one = _fitting(value, as_dict(schema.get("items")))
        return None if one is None else [one]
    if kind == "integer" and isinstance(value, str) and re.fullmatch(r"\d{1,15}", value):
        value = int(value)
        low, high = schema.get("minimum", value), schema.get("maximum", value)
        if not (isinstance(low, int | float) and isinstance(high, int | float) and low <= value <= high):
            return None
    # A default of the schema itself may be of any of these.
    fits = isinstance(value, _TYPES.get(as_text(kind), ())) and value in as_list(schema.get("enum", [value]))
    return value if fits else None


def make_plan(
    tools: list[Tool], about: About, made: list[Output], limits: Limits, *, runbook: str = "", instructions: str = ""
) -> tuple[list[Choice], list[str]]:
    """Choose the next calls, each tool once (none: it is time to report), and say which fitting ones cannot be made."""
    results = harvest(made, about)
    gaps: list[str] = []
    names = {word for tool in tools for word in tool.words}
    told, aside = _words(instructions, names, aside=False), _words(instructions, names, aside=True)
    used = {one.tool for one in made}
    options: list[tuple[float, Choice]] = []
    best = 0.0
    for tool in tools:
        score, reasons = _fit(tool, about)
        if runbook and tool.name.split(".", 1)[-1] in runbook:
            score, reasons = score + RUNBOOK_BONUS, [*reasons, "the runbook names it"]
        if told.intersection(tool.words):
            score, reasons = score + INSTRUCTED_BONUS, [*reasons, "my instructions name it"]
        elif told or aside:
            score *= SET_ASIDE if (aside - told).intersection(tool.words) else OUTSIDE
        arguments, missing, named = _fill(tool, about, results)
        why = f"What {code(tool.name)} would show: nothing gives its {', '.join(map(code, missing[:6]))}."
        if tool.name in used and not tool.reads:
            continue
        if not tool.reads or tool.parameters is None:
            why = f"{code(tool.name)}: not called, as nobody says that it only reads, or its parameters cannot be read"
        elif not missing:
            why = ""
        if why:
            gaps += [why] if score >= FITS else []
            continue
        score += ARGUMENT_BONUS if named and score else 0
        best = max(best, score)
        if tool.name not in used:
            reason = " and ".join(reasons) or "it needs nothing and gives an overview"
            options.append((score, Choice(tool.name, arguments, reason)))
    options.sort(key=lambda one: (-one[0], one[1].tool))
    least = max(FITS, limits.near * best)
    fitting = [one for score, one in options if score >= least]
    spare = [one for score, one in options if score < least and not one.arguments]
    chosen = fitting + spare[: max(0, limits.tools - len(fitting) - len(used))]
    return chosen[: max(0, min(limits.at_once, limits.calls - len(made)))], gaps


def clean_up(tools: list[Tool], made: list[Output], measured: Output) -> list[Choice]:
    """Ask once that old files be removed; what was measured before they were is measured again."""
    done = next((one for one in made if one.tool.split(".", 1)[-1] == CLEANER), None)
    if done and done.answered and made.index(measured) < made.index(done):
        return [Choice(measured.tool, measured.arguments, "it was measured before old files were removed")]
    cleaners = [tool.name for tool in tools if tool.name.split(".", 1)[-1] == CLEANER and not done]
    return [Choice(name, {}, "the alert's condition holds, and old files can be spared") for name in cleaners[:1]]


def _fit(tool: Tool, about: About) -> tuple[float, list[str]]:
    words, name = about.words, dict.fromkeys(tool.words)
    described = sorted(word for word in tool.described if word in words and word not in name)
    score = sum(words.get(word, 0.0) * NAME_WEIGHT for word in name)
    score += min(DESCRIPTION_MOST, sum(words[word] * DESCRIPTION_WEIGHT for word in described))
    hits = [*(word for word in name if word in words), *described]
    return score, [f"its words fit ({', '.join(hits[:4])})"] if hits else []


def _words(instructions: str, names: set[str], *, aside: bool) -> set[str]:
    """Words of tool names that an agent's instructions speak of, or leave to others."""
    sentences = (one for one in _SENTENCE.split(instructions[:20_000]) if bool(_ASIDE.search(one)) is aside)
    return {word for sentence in sentences for word in names.intersection(words_of(sentence))}
