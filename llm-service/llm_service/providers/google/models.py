"""What the families of Gemini models can do."""

from __future__ import annotations

from dataclasses import dataclass

from google.genai import types


@dataclass(frozen=True)
class ModelFamily:
    """Models whose names start the same.

    Attributes:
        prefix: start of the model name, without "models/".
        thinking_budget: tokens for thinking; None: the family knows levels instead.
        thinking_level: how much to think, where there is no budget; None as well: the family cannot think.
        combines_tools: whether one call may carry function tools and native tools.
        wants_signatures: whether a function call in the history is refused without its thought signature.
    """

    prefix: str
    thinking_budget: int | None
    thinking_level: types.ThinkingLevel | None
    combines_tools: bool
    wants_signatures: bool

    def thinking_config(self) -> types.ThinkingConfig | None:
        """Build the setting for a call; None where a setting would be refused."""
        if self.thinking_budget is not None:
            return types.ThinkingConfig(include_thoughts=True, thinking_budget=self.thinking_budget)
        if self.thinking_level is not None:
            return types.ThinkingConfig(include_thoughts=True, thinking_level=self.thinking_level)
        return None


# The first row that fits counts. The budgets are the largest that these models take.
FAMILIES = (
    ModelFamily("gemini-2.5-pro", 32768, None, combines_tools=False, wants_signatures=False),
    ModelFamily("gemini-2.5-flash", 24576, None, combines_tools=False, wants_signatures=False),
    ModelFamily("gemini-2.0", None, None, combines_tools=False, wants_signatures=False),
    ModelFamily("gemini-1.", None, None, combines_tools=False, wants_signatures=False),
    ModelFamily("", None, types.ThinkingLevel.HIGH, combines_tools=True, wants_signatures=True),
)


def family_of(model: str) -> ModelFamily:
    """Find the family of a model; an unknown name is taken for a new Gemini."""
    name = model.removeprefix("models/").lower()
    return next(family for family in FAMILIES if name.startswith(family.prefix))
