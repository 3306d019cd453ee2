"""The thinking parameters of each model family; parameters that a family refuses are left out."""

import re
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from llm_service.providers.settings import Settings
from llm_service.providers.shared.quirks import Quirk

T = TypeVar("T")
Table = tuple[tuple[str, T], ...]


def find_row(table: Table[T], family: str, default: T) -> T:
    """Returns the value of the first pattern that matches the model name after a prefix such as models/."""
    return next((value for pattern, value in table if re.search(rf"(?:^|[/.:]){pattern}", family)), default)


@dataclass(frozen=True)
class ClaudeFamily:
    """The limits and thinking features of a family of Claude models."""

    max_tokens: int  # maximum tokens of thinking and answer; the API requires a value
    adaptive: bool = False  # the model decides how much to think; otherwise the request sets a budget
    shown: bool = True  # thinking is streamed by default; otherwise only if a summary is requested
    effort: bool = False  # accepts output_config.effort
    budget: int = 0  # default thinking tokens if not adaptive; 0 = cannot think
    needs_blocks: bool = False  # while thinking is on, the API requires the thinking blocks of earlier calls
    interleaved: bool = False  # needs a beta header to think between tool calls
    off: str = "disabled"  # value of thinking.type that switches thinking off; "" = thinking cannot be switched off
    xhigh: bool = False  # accepts the effort "xhigh"


_NEW = ClaudeFamily(64_000, adaptive=True, shown=False, effort=True, xhigh=True)
_CLAUDE: Table[ClaudeFamily] = (
    (r"claude-(opus|sonnet)-4[.-]6", ClaudeFamily(64_000, adaptive=True, effort=True)),
    (
        r"claude-opus-4[.-]5(?!\d)",
        ClaudeFamily(64_000, budget=32_000, effort=True, needs_blocks=True, interleaved=True),
    ),
    (
        r"claude-(sonnet-4[.-]5|haiku-4[.-]5|sonnet-4)(?!\d)(?![.-][6-9](?!\d))",
        ClaudeFamily(64_000, budget=32_000, needs_blocks=True, interleaved=True),
    ),
    (r"claude-3[.-]7-sonnet", ClaudeFamily(64_000, budget=32_000, needs_blocks=True)),
    # Thinking gets half of the output limit of 32,000 tokens, so that the other half remains for the answer.
    (r"claude-opus-4([.-]0|[.-]1|-2025|@|$)", ClaudeFamily(32_000, budget=16_000, needs_blocks=True, interleaved=True)),
    (r"claude-(opus|sonnet|haiku)-4[.-][7-9]", _NEW),
    (r"claude-sonnet-5[.-][5-9]", replace(_NEW, off="between_tools")),
    (r"claude-(opus-5[.-][5-9]|fable-5[.-][1-9])", replace(_NEW, off="")),
    (r"claude-(opus|sonnet|haiku|fable|mythos)-([5-9]|\d\d)", _NEW),
    (r"claude-3[.-]5-", ClaudeFamily(8192)),
    (r"claude-", ClaudeFamily(4096)),
)
_BUDGETS = {"minimal": 1024, "low": 4096, "medium": 16_000}
MIN_BUDGET = 1024  # smallest thinking budget that Anthropic accepts (tokens)


def claude_parameters(settings: Settings, *, forced: bool = False) -> tuple[ClaudeFamily, dict[str, Any]]:
    """Returns the model's family, and the request parameters for limits, thinking, effort and temperature.

    `forced`: the model must call a tool. Forcing switches off thinking with a budget, but not adaptive thinking.
    """
    family = find_row(_CLAUDE, settings.family, ClaudeFamily(8192))
    asked: dict[str, Any] = {"max_tokens": settings.max_output_tokens or family.max_tokens}
    budget = settings.thinking_budget or min(family.budget, _BUDGETS.get(settings.effort, family.budget))
    budget = min(budget, asked["max_tokens"] // 2)
    on = not settings.thinking_off and (family.adaptive or (budget >= MIN_BUDGET and family.budget > 0 and not forced))
    if on and family.adaptive:
        asked["thinking"] = {"type": "adaptive"} if family.shown else {"type": "adaptive", "display": "summarized"}
    elif on:
        asked["thinking"] = {"type": "enabled", "budget_tokens": budget}
    elif family.adaptive and family.off:
        asked["thinking"] = {"type": family.off}
    words = {"minimal": "low", "off": "" if family.off else "low", "xhigh": "xhigh" if family.xhigh else "high"}
    effort = words.get(settings.effort, settings.effort) if family.effort else ""
    if settings.thinking_off and not family.off:
        effort = "low"
    if effort:
        asked["output_config"] = {"effort": effort}
    if settings.temperature is not None and not on:
        asked["temperature"] = settings.temperature
    return replace(family, needs_blocks=on and family.needs_blocks, interleaved=on and family.interleaved), asked


_OPENAI: Table[bool] = ((r"gpt-5[^-]*-chat", False), (r"(o[1-9]|gpt-[5-9]|gpt-oss|codex)", True))
# The greatest effort of models that refuse "max". Other models get the configured effort unchanged.
_OPENAI_MOST: Table[str] = (
    (r"gpt-5\.1-codex-max|gpt-5\.[2-5]", "xhigh"),
    (r"(o[1-9]|gpt-5(?!\.[6-9])|gpt-oss|codex)", "high"),
)
_OPENAI_LEAST: Table[str] = ((r"gpt-6\.[1-9]", "low"),)  # the least effort of models that always think
_XAI: Table[bool] = ((r"(grok-3-mini|grok-4\.3)", True),)
_XAI_MOST: Table[str] = ((r"grok-4\.[7-9](?!\d)", "xhigh"), (r"grok-", "high"))
_STRENGTHS = ("high", "xhigh", "max")
_SHORT_IDS: Table[bool] = ((r"(open-)?(mi[sx]tral|ministral|magistral|codestral|devstral|pixtral|voxtral)", True),)
_CACHE_MARKS: Table[bool] = ((r"gpt-(5\.[6-9](?!\d)|[6-9]|\d\d)", True),)
_KEEPS_TAGS: Table[bool] = ((r"minimax", True),)


def reads_at_marks(settings: Settings) -> bool:
    """Returns True if the model's prompt cache reads only prefixes that end at a cache mark of the request."""
    endpoint = settings.endpoint
    own = endpoint.provider == "azure" or (endpoint.provider == "openai" and not endpoint.base_url)
    return own and find_row(_CACHE_MARKS, settings.family, default=False)


def needs_short_ids(settings: Settings) -> bool:
    """Returns True if the model accepts only tool call ids of nine letters and digits."""
    return Quirk.SHORT_IDS in settings.quirks or find_row(_SHORT_IDS, settings.family, default=False)


def keeps_think_tags(settings: Settings) -> bool:
    """Returns True if the model expects its earlier answers back with their <think> part."""
    return find_row(_KEEPS_TAGS, settings.family, default=False)


def _at_most(effort: str, most: str, settings: Settings) -> str:
    """Returns the effort, lowered to the greatest one that the model and its server accept."""
    if effort not in _STRENGTHS:
        return effort
    limits = [most, *(limit for quirk, limit in _EFFORT_QUIRKS.items() if quirk in settings.quirks)]
    return min((effort, *limits), key=_STRENGTHS.index)


_EFFORT_QUIRKS = {Quirk.EFFORT_XHIGH: "xhigh", Quirk.EFFORT_HIGH: "high"}


def openai_effort(settings: Settings) -> str:
    """Returns the reasoning effort for an OpenAI model; "" if the parameter must not be sent."""
    reasons = find_row(_OPENAI, settings.family, default=bool(settings.effort))
    least = find_row(_OPENAI_LEAST, settings.family, "none")
    if settings.thinking_off:
        return least if reasons else ""
    most = find_row(_OPENAI_MOST, settings.family, "max")
    effort = least if settings.effort == "minimal" and least != "none" else settings.effort or "high"
    return _at_most(effort, most, settings) if reasons else ""


def chat_effort(settings: Settings) -> str:
    """Returns reasoning_effort for xAI and compatible servers; "" = not sent. Only xAI models have a default effort."""
    xai = settings.endpoint.provider == "xai"
    if settings.thinking_off:
        return "none"
    most = find_row(_XAI_MOST if xai else _OPENAI_MOST, settings.family, "max")
    effort = settings.effort or ("high" if xai and find_row(_XAI, settings.family, default=False) else "")
    return _at_most(effort, most, settings)


@dataclass(frozen=True)
class GeminiFamily:
    """The capabilities of a family of Gemini models."""

    budget: int | None = None  # maximum thinking tokens; None if the family has thinking levels or cannot think
    least_budget: int = 0  # minimum thinking tokens; if above 0, thinking cannot be switched off
    # Has thinking levels, takes native tools beside functions, requires a thought signature on function calls.
    new: bool = False


_GEMINI: Table[GeminiFamily] = (
    (r"gemini-2\.5-pro", GeminiFamily(budget=32_768, least_budget=128)),
    (r"gemini-2\.5-flash", GeminiFamily(budget=24_576)),
    (r"gemini-(2\.0|1\.)", GeminiFamily()),
)


def gemini_parameters(settings: Settings) -> tuple[GeminiFamily, dict[str, Any] | None]:
    """Returns the family and its thinkingConfig (None if the model refuses one). Unknown models count as new."""
    family, budget = find_row(_GEMINI, settings.family, GeminiFamily(new=True)), settings.thinking_budget
    if family.budget is not None:
        if budget is None:
            budget = 0 if settings.thinking_off else min(family.budget, _BUDGETS.get(settings.effort, family.budget))
        budget = max(family.least_budget, min(budget, family.budget))
        return family, {"includeThoughts": budget > 0, "thinkingBudget": budget}
    if not family.new:
        return family, None
    if budget and not settings.effort:
        return family, {"includeThoughts": True, "thinkingBudget": budget}
    level = "MINIMAL" if settings.thinking_off else settings.effort.upper() if settings.effort in _BUDGETS else "HIGH"
    if level == "MINIMAL" and "pro" in settings.family:
        level = "LOW"  # the lowest level of Pro models
    return family, {"includeThoughts": True, "thinkingLevel": level}
