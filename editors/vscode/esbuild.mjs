// Bundles the extension in two files: what activation needs, and the client, which is loaded when the
// server starts. `--tests` bundles the unit tests instead, `--watch` builds on each change.
import * as esbuild from "esbuild";
import { readdirSync } from "node:fs";

const tests = process.argv.includes("--tests");
const options = {
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  logLevel: "warning",
};
const own = tests
  ? {
      entryPoints: readdirSync("test/unit").map((name) => `test/unit/${name}`),
      outdir: "out/unit",
      // Unit tests have no editor.
      alias: { vscode: "./test/stub/vscode.ts" },
      logOverride: { "import-is-undefined": "silent" },
    }
  : {
      entryPoints: { extension: "src/extension.ts", client: "src/server/client.ts" },
      outdir: "dist",
      external: ["vscode", "./client.js"],
      minify: true,
    };
if (process.argv.includes("--watch")) {
  await (await esbuild.context({ ...options, ...own })).watch();
} else {
  await esbuild.build({ ...options, ...own });
}
