// Where nothing may be written: the message says so, and nothing is lost.
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";

const files = { "a.py": "value = 1\n", "open.py": "value = 1\n" };

/** Root may write everywhere, so its server runs as nobody here. */
const asNobody = () => {
  if (process.getuid() !== 0) {
    return { settings: {}, env: {} };
  }
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "tandem-nobody-"));
  const at = (name) => path.join(folder, name);
  fs.writeFileSync(
    at("tandem"),
    `#!/bin/sh\nexec env HOME=${folder} XDG_STATE_HOME=${folder} XDG_CACHE_HOME=${folder} XDG_CONFIG_HOME=${folder} ` +
      `setpriv --reuid=65534 --regid=65534 --clear-groups "${process.env.TANDEM_BIN}" "$@"\n`,
  );
  fs.chmodSync(at("tandem"), 0o755);
  fs.chmodSync(folder, 0o777);
  return { settings: { "tandem.server.path": at("tandem") }, env: {} };
};

export const options = asNobody();

export const cases = {
  "a folder that may not be written to is told by name": {
    files,
    run: async (w) => {
      fs.chmodSync(w.root, 0o555);
      try {
        await w.show("open.py");
        const failed = await w.call("apply_edit", { path: "a.py", old_text: "1", new_text: "2" });
        assert.equal(failed.code, "E_PERMISSION", JSON.stringify(failed));
        assert.match(failed.message, /a\.py/);
        assert.equal(fs.readFileSync(`${w.root}/a.py`, "utf8"), files["a.py"]);
        assert.deepEqual(fs.readdirSync(w.root).sort(), ["a.py", "open.py"]);
        // What is open changes in the editor, and waits there to be saved somewhere.
        const { result } = await w.call("apply_edit", { path: "open.py", old_text: "1", new_text: "2" });
        assert.equal(result.changed, true);
        assert.equal(await w.text("open.py"), "value = 2\n");
        assert.equal(fs.readFileSync(`${w.root}/open.py`, "utf8"), files["open.py"]);
        const { result: read } = await w.call("read_file", { path: "open.py" });
        assert.equal(read.content, "value = 2\n");
      } finally {
        fs.chmodSync(w.root, 0o755);
      }
    },
  },
};
