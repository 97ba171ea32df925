// Shows where programs that an agent debugs have stopped, and their output.
import * as vscode from "vscode";
import type { Server } from "../server/server";
import { quotedAlike } from "../server/uri";
import { stopLine, type Exit, type Output, type Stop } from "./told";
import { behind, values, type Value } from "./values";

export function showStops(server: Server): vscode.Disposable {
  const stops = new Map<number, Stop>();
  const known = new Map<Stop, Value[]>();
  const line = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("editor.stackFrameHighlightBackground"),
    overviewRulerColor: new vscode.ThemeColor("editor.stackFrameHighlightBackground"),
    overviewRulerLane: vscode.OverviewRulerLane.Full,
  });
  const value = vscode.window.createTextEditorDecorationType({
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    after: { margin: "0 0 0 2em", color: new vscode.ThemeColor("editor.inlineValuesForeground") },
  });
  const item = vscode.window.createStatusBarItem("tandem.stop", vscode.StatusBarAlignment.Left, 0);
  item.name = "Tandem: debugging";
  item.command = "tandem.debug.stop.show";
  let output: vscode.OutputChannel | undefined;
  const paint = () => {
    for (const editor of vscode.window.visibleTextEditors) {
      const uri = editor.document.uri.toString();
      const here = [...stops.values()].filter((stop) => stop.uri !== undefined && quotedAlike(stop.uri) === uri);
      editor.setDecorations(
        line,
        here.map((stop) => ({
          range: rangeOf(stop),
          hoverMessage: plainly(stopLine(stop)),
        })),
      );
      // If the editor's own debugger shows the stop, it shows values itself.
      const isTheirs = vscode.debug.activeDebugSession?.type === "tandem";
      const shown = behind(isTheirs ? [] : here.flatMap((stop) => known.get(stop) ?? []));
      editor.setDecorations(
        value,
        [...shown].map(([at, contentText]) => ({
          range: editor.document.lineAt(Math.min(at, editor.document.lineCount - 1)).range,
          renderOptions: { after: { contentText } },
        })),
      );
    }
    const last = [...stops.values()].at(-1);
    if (last) {
      item.text = `$(debug-alt) ${stopLine(last)}`;
      item.show();
    } else {
      item.hide();
    }
  };
  const forget = (session: number) => {
    const stop = stops.get(session);
    stops.delete(session);
    if (stop) {
      known.delete(stop);
    }
  };
  server.onNotification<Stop>("tandem/didStop", (stop) => {
    forget(stop.session);
    stops.set(stop.session, stop);
    paint();
    void values(server, stop).then((found) => {
      // The program may have continued meanwhile.
      if (stops.get(stop.session) === stop && found.length > 0) {
        known.set(stop, found);
        paint();
      }
    });
  });
  const gone = (session: number) => {
    forget(session);
    paint();
  };
  server.onNotification<{ session: number }>("tandem/didContinue", ({ session }) => gone(session));
  server.onNotification<Exit>("tandem/didExit", ({ session, exitCode, error }) => {
    gone(session);
    const how = error ?? `exit code ${exitCode ?? "unknown"}`;
    output?.appendLine(`[session ${session} has ended: ${how}]`);
  });
  server.onNotification<Output>("tandem/didOutput", ({ text, lost }) => {
    output ??= vscode.window.createOutputChannel("Tandem Debug");
    output.append(lost ? `${text}\n[${lost} bytes omitted]\n` : text);
  });
  return vscode.Disposable.from(
    line,
    value,
    item,
    { dispose: () => output?.dispose() },
    vscode.window.onDidChangeVisibleTextEditors(paint),
    vscode.debug.onDidChangeActiveDebugSession(paint),
    vscode.commands.registerCommand("tandem.debug.stop.show", async () => {
      const last = [...stops.values()].at(-1);
      if (last?.uri !== undefined) {
        const selection = rangeOf(last);
        await vscode.window.showTextDocument(vscode.Uri.parse(last.uri), { selection });
      }
    }),
    server.onDidChange((state) => {
      if (state !== "running") {
        stops.clear();
        known.clear();
        paint();
      }
    }),
  );
}

function rangeOf({ range, line = 1 }: Stop): vscode.Range {
  const at = range?.start.line ?? line - 1;
  return new vscode.Range(at, 0, at, 0);
}

/** As text, not as Markdown. */
function plainly(text: string): vscode.MarkdownString {
  return new vscode.MarkdownString().appendText(text);
}
