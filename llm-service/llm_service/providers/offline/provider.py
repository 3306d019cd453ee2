"""The offline backend: reads the request's structured data, chooses tool calls or writes, and streams it."""

import asyncio
import re
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import replace
from itertools import chain, count, pairwise
from typing import Any, NamedTuple

from llm_service.proto import llm_service_pb2 as pb
from llm_service.proto.llm_service_pb2 import GenerateRequest, GenerateResponse
from llm_service.providers.offline import report
from llm_service.providers.offline.choose import (
    ENGINE_SERVER,
    INVESTIGATION,
    QUESTION,
    WIDER,
    Choice,
    plan_calls,
    plan_cleanup,
    read_tools,
)
from llm_service.providers.offline.claims import make_claims, make_hypothesis
from llm_service.providers.offline.judge import choose_cause, judge, needs_more
from llm_service.providers.offline.measure import find_measurement
from llm_service.providers.offline.outputs import Output
from llm_service.providers.offline.score import make_score
from llm_service.providers.offline.subject import Entities, Subject, read_subject
from llm_service.providers.offline.text import parse_json, to_json
from llm_service.providers.shared.conversation import CHARACTERS_PER_TOKEN
from llm_service.providers.shared.text import as_dict, as_list, well_formed

DEFAULT_DELAY_MS = 8.0  # ms between deltas: viewers see the text stream, and a report takes 2 or 3 seconds
MAX_DELAY_MS = 1000.0
PIECE_CHARS, MAX_PIECES = 24, 300  # minimum characters of a delta; maximum number of deltas

NO_MODEL = "No language model is set up: fixed rules choose the tools by their words."
HYPOTHESES = "tarsy.update_hypotheses"  # the engine's tool that keeps possible causes
_ENCLOSED = re.compile(r"-----BEGIN TOOL RESULT-----\n(.*)\n-----END TOOL RESULT-----", re.DOTALL)
_NUMBER = re.compile(r"^(?:Observation:\s*)?\[T(\d{1,9})\]\n")
_ACTION = re.compile(r"^Action: (\S+)\nAction Input: (\{.*\})$", re.MULTILINE)
_REACT_WORD = re.compile(
    r"\b(?:thought|action(?:\W?input)?|final\W?answer|observation)\W{0,6}(?:[:\uff1a]|$)", re.IGNORECASE
)


class _Answer(NamedTuple):
    """The content to stream: thinking, then either text or calls."""

    thinking: str = ""
    text: str = ""
    calls: Sequence[pb.ToolCallDelta] = ()


class OfflineProvider:
    """Answers by fixed rules; the same request always gets the same answer."""

    def __init__(self, delay_ms: float) -> None:
        self._delay_seconds = delay_ms / 1000

    async def close(self) -> None:
        """Does nothing because there are no connections."""

    async def generate(self, request: GenerateRequest) -> AsyncGenerator[GenerateResponse, None]:
        """Streams thinking, then tool calls or text, then the usage."""
        answer = _answer(request)
        thoughts = (GenerateResponse(thinking=pb.ThinkingDelta(content=piece)) for piece in pieces(answer.thinking))
        calls = (GenerateResponse(tool_call=call) for call in answer.calls)
        texts = (GenerateResponse(text=pb.TextDelta(content=piece)) for piece in pieces(answer.text))
        for response in chain(thoughts, calls, texts):
            yield response
            await asyncio.sleep(self._delay_seconds)
        usage = pb.UsageInfo(
            input_tokens=_tokens(*(part.content for part in request.messages), *map(str, request.tools)),
            output_tokens=_tokens(answer.text, *map(str, answer.calls)),
            thinking_tokens=_tokens(answer.thinking),
        )
        usage.total_tokens = usage.input_tokens + usage.output_tokens + usage.thinking_tokens
        yield GenerateResponse(usage=usage)


def _tokens(*texts: str) -> int:
    return -(-sum(map(len, texts)) // CHARACTERS_PER_TOKEN)


def pieces(text: str) -> list[str]:
    """Splits a text into deltas, after blanks if possible. The joined deltas equal the text."""
    text = well_formed(text)
    size = max(PIECE_CHARS, len(text) // MAX_PIECES + 1)
    return re.findall(rf"(?s).{{{size // 2},{size - 1}}} |.{{1,{size}}}", text)


def _answer(request: GenerateRequest) -> _Answer:
    task = request.task
    alert = read_subject(task.alert if request.HasField("task") else request.messages[-1].content)
    question = read_subject(task.question)
    asked = _with_alert(question, alert) if task.question else alert
    past = _outputs_of(task.works)
    if request.purpose in ("report", "scoring"):
        return _submission(request, asked, past)
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
        choices, gaps = plan_calls(tools, asked, made, QUESTION)
        analyses = [Output("analysis", {}, work.analysis, agents=(work.agent,)) for work in task.works if work.agent]
        before = report.from_before(question if question.words else asked, [*past, *analyses])
        text = report.answer(task.question, asked, report.Findings(before, made, gaps))
    else:
        offered = request.react.tools if request.HasField("react") else request.tools
        hypothesis = make_hypothesis(task.alert, alert, made) if _can_call(offered, request) else None
        named = {"runbook": task.runbook, "instructions": task.instructions}
        choices, gaps = plan_calls(tools, alert, made, INVESTIGATION, **named)
        measured = find_measurement(made, alert)
        holds = alert.limit.holds(measured[0]) if measured and alert.limit else None
        if not choices and "disk" in alert.words and measured and holds:
            choices = plan_cleanup(tools, made, measured[2])
        # The consumers of a full disk are on it, so that no wider look is needed.
        if not choices and "disk" not in alert.words and needs_more(judge(alert, made, holds=holds), made):
            choices, gaps = plan_calls(tools, alert, made, WIDER, **named)
        if not choices and hypothesis:
            choices = [Choice(HYPOTHESES, {"hypotheses": [hypothesis]}, "a tool measured the alert's condition")]
        text = report.investigation(alert, made, gaps, task.works)
    if choices:
        answer = _called(request, choices, "I look further." if made else NO_MODEL)
    else:
        answer = _Answer("No further tool fits: I write the report.", text)
    return _in_react_form(answer) if request.HasField("react") else answer


def _submission(request: GenerateRequest, asked: Subject, past: Sequence[Output]) -> _Answer:
    """Returns a report, a score, or a cause from a list: as a call of the requested function, or as text."""
    task, causes = request.task, _causes(request)
    arguments: dict[str, Any]
    if causes:
        thinking = "I choose the cause that shares most words with the signs of trouble."
        cause = choose_cause(causes, "\n".join(work.analysis for work in task.works))
        if cause is None:
            return _Answer(thinking, "No cause of the list shares a word with the signs of trouble.")
        arguments = {"cause": cause}
    elif request.purpose == "report":
        thinking = "I claim what the tools' own lines say, and what the alert's condition comes to."
        arguments = make_claims(task, asked, past)
    else:
        arguments, thinking = make_score(task, past), "I count what can be counted."
    choice = Choice(request.tool_choice, arguments, thinking)
    return _called(request, [choice]) if choice.tool else _Answer(thinking, to_json(arguments))


def _causes(request: GenerateRequest) -> list[str]:
    """Returns the causes to choose from, if the request asks for one; otherwise []."""
    for one in request.tools:
        schema = as_dict(parse_json(one.parameters_schema))
        cause = as_dict(as_dict(schema.get("properties")).get("cause"))
        if one.name == request.tool_choice and schema.get("required") == ["cause"]:
            return [option for option in as_list(cause.get("enum")) if isinstance(option, str)]
    return []


def _can_call(tools: Iterable[pb.ToolDefinition], request: GenerateRequest) -> bool:
    """Returns True if the tool for hypotheses is offered and this conversation has not called it yet."""
    called = {message.tool_name for message in request.messages}
    called |= {call.name for message in request.messages for call in message.tool_calls}
    return HYPOTHESES not in called and any(tool.name == HYPOTHESES for tool in tools)


def _is_of_engine(tool: str) -> bool:
    return tool.partition(".")[0] == ENGINE_SERVER


def _with_alert(question: Subject, alert: Subject) -> Subject:
    """Returns a question's subject, completed from the alert that the question refers to ("on this host")."""
    entities = Entities(alert.entities.kinds | question.entities.kinds)
    words = dict.fromkeys(question.words, 1.0) or alert.words
    same = any(alert.words.get(word, 0) >= 1 for word in words)
    return Subject(question.title, words, entities, question.limit or (alert.limit if same else None))


def _outputs_of(works: Sequence[pb.Work]) -> list[Output]:
    """Returns the agents' outputs in order: each call once, with its latest result and all agents that made it."""
    names = dict.fromkeys(work.agent for work in works)
    found: dict[tuple[str, str], Output] = {}
    given = [(work.agent, one) for work in works for one in work.outputs if not _is_of_engine(one.tool)]
    for agent, one in sorted(given, key=lambda pair: pair[1].number):
        new = Output(one.tool, as_dict(parse_json(one.arguments)), one.content, one.failed, one.number)
        earlier = found.get((one.tool, one.arguments), new)
        agents = tuple(name for name in names if name in {*earlier.agents, agent})
        found[one.tool, one.arguments] = replace(earlier if one.failed else new, agents=agents)
    return list(found.values())


def _made(request: GenerateRequest) -> list[Output]:
    """Returns this conversation's calls with results; a repeated call only at its latest position."""
    results = {message.tool_call_id: message for message in request.messages if message.role == "tool"}
    made = []
    for before, message in pairwise([pb.ConversationMessage(), *request.messages]):
        made += [_called_output(call.name, call.arguments, results.get(call.id)) for call in message.tool_calls]
        if message.role == "user" and message.tool_name:
            own = _ACTION.search(before.content)
            made.append(_called_output(message.tool_name, own[2] if own else "{}", message))
    latest = {(one.tool, to_json(one.arguments)): at for at, one in enumerate(made) if not _is_of_engine(one.tool)}
    return [made[at] for at in sorted(latest.values())]


def _called_output(tool: str, arguments: str, result: pb.ConversationMessage | None) -> Output:
    if result is None:
        return Output(tool, as_dict(parse_json(arguments)), None)
    enclosed, number = _ENCLOSED.search(result.content), _NUMBER.match(result.content)
    content = enclosed[1] if enclosed else result.content
    return Output(tool, as_dict(parse_json(arguments)), content, result.failed, int(number[1]) if number else 0)


def _called(request: GenerateRequest, choices: Sequence[Choice], *thoughts: str) -> _Answer:
    taken = {call.id for message in request.messages for call in message.tool_calls}
    ids = (name for number in count(1) if (name := f"offline_{number}") not in taken)
    calls = [pb.ToolCallDelta(call_id=next(ids), name=one.tool, arguments=to_json(one.arguments)) for one in choices]
    reasons = [f"I call {one.tool} with {to_json(one.arguments)}: {one.reason}." for one in choices]
    return _Answer("\n".join([*thoughts, *reasons]), calls=calls)


def _in_react_form(answer: _Answer) -> _Answer:
    """Returns the answer as ReAct text, one call at a time. Lines that imitate ReAct keywords are left out."""
    thought = " ".join(_REACT_WORD.sub("…", answer.thinking).split("\n")[:2])
    if answer.calls:
        call = answer.calls[0]
        return _Answer(text=f"Thought: {thought}\nAction: {call.name}\nAction Input: {call.arguments}")
    left_out = "[a line with words of the ReAct form is left out]"
    lines = (left_out if _REACT_WORD.search(line) else line for line in answer.text.split("\n"))
    return _Answer(text=f"Thought: {thought}\nFinal Answer: " + "\n".join(lines))
