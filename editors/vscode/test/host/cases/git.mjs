// Git: marks in the gutter, hunks staged and reverted, checkpoints.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { until } from "../host.mjs";

const TEXT = Array.from({ length: 30 }, (_, index) => `line_${index + 1} = ${index}\n`).join("");
const files = { "a.py": TEXT };

export const options = { settings: { "tandem.git.gutter": "on", "git.enabled": false } };

const git = ({ root, host }, ...args) => execFileSync("git", ["-C", root, ...args], { env: host.env }).toString();

/** Changes two lines and leaves them unsaved. */
const change = async (w) => {
  await w.show("a.py");
  await w.inside.run(async (vscode) => {
    await vscode.window.activeTextEditor.edit((edit) => {
      edit.replace(new vscode.Range(2, 0, 2, 6), "LINE_3");
      edit.insert(new vscode.Position(20, 0), "added = True\n");
    });
  });
  await until("marks in the gutter", async () => (await w.page.locator(".cgmr.codicon, .cgmr[class*='ced-']").count()) >= 2);
};

const cursor = ({ inside }, line) =>
  inside.run((vscode, line) => {
    const at = new vscode.Position(line, 0);
    vscode.window.activeTextEditor.selection = new vscode.Selection(at, at);
  }, line);

export const cases = {
  "hunks of unsaved text are shown, staged, unstaged and reverted": {
    files,
    git: true,
    run: async (w) => {
      await change(w);
      await w.shot("hunks");
      await cursor(w, 2);
      await w.command("tandem.hunk.stage");
      await until("the index", () => git(w, "diff", "--cached").includes("+LINE_3"));
      assert.doesNotMatch(git(w, "diff", "--cached"), /added = True/);
      await until("what is staged to be told", async () => {
        await cursor(w, 2);
        await w.command("tandem.hunk.unstage");
        return git(w, "diff", "--cached") === "";
      });
      await cursor(w, 20);
      await until("the line to go", async () => {
        await w.command("tandem.hunk.revert");
        return !(await w.text("a.py")).includes("added = True");
      });
      assert.match(await w.text("a.py"), /LINE_3/);
    },
  },
  "blame stands where it is wanted, and goes again": {
    files: { "a.py": "def one():\n    return 1\n" },
    git: true,
    run: async (w) => {
      await w.show("a.py", 1, 0);
      const inlay = () => w.page.locator(".view-lines", { hasText: "A, " }).count();
      assert.equal(await inlay(), 0);
      await w.command("tandem.blame.inlay");
      await until("blame behind the lines", inlay);
      await w.command("tandem.blame.lens");
      const lens = w.page.locator(".codelens-decoration", { hasText: "A, " });
      await lens.first().waitFor();
      await w.shot("blame");
      await w.command("tandem.blame.hover");
      const hover = () =>
        w.inside.run(async (vscode) => {
          const { document, selection } = vscode.window.activeTextEditor;
          const found = await vscode.commands.executeCommand("vscode.executeHoverProvider", document.uri, selection.active);
          return found.flatMap(({ contents }) => contents.map(({ value }) => value)).join("\n");
        });
      await until("blame in hovers", async () => (await hover()).includes("begin"));
      for (const where of ["inlay", "lens", "hover"]) {
        await w.command(`tandem.blame.${where}`);
      }
      await until("blame to go", async () => (await inlay()) + (await lens.count()) === 0 && !(await hover()).includes("begin"));
    },
  },
  "a checkpoint brings unsaved text back": {
    files,
    git: true,
    run: async (w) => {
      await change(w);
      const { result } = await w.call("git_checkpoint", { action: "create", message: "before" });
      assert.ok(result.checkpoint.id);
      await w.call("apply_edit", { path: "a.py", old_text: "LINE_3", new_text: "lost" });
      await w.command("tandem.checkpoints.focus");
      const row = w.page.locator(".monaco-list-row", { hasText: "before" });
      await w.command("tandem.checkpoint.refresh");
      await row.waitFor();
      await row.hover();
      await row.locator("a[aria-label='Compare with the Current State'], .action-label.codicon-diff-multiple").first().click();
      await w.page.locator(".tab", { hasText: "Since before" }).waitFor();
      await w.page.locator(".monaco-diff-editor .view-line", { hasText: "lost" }).first().waitFor();
      await w.shot("checkpoint-diff");
      await row.hover();
      await row.locator(".action-label.codicon-history").click();
      await w.page.locator(".monaco-dialog-box .monaco-button", { hasText: "Restore" }).click();
      await until("the text", async () => (await w.text("a.py")).includes("LINE_3"));
      assert.equal(fs.readFileSync(`${w.root}/a.py`, "utf8"), TEXT);
    },
  },
};
