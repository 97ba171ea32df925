// Reports what other extensions' language servers found, for agents that edit.
import * as vscode from "vscode";
import type { Server } from "../server/server";
import { FoundReports, type Found } from "./found";

export function watchFound(server: Server): vscode.Disposable {
  const reports = new FoundReports();
  const send = (document: vscode.TextDocument) => {
    if (server.state !== "running" || document.uri.scheme !== "file") {
      return;
    }
    const found = vscode.languages.getDiagnostics(document.uri).map(plain);
    for (const report of reports.reports(document.uri.toString(), document.version, found)) {
      server.notify("tandem/didChangeDiagnostics", report);
    }
  };
  return vscode.Disposable.from(
    vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      const changed = new Set(uris.map(String));
      vscode.workspace.textDocuments.filter(({ uri }) => changed.has(uri.toString())).forEach(send);
    }),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => reports.forget(uri.toString())),
    server.onDidChange((state) => {
      // A new server knows of none.
      if (state === "running") {
        vscode.workspace.textDocuments.forEach(send);
      }
    }),
  );
}

function plain({ range, severity, message, source, code }: vscode.Diagnostic): Found {
  const value = typeof code === "object" ? code.value : code;
  const at = ({ line, character }: vscode.Position) => ({ line, character });
  return {
    range: { start: at(range.start), end: at(range.end) },
    severity,
    message,
    ...(source !== undefined && { source }),
    ...(value !== undefined && { code: value }),
  };
}
