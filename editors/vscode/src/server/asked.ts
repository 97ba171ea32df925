// Questions of the server to the person. They are withdrawn if the server cancels them or ends; the client
// library does not report the latter.
import * as vscode from "vscode";

type Handler = (params: unknown, token: vscode.CancellationToken) => unknown;

export class Asked {
  private readonly open = new Set<vscode.CancellationTokenSource>();

  /** Wraps a handler so that its token is cancelled in both cases. */
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

  /** The server has ended, so nobody waits for an answer. */
  lost(): void {
    this.open.forEach((source) => source.cancel());
  }
}
