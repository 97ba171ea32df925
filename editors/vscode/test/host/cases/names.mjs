// Names: completion as a person types, renaming across files, documents without a file.
import assert from "node:assert/strict";
import * as fs from "node:fs";
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
  "what a refactoring made up is renamed at once": {
    files: { "shop.py": "def total(prices):\n    rate = 2\n    doubled = sum(prices) * rate\n    return doubled\n" },
    run: async (w) => {
      await w.show("shop.py", 2, 14);
      const isOffered = () =>
        w.inside.run(async (vscode) => {
          const editor = vscode.window.activeTextEditor;
          editor.selection = new vscode.Selection(2, 14, 2, 25);
          const { document, selection } = editor;
          const found = await vscode.commands.executeCommand("vscode.executeCodeActionProvider", document.uri, selection, "refactor.extract");
          return found.some(({ title, disabled }) => /variable/i.test(title) && !disabled);
        });
      await until("an extraction", isOffered);
      await w.inside.run((vscode) => {
        const only = { kind: "refactor.extract", apply: "first" };
        void vscode.commands.executeCommand("editor.action.codeAction", only);
      });
      const input = w.page.locator("input.rename-input:visible");
      await until("the box for the new name", async () => (await input.inputValue()).length > 0);
      await input.fill("whole");
      await w.page.keyboard.press("Enter");
      await until("the name that was given", async () => {
        const text = await w.inside.run((vscode) => vscode.window.activeTextEditor.document.getText());
        return /whole/.test(text);
      });
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
  "documents of other schemes are not the server's, and a server that dies takes no untitled text": {
    files,
    run: async (w) => {
      await w.show("main.py");
      await w.inside.run(async (vscode) => {
        const { scheme } = { scheme: "other" };
        vscode.workspace.registerTextDocumentContentProvider(scheme, { provideTextDocumentContent: () => "def elsewhere():\n    pass\n" });
        const other = await vscode.workspace.openTextDocument(vscode.Uri.parse("other:/a.py"));
        await vscode.window.showTextDocument(other, { preview: false });
        const untitled = await vscode.workspace.openTextDocument({ language: "python", content: "kept = 1\n" });
        await vscode.window.showTextDocument(untitled, { preview: false });
      });
      const found = await w.inside.run((vscode) =>
        vscode.commands.executeCommand("vscode.executeDocumentSymbolProvider", vscode.Uri.parse("other:/a.py")),
      );
      assert.equal(found?.length ?? 0, 0);
      await w.command("tandem.restartServer");
      const kept = await until("the untitled document in the new server", () =>
        w.inside.run(async (vscode) => {
          const document = vscode.workspace.textDocuments.find(({ isUntitled, languageId }) => isUntitled && languageId === "python");
          const symbols = await vscode.commands.executeCommand("vscode.executeDocumentSymbolProvider", document.uri);
          return symbols?.length > 0 && document.getText();
        }),
      );
      assert.equal(kept, "kept = 1\n");
    },
  },
  "a formatter is offered where none else is": {
    files: { ...files, "pyproject.toml": "[tool.black]\n", "style.css": "a{color:red}\n" },
    run: async (w) => {
      await w.show("main.py");
      const edits = (file) =>
        w.inside.run(
          (vscode, file) =>
            vscode.commands
              .executeCommand("vscode.executeFormatDocumentProvider", vscode.Uri.file(file), { tabSize: 4, insertSpaces: true })
              .then((found) => found?.length ?? 0),
          `${w.root}/${file}`,
        );
      // The editor formats CSS itself: ours would make it ask which one is meant.
      await w.show("style.css");
      await until("the format of CSS", async () => (await edits("style.css")) > 0);
      await w.show("main.py");
      fs.mkdirSync(`${w.root}/.venv/bin`, { recursive: true });
      fs.writeFileSync(`${w.root}/.venv/bin/black`, "#!/bin/sh\nsed 's/print/show/'\n", { mode: 0o755 });
      // The person starts it, so nobody is asked.
      assert.equal(await edits("main.py"), 1);
      assert.equal(await w.page.locator(".notification-toast").count(), 0);
    },
  },
  "what is wrong in a closed file is told, and no more where that is turned off": {
    files: { ...files, "broken.py": "def (:\n" },
    run: async (w) => {
      const wrong = () =>
        w.inside.run((vscode, file) => vscode.languages.getDiagnostics(vscode.Uri.file(file)).length, `${w.root}/broken.py`);
      const told = (value) =>
        w.inside.run(
          (vscode, value) =>
            vscode.workspace.getConfiguration("tandem").update("features.diagnostics", value, vscode.ConfigurationTarget.Global),
          value,
        );
      await w.show("main.py");
      await until("what is wrong", wrong);
      await told("off");
      try {
        await w.command("tandem.restartServer");
        await until("the server", async () => (await w.call("read_file", { path: "main.py" })).result);
        // It is asked for every two seconds.
        await w.page.waitForTimeout(5_000);
        assert.equal(await wrong(), 0);
      } finally {
        await told(undefined);
      }
    },
  },
};
