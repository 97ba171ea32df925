// Packs what has been bundled: `tandem.vsix`, or the file that is named.
import { createVSIX } from "@vscode/vsce";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import * as path from "node:path";

const [packagePath = "tandem.vsix"] = process.argv.slice(2);
const { repository } = JSON.parse(readFileSync("package.json", "utf8"));

/** Pictures of the walkthrough, which are the documentation's. */
const PICTURES = { approval: "vscode-approval", mark: "vscode-mark", review: "vscode-in-place" };
for (const [name, picture] of Object.entries(PICTURES)) {
  copyFileSync(`../../docs/images/${picture}.png`, `media/walkthrough/${name}.png`);
}

const IMAGE = /!\[[^\]]*\]\((?!https?:)[^)]+\)/g;
const LINK = /(?<!!)\[([^\]]*)\]\((?!https?:|#)([^)]+)\)/g;

/**
 * The README for the page of an extension, which loads nothing but https: as long as the manifest names
 * no repository, pictures are left to the walkthrough, and links are names of files.
 */
const standalone = (text) =>
  text
    .replace(IMAGE, "")
    .replace(LINK, (_, name, file) => `${name} (\`${path.relative("../..", file)}\`)`);

const readme = readFileSync("README.md", "utf8");
mkdirSync("out", { recursive: true });
writeFileSync("out/README.md", repository ? readme : standalone(readme));
await createVSIX({
  packagePath,
  dependencies: false,
  allowMissingRepository: true,
  rewriteRelativeLinks: repository !== undefined,
  readmePath: "out/README.md",
});
