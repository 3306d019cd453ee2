"""Writes the report: what the tools returned, quoted, and what nobody has found out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from llm_service.providers.offline.findings import sentence, verdict
from llm_service.providers.offline.jsontext import to_json
from llm_service.providers.offline.markdown import code_block, inline_code, plain
from llm_service.providers.offline.quotes import choose_quotes
from llm_service.providers.offline.summary import key_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

    from llm_service.providers.offline.conversation import Conversation
    from llm_service.providers.offline.exchange import Exchange
    from llm_service.providers.offline.planner import Plan
    from llm_service.providers.offline.subject import Subject

NO_MODEL = (
    "No language model was involved. Fixed rules chose the tools and put this report together; they compare and "
    "quote, they do not understand. Set up an LLM provider for an analysis of the cause."
)
MAX_SENTENCES = 12
MAX_CHECKS = 6


def write_report(conversation: Conversation, subject: Subject, plan: Plan) -> str:
    """Write the report as Markdown."""
    exchanges = list(conversation.exchanges)
    answered = [exchange for exchange in exchanges if exchange.result is not None and not exchange.failed]
    failed = [exchange for exchange in exchanges if exchange.result is None or exchange.failed]
    claim, measurement = verdict(answered, subject)
    parts = [
        _summary(conversation, subject, answered, failed, claim),
        _earlier(conversation),
        _checked(answered, subject),
        _failed(failed),
        _unknown(subject, plan, nothing_checked=not answered, measured=measurement is not None),
        _next(subject),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _summary(
    conversation: Conversation, subject: Subject, answered: list[Exchange], failed: list[Exchange], claim: str
) -> list[str]:
    lines = ["## Summary", "", f"**Alert:** {plain(subject.title) or 'no text'}", ""]
    if conversation.question:
        lines += [f"**Question:** {plain(conversation.question)}", ""]
    if not answered:
        reason = "every tool call failed" if failed else "no tool was there to look with, or none fitted the alert"
        lines += [f"Nothing could be checked: {reason}. What follows is only what the alert itself says.", ""]
        names = [f"{kind} {inline_code(values[0])}" for kind, values in subject.entities.items()][:8]
        if names:
            lines += [f"It names: {', '.join(names)}.", ""]
    if claim:
        lines += [claim, ""]
    if answered:
        # The last results follow from the first ones; both ends are worth telling.
        lines += [f"- {sentence(exchange, subject)}" for exchange in answered[:MAX_SENTENCES]]
        if len(answered) > MAX_SENTENCES:
            lines.append("- Further results are quoted below.")
        if failed:
            lines.append(f"- {len(failed)} of {len(answered) + len(failed)} tool calls failed.")
        lines.append("")
    lines.append(f"> {NO_MODEL}")
    return lines


def _earlier(conversation: Conversation) -> list[str]:
    if not conversation.previous:
        return []
    lines = ["## From earlier stages", ""]
    for analysis in conversation.previous[:6]:
        lines += [f"> {plain(line)}" for line in key_lines(analysis, 3)] + [""]
    return lines[:-1]


def _checked(answered: list[Exchange], subject: Subject) -> list[str]:
    if not answered:
        return []
    lines = [
        "## What was checked",
        "",
        "Quoted lines are exactly as the tools returned them; long lines are cut at their end.",
    ]
    for number, exchange in enumerate(answered, 1):
        lines += ["", f"### {number}. {_call(exchange)}", ""]
        result = exchange.result or ""
        quotes = choose_quotes(result, subject)
        total = result.count("\n") + 1 if result else 0
        if not quotes:
            lines.append("The result has no line that can be quoted." if result.strip() else "The result is empty.")
            continue
        if total > len(quotes):
            lines += [f"{len(quotes)} of {total} lines:", ""] if total > 1 else []
        lines += code_block(quotes)
    return lines


def _failed(failed: list[Exchange]) -> list[str]:
    if not failed:
        return []
    lines = ["## What failed", ""]
    for exchange in failed:
        told = (
            "no result came back"
            if exchange.result is None
            else f"the tool said {inline_code(_first_line(exchange.result), 200)}"
        )
        lines.append(f"- {_call(exchange)}: {told}")
    return lines


def _unknown(subject: Subject, plan: Plan, *, nothing_checked: bool, measured: bool) -> list[str]:
    lines = ["## What is not known", "", "- The cause: rules cannot draw conclusions from what was found."]
    if not measured and not nothing_checked:
        why = "the alert names no limit to compare with" if subject.limit is None else "no result gives its number"
        lines.append(f"- Whether the alert's condition still holds: {why}.")
    for tool, missing in plan.unfilled[:6]:
        names = ", ".join(inline_code(name) for name in missing[:6])
        lines.append(f"- What {inline_code(tool)} would show: neither the alert nor a result gives {names}.")
    lines += [
        f"- What {inline_code(tool)} would show: its parameter schema cannot be read." for tool in plan.unreadable[:6]
    ]
    if plan.left_alone:
        names = ", ".join(inline_code(name) for name in plan.left_alone[:8])
        lines.append(f"- {names}: not called, as neither the operator nor its server says that it only reads.")
    if subject.runbook:
        lines.append("- Whether the runbook's steps lead further: rules only looked up which tools it names.")
    return lines


def _next(subject: Subject) -> list[str]:
    target = subject.target()
    where = inline_code(target) if target else "what the alert names"
    path = subject.entities.first("mount", "path") or "/"
    safe_path = path if re.fullmatch(r"[\w./@%+-]{1,200}", path) else "/"
    checks = [check.format(target=where, path=safe_path) for topic in subject.topics[:2] for check in topic.checks]
    checks = list(dict.fromkeys(checks))[: MAX_CHECKS - 1]
    checks.append("Check what was changed, deployed or scheduled shortly before the alert began.")
    return ["## Next checks", "", *(f"{number}. {check}" for number, check in enumerate(checks, 1))]


def _call(exchange: Exchange) -> str:
    if not exchange.arguments:
        return inline_code(exchange.tool)
    return f"{inline_code(exchange.tool)} with {inline_code(to_json(exchange.arguments), 200)}"


def _first_line(text: str) -> str:
    return next((line for line in text.split("\n", 20) if line.strip()), "nothing")


def thinking_before_report(conversation: Conversation) -> str:
    """What is streamed as thought before the report."""
    exchanges: Iterable[Exchange] = conversation.exchanges
    good = sum(1 for exchange in exchanges if exchange.result is not None and not exchange.failed)
    bad = len(conversation.exchanges) - good
    if not conversation.exchanges:
        return "No tool can be called for this alert. I write down what the alert says and what should be checked."
    tail = f", {bad} failed" if bad else ""
    return f"No further tool fits. {good} tool results to report on{tail}. Now I hold them against the alert."
