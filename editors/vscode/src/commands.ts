// Commands about the server itself.
import * as vscode from "vscode";
import { INSTALL } from "./server/binary";
import type { Server } from "./server/server";

export function registerCommands(server: Server): vscode.Disposable {
  const { registerCommand, executeCommand } = vscode.commands;
  return vscode.Disposable.from(
    // What went wrong has been said where it went wrong.
    registerCommand("tandem.restartServer", () => server.restart().catch(() => {})),
    registerCommand("tandem.stopServer", () => server.stop()),
    registerCommand("tandem.showLog", () => server.log.channel.show(true)),
    registerCommand("tandem.copyInstall", async () => {
      await vscode.env.clipboard.writeText(INSTALL);
      void vscode.window.setStatusBarMessage("Tandem: copied, to be run in Tandem's sources", 5_000);
    }),
    registerCommand("tandem.walkthrough", () =>
      executeCommand("workbench.action.openWalkthrough", "tandem.tandem#tandem.start"),
    ),
    registerCommand("tandem.showReferences", showReferences),
    registerCommand("tandem.rename", rename),
  );
}

interface Place {
  line: number;
  character: number;
}

/** A refactoring has made up a name: the person may give another. */
async function rename(uri: string, { line, character }: Place): Promise<void> {
  const at = new vscode.Position(line, character);
  const selection = new vscode.Range(at, at);
  const editor = await vscode.window.showTextDocument(vscode.Uri.parse(uri), { selection });
  // As the editor's own TypeScript does behind its refactorings.
  await vscode.commands.executeCommand("editor.action.rename", [editor.document.uri, at]);
}

/** A lens of the server: its places, as the editor's own command wants them. */
function showReferences(
  uri: string,
  at: Place,
  locations: { uri: string; range: { start: Place; end: Place } }[],
): Thenable<unknown> {
  const position = ({ line, character }: Place) => new vscode.Position(line, character);
  return vscode.commands.executeCommand(
    "editor.action.showReferences",
    vscode.Uri.parse(uri),
    position(at),
    locations.map(
      ({ uri: each, range }) =>
        new vscode.Location(
          vscode.Uri.parse(each),
          new vscode.Range(position(range.start), position(range.end)),
        ),
    ),
  );
}
