// Commands for the server itself.
import * as vscode from "vscode";
import { INSTALL } from "./server/binary";
import type { Server } from "./server/server";

export function registerCommands(server: Server): vscode.Disposable {
  const { registerCommand, executeCommand } = vscode.commands;
  return vscode.Disposable.from(
    // The failure was already reported.
    registerCommand("tandem.restartServer", () => server.restart().catch(() => {})),
    registerCommand("tandem.stopServer", () => server.stop()),
    registerCommand("tandem.showLog", () => server.log.channel.show(true)),
    registerCommand("tandem.copyInstall", async () => {
      await vscode.env.clipboard.writeText(INSTALL);
      void vscode.window.setStatusBarMessage("Tandem: copied; run it in Tandem's sources", 5_000);
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

/** After a refactoring with a generated name, lets the person rename it. */
async function rename(uri: string, { line, character }: Place): Promise<void> {
  const at = new vscode.Position(line, character);
  const selection = new vscode.Range(at, at);
  const editor = await vscode.window.showTextDocument(vscode.Uri.parse(uri), { selection });
  // As the editor's own TypeScript extension does after its refactorings.
  await vscode.commands.executeCommand("editor.action.rename", [editor.document.uri, at]);
}

/** Converts the locations of a server's lens for the editor's own command. */
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
