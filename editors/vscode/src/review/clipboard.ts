// The command that takes a patch from the clipboard.
import * as vscode from "vscode";
import { undo } from "../activity/commands";
import { say } from "../questions/say";
import type { Server } from "../server/server";
import type { Desk } from "./desk";
import { previewPatch } from "./preview";

export function registerClipboard(server: Server, desk: Desk): vscode.Disposable {
  return vscode.commands.registerCommand("tandem.applyClipboard", async () => {
    const patch = await vscode.env.clipboard.readText();
    if (patch.trim() === "") {
      void vscode.window.showInformationMessage("Tandem: the clipboard has no text.");
      return;
    }
    try {
      const args = { patch, ...path() };
      const { applied, action } = await previewPatch(server, desk, args, "the clipboard's patch");
      if (applied) {
        await offerUndo(server, action);
      }
    } catch (error) {
      say(error);
    }
  });
}

/** A patch that names no file is for the one that is shown. */
function path(): { path?: string } {
  const uri = vscode.window.activeTextEditor?.document.uri;
  const inside = uri?.scheme === "file" && vscode.workspace.getWorkspaceFolder(uri);
  return inside ? { path: uri.fsPath } : {};
}

async function offerUndo(server: Server, action: string | undefined): Promise<void> {
  const chosen = await vscode.window.showInformationMessage("Tandem: applied.", "Undo");
  if (chosen === "Undo") {
    await undo(server, action);
  }
}
