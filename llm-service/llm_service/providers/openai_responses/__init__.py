"""OpenAI's Responses API."""

from functools import partial

from llm_service.providers.openai_chat import connect as connect_openai
from llm_service.providers.openai_responses.events import Events
from llm_service.providers.openai_responses.request import prepare
from llm_service.providers.shared.quirks import Quirk
from llm_service.providers.shared.tool_schemas import OPENAI as DIALECT

DROPPABLE = ("prompt_cache_breakpoint", "prompt_cache_key", "include", "temperature", "tool_choice")
QUIRKS = (Quirk.EFFORT_XHIGH, Quirk.EFFORT_HIGH)
connect = partial(connect_openai, path="/responses", answer_key="output")

__all__ = ["DIALECT", "DROPPABLE", "QUIRKS", "Events", "connect", "prepare"]
