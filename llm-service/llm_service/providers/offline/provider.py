"""The offline backend: reads what the request carries as data, calls tools or writes, and streams it."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING

from llm_service.proto.llm_service_pb2 import (
    GenerateRequest,
    GenerateResponse,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    UsageInfo,
)
from llm_service.providers.offline import report
from llm_service.providers.offline.about import About, Things, read_about
from llm_service.providers.offline.choose import INVESTIGATION, QUESTION, Plan, make_plan
from llm_service.providers.offline.outputs import Output
from llm_service.providers.offline.text import parse_json, to_json
from llm_service.providers.offline.tools import read_tools

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence

    from llm_service.proto.llm_service_pb2 import Work

DELAY_VARIABLE = "OFFLINE_CHUNK_DELAY_MS"
DEFAULT_DELAY_MS = 8.0
"""About as fast as a quick model: streaming is visible and a report still takes only 2 or 3 seconds."""
MAX_DELAY_MS = 1000.0
PIECE_CHARS, MAX_PIECES = 24, 300
"""A few words; a long report goes in larger pieces, so that it never takes more than some seconds to show."""
CHARS_PER_TOKEN = 4
"""The usual estimate for English text: no tokenizer is involved."""

_ENCLOSED = re.compile(r"-----BEGIN TOOL RESULT-----\n(.*)\n-----END TOOL RESULT-----", re.DOTALL)
_ACTION = re.compile(r"^Action: (\S+)\nAction Input: (\{.*\})$", re.MULTILINE)
_REACT_WORD = re.compile(
    r"\b(?:thought|action(?:\W?input)?|final\W?answer|observation)\W{0,6}(?:[:\uff1a]|$)", re.IGNORECASE
)


@dataclass(frozen=True)
class _Answer:
    """What is streamed: either text or calls, after thoughts."""

    thinking: str = ""
    text: str = ""
    calls: tuple[ToolCallDelta, ...] = ()


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
        written = len(answer.text) + sum(len(call.name) + len(call.arguments) for call in answer.calls)
        yield GenerateResponse(usage=_usage(request, written, len(answer.thinking)))


def pieces(text: str) -> Iterator[str]:
    """Cut text after blanks into pieces that give the text again when put together."""
    text = text.encode("utf-8", "replace").decode("utf-8")  # lone surrogates cannot go on the wire
    size = max(PIECE_CHARS, len(text) // MAX_PIECES + 1)
    begin = 0
    while begin < len(text):
        blank = text.rfind(" ", begin + size // 2, begin + size) if begin + size < len(text) else -1
        end = blank + 1 if blank >= 0 else begin + size
        yield text[begin:end]
        begin = end


def _usage(request: GenerateRequest, written: int, thought: int) -> UsageInfo:
    read = sum(len(message.content) for message in request.messages)
    read += sum(len(tool.name) + len(tool.description) + len(tool.parameters_schema) for tool in request.tools)
    tokens_in, tokens_out, tokens_thought = (-(-count // CHARS_PER_TOKEN) for count in (read, written, thought))
    return UsageInfo(
        input_tokens=tokens_in,
        output_tokens=tokens_out,
        thinking_tokens=tokens_thought,
        total_tokens=tokens_in + tokens_out + tokens_thought,
    )


def _answer(request: GenerateRequest) -> _Answer:
    task = request.task
    alert = read_about(task.alert if request.HasField("task") else request.messages[-1].content)
    past = _outputs_of(task.works)
    if request.purpose == "executive_summary":
        return _Answer(text=report.executive_summary(task.shorten))
    if request.purpose == "summarization":
        return _Answer(text=report.tool_result_summary(task.shorten, alert))
    if request.purpose == "synthesis":
        thinking = "I put what the agents' tools answered side by side, each answer once."
        return _Answer(thinking, report.synthesis(alert, task.works, past))
    made = _made(request)
    tools = read_tools(request.react.tools if request.HasField("react") else request.tools)
    if task.question:
        question = read_about(task.question)
        asked = _with_alert(question, alert)
        plan = make_plan(tools, asked, made, QUESTION)
        before = report.from_before(asked if not question.words else question, past, task.works)
        text = report.answer(task.question, asked, before, made, plan)
    else:
        plan = make_plan(tools, alert, made, INVESTIGATION, runbook=task.runbook, instructions=task.instructions)
        text = report.investigation(alert, made, plan, task.works)
    answer = (
        _called(request, plan, made) if plan.choices else _Answer("No further tool fits: I write the report.", text)
    )
    return _in_react_form(answer) if request.HasField("react") else answer


def _with_alert(question: About, alert: About) -> About:
    """What a question is about; what it leaves open ("on this host", "is it still so?") is taken from the alert."""
    things = Things({kind: question.things.get(kind) or values for kind, values in alert.things.kinds.items()})
    things.kinds |= question.things.kinds
    words = dict.fromkeys(question.words, 1.0) or alert.words
    same = any(alert.words.get(word, 0) >= 1 for word in words)
    return About(question.title, words, things, question.limit or (alert.limit if same else None))


def _outputs_of(works: Sequence[Work]) -> list[Output]:
    """What tools answered the agents: each call once, with its latest answer, for all who made it."""
    found: dict[tuple[str, str], Output] = {}
    for work in works:
        for one in work.outputs:
            key = (one.tool, one.arguments)
            earlier = found.get(key)
            agents = dict.fromkeys([*(earlier.agents if earlier else ()), work.agent])
            if earlier and one.failed:
                found[key] = replace(earlier, agents=tuple(agents))
            else:
                found[key] = replace(_output(one.tool, one.arguments, one.content, one.failed), agents=tuple(agents))
    return list(found.values())


def _made(request: GenerateRequest) -> list[Output]:
    """The calls of this conversation with what came of them, in order."""
    results = {message.tool_call_id: message for message in request.messages if message.role == "tool"}
    made = []
    for at, message in enumerate(request.messages):
        for call in message.tool_calls:
            result = results.get(call.id)
            content = _enclosed(result.content) if result else None
            made.append(_output(call.name, call.arguments, content, result is not None and result.failed))
        if message.role == "user" and message.tool_name and at > 0:
            own = _ACTION.search(request.messages[at - 1].content)
            arguments = own[2] if own else "{}"
            made.append(_output(message.tool_name, arguments, _enclosed(message.content), message.failed))
    return made


def _output(tool: str, arguments: str, content: str | None, failed: bool) -> Output:
    value = parse_json(arguments)
    return Output(tool, value if isinstance(value, dict) else {}, content, failed)


def _enclosed(content: str) -> str:
    found = _ENCLOSED.search(content)
    return found[1] if found else content


def _called(request: GenerateRequest, plan: Plan, made: list[Output]) -> _Answer:
    why = "I look further." if made else "No language model is set up: fixed rules choose the tools by their words."
    taken = {call.id for message in request.messages for call in message.tool_calls}
    free = (name for number in count(1) if (name := f"offline_{number}") not in taken)
    calls = [ToolCallDelta(call_id=next(free), name=one.tool, arguments=to_json(one.arguments)) for one in plan.choices]
    told = [f"I call {one.tool} with {to_json(one.arguments)}: {one.reason}." for one in plan.choices]
    return _Answer("\n".join([why, *told]), calls=tuple(calls))


def _in_react_form(answer: _Answer) -> _Answer:
    """The same as text, one call at a time. What others wrote must not be read as words of the form."""
    thought = " ".join(_REACT_WORD.sub("…", answer.thinking).split("\n")[:2])
    if answer.calls:
        call = answer.calls[0]
        return _Answer(text=f"Thought: {thought}\nAction: {call.name}\nAction Input: {call.arguments}")
    left_out = "[a line with words of the ReAct form is left out]"
    lines = (left_out if _REACT_WORD.search(line) else line for line in answer.text.split("\n"))
    return _Answer(text=f"Thought: {thought}\nFinal Answer: " + "\n".join(lines))
