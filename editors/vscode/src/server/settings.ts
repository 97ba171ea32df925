// The person's settings, in the form that the server and `coexistence` take.
import * as vscode from "vscode";
import type { Choice, Editor } from "../language/coexistence";

const tandem = () => vscode.workspace.getConfiguration("tandem");

/** What `coexistence` queries of the editor. */
export const editor: Editor = {
  choice: (feature) => tandem().get<Choice>(`features.${feature}`, "auto"),
  isActive: (extension) => vscode.extensions.getExtension(extension)?.isActive === true,
  isInstalled: (extension) => vscode.extensions.getExtension(extension) !== undefined,
  setting: (name) => vscode.workspace.getConfiguration().get(name),
};

/** The server's initialization options; later changes are sent to it. */
export function options(): object {
  return {
    git: { blame: tandem().get("git.blame") },
    review: tandem().get("review"),
    debug: { showStops: tandem().get("debug.showStops") },
    // `guards` passes a save on only where it is wanted.
    check: { onSave: true },
  };
}

/** The environment of the server's process. */
export function environment(): NodeJS.ProcessEnv {
  const log = tandem().get("server.log", "");
  return log === "" ? process.env : { ...process.env, TANDEM_LOG: log };
}
