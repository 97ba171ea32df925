// Works as a client by stdio and by HTTP, with the official TypeScript SDK.
//
// The arguments are the SDK's folder, the URL, the token, and the server's command for stdio. Prints one
// JSON object for each connection, as transports.py does.

import { pathToFileURL } from "node:url";

const [folder, url, token, command, ...args] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(`${folder}/dist/esm/${path}`).href);
const { Client } = await load("client/index.js");
const { StdioClientTransport } = await load("client/stdio.js");
const { StreamableHTTPClientTransport } = await load("client/streamableHttp.js");
const { ElicitRequestSchema } = await load("types.js");

async function use(name, transport) {
  const client = new Client(
    { name: "typescript-sdk", version: "1" },
    { capabilities: { elicitation: { form: {} } } },
  );
  const asked = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params.message);
    return { action: "accept", content: { answer: "Allow once" } };
  });
  await client.connect(transport);
  const ran = await client.callTool({ name: "run_command", arguments: { command: "echo it ran" } });
  const wrong = await client.callTool({ name: "read_file", arguments: { pth: "a.py" } });
  const resource = await client.readResource({ uri: "tandem://actions" });
  const prompt = await client.getPrompt({ name: "fix_problems", arguments: { path: "a.py" } });
  const report = {
    transport: name,
    mode: "legacy",
    version: transport.protocolVersion ?? null,
    tools: (await client.listTools()).tools.length,
    resources: (await client.listResources()).resources.length,
    templates: (await client.listResourceTemplates()).resourceTemplates.length,
    prompts: (await client.listPrompts()).prompts.length,
    asked,
    stdout: ran.structuredContent?.stdout,
    wrong: wrong.isError ? wrong.content[0].text : null,
    resource: resource.contents[0].text,
    prompt: prompt.messages[0].content.text,
  };
  process.stdout.write(`${JSON.stringify(report)}\n`);
  await client.close();
}

await use("stdio", new StdioClientTransport({ command, args, env: process.env }));
const requestInit = { headers: { Authorization: `Bearer ${token}` } };
await use("http", new StreamableHTTPClientTransport(new URL(url), { requestInit }));
