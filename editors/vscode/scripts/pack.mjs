// Packs what has been bundled: `tandem.vsix`, or the file that is named. The README goes with its
// pictures in it, and without links into the sources: the page of an extension can reach neither.
import { createVSIX } from "@vscode/vsce";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import * as path from "node:path";

const [packagePath = "tandem.vsix"] = process.argv.slice(2);

const IMAGE = /!\[([^\]]*)\]\((?!https?:|data:)([^)]+)\)/g;
const LINK = /(?<!!)\[([^\]]*)\]\((?!https?:|data:|#)([^)]+)\)/g;

/** The README as the page of an extension can show it. */
const standalone = (text) =>
  text
    .replace(IMAGE, (_, alt, file) => `![${alt}](data:image/png;base64,${readFileSync(file).toString("base64")})`)
    .replace(LINK, (_, name, file) => `${name} (\`${path.relative("../..", file)}\`)`);

mkdirSync("out", { recursive: true });
writeFileSync("out/README.md", standalone(readFileSync("README.md", "utf8")));
await createVSIX({
  packagePath,
  dependencies: false,
  allowMissingRepository: true,
  rewriteRelativeLinks: false,
  readmePath: "out/README.md",
});
