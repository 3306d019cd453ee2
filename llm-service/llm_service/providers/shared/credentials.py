"""Keys and credentials files, looked up by the names of environment variables. No value leaves by a message."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from llm_service.errors import InvalidCredentials, MissingCredentials

if TYPE_CHECKING:
    from collections.abc import Mapping


def require_api_key(env: Mapping[str, str], variable: str) -> str:
    """Look up the key that the variable holds.

    Raises:
        MissingCredentials: no variable is named, it is not set, or it is empty.
        InvalidCredentials: its value cannot be a key.
    """
    if not variable:
        raise MissingCredentials("llm_config.api_key_env names no environment variable")
    key = env.get(variable, "").strip()
    if not key:
        raise MissingCredentials(f"the environment variable {variable} is not set or is empty")
    # Checked here, because an HTTP library's complaint about such a header quotes the header.
    if not key.isascii() or not key.isprintable() or " " in key:
        raise InvalidCredentials(f"the value of the environment variable {variable} cannot be an API key")
    return key


def optional_api_key(env: Mapping[str, str], variable: str) -> str | None:
    """Look up a key that the provider may do without: None when no variable is named.

    Raises:
        MissingCredentials: a variable is named, but it is not set, or it is empty.
        InvalidCredentials: its value cannot be a key.
    """
    return require_api_key(env, variable) if variable else None


def require_credentials_file(env: Mapping[str, str], variable: str) -> Path:
    """Path of the readable credentials file that the variable names.

    Raises:
        MissingCredentials: no variable is named, it is not set, or there is no such file to read.
    """
    if not variable:
        raise MissingCredentials("llm_config.credentials_env names no environment variable")
    text = env.get(variable, "").strip()
    if not text:
        raise MissingCredentials(f"the environment variable {variable} is not set or is empty")
    path = Path(text)
    if not path.is_file() or not os.access(path, os.R_OK):
        raise MissingCredentials(f"the environment variable {variable} names no file that can be read")
    return path


def refused_credentials(variable: str, provider: str) -> InvalidCredentials:
    """Build the error for a key or file that the provider refused."""
    return InvalidCredentials(f"{provider} refused the credentials of the environment variable {variable}")
