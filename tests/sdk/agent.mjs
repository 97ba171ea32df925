// An agent on the official SDK of the Agent Client Protocol. The prompt says what it does.
//
// The arguments are the SDK's folder, a text by which tests find its processes, and `load` for an agent that
// can open sessions of earlier processes.

import { Readable, Writable } from "node:stream";
import { spawn } from "node:child_process";
import { pathToFileURL } from "node:url";

const acp = await import(pathToFileURL(`${process.argv[2]}/dist/v1/stable/acp.js`).href);
const { methods } = acp;
let cwd;
let servers;
let loaded = false;
let prompts = 0;
const canLoad = process.argv[4] === "load";

const say = (client, sessionId, text) =>
  client.notify(methods.client.session.update, {
    sessionId,
    update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
  });

const report = (client, sessionId, toolCallId, title, status = "completed", kind = "other") =>
  client.notify(methods.client.session.update, {
    sessionId,
    update: { sessionUpdate: "tool_call", toolCallId, title, status, kind, rawInput: {} },
  });

const attempt = async (work) => {
  try {
    return await work();
  } catch (error) {
    return { failed: error.message, code: error.code };
  }
};

const tasks = {
  async read({ client, sessionId }) {
    const path = `${cwd}/app.py`;
    const whole = await client.request(methods.client.fs.readTextFile, { sessionId, path });
    const part = await client.request(methods.client.fs.readTextFile, { sessionId, path, line: 2, limit: 1 });
    await report(client, sessionId, "1", "Read app.py", "completed", "read");
    await say(client, sessionId, JSON.stringify([whole.content, part.content]));
  },
  async edit({ client, sessionId }) {
    await say(client, sessionId, "I begin.");
    await report(client, sessionId, "1", "Edit app.py", "completed", "edit");
    const path = `${cwd}/app.py`;
    const { content } = await client.request(methods.client.fs.readTextFile, { sessionId, path });
    await client.request(methods.client.fs.writeTextFile, { sessionId, path, content: content.replace("1", "10") });
    await client.request(methods.client.fs.writeTextFile, { sessionId, path: `${cwd}/new.py`, content: "new = 1\n" });
    await say(client, sessionId, "I have ");
    await say(client, sessionId, "edited it.");
  },
  async ask({ client, sessionId }) {
    const answers = [];
    for (const [title, kind, locations] of [
      ["Run make", "execute", []],
      ["Edit app.py", "edit", [{ path: `${cwd}/app.py` }]],
      ["Edit /etc/passwd", "edit", [{ path: "/etc/passwd" }]],
    ]) {
      const { outcome } = await client.request(methods.client.session.requestPermission, {
        sessionId,
        toolCall: { toolCallId: title, title, kind, locations, rawInput: { command: "make" } },
        options: [
          { optionId: "yes", name: "Yes", kind: "allow_once" },
          { optionId: "ever", name: "Always", kind: "allow_always" },
          { optionId: "no", name: "No", kind: "reject_once" },
        ],
      });
      answers.push(outcome.optionId ?? outcome.outcome);
    }
    await say(client, sessionId, answers.join(" "));
  },
  async outside({ client, sessionId }) {
    const ask = (method, params) => attempt(() => client.request(method, { sessionId, ...params }));
    const { readTextFile, writeTextFile } = methods.client.fs;
    const answers = [
      await ask(readTextFile, { path: "/etc/passwd" }),
      await ask(readTextFile, { path: `${cwd}/../beside.txt` }),
      await ask(writeTextFile, { path: `${cwd}/../beside.txt`, content: "x" }),
      await ask(writeTextFile, { path: `${cwd}/out/x.txt`, content: "x" }),
      await ask(methods.client.terminal.create, { command: "id", args: [] }),
    ];
    await say(client, sessionId, JSON.stringify(answers));
  },
  async session({ client }) {
    const sessionId = "another";
    const path = `${cwd}/app.py`;
    await say(client, sessionId, "not mine");
    const read = await attempt(() => client.request(methods.client.fs.readTextFile, { sessionId, path }));
    await say(client, "own", JSON.stringify(read));
  },
  async flood({ client, sessionId }) {
    for (let i = 0; i < 1e6; i++) {
      const sent = say(client, sessionId, "flood ");
      if (i % 1000 === 0) await sent;
    }
  },
  async turns({ client, sessionId, signal }) {
    for (let i = 0; i < 1000 && !signal.aborted; i++) {
      await say(client, sessionId, `Step ${i}. `);
      await report(client, sessionId, `${i}`, `Step ${i}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  },
  async hang() {
    spawn("sh", ["-c", `sleep 1000 # ${process.argv[3]}\n:`], { stdio: "ignore", detached: true });
    await new Promise(() => setInterval(() => {}, 1000));
  },
  async crash() {
    console.error("the agent has a bug");
    process.exit(3);
  },
  // Which message of this process it is, what came before it in the prompt, and whether the session was loaded.
  async talk({ client, sessionId, texts }) {
    await say(client, sessionId, JSON.stringify({ prompts, before: texts.slice(0, -1), loaded }));
  },
  async plan({ client, sessionId }) {
    const plan = (first, second) =>
      client.notify(methods.client.session.update, {
        sessionId,
        update: {
          sessionUpdate: "plan",
          entries: [
            { content: "Read \u001b[31mit\u001b[0m", status: first, priority: "high" },
            { content: "Change it", status: second, priority: "low" },
          ],
        },
      });
    await plan("in_progress", "pending");
    await report(client, sessionId, "1", "Read\u001b]0;title\u0007 app.py\n\u202egnp", "in_progress", "read");
    await client.notify(methods.client.session.update, {
      sessionId,
      update: { sessionUpdate: "tool_call_update", toolCallId: "1", status: "completed" },
    });
    // An escape sequence in two parts.
    await say(client, sessionId, "It is \u001b[3");
    await say(client, sessionId, "1mred\u001b[0m.");
    await plan("completed", "pending");
  },
  async servers({ client, sessionId }) {
    await say(client, sessionId, JSON.stringify(servers));
  },
};

let aborts = new AbortController();
acp
  .agent({ name: "test-agent" })
  .onRequest(methods.agent.initialize, () => ({ protocolVersion: 1, agentCapabilities: { loadSession: canLoad } }))
  .onRequest(methods.agent.session.new, ({ params }) => {
    ({ cwd, mcpServers: servers } = params);
    return { sessionId: "own" };
  })
  .onRequest(methods.agent.session.load, async ({ params, client }) => {
    ({ cwd, mcpServers: servers } = params);
    loaded = true;
    // An agent repeats the session first.
    await say(client, params.sessionId, "This was said before.");
    return {};
  })
  .onNotification(methods.agent.session.cancel, () => aborts.abort())
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const { sessionId } = params;
    prompts++;
    const texts = params.prompt.map((block) => block.text);
    aborts = new AbortController();
    await tasks[texts.at(-1)]({ client, sessionId, texts, signal: aborts.signal });
    return { stopReason: aborts.signal.aborted ? "cancelled" : "end_turn" };
  })
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
