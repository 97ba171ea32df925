// Reports the editor state to the server, shortly after a change and never while a key is handled.
import * as vscode from "vscode";
import type { Server } from "../server/server";
import { Pause } from "./pause";
import { report, type Position, type Seen, type Span } from "./report";

/** Milliseconds from a change to the report, which covers all changes since. */
const PAUSE = 60;

export function watchState(server: Server): vscode.Disposable {
  let last = "";
  const tell = () => {
    if (server.state !== "running") {
      return;
    }
    const now = report(seen());
    const text = JSON.stringify(now);
    if (text !== last) {
      last = text;
      server.notify("tandem/didChangeEditorState", now);
    }
  };
  // An output channel is a document that may change all the time.
  const pause = new Pause(PAUSE, tell);
  const later = () => pause.begin();
  const { window, workspace } = vscode;
  return vscode.Disposable.from(
    window.tabGroups.onDidChangeTabs(later),
    window.tabGroups.onDidChangeTabGroups(later),
    window.onDidChangeActiveTextEditor(later),
    window.onDidChangeTextEditorSelection(later),
    window.onDidChangeTextEditorVisibleRanges(later),
    window.onDidChangeVisibleTextEditors(later),
    workspace.onDidChangeTextDocument(later),
    workspace.onDidSaveTextDocument(later),
    server.onDidChange((state) => {
      // A new server has no editor state.
      last = "";
      if (state === "running") {
        later();
      }
    }),
    pause,
  );
}

function seen(): Seen {
  const { window } = vscode;
  const active = window.activeTextEditor;
  return {
    tabs: window.tabGroups.all.flatMap((group) =>
      group.tabs.flatMap((tab) => {
        const uri = uriOf(tab.input);
        const isActive = tab.isActive && group.isActive;
        return uri ? [{ uri: uri.toString(), dirty: tab.isDirty, active: isActive }] : [];
      }),
    ),
    ...(active && {
      active: {
        uri: active.document.uri.toString(),
        version: active.document.version,
        selections: active.selections.map((each) => ({
          anchor: position(each.anchor),
          active: position(each.active),
        })),
      },
    }),
    visible: window.visibleTextEditors.map((each) => ({
      uri: each.document.uri.toString(),
      ranges: each.visibleRanges.map(span),
    })),
  };
}

/** The document of a text tab; for a diff the side that can be edited. */
function uriOf(input: unknown): vscode.Uri | undefined {
  if (input instanceof vscode.TabInputText) {
    return input.uri;
  }
  return input instanceof vscode.TabInputTextDiff ? input.modified : undefined;
}

function position({ line, character }: vscode.Position): Position {
  return { line, character };
}

function span({ start, end }: vscode.Range): Span {
  return { start: position(start), end: position(end) };
}
