// An agent's edit in a text that is looked at: marked for some seconds, with a quiet notice.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { until } from "../host.mjs";

const TEXT = "import sys\n\n\ndef greet(name):\n    return name\n\n\nprint(greet(sys.argv[1]))\n";
const files = { "greet.py": TEXT, "other.py": "value = 1\n" };

export const options = { settings: { "tandem.edits.mark": 8 } };

/** An agent in a shell beside the editor. */
const agent = (w, tool, args) => {
  const done = spawnSync(process.env.TANDEM_BIN, ["call", "--workspace", w.root, tool, JSON.stringify(args)], { env: w.host.env });
  assert.equal(done.status, 0, `${done.stdout}${done.stderr}`);
  return JSON.parse(done.stdout.toString());
};
const notice = (w) => w.page.locator(".statusbar-item", { hasText: "changed greet.py" });
const button = (w, text) => w.page.locator(".statusbar-item", { hasText: text }).filter({ has: w.page.locator(`.codicon`) });

/** The colours behind the lines of the text that is shown. */
const marked = ({ page }) =>
  page.locator(".monaco-editor .view-overlays .cdr").evaluateAll((all) =>
    all.filter((each) => !["rgba(0, 0, 0, 0)", "transparent"].includes(getComputedStyle(each).backgroundColor) && /^ced-/.test(each.className.split(" ").find((name) => name.startsWith("ced-")) ?? "")).length,
  );

/** An agent edits two files, the person writes into the first, and undoes the action: what is asked. */
async function undoneAfter(w, [line, character], text) {
  await w.show("greet.py");
  agent(w, "apply_edit", {
    edits: [
      { path: "greet.py", patches: [{ old_text: "return name", new_text: "return f'Hi {name}'" }] },
      { path: "other.py", patches: [{ old_text: "1", new_text: "2" }] },
    ],
  });
  await notice(w).waitFor();
  await w.inside.run(
    async (vscode, { line, character, text }) => {
      const at = new vscode.Position(line, character);
      await vscode.window.activeTextEditor.edit((edit) => edit.insert(at, text));
    },
    { line, character, text },
  );
  w.command("tandem.undoLast").catch(() => {});
  const toast = await w.notification("changed after the action");
  return { toast, buttons: toast.locator(".notification-list-item-buttons-container .monaco-button") };
}

export const cases = {
  "an edit in a visible file is marked, shown and undone": {
    files,
    run: async (w) => {
      await w.show("greet.py");
      const before = await marked(w);
      agent(w, "apply_edit", { path: "greet.py", old_text: "    return name\n", new_text: "    hello = 'Hello'\n    return f'{hello}, {name}'\n" });
      await notice(w).waitFor();
      await until("the marks", async () => (await marked(w)) === before + 2);
      assert.equal(await w.page.locator(".notification-toast").count(), 0);
      await w.shot("edit-marked");
      await button(w, "Show").click();
      await w.page.locator("#status\\.editor\\.selection", { hasText: "Ln 5, Col 1" }).waitFor();
      await button(w, "Undo").click();
      await until("the text", async () => (await w.text("greet.py")) === TEXT);
      await until("the notice to go", async () => (await notice(w).count()) === 0);
      // Taking it back is the person's own: it is no news.
      assert.equal(await marked(w), before);
    },
  },
  "the marks go by themselves, and a file that is not shown has none": {
    files,
    run: async (w) => {
      await w.show("greet.py");
      const before = await marked(w);
      agent(w, "apply_edit", { path: "other.py", old_text: "1", new_text: "2" });
      await w.page.waitForTimeout(1_000);
      assert.equal(await w.page.locator(".statusbar-item", { hasText: "changed" }).count(), 0);
      agent(w, "apply_edit", { path: "greet.py", old_text: "import sys\n", new_text: "" });
      await notice(w).waitFor();
      await until("the notice to go", async () => (await notice(w).count()) === 0, 12_000);
      assert.equal(await marked(w), before);
    },
  },
  "undo where a file was changed since: the rest is undone, and both changes kept where they can be": {
    files,
    run: async (w) => {
      // In the same line: the person's change and the agent's cannot be told apart.
      const { toast, buttons } = await undoneAfter(w, [4, 22], "  # mine");
      const cut = await buttons.evaluateAll((all) => all.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.innerText));
      assert.deepEqual(cut, []);
      await w.shot("undo-partial");
      assert.match(await toast.innerText(), /greet\.py/);
      await buttons.filter({ hasText: "Undo the Other Files" }).click();
      await until("the other file", async () => (await w.call("read_file", { path: "other.py" })).result.content === "value = 1\n");
      assert.match(await w.text("greet.py"), /# mine/);
      await w.page.locator(".statusbar-item", { hasText: "unchanged: greet.py" }).waitFor();
    },
  },
  "undo where a file was changed elsewhere since: both changes are kept": {
    files,
    run: async (w) => {
      const { buttons } = await undoneAfter(w, [0, 0], "# mine\n");
      assert.deepEqual(await buttons.allInnerTexts(), ["Keep Both Changes", "Undo the Other Files"]);
      await buttons.first().click();
      await until("the text", async () => (await w.text("greet.py")) === `# mine\n${TEXT}`);
      assert.equal((await w.call("read_file", { path: "other.py" })).result.content, "value = 1\n");
    },
  },
  "Ctrl+Z in one of two files, then undo of the action: the other is undone, too": {
    files,
    run: async (w) => {
      // Of two open files, Ctrl+Z takes both back; of a closed one it does not know.
      const other = async () => (await w.call("read_file", { path: "other.py" })).result.content;
      await w.show("greet.py");
      agent(w, "apply_edit", {
        edits: [
          { path: "greet.py", patches: [{ old_text: "return name", new_text: "return f'Hi {name}'" }] },
          { path: "other.py", patches: [{ old_text: "1", new_text: "2" }] },
        ],
      });
      await until("both", async () => /Hi/.test(await w.text("greet.py")) && (await other()) === "value = 2\n");
      await w.page.keyboard.press("Control+Z");
      await until("the one file", async () => (await w.text("greet.py")) === TEXT);
      assert.equal(await other(), "value = 2\n");
      w.command("tandem.undoLast").catch(() => {});
      await until("the other file", async () => (await other()) === "value = 1\n");
      assert.equal(await w.text("greet.py"), TEXT);
      assert.equal(await w.page.locator(".notification-toast").count(), 0);
    },
  },
};
