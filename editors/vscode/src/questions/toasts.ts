// A question as a notification: it takes no keystrokes, and stays until it is answered or withdrawn.
import * as vscode from "vscode";
import type { Question, Questions } from "./desk";
import { DETAILS, labelOf, offered } from "./text";

export class Toasts implements vscode.Disposable {
  /** Questions whose notification the person has neither answered nor closed. */
  private readonly shown = new Set<number>();
  private readonly closed: vscode.Disposable;

  constructor(
    private readonly questions: Questions,
    private readonly chosen: (question: Question, title: string) => void,
    private readonly details: (question: Question) => void,
  ) {
    this.closed = questions.onDidClose(({ id }) => this.withdraw(id));
  }

  dispose(): void {
    this.closed.dispose();
  }

  async show(question: Question): Promise<void> {
    const { id, effect, titles } = question;
    const answers = offered(titles, effect);
    const buttons = answers.map((title) => ({ title: labelOf(title).label, answer: title }));
    const details = { title: DETAILS, answer: undefined };
    // If the text must be read first, Details comes first.
    const items = effect.isWhole ? [...buttons, details] : [details, ...buttons];
    this.shown.add(id);
    // Only error notifications stay; others disappear after ten seconds.
    const chosen = await vscode.window.showErrorMessage(`Tandem asks to ${effect.line}`, ...items);
    if (chosen === undefined) {
      // Closed, or shown again by `withdraw`: it waits in the status bar and the view.
      return;
    }
    this.shown.delete(id);
    if (!this.questions.find(id)) {
      void vscode.window.setStatusBarMessage("Tandem: this question was withdrawn", 5_000);
    } else if (chosen.answer === undefined) {
      this.details(question);
    } else {
      this.chosen(question, chosen.answer);
    }
  }

  /** An extension cannot close one notification, so all are cleared and open questions are shown again. */
  private withdraw(id: number): void {
    if (!this.shown.delete(id)) {
      return;
    }
    void vscode.commands.executeCommand("notifications.hideToasts").then(() => {
      for (const question of this.questions.all()) {
        if (this.shown.has(question.id)) {
          void this.show(question);
        }
      }
    });
  }
}
