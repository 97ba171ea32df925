// `tandem.approvals.style: modal`: a dialog with the full text, or the text in full beside it.
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { until } from "../host.mjs";

export const options = { settings: { "tandem.approvals.style": "modal" } };

const call = ({ inside }, tool, args) =>
  inside.run(
    (vscode, { tool, args }) => {
      const api = vscode.extensions.getExtension("tandem.tandem").exports;
      globalThis.tandemCall = api.call(tool, args).catch(({ code }) => ({ code }));
    },
    { tool, args },
  );
const result = ({ inside }) => inside.run(() => globalThis.tandemCall);

/** The dialog, once it is there, and its button. */
const dialog = async ({ page }) => {
  const box = page.locator(".monaco-dialog-box");
  await box.waitFor({ timeout: 20_000 });
  return box;
};

const SETTINGS = '{\n  "editor.tabSize": 2\n}\n';

export const cases = {
  "a command stands in the dialog whole, and runs when it is allowed": {
    run: async (w) => {
      const lines = Array.from({ length: 12 }, (_, index) => `echo line-${index + 1}`);
      await call(w, "run_command", { command: lines.join("\n") });
      const box = await dialog(w);
      const shown = await box.innerText();
      for (const line of lines) {
        assert.ok(shown.includes(line), `${line} is not in ${shown}`);
      }
      await w.shot("approval-modal");
      await box.locator(".monaco-button", { hasText: "Allow" }).click();
      assert.match((await result(w)).stdout, /line-12/);
    },
  },
  "a dialog that is closed is a no": {
    run: async (w) => {
      await call(w, "run_command", { command: "touch made" });
      await dialog(w);
      await w.page.keyboard.press("Escape");
      assert.equal((await result(w)).code, "E_DENIED");
      assert.equal(fs.existsSync(`${w.root}/made`), false);
    },
  },
  "what no dialog holds is read in full first": {
    run: async (w) => {
      await call(w, "run_command", { command: `echo ${"long ".repeat(600)}last-word` });
      await w.notification("asks to run", "Details");
      const page = w.page.frameLocator("iframe.webview.ready").frameLocator("iframe#active-frame");
      assert.match(await page.locator("pre").innerText(), /last-word/);
      await page.locator("button", { hasText: "Deny" }).click();
      assert.equal((await result(w)).code, "E_DENIED");
    },
  },
  "a guarded file is asked for with its diff": {
    files: { ".vscode/settings.json": SETTINGS },
    run: async (w) => {
      await call(w, "apply_edit", { path: ".vscode/settings.json", old_text: "2", new_text: "8" });
      const box = await dialog(w);
      const shown = await box.innerText();
      assert.match(shown, /-\s*"editor.tabSize": 2/);
      assert.match(shown, /\+\s*"editor.tabSize": 8/);
      await w.shot("approval-diff");
      await box.locator(".monaco-button", { hasText: "Cancel" }).click();
      assert.equal((await result(w)).code, "E_DENIED");
      assert.equal(fs.readFileSync(`${w.root}/.vscode/settings.json`, "utf8"), SETTINGS);
    },
  },
  "a dialog that nobody waits for does nothing any more": {
    run: async (w) => {
      await w.inside.run((vscode) => {
        const api = vscode.extensions.getExtension("tandem.tandem").exports;
        const source = new vscode.CancellationTokenSource();
        globalThis.tandemCall = api.call("run_command", { command: "touch made" }, source.token).catch(({ code }) => ({ code }));
        globalThis.tandemCancel = () => source.cancel();
      });
      const box = await dialog(w);
      await w.inside.run(() => globalThis.tandemCancel());
      assert.match((await result(w)).code, /E_CANCELLED|E_DENIED/);
      await box.locator(".monaco-button", { hasText: "Allow" }).click();
      await until("the dialog to go", async () => (await w.page.locator(".monaco-dialog-box").count()) === 0);
      assert.equal(fs.existsSync(`${w.root}/made`), false);
    },
  },
};
