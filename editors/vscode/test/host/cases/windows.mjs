// Two windows on one folder: an edit reaches both, and no save goes over what is newer on disk.
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { until } from "../host.mjs";

const files = { "a.py": "def one():\n    pass\n" };
const edit = (w) => w.call("apply_edit", { path: "a.py", old_text: "pass", new_text: "return 1" });
const disk = (w) => fs.readFileSync(`${w.root}/a.py`, "utf8");

/** Runs with a second window on the same folder. */
const beside = (run) => async (w) => {
  const other = await w.host.open(w.root);
  try {
    await w.show("a.py");
    await other.show("a.py");
    await run(w, other);
  } finally {
    await other.page.close();
  }
};

export const cases = {
  "an edit in one window reaches the other that shows the file": {
    files,
    run: beside(async (w, other) => {
      const { result } = await edit(other);
      assert.equal(result.changed, true);
      await until("the text in both", async () => /return 1/.test(await w.text("a.py")) && /return 1/.test(await other.text("a.py")));
      assert.match(disk(w), /return 1/);
      // Undone in the other window, it is undone in both.
      await other.call("undo_action", {});
      await until("the text of before", async () => (await w.text("a.py")) === files["a.py"] && (await other.text("a.py")) === files["a.py"]);
    }),
  },
  "a window alone saves nothing by itself": {
    files,
    run: async (w) => {
      await w.show("a.py");
      await edit(w);
      await w.page.waitForTimeout(1_000);
      assert.equal(disk(w), files["a.py"]);
      assert.match(await w.text("a.py"), /return 1/);
    },
  },
  "what is typed and not saved stays, and saving it over the newer file is a conflict that is shown": {
    files,
    run: beside(async (w, other) => {
      await w.page.bringToFront();
      await w.inside.run(async (vscode) => {
        await vscode.window.activeTextEditor.edit((each) => each.insert(new vscode.Position(0, 0), "# mine\n"));
      });
      await edit(other);
      await until("the file", () => /return 1/.test(disk(w)));
      assert.match(await w.text("a.py"), /^# mine\ndef one\(\):\n    pass/);
      w.command("workbench.action.files.save").catch(() => {});
      const toast = await w.notification("The content of the file is newer");
      assert.match(await toast.innerText(), /Compare/);
      await w.shot("conflict");
      assert.doesNotMatch(disk(w), /mine/);
    }),
  },
};
