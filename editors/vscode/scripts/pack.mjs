// Packs what has been bundled: `tandem.vsix`, or the file that is named.
import { createVSIX } from "@vscode/vsce";

const [packagePath = "tandem.vsix"] = process.argv.slice(2);
await createVSIX({
  packagePath,
  dependencies: false,
  allowMissingRepository: true,
  rewriteRelativeLinks: false,
});
