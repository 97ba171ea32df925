// The languages that this extension formats. If a language has two formatters, the editor asks which one to
// use and formats nothing on save until it is answered, so ours is registered only if there is no other.
import type { LanguageClient } from "vscode-languageclient/node";
import * as vscode from "vscode";
import { formats } from "../language/coexistence";
import { editor } from "./settings";

// The client library has a signature for each; here they are the same.
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

  /** Called after `initialize`: earlier registrations are gone. */
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
