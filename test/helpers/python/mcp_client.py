"""An MCP client of the official Python SDK, driven line by line.

Arguments: URL of the server, API token. Reads a JSON line `{method, params}` for each request, and writes a JSON line with the
result or `{"error": message}`.
"""

import asyncio
import json
import sys

from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client


async def answer(session: ClientSession, method: str, params: dict) -> dict:
    if method == "tools/list":
        result = await session.list_tools()
    elif method == "tools/call":
        result = await session.call_tool(params["name"], params["arguments"])
    elif method == "resources/list":
        result = await session.list_resources()
    else:
        result = await session.read_resource(params["uri"])
    return result.model_dump(mode="json", by_alias=True)


async def main(url: str, token: str) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    async with streamablehttp_client(url, headers=headers) as (read, write, _), ClientSession(read, write) as session:
        await session.initialize()
        while line := await asyncio.to_thread(sys.stdin.readline):
            request = json.loads(line)
            try:
                result = await answer(session, request["method"], request["params"])
            except Exception as error:  # told to the test
                result = {"error": str(error)}
            print(json.dumps(result), flush=True)


asyncio.run(main(*sys.argv[1:]))
