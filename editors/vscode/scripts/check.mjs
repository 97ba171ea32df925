// The checks of this folder in CI: dependencies, types, unit tests, and the content of the package.
// `node scripts/check.mjs [TANDEM]`; with the server's program, its tools and features are compared, too.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import * as path from "node:path";

const root = path.resolve(import.meta.dirname, "..");
process.chdir(root);
const [tandem] = process.argv.slice(2);

/** Size limit of the bundles, in bytes. */
const MOST = 500 << 10;
const EXPECTED = [
  "LICENSE.txt",
  "changelog.md",
  "dist/client.js",
  "dist/extension.js",
  "media/icon.png",
  "media/tandem.svg",
  "media/walkthrough/approval.png",
  "package.json",
  "readme.md",
];

const run = (program, ...args) => execFileSync(program, args, { stdio: "inherit" });
const node = (script, ...args) => run(process.execPath, script, ...args);

// A wheel of Node has npm as a file, not as a program.
const own = path.join(path.dirname(process.execPath), "../lib/node_modules/npm/bin/npm-cli.js");
const npm = (...args) => (existsSync(own) ? node(own, ...args) : run("npm", ...args));

const lock = readFileSync("package-lock.json", "utf8");
const stamp = "node_modules/.of-lock";
if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== lock) {
  npm("ci", "--ignore-scripts");
  writeFileSync(stamp, lock);
}
node("node_modules/typescript/bin/tsc");
node("esbuild.mjs", "--tests");
const tests = readdirSync("out/unit").map((name) => path.join("out/unit", name));
node("--test", "--test-reporter=dot", ...tests);
if (tandem) {
  node("scripts/tools.mjs", tandem, "--check");
  node("scripts/guards.mjs", tandem);
}
node("esbuild.mjs");
// The bundles exist; without npm, vsce has no script to run before it packs.
node("scripts/pack.mjs");

const listed = execFileSync("python3", ["-m", "zipfile", "-l", "tandem.vsix"]).toString();
const files = [...listed.matchAll(/^extension\/(\S+)/gm)].map(([, name]) => name).sort();
const others = files.filter((name) => !EXPECTED.includes(name) && !/^media\/[\w/-]+\.\w+$/.test(name));
const missing = EXPECTED.filter((name) => !files.includes(name));
if (others.length > 0 || missing.length > 0) {
  throw new Error(`the package lacks [${missing}] and should not have [${others}]`);
}
const bytes = ["dist/client.js", "dist/extension.js"].map((name) => statSync(name).size);
const sum = bytes[0] + bytes[1];
console.log(`bundle: ${Math.round(sum / 1024)} KB, of it at activation ${Math.round(bytes[1] / 1024)} KB`);
if (sum > MOST) {
  throw new Error(`the bundle has ${sum} bytes; ${MOST} are the most`);
}
