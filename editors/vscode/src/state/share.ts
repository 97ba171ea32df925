// Saves a tool's edit of a document that several windows show, if the document was saved before, so that it
// reaches the others. A window with unsaved text keeps it, and its editor reports the conflict.
import * as vscode from "vscode";
import type { Call } from "../activity/log";
import { changedLines, type ApplyEdit } from "../marks/changed";
import type { Server } from "../server/server";
import { quotedAlike } from "../server/uri";
import type { Windows } from "./windows";

export class Sharing {
  /** Documents that had no unsaved changes before an edit. */
  private readonly saved = new Set<string>();

  constructor(
    private readonly server: Server,
    private readonly windows: Windows,
  ) {}

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      this.windows.register(),
      this.server.onWillApply((params) => {
        for (const uri of changedLines(params as ApplyEdit).keys()) {
          if (documentOf(uri)?.isDirty === false) {
            this.saved.add(uri);
          }
        }
      }),
    );
  }

  /** Called when a call has ended: saves its changes if another window shows the folder. */
  async ended({ files }: Call): Promise<void> {
    for (const uri of (files ?? []).map(quotedAlike)) {
      const document = this.saved.delete(uri) ? documentOf(uri) : undefined;
      if (document?.isDirty && (await this.windows.share(document.fileName))) {
        await document.save();
      }
    }
  }
}

function documentOf(uri: string): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((each) => each.uri.toString() === uri);
}
