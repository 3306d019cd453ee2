"""OpenAI's Responses API."""

from functools import partial

from llm_service.providers.openai_chat import connect as connect_openai
from llm_service.providers.openai_responses.events import Events
from llm_service.providers.openai_responses.request import prepare
from llm_service.providers.shared.tool_schemas import OPENAI as DIALECT

DROPPABLE = ("prompt_cache_key", "include", "temperature", "tool_choice")
connect = partial(connect_openai, path="/responses")

__all__ = ["DIALECT", "DROPPABLE", "Events", "connect", "prepare"]
