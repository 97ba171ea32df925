// The tool `test`: its parameters for one test, and its result in the editor's test view.
import * as vscode from "vscode";
import type { Found } from "./find";

interface Failure {
  name: string;
  file?: string;
  line?: number;
  message: string;
  expected?: string;
  found?: string;
  output?: string;
}

/** The fields of the result that are read. */
export interface TestResult {
  success: boolean;
  command: string;
  duration_ms: number;
  passed: number;
  failed: number;
  skipped: number;
  failures: Failure[];
  diagnostics?: { file?: string; line?: number; message: string }[];
  output?: string;
}

/** The parameters for a test; undefined for languages whose tests the tool does not find by name. */
export function parameters(
  language: string,
  path: string,
  { name, line }: Found,
): Record<string, unknown> | undefined {
  switch (language) {
    case "python":
    case "rust":
    case "go":
      return { path, line: line + 1 };
    case "javascript":
    case "typescript":
      // Runners compare the names around it, too, with blanks between.
      return { path, filter: `(^| )${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$` };
    default:
      return undefined;
  }
}

/** Shows the result of one test. */
export function report(running: vscode.TestRun, item: vscode.TestItem, result: TestResult): void {
  const { passed, failed, skipped, failures, duration_ms } = result;
  running.appendOutput(`$ ${result.command}\r\n`, undefined, item);
  for (const { output } of failures) {
    if (output) {
      running.appendOutput(`${output.replace(/\r?\n/g, "\r\n")}\r\n`, undefined, item);
    }
  }
  if (failed > 0) {
    running.failed(item, failures.map(message), duration_ms);
  } else if (passed > 0) {
    running.passed(item, duration_ms);
  } else if (skipped > 0) {
    running.skipped(item);
  } else {
    const why = [
      ...(result.diagnostics ?? []).map(({ file, line, message }) => `${file}:${line}: ${message}`),
      result.output ?? "",
    ];
    const text = why.filter((each) => each !== "").join("\n");
    running.errored(item, new vscode.TestMessage(text || "no test ran"), duration_ms);
  }
}

function message({ file, line, message, expected, found }: Failure): vscode.TestMessage {
  const shown =
    expected !== undefined && found !== undefined
      ? vscode.TestMessage.diff(message, expected, found)
      : new vscode.TestMessage(message);
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  if (file !== undefined && line !== undefined && folder) {
    const uri = file.startsWith("/") ? vscode.Uri.file(file) : vscode.Uri.joinPath(folder, file);
    shown.location = new vscode.Location(uri, new vscode.Position(line - 1, 0));
  }
  return shown;
}
