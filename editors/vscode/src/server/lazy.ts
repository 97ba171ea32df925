// Starts the server once a document that it supports is open, after activation.
import * as vscode from "vscode";
import { STARTING } from "../language/coexistence";
import type { Server } from "./server";

export function startWhenNeeded(server: Server): vscode.Disposable {
  let timer: NodeJS.Timeout | undefined;
  const start = () => {
    clearTimeout(timer);
    opened.dispose();
    // The failure was already reported.
    timer = setTimeout(() => void server.ensure().catch(() => {}), 0);
  };
  const isOurs = ({ languageId, uri }: vscode.TextDocument) =>
    STARTING.includes(languageId) && ["file", "untitled"].includes(uri.scheme);
  const opened = vscode.workspace.onDidOpenTextDocument((document) => {
    if (isOurs(document)) {
      start();
    }
  });
  if (vscode.workspace.textDocuments.some(isOurs)) {
    start();
  }
  return vscode.Disposable.from(opened, { dispose: () => clearTimeout(timer) });
}
