// What is not sent in an untrusted workspace.
import * as vscode from "vscode";
import executing from "../data/execution.json";

/** Whether a tool may run programs that the workspace names. */
export function executes(tool: string): boolean {
  const { tools, prefixes, harmless } = executing;
  return tools.includes(tool) || (prefixes.some((p) => tool.startsWith(p)) && !harmless.includes(tool));
}

/** Why a command of the server must not be sent; undefined if it may. */
export function refusal(command: string): string | undefined {
  if (vscode.workspace.isTrusted) {
    return undefined;
  }
  const tool = command.replace(/^tandem\./, "");
  if (tool !== "call" && !executes(tool)) {
    return undefined;
  }
  return `${tool} runs programs: trust this workspace first (Workspaces: Manage Workspace Trust)`;
}
