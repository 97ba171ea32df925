// Commands for the hunk at the cursor, and for blame.
import * as vscode from "vscode";
import { say } from "../questions/say";
import type { Server } from "../server/server";
import { revisionOf } from "./content";
import type { Gutter } from "./gutter";
import { hunkAt, lines, neighbour, type Hunk } from "./hunks";

const ACTS = {
  stage: { tool: "git_stage", staged: false },
  unstage: { tool: "git_unstage", staged: true },
  revert: { tool: "git_discard", staged: false },
} as const;

export function registerHunks(server: Server, gutter: Gutter): vscode.Disposable {
  const { registerTextEditorCommand, registerCommand } = vscode.commands;
  const acts = Object.entries(ACTS).map(([name, { tool, staged }]) =>
    registerTextEditorCommand(`tandem.hunk.${name}`, async (editor) => {
      try {
        await act(server, gutter, editor, tool, staged);
      } catch (error) {
        say(error);
      }
    }),
  );
  const steps = ([1, -1] as const).map((step) =>
    registerTextEditorCommand(`tandem.hunk.${step > 0 ? "next" : "previous"}`, (editor) =>
      go(gutter, editor, step),
    ),
  );
  const blames = (["lens", "inlay", "hover"] as const).map((where) =>
    registerCommand(`tandem.blame.${where}`, async () => {
      const blame = vscode.workspace.getConfiguration("tandem.git.blame");
      await blame.update(where, !blame.get(where, false), vscode.ConfigurationTarget.Global);
    }),
  );
  return vscode.Disposable.from(
    ...acts,
    ...steps,
    ...blames,
    registerTextEditorCommand("tandem.hunk.diff", ({ document: { uri } }) =>
      vscode.commands.executeCommand(
        "vscode.diff",
        revisionOf(uri, ":0"),
        uri,
        `${vscode.workspace.asRelativePath(uri)} (index)`,
      ),
    ),
  );
}

/** Passes the state that the hunk belongs to: the tool changes nothing in another. */
async function act(
  server: Server,
  gutter: Gutter,
  editor: vscode.TextEditor,
  tool: string,
  staged: boolean,
): Promise<void> {
  const { document, selection } = editor;
  const told = gutter.of(document);
  const hunk = at(staged ? told?.staged : told?.hunks, editor, selection.active.line);
  if (!told || !hunk) {
    void vscode.window.setStatusBarMessage("Tandem: no hunk at the cursor", 3_000);
    return;
  }
  const args = { files: [document.uri.fsPath], hunks: [lines(hunk)], expected_state: told.state };
  await server.call(tool, args);
}

function at(hunks: Hunk[] | undefined, { document }: vscode.TextEditor, line: number) {
  return hunkAt(hunks ?? [], line, document.lineCount);
}

function go(gutter: Gutter, editor: vscode.TextEditor, step: 1 | -1): void {
  const { document, selection } = editor;
  const hunks = gutter.of(document)?.hunks ?? [];
  const line = neighbour(hunks, selection.active.line, document.lineCount, step);
  if (line !== undefined) {
    const target = new vscode.Position(line, 0);
    editor.selection = new vscode.Selection(target, target);
    editor.revealRange(new vscode.Range(target, target), vscode.TextEditorRevealType.InCenter);
  }
}
