// The lenses above each hunk of a review: its state and the possible decisions.
import * as vscode from "vscode";
import { addressOf, SCHEME } from "./address";
import type { Desk } from "./desk";

export class Lenses implements vscode.CodeLensProvider {
  constructor(private readonly desk: Desk) {}

  get onDidChangeCodeLenses(): vscode.Event<void> {
    return this.desk.onDidChangeReviews;
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    const address = addressOf(uri.path);
    const found = address && this.desk.find(address.review);
    const file = address && this.desk.file(address);
    if (!found || !file || address.side !== "patch") {
      return [];
    }
    const { review } = found;
    const { review: id, file: index } = address;
    const lens = (line: number, title: string, command: string, ...args: unknown[]) =>
      new vscode.CodeLens(new vscode.Range(line, 0, line, 0), { title, command, arguments: args });
    const apply =
      review.count === review.total
        ? `Apply all (${review.total})`
        : `Apply ${review.count} of ${review.total}`;
    const top = [
      lens(0, `$(check-all) ${apply}`, "tandem.review.accept", id),
      lens(0, "$(close-all) Reject all", "tandem.review.reject", id),
      lens(0, "$(diff) Side by side", "tandem.review.sides", id, index),
    ];
    if (review.files.length > 1) {
      const next = (index + 1) % review.files.length;
      const where = `file ${index + 1} of ${review.files.length}`;
      top.push(lens(0, `$(arrow-right) Next file (${where})`, "tandem.review.show", id, next));
    }
    const hunks = file.inline().marks.flatMap(({ hunk, from }) => [
      file.taken[hunk]
        ? lens(from, "$(x) Reject this change", "tandem.review.toggle", id, index, hunk)
        : lens(from, "$(check) Accept this change", "tandem.review.toggle", id, index, hunk),
    ]);
    return [...top, ...hunks];
  }

  register(): vscode.Disposable {
    return vscode.languages.registerCodeLensProvider({ scheme: SCHEME }, this);
  }
}
