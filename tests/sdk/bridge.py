"""Calls tools through the official Python SDK, which holds each result against the tool's schema.

Reads `{"tool", "arguments"}` a line and answers `{"result"}`, `{"error"}` (the tool's own) or
`{"rejected"}` (the SDK did not accept the result). The arguments are the server's command.
"""

import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters, stdio_client


async def main() -> None:
    command = StdioServerParameters(
        command=sys.argv[1], args=sys.argv[2:], env=dict(os.environ)
    )
    async with stdio_client(command) as (reader, writer):
        async with ClientSession(reader, writer) as session:
            await session.initialize()
            tools, cursor = [], None
            while True:
                page = await session.list_tools(cursor) if cursor else await session.list_tools()
                tools += [tool.name for tool in page.tools]
                cursor = getattr(page, "next_cursor", None)
                if not cursor:
                    break
            print(json.dumps({"tools": tools}), flush=True)
            while line := await asyncio.to_thread(sys.stdin.readline):
                call = json.loads(line)
                try:
                    result = await session.call_tool(call["tool"], call["arguments"])
                    answer = outcome(result)
                except Exception as error:  # Whatever the SDK raises is what the test is about.
                    answer = {"rejected": f"{type(error).__name__}: {error}"}
                print(json.dumps(answer), flush=True)


def outcome(result) -> dict:
    if result.is_error:
        return {"error": result.content[0].text}
    if result.structured_content is None:
        return {"rejected": "there is no structured content"}
    return {"result": result.structured_content}


asyncio.run(main())
