// The view "Approvals": each open question in full, with its answers. It does not take the focus, so the
// action that needs approval (formatting, for instance) is not interrupted.
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { Questions } from "./desk";
import { isDiff, labelOf } from "./text";
import { page } from "./page";

const ID = "tandem.approvals";

/** Messages from the page. */
interface Told {
  ready?: true;
  id?: number;
  title?: string;
}

export class ApprovalsView implements vscode.WebviewViewProvider {
  private view: vscode.WebviewView | undefined;
  private isReady = false;
  /** The question to scroll to. */
  private wanted: number | undefined;

  constructor(
    private readonly questions: Questions,
    private readonly chosen: (id: number, title: string) => void,
  ) {}

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      vscode.window.registerWebviewViewProvider(ID, this),
      this.questions.onDidChange(() => this.send()),
    );
  }

  /** Opens the view at a question; takes the focus only if `taken`. */
  async show(id: number, taken: boolean): Promise<void> {
    this.wanted = id;
    await vscode.commands.executeCommand(`${ID}.focus`, { preserveFocus: !taken });
    this.send();
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    this.isReady = false;
    view.webview.options = { enableScripts: true, localResourceRoots: [] };
    view.webview.onDidReceiveMessage(({ ready, id, title }: Told) => {
      if (ready) {
        this.isReady = true;
        this.send();
      } else if (id !== undefined && title !== undefined) {
        this.chosen(id, title);
        void vscode.commands.executeCommand("workbench.action.focusActiveEditorGroup");
      }
    });
    view.onDidChangeVisibility(() => this.send());
    view.onDidDispose(() => {
      this.view = undefined;
    });
    view.webview.html = page(randomBytes(16).toString("hex"));
  }

  private send(): void {
    const { view } = this;
    if (!view) {
      return;
    }
    const { count } = this.questions;
    view.badge = count > 0 ? { value: count, tooltip: `${count} waiting for you` } : undefined;
    if (!this.isReady || !view.visible) {
      return;
    }
    const questions = this.questions.all().map(({ id, effect, message, titles }) => ({
      ...{ id, line: effect.line, message, isDiff: isDiff(message) },
      answers: titles.map((title) => ({ title, ...labelOf(title) })),
    }));
    void view.webview.postMessage({ questions, show: this.wanted });
    this.wanted = undefined;
    questions.forEach(({ id }) => this.questions.read(id));
  }
}
