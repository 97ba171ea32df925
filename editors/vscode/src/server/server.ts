// Finds the server, starts it when first needed, restarts it when it crashes, and gives up when it keeps
// crashing.
import * as fs from "node:fs";
import * as os from "node:os";
import * as vscode from "vscode";
import { serves } from "../language/coexistence";
import { plain } from "../questions/text";
import { find, INSTALL, type Places } from "./binary";
import { failure } from "./failure";
import type { Link, Phase, Plan } from "./link";
import { Log } from "./log";
import { problem } from "./protocol";
import { MOST, Restarts } from "./restarts";
import { editor, environment, options } from "./settings";
import { refusal } from "./trust";

/** `failed` and `missing` last until the person acts. */
export type State = Phase | "failed" | "missing";

type Notified = (params: unknown) => void;
type Asked = (params: unknown, token: vscode.CancellationToken) => unknown;

export class Server implements vscode.Disposable {
  readonly log = new Log();
  private readonly notifications = new Map<string, Notified>();
  private readonly requests = new Map<string, Asked>();
  private readonly restarts = new Restarts();
  private readonly changed = new vscode.EventEmitter<State>();
  private readonly applies = new vscode.EventEmitter<unknown>();
  private link: Link | undefined;
  private starting: Promise<Link> | undefined;
  private current: State = "stopped";
  /** Counts the starts that a person ended, so that results of an earlier one are recognised as late. */
  private epoch = 0;
  private readonly configured: vscode.Disposable;
  /** Why it is down, for a person. */
  problem: string | undefined;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly load: () => Promise<Pick<typeof import("./client"), "connect">> = loadClient,
  ) {
    this.configured = vscode.workspace.onDidChangeConfiguration((event) => {
      const isDown = this.current === "missing" || this.current === "failed";
      if (isDown && event.affectsConfiguration("tandem.server.path")) {
        // Not while a path is being typed, because failures are shown.
        if ("file" in this.program()) {
          void this.restart().catch(() => {});
        }
      }
    });
  }

  readonly onDidChange = this.changed.event;
  /** Fires before an edit of the server is applied, with the parameters of `workspace/applyEdit`. */
  readonly onWillApply = this.applies.event;

  get state(): State {
    return this.current;
  }

  /** The capabilities of the running server beyond LSP. */
  get version(): string | undefined {
    return this.link?.answer?.serverInfo?.version;
  }

  /** Handlers are registered before the first start and kept across restarts. */
  onNotification<P>(method: string, handler: (params: P) => void): void {
    this.notifications.set(method, handler as Notified);
  }

  onRequest<P>(
    method: string,
    handler: (params: P, token: vscode.CancellationToken) => unknown,
  ): void {
    this.requests.set(method, handler as Asked);
  }

  /** The running server, started if necessary. Rejects if that fails, which was reported. */
  ensure(): Promise<Link> {
    if (this.current === "failed" || this.current === "missing") {
      const message = this.problem ?? "Tandem's server is not running";
      return Promise.reject(failure({ data: { code: "E_UNAVAILABLE", message } }));
    }
    if (this.starting === undefined) {
      const starting = this.start().catch((error: unknown) => {
        if (this.starting === starting) {
          this.starting = undefined;
        }
        throw error;
      });
      this.starting = starting;
    }
    return this.starting;
  }

  async request<R>(method: string, params: unknown, token?: vscode.CancellationToken): Promise<R> {
    const link = await this.ensure();
    return link.request<R>(method, params, token);
  }

  /** Notifies a running server; does not start one. */
  notify(method: string, params: unknown): void {
    this.link?.notify(method, params);
  }

  /**
   * Calls a tool.
   *
   * @throws ToolError
   */
  call<R>(tool: string, args: object, token?: vscode.CancellationToken): Promise<R> {
    return this.execute(tool, "workspace/executeCommand", {
      command: `tandem.${tool}`,
      arguments: [args],
    }, token);
  }

  /**
   * Calls a tool that the person has just started with a button of ours: it needs no approval. `deny`
   * rules apply.
   *
   * @throws ToolError
   */
  callAsPerson<R>(tool: string, args: object, token?: vscode.CancellationToken): Promise<R> {
    return this.execute(tool, "tandem/call", { tool, arguments: args }, token);
  }

  private async execute<R>(
    tool: string,
    method: string,
    params: object,
    token?: vscode.CancellationToken,
  ): Promise<R> {
    const why = refusal(`tandem.${tool}`);
    if (why !== undefined) {
      throw failure({ data: { code: "E_DENIED", message: why } });
    }
    try {
      return await this.request<R>(method, params, token);
    } catch (error) {
      throw failure(error);
    }
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.ensure();
  }

  async stop(): Promise<void> {
    const link = this.link;
    this.epoch += 1;
    this.link = undefined;
    this.starting = undefined;
    this.restarts.forget();
    this.problem = undefined;
    if (link) {
      this.log.info("server stopped");
    }
    // Before waiting for its end: another may have been started by then.
    this.set("stopped");
    await link?.stop();
  }

  dispose(): void {
    this.epoch += 1;
    this.configured.dispose();
    void this.link?.stop();
    this.log.dispose();
    this.changed.dispose();
    this.applies.dispose();
  }

  /** The program, or why there is none. */
  program(): ReturnType<typeof find> {
    const places: Places = {
      setting: vscode.workspace.getConfiguration("tandem").get("server.path", ""),
      path: process.env["PATH"] ?? "",
      home: os.homedir(),
      extension: this.context.extensionPath,
      isWindows: process.platform === "win32",
    };
    return find(places, isProgram);
  }

  private async start(): Promise<Link> {
    const found = this.program();
    if ("missing" in found) {
      this.fail("missing", found.missing);
      void this.sayMissing(found.missing);
      throw new Error(found.missing);
    }
    const epoch = this.epoch;
    this.set("starting");
    this.log.info(`starting ${found.file} (found by: ${found.origin})`);
    let link: Link;
    try {
      const { connect } = await this.load();
      link = await connect(this.plan(found.file, epoch));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (epoch !== this.epoch) {
        throw late();
      }
      if (this.state !== "failed") {
        this.giveUp(`Tandem: ${found.file} could not be started: ${reason}`);
      }
      throw new Error(this.problem);
    }
    if (epoch !== this.epoch) {
      await link.stop();
      throw late();
    }
    const wrong = problem(link.answer, found.file);
    if (wrong !== undefined) {
      await link.stop();
      this.giveUp(wrong);
      throw new Error(wrong);
    }
    this.link = link;
    this.log.info(`server ${this.version ?? "of unknown version"} runs for ${roots()}`);
    this.set("running");
    return link;
  }

  private plan(program: string, epoch: number): Plan {
    return {
      program,
      env: environment(),
      cwd: folder(),
      output: this.log.channel,
      options: options(),
      notifications: this.notifications,
      requests: this.requests,
      serves: (feature, document) => serves(editor, feature, document?.languageId),
      refuses: refusal,
      changed: (phase) => {
        // `start` reports the state until the handshake has been checked.
        if (epoch === this.epoch && this.link && this.state !== "failed") {
          this.set(phase);
        }
      },
      failed: (message) => this.log.warn(message),
      applies: (params) => this.applies.fire(params),
      died: () => (epoch === this.epoch ? this.died() : undefined),
    };
  }

  private died(): number | undefined {
    if (!this.link) {
      // It never ran; `start` reports that.
      return undefined;
    }
    const wait = this.restarts.died(Date.now());
    const next = wait === undefined ? "not restarted" : `restarting in ${wait} ms`;
    this.log.warn(`the server stopped unexpectedly; ${next}`);
    if (wait === undefined) {
      this.link = undefined;
      this.starting = undefined;
      this.giveUp(
        `Tandem's server stopped ${MOST} times in three minutes and was not restarted. ` +
          "Your documents are untouched, saved and unsaved.",
      );
    } else {
      // The client reports it only when it restarts the server.
      this.set("starting");
    }
    return wait;
  }

  private giveUp(message: string): void {
    this.fail("failed", message);
    void this.sayFailed(message);
  }

  private fail(state: "failed" | "missing", message: string): void {
    this.problem = message;
    this.log.error(message);
    this.set(state);
  }

  private set(state: State): void {
    if (this.current !== state) {
      this.current = state;
      void vscode.commands.executeCommand("setContext", "tandem.running", state === "running");
      this.changed.fire(state);
    }
  }

  private async sayMissing(message: string): Promise<void> {
    const chosen = await vscode.window.showErrorMessage(
      plain(message),
      "Copy Install Command",
      "Open Settings",
      "Try Again",
    );
    if (chosen === "Copy Install Command") {
      await vscode.env.clipboard.writeText(INSTALL);
    } else if (chosen === "Open Settings") {
      await vscode.commands.executeCommand("workbench.action.openSettings", "tandem.server.path");
    } else if (chosen === "Try Again") {
      await this.restart().catch(() => {});
    }
  }

  private async sayFailed(message: string): Promise<void> {
    const chosen = await vscode.window.showErrorMessage(plain(message), "Start Again", "Show Log");
    if (chosen === "Start Again") {
      await this.restart().catch(() => {});
    } else if (chosen === "Show Log") {
      this.log.channel.show(true);
    }
  }
}

/** The bundle next to this one, loaded when needed. */
async function loadClient(): Promise<typeof import("./client")> {
  // This is the bundle's name, not the module's.
  const name = "./client.js";
  return require(name) as typeof import("./client");
}

/** The error of a start that the person ended. */
function late(): Error {
  return failure({ data: { code: "E_UNAVAILABLE", message: "the server was stopped while it started" } });
}

function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/** The folders of this window, for the log. */
function roots(): string {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.map(({ uri }) => uri.fsPath).join(", ") || "no folder";
}

function folder(): string | undefined {
  const uri = vscode.workspace.workspaceFolders?.[0]?.uri;
  return uri?.scheme === "file" && fs.existsSync(uri.fsPath) ? uri.fsPath : undefined;
}
