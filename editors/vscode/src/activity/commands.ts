// Commands for a tool call: undo it, go to its change, show its complete record.
import * as vscode from "vscode";
import { say } from "../questions/say";
import { plain } from "../questions/text";
import { failure } from "../server/failure";
import type { Server } from "../server/server";
import { firstChange } from "./jump";
import type { Activity, Node } from "./tree";

interface Undone {
  summary: string;
  changed: boolean;
  skipped?: string[];
}

/** Details of a refused undo. */
interface Conflicts {
  action: string;
  conflicts: { path: string; can_merge: boolean }[];
}

interface Action {
  id: string;
  files: { path: string }[];
}

export function registerActivity(server: Server, activity: Activity): vscode.Disposable {
  const view = vscode.window.createTreeView("tandem.activity", { treeDataProvider: activity });
  const { registerCommand } = vscode.commands;
  return vscode.Disposable.from(
    view,
    registerCommand("tandem.activity.refresh", () => activity.refresh()),
    registerCommand("tandem.activity.undo", (node?: Node) => undo(server, node?.call.action)),
    registerCommand("tandem.undoLast", () => undo(server)),
    registerCommand("tandem.activity.jump", (node: Node) => jump(server, node)),
    registerCommand("tandem.activity.details", (node: Node) => details(server, node)),
  );
}

/** Undoes an action, by default the last one that is not undone, and says which it was. */
export async function undo(
  server: Server,
  action?: string,
  onConflict?: "skip" | "merge",
): Promise<void> {
  try {
    const { summary, changed, skipped } = await server.call<Undone>("undo_action", {
      ...(action === undefined ? {} : { action }),
      ...(onConflict === undefined ? {} : { on_conflict: onConflict }),
    });
    const kept = skipped?.length ? `; unchanged: ${skipped.join(", ")}` : "";
    void vscode.window.setStatusBarMessage(
      changed ? `Tandem: undone: ${summary}${kept}` : `Tandem: already undone: ${summary}`,
      5_000,
    );
  } catch (error) {
    const refused = onConflict === undefined ? conflictsOf(error) : undefined;
    if (refused === undefined) {
      say(error);
      return;
    }
    const how = await offer(refused);
    if (how !== undefined) {
      await undo(server, refused.action, how);
    }
  }
}

/** The files changed since an action, if they are why it was not undone. */
function conflictsOf(error: unknown): Conflicts | undefined {
  const { code, details } = failure(error);
  const found = details as Partial<Conflicts> | undefined;
  return code === "E_CONFLICT" && found?.action && found.conflicts?.length
    ? (found as Conflicts)
    : undefined;
}

/** Lets the person choose what to do with files that were changed after an action. */
async function offer({ conflicts }: Conflicts): Promise<"skip" | "merge" | undefined> {
  const [first, ...rest] = conflicts;
  const more = rest.length ? ` and ${rest.length} more` : "";
  const merge = "Keep Both Changes";
  const skip = "Undo the Other Files";
  const buttons = conflicts.every(({ can_merge }) => can_merge) ? [merge, skip] : [skip];
  const chosen = await vscode.window.showWarningMessage(
    plain(`Tandem: changed after the action: ${first?.path}${more}. Nothing was undone.`),
    ...buttons,
  );
  return chosen === merge ? "merge" : chosen === skip ? "skip" : undefined;
}

/** Opens a changed file, at its change if that is known. */
async function jump(server: Server, { call, file }: Node): Promise<void> {
  const target = file ?? call.files?.[0];
  if (target === undefined) {
    return;
  }
  const uri = vscode.Uri.parse(target);
  try {
    const line = await changedLine(server, uri, call.action);
    const editor = await vscode.window.showTextDocument(uri, { preview: true });
    if (line !== undefined) {
      const at = new vscode.Position(line, 0);
      editor.selection = new vscode.Selection(at, at);
      editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenter);
    }
  } catch (error) {
    say(error);
  }
}

/** The 0-based line of the first difference that a dry run of `undo_action` returns. */
async function changedLine(
  server: Server,
  uri: vscode.Uri,
  action: string | undefined,
): Promise<number | undefined> {
  if (action === undefined) {
    return undefined;
  }
  try {
    const dry = await server.call<Undone & { files: { path: string; diff?: string }[] }>(
      "undo_action",
      { action, dry_run: true },
    );
    const relative = vscode.workspace.asRelativePath(uri, false);
    return firstChange(dry.files.find(({ path }) => path === relative)?.diff);
  } catch {
    // Changed since, or undone: show the file from its start.
    return undefined;
  }
}

async function details(server: Server, { call }: Node): Promise<void> {
  const shown: Record<string, unknown> = { ...call };
  try {
    const { calls } = await server.call<{ calls: { id: number }[] }>("get_audit_log", {
      limit: 200,
    });
    shown["record"] = calls.find(({ id }) => String(id) === String(call.id));
    if (call.action !== undefined) {
      const { actions } = await server.call<{ actions: Action[] }>("get_action_history", {
        limit: 200,
      });
      shown["change"] = actions.find(({ id }) => id === call.action);
    }
  } catch (error) {
    shown["record"] = failure(error).sentence;
  }
  const content = JSON.stringify(shown, undefined, 2);
  const document = await vscode.workspace.openTextDocument({ language: "json", content });
  await vscode.window.showTextDocument(document, { preview: true });
}
