"""OpenAI's Chat Completions, as many servers speak it."""

from llm_service.providers.openai_chat.client import connect
from llm_service.providers.openai_chat.events import Events
from llm_service.providers.openai_chat.request import prepare
from llm_service.providers.shared.sdk import sdk_said as said
from llm_service.providers.shared.tool_schemas import OPENAI as DIALECT

DROPPABLE = ("stream_options", "prompt_cache_key", "reasoning_effort", "temperature")

__all__ = ["DIALECT", "DROPPABLE", "Events", "connect", "prepare", "said"]
