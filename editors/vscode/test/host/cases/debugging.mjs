// A program that an agent debugs: the person sees where it stops, and joins in.
import assert from "node:assert/strict";
import { until } from "../host.mjs";

const files = { "app.py": "def total(prices):\n    count = len(prices)\n    return sum(prices) / count\n\n\nprint(total([1, 2]))\n" };

/** Gives leave to what is asked, in a notification or after reading it in full. */
const allow = async (w) => {
  const toast = w.page.locator(".notification-toast", { hasText: "Tandem:" });
  await toast.waitFor();
  const once = toast.locator(".monaco-button", { hasText: "Allow once" });
  if ((await once.count()) > 0) {
    return once.click();
  }
  await toast.locator(".monaco-button", { hasText: "Read in Full" }).click();
  return w.lens("Allow once");
};

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
      await allow(w);
      await w.page.locator(".debug-call-stack .monaco-list-row", { hasText: "total" }).waitFor();
      await w.page.locator(".statusbar-item", { hasText: "app.py:3 in total" }).waitFor();
      await w.shot("debug-adapter");
      await w.command("workbench.action.debug.stop");
      await until("its end", () => w.inside.run((vscode) => !vscode.debug.activeDebugSession));
    },
  },
};
