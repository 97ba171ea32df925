// Packs the bundles into `tandem.vsix`, or into the given file.
import { createVSIX } from "@vscode/vsce";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import * as path from "node:path";

const [packagePath = "tandem.vsix"] = process.argv.slice(2);
const { repository } = JSON.parse(readFileSync("package.json", "utf8"));

/** The documentation's pictures that the walkthrough shows. */
const PICTURES = { approval: "vscode-approval", mark: "vscode-mark", review: "vscode-in-place" };
for (const [name, picture] of Object.entries(PICTURES)) {
  copyFileSync(`../../docs/images/${picture}.png`, `media/walkthrough/${name}.png`);
}

const IMAGE = /!\[[^\]]*\]\((?!https?:)[^)]+\)/g;
const LINK = /(?<!!)\[([^\]]*)\]\((?!https?:|#)([^)]+)\)/g;

/**
 * The README for the extension's page, which loads only https. While the manifest names no repository,
 * pictures are removed, and links become names of files.
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
