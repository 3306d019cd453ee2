"""Reads LLMConfig: which endpoint to call, with which credentials, and how the model answers.

Error messages never contain a secret.
"""

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
    """Returns the API key in the variable.

    Raises MissingCredentials if the variable is not set, InvalidCredentials if its value cannot be a key.
    """
    key = _value(env, variable, "api_key_env")
    # Checked here, because the HTTP library's error message would quote the key.
    if not key.isascii() or not key.isprintable() or " " in key:
        raise InvalidCredentials(f"the value of the environment variable {variable} cannot be an API key")
    return key


def require_credentials_file(env: Mapping[str, str], variable: str) -> Path:
    """Returns the path in the variable. Raises MissingCredentials unless the path is a readable file."""
    path = Path(_value(env, variable, "credentials_env"))
    if not path.is_file() or not os.access(path, os.R_OK):
        raise MissingCredentials(f"the environment variable {variable} names a file that cannot be read")
    return path


def _value(env: Mapping[str, str], variable: str, field: str) -> str:
    if not variable:
        raise MissingCredentials(f"llm_config.{field} must name an environment variable")
    value = env.get(variable, "").strip()
    if not value:
        raise MissingCredentials(f"the environment variable {variable} is not set or is empty")
    return value


def google_credentials(path: str, variable: str) -> Any:
    """Loads Google credentials from the file; with path "", google.auth.default finds them.

    Raises MissingCredentials if there are none, InvalidCredentials if the file is not a credentials file.
    """
    # google.auth is imported here, because its import is slow and only Vertex AI needs it.
    import google.auth
    from google.auth import exceptions, identity_pool
    from google.oauth2 import credentials, service_account

    # One loader for each type of file, because Google's loader for any type is deprecated.
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
        message = f"the file that {variable} names is not a Google credentials file ({', '.join(loaders)})"
        raise InvalidCredentials(message) from error


GOOGLE_VARIABLE = "GOOGLE_APPLICATION_CREDENTIALS"  # default; if unset, google.auth.default is used
DEFAULT_LOCATION = "global"  # Vertex AI serves Claude and Gemini there for projects of all regions
NO_KEY = "not-needed"  # sent to a self-hosted server without keys, because the SDKs require a key
# Valid values of two fields of LLMConfig. "" = the family's default effort, and the usual API of the address.
CHOICES = {"effort": ("", "off", "minimal", "low", "medium", "high", "xhigh", "max"), "api": ("", "responses", "chat")}

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")


class Api(Enum):
    """An HTTP API of a provider; the value is the name of the package that implements it."""

    ANTHROPIC = "anthropic"
    CHAT = "openai_chat"
    RESPONSES = "openai_responses"
    GOOGLE = "google"


_NAMES = {"openai": "OpenAI", "anthropic": "Anthropic", "xai": "xAI", "google": "Gemini"}
_NAMES |= {"vertexai": "Vertex AI", "azure": "Azure OpenAI", "bedrock": "Bedrock"}


@dataclass(frozen=True)
class Endpoint:
    """Everything that distinguishes one client from another; equal endpoints share their connections."""

    api: Api
    provider: str = ""  # name of the provider; determines address and credentials
    base_url: str = ""  # address to call; "" = the provider's own address
    query: str = field(default="", repr=False)  # query parameters of base_url, added to each request
    api_key: str = field(default="", repr=False)  # "" if the provider is called with other credentials
    key_variable: str = ""  # environment variable of the credentials, named in errors
    credentials_file: str = ""  # path of a Google credentials file; "" = google.auth.default finds them
    project: str = ""
    location: str = ""  # region of Vertex AI or AWS
    api_version: str = ""
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)  # sent with each request
    secrets: tuple[str, ...] = field(
        default=(), repr=False
    )  # secret values in `headers`, to mask in errors because a server may quote them

    @property
    def name(self) -> str:
        """The provider's name for messages."""
        if self.base_url and self.provider == "openai":
            return "the OpenAI-compatible server"
        return _NAMES[self.provider]


@dataclass(frozen=True)
class Settings:
    """A model and its parameters. None or "" = the family's default; thinking_budget 0 = no thinking."""

    endpoint: Endpoint
    model: str
    family: str
    effort: str = ""
    thinking_budget: int | None = None
    max_output_tokens: int | None = None
    temperature: float | None = None
    quirks: frozenset[str] = frozenset()  # forms of a request that the server demands (shared/quirks.py)

    @property
    def thinking_off(self) -> bool:
        """True if the operator switched thinking off."""
        return self.effort == "off" or self.thinking_budget == 0


def read_settings(config: LLMConfig, env: Mapping[str, str]) -> Settings:
    """Reads a request's configuration.

    InvalidRequest names the bad field, MissingCredentials and InvalidCredentials the environment variable.
    """
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
    base_url, _, query = config.base_url.strip().partition("#")[0].partition("?")
    base_url = base_url.rstrip("/")
    if base_url:
        _check_url(base_url)
    native = config.backend == "google-native" and config.provider != "vertexai"
    provider = "google" if native else config.provider
    # Default API: Chat Completions for xAI, compatible servers and Azure with an API version.
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
            # Without a key, the SDK signs requests (SigV4) with the default AWS credentials.
            key = require_api_key(env, variable) if variable else ""
            endpoint = Endpoint(Api.ANTHROPIC, api_key=key, location=region)
            variable = variable or "AWS_ACCESS_KEY_ID"
        case "azure":
            if not base_url:
                raise InvalidRequest("llm_config.base_url is empty; Azure OpenAI needs the address of the resource")
            # Without a key, azure-identity provides Entra ID tokens.
            key = require_api_key(env, variable) if variable else ""
            endpoint = Endpoint(openai, api_key=key, api_version=config.api_version)
            variable = variable or "AZURE_CLIENT_ID"
        case _ if provider in apis:
            # A self-hosted server or proxy may need no key, for example if `headers` authenticate.
            key = NO_KEY if base_url and not variable else require_api_key(env, variable)
            endpoint = Endpoint(apis[provider], api_key=key)
        case _:
            known = "openai, anthropic, xai, google, vertexai, azure, bedrock"
            raise InvalidRequest(f"llm_config.provider {provider[:60]!r} is not one of {known}")
    return replace(endpoint, provider=provider, base_url=base_url, query=query, key_variable=variable)


def _check_url(base_url: str) -> None:
    try:
        parts = urlsplit(base_url)
        # Reading `port` raises ValueError if it is invalid; urlsplit does not check it.
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
    """Returns secrets to mask: header values, their words after the first (such as Bearer), and variables in them."""
    variables = sorted({name for text in config.headers.values() for name in _VARIABLE.findall(text)})
    texts = [*(value for _, value in headers), *(env[name] for name in variables)]
    return tuple(secret for text in texts for secret in (text.strip(), *text.split()[1:]))
