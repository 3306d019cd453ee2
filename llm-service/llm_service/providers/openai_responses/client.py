"""Clients of the Responses API."""

from __future__ import annotations

from typing import TYPE_CHECKING

import openai

from llm_service.providers.openai_chat.client import openai_sdk
from llm_service.providers.shared.sdk import SdkClient

if TYPE_CHECKING:
    from llm_service.providers.settings import Endpoint


def connect(endpoint: Endpoint) -> SdkClient:
    """Make the client.

    Raises:
        CredentialsError: the credentials cannot be used.
    """
    return SdkClient(openai_sdk(endpoint), openai.AsyncStream, "/responses")
