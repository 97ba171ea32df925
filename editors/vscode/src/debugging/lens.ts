// The lens above tests and programs: `tandem.debug`.
import * as vscode from "vscode";
import { say } from "../questions/say";
import type { Server } from "../server/server";
import type { Adapter } from "./adapter";

/** The command of the lens. */
export const COMMAND = "tandem.debug";

export interface Target {
  kind: "test" | "main";
  name: string;
  path: string;
  /** The arguments of `debug_launch`. */
  launch?: Record<string, unknown>;
  args?: string[];
}

export function registerLens(server: Server, adapter: Adapter): vscode.Disposable {
  return vscode.commands.registerCommand(COMMAND, async (target: Target) => {
    try {
      const launch = await launchOf(target);
      if (launch && (await adapter.isThere())) {
        await vscode.debug.startDebugging(folder(), configuration(target.name, launch));
      } else if (launch) {
        // Without the editor's debugger the server debugs and reports stops.
        await server.callAsPerson("debug_launch", launch);
      }
    } catch (error) {
      say(error);
    }
  });
}

export function configuration(name: string, launch: object): vscode.DebugConfiguration {
  return { ...launch, type: "tandem", request: "launch", name };
}

export function folder(): vscode.WorkspaceFolder | undefined {
  return vscode.workspace.workspaceFolders?.[0];
}

async function launchOf({ launch, args, name }: Target): Promise<object | undefined> {
  if (launch) {
    return launch;
  }
  const title = `Which program is ${name} in?`;
  const [chosen] = (await vscode.window.showOpenDialog({ title })) ?? [];
  return chosen && { program: chosen.fsPath, args };
}
