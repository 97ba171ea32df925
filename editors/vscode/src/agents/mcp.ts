// `tandem mcp` for the editor's agent mode: one server for each folder.
import * as vscode from "vscode";
import { hasCommand } from "../server/ability";
import type { Server } from "../server/server";

const ID = "tandem.mcp";

export function registerMcp(server: Server): vscode.Disposable {
  // An editor without language models has no such interface.
  const register = vscode.lm?.registerMcpServerDefinitionProvider as
    | typeof vscode.lm.registerMcpServerDefinitionProvider
    | undefined;
  if (!register) {
    return vscode.Disposable.from();
  }
  const changed = new vscode.EventEmitter<void>();
  const { workspace } = vscode;
  return vscode.Disposable.from(
    changed,
    register(ID, {
      onDidChangeMcpServerDefinitions: changed.event,
      provideMcpServerDefinitions: () => definitions(server),
    }),
    workspace.onDidChangeWorkspaceFolders(() => changed.fire()),
    workspace.onDidGrantWorkspaceTrust(() => changed.fire()),
    workspace.onDidChangeConfiguration((event) => {
      const names = ["tandem.mcp", "tandem.languageModelTools", "tandem.server.path"];
      if (names.some((name) => event.affectsConfiguration(name))) {
        changed.fire();
      }
    }),
    server.onDidChange(() => changed.fire()),
  );
}

/** The MCP servers to offer: none if the program lacks `mcp`. */
export async function definitions(server: Server): Promise<vscode.McpStdioServerDefinition[]> {
  const found = server.program();
  // The server runs commands, according to the workspace's files.
  if (!wanted() || !vscode.workspace.isTrusted || "missing" in found) {
    return [];
  }
  if (!(await hasCommand(found.file, "mcp"))) {
    return [];
  }
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders
    .filter(({ uri }) => uri.scheme === "file")
    .map(({ name, uri }) => {
      const label = folders.length === 1 ? "Tandem" : `Tandem (${name})`;
      const args = ["mcp", "--workspace", uri.fsPath];
      const definition = new vscode.McpStdioServerDefinition(label, found.file, args, {}, server.version);
      definition.cwd = uri;
      return definition;
    });
}

/** Not needed by a model that has the tools as the editor's own. */
function wanted(): boolean {
  const settings = vscode.workspace.getConfiguration("tandem");
  const choice = settings.get<string>("mcp.offer", "auto");
  return choice === "on" || (choice === "auto" && !settings.get("languageModelTools", true));
}
