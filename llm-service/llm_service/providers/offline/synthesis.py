"""Joins what several agents found into one report, by rules: their own lines, each once, with who wrote it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from llm_service.providers.offline.agents import AgentResult, names_of
from llm_service.providers.offline.differences import differences
from llm_service.providers.offline.facts import Fact, key_of, read_facts, without_numbers
from llm_service.providers.offline.history import ERROR, calls_of
from llm_service.providers.offline.jsontext import to_json
from llm_service.providers.offline.markdown import code_block, inline_code, plain, quotable
from llm_service.providers.offline.matching import nearness
from llm_service.providers.offline.measure import Measurement, measure
from llm_service.providers.offline.readings import troubled
from llm_service.providers.offline.rows import read_rows
from llm_service.providers.offline.sections import lines_about, quoted, read_sections, unmarked

if TYPE_CHECKING:
    from collections.abc import Iterable

    from llm_service.providers.offline.conversation import Conversation
    from llm_service.providers.offline.exchange import Exchange
    from llm_service.providers.offline.subject import Subject

NO_MODEL = (
    "No language model was involved. Fixed rules put this report together from lines that the agents wrote; they "
    "compare and quote, they do not understand. Set up an LLM provider for an analysis of the cause."
)
MAX_GAPS = 8
MAX_CHECKS = 8
MAX_EVIDENCE = 6
MAX_EVIDENCE_LINES = 3
MAX_ROW_LINES = 6
MAX_FAILURES = 8


def write_synthesis(conversation: Conversation, subject: Subject) -> str:
    """Write the joined report as Markdown."""
    agents = list(conversation.agents)
    facts = sorted(read_facts(agents, subject), key=lambda fact: -nearness(_tool_of(fact), subject))
    parts = [
        _summary(subject, agents, facts),
        _evidence(agents, subject),
        differences(agents, facts, subject),
        _failures(agents),
        _gaps(agents),
        _checks(agents),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def thinking_before_synthesis(conversation: Conversation) -> str:
    """What is streamed as thought before the report."""
    agents = list(conversation.agents)
    if not agents:
        return "There is no result of an agent to join."
    done = sum(1 for agent in agents if agent.finished)
    return (
        f"I have the results of {names_of(agents)}; {done} of {len(agents)} came to an end. I look for what several "
        "of them found, what only one found and where their numbers differ."
    )


def _summary(subject: Subject, agents: list[AgentResult], facts: list[Fact]) -> list[str]:
    lines = ["## Summary", "", f"**Alert:** {plain(subject.title) or 'no text'}", ""]
    shared = [fact for fact in facts if _is_shared(fact)]
    near = [fact for fact in facts if nearness(_tool_of(fact), subject) > 0]
    lead = next((fact for fact in facts if "the alert's condition" in fact.line), None) or next(
        iter(near + shared), None
    )
    if lead is not None:
        lines += [f"{quoted(lead.line)} ({_who(lead)})", ""]
    by_several = [f"- {quoted(fact.line)} ({_who(fact)})" for fact in shared if fact is not lead]
    if by_several:
        lines += ["**Several agents** found:", "", *by_several, ""]
    for agent in agents:
        own = [f.line for f in facts if f is not lead and not _is_shared(f) and f.agents[0] is agent]
        if own:
            name = plain(agent.name)
            lines += [f"**{name}** {_how_it_ended(agent)}:", "", *(f"- {quoted(line)}" for line in own), ""]
    if not facts:
        lines += ["No agent found anything that can be joined.", ""]
    lines.append(f"> {NO_MODEL}")
    return lines


def _tool_of(fact: Fact) -> str:
    """The tool that a line begins with, if it does."""
    found = re.match(r"`([^`]{1,200})`", fact.line)
    return found[1] if found else ""


def _is_shared(fact: Fact) -> bool:
    return len(fact.agents) + len(fact.nearly) > 1


def _who(fact: Fact) -> str:
    nearly = f"; {names_of(fact.nearly)} too, at another moment" if fact.nearly else ""
    return f"{names_of(fact.agents)}{nearly}"


def _how_it_ended(agent: AgentResult) -> str:
    if agent.analysis:
        return "found" if agent.finished else "did not finish, but found"
    return "wrote no analysis; its tools returned"


def _evidence(agents: list[AgentResult], subject: Subject) -> list[str]:
    """Lines that tools returned: the measured number, and the last lines that speak of trouble."""
    shown: dict[tuple[str, str], list[AgentResult]] = {}
    values: dict[tuple[str, str], tuple[str, str]] = {}
    for agent in agents:
        calls = [call for call in calls_of(agent.items) if not call.failed]
        measured = measure(calls, subject)
        for call in calls:
            lines, value = _telling(call, measured)
            key = (_call(call), "\n".join(lines))
            # Where only other numbers have moved since, the first reading is enough.
            if lines and values.setdefault((key[0], value or without_numbers(key[1])), key) == key:
                shown.setdefault(key, []).append(agent)
    if not shown:
        return []
    told = ["## Evidence", "", "Lines exactly as the tools returned them; long ones are cut at their end."]
    for (call_text, quote), who in list(shown.items())[:MAX_EVIDENCE]:
        told += ["", f"{names_of(who)}, {call_text}:", "", *code_block(quote.split("\n"))]
    return told


def _telling(call: Exchange, measured: Measurement | None) -> tuple[list[str], str]:
    """The lines of a result to show, and the measured value if they show it."""
    rows = read_rows(call.result or "")
    value = ""
    if measured is not None and call.tool == measured.tool and measured.row in rows:
        lines = [measured.row.header, *measured.row.text.split("\n")[:MAX_ROW_LINES]]
        value = measured.percentage.text
    else:
        lines = [row.text for row in rows if troubled(row)][-MAX_EVIDENCE_LINES:]
        if len(lines) == len(rows):
            lines = []  # of so short a result the summary says the same
    return [cut for line in lines if (cut := quotable(line)) is not None], value


def _call(call: Exchange) -> str:
    name = inline_code(call.tool)
    return f"{name} with {inline_code(to_json(call.arguments), 160)}" if call.arguments else name


def _failures(agents: list[AgentResult]) -> list[str]:
    lines: list[str] = []
    for agent in agents:
        if agent.finished:
            continue
        errors = [agent.error, *(item.text for item in agent.items if item.kind == ERROR)]
        told = next((error for error in errors if error), "")
        reason = f": {inline_code(told, 300)}" if told else ", without a reason given"
        lines.append(f"- **{plain(agent.name)}** {inline_code(agent.status or 'unknown status')}{reason}")
    failed: dict[tuple[str, str], list[AgentResult]] = {}
    for agent in agents:
        for call in calls_of(agent.items):
            if call.failed:
                first = next((line for line in (call.result or "").split("\n", 20) if line.strip()), "no result came")
                key = (_call(call), inline_code(first, 200))
                failed.setdefault(key, []).append(agent)
    lines += [f"- {names_of(who)}: {call} failed: {told}" for (call, told), who in list(failed.items())[:MAX_FAILURES]]
    if len(failed) > MAX_FAILURES:
        lines.append(f"- {len(failed) - MAX_FAILURES} more tool calls failed.")
    return ["## What failed", "", *lines] if lines else []


def _gaps(agents: list[AgentResult]) -> list[str]:
    """What the agents could not find out, without what another one looked at."""
    called = {call.tool for agent in agents for call in calls_of(agent.items)}
    found = _once((agent, _about(agent, "not known", "unknown", "gap", "open question")) for agent in agents)
    lines = [
        f"- {quoted(line)}"
        for line in found
        if not any(f"`{tool}`" in line for tool in called) and not line.startswith("The cause: rules cannot")
    ]
    silent = [agent for agent in agents if not agent.analysis]
    if silent:
        lines.append(f"- What {names_of(silent)} would have concluded.")
    cause = "- The cause: rules cannot draw conclusions from what the agents found."
    return ["## What is not known", "", cause, *lines[:MAX_GAPS]]


def _checks(agents: list[AgentResult]) -> list[str]:
    found = _once((agent, _about(agent, "next check", "next step", "what to do", "recommend")) for agent in agents)
    if not found:
        return []
    return ["## Next checks", "", *(f"{number}. {quoted(line)}" for number, line in enumerate(found[:MAX_CHECKS], 1))]


def _about(agent: AgentResult, *words: str) -> list[str]:
    return [unmarked(line) for line in lines_about(read_sections(agent.analysis), *words)]


def _once(lines: Iterable[tuple[AgentResult, list[str]]]) -> list[str]:
    found: dict[str, str] = {}
    for _, own in lines:
        for line in own:
            found.setdefault(key_of(line), line)
    return [line for line in found.values() if line]
