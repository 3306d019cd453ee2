"""Fills a tool's arguments from its JSON Schema, the alert and earlier results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from llm_service.providers.offline.entities import Entities, kind_of, normalise
from llm_service.providers.offline.harvest import looks_like_log
from llm_service.providers.offline.values import coerce, fits_enum, is_count, type_of, usual_count
from llm_service.providers.offline.words import STOPWORDS, tokenize

if TYPE_CHECKING:
    from collections.abc import Iterator

    from llm_service.providers.offline.subject import Subject
    from llm_service.providers.offline.toolspec import Parameter, ToolSpec

MAX_VARIANTS = 2
"""Calls of one tool that differ in one argument: two log files, two pods; more would be a scan."""

ALERT = "the alert"
RESULT = "an earlier result"
SCHEMA = "the tool's schema"

_NAME_PARAMETERS = frozenset({"name", "resource", "resourcename", "id", "object", "objectname"})
# Text that a tool would carry out.
_NEVER_FILLED = frozenset(
    {"command", "cmd", "exec", "executable", "exe", "program", "script", "code", "sql", "expression"}
)
_NAME_OWNERS = (
    "pod", "deployment", "statefulset", "daemonset", "job", "node", "namespace", "container",
    "service", "unit", "process", "dns", "lookup", "resolve", "host", "domain",
)  # fmt: skip
_KEYWORD_PARAMETERS = frozenset(
    "pattern query search q regex regexp text keyword keywords filter grep needle term contains match".split()
)
_DIRECTORY_WORDS = ("directory", "folder", "du", "disk", "filesystem", "mount", "volume")
_OPTIONAL_KINDS = frozenset(
    {"namespace", "pod", "container", "deployment", "node", "path", "mount", "pid", "port", "url", "host"}
)


@dataclass(frozen=True)
class Filled:
    """A call that can be made; origins says for each argument where its value is from."""

    arguments: dict[str, Any]
    origins: dict[str, str]


@dataclass(frozen=True)
class Knowledge:
    """What arguments can be filled from."""

    subject: Subject
    results: Entities


def fill(tool: ToolSpec, known: Knowledge) -> tuple[list[Filled], list[str]]:
    """Fill a tool's arguments.

    Returns:
        The calls that can be made, best first, and the required arguments that could not be filled;
        one of the two is empty.
    """
    fixed: dict[str, tuple[Any, str]] = {}
    varied: tuple[str, list[tuple[Any, str]]] | None = None
    missing: list[str] = []
    for parameter in tool.required:
        values = list(_usable(parameter, _candidates(parameter, tool, known)))
        if not values:
            missing.append(parameter.name)
        elif varied is None and len(values) > 1 and values[0][1] != SCHEMA:
            # One process from a result is an example; a second one would be a scan.
            single = parameter_kind(parameter, tool) == "pid" and values[0][1] == RESULT
            varied = (parameter.name, values[: 1 if single else MAX_VARIANTS])
        else:
            fixed[parameter.name] = values[0]
    if missing:
        return [], missing
    for parameter in tool.parameters or ():
        if not parameter.required:
            values = list(_usable(parameter, _optional(parameter, tool, known)))
            if values:
                fixed[parameter.name] = values[0]
    variants = [{**fixed, varied[0]: value} for value in varied[1]] if varied else [fixed]
    order = [parameter.name for parameter in tool.parameters or ()]
    return [
        Filled(
            arguments={name: variant[name][0] for name in order if name in variant},
            origins={name: variant[name][1] for name in order if name in variant},
        )
        for variant in variants
    ], []


def _usable(parameter: Parameter, candidates: Iterator[tuple[Any, str]]) -> Iterator[tuple[Any, str]]:
    seen: list[Any] = []
    for raw, origin in candidates:
        value = coerce(raw, parameter.schema)
        if value is not None and value not in seen:
            seen.append(value)
            yield value, origin


def _candidates(parameter: Parameter, tool: ToolSpec, known: Knowledge) -> Iterator[tuple[Any, str]]:
    schema = parameter.schema
    if "const" in schema:
        yield schema["const"], SCHEMA
        return
    kind = parameter_kind(parameter, tool)
    told = list(_from_alert(parameter, kind, known))
    yield from told
    if told:
        pass  # what the alert names is looked at, not what else turned up
    elif kind == "logpath":
        yield from ((path, RESULT) for path in known.results.get("logpath"))
    elif kind is not None:
        yield from ((value, RESULT) for value in known.results.get("file" if kind == "path" else kind))
    yield from ((value, ALERT) for value in fits_enum(schema, known.subject))
    if "default" in schema:
        yield schema["default"], SCHEMA
    if normalise(parameter.name) in _KEYWORD_PARAMETERS and _searches(tool):
        yield _keyword(known.subject), ALERT
    yield from _kubernetes(parameter, tool, known)
    if type_of(schema) == "boolean":
        yield False, SCHEMA
    if is_count(parameter.name, schema):
        yield usual_count(schema), SCHEMA


def _optional(parameter: Parameter, tool: ToolSpec, known: Knowledge) -> Iterator[tuple[Any, str]]:
    """Optional arguments are set when they make the answer fit the alert; else the tool's default holds."""
    kind = parameter_kind(parameter, tool)
    if kind in _OPTIONAL_KINDS:
        yield from _from_alert(parameter, kind, known)
    if kind == "directory":
        # Without it such tools show everything, which the root would not narrow.
        yield from ((value, origin) for value, origin in _from_alert(parameter, kind, known) if value != "/")
    if tool.is_about("process") and normalise(parameter.name) in _KEYWORD_PARAMETERS:
        yield from ((value, ALERT) for value in known.subject.entities.get("process"))
    yield from ((value, ALERT) for value in fits_enum(parameter.schema, known.subject))


def _from_alert(parameter: Parameter, kind: str | None, known: Knowledge) -> Iterator[tuple[Any, str]]:
    entities, fields = known.subject.entities, known.subject.fields
    if kind == "logpath":
        yield from ((path, ALERT) for path in entities.get("path") if looks_like_log(path))
        return
    if kind == "directory":
        yield from ((path, ALERT) for path in entities.get("mount") + entities.get("path"))
        return
    own = fields.get(normalise(parameter.name))
    if (
        own is not None
        and (kind is None or own in entities.get(kind))
        and normalise(parameter.name) not in _TOO_GENERAL
    ):
        yield own, ALERT
    if kind is not None:
        yield from ((value, ALERT) for value in entities.get("dnsname" if kind == "lookup" else kind))


_TOO_GENERAL = (
    _NAME_PARAMETERS
    | _KEYWORD_PARAMETERS
    | {"type", "kind", "status", "message", "description", "time"}
    | _NEVER_FILLED
)


def parameter_kind(parameter: Parameter, tool: ToolSpec) -> str | None:
    """What kind of thing an argument is, by its name and, for vague names, by the tool's."""
    name = normalise(parameter.name)
    if name in _NAME_PARAMETERS:
        owner = next((word for word in _NAME_OWNERS if tool.is_about(word)), None)
        if owner is None:
            owner = "pod" if name.startswith(("name", "resource")) and tool.is_about("resource") else None
        return "lookup" if owner in ("dns", "lookup", "resolve", "domain") else "service" if owner == "unit" else owner
    if name in _NEVER_FILLED:
        return None
    kind = kind_of(parameter.name)
    if kind is None:
        kind = next((kind_of(word) for word in reversed(tokenize(parameter.name)[-1:])), None)
    if kind == "path":
        if tool.is_about("log", "tail", "grep") or "log" in name:
            return "logpath"
        if tool.is_about(*_DIRECTORY_WORDS) or name in ("directory", "dir", "folder"):
            return "directory"
    return kind


def _searches(tool: ToolSpec) -> bool:
    return tool.is_about("search", "grep", "find", "log", "lookup")


def _keyword(subject: Subject) -> str:
    if subject.topics:
        return subject.topics[0].search
    return next((word for word in subject.words if word not in STOPWORDS), "error")


def _kubernetes(parameter: Parameter, tool: ToolSpec, known: Knowledge) -> Iterator[tuple[Any, str]]:
    """A general tool for any resource takes the kind apart from the name; a pod is what alerts name."""
    if tool.is_about("resource") and known.subject.entities.first("pod"):
        name = normalise(parameter.name)
        if name == "apiversion":
            yield "v1", ALERT
        elif name == "kind":
            yield "Pod", ALERT
