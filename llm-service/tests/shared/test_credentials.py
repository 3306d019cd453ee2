"""Keys and files are found by the names of variables, and no value is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from llm_service.errors import InvalidCredentials, MissingCredentials
from llm_service.providers.settings import require_api_key, require_credentials_file

if TYPE_CHECKING:
    from pathlib import Path


def test_a_key_is_found_and_trimmed() -> None:
    assert require_api_key({"KEY": " k-1\n"}, "KEY") == "k-1"


@pytest.mark.parametrize("env", [{}, {"KEY": ""}, {"KEY": " \n"}])
def test_a_missing_key_is_named(env: dict[str, str]) -> None:
    for look_up in (require_api_key, require_credentials_file):
        with pytest.raises(MissingCredentials, match="KEY is not set or is empty"):
            look_up(env, "KEY")


def test_a_missing_variable_name_is_reported() -> None:
    with pytest.raises(MissingCredentials, match="api_key_env"):
        require_api_key({"": "x"}, "")
    with pytest.raises(MissingCredentials, match="credentials_env"):
        require_credentials_file({"": "x"}, "")


@pytest.mark.parametrize("value", ["ké", "k\ny", "k\x00y", "k y"])
def test_an_invalid_key_is_not_quoted(value: str) -> None:
    with pytest.raises(InvalidCredentials, match="KEY") as caught:
        require_api_key({"KEY": value}, "KEY")
    assert value not in str(caught.value)


def test_a_credentials_file(tmp_path: Path) -> None:
    path = tmp_path / "credentials.json"
    with pytest.raises(MissingCredentials, match="FILE names a file that cannot be read") as caught:
        require_credentials_file({"FILE": str(path)}, "FILE")
    assert str(path) not in str(caught.value)
    path.write_text("{}")
    assert require_credentials_file({"FILE": str(path)}, "FILE") == path
