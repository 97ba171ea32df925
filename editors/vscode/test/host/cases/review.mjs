// `tandem.review: always`: no tool changes a text before the person has seen the change.
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { until } from "../host.mjs";

const files = {
  "shop.py": "def total(prices):\n    return sum(prices)\n\n\ndef mean(prices):\n    return total(prices) / len(prices)\n",
  "main.py": "from shop import mean\n\nprint(mean([1, 2]))\n",
};

export const options = { settings: { "tandem.review": "always" } };

const EDITS = {
  edits: [
    {
      path: "shop.py",
      patches: [
        { old_text: "def total(prices):\n    return sum(prices)", new_text: "def total(prices: list[int]) -> int:\n    return sum(prices)" },
        { old_text: "    return total(prices) / len(prices)", new_text: "    if not prices:\n        return 0\n    return total(prices) / len(prices)" },
      ],
    },
    { path: "main.py", patches: [{ old_text: "[1, 2]", new_text: "[1, 2, 3]" }] },
  ],
};

const begin = (w, args = EDITS) =>
  w.inside.run((vscode, args) => {
    const api = vscode.extensions.getExtension("tandem.tandem").exports;
    globalThis.tandemEdit = api.call("apply_edit", args).catch(({ code, message }) => ({ code, message }));
  }, args);
const end = (w) => w.inside.run(() => globalThis.tandemEdit);

const tabs = ({ page }) => page.locator(".tab").evaluateAll((all) => all.map((each) => each.innerText.replaceAll("\n", "").trim()));

export const cases = {
  "a proposal is shown in place, in the file's own editor, and waits in the status bar": {
    files,
    run: async (w) => {
      await w.show("shop.py");
      await begin(w);
      await w.notification("in 2 files");
      const status = w.page.locator(".statusbar-item", { hasText: "Tandem: 1 to review" });
      await status.waitFor();
      // What goes is marked in the file itself, what comes stands behind it; nothing has changed.
      await w.page.locator(".codelens-decoration a", { hasText: "Review: −1 +1" }).waitFor();
      await w.page.locator(".codelens-decoration a", { hasText: "Apply all (3)" }).waitFor();
      const come = () => w.page.locator(".view-line").evaluateAll((all) =>
        all.flatMap((each) => [...each.querySelectorAll("span")].map((span) => getComputedStyle(span, "::after").content)).filter((text) => text.includes("→")).map((text) => text.replaceAll("\u00a0", " ")));
      await until("what comes", async () => (await come()).length === 2);
      assert.ok((await come())[0].includes("def total(prices: list[int]) -> int:"), String(await come()));
      assert.deepEqual(await tabs(w), ["shop.py"]);
      assert.equal(await w.text("shop.py"), files["shop.py"]);
      await w.shot("review-in-place");
      // The notification may go: the item in the status bar leads to a tab that says what it is.
      const toast = w.page.locator(".notification-toast", { hasText: "in 2 files" });
      await toast.hover();
      await toast.locator(".codicon-notifications-clear").click();
      await status.click();
      await until("the review's tab", async () => (await tabs(w)).includes("Review of shop.py"));
      await w.command("workbench.action.closeActiveEditor");
      await w.lens("Reject this change");
      await w.lens("Apply 2 of 3");
      const result = await end(w);
      assert.equal(result.changed, true, JSON.stringify(result));
      assert.match(await w.text("shop.py"), /def total\(prices\):\n/);
      assert.match(await w.text("shop.py"), /if not prices:/);
      await until("the status", async () => (await status.count()) === 0);
      await until("the marks to go", async () => (await come()).length === 0);
    },
  },
  "text that is typed since is not marked as if it were meant": {
    files,
    run: async (w) => {
      await w.show("shop.py");
      await begin(w);
      const lens = w.page.locator(".codelens-decoration a", { hasText: "Review: −1 +1" });
      await lens.waitFor();
      await w.page.keyboard.type("# mine\n");
      await until("the lenses to go", async () => (await lens.count()) === 0);
      await w.notification("in 2 files", "Reject");
      assert.equal((await end(w)).code, "E_DENIED");
    },
  },
  "what is left out does not happen": {
    files,
    run: async (w) => {
      await w.show("main.py");
      await begin(w);
      await w.notification("in 2 files", "Review");
      await w.page.locator(".codelens-decoration a", { hasText: "Reject this change" }).first().waitFor();
      await w.command("tandem.review.focus");
      await w.page.locator(".monaco-list-row", { hasText: "shop.py" }).nth(1).waitFor();
      await w.shot("review");
      await w.lens("Reject this change");
      await w.lens("Apply 2 of 3");
      const result = await end(w);
      assert.equal(result.changed, true, JSON.stringify(result));
      const shop = fs.readFileSync(`${w.root}/shop.py`, "utf8");
      assert.match(shop, /def total\(prices\):\n/);
      assert.match(shop, /if not prices:/);
      assert.match(await w.text("main.py"), /\[1, 2, 3\]/);
      await w.show("main.py");
      await w.command("undo");
      await until("undo", async () => (await w.text("main.py")).includes("[1, 2])"));
    },
  },
  "a rejected change is a denial": {
    files,
    run: async (w) => {
      await begin(w);
      await w.notification("in 2 files", "Reject");
      assert.equal((await end(w)).code, "E_DENIED");
      assert.equal(fs.readFileSync(`${w.root}/main.py`, "utf8"), files["main.py"]);
    },
  },
  "a file is left out, and the rest is one step of undo in all files": {
    files: { ...files, "last.py": "import main\n" },
    run: async (w) => {
      await w.show("shop.py");
      await w.show("main.py");
      const all = [...EDITS.edits, { path: "last.py", patches: [{ old_text: "main", new_text: "shop" }] }];
      await begin(w, { edits: all });
      await w.notification("in 3 files", "Review");
      await w.command("tandem.review.focus");
      const row = w.page.locator(".monaco-list-row", { hasText: "last.py" }).first();
      await row.waitFor();
      // The view may draw its rows anew under the mouse: what counts is that it then says so.
      await until("the file to be left out", async () => {
        if (((await row.textContent()) ?? "").includes("0 of 1")) return true;
        await row.hover();
        await row.locator(".action-label.codicon-x, .action-label.codicon-close").first().click({ timeout: 2000 });
        return false;
      });
      await w.shot("review-files");
      await w.command("tandem.review.accept");
      const result = await end(w);
      assert.equal(result.changed, true, JSON.stringify(result));
      assert.deepEqual(result.review.left_out.map(({ path }) => path), ["last.py"]);
      assert.equal(fs.readFileSync(`${w.root}/last.py`, "utf8"), "import main\n");
      await until("the texts", async () => (await w.text("main.py")).includes("[1, 2, 3]") && (await w.text("shop.py")).includes("list[int]"));
      await w.show("main.py");
      w.command("undo").catch(() => {});
      const box = w.page.locator(".monaco-dialog-box");
      await until("the texts of before", async () => {
        // The editor asks whether all the files are meant.
        if ((await box.count()) > 0) {
          await box.locator(".monaco-button", { hasText: /Undo in 2 Files/ }).click();
        }
        return (await w.text("main.py")) === files["main.py"] && (await w.text("shop.py")) === files["shop.py"];
      });
    },
  },
  "a plugin's own preview is not shown twice": {
    files,
    run: async (w) => {
      await w.inside.run((vscode, args) => {
        const api = vscode.extensions.getExtension("tandem.tandem").exports;
        globalThis.tandemEdit = api.previewPatch(args, "twice?").catch(({ code, message }) => ({ code, message }));
      }, EDITS);
      await w.lens("Apply all");
      const outcome = await end(w);
      assert.equal(outcome.applied, true, JSON.stringify(outcome));
      assert.equal(await w.page.locator(".notification-toast", { hasText: "changes in" }).count(), 0);
    },
  },
};
