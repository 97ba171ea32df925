// URIs as the server and the editor write them.
import * as vscode from "vscode";

/** In the editor's form: it escapes more characters than necessary (`(`, `@`, `+`), and comparisons need one form. */
export function quotedAlike(uri: string): string {
  return vscode.Uri.parse(uri).toString();
}
