// Reports a formatter that the project is set up for but that is not installed.
import * as vscode from "vscode";
import { failure } from "./failure";

const COPY = "Copy Install Command";

/** Those already reported in this window, because files are formatted at each save. */
const reported = new Set<string>();

/** Says how to install the formatter, if a missing one is why formatting failed. */
export function sayMissing(error: unknown): boolean {
  const { code, details } = failure(error);
  const { formatter, install } = (details ?? {}) as { formatter?: string; install?: string };
  if (code !== "E_UNAVAILABLE" || formatter === undefined || install === undefined) {
    return false;
  }
  const what = `Tandem: this project is formatted by ${formatter}, which is not installed`;
  if (reported.has(formatter)) {
    void vscode.window.setStatusBarMessage(`$(warning) ${what}`, 8_000);
    return true;
  }
  reported.add(formatter);
  void vscode.window.showWarningMessage(`${what}. Install it: ${install}`, COPY).then((chosen) => {
    if (chosen === COPY) {
      void vscode.env.clipboard.writeText(install);
    }
  });
  return true;
}
