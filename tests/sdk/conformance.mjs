// Runs the official conformance suite against a listening server, and prints one JSON object for each
// scenario: its name, the checks that passed and the checks that failed.
//
// The suite expects tools, resources and prompts of its own, which a product does not have, and sends no
// token. A proxy in between adds the token, and exchanges some of these names for calls that behave as the
// scenario wants.
//
// The arguments are the suite's program, the server's URL, its token, and the URI of the workspace.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [suite, target, token, workspace] = process.argv.slice(2);
const run = (command, more) => ({ name: "run_command", arguments: { command, ...more } });

/** The calls in place of the suite's tools. */
const TOOLS = {
  test_simple_text: () => ({ name: "read_file", arguments: { path: "static.txt" } }),
  test_error_handling: () => ({ name: "read_file", arguments: { path: "gone.txt" } }),
  test_tool_with_progress: () => run("echo 1; sleep 1; echo 2; sleep 1; echo 3; sleep 1; echo 4"),
  test_elicitation: () => run("touch asked"),
  test_input_required_result_request_state: () => run("touch asked"),
  test_input_required_result_tampered_state: () => run("touch asked"),
  test_input_required_result_elicitation: () => run("touch asked"),
  greet: ({ name }) => ({ name: "read_file", arguments: { path: `greet-${name}.txt` } }),
  slow_compute: ({ seconds }) => run(`sleep ${seconds}`),
  failing_job: () => run("sleep 60", { timeout_ms: 1500 }),
};
/** The resources and prompts in place of the suite's. */
const RESOURCES = {
  "test://static-text": `${workspace}/static.txt`,
  "test://watched-resource": `${workspace}/static.txt`,
  "test://template/123/data": `${workspace}/123.txt`,
};
const PROMPTS = { test_simple_prompt: "review_changes" };

/** Exchanges names in a request. Returns the URI that the suite used, if any. */
function exchange(message, headers) {
  const { method, params } = message;
  const rename = (name) => {
    if (headers["mcp-name"] === params.name || headers["mcp-name"] === params.uri) {
      headers["mcp-name"] = name;
    }
    return name;
  };
  if (method === "tools/call" && Object.hasOwn(TOOLS, params.name)) {
    const call = TOOLS[params.name](params.arguments ?? {});
    rename(call.name);
    Object.assign(params, call);
  } else if (method === "prompts/get" && Object.hasOwn(PROMPTS, params.name)) {
    params.name = rename(PROMPTS[params.name]);
  } else if (method?.startsWith("resources/") && Object.hasOwn(RESOURCES, params?.uri ?? "")) {
    const uri = params.uri;
    params.uri = rename(RESOURCES[uri]);
    return uri;
  }
  return null;
}

const url = new URL(target);
const proxy = http.createServer(async (request, response) => {
  const headers = { ...request.headers, authorization: `Bearer ${token}` };
  const parts = [];
  for await (const part of request) parts.push(part);
  let body = Buffer.concat(parts);
  let uri = null;
  try {
    const message = JSON.parse(body);
    uri = exchange(message, headers);
    body = Buffer.from(JSON.stringify(message));
    headers["content-length"] = body.length;
    delete headers["transfer-encoding"];
  } catch {
    // A request without a message, or with a broken one on purpose, passes as it is.
  }
  const { hostname, port } = url;
  const options = { hostname, port, path: request.url, method: request.method, headers };
  const forwarded = http.request(options, (answer) => {
    const kept = { ...answer.headers };
    if (uri) delete kept["content-length"];
    response.writeHead(answer.statusCode, kept);
    response.flushHeaders();
    answer.on("data", (part) => {
      response.write(uri ? part.toString().replaceAll(RESOURCES[uri], uri) : part);
    });
    answer.on("end", () => response.end());
    answer.on("error", () => response.destroy());
  });
  forwarded.on("error", () => response.destroy());
  response.on("close", () => forwarded.destroy());
  forwarded.end(body);
});

await new Promise((ready) => proxy.listen(0, "127.0.0.1", ready));
const results = mkdtempSync(join(tmpdir(), "tandem-conformance-"));
const args = ["server", "--url", `http://127.0.0.1:${proxy.address().port}${url.pathname}`];
const child = spawn(process.execPath, [suite, ...args, "--suite", "all", "-o", results], {
  stdio: ["ignore", "ignore", "inherit"],
});
await new Promise((ended) => child.on("exit", ended));
for (const folder of readdirSync(results).sort()) {
  const scenario = folder.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, "");
  const checks = JSON.parse(readFileSync(join(results, folder, "checks.json")));
  const of = (status) => checks.filter((check) => check.status === status);
  const failed = of("FAILURE").map(({ id, errorMessage }) => ({ id, message: errorMessage }));
  const report = { scenario, passed: of("SUCCESS").map(({ id }) => id), failed };
  process.stdout.write(`${JSON.stringify(report)}\n`);
}
rmSync(results, { recursive: true });
proxy.close();
proxy.closeAllConnections();
