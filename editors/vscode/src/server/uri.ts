// Addresses as the server and the editor write them.
import * as vscode from "vscode";

/** The editor quotes more than need be (`(`, `@`, `+`): told addresses are compared as it has them. */
export function quotedAlike(uri: string): string {
  return vscode.Uri.parse(uri).toString();
}
