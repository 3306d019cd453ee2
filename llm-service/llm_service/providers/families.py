"""How each model family is asked to think; a model that no row knows is asked for nothing that it might refuse."""

import re
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from llm_service.providers.settings import Settings

T = TypeVar("T")
Table = tuple[tuple[str, T], ...]


def find(table: Table[T], family: str, default: T) -> T:
    """Find what holds for a model; its name may have others in front: us.anthropic.claude-…, models/gemini-…."""
    return next((value for pattern, value in table if re.search(rf"(?:^|[/.:]){pattern}", family)), default)


@dataclass(frozen=True)
class Claude:
    """How a Claude model thinks."""

    max_tokens: int  # limit of thoughts and answer together; Anthropic demands one
    adaptive: bool = False  # the model chooses how much; else it is given a budget
    shown: bool = True  # thoughts come in the stream only when a summary of them is asked for
    effort: bool = False  # it takes output_config.effort
    budget: int = 0  # tokens for thinking, where it is not adaptive; 0 = the model has no thinking
    needs_blocks: bool = False  # with thinking on, a turn that called tools must come back with its thinking blocks
    interleaved: bool = False  # it thinks between tool calls only when a header asks for it


_NEW = Claude(64_000, adaptive=True, shown=False, effort=True)
_OLD = {"needs_blocks": True, "interleaved": True}
_CLAUDE: Table[Claude] = (
    (r"claude-(opus|sonnet)-4[.-]6", Claude(64_000, adaptive=True, effort=True)),
    (r"claude-opus-4[.-]5(?!\d)", Claude(64_000, budget=32_000, effort=True, **_OLD)),
    (r"claude-(sonnet-4[.-]5|haiku-4[.-]5|sonnet-4)(?!\d)(?![.-][6-9](?!\d))", Claude(64_000, budget=32_000, **_OLD)),
    (r"claude-3[.-]7-sonnet", Claude(64_000, budget=32_000, needs_blocks=True)),
    # Their output limit is 32,000, so half of it is left for the answer.
    (r"claude-opus-4([.-]0|[.-]1|-2025|@|$)", Claude(32_000, budget=16_000, **_OLD)),
    (r"claude-(opus|sonnet|haiku)-4[.-][7-9]", _NEW),
    (r"claude-(opus|sonnet|haiku|fable|mythos)-([5-9]|\d\d)", _NEW),
    (r"claude-3[.-]5-", Claude(8192)),
    (r"claude-", Claude(4096)),
)
_BUDGETS = {"minimal": 1024, "low": 4096, "medium": 16_000}
MIN_BUDGET = 1024  # Anthropic's own least


def claude(settings: Settings, *, forced: bool = False) -> tuple[Claude, dict[str, Any]]:
    """What a model can do with what is asked of it, and the parameters that ask for it: limits, thinking, effort.

    Thinking and a call that is `forced` exclude each other; of models without a budget some cannot but think.
    """
    family = find(_CLAUDE, settings.family, Claude(8192))
    asked: dict[str, Any] = {"max_tokens": settings.max_output_tokens or family.max_tokens}
    budget = settings.thinking_budget or min(family.budget, _BUDGETS.get(settings.effort, family.budget))
    budget = min(budget, asked["max_tokens"] // 2)
    on = not settings.thinking_off and (family.adaptive or (budget >= MIN_BUDGET and family.budget > 0 and not forced))
    if on and family.adaptive:
        asked["thinking"] = {"type": "adaptive"} if family.shown else {"type": "adaptive", "display": "summarized"}
    elif on:
        asked["thinking"] = {"type": "enabled", "budget_tokens": budget}
    elif family.adaptive:
        asked["thinking"] = {"type": "disabled"}
    effort = {"minimal": "low", "off": ""}.get(settings.effort, settings.effort) if family.effort else ""
    if effort:
        asked["output_config"] = {"effort": effort}
    if settings.temperature is not None and not on:
        asked["temperature"] = settings.temperature
    return replace(family, needs_blocks=on and family.needs_blocks, interleaved=on and family.interleaved), asked


_OPENAI: Table[bool] = ((r"gpt-5[^-]*-chat", False), (r"(o[1-9]|gpt-[5-9]|gpt-oss|codex)", True))
_XAI: Table[bool] = ((r"(grok-3-mini|grok-4\.3)", True),)


def openai_effort(settings: Settings) -> str:
    """The effort of an OpenAI model that reasons; "" where nothing may be asked for."""
    reasons = find(_OPENAI, settings.family, default=bool(settings.effort))
    if settings.thinking_off:
        return "none" if reasons else ""
    return {"max": "xhigh", "": "high"}.get(settings.effort, settings.effort) if reasons else ""


def chat_effort(settings: Settings) -> str:
    """The reasoning_effort of a Chat Completions request; servers of one's own are asked only if told so."""
    xai = settings.endpoint.provider == "xai"
    if settings.thinking_off:
        return "none"
    if settings.effort == "max" and not xai:
        return "xhigh"
    return settings.effort or ("high" if xai and find(_XAI, settings.family, default=False) else "")


@dataclass(frozen=True)
class Gemini:
    """What a family of Gemini models can do."""

    budget: int | None = None  # tokens for thinking; None: the family knows levels instead
    least_budget: int = 0  # the smallest that is accepted; above 0 thinking cannot be switched off
    new: bool = False  # takes a thinking level, takes native tools beside functions, refuses calls without signatures


# The budgets are the largest that these models take.
_GEMINI: Table[Gemini] = (
    (r"gemini-2\.5-pro", Gemini(budget=32_768, least_budget=128)),
    (r"gemini-2\.5-flash", Gemini(budget=24_576)),
    (r"gemini-(2\.0|1\.)", Gemini()),
)


def gemini(settings: Settings) -> tuple[Gemini, dict[str, Any] | None]:
    """Give the family, and its thinkingConfig, None where it would be refused; an unknown name is a new Gemini's."""
    family, budget = find(_GEMINI, settings.family, Gemini(new=True)), settings.thinking_budget
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
        level = "LOW"  # they cannot think less
    return family, {"includeThoughts": True, "thinkingLevel": level}
