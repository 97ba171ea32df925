// The lens above tests and programs: `tandem.debug`.
import * as vscode from "vscode";
import { failure, ToolError } from "../server/failure";
import type { Server } from "../server/server";
import type { Adapter } from "./adapter";
import { executable } from "./built";

interface Target {
  kind: "test" | "main";
  name: string;
  path: string;
  /** What `debug_launch` takes. */
  launch?: Record<string, unknown>;
  /** Builds the program first. */
  build?: { command: string; cwd?: string };
  args?: string[];
}

interface Ran {
  exit_code: number;
  stdout: string;
  stderr: string;
}

export function registerLens(server: Server, adapter: Adapter): vscode.Disposable {
  return vscode.commands.registerCommand("tandem.debug", async (target: Target) => {
    try {
      const launch = await launchOf(server, target);
      if (launch && (await adapter.isThere())) {
        const configuration = { ...launch, type: "tandem", request: "launch", name: target.name };
        await vscode.debug.startDebugging(vscode.workspace.workspaceFolders?.[0], configuration);
      } else if (launch) {
        // Without an adapter the server debugs, and tells of stops.
        await server.call("debug_launch", launch);
      }
    } catch (error) {
      void vscode.window.showErrorMessage(`Tandem: ${failure(error).sentence}`);
    }
  });
}

async function launchOf(
  server: Server,
  { launch, build, args, name }: Target,
): Promise<object | undefined> {
  if (launch) {
    return launch;
  }
  if (!build) {
    const title = `Which program is ${name} in?`;
    const [chosen] = (await vscode.window.showOpenDialog({ title })) ?? [];
    return chosen && { program: chosen.fsPath, args };
  }
  const ran = await server.call<Ran>("run_command", { ...build, timeout_ms: 600_000 });
  const program = executable(ran.stdout);
  if (ran.exit_code !== 0 || program === undefined) {
    throw new ToolError("E_UNAVAILABLE", `${name} could not be built: ${ran.stderr.slice(-500)}`);
  }
  return { program, args };
}
