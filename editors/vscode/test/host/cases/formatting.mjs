// Formatting: what a person starts is not asked for, and what is missing for it is reported.
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { until } from "../host.mjs";

const SCRIPT = "#!/bin/sh\nsed 's/[ ]*$//'\n";
const PLAIN = "value = 1   \nother = 2\n";

/** A project that is set up for ruff, which it brings along. */
const bring = (w) => {
  fs.mkdirSync(`${w.root}/.venv/bin`, { recursive: true });
  fs.writeFileSync(`${w.root}/.venv/bin/ruff`, SCRIPT, { mode: 0o755 });
};
const toasts = ({ page }) => page.locator(".notification-toast");

// Without a ruff of the machine's own.
export const options = { env: { PATH: "/usr/bin:/bin" } };

export const cases = {
  "Format Document runs the project's formatter, and asks nothing": {
    files: { "ruff.toml": "", "a.py": PLAIN },
    run: async (w) => {
      bring(w);
      await w.show("a.py");
      await w.page.keyboard.press("Control+Shift+I");
      await until("the text", async () => (await w.text("a.py")) === "value = 1\nother = 2\n");
      assert.equal(await toasts(w).count(), 0);
    },
  },
  "on saving, too": {
    files: { "ruff.toml": "", "a.py": PLAIN, ".vscode/settings.json": '{ "editor.formatOnSave": true }' },
    run: async (w) => {
      bring(w);
      await w.show("a.py");
      await w.page.keyboard.type("# typed\n");
      await w.page.keyboard.press("Control+S");
      await until("the file", () => fs.readFileSync(`${w.root}/a.py`, "utf8") === "# typed\nvalue = 1\nother = 2\n");
      assert.equal(await toasts(w).count(), 0);
    },
  },
  "an agent's formatting is asked for, and answering it disturbs no typing": {
    files: { "ruff.toml": "", "a.py": PLAIN },
    run: async (w) => {
      bring(w);
      await w.show("a.py", 1, 9);
      await w.inside.run((vscode) => {
        const api = vscode.extensions.getExtension("tandem.tandem").exports;
        globalThis.tandemFormat = api.call("format_file", { path: "a.py" }).catch(({ code, message }) => ({ code, message }));
      });
      await w.notification("asks to run", "Details");
      const page = w.page.frameLocator("iframe.webview.ready").frameLocator("iframe#active-frame");
      await page.locator("button", { hasText: "Allow" }).click();
      const done = await w.inside.run(() => globalThis.tandemFormat);
      assert.equal(done.changed, true, JSON.stringify(done));
      assert.equal(await w.text("a.py"), "value = 1\nother = 2\n");
    },
  },
  "a formatter that is missing is reported where it was asked for, with how to get it, before any question": {
    files: { "ruff.toml": "", "a.py": PLAIN },
    run: async (w) => {
      await w.show("a.py");
      await w.page.keyboard.press("Control+Shift+I");
      const toast = await w.notification("formatted by ruff, which is not installed");
      const text = await toast.innerText();
      assert.match(text, /python3 -m pip install ruff/);
      assert.equal(await toast.locator(".monaco-button", { hasText: "Copy Install Command" }).count(), 1);
      assert.equal(await toasts(w).count(), 1);
      await w.shot("formatter-missing");
      // An agent is told as much, and nobody is asked.
      const { code, message } = await w.call("format_file", { path: "a.py" });
      assert.equal(code, "E_UNAVAILABLE", message);
      assert.equal(await toasts(w).count(), 1);
      await toast.locator(".monaco-button", { hasText: "Copy Install Command" }).click();
      assert.equal(await w.text("a.py"), PLAIN);
      // Once a window: at the next save it is a word in the status bar.
      await w.page.keyboard.press("Control+Shift+I");
      await w.page.locator(".statusbar-item", { hasText: "formatted by ruff" }).waitFor();
      assert.equal(await toasts(w).count(), 0);
    },
  },
};
