// The MCP server for the editor's agent mode: offered where the tools are not the editor's own already.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { until } from "../host.mjs";

const files = { "a.py": "value = 1\n" };

export const options = { settings: { "chat.disableAIFeatures": false, "tandem.languageModelTools": false } };

/** Whether the program has `mcp` at all; an older one has not. */
const hasMcp = /^\s+mcp\s/m.test(spawnSync(process.env.TANDEM_BIN, ["--help"]).stdout.toString());

/** What the editor lists as MCP servers. */
const listed = async (w, picture) => {
  w.command("workbench.mcp.listServer").catch(() => {});
  const box = w.page.locator(".quick-input-widget:visible");
  await box.waitFor();
  await w.page.waitForTimeout(1_500);
  const rows = await box.locator(".monaco-list-row").allInnerTexts();
  await w.shot(picture);
  await w.page.keyboard.press("Escape");
  return rows;
};

export const cases = {
  "a server is offered for the folder, by a program that has one": {
    files,
    run: async (w) => {
      await w.show("a.py");
      const rows = await listed(w, "mcp-listed");
      assert.equal(rows.some((row) => /Tandem/.test(row)), hasMcp, JSON.stringify(rows));
      if (!hasMcp) {
        console.log("      this server has no `mcp`");
        return;
      }
      // Started, it offers its tools, and sees the unsaved text of this window.
      await w.inside.run(async (vscode) => {
        await vscode.window.activeTextEditor.edit((edit) => edit.insert(new vscode.Position(0, 0), "# typed\n"));
      });
      w.command("workbench.mcp.listServer").catch(() => {});
      const box = w.page.locator(".quick-input-widget:visible");
      await box.locator(".monaco-list-row", { hasText: "Tandem" }).click();
      await box.locator(".monaco-list-row", { hasText: "Start Server" }).click();
      const offered = () => w.inside.run((vscode) => vscode.lm.tools.map(({ name }) => name).filter((name) => /read_file$/.test(name)));
      const [name] = await until("its tools", async () => {
        const found = await offered();
        return found.length > 0 && found;
      });
      await w.shot("mcp");
      const read = await w.inside.run(async (vscode, name) => {
        const { content } = await vscode.lm.invokeTool(name, { input: { path: "a.py" }, toolInvocationToken: undefined });
        return JSON.stringify(content);
      }, name);
      assert.match(read, /# typed/);
    },
  },
  "it is not offered where it is turned off": {
    files,
    run: async (w) => {
      await w.inside.run((vscode) =>
        vscode.workspace.getConfiguration("tandem").update("mcp.offer", "off", vscode.ConfigurationTarget.Global),
      );
      await w.show("a.py");
      assert.deepEqual((await listed(w, "mcp-off")).filter((row) => /Tandem/.test(row)), []);
    },
  },
};
