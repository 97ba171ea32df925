// The server's life: started late and fast, killed, killed again and again, twice on one folder.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { until } from "../host.mjs";

const files = { "a.py": "def one():\n    pass\n" };

/** The servers of a window: children of its extension host. */
const servers = async ({ inside }) => {
  const pid = await inside.run(() => process.pid);
  const children = spawnSync("ps", ["-o", "pid=,comm=", "--ppid", String(pid)]).stdout.toString();
  return children
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, name]) => name?.startsWith("tandem"))
    .map(([number]) => Number(number));
};

const status = (w) => w.page.locator(".statusbar-item", { hasText: "Tandem" }).first();

export const cases = {
  "it is activated within 100 ms, and starts the server afterwards": {
    files,
    wait: false,
    run: async (w) => {
      const activated = ({ inside }) => inside.run(async (vscode) => {
        const extension = vscode.extensions.getExtension("tandem.tandem");
        if (extension.isActive) {
          throw new Error("it was not needed yet");
        }
        const began = performance.now();
        await extension.activate();
        return performance.now() - began;
      });
      let took = await activated(w);
      assert.deepEqual(await servers(w), []);
      await w.show("a.py");
      await until("the server", async () => (await servers(w)).length === 1);
      // A machine that is busy is no slow extension: of three windows, the best counts.
      for (let window = 2; took >= 100 && window <= 3; window++) {
        console.log(`      activation: ${took.toFixed(1)} ms`);
        const other = await w.host.open(w.root, { wait: false });
        took = Math.min(took, await activated(other));
        await other.page.close();
      }
      console.log(`      activation: ${took.toFixed(1)} ms`);
      assert.ok(took < 100, `${took} ms`);
    },
  },
  "killed five times, it is left alone, and nothing typed is lost": {
    files,
    run: async (w) => {
      await w.show("a.py");
      await w.inside.run(async (vscode) => {
        await vscode.window.activeTextEditor.edit((edit) => edit.insert(new vscode.Position(0, 0), "# typed\n"));
      });
      let last = 0;
      for (let death = 1; death <= 5; death++) {
        const [pid] = await until(`server ${death}`, async () => {
          const all = await servers(w);
          return all.length === 1 && all[0] !== last && all;
        });
        // Each of them knows the text that is typed and not saved.
        await until("the text", async () => (await w.call("read_file", { path: "a.py" })).result?.content.startsWith("# typed"));
        last = pid;
        process.kill(pid, "SIGKILL");
      }
      await w.notification("stopped 5 times");
      await w.shot("killed-five-times");
      assert.deepEqual(await servers(w), []);
      assert.match(await w.text("a.py"), /^# typed\n/);
      assert.match((await w.call("read_file", { path: "a.py" })).message, /stopped 5 times/);
      await w.notification("stopped 5 times", "Start Again");
      await until("the text", async () => (await w.call("read_file", { path: "a.py" })).result?.content.startsWith("# typed"));
    },
  },
  "two windows on one folder serve both": {
    files,
    run: async (w) => {
      const other = await w.host.open(w.root);
      try {
        await w.show("a.py");
        await other.show("a.py");
        await w.inside.run(async (vscode) => {
          await vscode.window.activeTextEditor.edit((edit) => edit.insert(new vscode.Position(0, 0), "# here\n"));
        });
        await until("what is typed here", async () => (await w.call("read_file", { path: "a.py" })).result?.content.startsWith("# here"));
        assert.doesNotMatch((await other.call("read_file", { path: "a.py" })).result.content, /here/);
        const { result } = await other.call("apply_edit", { path: "a.py", old_text: "pass", new_text: "return 1" });
        assert.equal(result.changed, true);
        await other.command("workbench.action.files.save");
        await until("the file", () => /return 1/.test(fs.readFileSync(`${w.root}/a.py`, "utf8")));
        assert.match(await w.text("a.py"), /^# here\n/);
      } finally {
        await other.page.close();
      }
    },
  },
  "a folder that vanishes ends nothing": {
    files,
    run: async (w) => {
      await w.show("a.py");
      await until("the server", async () => (await servers(w)).length === 1);
      fs.rmSync(w.root, { recursive: true });
      const failed = await w.call("read_file", { path: "b.py" });
      assert.ok(failed.code, JSON.stringify(failed));
      assert.match(await w.text("a.py"), /def one/);
      assert.equal(await status(w).count(), 1);
    },
  },
  "a key costs what the protocol costs": {
    files: { "a.py": "def one():\n    return 1\n\n\n".repeat(1_250) },
    run: async (w) => {
      await w.show("a.py");
      const median = () =>
        w.inside.run(async (vscode) => {
          const editor = vscode.window.activeTextEditor;
          const times = [];
          for (let key = 0; key < 150; key++) {
            const at = new vscode.Position(2_000, editor.document.lineAt(2_000).text.length);
            const began = performance.now();
            await editor.edit((edit) => edit.insert(at, "x"), { undoStopBefore: false, undoStopAfter: false });
            times.push(performance.now() - began);
            // Faster than any person types.
            await new Promise((resolve) => setTimeout(resolve, 30));
          }
          return times.sort((a, b) => a - b)[75];
        });
      await median();
      const served = await median();
      await w.command("tandem.stopServer");
      await median();
      const alone = await median();
      console.log(`      an edit: ${served.toFixed(2)} ms, without a server ${alone.toFixed(2)} ms`);
      assert.ok(served - alone < 5, `${served} ms, and ${alone} ms`);
    },
  },
};
