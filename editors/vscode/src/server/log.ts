// The extension's log: a line for each event that matters to a person.
import * as vscode from "vscode";

const LEVELS = ["error", "warn", "info", "debug"] as const;

export type Level = (typeof LEVELS)[number];

export class Log implements vscode.Disposable {
  /** The channel, which also takes the server's log. */
  readonly channel = vscode.window.createOutputChannel("Tandem", "log");

  error(text: string): void {
    this.write("error", text);
  }

  warn(text: string): void {
    this.write("warn", text);
  }

  info(text: string): void {
    this.write("info", text);
  }

  debug(text: string): void {
    this.write("debug", text);
  }

  dispose(): void {
    this.channel.dispose();
  }

  private write(level: Level, text: string): void {
    const set = vscode.workspace.getConfiguration("tandem").get<Level>("log.level", "info");
    if (LEVELS.indexOf(level) <= Math.max(LEVELS.indexOf(set), 0)) {
      // Line breaks are replaced, so that each event stays on one line.
      const line = text.replace(/\s*[\r\n]+\s*/g, " ⏎ ");
      this.channel.appendLine(`${new Date().toISOString()} [${level}] ${line}`);
    }
  }
}
