// Reviews that await a decision, and the documents that show them.
import * as vscode from "vscode";
import { quotedAlike } from "../server/uri";
import { addressOf, pathOf, SCHEME, type Address, type Side } from "./address";
import { Review, type FileReview, type Proposal, type Verdict } from "./review";

/** Milliseconds between the result of a call and the report of its end. */
const RECENT = 1_000;

export interface Waiting {
  id: number;
  review: Review;
  settle(verdict: Verdict): void;
}

export class Desk implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly waiting = new Map<number, Waiting>();
  private readonly content = new vscode.EventEmitter<vscode.Uri>();
  private readonly changed = new vscode.EventEmitter<void>();
  private last = 0;
  private readonly seen = new Set<Map<string, string>>();
  /** When documents received changes that the person had accepted, in milliseconds. */
  private accepted = new Map<string, number>();

  /** The text of a side changed. */
  readonly onDidChange = this.content.event;
  /** A review was added, ended or partly decided. */
  readonly onDidChangeReviews = this.changed.event;

  /** Shows a proposal and returns the answer. A cancel rejects it. */
  submit(proposal: Proposal, token: vscode.CancellationToken): { id: number; verdict: Promise<Verdict> } {
    const id = ++this.last;
    const verdict = new Promise<Verdict>((resolve) => {
      const settle = (given: Verdict) => {
        if (this.waiting.delete(id)) {
          resolve(given);
          this.fire();
          void this.close(id);
        }
      };
      this.waiting.set(id, { id, review: new Review(proposal), settle });
      token.onCancellationRequested(() => settle({ accept: false }));
      this.fire();
    });
    return { id, verdict };
  }

  /** While `act` runs, changes to these texts count as reviewed and are not shown again. */
  async knowing<R>(texts: Map<string, string>, act: () => Promise<R>): Promise<R> {
    const known = new Map([...texts].map(([uri, text]) => [quotedAlike(uri), text]));
    this.seen.add(known);
    try {
      return await act();
    } finally {
      this.seen.delete(known);
      const now = Date.now();
      this.accepted = new Map([...known.keys()].map((uri) => [uri, now]));
    }
  }

  /** Whether the person has just accepted exactly this change. */
  wasSeen({ files }: Proposal): boolean {
    const isIn = (texts: Map<string, string>) =>
      files.every(({ uri, new_text }) => texts.get(quotedAlike(uri)) === new_text);
    return files.length > 0 && [...this.seen].some(isIn);
  }

  /** Whether the person has just reviewed a change of these documents. */
  hasShown(uris: string[]): boolean {
    const isShown = (uri: string) =>
      [...this.seen].some((texts) => texts.has(uri)) ||
      Date.now() - (this.accepted.get(uri) ?? 0) < RECENT;
    return uris.length > 0 && uris.every(isShown);
  }

  dispose(): void {
    this.content.dispose();
    this.changed.dispose();
  }

  all(): Waiting[] {
    return [...this.waiting.values()];
  }

  /** The review with this number, else the one shown, else the only one. */
  find(id?: number): Waiting | undefined {
    if (id !== undefined) {
      return this.waiting.get(id);
    }
    const shown = vscode.window.activeTextEditor?.document.uri;
    const address = shown?.scheme === SCHEME ? addressOf(shown.path) : undefined;
    const all = this.all();
    return this.waiting.get(address?.review ?? NaN) ?? (all.length === 1 ? all[0] : undefined);
  }

  file({ review, file }: Address): FileReview | undefined {
    return this.waiting.get(review)?.review.files[file];
  }

  /** Reports that hunks were accepted or excluded. */
  decided(id: number): void {
    this.waiting.get(id)?.review.files.forEach((_, file) => {
      const after = this.uri({ review: id, side: "after", file });
      if (after) {
        this.content.fire(after);
      }
    });
    this.fire();
  }

  uri(address: Address): vscode.Uri | undefined {
    const file = this.file(address);
    return file && vscode.Uri.from({ scheme: SCHEME, path: pathOf(address, file.file.uri) });
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    const address = addressOf(uri.path);
    const file = address && this.file(address);
    return file ? TEXTS[address.side](file) : "This review has ended.\n";
  }

  private fire(): void {
    void vscode.commands.executeCommand("setContext", "tandem.reviewing", this.waiting.size > 0);
    this.changed.fire();
  }

  /** Closes the tabs that show a review. */
  async close(id: number): Promise<void> {
    const own = (uri: vscode.Uri) => uri.scheme === SCHEME && addressOf(uri.path)?.review === id;
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    await vscode.window.tabGroups.close(
      tabs.filter(({ input, label }) => {
        if (input instanceof vscode.TabInputText) {
          return own(input.uri);
        }
        if (input instanceof vscode.TabInputTextDiff) {
          return own(input.modified);
        }
        // The API has no type for the multi-file diff editor.
        return input === undefined && label.startsWith(`Review ${id}:`);
      }),
      true,
    );
  }
}

const TEXTS: Record<Side, (file: FileReview) => string> = {
  patch: (file) => file.inline().text,
  before: (file) => file.file.old_text,
  after: (file) => file.result(),
};
