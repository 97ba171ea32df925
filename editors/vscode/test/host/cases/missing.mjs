// Without a server, and with something else in its place.
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";

const files = { "a.py": "pass\n" };

export const options = { settings: { "tandem.server.path": "" }, env: { PATH: "/usr/bin:/bin" }, wait: false };

const name = (w, program) =>
  w.inside.run(async (vscode, program) => {
    await vscode.workspace.getConfiguration("tandem").update("server.path", program, vscode.ConfigurationTarget.Global);
    await vscode.commands.executeCommand("tandem.restartServer");
  }, program);

/** A server that only answers `initialize`. */
const pretender = (folder, answer) => {
  const file = path.join(folder, "pretender");
  const script = `#!${process.execPath}
let text = Buffer.alloc(0);
process.stdin.on("data", (chunk) => {
  text = Buffer.concat([text, chunk]);
  for (;;) {
    const head = text.indexOf("\\r\\n\\r\\n");
    const length = Number(/Content-Length: (\\d+)/.exec(text.subarray(0, head))?.[1]);
    if (head < 0 || text.length < head + 4 + length) return;
    const { id, method } = JSON.parse(text.subarray(head + 4, head + 4 + length));
    text = text.subarray(head + 4 + length);
    if (method === "exit") process.exit(0);
    if (id === undefined) continue;
    const result = method === "initialize" ? ${JSON.stringify(answer)} : null;
    const body = JSON.stringify({ jsonrpc: "2.0", id, result });
    process.stdout.write("Content-Length: " + Buffer.byteLength(body) + "\\r\\n\\r\\n" + body);
  }
});
`;
  fs.writeFileSync(file, script, { mode: 0o755 });
  return file;
};

export const cases = {
  "without a program the message says how to get one": {
    files,
    run: async (w) => {
      await w.show("a.py");
      const toast = await w.notification("cargo install --path server/tandem");
      await w.shot("no-server");
      assert.equal(await toast.locator(".monaco-button", { hasText: "Copy Install Command" }).count(), 1);
      assert.match((await w.call("read_file", { path: "a.py" })).message, /not found/);
    },
  },
  "a program that is no server is named": {
    files,
    run: async (w) => {
      await name(w, "/bin/false");
      await w.notification("/bin/false could not be started");
      assert.equal(await w.page.locator(".notification-toast").count(), 1);
      await name(w, "/nowhere/tandem");
      await w.notification("/nowhere/tandem, which is not a program");
    },
  },
  "another protocol is refused": {
    files,
    run: async (w) => {
      const experimental = { tandem: { protocol: 9 } };
      const answer = { serverInfo: { name: "tandem", version: "9.0.0" }, capabilities: { experimental } };
      await name(w, pretender(w.host.folder, answer));
      await w.notification("speaks protocol 9, this extension 1. Update the extension.");
      await name(w, pretender(w.host.folder, { serverInfo: { name: "other" }, capabilities: {} }));
      await w.notification("another language server (other)");
    },
  },
};
