// Reviews a plugin's patch before it is applied: a dry run, a review, then the accepted part.
import * as vscode from "vscode";
import { failure, ToolError } from "../server/failure";
import type { Server } from "../server/server";
import type { Desk } from "./desk";
import { patches, type Dry } from "./partial";
import type { ReviewedFile } from "./review";
import { showPatch } from "./show";
import { apply, bare, parse } from "./unified";

export interface Outcome {
  /** False if the person rejected it or it changes nothing. */
  applied: boolean;
  /** The id for `tandem.undo_action`. */
  action?: string;
  /** The tool's result, if it was called. */
  result?: unknown;
}

/**
 * Shows what `apply_edit` would do with these arguments, and applies what the person accepts.
 *
 * @throws ToolError the tool's error; `E_CONFLICT` if the text changed during the review;
 * `E_TOO_LARGE` if it cannot be shown completely
 */
export async function previewPatch(
  server: Server,
  desk: Desk,
  args: object,
  title = "a patch",
  token?: vscode.CancellationToken,
): Promise<Outcome> {
  const dry = await server.call<Dry>("apply_edit", { ...args, dry_run: true }, token);
  if (!dry.changed) {
    return { applied: false, result: dry };
  }
  const files = await reviewed(dry);
  const source = new vscode.CancellationTokenSource();
  const stop = token?.onCancellationRequested(() => source.cancel());
  try {
    const proposal = { id: "preview", tool: "apply_edit", title, files };
    const { id, verdict } = desk.submit(proposal, source.token);
    const review = desk.find(id)?.review;
    await showPatch(desk, id, 0);
    const { accept, files: chosen } = await verdict;
    if (!accept) {
      return { applied: false };
    }
    const again = await server.call<Dry>("apply_edit", { ...args, dry_run: true });
    if (JSON.stringify(again.files) !== JSON.stringify(dry.files)) {
      throw new ToolError("E_CONFLICT", "the text has changed since the patch was shown");
    }
    const accepted = chosen ? { edits: patches(dry, chosen.map(({ hunks }) => hunks)) } : args;
    const texts = new Map(review?.files.map((file) => [file.file.uri, file.result()]));
    const result = await desk.knowing(texts, () => server.call<Dry>("apply_edit", accepted));
    return { applied: result.changed, action: result.action, result };
  } finally {
    stop?.dispose();
    // A review that could not be shown completely must not stay open.
    source.cancel();
    source.dispose();
  }
}

async function reviewed(dry: Dry): Promise<ReviewedFile[]> {
  if (dry.files_left_out) {
    throw new ToolError("E_TOO_LARGE", "the patch changes more files than can be shown");
  }
  return Promise.all(dry.files.filter(({ changed }) => changed).map(one));
}

async function one({ path, action, moved_to, diff }: Dry["files"][number]): Promise<ReviewedFile> {
  const uri = addressed(path);
  const hunks = parse(diff);
  const document = action === "created" ? undefined : await vscode.workspace.openTextDocument(uri);
  const text = document?.getText() ?? "";
  const after = hunks && apply(text, hunks);
  if (after === undefined) {
    throw failure({
      data: { code: "E_TOO_LARGE", message: `the change of ${path} is too large to show` },
    });
  }
  return {
    uri: uri.toString(),
    ...(action !== undefined && { action }),
    ...(moved_to !== undefined && { moved_to: addressed(moved_to).toString() }),
    language: document?.languageId,
    version: document?.version,
    old_text: text,
    new_text: after,
    hunks: hunks?.map(bare) ?? [],
  };
}

/** Paths in results are relative to the first folder, and absolute in others. */
function addressed(path: string): vscode.Uri {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  return folder && !path.startsWith("/")
    ? vscode.Uri.joinPath(folder, path)
    : vscode.Uri.file(path);
}
