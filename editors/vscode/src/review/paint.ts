// Decorations of a review's lines: removed, added, excluded.
import * as vscode from "vscode";
import { addressOf, SCHEME } from "./address";
import type { Desk } from "./desk";

export function paint(desk: Desk): vscode.Disposable {
  const line = (color: string, overview: string) =>
    vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      backgroundColor: new vscode.ThemeColor(color),
      overviewRulerColor: new vscode.ThemeColor(overview),
    });
  const gone = line("diffEditor.removedLineBackground", "editorGutter.deletedBackground");
  const come = line("diffEditor.insertedLineBackground", "editorGutter.addedBackground");
  const out = vscode.window.createTextEditorDecorationType({ isWholeLine: true, opacity: "0.4" });
  const paintOne = (editor: vscode.TextEditor) => {
    const { uri } = editor.document;
    const address = uri.scheme === SCHEME ? addressOf(uri.path) : undefined;
    const file = address?.side === "patch" ? desk.file(address) : undefined;
    if (!file) {
      return;
    }
    const { marks } = file.inline();
    const ranges = (from: number, to: number) =>
      from < to ? [new vscode.Range(from, 0, to - 1, 0)] : [];
    editor.setDecorations(gone, marks.flatMap(({ from, oldTo }) => ranges(from, oldTo)));
    editor.setDecorations(come, marks.flatMap(({ oldTo, to }) => ranges(oldTo, to)));
    editor.setDecorations(
      out,
      marks.flatMap(({ hunk, from, to }) => (file.taken[hunk] ? [] : ranges(from, to))),
    );
  };
  const all = () => vscode.window.visibleTextEditors.forEach(paintOne);
  return vscode.Disposable.from(
    gone,
    come,
    out,
    vscode.window.onDidChangeVisibleTextEditors(all),
    desk.onDidChangeReviews(all),
  );
}
