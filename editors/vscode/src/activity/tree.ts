// The view of tool calls: tool, caller, outcome, changed files.
import * as vscode from "vscode";
import type { Server } from "../server/server";
import { CallRecord } from "./record";
import { errorText, Log, outcome, type Call } from "./log";

export type Node = { call: Call; file?: string };

export class Activity implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly log = new Log();
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly server: Server,
    ended: (call: Call) => void = () => {},
  ) {
    const record = new CallRecord(server.log);
    server.onNotification<Call>("tandem/didCallTool", (call) => {
      this.log.told(call);
      record.told(call);
      if (call.state !== "running") {
        ended(call);
      }
      this.changed.fire();
    });
    server.onDidChange((state) => {
      if (state === "running") {
        void this.refresh();
      } else {
        this.log.lost();
        record.forget();
        this.changed.fire();
      }
    });
  }

  dispose(): void {
    this.changed.dispose();
  }

  get running(): number {
    return this.log.running();
  }

  /** Reads the audit log. */
  async refresh(): Promise<void> {
    try {
      const { calls } = await this.server.request<{ calls: Call[] }>("tandem/activity", {
        limit: 100,
      });
      this.log.replace(calls);
    } catch {
      // Without a server the known calls stay.
    }
    this.changed.fire();
  }

  getChildren(node?: Node): Node[] {
    if (!node) {
      return this.log.all().map((call) => ({ call }));
    }
    const { call, file } = node;
    return file === undefined ? (call.files ?? []).map((each) => ({ call, file: each })) : [];
  }

  getTreeItem({ call, file }: Node): vscode.TreeItem {
    const { TreeItem, TreeItemCollapsibleState: State } = vscode;
    if (file !== undefined) {
      const item = new TreeItem(vscode.Uri.parse(file), State.None);
      item.command = { title: "Open", command: "tandem.activity.jump", arguments: [{ call, file }] };
      item.iconPath = vscode.ThemeIcon.File;
      return item;
    }
    const item = new TreeItem(call.title || call.tool, call.files?.length ? State.Collapsed : State.None);
    item.id = String(call.id);
    item.description = outcome(call, vscode.env.appName);
    item.iconPath = ICONS[call.state]();
    item.tooltip = tooltip(call);
    item.contextValue = call.action === undefined ? "call" : "call undoable";
    return item;
  }
}

const icon = (name: string, color?: string) => () =>
  new vscode.ThemeIcon(name, color === undefined ? undefined : new vscode.ThemeColor(color));

const ICONS: Record<Call["state"], () => vscode.ThemeIcon> = {
  running: icon("loading~spin"),
  done: icon("pass", "testing.iconPassed"),
  failed: icon("error", "testing.iconFailed"),
  denied: icon("circle-slash", "testing.iconSkipped"),
};

function tooltip(call: Call): string {
  const lines = [
    `${call.tool}: ${call.title}`,
    outcome(call, vscode.env.appName),
    new Date(call.started).toLocaleString(),
    errorText(call.error),
    call.action === undefined ? undefined : `action ${call.action}`,
  ];
  return lines.filter((line) => line !== undefined).join("\n");
}
