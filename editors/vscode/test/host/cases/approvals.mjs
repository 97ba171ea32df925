// Approvals: read in one line or in full, given, refused, taken back; by mouse and by keyboard.
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { until } from "../host.mjs";

const REST = Array.from({ length: 9 }, (_, index) => `test -e part-${index + 1} || true`).join("\n");
const SCRIPT = `echo one\necho two\n${REST}`;

const run = ({ inside }, command, more = {}) =>
  inside.run((vscode, args) => {
    const api = vscode.extensions.getExtension("tandem.tandem").exports;
    const source = new vscode.CancellationTokenSource();
    globalThis.tandemRun = api.call("run_command", args, source.token).catch(({ code }) => ({ code }));
    globalThis.tandemCancel = () => source.cancel();
  }, { command, ...more });
const result = ({ inside }) => inside.run(() => globalThis.tandemRun);
const toasts = ({ page }) => page.locator(".notification-toast");
const status = ({ page }) => page.locator(".statusbar-item", { hasText: "Tandem" }).first();
const activeFile = ({ inside }) =>
  inside.run((vscode) => vscode.window.activeTextEditor?.document.fileName.split("/").at(-1) ?? null);

/** Where an element's text does not fit, what is cut. */
const cut = (buttons) =>
  buttons.evaluateAll((all) => all.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.innerText));

/** The page of the view "Approvals", in its frames. */
const view = ({ page }) => page.frameLocator("iframe.webview.ready").frameLocator("iframe#active-frame");

export const cases = {
  "the effect stands first, in one line, and no button is cut": {
    files: { "src/a.py": "pass\n" },
    run: async (w) => {
      assert.equal(w.page.viewportSize().width, 1280);
      await run(w, "touch made", { cwd: "src" });
      const toast = await w.notification("asks to run");
      const message = await toast.locator(".notification-list-item-message").innerText();
      assert.equal(message, "Tandem asks to run `touch made` in src/ · no network");
      const buttons = toast.locator(".notification-list-item-buttons-container .monaco-button");
      assert.deepEqual(await buttons.allInnerTexts(), ["Allow", "Session", "Always…", "Deny", "Details"]);
      assert.deepEqual(await cut(buttons), []);
      await w.shot("approval");
      await toast.locator(".monaco-button", { hasText: "Session" }).click();
      assert.equal((await result(w)).exit_code, 0);
      // The like of it is not asked for any more.
      assert.equal((await w.call("run_command", { command: "touch made", cwd: "src" })).result.exit_code, 0);
    },
  },
  "in the workspace's folder no place is named, and it stays until it is answered": {
    run: async (w) => {
      await run(w, "echo here");
      const toast = await w.notification("asks to run");
      assert.equal(await toast.locator(".notification-list-item-message").innerText(), "Tandem asks to run `echo here` · no network");
      // Others are gone after ten to fifteen seconds.
      await w.page.waitForTimeout(20_000);
      assert.equal(await toasts(w).count(), 1);
      assert.match(await status(w).innerText(), /Tandem: 1 to allow/);
      await toast.locator(".monaco-button", { hasText: "Allow" }).click();
      assert.equal((await result(w)).stdout, "here\n");
      await until("the status", async () => !/to allow/.test(await status(w).innerText()));
    },
  },
  "a refusal is an error, and nothing runs": {
    run: async (w) => {
      await run(w, "touch made");
      await w.notification("run `touch made`", "Deny");
      assert.equal((await result(w)).code, "E_DENIED");
      assert.equal((await w.call("get_file_info", { path: "made" })).code, "E_FILE_NOT_FOUND");
    },
  },
  "what is too long for a line is read in full before it can be allowed, beside the text": {
    files: { "a.py": "value = 1\n" },
    run: async (w) => {
      await w.show("a.py", 0, 5);
      await run(w, SCRIPT);
      const toast = await w.notification("asks to run");
      const message = await toast.locator(".notification-list-item-message").innerText();
      assert.match(message, /^Tandem asks to run `echo one …` · no network$/);
      const buttons = toast.locator(".notification-list-item-buttons-container .monaco-button");
      assert.deepEqual(await buttons.allInnerTexts(), ["Details", "Deny"]);
      await buttons.filter({ hasText: "Details" }).click();
      const text = view(w).locator("pre");
      await text.waitFor();
      const lines = (await text.innerText()).split("\n").map((line) => line.trim());
      for (const line of SCRIPT.split("\n")) {
        assert.ok(lines.includes(line), `${line} is not in ${lines}`);
      }
      assert.deepEqual(await view(w).locator("button").allInnerTexts(), ["Allow", "Session", "Always…", "Deny"]);
      await w.shot("approval-details");
      // All of it is in sight, not below the buttons.
      const shown = await text.evaluate((each) => each.getBoundingClientRect().bottom - each.ownerDocument.querySelector("section > div").getBoundingClientRect().top);
      assert.ok(shown <= 0, `${shown} px of the text are under the buttons`);
      // The text is still the one that is edited, at its place.
      assert.equal(await activeFile(w), "a.py");
      await w.page.keyboard.type("X");
      await until("what is typed", async () => (await w.text("a.py")) === "valueX = 1\n");
      await view(w).locator("button", { hasText: "Allow" }).click();
      const { stdout, exit_code } = await result(w);
      assert.deepEqual([stdout, exit_code], ["one\ntwo\n", 0]);
      await until("the view to go", async () => (await w.page.locator(".sidebar .composite.title", { hasText: "Approvals" }).count()) === 0);
      await until("the focus", () => w.page.evaluate(() => document.activeElement?.closest(".monaco-editor") !== null));
    },
  },
  "of two questions each is read by its own, and the network is said once": {
    run: async (w) => {
      await run(w, SCRIPT);
      await w.notification("asks to run `echo one …` · no network");
      const other = w.inside.run((vscode, command) => {
        const api = vscode.extensions.getExtension("tandem.tandem").exports;
        return api.call("run_command", { command, network: true }).catch(({ code }) => ({ code }));
      }, `echo two\n${REST}`);
      const toast = w.page.locator(".notification-toast", { hasText: "echo two" });
      await toast.waitFor();
      const message = await toast.locator(".notification-list-item-message").innerText();
      assert.equal(message, "Tandem asks to run `echo two …` · with network");
      assert.match(await status(w).innerText(), /Tandem: 2 to allow/);
      await toast.locator(".monaco-button", { hasText: "Details" }).click();
      const section = view(w).locator("section").filter({ hasText: "asks to run `echo two …`" });
      await section.locator("pre").waitFor();
      await until("it to be in sight", () => section.evaluate((each) => {
        const { top, bottom } = each.getBoundingClientRect();
        return top >= 0 && (top < 20 || bottom <= each.ownerDocument.defaultView.innerHeight + 1);
      }));
      await section.locator("button", { hasText: "Deny" }).click();
      assert.equal((await other).code, "E_DENIED");
      await w.notification("echo one", "Deny");
      assert.equal((await result(w)).code, "E_DENIED");
    },
  },
  "no other extension can say that the person has started it": {
    run: async (w) => {
      const args = { tool: "run_command", arguments: { command: "touch made" }, approved: true };
      for (const way of ["api", "command"]) {
        const done = w.inside.run(
          (vscode, { args, way }) => {
            const api = vscode.extensions.getExtension("tandem.tandem").exports;
            const call = way === "api" ? api.call("call", args) : vscode.commands.executeCommand("tandem.call", args);
            return call.then(() => "it ran", (error) => `refused: ${error.message}`);
          },
          { args, way },
        );
        assert.match(await done, /refused/, way);
      }
      assert.equal(fs.existsSync(`${w.root}/made`), false);
    },
  },
  "it is answered by keyboard alone": {
    run: async (w) => {
      await run(w, "echo keys");
      await w.notification("asks to run");
      await w.page.keyboard.press("Control+Alt+Enter");
      const box = w.page.locator(".quick-input-widget:visible");
      await box.locator(".quick-input-title", { hasText: "run `echo keys` · no network" }).waitFor();
      const labels = await box.locator(".monaco-list-row .label-name").allInnerTexts();
      assert.deepEqual(labels, ["Allow", "Session", "Always…", "Deny", "Details"]);
      await w.shot("approval-keyboard");
      await w.page.keyboard.press("Enter");
      assert.equal((await result(w)).stdout, "keys\n");
      await until("the notification to go", async () => (await toasts(w).count()) === 0);
    },
  },
  "it is answered from the status item": {
    files: { "a.py": "value = 1\n" },
    run: async (w) => {
      await w.show("a.py");
      await run(w, "echo status");
      const toast = await w.notification("asks to run");
      await toast.hover();
      await toast.locator(".codicon-notifications-clear").click();
      await until("the status", async () => /Tandem: 1 to allow/.test(await status(w).innerText()));
      await status(w).click();
      await w.page.locator(".quick-input-widget:visible .monaco-list-row", { hasText: "Deny" }).click();
      assert.equal((await result(w)).code, "E_DENIED");
      assert.equal(await w.page.locator(".tab").count(), 1);
    },
  },
  "what holds for good is confirmed": {
    run: async (w) => {
      await run(w, "echo always");
      await w.notification("asks to run", "Always…");
      const box = w.page.locator(".monaco-dialog-box");
      await box.waitFor();
      assert.match(await box.innerText(), /Always allow to run `echo always` · no network\?/);
      await box.locator(".monaco-button", { hasText: "Cancel" }).click();
      // It is still asked.
      await w.notification("asks to run", "Always…");
      await box.locator(".monaco-button", { hasText: "Always Allow" }).click();
      assert.equal((await result(w)).stdout, "always\n");
      assert.equal((await w.call("run_command", { command: "echo always" })).result.stdout, "always\n");
    },
  },
  "a question that nobody waits for is taken back": {
    run: async (w) => {
      await run(w, SCRIPT);
      await w.notification("asks to run", "Details");
      await view(w).locator("pre").waitFor();
      await w.inside.run(() => globalThis.tandemCancel());
      await until("the view to go", async () => (await w.page.locator(".sidebar .composite.title", { hasText: "Approvals" }).count()) === 0);
      assert.match((await result(w)).code, /E_CANCELLED|E_DENIED/);
      await run(w, "echo two");
      await w.notification("asks to run `echo two`");
      await w.inside.run(() => globalThis.tandemCancel());
      await until("the notification to go", async () => (await toasts(w).count()) === 0);
      await until("the status", async () => !/to allow/.test(await status(w).innerText()));
    },
  },
  "a guarded file is asked for with its difference, in colours": {
    files: { ".vscode/settings.json": '{\n  "editor.tabSize": 2\n}\n' },
    run: async (w) => {
      await w.inside.run((vscode) => {
        const api = vscode.extensions.getExtension("tandem.tandem").exports;
        const args = { path: ".vscode/settings.json", old_text: "2", new_text: "8" };
        globalThis.tandemRun = api.call("apply_edit", args).catch(({ code }) => ({ code }));
      });
      const toast = await w.notification("asks to write .vscode/settings.json");
      await toast.locator(".monaco-button", { hasText: "Details" }).click();
      assert.match(await view(w).locator(".gone").innerText(), /"editor.tabSize": 2/);
      assert.match(await view(w).locator(".come").innerText(), /"editor.tabSize": 8/);
      await w.shot("approval-diff");
      await view(w).locator("button", { hasText: "Deny" }).click();
      assert.equal((await result(w)).code, "E_DENIED");
      assert.match(fs.readFileSync(`${w.root}/.vscode/settings.json`, "utf8"), /: 2/);
    },
  },
};
