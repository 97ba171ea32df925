// A tool's edit of a text that several windows show: it is saved where the text was, so that it reaches
// the others. A window with unsaved text of its own keeps it, and its editor reports the conflict.
import * as vscode from "vscode";
import type { Call } from "../activity/log";
import { changedLines, type ApplyEdit } from "../marks/changed";
import type { Server } from "../server/server";
import { quotedAlike } from "../server/uri";
import type { Windows } from "./windows";

export class Sharing {
  /** Documents that an edit found without unsaved changes. */
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

  /** A call has ended: what it changed is saved, where another window waits for it. */
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
