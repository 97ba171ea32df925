// Marks an agent's edit in a visible document for some seconds, with a note in the status bar.
import * as vscode from "vscode";
import { undo } from "../activity/commands";
import type { Call } from "../activity/log";
import type { Desk } from "../review/desk";
import type { Server } from "../server/server";
import { quotedAlike } from "../server/uri";
import { changedLines, type ApplyEdit, type Lines } from "./changed";

/** Tools that the person uses themselves: their edits need no mark. */
const OWN = new Set(["undo_action", "git_discard", "git_checkpoint"]);

/** The edit that the note is about. */
interface Notice {
  uri: vscode.Uri;
  line: number;
  action: string;
}

export class Marks {
  /** Edits whose call has not ended yet, by document. */
  private readonly applied = new Map<string, Lines[]>();
  private readonly come = decoration("diffEditor.insertedLineBackground", "editorGutter.addedBackground");
  /** The decoration above removed lines. */
  private readonly gone = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    borderStyle: "solid",
    borderWidth: "1px 0 0 0",
    borderColor: new vscode.ThemeColor("editorGutter.deletedBackground"),
  });
  private readonly items = [
    item("tandem.edit", "tandem.edit.show", 0.93),
    item("tandem.edit.show", "tandem.edit.show", 0.92),
    item("tandem.edit.undo", "tandem.edit.undo", 0.91),
  ] as const;
  private notice: Notice | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly server: Server,
    private readonly desk: Desk,
  ) {}

  register(): vscode.Disposable {
    const { registerCommand } = vscode.commands;
    return vscode.Disposable.from(
      this.come,
      this.gone,
      ...this.items,
      { dispose: () => clearTimeout(this.timer) },
      this.server.onWillApply((params) => {
        for (const [uri, lines] of changedLines(params as ApplyEdit)) {
          this.applied.set(uri, lines);
        }
      }),
      registerCommand("tandem.edit.show", () => this.show()),
      registerCommand("tandem.edit.undo", () => this.undo()),
    );
  }

  /** Called when a call has ended: marks its changes in visible documents. */
  ended(call: Call): void {
    const changed = (call.files ?? []).map(quotedAlike);
    const lines = new Map(changed.map((uri) => [uri, this.applied.get(uri)]));
    changed.forEach((uri) => this.applied.delete(uri));
    const settings = vscode.workspace.getConfiguration("tandem");
    const seconds = settings.get<number>("edits.mark", 8);
    const isKnown =
      OWN.has(call.tool) || settings.get("review") === "always" || this.desk.hasShown(changed);
    if (call.state !== "done" || call.action === undefined || seconds <= 0 || isKnown) {
      return;
    }
    const shown = vscode.window.visibleTextEditors.flatMap((editor) => {
      const here = lines.get(editor.document.uri.toString());
      return here === undefined ? [] : [{ editor, here }];
    });
    const [first] = shown;
    if (!first) {
      return;
    }
    this.clear();
    for (const { editor, here } of shown) {
      const last = editor.document.lineCount - 1;
      const hoverMessage = `${who(call)} has just changed this.`;
      const ranges = (from: number, to: number) => ({
        range: new vscode.Range(Math.min(from, last), 0, Math.min(Math.max(to - 1, from), last), 0),
        hoverMessage,
      });
      const [come, gone] = [here.filter((e) => e.from < e.to), here.filter((e) => e.from === e.to)];
      editor.setDecorations(this.come, come.map(({ from, to }) => ranges(from, to)));
      editor.setDecorations(this.gone, gone.map(({ from }) => ranges(from, from)));
    }
    const { uri } = first.editor.document;
    this.notice = { uri, line: first.here[0]?.from ?? 0, action: call.action };
    const more = changed.length > 1 ? ` +${changed.length - 1}` : "";
    const name = vscode.workspace.asRelativePath(uri);
    const [text, show, back] = this.items;
    text.text = `$(sparkle) ${who(call)} changed ${name}${more}`;
    text.tooltip = changed.map((each) => vscode.workspace.asRelativePath(vscode.Uri.parse(each))).join("\n");
    show.text = "$(eye) Show";
    back.text = "$(discard) Undo";
    this.items.forEach((each) => each.show());
    this.timer = setTimeout(() => this.clear(), seconds * 1_000);
  }

  private clear(): void {
    clearTimeout(this.timer);
    this.notice = undefined;
    this.items.forEach((each) => each.hide());
    for (const editor of vscode.window.visibleTextEditors) {
      editor.setDecorations(this.come, []);
      editor.setDecorations(this.gone, []);
    }
  }

  private async show(): Promise<void> {
    if (this.notice) {
      const { uri, line } = this.notice;
      const at = new vscode.Position(line, 0);
      const editor = await vscode.window.showTextDocument(uri);
      editor.selection = new vscode.Selection(at, at);
      editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }
  }

  private async undo(): Promise<void> {
    const action = this.notice?.action;
    this.clear();
    if (action !== undefined) {
      await undo(this.server, action);
    }
  }
}

/** The caller: the agent's name, if it has one that is not this editor's. */
function who({ client }: Call): string {
  return client === undefined || client === vscode.env.appName ? "A tool" : client.slice(0, 40);
}

function decoration(color: string, overview: string): vscode.TextEditorDecorationType {
  return vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor(color),
    overviewRulerColor: new vscode.ThemeColor(overview),
    overviewRulerLane: vscode.OverviewRulerLane.Full,
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
}

function item(id: string, command: string, priority: number): vscode.StatusBarItem {
  const made = vscode.window.createStatusBarItem(id, vscode.StatusBarAlignment.Left, priority);
  made.name = "Tandem: the last edit of a tool";
  made.command = command;
  return made;
}
