// What TypeScript's own parser says of TypeScript, JavaScript and their JSX.
const fs = require("fs");
const ts = require(process.env.COMPONENT + "/node_modules/typescript");

// Early errors that only the checker reports would need a program; its parser has all of these.
function check(path) {
  const source = ts.createSourceFile(path, fs.readFileSync(path, "utf8"), ts.ScriptTarget.Latest);
  const first = source.parseDiagnostics[0];
  if (!first) return "ok";
  const line = source.getLineAndCharacterOfPosition(first.start).line + 1;
  return `${line}\t${ts.flattenDiagnosticMessageText(first.messageText, " ")}`;
}

require("readline").createInterface({ input: process.stdin }).on("line", (path) => {
  console.log(check(path).replaceAll("\n", " "));
});
