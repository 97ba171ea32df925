// Calls tools through the official TypeScript SDK, which holds each result against the tool's schema.
//
// Reads `{"tool", "arguments"}` a line and answers `{"result"}`, `{"error"}` (the tool's own) or
// `{"rejected"}` (the SDK did not accept the result). The arguments are the SDK's folder and the
// server's command.

import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [folder, command, ...args] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(`${folder}/dist/esm/client/${path}`).href);
const { Client } = await load("index.js");
const { StdioClientTransport } = await load("stdio.js");

const answer = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const client = new Client({ name: "typescript-sdk", version: "1" });
await client.connect(new StdioClientTransport({ command, args, env: process.env }));

const tools = [];
let cursor;
do {
  const page = await client.listTools(cursor ? { cursor } : {});
  tools.push(...page.tools.map((tool) => tool.name));
  cursor = page.nextCursor;
} while (cursor);
answer({ tools });

for await (const line of createInterface({ input: process.stdin })) {
  const { tool, arguments: given } = JSON.parse(line);
  try {
    const result = await client.callTool({ name: tool, arguments: given });
    if (result.isError) answer({ error: result.content[0].text });
    else if (!result.structuredContent) answer({ rejected: "there is no structured content" });
    else answer({ result: result.structuredContent });
  } catch (error) {
    answer({ rejected: String(error) });
  }
}
await client.close();
