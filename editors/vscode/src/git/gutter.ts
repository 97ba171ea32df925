// Marks differences to git's index in the gutter, staged ones fainter.
import * as vscode from "vscode";
import type { Server } from "../server/server";
import { quotedAlike } from "../server/uri";
import { shownAt, type Hunk, type Told } from "./hunks";

const KINDS = ["added", "changed", "removed"] as const;
const COLORS = { added: "#2ea043", changed: "#0078d4", removed: "#f85149" };

export class Gutter {
  /** The last report for each document. */
  private readonly told = new Map<string, Told>();
  private readonly changed = new vscode.EventEmitter<string>();
  readonly onDidChange = this.changed.event;

  of(document: vscode.TextDocument): Told | undefined {
    const told = this.told.get(document.uri.toString());
    // In another version the lines may have moved.
    return told && (told.version === null || told.version === document.version) ? told : undefined;
  }

  register(server: Server): vscode.Disposable {
    const types = decorations();
    const paint = (editor: vscode.TextEditor) => {
      const told = isShown() ? this.of(editor.document) : undefined;
      for (const kind of KINDS) {
        for (const staged of [false, true]) {
          const hunks = (staged ? told?.staged : told?.hunks) ?? [];
          editor.setDecorations(types[kind][staged ? 1 : 0], ranges(editor, hunks, kind));
        }
      }
    };
    const paintAll = () => vscode.window.visibleTextEditors.forEach(paint);
    server.onNotification<Told>("tandem/didChangeHunks", (told) => {
      const uri = quotedAlike(told.uri);
      if (!vscode.workspace.textDocuments.some((document) => document.uri.toString() === uri)) {
        // The document was closed meanwhile.
        return;
      }
      this.told.set(uri, told);
      this.changed.fire(uri);
      vscode.window.visibleTextEditors
        .filter(({ document }) => document.uri.toString() === uri)
        .forEach(paint);
    });
    return vscode.Disposable.from(
      ...KINDS.flatMap((kind) => types[kind]),
      this.changed,
      vscode.window.onDidChangeVisibleTextEditors(paintAll),
      vscode.extensions.onDidChange(paintAll),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("tandem.git.gutter")) {
          paintAll();
        }
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.told.delete(uri.toString())),
      server.onDidChange((state) => {
        if (state !== "running") {
          this.told.clear();
          paintAll();
        }
      }),
    );
  }
}

/** By default only if the editor's own git extension shows no marks. */
function isShown(): boolean {
  const choice = vscode.workspace.getConfiguration("tandem").get("git.gutter", "auto");
  return choice === "auto"
    ? vscode.extensions.getExtension("vscode.git")?.isActive !== true
    : choice === "on";
}

function ranges(
  { document }: vscode.TextEditor,
  hunks: Hunk[],
  kind: Hunk["kind"],
): vscode.Range[] {
  return hunks
    .filter((hunk) => hunk.kind === kind)
    .map((hunk) => shownAt(hunk, document.lineCount))
    .map(({ from, to }) => new vscode.Range(from, 0, to, 0));
}

type Type = vscode.TextEditorDecorationType;

function decorations(): Record<Hunk["kind"], [Type, Type]> {
  const one = (kind: Hunk["kind"], opacity: number) =>
    vscode.window.createTextEditorDecorationType({
      gutterIconPath: bar(COLORS[kind], opacity, kind === "removed"),
      gutterIconSize: "contain",
      overviewRulerColor: COLORS[kind],
      overviewRulerLane: vscode.OverviewRulerLane.Left,
    });
  const both = (kind: Hunk["kind"]): [Type, Type] => [one(kind, 1), one(kind, 0.4)];
  return { added: both("added"), changed: both("changed"), removed: both("removed") };
}

function bar(color: string, opacity: number, isLow: boolean): vscode.Uri {
  const shape = isLow ? `y="15" width="10" height="3"` : `width="4" height="18"`;
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="18" height="18">` +
    `<rect x="7" ${shape} fill="${color}" opacity="${opacity}"/></svg>`;
  return vscode.Uri.parse(`data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`);
}
