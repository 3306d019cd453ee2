"""An MCP server over stdio with the tool `echo`. Starts in milliseconds, because it imports no library."""

import json
import sys
from typing import Any

ECHO = {
    "name": "echo",
    "description": "Returns its text.",
    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
    "annotations": {"readOnlyHint": True},
}


def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "quick", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": [ECHO]}
    return {"content": [{"type": "text", "text": params["arguments"]["text"]}]}


for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        result = answer(request["method"], request.get("params", {}))
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
