// The menu of the status item.
import * as vscode from "vscode";
import type { Server } from "../server/server";
import type { Counts } from "./item";

interface Entry extends vscode.QuickPickItem {
  command?: string;
  args?: unknown[];
}

export function registerMenu(server: Server, counts: Counts): vscode.Disposable {
  return vscode.commands.registerCommand("tandem.menu", async () => {
    const waiting = { questions: counts.questions(), reviews: counts.reviews() };
    const chosen = await vscode.window.showQuickPick(entries(server, waiting), {
      title: "Tandem",
      placeHolder: server.problem ?? `The server is ${server.state}`,
    });
    if (chosen?.command) {
      await vscode.commands.executeCommand(chosen.command, ...(chosen.args ?? []));
    }
  });
}

export function entries(
  server: Pick<Server, "state">,
  { questions, reviews }: Record<"questions" | "reviews", number>,
): Entry[] {
  const running = server.state === "running" || server.state === "starting";
  const line = { label: "", kind: vscode.QuickPickItemKind.Separator };
  return [
    ...(questions > 0
      ? [{ label: `$(question) Allow or deny (${questions})`, command: "tandem.question.show" }]
      : []),
    ...(reviews > 0
      ? [{ label: `$(git-pull-request) Review (${reviews})`, command: "tandem.review.show" }]
      : []),
    { label: "$(list-tree) Show activity", command: "tandem.activity.focus" },
    { label: "$(discard) Undo the last action", command: "tandem.undoLast" },
    { label: "$(diff) Apply a patch from the clipboard…", command: "tandem.applyClipboard" },
    { label: "$(git-commit) Create a checkpoint…", command: "tandem.checkpoint.create" },
    line,
    running
      ? { label: "$(debug-restart) Restart the server", command: "tandem.restartServer" }
      : { label: "$(play) Start the server", command: "tandem.restartServer" },
    ...(running ? [{ label: "$(debug-stop) Stop the server", command: "tandem.stopServer" }] : []),
    { label: "$(output) Show the log", command: "tandem.showLog" },
    { label: "$(gear) Settings", command: "workbench.action.openSettings", args: ["@ext:tandem.tandem"] },
    { label: "$(book) Walkthrough", command: "tandem.walkthrough" },
  ];
}
