"""Keys and credentials files, looked up by the names of environment variables. No value leaves by a message."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from llm_service.errors import InvalidCredentials, MissingCredentials

if TYPE_CHECKING:
    from collections.abc import Mapping


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
