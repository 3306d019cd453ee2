"""What LLMConfig says about a model, with its key: everything that makes one client different from another."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from llm_service.errors import InvalidRequest
from llm_service.providers.shared.credentials import optional_api_key, require_api_key, require_credentials_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from llm_service.proto.llm_service_pb2 import LLMConfig

GOOGLE_VARIABLE = "GOOGLE_APPLICATION_CREDENTIALS"
"""Google's own; where it is not set, its libraries search elsewhere, as on a machine in Google's cloud."""
DEFAULT_LOCATION = "global"
"""Vertex AI serves Claude and Gemini from there, whatever region a project uses."""
NO_KEY = "not-needed"
"""Sent to a server of one's own that asks for no key: the SDKs insist on having one."""


class Api(Enum):
    """A provider's HTTP interface, and the class that speaks it."""

    OPENAI_CHAT = "openai-chat"
    OPENAI_RESPONSES = "openai-responses"
    XAI = "xai"
    ANTHROPIC = "anthropic"
    ANTHROPIC_VERTEX = "anthropic-vertex"
    GOOGLE = "google"
    GOOGLE_VERTEX = "google-vertex"


NAMES = {
    Api.OPENAI_CHAT: "OpenAI",
    Api.OPENAI_RESPONSES: "OpenAI",
    Api.XAI: "xAI",
    Api.ANTHROPIC: "Anthropic",
    Api.ANTHROPIC_VERTEX: "Vertex AI",
    Api.GOOGLE: "Gemini",
    Api.GOOGLE_VERTEX: "Vertex AI",
}
"""For people, in messages."""


@dataclass(frozen=True)
class ModelSettings:
    """The key under which a client is cached; two requests with equal settings share one.

    Attributes:
        api: how to talk to it.
        model: the provider's name of the model.
        base_url: instead of the provider's own endpoint; "" = its own.
        api_key: "" when the provider is used with other credentials.
        key_variable: the environment variable to name when the provider refuses the credentials.
        credentials_file: path of a Google credentials file; "" = Google's own search for one.
        project: Vertex AI.
        location: Vertex AI.
    """

    api: Api
    model: str
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    key_variable: str = ""
    credentials_file: str = ""
    project: str = ""
    location: str = ""

    @property
    def provider_name(self) -> str:
        """Name for people; a server of one's own is called what it is."""
        if self.base_url and self.api is Api.OPENAI_CHAT:
            return "the OpenAI-compatible server"
        return NAMES[self.api]


def read_settings(config: LLMConfig, env: Mapping[str, str]) -> ModelSettings:
    """Read the configuration of a request.

    Raises:
        InvalidRequest: no model is named, the provider is unknown, or a field is missing.
        CredentialsError: a key or a credentials file is named, but cannot be had.
    """
    if not config.model:
        raise InvalidRequest("llm_config.model is empty")
    base_url = config.base_url.strip().rstrip("/")
    if base_url:
        _check_url(base_url)
    if config.provider == "vertexai":
        return _vertex_settings(config, env, base_url)
    api = _api(config.provider, base_url)
    # A server or a proxy of one's own may have its own way of knowing us.
    lookup = optional_api_key if base_url else require_api_key
    return ModelSettings(
        api=api,
        model=config.model,
        base_url=base_url,
        api_key=lookup(env, config.api_key_env) or NO_KEY,
        key_variable=config.api_key_env,
    )


def _check_url(base_url: str) -> None:
    try:
        parts = urlsplit(base_url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise InvalidRequest("llm_config.base_url is not an http or https URL")


def _api(provider: str, base_url: str) -> Api:
    match provider:
        case "openai":
            # Servers that call themselves OpenAI-compatible are so in Chat Completions.
            return Api.OPENAI_CHAT if base_url else Api.OPENAI_RESPONSES
        case "anthropic":
            return Api.ANTHROPIC
        case "xai":
            return Api.XAI
        case "google":
            return Api.GOOGLE
    known = "openai, anthropic, xai, google, vertexai"
    raise InvalidRequest(f"llm_config.provider {provider[:60]!r} is not one of {known}")


def _vertex_settings(config: LLMConfig, env: Mapping[str, str], base_url: str) -> ModelSettings:
    if not config.project:
        raise InvalidRequest("llm_config.project is empty; Vertex AI needs a project")
    claude = config.model.rpartition("/")[2].startswith("claude")
    variable = config.credentials_env or GOOGLE_VARIABLE
    search = variable == GOOGLE_VARIABLE and not env.get(variable)
    return ModelSettings(
        api=Api.ANTHROPIC_VERTEX if claude else Api.GOOGLE_VERTEX,
        model=config.model,
        base_url=base_url,
        key_variable=variable,
        credentials_file="" if search else str(require_credentials_file(env, variable)),
        project=config.project,
        location=config.location or DEFAULT_LOCATION,
    )
