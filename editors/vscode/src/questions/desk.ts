// The questions that wait for an answer.
import * as vscode from "vscode";
import { effect, type Effect, type Params } from "./text";

export interface Question {
  id: number;
  /** What is to be done, in one line. */
  effect: Effect;
  /** All that there is to read. */
  message: string;
  /** The answers, as the server calls them. */
  titles: string[];
  /** Its text has been shown whole. */
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

  /** One was asked, answered, taken back or read. */
  readonly onDidChange = this.changed.event;
  /** One was answered or taken back. */
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

  /** The title of the answer; undefined where nobody waits for it any more. */
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

  /** Its whole text is shown: now all answers may be given. */
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
