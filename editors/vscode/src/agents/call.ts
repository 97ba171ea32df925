// The command that calls a tool with typed arguments, for authors of plugins.
import * as vscode from "vscode";
import { failure } from "../server/failure";
import type { Server } from "../server/server";

interface Row {
  name: string;
  userDescription: string;
  inputSchema: { required?: string[] };
}

export function registerCall(server: Server, context: vscode.ExtensionContext): vscode.Disposable {
  const rows: Row[] = context.extension.packageJSON.contributes.languageModelTools ?? [];
  return vscode.commands.registerCommand("tandem.callTool", async () => {
    const items = rows.map(({ name, userDescription, inputSchema }) => ({
      label: name.replace("tandem_", ""),
      detail: userDescription,
      required: inputSchema.required ?? [],
    }));
    const chosen = await vscode.window.showQuickPick(items, { title: "Call a tool" });
    if (!chosen) {
      return;
    }
    const value = JSON.stringify(Object.fromEntries(chosen.required.map((name) => [name, ""])));
    const text = await vscode.window.showInputBox({
      title: `${chosen.label}: its arguments, as JSON`,
      value,
      validateInput: problem,
    });
    if (text !== undefined) {
      await show(await answer(server, chosen.label, text));
    }
  });
}

function problem(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? undefined : "This is not an object.";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function answer(server: Server, tool: string, text: string): Promise<unknown> {
  try {
    return await server.call(tool, JSON.parse(text) as object);
  } catch (error) {
    const { code, message, hint, details } = failure(error);
    return { code, message, hint, details };
  }
}

async function show(value: unknown): Promise<void> {
  const content = JSON.stringify(value, undefined, 2);
  const document = await vscode.workspace.openTextDocument({ language: "json", content });
  await vscode.window.showTextDocument(document, { preview: true });
}
