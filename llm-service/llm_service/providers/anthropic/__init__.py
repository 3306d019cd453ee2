"""Anthropic's Messages API: its own, and Claude on Vertex AI and Bedrock."""

from llm_service.providers.anthropic.client import connect
from llm_service.providers.anthropic.events import Events
from llm_service.providers.anthropic.request import prepare
from llm_service.providers.shared.sdk import sdk_said as said
from llm_service.providers.shared.tool_schemas import ANTHROPIC as DIALECT

DROPPABLE = ("cache_control", "output_config", "anthropic_beta", "temperature")

__all__ = ["DIALECT", "DROPPABLE", "Events", "connect", "prepare", "said"]
