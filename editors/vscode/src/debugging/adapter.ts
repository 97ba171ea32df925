// Connects the editor's own debugger through `tandem dap`, if the program has that command.
import * as vscode from "vscode";
import { say } from "../questions/say";
import { hasCommand } from "../server/ability";
import type { Server } from "../server/server";

interface Configuration extends vscode.DebugConfiguration {
  /** The server's session to show, as listed by `debug_sessions`. */
  session?: number;
  /** Whether it can be controlled from here as well. */
  full?: boolean;
}

export class Adapter
  implements vscode.DebugAdapterDescriptorFactory, vscode.DebugConfigurationProvider
{
  constructor(private readonly server: Server) {}

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      vscode.debug.registerDebugAdapterDescriptorFactory("tandem", this),
      vscode.debug.registerDebugConfigurationProvider("tandem", this),
      vscode.commands.registerCommand("tandem.debug.session", () => this.join().catch(say)),
    );
  }

  /** Whether the editor's debugger can be used at all. */
  async isThere(): Promise<boolean> {
    const found = this.server.program();
    if ("missing" in found) {
      return false;
    }
    return hasCommand(found.file, "dap");
  }

  /** `F5` in a file without a configuration debugs that file. */
  resolveDebugConfiguration(
    _folder: vscode.WorkspaceFolder | undefined,
    configuration: Configuration,
  ): Configuration | undefined {
    const document = vscode.window.activeTextEditor?.document;
    if (!configuration.type && document?.uri.scheme === "file") {
      const program = document.uri.fsPath;
      return { type: "tandem", request: "launch", name: "Debug this file", program };
    }
    return configuration;
  }

  provideDebugConfigurations(): Configuration[] {
    return [{ type: "tandem", request: "launch", name: "Debug this file", program: "${file}" }];
  }

  async createDebugAdapterDescriptor({
    configuration,
    workspaceFolder,
  }: vscode.DebugSession): Promise<vscode.DebugAdapterDescriptor> {
    const found = this.server.program();
    if ("missing" in found) {
      throw new Error(found.missing);
    }
    if (!(await this.isThere())) {
      throw new Error(`Tandem: ${found.file} has no \`dap\`: update the server to debug with it.`);
    }
    await this.server.ensure();
    const folder = (workspaceFolder ?? vscode.workspace.workspaceFolders?.[0])?.uri.fsPath;
    const { session, full } = configuration as Configuration;
    const args = [
      "dap",
      ...(folder === undefined ? [] : ["--workspace", folder]),
      ...(session === undefined ? [] : ["--session", String(session)]),
      ...(session !== undefined && full === true ? ["--full"] : []),
    ];
    return new vscode.DebugAdapterExecutable(found.file, args);
  }

  /** Shows a program that an agent debugs in the editor's debugger. */
  private async join(): Promise<void> {
    interface Session {
      session: number;
      program?: string;
      state: string;
    }
    const { sessions } = await this.server.call<{ sessions: Session[] }>("debug_sessions", {});
    const items = sessions.map(({ session, program, state }) => ({
      label: `${session}: ${program ?? ""}`,
      description: state,
      session,
    }));
    const [only] = items;
    const chosen =
      items.length === 1 ? only : await vscode.window.showQuickPick(items, { title: "Debug" });
    if (chosen) {
      const configuration: Configuration = {
        ...{ type: "tandem", request: "attach", name: chosen.label },
        session: chosen.session,
      };
      await vscode.debug.startDebugging(undefined, configuration);
    } else if (items.length === 0) {
      void vscode.window.showInformationMessage("Tandem: nothing is being debugged.");
    }
  }
}
