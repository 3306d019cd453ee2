"""The offline backend: reads the conversation, plans, calls tools or writes the report, and streams it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from llm_service.proto.llm_service_pb2 import (
    GenerateRequest,
    GenerateResponse,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
)
from llm_service.providers.offline.chat import asks_again, write_answer
from llm_service.providers.offline.conversation import Conversation, read_conversation
from llm_service.providers.offline.jsontext import to_json
from llm_service.providers.offline.planner import AGAIN, QUESTION, Plan, PlannedCall, make_plan
from llm_service.providers.offline.report import thinking_before_report, write_report
from llm_service.providers.offline.stream import estimate_usage, pieces, well_formed
from llm_service.providers.offline.subject import Subject, read_question, read_subject
from llm_service.providers.offline.summary import condensed_results, executive_summary
from llm_service.providers.offline.synthesis import thinking_before_synthesis, write_synthesis
from llm_service.providers.offline.toolspec import read_tools

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

DELAY_VARIABLE = "OFFLINE_CHUNK_DELAY_MS"
DEFAULT_DELAY_MS = 8.0
"""About as fast as a quick model: streaming is visible and a report still takes only 2 or 3 seconds."""
MAX_DELAY_MS = 1000.0


class OfflineProvider:
    """Answers by fixed rules. The same request always gets the same answer."""

    def __init__(self, delay_ms: float = DEFAULT_DELAY_MS) -> None:
        self._delay_seconds = delay_ms / 1000

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> OfflineProvider:
        """Build it from the environment.

        Raises:
            ValueError: OFFLINE_CHUNK_DELAY_MS is not a number of milliseconds from 0 to 1000.
        """
        text = env.get(DELAY_VARIABLE) or str(DEFAULT_DELAY_MS)
        try:
            delay = float(text)
        except ValueError:
            delay = -1
        if not 0 <= delay <= MAX_DELAY_MS:
            raise ValueError(f"{DELAY_VARIABLE}: a number of milliseconds from 0 to {MAX_DELAY_MS:g} is expected")
        return cls(delay)

    async def close(self) -> None:
        """Nothing is held open."""

    async def generate(self, request: GenerateRequest) -> AsyncGenerator[GenerateResponse, None]:
        """Stream thoughts, then tool calls or text, then the usage."""
        answer = _answer(request)
        for piece in pieces(answer.thinking):
            yield GenerateResponse(thinking=ThinkingDelta(content=piece))
            await asyncio.sleep(self._delay_seconds)
        for call in answer.calls:
            yield GenerateResponse(tool_call=call)
            await asyncio.sleep(self._delay_seconds)
        for piece in pieces(answer.text):
            yield GenerateResponse(text=TextDelta(content=piece))
            await asyncio.sleep(self._delay_seconds)
        out = len(answer.text) + sum(len(call.name) + len(call.arguments) for call in answer.calls)
        yield GenerateResponse(usage=estimate_usage(request, out, len(answer.thinking)))


class _Answer:
    """What is streamed. Either calls or text."""

    def __init__(self, thinking: str = "", text: str = "", calls: tuple[ToolCallDelta, ...] = ()) -> None:
        self.thinking = well_formed(thinking)
        self.text = well_formed(text)
        self.calls = calls


def _answer(request: GenerateRequest) -> _Answer:
    conversation = read_conversation(request)
    if conversation.kind == "synthesis":
        return _Answer(
            thinking=thinking_before_synthesis(conversation),
            text=write_synthesis(conversation, read_subject(conversation)),
        )
    if conversation.kind == "chat":
        return _answer_question(conversation, request)
    if not request.tools and not conversation.exchanges:
        if conversation.wants_summary and conversation.analysis is not None:
            return _Answer(text=executive_summary(conversation.analysis))
        if conversation.loose_results:
            return _Answer(text=condensed_results(conversation.loose_results, read_subject(conversation)))
    subject = read_subject(conversation)
    tools = read_tools(request.tools)
    plan = make_plan(conversation, tools, subject)
    if plan.calls:
        return _Answer(thinking=_thinking(conversation, subject, plan), calls=_tool_calls(conversation, plan.calls))
    return _Answer(
        thinking=thinking_before_report(conversation),
        text=write_report(conversation, subject, plan),
    )


def _answer_question(conversation: Conversation, request: GenerateRequest) -> _Answer:
    tools = read_tools(request.tools)
    subject = read_question(conversation)
    limits = QUESTION
    fresh = replace(conversation, exchanges=(), turns=0)
    if asks_again(conversation.question) and not make_plan(fresh, tools, subject, QUESTION).calls:
        # "Is it still so?" names no tool: what the alert claims is measured again.
        subject, limits = read_subject(replace(conversation, question="")), AGAIN
    plan = make_plan(conversation, tools, subject, limits)
    if plan.calls:
        calls = "\n".join(_told(call) for call in plan.calls)
        why = (
            "The results so far call for a closer look."
            if conversation.exchanges
            else "No language model is set up: fixed rules choose the tools by the question's words."
        )
        thinking = f"{why}\n{calls}"
        return _Answer(thinking=thinking, calls=_tool_calls(conversation, plan.calls))
    return _Answer(
        thinking="I look for the question's words in what the investigation found.",
        text=write_answer(conversation, subject, plan),
    )


def _thinking(conversation: Conversation, subject: Subject, plan: Plan) -> str:
    if conversation.turns == 0:
        topics = " and ".join(topic.name for topic in subject.topics[:2]) or "no field of trouble that I know"
        words = ", ".join(subject.shown_words())
        target = subject.target()
        lines = [
            f"By its words ({words}) the alert is about {topics}." if words else "The alert has no words to go by."
        ]
        if target:
            lines.append(f"It names {target}.")
        lines.append("No language model is set up: fixed rules choose the tools.")
    else:
        lines = ["The results so far call for a closer look."]
    return "\n".join([*lines, *(_told(call) for call in plan.calls)])


def _told(call: PlannedCall) -> str:
    arguments = f" with {to_json(call.arguments)}" if call.arguments else ""
    return f"I call {call.tool}{arguments}: {call.reason}."


def _tool_calls(conversation: Conversation, calls: tuple[PlannedCall, ...]) -> tuple[ToolCallDelta, ...]:
    """Give each call an id: counted on through the conversation, skipping ids that are taken."""
    taken = {exchange.call_id for exchange in conversation.exchanges}
    number = len(conversation.exchanges)
    deltas = []
    for call in calls:
        number += 1
        while f"offline_{number}" in taken:
            number += 1
        deltas.append(ToolCallDelta(call_id=f"offline_{number}", name=call.tool, arguments=to_json(call.arguments)))
    return tuple(deltas)
