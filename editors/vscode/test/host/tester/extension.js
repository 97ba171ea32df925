// Runs what the tests send inside the extension host: one function's body a line, over a socket in
// the folder that TANDEM_TEST_SOCKETS names. For tests only, and never packaged.
const fs = require("node:fs");
const net = require("node:net");
const path = require("node:path");
const vscode = require("vscode");

const Async = (async () => {}).constructor;

exports.activate = (context) => {
  const folder = process.env.TANDEM_TEST_SOCKETS;
  if (!folder) {
    return;
  }
  const file = path.join(folder, `${process.pid}.sock`);
  const kept = {};
  const server = net.createServer((socket) => {
    let text = "";
    socket.on("error", () => {});
    socket.on("data", async (chunk) => {
      text += chunk;
      let end;
      while ((end = text.indexOf("\n")) >= 0) {
        const { id, body, args } = JSON.parse(text.slice(0, end));
        text = text.slice(end + 1);
        run(body, args).then(
          (value) => socket.write(`${JSON.stringify({ id, value: value ?? null })}\n`),
          (error) => socket.write(`${JSON.stringify({ id, error: String(error?.stack ?? error) })}\n`),
        );
      }
    });
  });
  const run = (body, args) => new Async("vscode", "args", "kept", body)(vscode, args, kept);
  server.listen(file);
  context.subscriptions.push({
    dispose: () => {
      server.close();
      fs.rmSync(file, { force: true });
    },
  });
};
