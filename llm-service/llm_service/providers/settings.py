"""What LLMConfig says: where a model is, and how it is to answer."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from llm_service.errors import InvalidRequest, MissingCredentials
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
CHOICES = {
    "effort": ("", "off", "minimal", "low", "medium", "high", "max"),
    "api": ("", "responses", "chat"),
}
"""What fields may be; "" = as the family does best, as the address says."""

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")


class Api(Enum):
    """A provider's HTTP interface; each has a folder of its own."""

    ANTHROPIC = "anthropic"
    CHAT = "openai_chat"
    RESPONSES = "openai_responses"
    GOOGLE = "google"


class Door(Enum):
    """Who serves the interface: it decides about addresses and credentials, not about the content."""

    OWN = "own"
    VERTEX = "vertex"
    AZURE = "azure"
    BEDROCK = "bedrock"


_NAMES = {"openai": "OpenAI", "anthropic": "Anthropic", "xai": "xAI", "google": "Gemini"}
_DOORS = {Door.VERTEX: "Vertex AI", Door.AZURE: "Azure OpenAI", Door.BEDROCK: "Bedrock"}


@dataclass(frozen=True)
class Endpoint:
    """Everything that makes one client different from another; equal ones share their connections.

    Attributes:
        base_url: instead of the provider's own address; "" = its own.
        api_key: "" when other credentials are used.
        key_variable: the environment variable to name when the provider refuses the credentials.
        credentials_file: path of a Google credentials file; "" = Google's own search for one.
        location: Vertex AI; Bedrock: the AWS region.
        headers: added to each request.
    """

    api: Api
    door: Door = Door.OWN
    provider: str = ""
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    key_variable: str = ""
    credentials_file: str = ""
    project: str = ""
    location: str = ""
    api_version: str = ""
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    @property
    def name(self) -> str:
        """Name for people; a server of one's own is called what it is."""
        if self.base_url and self.provider == "openai":
            return "the OpenAI-compatible server"
        return _DOORS.get(self.door) or _NAMES[self.provider]


@dataclass(frozen=True)
class Settings:
    """A model and how it is to answer; what is None or "" is left to the family, whose name is mostly the model's own.

    Of thinking the budget is in tokens, 0 = off; max_output_tokens counts thinking too.
    """

    endpoint: Endpoint
    model: str
    family: str
    effort: str = ""
    thinking_budget: int | None = None
    max_output_tokens: int | None = None
    temperature: float | None = None

    @property
    def thinking_off(self) -> bool:
        """Whether the operator wants no thinking."""
        return self.effort == "off" or self.thinking_budget == 0


def read_settings(config: LLMConfig, env: Mapping[str, str]) -> Settings:
    """Read the configuration of a request.

    Raises:
        InvalidRequest: a field is missing, or its value cannot be used; it is named.
        CredentialsError: a key or a credentials file is named, but cannot be had.
    """
    if not config.model:
        raise InvalidRequest("llm_config.model is empty")
    for name, choices in CHOICES.items():
        if (value := getattr(config, name)) not in choices:
            raise InvalidRequest(f"llm_config.{name} {value[:60]!r} is not one of {', '.join(choices[1:])}")
    budget = config.thinking_budget if config.HasField("thinking_budget") else None
    limit = config.max_output_tokens if config.HasField("max_output_tokens") else None
    if (budget is not None and budget < 0) or (limit is not None and limit < 1):
        raise InvalidRequest("llm_config.thinking_budget or max_output_tokens is below its least value")
    headers = tuple(sorted((_header_name(name), _header_value(text, env)) for name, text in config.headers.items()))
    return Settings(
        endpoint=replace(_endpoint(config, env), headers=headers),
        model=config.model,
        family=(config.model_family or config.model).lower(),
        effort=config.effort,
        thinking_budget=budget,
        max_output_tokens=limit,
        temperature=config.temperature if config.HasField("temperature") else None,
    )


def _endpoint(config: LLMConfig, env: Mapping[str, str]) -> Endpoint:
    base_url = config.base_url.strip().rstrip("/")
    if base_url:
        check_url(base_url)
    provider = config.provider
    if config.backend == "google-native" and provider != "vertexai":
        provider = "google"
    # What calls itself OpenAI-compatible, and Azure's deployments with a version, are so in Chat Completions.
    by_address = config.api_version if provider == "azure" else base_url or provider == "xai"
    openai = Api.CHAT if config.api == "chat" or (config.api == "" and by_address) else Api.RESPONSES
    apis = {"openai": openai, "xai": openai, "anthropic": Api.ANTHROPIC, "google": Api.GOOGLE}
    match provider:
        case "vertexai":
            return _vertex(config, env, base_url)
        case "bedrock":
            region = config.location or env.get("AWS_REGION") or env.get("AWS_DEFAULT_REGION") or ""
            if not region:
                told = "llm_config.location is empty; Bedrock needs an AWS region there, or in AWS_REGION"
                raise InvalidRequest(told)
            # Without a key requests are signed (SigV4) with what AWS's own search finds.
            endpoint = Endpoint(Api.ANTHROPIC, Door.BEDROCK, location=region, key_variable="AWS_ACCESS_KEY_ID")
            key = optional_api_key(env, config.api_key_env) or ""
        case "azure":
            if not base_url:
                raise InvalidRequest("llm_config.base_url is empty; Azure OpenAI needs the address of the resource")
            # Without a key: Entra ID, with what azure-identity finds.
            version = config.api_version
            endpoint = Endpoint(openai, Door.AZURE, api_version=version, key_variable="AZURE_CLIENT_ID")
            key = optional_api_key(env, config.api_key_env) or ""
        case _ if provider in apis:
            # A server or a proxy of one's own may have its own way of knowing us.
            lookup = optional_api_key if base_url else require_api_key
            endpoint, key = Endpoint(apis[provider]), lookup(env, config.api_key_env) or NO_KEY
        case _:
            known = "openai, anthropic, xai, google, vertexai, azure, bedrock"
            raise InvalidRequest(f"llm_config.provider {provider[:60]!r} is not one of {known}")
    variable = config.api_key_env or endpoint.key_variable
    return replace(endpoint, provider=provider, base_url=base_url, api_key=key, key_variable=variable)


def _vertex(config: LLMConfig, env: Mapping[str, str], base_url: str) -> Endpoint:
    if not config.project:
        raise InvalidRequest("llm_config.project is empty; Vertex AI needs a project")
    variable = config.credentials_env or GOOGLE_VARIABLE
    search = variable == GOOGLE_VARIABLE and not env.get(variable)
    claude = "claude" in (config.model_family or config.model).lower()
    return Endpoint(
        api=Api.ANTHROPIC if claude else Api.GOOGLE,
        door=Door.VERTEX,
        provider="vertexai",
        base_url=base_url,
        key_variable=variable,
        credentials_file="" if search else str(require_credentials_file(env, variable)),
        project=config.project,
        location=config.location or DEFAULT_LOCATION,
    )


def check_url(base_url: str) -> None:
    """Check that an address can be called, else InvalidRequest."""
    try:
        parts = urlsplit(base_url)
        # A port that is none is only noticed when it is asked for.
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise InvalidRequest("llm_config.base_url is not an http or https URL")


def _header_name(name: str) -> str:
    if not _HEADER.fullmatch(name):
        raise InvalidRequest(f"llm_config.headers: {name[:60]!r} cannot be the name of a header")
    return name.lower()


def _header_value(text: str, env: Mapping[str, str]) -> str:
    for name in _VARIABLE.findall(text):
        if name not in env:
            raise MissingCredentials(f"llm_config.headers: the environment variable {name} is not set")
    value = _VARIABLE.sub(lambda found: env[found[1]], text).strip()
    if not value.isascii() or not value.isprintable():
        raise InvalidRequest("llm_config.headers: a value cannot be that of a header")
    return value
