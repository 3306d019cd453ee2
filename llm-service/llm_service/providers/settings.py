"""What LLMConfig says: where a model is, and how it is to answer."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
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
EFFORTS = ("", "off", "minimal", "low", "medium", "high", "max")
APIS = ("", "responses", "chat")

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
        api: how to talk to it.
        door: who serves it.
        provider: LLMConfig.provider.
        base_url: instead of the provider's own address; "" = its own.
        api_key: "" when other credentials are used.
        key_variable: the environment variable to name when the provider refuses the credentials.
        credentials_file: path of a Google credentials file; "" = Google's own search for one.
        project: Vertex AI.
        location: Vertex AI; Bedrock: the AWS region.
        api_version: Azure.
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
    """A model and how it is to answer.

    Attributes:
        endpoint: where it is.
        model: the provider's name of it.
        family: name of the model whose rules hold for it; mostly its own.
        effort: one of EFFORTS; "" = as its family does best.
        thinking_budget: tokens for thinking; 0 = off, None = as its family does best.
        max_output_tokens: thinking included; None = as its family needs.
        temperature: None = the provider's own.
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
    _check_choice("effort", config.effort, EFFORTS)
    _check_choice("api", config.api, APIS)
    budget = config.thinking_budget if config.HasField("thinking_budget") else None
    limit = config.max_output_tokens if config.HasField("max_output_tokens") else None
    if (budget is not None and budget < 0) or (limit is not None and limit < 1):
        raise InvalidRequest("llm_config.thinking_budget or max_output_tokens is below its least value")
    return Settings(
        endpoint=_endpoint(config, env),
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
    headers = tuple(sorted((_header_name(name), _header_value(text, env)) for name, text in config.headers.items()))
    match provider:
        case "vertexai":
            return _vertex(config, env, base_url, headers)
        case "bedrock":
            return _bedrock(config, env, base_url, headers)
        case "azure":
            return _azure(config, env, base_url, headers)
        case "openai":
            # Servers that call themselves OpenAI-compatible are so in Chat Completions.
            chat = config.api == "chat" or (config.api == "" and bool(base_url))
            api = Api.CHAT if chat else Api.RESPONSES
        case "anthropic":
            api = Api.ANTHROPIC
        case "xai":
            api = Api.RESPONSES if config.api == "responses" else Api.CHAT
        case "google":
            api = Api.GOOGLE
        case _:
            known = "openai, anthropic, xai, google, vertexai, azure, bedrock"
            raise InvalidRequest(f"llm_config.provider {provider[:60]!r} is not one of {known}")
    # A server or a proxy of one's own may have its own way of knowing us.
    lookup = optional_api_key if base_url else require_api_key
    return Endpoint(
        api=api,
        provider=provider,
        base_url=base_url,
        api_key=lookup(env, config.api_key_env) or NO_KEY,
        key_variable=config.api_key_env,
        headers=headers,
    )


def check_url(base_url: str) -> None:
    """Check that an address can be called.

    Raises:
        InvalidRequest: it is no http or https URL.
    """
    try:
        parts = urlsplit(base_url)
        # A port that is none is only noticed when it is asked for.
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise InvalidRequest("llm_config.base_url is not an http or https URL")


def _vertex(config: LLMConfig, env: Mapping[str, str], base_url: str, headers: tuple[tuple[str, str], ...]) -> Endpoint:
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
        headers=headers,
    )


def _bedrock(
    config: LLMConfig, env: Mapping[str, str], base_url: str, headers: tuple[tuple[str, str], ...]
) -> Endpoint:
    region = config.location or env.get("AWS_REGION") or env.get("AWS_DEFAULT_REGION") or ""
    if not region:
        raise InvalidRequest("llm_config.location is empty; Bedrock needs an AWS region there, or in AWS_REGION")
    return Endpoint(
        api=Api.ANTHROPIC,
        door=Door.BEDROCK,
        provider="bedrock",
        base_url=base_url,
        # Without a key requests are signed (SigV4) with what AWS's own search finds.
        api_key=optional_api_key(env, config.api_key_env) or "",
        key_variable=config.api_key_env or "AWS_ACCESS_KEY_ID",
        location=region,
        headers=headers,
    )


def _azure(config: LLMConfig, env: Mapping[str, str], base_url: str, headers: tuple[tuple[str, str], ...]) -> Endpoint:
    if not base_url:
        raise InvalidRequest("llm_config.base_url is empty; Azure OpenAI needs the address of the resource")
    # Deployments with an api-version know Chat Completions best; /openai/v1 has the Responses API.
    chat = config.api == "chat" or (config.api == "" and bool(config.api_version))
    return Endpoint(
        api=Api.CHAT if chat else Api.RESPONSES,
        door=Door.AZURE,
        provider="azure",
        base_url=base_url,
        # Without a key: Entra ID, with what azure-identity finds.
        api_key=optional_api_key(env, config.api_key_env) or "",
        key_variable=config.api_key_env or "AZURE_CLIENT_ID",
        api_version=config.api_version,
        headers=headers,
    )


def _check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise InvalidRequest(f"llm_config.{name} {value[:60]!r} is not one of {', '.join(filter(None, choices))}")


def _header_name(name: str) -> str:
    if not _HEADER.fullmatch(name):
        raise InvalidRequest(f"llm_config.headers: {name[:60]!r} cannot be the name of a header")
    return name.lower()


def _header_value(text: str, env: Mapping[str, str]) -> str:
    def put_in(found: re.Match[str]) -> str:
        value = env.get(found[1])
        if value is None:
            raise MissingCredentials(f"llm_config.headers: the environment variable {found[1]} is not set")
        return value

    value = _VARIABLE.sub(put_in, text).strip()
    if not value.isascii() or not value.isprintable():
        raise InvalidRequest("llm_config.headers: a value cannot be that of a header")
    return value
