// Writes tool calls to the log.
import * as vscode from "vscode";
import { errorText, outcome, type Call } from "./log";
import type { Log } from "../server/log";

export class CallRecord {
  private readonly agents = new Set<string>();

  constructor(private readonly log: Log) {}

  /** Called when a call begins or ends. */
  told(call: Call): void {
    const { client, tool, state, error } = call;
    if (client !== undefined && client !== vscode.env.appName && !this.agents.has(client)) {
      this.agents.add(client);
      this.log.info(`agent joined: ${client}`);
    }
    if (state === "running") {
      return;
    }
    const files = call.files?.map((uri) => vscode.workspace.asRelativePath(vscode.Uri.parse(uri)));
    const what = [`${tool}: ${outcome(call, vscode.env.appName)}`, ...(files?.length ? [files.join(", ")] : [])].join(" · ");
    if (state === "done") {
      // Calls that only read are not logged.
      this.log[call.action === undefined ? "debug" : "info"](what);
    } else {
      this.log.warn(`${what} · ${errorText(error) ?? ""}`);
    }
  }

  /** A new server has no clients yet. */
  forget(): void {
    this.agents.clear();
  }
}
