"""Keys and credentials files, looked up by the names of environment variables. No value leaves by a message."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from llm_service.errors import InvalidCredentials, MissingCredentials

if TYPE_CHECKING:
    from collections.abc import Mapping

    from llm_service.providers.settings import Endpoint

SCOPES = ("https://www.googleapis.com/auth/cloud-platform",)


def require_api_key(env: Mapping[str, str], variable: str) -> str:
    """Look up the key that the variable holds; MissingCredentials, or InvalidCredentials when it cannot be one."""
    key = _value(env, variable, "api_key_env")
    # Checked here, because an HTTP library's complaint about such a header quotes the header.
    if not key.isascii() or not key.isprintable() or " " in key:
        raise InvalidCredentials(f"the value of the environment variable {variable} cannot be an API key")
    return key


def optional_api_key(env: Mapping[str, str], variable: str) -> str | None:
    """Look up a key that the provider may do without: None when no variable is named."""
    return require_api_key(env, variable) if variable else None


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


def google_credentials(endpoint: Endpoint) -> Any:
    """Load the credentials file for Vertex AI, or what Google finds by itself (environment, gcloud, metadata server).

    MissingCredentials when nothing was found, InvalidCredentials when the file is not one.
    """
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
    variable, path = endpoint.key_variable, endpoint.credentials_file
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
