// Notifications in which no text becomes a link.
import * as vscode from "vscode";
import { failure } from "../server/failure";
import type { Server } from "../server/server";
import { plain } from "./text";

/** Shows an error, and what to do about it. */
export function say(error: unknown): void {
  void vscode.window.showErrorMessage(plain(`Tandem: ${failure(error).sentence}`));
}

interface Message {
  /** LSP's message types: error, warning, information. */
  type: number;
  message: string;
}

/** Shows messages of the server; the client library would render text in link syntax as links. */
export function showMessages(server: Server): void {
  server.onNotification<Message>("window/showMessage", ({ type, message }) => {
    const { window } = vscode;
    const show =
      { 1: window.showErrorMessage, 2: window.showWarningMessage }[type] ?? window.showInformationMessage;
    void show(plain(message));
  });
}
