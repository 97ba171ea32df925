// Previous versions of files: documents at `tandem-git:/REVISION//PATH`.
import * as vscode from "vscode";
import { failure } from "../server/failure";
import type { Server } from "../server/server";
import type { Gutter } from "./gutter";

const SCHEME = "tandem-git";

/** The error codes for a file that a revision does not have. */
const ABSENT = ["E_NO_MATCH", "E_FILE_NOT_FOUND"];

/** A file in a revision; `:0` is the index. */
export function revisionOf(uri: vscode.Uri, revision: string): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: `/${revision.replaceAll("/", "%2F")}/${uri.path}` });
}

export class Revisions implements vscode.TextDocumentContentProvider {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;

  constructor(private readonly server: Server) {}

  /**
   * A file that did not exist then has an empty text, so that a diff shows all of it as new. Other errors
   * are thrown: an empty file would be a wrong answer.
   */
  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    try {
      const params = { uri: uri.toString() };
      const { text } = await this.server.request<{ text: string }>(
        "tandem/textDocumentContent",
        params,
      );
      return text;
    } catch (error) {
      const why = failure(error);
      if (ABSENT.includes(why.code)) {
        return "";
      }
      throw why;
    }
  }

  register(gutter: Gutter): vscode.Disposable {
    return vscode.Disposable.from(
      this.changed,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      gutter.onDidChange((told) => {
        const { path } = vscode.Uri.parse(told);
        vscode.workspace.textDocuments
          .filter(({ uri }) => uri.scheme === SCHEME && uri.path.endsWith(`/${path}`))
          .forEach(({ uri }) => this.changed.fire(uri));
      }),
    );
  }
}
