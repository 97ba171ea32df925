// Registers the tools for the editor's language models (Copilot's agent mode and others).
import * as vscode from "vscode";
import { failure } from "../server/failure";
import type { Server } from "../server/server";
import { consequences, shown } from "./effects";

interface Row {
  name: string;
  displayName: string;
  tags: string[];
}

const PREFIX = "tandem_";

export function registerTools(
  server: Server,
  context: vscode.ExtensionContext,
): vscode.Disposable {
  // An editor without language models has no such interface.
  const register = vscode.lm?.registerTool as typeof vscode.lm.registerTool | undefined;
  const rows: Row[] = context.extension.packageJSON.contributes.languageModelTools ?? [];
  return vscode.Disposable.from(
    ...(register ? rows.map((row) => register(row.name, tool(server, row))) : []),
  );
}

function tool(server: Server, row: Row): vscode.LanguageModelTool<object> {
  const name = row.name.slice(PREFIX.length);
  const what = consequences(row.tags);
  return {
    prepareInvocation: ({ input }) => ({
      invocationMessage: row.displayName,
      ...(what !== undefined && {
        confirmationMessages: {
          title: row.displayName,
          message: new vscode.MarkdownString(
            `\`${name}\` ${what}.\n\n${fenced(shown(input))}`,
          ),
        },
      }),
    }),
    invoke: async ({ input }, token) => {
      try {
        const result = await server.call(name, input, token);
        return answer(result);
      } catch (error) {
        // The model can act on an error.
        const { code, message, hint, details } = failure(error);
        return answer({ error: { code, message, hint, details } });
      }
    },
  };
}

function answer(value: unknown): vscode.LanguageModelToolResult {
  const text = new vscode.LanguageModelTextPart(JSON.stringify(value));
  return new vscode.LanguageModelToolResult([text]);
}

/** A code fence that is longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}json\n${text}\n${fence}`;
}
