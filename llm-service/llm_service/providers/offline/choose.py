"""Chooses the next tool calls by matching words and known arguments; no argument is guessed."""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from llm_service.proto.llm_service_pb2 import TOOL_CLASS_READS, ToolDefinition
from llm_service.providers.offline.outputs import Output
from llm_service.providers.offline.records import find_entities
from llm_service.providers.offline.subject import Entities, Subject, kind_of, normalise
from llm_service.providers.offline.text import code, parse_json, words_of
from llm_service.providers.shared.text import as_dict, as_list, as_text

FITS = 1.0  # minimum score of a tool to call; a lower score is coincidence
# Score of a word in a tool's name, in its description, and the maximum score of a description.
NAME_WEIGHT, DESCRIPTION_WEIGHT, DESCRIPTION_MOST = 3.0, 0.7, 2.1
ARGUMENT_BONUS, RUNBOOK_BONUS, INSTRUCTED_BONUS = 1.5, 3.0, 2.0
# Factors of the score: of tools that the instructions do not name, and of tools that they leave to other agents.
OUTSIDE, SET_ASIDE = 0.5, 0.1
_SENTENCE = re.compile(r"(?<=[.;!?])\s+|\n\s*\n")
_ASIDE = re.compile(r"\b(?:leave|skip|ignore|do not|don't|never|(?:an)?other agents?)\b", re.IGNORECASE)
# The only tool that changes a system and that the rules call; the engine asks for approval first.
CLEANER = "remove_old_files"
ENGINE_SERVER = "tarsy"  # server of the engine's tools, which find tools instead of examining systems

# Parameters never filled by their name: a tool executes the value, or the name is too vague.
_NEVER = frozenset("command cmd exec program script code sql expression query id type kind status message name".split())
_LOG, _PACKED = re.compile(r"\.log[^/]*$|/logs?/"), re.compile(r"\.(gz|xz|bz2|zst|journal)$")
_OWNERS = ("pod", "deployment", "node", "namespace", "container", "service", "process")
# Kinds whose names serve for a kind that nothing names: services usually have the names of their workloads.
_INSTEAD = {"service": ("deployment",), "deployment": ("service",)}
_RESOLVES = frozenset(("dns", "lookup", "resolve", "domain"))
_TYPES: dict[str, type] = {"string": str, "integer": int, "boolean": bool, "array": list}


class Limits(NamedTuple):
    """Limits: `calls` in total, `at_once` per answer; tools below `near` (0 to 1) of the best score are left out.

    `tools` is the minimum number of tools to call, if enough tools need no argument.
    """

    calls: int
    at_once: int
    near: float
    tools: int


# Eight calls, because a responder reads eight results. Two tools: one for the symptom, one for its context.
INVESTIGATION = Limits(calls=8, at_once=3, near=0.25, tools=2)
# All tools, if the alert's condition holds or few tools answered: a cause may be where no word of the alert points to.
WIDER = Limits(calls=8, at_once=3, near=0.0, tools=8)
QUESTION = Limits(calls=4, at_once=2, near=0.6, tools=0)  # fewer, because a viewer waits for the answer


class Choice(NamedTuple):
    """A tool call and its reason, for the timeline."""

    tool: str
    arguments: dict[str, Any]
    reason: str


Parameter = tuple[str, dict[str, Any], bool]  # name, JSON Schema, required


class Tool(NamedTuple):
    """A tool, with the word stems of its name and description.

    `reads`: declared read-only. `parameters`: None if the schema cannot be read.
    """

    name: str
    words: list[str]
    described: list[str]
    parameters: list[Parameter] | None
    reads: bool


def read_tools(definitions: Iterable[ToolDefinition]) -> list[Tool]:
    """Reads the tools of a request, except the engine's own. Invalid schemas raise no error."""
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
    """Returns the schema, or of a nullable one its only other alternative; else a schema that accepts no value."""
    if not isinstance(schema, dict) or schema.keys() & {"$ref", "allOf"}:
        return {"type": "unknown"}
    options = schema.get("anyOf", schema.get("oneOf"))
    if options is None:
        return schema
    others = [one for one in as_list(options) if one != {"type": "null"}]
    return _plain(others[0]) if len(others) == 1 else {"type": "unknown"}


def _fill_arguments(tool: Tool, subject: Subject, results: Entities) -> tuple[dict[str, Any], list[str], bool]:
    """Returns the arguments, the required names without a value, and True if the subject's text gave any argument.

    Optional arguments come only from the subject's text. Required ones may also come from the schema's `const` or
    `default`, or else from earlier results.
    """
    arguments: dict[str, Any] = {}
    missing: list[str] = []
    named = False
    for name, schema, required in tool.parameters or ():
        value = _first_valid(schema, _values_in_text(tool, name, schema, subject))
        named |= value is not None
        if value is None and required:
            own = [schema[key] for key in ("const", "default") if key in schema]
            value = _first_valid(schema, own[:1] or _candidates(tool, _kind(tool, name), results))
        if value is not None:
            arguments[name] = value
        elif required:
            missing.append(name)
    return arguments, missing, named


def _kind(tool: Tool, parameter: str) -> str | None:
    """Returns the kind of entity that a parameter takes, or None.

    For a vague parameter such as `name`, the words of the tool's name decide.
    """
    if normalise(parameter) in ("name", "resourcename"):
        owner = next((word for word in _OWNERS if word in tool.words), None)
        return owner or ("host" if _RESOLVES.intersection(tool.words) else None)
    return kind_of(parameter)


def _values_in_text(tool: Tool, parameter: str, schema: dict[str, Any], subject: Subject) -> list[Any]:
    """Returns a parameter's values in the text: enum values, entities of its kind, or the field of the same name."""
    options = schema.get("enum")
    if isinstance(options, list):
        return [one for one in options[:200] if isinstance(one, str) and set(words_of(one)) & subject.words.keys()]
    if (kind := _kind(tool, parameter)) is not None:
        return _candidates(tool, kind, subject.entities)
    name = normalise(parameter)
    return [subject.entities.fields[name]] if name in subject.entities.fields and name not in _NEVER else []


def _candidates(tool: Tool, kind: str | None, entities: Entities) -> list[str]:
    """Returns the entities of a kind; log tools get no folders and no compressed files."""
    for_logs = kind == "path" and {"log", "tail", "grep"}.intersection(tool.words)
    values = next(
        (found for one in (kind, *_INSTEAD.get(kind or "", ())) if (found := entities.kinds.get(one or ""))), []
    )
    return [one for one in values if not for_logs or (_LOG.search(one) and not _PACKED.search(one))]


def _first_valid(schema: dict[str, Any], values: list[Any]) -> Any | None:
    return next((one for one in (_convert(value, schema) for value in values) if one is not None), None)


def _convert(value: Any, schema: dict[str, Any]) -> Any | None:
    """Returns the value converted to the schema's type; None if the schema does not accept the value."""
    kind = schema.get("type", "string")
    if isinstance(kind, list):
        kind = next((one for one in kind if one != "null"), None)
    if kind == "array" and isinstance(value, str):
        one = _convert(value, as_dict(schema.get("items")))
        return None if one is None else [one]
    if kind == "integer" and isinstance(value, str) and re.fullmatch(r"\d{1,15}", value):
        value = int(value)
        low, high = schema.get("minimum", value), schema.get("maximum", value)
        if not (isinstance(low, int | float) and isinstance(high, int | float) and low <= value <= high):
            return None
    # Checks the type, because a schema's default may be of any type.
    fits = isinstance(value, _TYPES.get(as_text(kind), ())) and value in as_list(schema.get("enum", [value]))
    return value if fits else None


def plan_calls(
    tools: list[Tool],
    subject: Subject,
    made: list[Output],
    limits: Limits,
    *,
    runbook: str = "",
    instructions: str = "",
) -> tuple[list[Choice], list[str]]:
    """Returns the next calls, and the gaps. No tool is called twice; without a call, the report is due.

    A gap names a suitable tool that cannot be called, and the reason.
    """
    results = find_entities(made, subject)
    gaps: list[str] = []
    names = {word for tool in tools for word in tool.words}
    instructed, aside = _words(instructions, names, aside=False), _words(instructions, names, aside=True)
    used = {one.tool for one in made}
    options: list[tuple[float, Choice]] = []
    left_to_others: set[str] = set()
    best = 0.0
    for tool in tools:
        score, reasons = _fit(tool, subject)
        left = False
        of_runbook = bool(runbook) and tool.name.split(".", 1)[-1] in runbook
        if of_runbook:
            reasons = [*reasons, "the runbook names it"]
        if instructed.intersection(tool.words):
            score, reasons = score + INSTRUCTED_BONUS, [*reasons, "my instructions name it"]
        elif instructed or aside:
            left = bool((aside - instructed).intersection(tool.words))
            score *= SET_ASIDE if left else OUTSIDE
        score += RUNBOOK_BONUS * of_runbook
        arguments, missing, named = _fill_arguments(tool, subject, results)
        why = f"No result of {code(tool.name)}: nothing gives its {', '.join(map(code, missing[:6]))}."
        if tool.name in used and not tool.reads:
            continue
        if not tool.reads or tool.parameters is None:
            why = (
                f"{code(tool.name)}: not called, because it is not known to only read, or its parameters are unreadable"
            )
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
            left_to_others.update({tool.name} if left else ())
    options.sort(key=lambda one: (-one[0], one[1].tool))
    least = max(FITS, limits.near * best)
    fitting = [one for score, one in options if score >= least]
    spare = [one for score, one in options if score < least and not one.arguments and one.tool not in left_to_others]
    chosen = fitting + spare[: max(0, limits.tools - len(fitting) - len(used))]
    return chosen[: max(0, min(limits.at_once, limits.calls - len(made)))], gaps


def plan_cleanup(tools: list[Tool], made: list[Output], measured: Output) -> list[Choice]:
    """Returns one call that removes old files; after its success, one call that repeats the measurement."""
    done = next((one for one in made if one.tool.split(".", 1)[-1] == CLEANER), None)
    if done and done.answered and made.index(measured) < made.index(done):
        return [Choice(measured.tool, measured.arguments, "it was measured before old files were removed")]
    cleaners = [tool.name for tool in tools if tool.name.split(".", 1)[-1] == CLEANER and not done]
    return [Choice(name, {}, "the alert's condition holds, and old files can be spared") for name in cleaners[:1]]


def _fit(tool: Tool, subject: Subject) -> tuple[float, list[str]]:
    words, name = subject.words, dict.fromkeys(tool.words)
    described = sorted(word for word in tool.described if word in words and word not in name)
    score = sum(words.get(word, 0.0) * NAME_WEIGHT for word in name)
    score += min(DESCRIPTION_MOST, sum(words[word] * DESCRIPTION_WEIGHT for word in described))
    hits = [*(word for word in name if word in words), *described]
    return score, [f"its words fit ({', '.join(hits[:4])})"] if hits else []


def _words(instructions: str, names: set[str], *, aside: bool) -> set[str]:
    """Returns the words of tool names that the instructions mention or, with `aside`, leave to other agents."""
    sentences = (one for one in _SENTENCE.split(instructions[:20_000]) if bool(_ASIDE.search(one)) is aside)
    return {word for sentence in sentences for word in names.intersection(words_of(sentence))}
