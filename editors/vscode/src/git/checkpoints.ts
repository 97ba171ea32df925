// The view of checkpoints: create, compare with the current state, restore.
import * as fs from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import { undo } from "../activity/commands";
import { say } from "../questions/say";
import { plain } from "../questions/text";
import type { Server } from "../server/server";
import { revisionOf } from "./content";

interface Checkpoint {
  id: string;
  commit: string;
  timestamp: string;
  message: string;
}

interface Answer {
  checkpoint?: Checkpoint;
  checkpoints?: Checkpoint[];
  files?: { path: string; status: string; from?: string }[];
  restored?: string[];
  left_out?: string[];
  action?: string;
}

export class Checkpoints implements vscode.TreeDataProvider<Checkpoint> {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly server: Server) {}

  /** Empty without a server or a repository; the view then says how to create one. */
  async getChildren(): Promise<Checkpoint[]> {
    if (this.server.state !== "running" || !liesInRepository()) {
      return [];
    }
    return this.call({ action: "list" }).then(
      ({ checkpoints }) => checkpoints ?? [],
      () => [],
    );
  }

  getTreeItem({ id, message, timestamp, commit }: Checkpoint): vscode.TreeItem {
    const item = new vscode.TreeItem(message || id);
    item.id = id;
    item.description = new Date(timestamp).toLocaleString();
    item.iconPath = new vscode.ThemeIcon("git-commit");
    item.contextValue = "checkpoint";
    item.tooltip = `${message}\n${id}\n${commit}`;
    return item;
  }

  register(): vscode.Disposable {
    const command = (name: string, act: (it: Checkpoint) => Promise<void>) =>
      vscode.commands.registerCommand(`tandem.checkpoint.${name}`, async (it: Checkpoint) => {
        try {
          await act(it);
        } catch (error) {
          say(error);
        }
      });
    return vscode.Disposable.from(
      this.changed,
      vscode.window.createTreeView("tandem.checkpoints", { treeDataProvider: this }),
      this.server.onDidChange(() => this.changed.fire()),
      command("refresh", async () => this.changed.fire()),
      command("create", () => this.create()),
      command("diff", (it) => this.diff(it)),
      command("restore", (it) => this.restore(it)),
    );
  }

  private call(args: object): Promise<Answer> {
    return this.server.call<Answer>("git_checkpoint", args);
  }

  private async create(): Promise<void> {
    const message = await vscode.window.showInputBox({
      title: "Create a checkpoint",
      prompt: "A description",
    });
    if (message === undefined) {
      return;
    }
    const { left_out } = await this.call({ action: "create", message });
    this.changed.fire();
    if (left_out && left_out.length > 0) {
      const names = left_out.slice(0, 3).join(", ");
      void vscode.window.showWarningMessage(plain(`Tandem: too large for a checkpoint: ${names}`));
    }
  }

  private async diff({ id, commit, message }: Checkpoint): Promise<void> {
    const { files = [] } = await this.call({ action: "diff", id });
    const root = vscode.workspace.workspaceFolders?.[0]?.uri;
    if (files.length === 0 || !root) {
      void vscode.window.showInformationMessage("Tandem: nothing has changed since.");
      return;
    }
    const rows = files.map(({ path, status, from }) => {
      const now = vscode.Uri.joinPath(root, path);
      const then = revisionOf(vscode.Uri.joinPath(root, from ?? path), commit);
      return [now, status === "added" ? undefined : then, status === "deleted" ? undefined : now];
    });
    await vscode.commands.executeCommand("vscode.changes", `Since ${message || id}`, rows);
  }

  private async restore({ id, message }: Checkpoint): Promise<void> {
    const chosen = await vscode.window.showWarningMessage(
      `Restore all files as they were at “${message || id}”?`,
      { modal: true, detail: "Open documents change in the editor. It can be undone." },
      "Restore",
    );
    if (chosen !== "Restore") {
      return;
    }
    const { restored = [], action } = await this.call({ action: "restore", id });
    this.changed.fire();
    const again = await vscode.window.showInformationMessage(
      `Tandem: ${restored.length} file${restored.length === 1 ? "" : "s"} restored.`,
      ...(action === undefined ? [] : ["Undo"]),
    );
    if (again === "Undo") {
      await undo(this.server, action);
    }
  }
}

/** Whether a call can succeed: a failing one would only fill the audit log. */
function liesInRepository(): boolean {
  const start = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  for (let folder = start; folder !== undefined; ) {
    if (fs.existsSync(path.join(folder, ".git"))) {
      return true;
    }
    const parent = path.dirname(folder);
    folder = parent === folder ? undefined : parent;
  }
  return false;
}
