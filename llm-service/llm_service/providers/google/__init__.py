"""Gemini through google-genai: its own API and Vertex AI."""

from llm_service.providers.google.client import connect, said
from llm_service.providers.google.events import Events
from llm_service.providers.google.request import prepare
from llm_service.providers.shared.tool_schemas import GEMINI as DIALECT

DROPPABLE = ("temperature",)

__all__ = ["DIALECT", "DROPPABLE", "Events", "connect", "prepare", "said"]
