// What the parser of Dart Sass says of SCSS.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const require = createRequire(`${process.env.COMPONENT}/node_modules/`);
const { scss } = require("sass-parser");

function check(path) {
  try {
    scss.parse(readFileSync(path, "utf8"));
    return "ok";
  } catch (error) {
    const [, line] = / (\d+):\d+ /.exec(error.message) ?? [];
    return `${line ?? 0}\t${error.sassMessage ?? error.message}`;
  }
}

createInterface({ input: process.stdin }).on("line", (path) => {
  console.log(check(path).replaceAll("\n", " "));
});
