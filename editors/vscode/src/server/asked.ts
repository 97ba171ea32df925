// What a server asks of the person: taken back when it is not wanted any more, or the server has gone,
// which the client library tells nobody of.
import * as vscode from "vscode";

type Handler = (params: unknown, token: vscode.CancellationToken) => unknown;

export class Asked {
  private readonly open = new Set<vscode.CancellationTokenSource>();

  /** A handler whose token is cancelled in either case. */
  handle(handler: Handler): (params: unknown, token: vscode.CancellationToken) => Promise<unknown> {
    return async (params, token) => {
      const source = new vscode.CancellationTokenSource();
      const cancelled = token.onCancellationRequested(() => source.cancel());
      this.open.add(source);
      try {
        return await handler(params, source.token);
      } finally {
        this.open.delete(source);
        cancelled.dispose();
        source.dispose();
      }
    };
  }

  /** The server has gone: nobody waits for an answer. */
  lost(): void {
    this.open.forEach((source) => source.cancel());
  }
}
