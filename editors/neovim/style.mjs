// Checks StyLua's style of this folder's Lua and its tests: `node style.mjs STYLUA`, where STYLUA is
// `stylua_lib_node.mjs` of the npm package. `--write` reformats the files.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import * as path from "node:path";
import { pathToFileURL } from "node:url";

const [library, flag] = process.argv.slice(2);
const { Config, formatCode, IndentType, LineEndings, OutputVerification, QuoteStyle } = await import(
  pathToFileURL(path.resolve(library)).href
);

const root = import.meta.dirname;
const said = readFileSync(path.join(root, ".stylua.toml"), "utf8");
const value = (name) => new RegExp(`^${name} = "?(\\w+)"?$`, "m").exec(said)?.[1];
const config = () => {
  const own = Config.new();
  own.column_width = Number(value("column_width"));
  own.line_endings = LineEndings[value("line_endings")];
  own.indent_type = IndentType[value("indent_type")];
  own.indent_width = Number(value("indent_width"));
  own.quote_style = QuoteStyle[value("quote_style")];
  return own;
};

const folders = ["lua", "plugin", "lsp", "examples", "../../tests/editors/neovim"];
const files = folders.flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".lua"))
    .map((entry) => path.join(entry.parentPath, entry.name)),
);
files.push(path.join(root, "bench.lua"));
let wrong = 0;
for (const file of files) {
  const before = readFileSync(file, "utf8");
  const after = formatCode(before, config(), undefined, OutputVerification.None);
  if (after !== before) {
    wrong += 1;
    if (flag === "--write") {
      writeFileSync(file, after);
    } else {
      const lines = after.split("\n");
      const at = before.split("\n").findIndex((line, index) => line !== lines[index]);
      console.error(`${path.relative(process.cwd(), file)}:${at + 1}: StyLua has: ${lines[at]}`);
    }
  }
}
console.log(`${files.length} files, ${wrong} ${flag === "--write" ? "written" : "not in style"}`);
process.exitCode = wrong > 0 && flag !== "--write" ? 1 : 0;
