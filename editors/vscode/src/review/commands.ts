// The commands of a review, and the handler of `tandem/review`.
import * as vscode from "vscode";
import { plain } from "../questions/text";
import type { Server } from "../server/server";
import type { Desk } from "./desk";
import { Lenses } from "./lenses";
import { InPlace } from "./place";
import { paint } from "./paint";
import type { Proposal, Verdict } from "./review";
import { SCHEME } from "./address";
import { showAll, showPatch, showSides } from "./show";
import { ReviewTree, type Node } from "./tree";

export function registerReview(server: Server, desk: Desk): vscode.Disposable {
  server.onRequest<Proposal>("tandem/review", (proposal, token) => asked(desk, proposal, token));
  /** Lenses pass numbers, the tree passes a node, the command palette passes nothing. */
  const on = (name: string, act: (id: number, file?: number, hunk?: number) => unknown) =>
    vscode.commands.registerCommand(name, (id?: number | Node, file?: number, hunk?: number) => {
      const node = typeof id === "object" ? id : { id, file, hunk };
      const found = desk.find(node.id);
      if (!found && node.id === undefined && desk.all().length > 1) {
        // The person chooses one there.
        return vscode.commands.executeCommand("tandem.review.focus");
      }
      return found && act(found.id, node.file, node.hunk);
    });
  const files = (id: number, file?: number) => {
    const all = desk.find(id)?.review.files ?? [];
    return all.filter((_, index) => file === undefined || index === file);
  };
  const take = (value: boolean) => (id: number, file?: number) => {
    files(id, file).forEach((each) => each.takeAll(value));
    desk.decided(id);
  };
  return vscode.Disposable.from(
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, desk),
    new Lenses(desk).register(),
    new ReviewTree(desk).register(),
    paint(desk),
    new InPlace(desk).register(),
    on("tandem.review.accept", (id) => {
      const found = desk.find(id);
      found?.settle(found.review.verdict());
    }),
    on("tandem.review.reject", (id) => desk.find(id)?.settle({ accept: false })),
    on("tandem.review.acceptFile", take(true)),
    on("tandem.review.rejectFile", take(false)),
    on("tandem.review.toggle", (id, file = 0, hunk = 0) => {
      files(id, file).forEach((each) => each.toggle(hunk));
      desk.decided(id);
    }),
    on("tandem.review.show", (id, file = 0, hunk = 0) => showPatch(desk, id, file, hunk)),
    on("tandem.review.sides", (id, file = 0) => showSides(desk, id, file)),
    on("tandem.review.all", (id) => showAll(desk, id)),
  );
}

/** A notification, because it takes no keystrokes; the person opens the view when they want to. */
async function asked(
  desk: Desk,
  proposal: Proposal,
  token: vscode.CancellationToken,
): Promise<Verdict> {
  if (desk.wasSeen(proposal)) {
    return { accept: true };
  }
  const { id, verdict } = desk.submit(proposal, token);
  void offer(desk, id);
  return verdict;
}

async function offer(desk: Desk, id: number): Promise<void> {
  const found = desk.find(id);
  if (!found) {
    return;
  }
  const { review } = found;
  const [first] = review.files;
  const where =
    review.files.length === 1 && first
      ? vscode.workspace.asRelativePath(vscode.Uri.parse(first.file.uri))
      : `${review.files.length} files`;
  const changes = `${review.total} change${review.total === 1 ? "" : "s"}`;
  const chosen = await vscode.window.showInformationMessage(
    plain(`Tandem: ${review.proposal.title} (${changes} in ${where})`),
    "Review…",
    "Apply",
    "Reject",
  );
  if (chosen === "Review…") {
    await showPatch(desk, id, 0);
  } else if (chosen === "Apply") {
    desk.find(id)?.settle(review.verdict());
  } else if (chosen === "Reject") {
    desk.find(id)?.settle({ accept: false });
  }
}
