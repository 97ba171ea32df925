// A program that an agent debugs: the person sees where it stops, and joins in.
import assert from "node:assert/strict";
import { until } from "../host.mjs";

export const options = { settings: { "debug.inlineValues": "on" } };

const files = { "app.py": "def total(prices):\n    count = len(prices)\n    return sum(prices) / count\n\n\nprint(total([1, 2]))\n" };

/** Allows what an agent asks. */
const allow = (w) => w.notification("Tandem asks to", "Allow");

/** What stands behind a line beside its text. */
const behind = async (w, line) => {
  const found = w.page.locator(".view-lines .view-line", { hasText: LINES[line] });
  const style = await found.first().evaluate((each) =>
    [...each.querySelectorAll("span")].map((span) => getComputedStyle(span, "::after").content).join(" "),
  );
  return `${await found.first().innerText()} ${style}`.replaceAll("\u00a0", " ");
};
const LINES = ["def total", "count = len"];

export const cases = {
  "a stop is shown where it is, and its end": {
    files,
    run: async (w) => {
      await w.show("app.py");
      const set = await w.call("debug_breakpoint", { action: "set", file: "app.py", line: 3 });
      assert.ok(set.result, JSON.stringify(set));
      await w.inside.run((vscode) => {
        const api = vscode.extensions.getExtension("tandem.tandem").exports;
        globalThis.tandemDebug = api.call("debug_launch", { program: "app.py" }).catch(({ code, message }) => ({ code, message }));
      });
      await allow(w);
      const stop = await w.inside.run(() => globalThis.tandemDebug);
      assert.equal(stop.state, "stopped", JSON.stringify(stop));
      await w.page.locator(".statusbar-item", { hasText: "app.py:3 in total" }).waitFor();
      // The line where it stands, and what the function's variables hold.
      const line = w.page.locator(".view-line", { hasText: "count = len(prices)" });
      await until("the values", async () => /count = 2/.test(await behind(w, 1)) && /prices = \[1, 2\]/.test(await behind(w, 0)));
      assert.equal(await line.count(), 1);
      await w.shot("debug-stop");
      const { result } = await w.call("debug_step", { action: "continue" });
      assert.equal(result.state, "exited");
      await until("its end", async () => (await w.page.locator(".statusbar-item", { hasText: "stopped at" }).count()) === 0);
    },
  },
  "the editor's own debugger stops at its breakpoints": {
    files,
    run: async (w) => {
      await w.show("app.py");
      await w.inside.run((vscode, root) => {
        const at = new vscode.Location(vscode.Uri.file(`${root}/app.py`), new vscode.Position(2, 0));
        vscode.debug.addBreakpoints([new vscode.SourceBreakpoint(at)]);
        const configuration = { type: "tandem", request: "launch", name: "app", program: `${root}/app.py` };
        vscode.debug.startDebugging(vscode.workspace.workspaceFolders[0], configuration);
      }, w.root);
      // Who starts it themselves is not asked.
      await w.page.locator(".debug-call-stack .monaco-list-row", { hasText: "total" }).waitFor();
      assert.equal(await w.page.locator(".notification-toast").count(), 0);
      await w.page.locator(".statusbar-item", { hasText: "app.py:3 in total" }).waitFor();
      await until("the values", async () => /prices = \[1, 2\]/.test(await behind(w, 0)));
      await w.shot("debug-adapter");
      await w.command("workbench.action.debug.stop");
      await until("its end", () => w.inside.run((vscode) => !vscode.debug.activeDebugSession));
    },
  },
  "a test is debugged from the test view": {
    files: {
      "test_a.py": "def test_good():\n    value = 1\n    assert value\n\n\ndef test_bad():\n    value = 0\n    assert value\n",
      // Stands for pytest, which need not be installed here.
      "pytest/__main__.py":
        "import importlib, sys\nfile, name = sys.argv[1].split('::')\ngetattr(importlib.import_module(file[:-3]), name)()\n",
    },
    run: async (w) => {
      await w.show("test_a.py", 6, 4);
      await w.command("workbench.view.extension.test");
      const row = (text) => w.page.locator(".test-explorer .monaco-list-row", { hasText: text });
      await row("test_a.py").waitFor();
      await row("test_a.py").locator(".monaco-tl-twistie").click();
      await row("test_bad").waitFor();
      await w.inside.run((vscode, root) => {
        const at = new vscode.Location(vscode.Uri.file(`${root}/test_a.py`), new vscode.Position(7, 0));
        vscode.debug.removeBreakpoints(vscode.debug.breakpoints);
        vscode.debug.addBreakpoints([new vscode.SourceBreakpoint(at)]);
        globalThis.tandemTest = vscode.commands.executeCommand("testing.debugAtCursor");
      }, w.root);
      await w.page.locator(".statusbar-item", { hasText: "test_a.py:8 in test_bad" }).waitFor();
      await w.shot("debug-test");
      // It stops once more, at the error that nobody catches.
      await until("its end", async () => {
        await w.command("workbench.action.debug.continue");
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        return w.inside.run((vscode) => !vscode.debug.activeDebugSession);
      });
      await w.command("workbench.view.extension.test");
      await row("test_bad").locator(".codicon-testing-failed-icon").waitFor();
    },
  },
};
