// A plugin's patch: shown, accepted in part, rejected, undone.
import assert from "node:assert/strict";
import { until } from "../host.mjs";

const LINES = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
const TEXT = `${LINES.join("\n")}\n`;
const EDITS = {
  edits: [
    { path: "a.txt", patches: [{ old_text: "line 3\n", new_text: "LINE 3\n" }, { old_text: "line 30\n", new_text: "LINE 30\n" }] },
    { path: "b.txt", patches: [{ old_text: "line 5\n", new_text: "LINE 5\n" }] },
  ],
};
const files = { "a.txt": TEXT, "b.txt": TEXT };

const preview = ({ inside }) =>
  inside.run((vscode, args) => {
    const api = vscode.extensions.getExtension("tandem.tandem").exports;
    globalThis.tandemPreview = api.previewPatch(args, "three changes").catch(({ code, message }) => ({ code, message }));
  }, EDITS);
const verdict = ({ inside }) => inside.run(() => globalThis.tandemPreview);

export const cases = {
  "a patch is accepted in part, as one step of undo": {
    files,
    run: async (w) => {
      await w.show("a.txt");
      await w.inside.run(async (vscode) => {
        const editor = vscode.window.activeTextEditor;
        await editor.edit((edit) => edit.insert(new vscode.Position(39, 0), "typed and not saved\n"));
      });
      await preview(w);
      await w.page.waitForSelector(".codelens-decoration");
      await w.lens("Next file");
      await until("the other file", () => w.page.locator(".tab.active", { hasText: "b.txt" }).count());
      await w.lens("Reject this change");
      await w.lens("Next file");
      await until("the first file", () => w.page.locator(".tab.active", { hasText: "a.txt" }).count());
      await w.shot("diff-preview");
      await w.lens("Apply 2 of 3");
      const outcome = await verdict(w);
      assert.equal(outcome.applied, true, JSON.stringify(outcome));
      const now = await w.text("a.txt");
      assert.match(now, /LINE 3\n/);
      assert.match(now, /LINE 30\n/);
      assert.match(now, /typed and not saved/);
      const { result } = await w.call("read_file", { path: "b.txt" });
      assert.equal(result.content, TEXT);
      await w.show("a.txt");
      await w.command("undo");
      const undone = await w.text("a.txt");
      assert.doesNotMatch(undone, /LINE/);
      assert.match(undone, /typed and not saved/);
    },
  },
  "a patch is rejected": {
    files,
    run: async (w) => {
      await preview(w);
      await w.lens("Reject all");
      assert.deepEqual(await verdict(w), { applied: false });
      const { result } = await w.call("read_file", { path: "a.txt" });
      assert.equal(result.content, TEXT);
      await until("its tab to close", async () => (await w.page.locator(".tab", { hasText: "a.txt" }).count()) === 0);
    },
  },
  "text typed while a patch is looked at wins": {
    files,
    run: async (w) => {
      await preview(w);
      await w.page.waitForSelector(".codelens-decoration");
      await w.inside.run(async (vscode, file) => {
        const document = await vscode.workspace.openTextDocument(file);
        const edit = new vscode.WorkspaceEdit();
        edit.insert(document.uri, new vscode.Position(2, 0), "mine ");
        await vscode.workspace.applyEdit(edit);
      }, `${w.root}/a.txt`);
      await w.lens("Apply all");
      const outcome = await verdict(w);
      assert.ok(["E_CONFLICT", "E_NO_MATCH"].includes(outcome.code), JSON.stringify(outcome));
      assert.match(await w.text("a.txt"), /mine line 3/);
    },
  },
  "the example plugin patches several files and takes it back": {
    files,
    run: async (w) => {
      await w.show("a.txt");
      await w.inside.run((vscode) => {
        globalThis.tandemPatcher = vscode.commands.executeCommand("patcher.replace", "line 7", "LINE 7");
      });
      await w.lens("Apply all");
      await until("the text", async () => (await w.text("a.txt")).includes("LINE 7"));
      await w.notification("Patcher: replace", "Undo");
      assert.equal(await w.inside.run(() => globalThis.tandemPatcher), true);
      assert.equal(await w.text("a.txt"), TEXT);
      const { result } = await w.call("read_file", { path: "b.txt" });
      assert.equal(result.content, TEXT);
    },
  },
};
