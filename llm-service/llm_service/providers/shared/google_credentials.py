"""Google credentials for Vertex AI."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import google.auth
from google.auth import identity_pool
from google.auth.exceptions import DefaultCredentialsError, GoogleAuthError
from google.oauth2 import credentials, service_account

from llm_service.errors import InvalidCredentials, MissingCredentials

if TYPE_CHECKING:
    from llm_service.providers.settings import Endpoint

SCOPES = ("https://www.googleapis.com/auth/cloud-platform",)

# Loaded by type, because Google's loader for any type is deprecated.
_LOADERS: dict[str, Any] = {
    "service_account": service_account.Credentials.from_service_account_info,
    "authorized_user": credentials.Credentials.from_authorized_user_info,
    "external_account": identity_pool.Credentials.from_info,
}


def load_credentials(endpoint: Endpoint) -> Any:
    """Load the credentials file, or what Google's own search finds (environment, gcloud, metadata server).

    MissingCredentials when nothing was found, InvalidCredentials when the file is not one.
    """
    variable = endpoint.key_variable
    if not endpoint.credentials_file:
        try:
            return google.auth.default(scopes=SCOPES)[0]
        except (DefaultCredentialsError, OSError) as error:
            raise MissingCredentials(f"no Google credentials were found; {variable} can name a file") from error
    try:
        info = json.loads(Path(endpoint.credentials_file).read_text(encoding="utf-8"))
        return _LOADERS[info["type"]](info, scopes=SCOPES)
    except (GoogleAuthError, KeyError, TypeError, ValueError) as error:
        types = ", ".join(_LOADERS)
        raise InvalidCredentials(f"the file that {variable} names is no Google credentials file ({types})") from error
