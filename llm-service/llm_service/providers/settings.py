"""What LLMConfig says: where a model is, with which keys, and how it is to answer. No secret leaves by a message."""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from llm_service.errors import InvalidCredentials, InvalidRequest, MissingCredentials
from llm_service.proto.llm_service_pb2 import LLMConfig

SCOPES = ("https://www.googleapis.com/auth/cloud-platform",)


def require_api_key(env: Mapping[str, str], variable: str) -> str:
    """Look up the key that the variable holds; MissingCredentials, or InvalidCredentials when it cannot be one."""
    key = _value(env, variable, "api_key_env")
    # Checked here, because an HTTP library's complaint about such a header quotes the header.
    if not key.isascii() or not key.isprintable() or " " in key:
        raise InvalidCredentials(f"the value of the environment variable {variable} cannot be an API key")
    return key


def require_credentials_file(env: Mapping[str, str], variable: str) -> Path:
    """Path of the readable credentials file that the variable names, else MissingCredentials."""
    path = Path(_value(env, variable, "credentials_env"))
    if not path.is_file() or not os.access(path, os.R_OK):
        raise MissingCredentials(f"the environment variable {variable} names no file that can be read")
    return path


def _value(env: Mapping[str, str], variable: str, field: str) -> str:
    if not variable:
        raise MissingCredentials(f"llm_config.{field} names no environment variable")
    value = env.get(variable, "").strip()
    if not value:
        raise MissingCredentials(f"the environment variable {variable} is not set or is empty")
    return value


def google_credentials(path: str, variable: str) -> Any:
    """Load the credentials file for Vertex AI, or what Google finds by itself; Missing- or InvalidCredentials."""
    # Imported here: it takes long, and most installations never need it.
    import google.auth
    from google.auth import exceptions, identity_pool
    from google.oauth2 import credentials, service_account

    # Loaded by type, because Google's loader for any type is deprecated.
    loaders: dict[str, Any] = {
        "service_account": service_account.Credentials.from_service_account_info,
        "authorized_user": credentials.Credentials.from_authorized_user_info,
        "external_account": identity_pool.Credentials.from_info,
    }
    try:
        if not path:
            return google.auth.default(scopes=SCOPES)[0]
        info = json.loads(Path(path).read_text(encoding="utf-8"))
        return loaders[info["type"]](info, scopes=SCOPES)
    except (exceptions.GoogleAuthError, OSError, KeyError, TypeError, ValueError) as error:
        if not path:
            raise MissingCredentials(f"no Google credentials were found; {variable} can name a file") from error
        told = f"the file that {variable} names is no Google credentials file ({', '.join(loaders)})"
        raise InvalidCredentials(told) from error


GOOGLE_VARIABLE = "GOOGLE_APPLICATION_CREDENTIALS"  # where it is not set, Google's libraries search elsewhere
DEFAULT_LOCATION = "global"  # Vertex AI serves Claude and Gemini from there, whatever region a project uses
NO_KEY = "not-needed"  # sent to a server of one's own that asks for no key: the SDKs insist on having one
# What fields may be; "" = as the family does best, as the address says.
CHOICES = {"effort": ("", "off", "minimal", "low", "medium", "high", "max"), "api": ("", "responses", "chat")}

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")


class Api(Enum):
    """A provider's HTTP interface; each has a folder of its own."""

    ANTHROPIC = "anthropic"
    CHAT = "openai_chat"
    RESPONSES = "openai_responses"
    GOOGLE = "google"


_NAMES = {"openai": "OpenAI", "anthropic": "Anthropic", "xai": "xAI", "google": "Gemini"}
_NAMES |= {"vertexai": "Vertex AI", "azure": "Azure OpenAI", "bedrock": "Bedrock"}


@dataclass(frozen=True)
class Endpoint:
    """Everything that makes one client different from another; equal ones share their connections."""

    api: Api
    provider: str = ""  # who serves the interface: it decides about addresses and credentials
    base_url: str = ""  # instead of the provider's own address; "" = its own
    api_key: str = field(default="", repr=False)  # "" when other credentials are used
    key_variable: str = ""  # the environment variable to name when the provider refuses the credentials
    credentials_file: str = ""  # path of a Google credentials file; "" = Google's own search for one
    project: str = ""
    location: str = ""  # Vertex AI; Bedrock: the AWS region
    api_version: str = ""
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)  # added to each request
    secrets: tuple[str, ...] = field(default=(), repr=False)  # in headers; a server may quote each by itself

    @property
    def name(self) -> str:
        """Name for people; a server of one's own is called what it is."""
        if self.base_url and self.provider == "openai":
            return "the OpenAI-compatible server"
        return _NAMES[self.provider]


@dataclass(frozen=True)
class Settings:
    """A model and how it is to answer; None or "" is left to the family. Limits are in tokens, for thinking 0 = off."""

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
    """Read a request's configuration; InvalidRequest names a bad field, Missing- or InvalidCredentials a variable."""
    if not config.model:
        raise InvalidRequest("llm_config.model is empty")
    for name, choices in CHOICES.items():
        if (value := getattr(config, name)) not in choices:
            raise InvalidRequest(f"llm_config.{name} {value[:60]!r} is not one of {', '.join(choices[1:])}")
    numbers: dict[str, Any] = {
        name: getattr(config, name)
        for name in ("thinking_budget", "max_output_tokens", "temperature")
        if config.HasField(name)
    }
    if numbers.get("thinking_budget", 0) < 0 or numbers.get("max_output_tokens", 1) < 1:
        raise InvalidRequest("llm_config.thinking_budget or max_output_tokens is below its least value")
    headers = tuple(sorted(_header(name, text, env) for name, text in config.headers.items()))
    return Settings(
        endpoint=replace(_endpoint(config, env), headers=headers, secrets=_secrets(config, env, headers)),
        model=config.model,
        family=(config.model_family or config.model).lower(),
        effort=config.effort,
        **numbers,
    )


def _endpoint(config: LLMConfig, env: Mapping[str, str]) -> Endpoint:
    base_url = config.base_url.strip().rstrip("/")
    if base_url:
        _check_url(base_url)
    native = config.backend == "google-native" and config.provider != "vertexai"
    provider = "google" if native else config.provider
    # What calls itself OpenAI-compatible, and Azure's deployments with a version, are so in Chat Completions.
    by_address = config.api_version if provider == "azure" else base_url or provider == "xai"
    openai = Api.CHAT if config.api == "chat" or (config.api == "" and by_address) else Api.RESPONSES
    apis = {"openai": openai, "xai": openai, "anthropic": Api.ANTHROPIC, "google": Api.GOOGLE}
    variable = config.api_key_env
    match provider:
        case "vertexai":
            if not config.project:
                raise InvalidRequest("llm_config.project is empty; Vertex AI needs a project")
            variable = config.credentials_env or GOOGLE_VARIABLE
            search = variable == GOOGLE_VARIABLE and not env.get(variable)
            endpoint = Endpoint(
                api=Api.ANTHROPIC if "claude" in (config.model_family or config.model).lower() else Api.GOOGLE,
                credentials_file="" if search else str(require_credentials_file(env, variable)),
                project=config.project,
                location=config.location or DEFAULT_LOCATION,
            )
        case "bedrock":
            region = config.location or env.get("AWS_REGION") or env.get("AWS_DEFAULT_REGION") or ""
            if not region:
                raise InvalidRequest(
                    "llm_config.location is empty; Bedrock needs an AWS region there, or in AWS_REGION"
                )
            # Without a key requests are signed (SigV4) with what AWS's own search finds.
            key = require_api_key(env, variable) if variable else ""
            endpoint = Endpoint(Api.ANTHROPIC, api_key=key, location=region)
            variable = variable or "AWS_ACCESS_KEY_ID"
        case "azure":
            if not base_url:
                raise InvalidRequest("llm_config.base_url is empty; Azure OpenAI needs the address of the resource")
            # Without a key: Entra ID, with what azure-identity finds.
            key = require_api_key(env, variable) if variable else ""
            endpoint = Endpoint(openai, api_key=key, api_version=config.api_version)
            variable = variable or "AZURE_CLIENT_ID"
        case _ if provider in apis:
            # A server or a proxy of one's own may have its own way of knowing us.
            key = NO_KEY if base_url and not variable else require_api_key(env, variable)
            endpoint = Endpoint(apis[provider], api_key=key)
        case _:
            known = "openai, anthropic, xai, google, vertexai, azure, bedrock"
            raise InvalidRequest(f"llm_config.provider {provider[:60]!r} is not one of {known}")
    return replace(endpoint, provider=provider, base_url=base_url, key_variable=variable)


def _check_url(base_url: str) -> None:
    try:
        parts = urlsplit(base_url)
        # A port that is none is only noticed when it is asked for.
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise InvalidRequest("llm_config.base_url is not an http or https URL")


def _header(name: str, text: str, env: Mapping[str, str]) -> tuple[str, str]:
    if not _HEADER.fullmatch(name):
        raise InvalidRequest(f"llm_config.headers: {name[:60]!r} cannot be the name of a header")
    for variable in _VARIABLE.findall(text):
        if variable not in env:
            raise MissingCredentials(f"llm_config.headers: the environment variable {variable} is not set")
    value = _VARIABLE.sub(lambda found: env[found[1]], text).strip()
    if not value.isascii() or not value.isprintable():
        raise InvalidRequest("llm_config.headers: a value cannot be that of a header")
    return name.lower(), value


def _secrets(config: LLMConfig, env: Mapping[str, str], headers: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    """What may be secret in the headers: values and variables, whole and without a first word, such as Bearer."""
    variables = sorted({name for text in config.headers.values() for name in _VARIABLE.findall(text)})
    texts = [*(value for _, value in headers), *(env[name] for name in variables)]
    return tuple(secret for text in texts for secret in (text.strip(), *text.split()[1:]))
