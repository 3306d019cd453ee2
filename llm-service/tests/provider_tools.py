"""Tools that a provider runs itself, found in what was sent to it, whatever each provider calls them."""

from __future__ import annotations

import json
import re
from typing import Any

_NAMES = re.compile(
    r"search|browse|fetch|web_|url_?context|code_?(execution|interpreter)|grounding|mcp_servers", re.IGNORECASE
)


def provider_tools(body: Any) -> list[str]:
    """Words of a request's body that ask for such tools; prompts and tools of the tests have none of them."""
    return [found.group() for found in _NAMES.finditer(json.dumps(body))]
