"""Anthropic's Messages API, and Claude on Vertex AI and Bedrock."""

from typing import Any

import anthropic

from llm_service.errors import MissingCredentials
from llm_service.providers.anthropic.events import Events
from llm_service.providers.anthropic.request import prepare
from llm_service.providers.settings import Endpoint, google_credentials
from llm_service.providers.shared.quirks import Quirk
from llm_service.providers.shared.tool_schemas import ANTHROPIC as DIALECT
from llm_service.providers.shared.transport import SdkClient, common_options

__all__ = ["DIALECT", "DROPPABLE", "QUIRKS", "Events", "connect", "prepare"]
DROPPABLE = ("cache_control", "output_config", "anthropic_beta", "temperature", "tool_choice")
QUIRKS = (Quirk.NO_THOUGHTS, Quirk.EFFORT_XHIGH, Quirk.EFFORT_HIGH)
OWN_ENDPOINT = "https://api.anthropic.com"


def connect(endpoint: Endpoint) -> SdkClient:
    """Creates the client. Raises InvalidCredentials or MissingCredentials."""
    # Bedrock streams in AWS's binary format instead of server-sent events; the SDK decodes it.
    own_framing = endpoint.provider == "bedrock"
    return SdkClient(
        _sdk(endpoint), anthropic.AsyncStream, "/v1/messages", answer_key="content", own_framing=own_framing
    )


def _sdk(endpoint: Endpoint) -> Any:
    if endpoint.provider == "vertexai":
        return anthropic.AsyncAnthropicVertex(
            project_id=endpoint.project,
            region=endpoint.location,
            base_url=endpoint.base_url or None,
            credentials=google_credentials(endpoint.credentials_file, endpoint.key_variable),
            **common_options(endpoint),
        )
    if endpoint.provider == "bedrock":
        try:
            import botocore  # type: ignore[import-untyped] # noqa: F401 -- an extra, imported here for a clear error
        except ImportError as error:
            message = "Bedrock needs the packages of requirements-all.lock, which are not installed"
            raise MissingCredentials(message) from error
        return anthropic.AsyncAnthropicBedrock(
            aws_region=endpoint.location,
            api_key=endpoint.api_key or None,
            base_url=endpoint.base_url or f"https://bedrock-runtime.{endpoint.location}.amazonaws.com",
            **common_options(endpoint),
        )
    base_url = endpoint.base_url or OWN_ENDPOINT
    return anthropic.AsyncAnthropic(api_key=endpoint.api_key, base_url=base_url, **common_options(endpoint))
