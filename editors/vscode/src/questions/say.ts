// What a person is told in a notification, of which nothing is a link.
import * as vscode from "vscode";
import { failure } from "../server/failure";
import type { Server } from "../server/server";
import { plain } from "./text";

/** Says what went wrong, and what can be done. */
export function say(error: unknown): void {
  void vscode.window.showErrorMessage(plain(`Tandem: ${failure(error).sentence}`));
}

interface Message {
  /** As LSP has them: error, warning, and what is no more than worth knowing. */
  type: number;
  message: string;
}

/** Messages of the server; the client library would show what is written like a link as one. */
export function showMessages(server: Server): void {
  server.onNotification<Message>("window/showMessage", ({ type, message }) => {
    const { window } = vscode;
    const show =
      { 1: window.showErrorMessage, 2: window.showWarningMessage }[type] ?? window.showInformationMessage;
    void show(plain(message));
  });
}
