// The activity view: calls with how they went, the way to what they changed, and back.
import assert from "node:assert/strict";
import { until } from "../host.mjs";

const files = { "a.py": `${"# line\n".repeat(60)}value = 1\n`, "b.py": "pass\n" };

export const cases = {
  "calls are listed, jumped to and undone": {
    files,
    run: async (w) => {
      await w.show("b.py");
      await w.command("tandem.activity.focus");
      const { result } = await w.call("apply_edit", { path: "a.py", old_text: "value = 1", new_text: "value = 2" });
      assert.equal(result.changed, true);
      await w.call("read_file", { path: "missing.py" });
      const row = (text) => w.page.locator(".monaco-list-row", { hasText: text });
      await row("apply_edit").waitFor();
      await row("read_file").first().waitFor();
      await w.shot("activity");
      await row("apply_edit").hover();
      await row("apply_edit").locator(".codicon-go-to-file").click();
      await until("the line", () =>
        w.inside.run((vscode) => {
          const editor = vscode.window.activeTextEditor;
          return editor?.document.fileName.endsWith("a.py") && editor.selection.active.line === 60;
        }),
      );
      await row("apply_edit").hover();
      await row("apply_edit").locator(".codicon-discard").click();
      await until("the text of before", async () => (await w.text("a.py")).includes("value = 1"));
    },
  },
};
