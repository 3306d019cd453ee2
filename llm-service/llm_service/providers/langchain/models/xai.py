"""xAI: Chat Completions with reasoning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from langchain_xai import ChatXAI
from pydantic import SecretStr

from llm_service.providers.langchain.model import Model
from llm_service.providers.langchain.models.compatible import CompatibleStream
from llm_service.providers.langchain.models.openai import client_fields, sdk_client
from llm_service.providers.langchain.thinking import XAI, find

if TYPE_CHECKING:
    from llm_service.providers.langchain.settings import ModelSettings

OWN_ENDPOINT = "https://api.x.ai/v1"


class CompatibleChatXAI(CompatibleStream, ChatXAI):
    """ChatXAI that also reads refusals and calls without an index."""


def build(settings: ModelSettings) -> Model:
    """Build the model."""
    client = sdk_client(settings, OWN_ENDPOINT)
    chat = CompatibleChatXAI(
        model=settings.model,
        api_key=SecretStr(settings.api_key),
        **client_fields(client),
        stream_usage=True,
        stream_chunk_timeout=None,
        use_responses_api=False,
        reasoning_effort=find(XAI, settings.model, None),
    )
    return Model(settings=settings, chat=chat, close=client.close, replay_tag="xai")
