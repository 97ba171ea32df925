// The status bar item, and the language status.
import * as vscode from "vscode";
import { LANGUAGES } from "../language/coexistence";
import type { Server } from "../server/server";
import { present, type Health } from "./present";

/** Data of other parts of the extension. */
export interface Counts {
  questions(): number;
  reviews(): number;
  /** Open questions and reviews, a line each. */
  waiting(): string[];
  calls(): number;
  onDidChange: vscode.Event<void>;
}

export function statusItem(server: Server, counts: Counts): vscode.Disposable {
  const bar = vscode.window.createStatusBarItem("tandem", vscode.StatusBarAlignment.Left, 1);
  bar.name = "Tandem";
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
      reviews: counts.reviews(),
      calls: counts.calls(),
      trusted: vscode.workspace.isTrusted,
    });
    const { ThemeColor } = vscode;
    bar.text = shown.text;
    bar.tooltip = ["Tandem", ...counts.waiting(), ...shown.lines].join("\n");
    bar.command = command(counts.questions(), counts.reviews());
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
  let began = Date.now();
  server.onNotification<Health>("experimental/serverStatus", (told) => {
    const wasRead = health?.quiescent === true;
    if (told.quiescent && !wasRead) {
      server.log.info(`workspace indexed: ${told.files ?? "?"} files, ${Date.now() - began} ms`);
    } else if (!told.quiescent && wasRead) {
      began = Date.now();
      server.log.debug("indexing again");
    }
    if (told.lastError !== undefined && told.lastError !== health?.lastError) {
      server.log.warn(`last error: ${told.lastError}`);
    }
    health = told;
    show();
  });
  show();
  return vscode.Disposable.from(
    bar,
    language,
    server.onDidChange((state) => {
      began = state === "starting" ? Date.now() : began;
      health = state === "running" ? health : undefined;
      show();
    }),
    counts.onDidChange(show),
    vscode.workspace.onDidGrantWorkspaceTrust(show),
  );
}

/** A click opens what waits for the person; if there are several kinds, the menu. */
function command(questions: number, reviews: number): string {
  if (questions > 0 && reviews === 0) {
    return "tandem.question.show";
  }
  return reviews > 0 && questions === 0 ? "tandem.review.show" : "tandem.menu";
}

const SEVERITIES = {
  none: vscode.LanguageStatusSeverity.Information,
  warning: vscode.LanguageStatusSeverity.Warning,
  error: vscode.LanguageStatusSeverity.Error,
};
