// The lens that runs a test or a program: `tandem.run`.
import * as vscode from "vscode";
import { say } from "../questions/say";
import type { Server } from "../server/server";
import type { Tests } from "./tree";

/** The argument of the lens. */
interface Target {
  kind: "test" | "main";
  name: string;
  path: string;
  /** The tool that runs it. */
  run: { tool: string; arguments: Record<string, unknown> };
}

export function registerRun(server: Server, tests: Tests): vscode.Disposable {
  return vscode.commands.registerCommand("tandem.run", async ({ name, path, run }: Target) => {
    try {
      const [folder] = vscode.workspace.workspaceFolders ?? [];
      const symbol = run.arguments["symbol"];
      const uri = path.startsWith("/")
        ? vscode.Uri.file(path)
        : folder && vscode.Uri.joinPath(folder.uri, path);
      if (run.tool === "test" && uri && typeof symbol === "string") {
        if (await tests.run(uri, symbol)) {
          return;
        }
        const result = await server.callAsPerson<{ passed: number; failed: number }>(
          run.tool,
          run.arguments,
        );
        const { passed, failed } = result;
        void vscode.window.showInformationMessage(`${name}: ${passed} passed, ${failed} failed`);
        return;
      }
      const started = await server.callAsPerson<{ id: string }>(run.tool, run.arguments);
      await vscode.commands.executeCommand("tandem.processes.show", started.id);
    } catch (error) {
      say(error);
    }
  });
}
