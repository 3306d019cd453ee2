"""OpenAI's Responses API."""

from llm_service.providers.openai_responses.client import connect
from llm_service.providers.openai_responses.events import reader
from llm_service.providers.openai_responses.failures import said
from llm_service.providers.openai_responses.request import prepare
from llm_service.providers.shared.tool_schemas import OPENAI as DIALECT

DROPPABLE = ("prompt_cache_key", "include", "temperature")

__all__ = ["DIALECT", "DROPPABLE", "connect", "prepare", "reader", "said"]
