// Lists the processes of the server, and shows one in a terminal.
import * as vscode from "vscode";
import { say } from "../questions/say";
import { plain } from "../questions/text";
import type { Server } from "../server/server";
import { ending, ProcessTerminal, type Process } from "./terminal";

export function registerProcesses(server: Server): vscode.Disposable {
  /** The terminals that are open, by the process's id. */
  const open = new Map<string, vscode.Terminal>();
  return vscode.Disposable.from(
    vscode.commands.registerCommand("tandem.processes.show", (id?: string) =>
      show(server, open, id),
    ),
    vscode.window.onDidCloseTerminal((closed) => {
      for (const [id, terminal] of open) {
        if (terminal === closed) {
          open.delete(id);
        }
      }
    }),
  );
}

async function show(
  server: Server,
  open: Map<string, vscode.Terminal>,
  id?: string,
): Promise<void> {
  try {
    const { processes } = await server.call<{ processes: Process[] }>("process_list", {});
    const named = processes.find((each) => each.id === id || each.name === id);
    const chosen = id === undefined ? await choose(processes) : named;
    if (chosen === undefined) {
      return;
    }
    const known = open.get(chosen.id);
    const terminal =
      known ??
      vscode.window.createTerminal({
        name: chosen.name ?? chosen.id,
        pty: new ProcessTerminal(server, chosen),
        iconPath: new vscode.ThemeIcon("server-process"),
      });
    open.set(chosen.id, terminal);
    terminal.show();
  } catch (error) {
    say(error);
  }
}

async function choose(processes: Process[]): Promise<Process | undefined> {
  if (processes.length === 0) {
    void vscode.window.showInformationMessage("Tandem: no process was started.");
    return undefined;
  }
  // The newest first.
  const items = [...processes].reverse().map((process) => ({
    label: process.name ?? process.id,
    description:
      process.status === "running" ? (process.kept ? "running, kept" : "running") : ending(process),
    detail: plain(process.command),
    process,
  }));
  const placeHolder = "Show the output of a process, and type into it";
  return (await vscode.window.showQuickPick(items, { placeHolder, matchOnDetail: true }))?.process;
}
