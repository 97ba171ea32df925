// What css-tree says of CSS: whatever it can only keep as text is an error.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const require = createRequire(`${process.env.COMPONENT}/node_modules/`);
const { parse, tokenize } = require("css-tree");
const PAIRS = { "{": "}", "(": ")", "[": "]" };

// A style sheet that ends too early is closed by the parser without an error.
function unclosed(text) {
  const open = [];
  let found;
  tokenize(text, (type, start, end) => {
    const token = text.slice(start, end);
    const last = token.at(-1);
    const isBlock = token === "{" || token === "[" || token === "(" || (last === "(" && type === 2);
    if (isBlock) open.push([PAIRS[last], start]);
    else if (["}", ")", "]"].includes(token)) {
      if (open.at(-1)?.[0] === token) open.pop();
      else found ??= [start, `unexpected ${token}`];
    } else if (type === 3 || type === 6) found ??= [start, "bad string or url"];
    else if (type === 5 && (end - start < 2 || last !== text[start])) found ??= [start, "unclosed string"];
    else if (type === 25 && !token.endsWith("*/")) found ??= [start, "unclosed comment"];
  });
  if (!found && open.length) found = [open[0][1], `no ${open[0][0]}`];
  return found;
}

function check(path) {
  const text = readFileSync(path, "utf8");
  const line = (at) => text.slice(0, at).split("\n").length;
  let first;
  parse(text, { onParseError: (error) => (first ??= `${error.line}\t${error.message}`) });
  const open = unclosed(text);
  return first ?? (open ? `${line(open[0])}\t${open[1]}` : "ok");
}

createInterface({ input: process.stdin }).on("line", (path) => {
  let result;
  try {
    result = check(path);
  } catch (error) {
    result = `${error.line ?? 1}\t${error.message}`;
  }
  console.log(result.replaceAll("\n", " "));
});
