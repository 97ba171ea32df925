// Names: completion as a person types, renaming across files, documents without a file.
import assert from "node:assert/strict";
import { until } from "../host.mjs";

const files = {
  "shop.py": "def total(prices):\n    return sum(prices)\n\n\ndef discount(prices):\n    return total(prices) // 2\n",
  "main.py": "from shop import total\n\nprint(total([1, 2]))\n",
};

export const cases = {
  "completion offers what is there": {
    files,
    run: async (w) => {
      await w.show("main.py", 3, 0);
      await w.page.keyboard.type("shop_total = tot");
      await w.page.locator(".suggest-widget.visible").waitFor().catch(() => {});
      const found = await until("total among the completions", async () => {
        const texts = await w.page.locator(".suggest-widget .monaco-list-row").allInnerTexts();
        return texts.some((text) => text.includes("total"));
      });
      assert.ok(found);
      await w.shot("completion");
      await w.page.keyboard.press("Escape");
    },
  },
  "a rename reaches all files": {
    files,
    run: async (w) => {
      await w.show("main.py", 0, 20);
      await until("a definition", () =>
        w.inside.run(async (vscode) => {
          const { document, selection } = vscode.window.activeTextEditor;
          const found = await vscode.commands.executeCommand("vscode.executeDefinitionProvider", document.uri, selection.active);
          return found.length;
        }),
      );
      await w.page.keyboard.press("F2");
      const input = w.page.locator("input.rename-input:visible");
      await until("the box for the new name", async () => (await input.inputValue()) === "total");
      await input.fill("sum_of");
      await input.press("Enter");
      await until("the other file", async () => /def sum_of\(prices\)[\s\S]*return sum_of\(prices\)/.test((await w.text("shop.py")) ?? ""));
      assert.match(await w.text("main.py"), /import sum_of\n\nprint\(sum_of\(/);
    },
  },
  "documents without a file are served and lost by nobody": {
    files,
    run: async (w) => {
      await w.inside.run(async (vscode) => {
        const document = await vscode.workspace.openTextDocument({ language: "python", content: "def one():\n    pass\n\none()\n" });
        await vscode.window.showTextDocument(document);
      });
      const found = await until("a definition in an untitled document", () =>
        w.inside.run(async (vscode) => {
          const { document } = vscode.window.activeTextEditor;
          const at = new vscode.Position(3, 1);
          const [first] = await vscode.commands.executeCommand("vscode.executeDefinitionProvider", document.uri, at);
          return first && (first.targetRange ?? first.range);
        }),
      );
      assert.ok(found);
      const { result } = await until("the state", async () => {
        const answer = await w.call("get_editor_state", {});
        return JSON.stringify(answer).includes("untitled:") && answer;
      });
      assert.ok(result);
    },
  },
};
