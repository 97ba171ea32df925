// The open questions.
import * as vscode from "vscode";
import { effect, type Effect, type Params } from "./text";

export interface Question {
  id: number;
  /** The call in one line. */
  effect: Effect;
  /** The complete text. */
  message: string;
  /** The titles of the server's answers. */
  titles: string[];
  /** Whether its complete text was shown. */
  isRead: boolean;
}

interface Open extends Question {
  resolve(title: string | undefined): void;
}

export class Questions implements vscode.Disposable {
  private readonly open = new Map<number, Open>();
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly closed = new vscode.EventEmitter<Question>();
  private last = 0;

  /** A question was added, answered, withdrawn or read. */
  readonly onDidChange = this.changed.event;
  /** A question was answered or withdrawn. */
  readonly onDidClose = this.closed.event;

  get count(): number {
    return this.open.size;
  }

  /** Oldest first. */
  all(): Question[] {
    return [...this.open.values()];
  }

  find(id: number): Question | undefined {
    return this.open.get(id);
  }

  /** The answer's title; undefined if it was withdrawn. */
  ask(
    params: Params,
    token: vscode.CancellationToken,
  ): { question: Question; answer: Promise<string | undefined> } {
    const id = ++this.last;
    const titles = (params.actions ?? []).map(({ title }) => title);
    const question = { id, effect: effect(params), message: params.message, titles, isRead: false };
    const answer = new Promise<string | undefined>((resolve) => {
      this.open.set(id, Object.assign(question, { resolve }));
      token.onCancellationRequested(() => this.settle(id, undefined));
    });
    this.fire();
    return { question, answer };
  }

  /** Whether it was still open. */
  settle(id: number, title: string | undefined): boolean {
    const found = this.open.get(id);
    if (!found) {
      return false;
    }
    this.open.delete(id);
    found.resolve(title);
    this.closed.fire(found);
    this.fire();
    return true;
  }

  /** Records that its complete text is shown, which permits all answers. */
  read(id: number): void {
    const found = this.open.get(id);
    if (found && !found.isRead) {
      found.isRead = true;
      this.fire();
    }
  }

  dispose(): void {
    this.changed.dispose();
    this.closed.dispose();
  }

  private fire(): void {
    void vscode.commands.executeCommand("setContext", "tandem.asking", this.open.size > 0);
    this.changed.fire();
  }
}
