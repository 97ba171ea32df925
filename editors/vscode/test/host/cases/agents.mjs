// What language models of the editor, the test view and untrusted workspaces get.
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { until } from "../host.mjs";

const files = {
  "test_a.py": "def test_good():\n    assert True\n\n\ndef test_bad():\n    assert False\n",
};

export const options = {
  settings: {
    "chat.disableAIFeatures": false,
    "tandem.tests.commands": { python: "python3 -c 'import {stem}; {stem}.{name}()'" },
  },
};

export const cases = {
  "every command of the manifest is there": {
    run: async (w) => {
      const missing = await w.inside.run(async (vscode) => {
        const there = new Set(await vscode.commands.getCommands(true));
        const { commands } = vscode.extensions.getExtension("tandem.tandem").packageJSON.contributes;
        return commands.map(({ command }) => command).filter((command) => !there.has(command));
      });
      assert.deepEqual(missing, []);
    },
  },
  "tools are offered to language models": {
    files,
    run: async (w) => {
      const tools = await w.inside.run((vscode) =>
        vscode.lm.tools.filter(({ name }) => name.startsWith("tandem_")).map(({ name }) => name),
      );
      assert.ok(tools.includes("tandem_read_file") && tools.includes("tandem_apply_edit"), `${tools.length} tools`);
      const invoke = (name, input) =>
        w.inside.run(
          async (vscode, { name, input }) => {
            const { content } = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined });
            return content.map(({ value }) => value).join("");
          },
          { name, input },
        );
      const read = JSON.parse(await invoke("tandem_read_file", { path: "test_a.py" }));
      assert.equal(read.content, files["test_a.py"]);
      const failed = JSON.parse(await invoke("tandem_read_file", { path: "missing" }));
      assert.equal(failed.error.code, "E_FILE_NOT_FOUND");
    },
  },
  "every tool is offered, with its schema, and answers a model's mistake with a reason": {
    files,
    run: async (w) => {
      const { offered, rows, reads, wrong } = await w.inside.run(async (vscode) => {
        const { languageModelTools: rows } = vscode.extensions.getExtension("tandem.tandem").packageJSON.contributes;
        const offered = vscode.lm.tools.filter(({ name }) => name.startsWith("tandem_"));
        const wrong = [];
        // What only reads is called without a question of the editor's.
        const reads = rows.filter(({ tags }) => tags.every((tag) => ["tandem", "read"].includes(tag)));
        for (const { name, inputSchema } of reads) {
          if (!inputSchema.required?.length) {
            continue;
          }
          try {
            const { content } = await vscode.lm.invokeTool(name, { input: {}, toolInvocationToken: undefined });
            const { error } = JSON.parse(content.map(({ value }) => value).join(""));
            if (error?.code !== "E_INVALID_PARAMS") {
              wrong.push([name, error ?? "no error"]);
            }
          } catch (error) {
            wrong.push([name, String(error)]);
          }
        }
        return { reads: reads.length, offered: offered.map(({ name }) => name).sort(), rows: rows.map(({ name }) => name).sort(), wrong };
      });
      assert.deepEqual(offered, rows);
      assert.deepEqual(wrong, []);
      console.log(`      tools offered: ${offered.length}, of them ${reads} only read`);
    },
  },
  "a model's edit is shown before it is made, and undone in the editor": {
    files,
    run: async (w) => {
      await w.show("test_a.py");
      const invoke = () =>
        w.inside.run((vscode) => {
          const input = { path: "test_a.py", old_text: "assert False", new_text: "assert 1" };
          globalThis.tandemModel = vscode.lm.invokeTool("tandem_apply_edit", { input, toolInvocationToken: undefined }).then(
            ({ content }) => content.map(({ value }) => value).join(""),
            (error) => `refused: ${error.message}`,
          );
        });
      const dialog = w.page.locator(".monaco-dialog-box");
      await invoke();
      await dialog.waitFor();
      assert.match(await dialog.innerText(), /writes files/);
      assert.match(await dialog.innerText(), /assert False/);
      await w.shot("model-edit");
      await w.page.keyboard.press("Escape");
      assert.match(await w.inside.run(() => globalThis.tandemModel), /refused/);
      assert.equal(await w.text("test_a.py"), files["test_a.py"]);
      await invoke();
      await dialog.waitFor();
      await dialog.locator(".monaco-button").filter({ hasNotText: "Cancel" }).first().click();
      const answer = await w.inside.run(() => globalThis.tandemModel);
      assert.equal(JSON.parse(answer).changed, true, answer);
      assert.match(await w.text("test_a.py"), /assert 1/);
      await w.command("undo");
      assert.equal(await w.text("test_a.py"), files["test_a.py"]);
    },
  },
  "a test file that was made just now has its tests": {
    files,
    run: async (w) => {
      await w.show("test_a.py");
      fs.writeFileSync(`${w.root}/test_new.py`, "def test_new():\n    assert True\n");
      await w.show("test_new.py", 0, 5);
      w.command("testing.runAtCursor").catch(() => {});
      await w.command("workbench.view.extension.test");
      const row = w.page.locator(".test-explorer .monaco-list-row", { hasText: "test_new" });
      await row.locator(".codicon-testing-passed-icon").first().waitFor();
    },
  },
  "tests are run by their button, without a further question, and fail and pass": {
    files,
    run: async (w) => {
      await w.show("test_a.py");
      await w.command("workbench.view.extension.test");
      const row = (text) => w.page.locator(".test-explorer .monaco-list-row", { hasText: text });
      await row("test_a.py").waitFor();
      await row("test_a.py").locator(".monaco-tl-twistie").click();
      await row("test_bad").waitFor();
      w.command("testing.runAll").catch(() => {});
      await until("how they went", async () => {
        const good = await row("test_good").locator(".codicon-testing-passed-icon").count();
        const bad = await row("test_bad").locator(".codicon-testing-failed-icon").count();
        return good === 1 && bad === 1;
      });
      assert.equal(await w.page.locator(".notification-toast").count(), 0);
      await w.shot("tests");
    },
  },
};
