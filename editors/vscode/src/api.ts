// The interface for other extensions: `vscode.extensions.getExtension("tandem.tandem").activate()`.
import * as vscode from "vscode";
import type { ToolName, Tools } from "./generated/tools";
import type { Desk } from "./review/desk";
import { previewPatch, type Outcome } from "./review/preview";
import { failure } from "./server/failure";
import type { Server } from "./server/server";

/** Members may be added, but not changed. */
export interface Api {
  readonly version: 1;
  /**
   * Calls a tool by its canonical name (`docs/tools.md`), and starts the server if necessary. Rejects
   * with an error that has `code`, `message`, `hint?`, `details?`.
   */
  call<N extends ToolName>(
    tool: N,
    args: Tools[N]["params"],
    token?: vscode.CancellationToken,
  ): Promise<Tools[N]["result"]>;
  call<R = unknown>(tool: string, args?: object, token?: vscode.CancellationToken): Promise<R>;
  /**
   * Shows the person what `apply_edit` would do with these arguments, and applies what they accept.
   * Rejects like `call`, with `E_CONFLICT` if the text has changed meanwhile.
   */
  previewPatch(args: object, title?: string, token?: vscode.CancellationToken): Promise<Outcome>;
}

export function api(server: Server, desk: Desk): Api {
  return {
    version: 1,
    call: <R>(tool: string, args: object = {}, token?: vscode.CancellationToken) =>
      server.call<R>(tool, args, token),
    previewPatch: (args, title, token) =>
      previewPatch(server, desk, args, title, token).catch((error: unknown) => {
        throw failure(error);
      }),
  };
}
