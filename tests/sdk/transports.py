"""Works as a client by stdio and by HTTP, in every way that the official Python SDK can negotiate.

The arguments are the URL, the token, and the server's command for stdio. Prints one JSON object for each
connection: what was negotiated, and what came of a call that needs approval, of a wrong call, and of the
other requests.
"""

import asyncio
import json
import os
import sys

import httpx2
import mcp_types
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

MODES = ["auto", "legacy", "2026-07-28"]


async def use(transport: str, server, mode: str) -> None:
    asked = []

    async def answer(_context, params):
        asked.append(params.message)
        content = {"answer": "Allow once"}
        return mcp_types.ElicitResult(action="accept", content=content)

    async with Client(server, elicitation_callback=answer, mode=mode) as client:
        ran = await client.call_tool("run_command", {"command": "echo it ran"})
        wrong = await client.call_tool("read_file", {"pth": "a.py"})
        resource = await client.read_resource("tandem://actions")
        prompt = await client.get_prompt("fix_problems", {"path": "a.py"})
        report = {
            "transport": transport,
            "mode": mode,
            "version": client.protocol_version,
            "tools": len((await client.list_tools()).tools),
            "resources": len((await client.list_resources()).resources),
            "templates": len((await client.list_resource_templates()).resource_templates),
            "prompts": len((await client.list_prompts()).prompts),
            "asked": asked,
            "stdout": (ran.structured_content or {}).get("stdout"),
            "wrong": wrong.content[0].text if wrong.is_error else None,
            "resource": resource.contents[0].text,
            "prompt": prompt.messages[0].content.text,
        }
        print(json.dumps(report), flush=True)


async def main() -> None:
    url, token, command, *arguments = sys.argv[1:]
    for mode in MODES:
        env = dict(os.environ)
        await use("stdio", StdioServerParameters(command=command, args=arguments, env=env), mode)
    for mode in MODES:
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=headers) as http:
            await use("http", streamable_http_client(url, http_client=http), mode)


asyncio.run(main())
