// The item in the status bar, and the language status beside it.
import * as vscode from "vscode";
import { LANGUAGES } from "../language/coexistence";
import type { Server } from "../server/server";
import { present, type Health } from "./present";

/** Numbers that other parts know. */
export interface Counts {
  questions(): number;
  calls(): number;
  onDidChange: vscode.Event<void>;
}

export function statusItem(server: Server, counts: Counts): vscode.Disposable {
  const bar = vscode.window.createStatusBarItem("tandem", vscode.StatusBarAlignment.Left, 1);
  bar.name = "Tandem";
  bar.command = "tandem.menu";
  const selector = LANGUAGES.map((language) => ({ language }));
  const language = vscode.languages.createLanguageStatusItem("tandem", selector);
  language.name = "Tandem";
  language.command = { command: "tandem.menu", title: "Menu" };
  let health: Health | undefined;
  const show = () => {
    const shown = present({
      state: server.state,
      problem: server.problem,
      version: server.version,
      health: server.state === "running" ? health : undefined,
      questions: counts.questions(),
      calls: counts.calls(),
      trusted: vscode.workspace.isTrusted,
    });
    const { ThemeColor } = vscode;
    bar.text = shown.text;
    bar.tooltip = ["Tandem", ...shown.lines].join("\n");
    bar.backgroundColor =
      shown.severity === "none"
        ? undefined
        : new ThemeColor(`statusBarItem.${shown.severity}Background`);
    bar.show();
    language.text = shown.text;
    language.detail = shown.lines.join(" · ");
    language.busy = server.state === "starting" || health?.quiescent === false;
    language.severity = SEVERITIES[shown.severity];
  };
  server.onNotification<Health>("experimental/serverStatus", (told) => {
    health = told;
    show();
  });
  show();
  return vscode.Disposable.from(
    bar,
    language,
    server.onDidChange((state) => {
      health = state === "running" ? health : undefined;
      show();
    }),
    counts.onDidChange(show),
    vscode.workspace.onDidGrantWorkspaceTrust(show),
  );
}

const SEVERITIES = {
  none: vscode.LanguageStatusSeverity.Information,
  warning: vscode.LanguageStatusSeverity.Warning,
  error: vscode.LanguageStatusSeverity.Error,
};
