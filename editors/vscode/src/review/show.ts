// Opens the documents that show a review.
import * as vscode from "vscode";
import type { Desk } from "./desk";

/** One file, removed lines above added ones, at a hunk or the first one. */
export async function showPatch(desk: Desk, id: number, file: number, hunk = 0): Promise<void> {
  const address = { review: id, side: "patch", file } as const;
  const uri = desk.uri(address);
  const reviewed = desk.file(address);
  if (!uri || !reviewed) {
    return;
  }
  let document = await vscode.workspace.openTextDocument(uri);
  const { language } = reviewed.file;
  if (language && document.languageId === "plaintext") {
    document = await vscode.languages
      .setTextDocumentLanguage(document, language)
      .then(undefined, () => document);
  }
  const editor = await vscode.window.showTextDocument(document, { preview: false });
  if (!desk.file(address)) {
    // The review ended while its tab was being opened.
    return desk.close(id);
  }
  const mark = reviewed.inline().marks[hunk];
  if (mark) {
    const range = new vscode.Range(mark.from, 0, Math.max(mark.to - 1, mark.from), 0);
    editor.selection = new vscode.Selection(mark.from, 0, mark.from, 0);
    editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }
}

/** The two sides of one file. */
export async function showSides(desk: Desk, id: number, file: number): Promise<void> {
  const [before, after] = (["before", "after"] as const).map((side) =>
    desk.uri({ review: id, side, file }),
  );
  if (before && after) {
    const name = after.path.split("/").at(-1)?.replace(/^Review of /, "");
    await vscode.commands.executeCommand("vscode.diff", before, after, `Review of ${name} (before ↔ proposed)`);
  }
}

/** The two sides of all files in one editor. */
export async function showAll(desk: Desk, id: number): Promise<void> {
  const found = desk.find(id);
  const rows = found?.review.files.flatMap((reviewed, file) => {
    const before = desk.uri({ review: id, side: "before", file });
    const after = desk.uri({ review: id, side: "after", file });
    return before && after ? [[vscode.Uri.parse(reviewed.file.uri), before, after]] : [];
  });
  if (found && rows) {
    const title = `Review ${id}: ${found.review.proposal.title}`;
    await vscode.commands.executeCommand("vscode.changes", title, rows);
  }
}
