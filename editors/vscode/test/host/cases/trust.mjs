// A workspace that is not trusted: it is read, and nothing runs.
import assert from "node:assert/strict";

const files = { "a.py": "def one():\n    pass\n" };

export const options = { trust: true, settings: { "security.workspace.trust.startupPrompt": "never" } };

export const cases = {
  "without trust nothing runs": {
    files,
    run: async (w) => {
      assert.equal(await w.inside.run((vscode) => vscode.workspace.isTrusted), false);
      const { result } = await w.call("read_file", { path: "a.py" });
      assert.equal(result.content, files["a.py"]);
      for (const tool of ["run_command", "debug_launch", "git_push"]) {
        const { code, message } = await w.call(tool, { command: "true", program: "a.py" });
        assert.equal(code, "E_DENIED");
        assert.match(message, /trust this workspace/);
      }
      const direct = await w.inside.run((vscode) =>
        vscode.commands.executeCommand("tandem.run_command", { command: "true" }).then(
          () => "it ran",
          ({ message }) => message,
        ),
      );
      assert.match(direct, /trust this workspace/);
    },
  },
};
