// Debugs one test, like the lens above it.
import * as vscode from "vscode";
import type { Adapter } from "../debugging/adapter";
import { COMMAND, configuration, folder, type Target } from "../debugging/lens";
import { ToolError } from "../server/failure";
import type { Server } from "../server/server";

interface Lens {
  range: { start: { line: number } };
  command?: { command: string; arguments?: [Target] };
}

/**
 * Runs the test on a line to its end under the editor's debugger.
 *
 * @returns its exit code; undefined if it was stopped before.
 * @throws ToolError if it cannot be debugged.
 */
export async function debugTest(
  server: Server,
  adapter: Adapter,
  { uri, range, label }: vscode.TestItem,
  run: vscode.TestRun,
  token: vscode.CancellationToken,
): Promise<number | undefined> {
  const textDocument = { uri: String(uri) };
  const lenses = await server.request<Lens[] | null>("textDocument/codeLens", { textDocument }, token);
  const lens = lenses?.find(
    ({ command, range: { start } }) =>
      command?.command === COMMAND && start.line === range?.start.line,
  );
  const launch = lens?.command?.arguments?.[0].launch;
  if (!launch) {
    throw new ToolError("E_UNSUPPORTED", `no debugger is known for the test ${label}`);
  }
  if (!(await adapter.isThere())) {
    throw new ToolError("E_UNAVAILABLE", "this server has no debug adapter: update it");
  }
  return new Promise((resolve, reject) => {
    let exited: number | undefined;
    let own: vscode.DebugSession | undefined;
    const wanted = configuration(label, { ...launch, id: `test ${Date.now()}` });
    const isOurs = (session: vscode.DebugSession) => session.configuration["id"] === wanted["id"];
    const ended = () => watched.dispose();
    const watched = vscode.Disposable.from(
      vscode.debug.registerDebugAdapterTrackerFactory("tandem", {
        createDebugAdapterTracker: (session) => {
          if (!isOurs(session)) {
            return undefined;
          }
          own = session;
          return {
            onDidSendMessage: ({ event, body }) => {
              if (event === "exited" && typeof body?.exitCode === "number") {
                exited = body.exitCode;
              }
            },
          };
        },
      }),
      vscode.debug.onDidTerminateDebugSession((session) => {
        if (isOurs(session)) {
          ended();
          resolve(exited);
        }
      }),
      token.onCancellationRequested(() => {
        // It need not be the visible one.
        if (own) {
          void vscode.debug.stopDebugging(own);
        }
      }),
    );
    vscode.debug.startDebugging(folder(), wanted, { testRun: run }).then(
      (hasStarted) => {
        if (!hasStarted) {
          ended();
          reject(new ToolError("E_UNAVAILABLE", `${label} could not be started`));
        }
      },
      (error: unknown) => {
        ended();
        reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}
