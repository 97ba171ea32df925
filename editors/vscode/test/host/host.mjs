// The real VS Code: code-server with the packaged extension, and chromium as its window.
import { spawn, execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as net from "node:net";
import * as os from "node:os";
import * as path from "node:path";
import { createRequire } from "node:module";

const need = (name) => {
  const value = process.env[name];
  if (!value) {
    throw new Error(`${name} is not set: \`cargo xtask test --vscode\` sets it`);
  }
  return value;
};

/** Waits until `look` answers with something. */
export async function until(what, look, limit = 20_000) {
  const end = Date.now() + limit;
  let last;
  while (Date.now() < end) {
    try {
      last = await look();
      if (last) {
        return last;
      }
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`waited ${limit} ms for ${what}; last: ${last?.stack ?? JSON.stringify(last)}`);
}

/** A window's extension host. */
class Inside {
  constructor(socket) {
    this.socket = socket;
    this.last = 0;
    this.open = new Map();
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
      let end;
      while ((end = text.indexOf("\n")) >= 0) {
        const { id, value, error } = JSON.parse(text.slice(0, end));
        text = text.slice(end + 1);
        const { resolve, reject } = this.open.get(id);
        this.open.delete(id);
        error === undefined ? resolve(value) : reject(new Error(error));
      }
    });
    socket.on("error", () => {});
  }

  /** Runs `action(vscode, args, kept)` there; it sees nothing else from here. */
  run(action, args) {
    const id = ++this.last;
    const source = action.toString();
    const body = `return (${source})(vscode, args, kept)`;
    return new Promise((resolve, reject) => {
      this.open.set(id, { resolve, reject });
      this.socket.write(`${JSON.stringify({ id, body, args })}\n`);
    });
  }
}

export class Host {
  static async start({ settings = {}, env = {}, trust = false } = {}) {
    const host = new Host();
    host.folder = fs.mkdtempSync(path.join(os.tmpdir(), "tandem-vscode-"));
    // A server that is somebody else (see the case of the read-only folder) has to get there.
    fs.chmodSync(host.folder, 0o755);
    const at = (name) => path.join(host.folder, name);
    for (const name of ["data/User", "data/Machine", "extensions", "home", "sockets", "state", "cache", "config"]) {
      fs.mkdirSync(at(name), { recursive: true });
    }
    const defaults = {
      "workbench.startupEditor": "none",
      "workbench.enableExperiments": false,
      "security.workspace.trust.enabled": trust,
      "telemetry.telemetryLevel": "off",
      "files.autoSave": "off",
      "chat.disableAIFeatures": true,
      "workbench.tips.enabled": false,
      "workbench.secondarySideBar.defaultVisibility": "hidden",
      "tandem.server.path": need("TANDEM_BIN"),
    };
    host.settingsFile = at("data/User/settings.json");
    fs.writeFileSync(host.settingsFile, JSON.stringify({ ...defaults, ...settings }));
    // Settings of the machine count where they are the machine's; elsewhere, only at first.
    const program = { "tandem.server.path": settings["tandem.server.path"] ?? need("TANDEM_BIN") };
    fs.writeFileSync(at("data/Machine/settings.json"), JSON.stringify(program));
    const shelf = at("extensions");
    unpack(need("TANDEM_VSIX"), path.join(shelf, "tandem.tandem-0.1.0"));
    fs.cpSync(new URL("tester", import.meta.url), path.join(shelf, "tandem-test.tester-0.0.1"), {
      recursive: true,
    });
    const example = new URL("../../examples/patcher", import.meta.url);
    fs.cpSync(example, path.join(shelf, "example.patcher-0.0.1"), { recursive: true });
    host.port = await freePort();
    host.env = {
      ...process.env,
      HOME: at("home"),
      XDG_STATE_HOME: at("state"),
      XDG_CACHE_HOME: at("cache"),
      XDG_CONFIG_HOME: at("config"),
      TANDEM_TEST_SOCKETS: at("sockets"),
      ...env,
    };
    const flags = trust ? [] : ["--disable-workspace-trust"];
    host.server = spawn(
      need("CODE_SERVER_NODE"),
      [
        need("CODE_SERVER"),
        ...["--auth", "none", "--bind-addr", `127.0.0.1:${host.port}`],
        ...["--user-data-dir", at("data"), "--extensions-dir", shelf],
        ...["--disable-telemetry", "--disable-update-check", ...flags],
      ],
      { env: host.env, stdio: ["ignore", "pipe", "pipe"], detached: true },
    );
    host.log = "";
    host.server.stdout.on("data", (chunk) => (host.log += chunk));
    host.server.stderr.on("data", (chunk) => (host.log += chunk));
    await until("code-server", () => fetch(`http://127.0.0.1:${host.port}/healthz`).then((r) => r.ok), 60_000);
    const { chromium } = createRequire(import.meta.url)(need("PLAYWRIGHT"));
    host.browser = await chromium.launch({
      executablePath: need("CHROMIUM"),
      args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
    });
    return host;
  }

  /** A folder with files, opened in a new window. */
  workspace(files, name = "project") {
    const root = path.join(this.folder, name);
    fs.mkdirSync(root);
    for (const [file, text] of Object.entries(files)) {
      const target = path.join(root, file);
      fs.mkdirSync(path.dirname(target), { recursive: true });
      fs.writeFileSync(target, text);
    }
    return root;
  }

  /** Makes a folder a repository with all of it committed. */
  repository(root) {
    const git = (...args) => execFileSync("git", ["-C", root, ...args], { env: this.env });
    git("init", "-q", "-b", "main");
    git("config", "user.name", "A");
    git("config", "user.email", "a@example.org");
    git("add", "-A");
    git("commit", "-q", "-m", "begin");
  }

  async open(root, { wait = true } = {}) {
    const known = new Set(fs.readdirSync(path.join(this.folder, "sockets")));
    const page = await this.browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(`http://127.0.0.1:${this.port}/?folder=${encodeURIComponent(root)}`);
    await page.waitForSelector(".monaco-workbench", { timeout: 60_000 });
    const file = await until(
      "the extension host",
      () => fs.readdirSync(path.join(this.folder, "sockets")).find((each) => !known.has(each)),
      60_000,
    );
    const socket = net.connect(path.join(this.folder, "sockets", file));
    const inside = new Inside(socket);
    if (wait) {
      await inside.run(async (vscode) => {
        const api = await vscode.extensions.getExtension("tandem.tandem").activate();
        await api.call("get_file_info", { path: "." }).catch(() => {});
      });
    }
    return { page, root, inside, ...actions(page, root, inside) };
  }

  async stop() {
    await this.browser?.close();
    try {
      process.kill(-this.server.pid, "SIGTERM");
    } catch {}
    await until("code-server's end", () => this.server.exitCode !== null || this.server.signalCode, 10_000).catch(
      () => process.kill(-this.server.pid, "SIGKILL"),
    );
    fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** What cases do often. */
function actions(page, root, inside) {
  return {
    /** Calls a tool through the API of the extension: its result, or what failed. */
    call: (tool, args) =>
      inside.run(
        async (vscode, { tool, args }) => {
          const api = vscode.extensions.getExtension("tandem.tandem").exports;
          try {
            return { result: await api.call(tool, args) };
          } catch ({ code, message }) {
            return { code, message };
          }
        },
        { tool, args },
      ),
    /** Shows a file and puts the cursor there. */
    show: async (file, line = 0, character = 0) => {
      await inside.run(
        async (vscode, { file, line, character }) => {
          const document = await vscode.workspace.openTextDocument(file);
          const editor = await vscode.window.showTextDocument(document, { preview: false });
          const at = new vscode.Position(line, character);
          editor.selection = new vscode.Selection(at, at);
        },
        { file: path.join(root, file), line, character },
      );
      // Keys that are typed before the window knows of it would land elsewhere.
      const there = `Ln ${line + 1}, Col ${character + 1}`;
      await page.locator("#status\\.editor\\.selection", { hasText: there }).waitFor();
    },
    /** The text of an open document. */
    text: (file) =>
      inside.run(
        (vscode, file) =>
          vscode.workspace.textDocuments.find((each) => each.fileName === file)?.getText() ?? null,
        path.join(root, file),
      ),
    command: (name, ...args) =>
      inside.run((vscode, { name, args }) => vscode.commands.executeCommand(name, ...args).then(() => {}), {
        name,
        args,
      }),
    /** Clicks a button of a notification, once it is there. */
    notification: async (text, button) => {
      const toast = page.locator(".notification-toast", { hasText: text });
      await toast.waitFor({ timeout: 20_000 });
      if (button !== undefined) {
        await toast.locator(".monaco-button", { hasText: button }).first().click();
      }
      return toast;
    },
    /** Clicks a lens, once it is there. */
    lens: async (title) => {
      const found = page.locator(".codelens-decoration a", { hasText: title }).first();
      await found.waitFor({ timeout: 20_000 });
      await found.click();
    },
  };
}

function unpack(vsix, target) {
  const staging = `${target}.staging`;
  execFileSync("python3", ["-m", "zipfile", "-e", vsix, staging]);
  fs.renameSync(path.join(staging, "extension"), target);
  fs.rmSync(staging, { recursive: true });
}

function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
