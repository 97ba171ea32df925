// Questions of the server (`window/showMessageRequest`): asked without taking the keyboard away,
// with the whole text before anything can be allowed, and taken back when nobody waits any more.
import * as vscode from "vscode";
import type { Server } from "../server/server";
import { showMessages } from "./say";
import { isDiff, plain, summary } from "./text";

const SCHEME = "tandem-question";
const REVIEW = "Read in Full…";

interface Params {
  type: number;
  message: string;
  actions?: { title: string }[];
}

interface Open {
  id: number;
  message: string;
  titles: string[];
  settle(title: string | undefined): void;
}

export class Questions implements vscode.TextDocumentContentProvider, vscode.CodeLensProvider {
  private readonly open = new Map<number, Open>();
  private readonly changed = new vscode.EventEmitter<void>();
  private last = 0;

  readonly onDidChangeCount = this.changed.event;

  get count(): number {
    return this.open.size;
  }

  register(server: Server): vscode.Disposable {
    server.onRequest<Params>("window/showMessageRequest", (params, token) =>
      this.ask(params, token),
    );
    showMessages(server);
    return vscode.Disposable.from(
      this.changed,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.languages.registerCodeLensProvider({ scheme: SCHEME }, this),
      vscode.commands.registerCommand("tandem.question.answer", (id: number, title: string) =>
        this.open.get(id)?.settle(title),
      ),
      vscode.commands.registerCommand("tandem.question.show", () => this.showAll()),
    );
  }

  private ask(params: Params, token: vscode.CancellationToken): Promise<{ title: string } | null> {
    const titles = (params.actions ?? []).map(({ title }) => title);
    const id = ++this.last;
    return new Promise((resolve) => {
      const settle = (title: string | undefined) => {
        if (this.open.delete(id)) {
          resolve(title === undefined ? null : { title });
          this.changed.fire();
          void close(id);
        }
      };
      token.onCancellationRequested(() => settle(undefined));
      const question = { id, message: params.message, titles, settle };
      this.open.set(id, question);
      this.changed.fire();
      void this.put(question);
    });
  }

  private async put(question: Open): Promise<void> {
    const { message, titles, settle } = question;
    if (titles.length === 0) {
      void vscode.window.showWarningMessage(plain(message));
      return settle(undefined);
    }
    const style = vscode.workspace.getConfiguration("tandem").get("approvals.style");
    const { text, whole } = summary(message);
    if (style === "modal" && message.length < 2_000) {
      const [first = "", ...rest] = message.trim().split("\n");
      const options = { modal: true, detail: rest.join("\n") };
      // Closed without an answer is a no: a modal question cannot be put off.
      return settle(await vscode.window.showWarningMessage(first, options, ...choices(titles)));
    }
    // What has not been read in full can be refused, not allowed.
    const offered = whole ? [...titles, REVIEW] : [REVIEW, ...titles.filter(isNo)];
    const chosen = await vscode.window.showWarningMessage(`Tandem: ${text}`, ...offered);
    if (chosen === REVIEW) {
      await this.show(question);
    } else if (chosen !== undefined) {
      settle(chosen);
    }
    // Put aside: it waits in the status item until the server takes it back.
  }

  private async show({ id, message }: Open): Promise<void> {
    if (!this.open.has(id)) {
      void vscode.window.showInformationMessage("Tandem: the question has been taken back.");
      return;
    }
    const document = await vscode.workspace.openTextDocument(uri(id));
    if (isDiff(message)) {
      await vscode.languages.setTextDocumentLanguage(document, "diff");
    }
    await vscode.window.showTextDocument(document, { preview: false });
    if (!this.open.has(id)) {
      // Taken back while its tab was being opened.
      await close(id);
    }
  }

  private async showAll(): Promise<void> {
    for (const question of this.open.values()) {
      await this.show(question);
    }
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    const question = this.open.get(idOf(uri));
    return question ? `\n${question.message}\n` : "This question has been answered.\n";
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const question = this.open.get(idOf(document.uri));
    const top = new vscode.Range(0, 0, 0, 0);
    return (question?.titles ?? []).map((title) => {
      const icon = isNo(title) ? "$(x)" : "$(check)";
      const args = [question?.id, title];
      return new vscode.CodeLens(top, {
        title: `${icon} ${title}`,
        command: "tandem.question.answer",
        arguments: args,
      });
    });
  }
}

/** A modal dialog has a button of its own for no. */
function choices(titles: string[]): string[] {
  return titles.filter((title) => !isNo(title));
}

function isNo(title: string): boolean {
  return title === "Deny";
}

function uri(id: number): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: `/${id}/Question` });
}

function idOf({ path }: vscode.Uri): number {
  return Number(path.split("/")[1]);
}

async function close(id: number): Promise<void> {
  const shown = uri(id).toString();
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const own = tabs.filter(
    ({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === shown,
  );
  await vscode.window.tabGroups.close(own, true);
}
