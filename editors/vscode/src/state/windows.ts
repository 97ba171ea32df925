// Finds other windows on the same folders: each window leaves a file for the others.
import * as fs from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";

/** Limit of files read: more are left over from crashes and removed over time. */
const MOST = 100;

export class Windows {
  private readonly folder: string;
  private readonly own = `${process.pid}.json`;

  constructor(context: vscode.ExtensionContext) {
    this.folder = path.join(context.globalStorageUri.fsPath, "windows");
  }

  register(): vscode.Disposable {
    void this.note();
    return vscode.Disposable.from(
      vscode.workspace.onDidChangeWorkspaceFolders(() => void this.note()),
      { dispose: () => void fs.rm(path.join(this.folder, this.own), { force: true }) },
    );
  }

  /** Whether another window has the folder that a file is in. */
  async share(file: string): Promise<boolean> {
    const names = await fs.readdir(this.folder).catch(() => []);
    for (const name of names.filter((each) => each !== this.own).slice(0, MOST)) {
      const note = path.join(this.folder, name);
      if (!isAlive(Number(/^(\d+)\.json$/.exec(name)?.[1]))) {
        await fs.rm(note, { force: true }).catch(() => {});
      } else if ((await folders(note)).some((each) => file.startsWith(each + path.sep))) {
        return true;
      }
    }
    return false;
  }

  private async note(): Promise<void> {
    const own = (vscode.workspace.workspaceFolders ?? [])
      .filter(({ uri }) => uri.scheme === "file")
      .map(({ uri }) => uri.fsPath);
    try {
      await fs.mkdir(this.folder, { recursive: true });
      await fs.writeFile(path.join(this.folder, this.own), JSON.stringify(own));
    } catch {
      // A window that cannot write its file counts as absent.
    }
  }
}

function isAlive(process_id: number): boolean {
  try {
    return Number.isInteger(process_id) && process.kill(process_id, 0);
  } catch {
    return false;
  }
}

async function folders(note: string): Promise<string[]> {
  try {
    const told: unknown = JSON.parse(await fs.readFile(note, "utf8"));
    return Array.isArray(told) ? told.filter((each) => typeof each === "string") : [];
  } catch {
    return [];
  }
}
