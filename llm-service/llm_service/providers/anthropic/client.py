"""Clients of the Messages API, behind each door."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anthropic

from llm_service.errors import MissingCredentials
from llm_service.providers.settings import Door
from llm_service.providers.shared.credentials import google_credentials
from llm_service.providers.shared.sdk import SdkClient, common

if TYPE_CHECKING:
    from llm_service.providers.settings import Endpoint

OWN_ENDPOINT = "https://api.anthropic.com"
"""Told to the SDK, because it would otherwise take one from its own environment variables."""


def connect(endpoint: Endpoint) -> SdkClient:
    """Make the client; CredentialsError when the credentials cannot be used."""
    # Bedrock has a framing of its own instead of server-sent events.
    own_framing = endpoint.door is Door.BEDROCK
    return SdkClient(_sdk(endpoint), anthropic.AsyncStream, "/v1/messages", own_framing=own_framing)


def _sdk(endpoint: Endpoint) -> Any:
    if endpoint.door is Door.VERTEX:
        return anthropic.AsyncAnthropicVertex(
            project_id=endpoint.project,
            region=endpoint.location,
            base_url=endpoint.base_url or None,
            credentials=google_credentials(endpoint),
            **common(endpoint),
        )
    if endpoint.door is Door.BEDROCK:
        try:
            import botocore  # type: ignore[import-untyped] # noqa: F401 -- an extra, asked for here to say so clearly
        except ImportError as error:
            told = "Bedrock needs the packages of requirements-all.lock, which are not installed"
            raise MissingCredentials(told) from error
        return anthropic.AsyncAnthropicBedrock(
            aws_region=endpoint.location,
            api_key=endpoint.api_key or None,
            base_url=endpoint.base_url or f"https://bedrock-runtime.{endpoint.location}.amazonaws.com",
            **common(endpoint),
        )
    base_url = endpoint.base_url or OWN_ENDPOINT
    return anthropic.AsyncAnthropic(api_key=endpoint.api_key, base_url=base_url, **common(endpoint))
