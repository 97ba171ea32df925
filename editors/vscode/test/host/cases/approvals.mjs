// Leave: asked for in full, given, refused, taken back.
import assert from "node:assert/strict";
import { until } from "../host.mjs";

const REST = Array.from({ length: 9 }, (_, index) => `test -e part-${index + 1} || true`).join("\n");

const run = ({ inside }, command) =>
  inside.run((vscode, command) => {
    const api = vscode.extensions.getExtension("tandem.tandem").exports;
    const source = new vscode.CancellationTokenSource();
    globalThis.tandemRun = api
      .call("run_command", { command }, source.token)
      .catch(({ code }) => ({ code }));
    globalThis.tandemCancel = () => source.cancel();
  }, command);
const result = ({ inside }) => inside.run(() => globalThis.tandemRun);

export const cases = {
  "a command runs once it has been read in full and allowed": {
    run: async (w) => {
      await run(w, `echo one\necho two\n${REST}`);
      const toast = await w.notification("run_command");
      assert.equal(await toast.locator(".monaco-button", { hasText: "Allow" }).count(), 0);
      await toast.locator(".monaco-button", { hasText: "Read in Full" }).click();
      await w.page.locator(".codelens-decoration a", { hasText: "Allow once" }).waitFor();
      await w.shot("approval");
      await w.lens("Allow once");
      const { stdout, exit_code } = await result(w);
      assert.deepEqual([stdout, exit_code], ["one\ntwo\n", 0]);
      await until("its tab to close", async () => (await w.page.locator(".tab", { hasText: "Question" }).count()) === 0);
    },
  },
  "a refusal is an error, and nothing runs": {
    run: async (w) => {
      await run(w, "touch made");
      await w.notification("| touch made", "Deny");
      assert.equal((await result(w)).code, "E_DENIED");
      assert.equal((await w.call("get_file_info", { path: "made" })).code, "E_FILE_NOT_FOUND");
    },
  },
  "a question that nobody waits for is taken back": {
    run: async (w) => {
      await run(w, "echo one\necho two");
      await w.notification("run_command", "Read in Full");
      await w.page.locator(".tab", { hasText: "Question" }).waitFor();
      await w.inside.run(() => globalThis.tandemCancel());
      await until("its tab to close", async () => (await w.page.locator(".tab", { hasText: "Question" }).count()) === 0);
      assert.match((await result(w)).code, /E_CANCELLED|E_DENIED/);
    },
  },
};
