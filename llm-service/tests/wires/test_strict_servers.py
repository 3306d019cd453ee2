"""Ten turns of an investigation with servers that validate requests as strictly as the real ones."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from tests.conversations import tool
from tests.wires import test_google
from tests.wires.anthropic_events import START, STOP, block, end, text, tool_use
from tests.wires.chat_events import calls, delta, piece
from tests.wires.conftest import SYSTEM, USER, Rig, next_turn, request, rigged
from tests.wires.test_openai_responses import COMPLETED, CREATED, call_item, reasoning_item, stream
from tests.wires.test_openai_responses import TEXT as RESPONSES_TEXT
from tests.wires.wire import Reply, Request, data, failure, named

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from llm_service.proto.llm_service_pb2 import ConversationMessage, GenerateResponse, LLMConfig

TURNS = 12
TOOLS = [
    tool(f"kubernetes.tool_{number}", "Reads a part of the cluster. " * 12, {"namespace": {"type": "string"}})
    for number in range(20)
]
OUTPUT = "pod/web-7d9f4 1/1 Running 0 3h10.244.0.17 node-2\n" * 40


async def investigate(rigs: Sequence[Rig], config: Callable[[Rig], LLMConfig]) -> list[ConversationMessage]:
    """Answers the model's tool calls until it stops calling; the turns alternate between the services."""
    messages: list[ConversationMessage] = [SYSTEM, USER]
    for turn in range(TURNS + 1):
        rig = rigs[turn % len(rigs)]
        responses: list[GenerateResponse] = await rig.ask(request(config(rig), messages, TOOLS))
        assert not responses[-1].HasField("error"), responses[-1].error
        made = [response for response in responses if response.HasField("tool_call")]
        messages = next_turn(responses, [OUTPUT] * len(made), messages)
        if not made:
            return messages
    raise AssertionError("the model never came to an end")


def signature_of(thought: str) -> str:
    return "sig-" + hashlib.sha256(thought.encode()).hexdigest()


@dataclass
class StrictAnthropic:
    """Refuses what Anthropic refuses: wrong order, lost or changed thinking, too many cache marks.

    Simulates its cache.
    """

    needs_thoughts: bool
    turn: int = 0
    cached: set[str] = field(default_factory=set)
    read: int = 0
    written: int = 0
    fresh: int = 0

    def answer(self, asked: Request) -> Reply:
        body = asked.body
        problem = self.problem(body)
        if problem is not None:
            return failure(400, {"type": "error", "error": {"type": "invalid_request_error", "message": problem}})
        self.count(body)
        self.turn += 1
        if self.turn > TURNS:
            return Reply([named(START, *text(0, "The disk is full."), end("end_turn"), STOP)])
        thought = f"Thought number {self.turn}."
        thinking = block(
            0,
            {"type": "thinking", "thinking": "", "signature": ""},
            {"type": "thinking_delta", "thinking": thought},
            {"type": "signature_delta", "signature": signature_of(thought)},
        )
        use = tool_use(1, f"toolu_{self.turn}a", "kubernetes__tool_3", '{"namespace": "web"}')
        more = tool_use(2, f"toolu_{self.turn}b", "kubernetes__tool_4", "")
        return Reply([named(START, *thinking, *use, *more, end("tool_use"), STOP)])

    def problem(self, body: Any) -> str | None:
        marks = json.dumps(body).count('"cache_control"')
        if marks > 4:
            return f"A maximum of 4 blocks with cache_control may be provided. Found {marks}."
        expected = "user"
        open_calls: list[str] = []
        for number, message in enumerate(body["messages"]):
            if message["role"] != expected:
                return f"messages.{number}: roles must alternate"
            if message["role"] == "user":
                results = [part["tool_use_id"] for part in message["content"] if part["type"] == "tool_result"]
                first = [part["type"] for part in message["content"]][: len(results)]
                if results != open_calls or set(first) - {"tool_result"}:
                    return f"messages.{number}: `tool_use` ids were found without `tool_result` blocks"
                open_calls, expected = [], "assistant"
                continue
            for part in message["content"]:
                if part["type"] == "thinking" and part["signature"] != signature_of(part["thinking"]):
                    return f"messages.{number}: Invalid `signature` in `thinking` block"
                if part["type"] == "text" and not part["text"]:
                    return "text content blocks must be non-empty"
            open_calls = [part["id"] for part in message["content"] if part["type"] == "tool_use"]
            if self.needs_thoughts and open_calls and message["content"][0]["type"] != "thinking":
                return f"messages.{number}.content.0.type: Expected `thinking`, but found `tool_use`"
            expected = "user"
        return None

    def count(self, body: Any) -> None:
        """Counts the longest cached prefix as read, and the part up to the last mark as written."""
        blocks = [*body.get("tools", []), *body["system"]]
        blocks += [part for message in body["messages"] for part in message["content"]]
        keys, marked, size, seen = [], [], [], hashlib.sha256()
        for part in blocks:
            plain = json.dumps({key: value for key, value in part.items() if key != "cache_control"}, sort_keys=True)
            seen.update(plain.encode())
            keys.append(seen.hexdigest())
            size.append(len(plain))
            marked.append("cache_control" in part)
        last = max((index for index, mark in enumerate(marked) if mark), default=-1)
        hit = max((index for index in range(last + 1) if marked[index] and keys[index] in self.cached), default=-1)
        self.read += sum(size[: hit + 1])
        self.written += sum(size[hit + 1 : last + 1])
        self.fresh += sum(size[last + 1 :])
        self.cached |= {keys[index] for index in range(last + 1) if marked[index]}


@pytest.mark.parametrize(("model", "needs"), [("claude-sonnet-4-5", True), ("claude-sonnet-5", False)])
async def test_anthropic_accepts_the_order_and_reads_its_cache(rig: Rig, model: str, needs: bool) -> None:
    strict = StrictAnthropic(needs)
    rig.server.make_reply = strict.answer
    await investigate([rig], lambda r: r.config("anthropic", model))
    every = strict.read + strict.written + strict.fresh
    assert strict.read / every >= 0.8
    # Cached input costs a tenth of the price, writing the cache a quarter more.
    assert (0.1 * strict.read + 1.25 * strict.written + strict.fresh) / every <= 0.35


@pytest.mark.parametrize("api", ["anthropic", "openai"])
async def test_restarted_services_lose_nothing_between_turns(rig: Rig, api: str) -> None:
    strict = StrictAnthropic(needs_thoughts=True) if api == "anthropic" else StrictReasoner(["reasoning_content"])
    rig.server.make_reply = strict.answer
    messages: list[ConversationMessage] = [SYSTEM, USER]
    for _ in range(TURNS + 1):
        async with rigged(), rigged() as one:  # the second service has no client or memory of earlier turns
            config = one.config(api, "claude-sonnet-4-5", base_url=rig.server.url)
            responses = await one.ask(request(config, messages, TOOLS))
        assert not responses[-1].HasField("error"), responses[-1].error
        made = [response for response in responses if response.HasField("tool_call")]
        messages = next_turn(responses, [OUTPUT] * len(made), messages)
    assert strict.turn == TURNS + 1
    kept = [message for message in messages if message.provider_turn]
    assert len(kept) >= TURNS
    # The servers refuse turns without a signature or reasoning, and missing turns.
    kept[0].provider_turn = b""
    lost = await rig.ask(request(rig.config(api, "claude-sonnet-4-5"), messages[:-1], TOOLS))
    assert lost[-1].HasField("error") or "Record of what was done" in str(rig.bodies[-1])


@dataclass
class StrictReasoner:
    """A server with the rule of DeepSeek and Kimi: a turn with calls must come back with its reasoning."""

    fields: Sequence[str]
    silent: int = 0
    """Interval of turns without reasoning (0 = none): there, DeepSeek sends an empty field and Kimi no field."""
    turn: int = 0

    def answer(self, asked: Request) -> Reply:
        for number, message in enumerate(asked.body["messages"]):
            if message["role"] == "assistant" and message.get("tool_calls"):
                problem = self.problem(message)
                if problem is not None:
                    return failure(400, {"error": {"message": f"messages[{number}]: {problem}"}})
        self.turn += 1
        if self.turn > TURNS:
            return Reply([data(delta(content="The disk is full."), "[DONE]")])
        call = calls(piece(0, '{"namespace": "web"}', self.call_id(self.turn), "kubernetes__tool_3"))
        begun = [delta(role="assistant", content=None, reasoning_content="")] if self.silent else []
        if not self.silent or self.turn % self.silent:
            begun = [delta(**self.part(self.turn, half)) for half in (0, 1)]
        # Kimi and some gateways send no stop reason.
        return Reply([data(*begun, call, "[DONE]")])

    def call_id(self, turn: int) -> str:
        return f"call_{turn}__thought__{signature_of(str(turn))}"

    def part(self, turn: int, half: int) -> dict[str, Any]:
        words = (f"Step {turn}, ", "so I look.")[half]
        made: dict[str, Any] = {}
        for name in self.fields:
            made[name] = words
            if name == "reasoning_details":
                signed = {"signature": signature_of(str(turn))} if half else {}
                made[name] = [{"type": "reasoning.text", "index": 0, "text": words, **signed}]
        return made

    def problem(self, message: Any) -> str | None:
        (call,) = message["tool_calls"]
        turn = int(call["id"].split("_")[1])
        if call["id"] != self.call_id(turn):
            return "the id of the call is not the one that was given"
        if self.silent and turn % self.silent == 0:
            # Kimi treats an empty text as missing, but does not check the content.
            return None if message.get("reasoning_content") else "reasoning_content is missing"
        for name in self.fields:
            expected: Any = f"Step {turn}, so I look."
            if name == "reasoning_details":
                signature = signature_of(str(turn))
                expected = [{"type": "reasoning.text", "index": 0, "text": expected, "signature": signature}]
            if message.get(name) != expected:
                return f"Missing `{name}` field in the assistant message"
        return None


@pytest.mark.parametrize(
    "fields",
    [["reasoning_content"], ["reasoning"], ["reasoning", "reasoning_details"]],
    ids=["DeepSeek and Kimi", "Ollama and vLLM", "OpenRouter"],
)
async def test_reasoning_is_sent_back_unchanged(rig: Rig, fields: list[str]) -> None:
    strict = StrictReasoner(fields)
    rig.server.make_reply = strict.answer
    await investigate([rig], lambda r: r.config("openai", "deepseek-v4"))
    assert strict.turn == TURNS + 1
    assert rig.waits == []


@pytest.mark.parametrize(
    ("model", "silent"), [("deepseek-v4", 3), ("kimi-k2.6", 3), ("behind-a-gateway", 3), ("kimi-k2.6", 1)]
)
async def test_a_turn_without_reasoning_does_not_end_the_investigation(rig: Rig, model: str, silent: int) -> None:
    strict = StrictReasoner(["reasoning_content"], silent)
    rig.server.make_reply = strict.answer
    await investigate([rig], lambda r: r.config("openai", model))
    assert strict.turn == TURNS + 1


async def test_answers_of_another_provider_do_not_end_the_investigation(rig: Rig) -> None:
    rig.server.make_reply = StrictReasoner([]).answer
    before = await investigate([rig], lambda r: r.config("openai", "other"))
    strict = StrictReasoner(["reasoning_content"], silent=1)
    rig.server.make_reply = strict.answer
    strict.turn = TURNS
    await rig.ask(request(rig.config("openai", "prod", model_family="kimi-k2.6"), before[:-1], TOOLS))
    sent = [message for message in rig.bodies[-1]["messages"] if message["role"] == "assistant"]
    assert len(sent) == TURNS
    assert {message["reasoning_content"] for message in sent} == {" "}


def asked_google(turn: int) -> bytes:
    called = test_google.call("kubernetes__tool_3", {"namespace": "web"}, None, test_google.SIGNATURE)
    return data(test_google.chunk(called), test_google.chunk(finish="STOP"))


def asked_responses(turn: int) -> bytes:
    thought, call = reasoning_item(0, [f"Step {turn}."]), call_item(1, f"c{turn}", "kubernetes__tool_3", "{}")
    return stream(CREATED, *thought, *call, COMPLETED)


@pytest.mark.parametrize(
    ("api", "asked", "text", "parts"),
    [
        (
            "google",
            asked_google,
            test_google.TEXT,
            lambda body: [body["systemInstruction"], body["tools"], *body["contents"]],
        ),
        ("responses", asked_responses, RESPONSES_TEXT, lambda body: [body["tools"], *body["input"]]),
    ],
    ids=["google", "responses"],
)
async def test_requests_keep_the_prefix_that_providers_cache(
    rig: Rig, api: str, asked: Callable[[int], bytes], text: bytes, parts: Callable[[Any], list[Any]]
) -> None:
    """Each request begins with the previous one, because providers charge a tenth for a prefix that they cached."""
    rig.server.replies = [Reply([asked(turn)]) for turn in range(TURNS)] + [Reply([text])]
    provider, model = ("google", "gemini-3") if api == "google" else ("openai", "gpt-5.2")
    await investigate([rig], lambda r: r.config(provider, model, api="" if api == "google" else api))
    assert len(rig.bodies) == TURNS + 1
    read = fresh = 0
    before: list[str] = []
    for body in rig.bodies:
        now = [json.dumps(part) for part in parts(body)]
        same = next((at for at, (one, other) in enumerate(zip(before, now, strict=False)) if one != other), len(before))
        assert same == len(before)
        read, fresh = read + sum(map(len, now[:same])), fresh + sum(map(len, now[same:]))
        before = now
    assert read / (read + fresh) >= 0.8
    assert (0.1 * read + fresh) / (read + fresh) <= 0.35
