// Which languages we offer to format. Two formatters for a language make the editor ask which one is
// meant, and format nothing on saving until it is told: so ours is offered only where it is the one.
import type { LanguageClient } from "vscode-languageclient/node";
import * as vscode from "vscode";
import { formats } from "../language/coexistence";
import { editor } from "./settings";

// The client has a signature for each; to us they are alike.
type Method = "textDocument/formatting";
const METHODS = ["textDocument/formatting", "textDocument/rangeFormatting"] as Method[];

export class Formatting implements vscode.Disposable {
  private readonly registered = new Map<string, string>();
  private readonly watched: vscode.Disposable;

  constructor(private readonly client: LanguageClient) {
    this.watched = vscode.Disposable.from(
      vscode.extensions.onDidChange(() => this.register()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("tandem.features.formatting")) {
          this.register();
        }
      }),
    );
  }

  /** The client has shaken hands; what it registered before is gone. */
  begin(): void {
    this.registered.clear();
    this.register();
  }

  dispose(): void {
    this.watched.dispose();
  }

  private register(): void {
    if (!this.client.initializeResult) {
      return;
    }
    const schemes = ["file", "untitled"];
    const selector = formats(editor).flatMap((language) =>
      schemes.map((scheme) => ({ language, scheme })),
    );
    for (const method of METHODS) {
      const feature = this.client.getFeature(method);
      const before = this.registered.get(method);
      if (before !== undefined) {
        feature.unregister(before);
      }
      const id = `tandem.${method}`;
      feature.register({ id, registerOptions: { documentSelector: selector } });
      this.registered.set(method, id);
    }
  }
}
