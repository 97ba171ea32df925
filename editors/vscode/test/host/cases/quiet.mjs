// Quiet by default: no lens that counts nothing, no underlined imports, no notice about what is not there;
// and a log that says what happened.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { until } from "../host.mjs";

const files = {
  "shop.py": "import os\n\n\ndef total(prices):\n    return sum(prices)\n\n\ndef unused():\n    return os.name\n",
  "main.py": "from shop import total\n\nprint(total([1, 2]))\n",
  "test_shop.py": "from shop import total\n\n\ndef test_total():\n    assert total([1]) == 1\n",
};
/** What counts as large, in bytes: a mebibyte is a long wait. */
export const options = { settings: { "tandem.syntax": { injections: 1_000 } } };

const setting = (w, name, value) =>
  w.inside.run(
    (vscode, { name, value }) => vscode.workspace.getConfiguration("tandem").update(name, value, vscode.ConfigurationTarget.Global),
    { name, value },
  );
const lenses = ({ page }) => page.locator(".codelens-decoration").allInnerTexts();
const links = (w, file) =>
  w.inside.run(
    (vscode, file) => vscode.commands.executeCommand("vscode.executeLinkProvider", vscode.Uri.file(file)).then((found) => found.length),
    `${w.root}/${file}`,
  );
const symbols = (w, file) =>
  until("the server's symbols", () =>
    w.inside.run(
      (vscode, file) => vscode.commands.executeCommand("vscode.executeDocumentSymbolProvider", vscode.Uri.file(file)).then((found) => found?.length > 0),
      `${w.root}/${file}`,
    ),
  );

/** What stands in the output, as its editor shows it. */
const log = async (w) => {
  await w.command("tandem.showLog");
  return w.inside.run((vscode) => vscode.workspace.textDocuments.filter(({ uri }) => uri.scheme === "output").map((each) => each.getText()).join("\n"));
};

export const cases = {
  "functions have no counts above them until that is turned on": {
    files,
    run: async (w) => {
      await w.show("test_shop.py");
      // Those that do something are there.
      await until("the lens that debugs", async () => (await lenses(w)).some((text) => /Debug/.test(text)));
      assert.ok(!(await lenses(w)).some((text) => /reference/.test(text)), String(await lenses(w)));
      await w.show("shop.py");
      await symbols(w, "shop.py");
      await w.page.waitForTimeout(1_500);
      assert.deepEqual(await lenses(w), []);
      await setting(w, "lens.counts", true);
      try {
        await until("the counts", async () => (await lenses(w)).some((text) => /2 references|1 reference|3 references|4 references/.test(text)));
      } finally {
        await setting(w, "lens.counts", undefined);
      }
      await until("no counts", async () => (await lenses(w)).length === 0);
    },
  },
  "imports are not underlined until that is turned on": {
    files,
    run: async (w) => {
      await w.show("main.py");
      await setting(w, "links.imports", true);
      try {
        await until("the links", async () => (await links(w, "main.py")) > 0);
      } finally {
        await setting(w, "links.imports", undefined);
      }
      await until("no links", async () => (await links(w, "main.py")) === 0);
      await w.show("shop.py");
      await w.show("main.py");
      await w.page.waitForTimeout(1_500);
      assert.equal(await w.page.locator(".detected-link").count(), 0);
    },
  },
  "a large text without code of other languages is no news": {
    files: { "large.py": `def one():\n    pass\n${"# a line of text\n".repeat(80)}`, "large.html": `<script>let a = 1;</script>\n${"<p>text</p>\n".repeat(100)}` },
    run: async (w) => {
      await w.show("large.py");
      await symbols(w, "large.py");
      await w.page.waitForTimeout(2_000);
      assert.equal(await w.page.locator(".notification-toast").count(), 0);
      await w.show("large.html");
      await w.notification("large.html is larger than");
    },
  },
  "the log has a line for what happened, and a level": {
    files,
    run: async (w) => {
      await w.show("shop.py");
      const args = ["call", "--workspace", w.root, "apply_edit", JSON.stringify({ path: "shop.py", old_text: "os.name", new_text: "os.sep" })];
      assert.equal(spawnSync(process.env.TANDEM_BIN, args, { env: w.host.env }).status, 0);
      await w.call("read_file", { path: "missing.py" });
      const text = await until("the lines", async () => {
        const found = await log(w);
        return /apply_edit: done/.test(found) && /workspace indexed/.test(found) && found;
      });
      await w.shot("log");
      const root = w.root.replaceAll("/", "\\/");
      assert.match(text, /\[info\] starting .*tandem \(found by: setting\)/);
      assert.match(text, new RegExp(`\\[info\\] server [\\d.]+ runs for ${root}`));
      assert.match(text, /\[info\] workspace indexed: \d+ files, \d+ ms/);
      assert.match(text, /\[info\] apply_edit: done · .* · shop\.py/);
      assert.match(text, /\[warn\] read_file: failed · .*missing\.py: no such file/);
      // What only reads is a line at `debug`, and nothing else is at `error`.
      assert.doesNotMatch(text, /get_file_info/);
      await setting(w, "log.level", "error");
      try {
        await w.call("read_file", { path: "missing-too.py" });
        await w.page.waitForTimeout(500);
        assert.doesNotMatch(await log(w), /missing-too/);
        await setting(w, "log.level", "debug");
        await w.call("read_file", { path: "main.py" });
        await until("the call", async () => /\[debug\] read_file: done/.test(await log(w)));
      } finally {
        await setting(w, "log.level", undefined);
      }
    },
  },
};
