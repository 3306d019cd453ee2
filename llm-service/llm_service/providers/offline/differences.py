"""Where agents give different numbers for the same thing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llm_service.providers.offline.facts import other_numbers
from llm_service.providers.offline.history import calls_of
from llm_service.providers.offline.markdown import inline_code, plain
from llm_service.providers.offline.measure import Measurement, measure
from llm_service.providers.offline.sections import quoted

if TYPE_CHECKING:
    from llm_service.providers.offline.agents import AgentResult
    from llm_service.providers.offline.facts import Fact
    from llm_service.providers.offline.subject import Subject

MAX_DIFFERENCES = 5
MAX_POINTS = 1.0
"""Agents measure at different moments; so many points a percentage may move meanwhile."""


def differences(agents: list[AgentResult], facts: list[Fact], subject: Subject) -> list[str]:
    """A section on the differences, or nothing."""
    lines = [*_of_the_measure(agents, subject), *_of_lines(facts)][:MAX_DIFFERENCES]
    if not lines:
        return []
    return ["## Where the agents differ", "", *lines, "", "Rules cannot decide between them; measure again."]


def _of_the_measure(agents: list[AgentResult], subject: Subject) -> list[str]:
    """The percentage that the alert is about, if agents have read different ones."""
    found: dict[tuple[str, str], list[tuple[AgentResult, Measurement]]] = {}
    for agent in agents:
        measured = measure([call for call in calls_of(agent.items) if not call.failed], subject)
        if measured is not None:
            found.setdefault((measured.label, measured.percentage.name), []).append((agent, measured))
    lines = []
    limit = subject.limit.percent if subject.limit else None
    for (label, name), readings in found.items():
        values = [measured.percentage.value for _, measured in readings]
        crossed = limit is not None and min(values) <= limit < max(values)
        if max(values) - min(values) > MAX_POINTS or crossed:
            told = "; ".join(
                f"{plain(agent.name)} {inline_code(measured.percentage.text)} by {inline_code(measured.tool)}"
                for agent, measured in readings
            )
            sides = f" — on both sides of the alert's limit of {limit:g} %" if crossed else ""
            lines.append(f"- {inline_code(name)} of {inline_code(label or 'the host')}: {told}{sides}.")
    return lines


def _of_lines(facts: list[Fact]) -> list[str]:
    """Lines that are the same but for their numbers."""
    lines = []
    for fact in facts:
        for agent, line in fact.otherwise:
            one, two = plain(fact.agents[0].name), plain(agent.name)
            told = "; ".join(
                f"{one} {inline_code(a)}, {two} {inline_code(b)}" for a, b in other_numbers(fact.line, line)[:4]
            )
            lines.append(f"- {told}, in: {quoted(fact.line)}")
    return lines
