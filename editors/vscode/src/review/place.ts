// A review in the file's own editor: removed lines are marked, added text is shown behind them, and each
// change has its lenses. The complete added text is in the hover and in the tab called "Review".
import * as vscode from "vscode";
import { quotedAlike } from "../server/uri";
import type { Desk, Waiting } from "./desk";
import type { FileReview } from "./review";

/** Longest text behind a line, in characters. */
const LONGEST = 100;

interface Shown {
  waiting: Waiting;
  file: FileReview;
  index: number;
}

export class InPlace implements vscode.CodeLensProvider {
  private readonly gone = line("diffEditor.removedLineBackground", "editorGutter.deletedBackground");
  private readonly come = vscode.window.createTextEditorDecorationType({
    after: {
      margin: "0 0 0 2em",
      color: new vscode.ThemeColor("gitDecoration.addedResourceForeground"),
      fontStyle: "italic",
    },
    overviewRulerColor: new vscode.ThemeColor("editorGutter.addedBackground"),
  });
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changed.event;

  constructor(private readonly desk: Desk) {}

  register(): vscode.Disposable {
    const all = () => {
      vscode.window.visibleTextEditors.forEach((editor) => this.paint(editor));
      this.changed.fire();
    };
    return vscode.Disposable.from(
      this.gone,
      this.come,
      this.changed,
      vscode.languages.registerCodeLensProvider({ scheme: "file" }, this),
      vscode.window.onDidChangeVisibleTextEditors(all),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (this.desk.all().length > 0 && document.uri.scheme === "file") {
          all();
        }
      }),
      this.desk.onDidChangeReviews(all),
    );
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    return this.reviews(document).flatMap(({ waiting, file, index }) => {
      const { id, review } = waiting;
      const lens = (at: number, title: string, name: string, ...args: unknown[]) =>
        new vscode.CodeLens(new vscode.Range(at, 0, at, 0), {
          title,
          command: `tandem.review.${name}`,
          arguments: [id, ...args],
        });
      const apply =
        review.count === review.total
          ? `Apply all (${review.total})`
          : `Apply ${review.count} of ${review.total}`;
      return file.places.flatMap((place, hunk) => {
        const at = Math.min(place.oldFrom, document.lineCount - 1);
        const toggle = file.taken[hunk] ? "$(x) Reject this change" : "$(check) Accept this change";
        return [
          lens(at, `$(eye) Review: ${size(file, hunk)}`, "show", index, hunk),
          lens(at, toggle, "toggle", index, hunk),
          ...(hunk === 0
            ? [lens(at, `$(check-all) ${apply}`, "accept"), lens(at, "$(close-all) Reject all", "reject")]
            : []),
        ];
      });
    });
  }

  private paint(editor: vscode.TextEditor): void {
    const { document } = editor;
    if (document.uri.scheme !== "file") {
      return;
    }
    const [gone, come]: [vscode.Range[], vscode.DecorationOptions[]] = [[], []];
    for (const { file } of this.reviews(document)) {
      file.places.forEach(({ oldFrom, oldTo, newFrom, newTo }, hunk) => {
        if (!file.taken[hunk]) {
          return;
        }
        if (oldFrom < oldTo) {
          gone.push(new vscode.Range(oldFrom, 0, oldTo - 1, 0));
        }
        const added = file.after.slice(newFrom, newTo);
        if (added.length > 0) {
          // Behind the last removed line, or the line before the insertion.
          const at = Math.min(Math.max(oldTo - 1, 0), document.lineCount - 1);
          const end = document.lineAt(at).range.end;
          come.push({
            range: new vscode.Range(end, end),
            hoverMessage: new vscode.MarkdownString().appendCodeblock(added.join(""), document.languageId),
            renderOptions: { after: { contentText: brief(added) } },
          });
        }
      });
    }
    editor.setDecorations(this.gone, gone);
    editor.setDecorations(this.come, come);
  }

  /** Reviews of exactly this text: if it has changed since, the wrong lines would be marked. */
  private reviews(document: vscode.TextDocument): Shown[] {
    const uri = document.uri.toString();
    return this.desk.all().flatMap((waiting) =>
      waiting.review.files.flatMap((file, index) => {
        const { action, old_text, uri: own } = file.file;
        const isThis =
          action === undefined && quotedAlike(own) === uri && document.getText() === old_text;
        return isThis ? [{ waiting, file, index }] : [];
      }),
    );
  }
}

/** The first added line, and the number of the others. */
function brief(added: string[]): string {
  const first = added.map((each) => each.trim()).find((each) => each !== "") ?? "";
  const cut = first.length > LONGEST ? `${first.slice(0, LONGEST)}…` : first;
  return `→ ${cut}${added.length > 1 ? ` (+${added.length - 1} more)` : ""}`;
}

function size(file: FileReview, hunk: number): string {
  const place = file.places[hunk];
  return place ? `−${place.oldTo - place.oldFrom} +${place.newTo - place.newFrom}` : "";
}

function line(color: string, overview: string): vscode.TextEditorDecorationType {
  return vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor(color),
    overviewRulerColor: new vscode.ThemeColor(overview),
  });
}
