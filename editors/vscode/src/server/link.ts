// What the extension sees of a running server; the client library is behind it.
import type * as vscode from "vscode";
import type { Answer } from "./protocol";

export interface Link {
  /** What the server said of itself. */
  readonly answer: Answer | undefined;
  request<R>(method: string, params: unknown, token?: vscode.CancellationToken): Promise<R>;
  notify(method: string, params: unknown): void;
  stop(): Promise<void>;
}

export type Phase = "starting" | "running" | "stopped";

/** What a connection is made of. */
export interface Plan {
  program: string;
  env: NodeJS.ProcessEnv;
  cwd: string | undefined;
  output: vscode.OutputChannel;
  /** Options that the server is started with. */
  options: unknown;
  notifications: Map<string, (params: unknown) => void>;
  requests: Map<string, (params: unknown, token: vscode.CancellationToken) => unknown>;
  /** Whether a feature is ours for a document. */
  serves(feature: Feature, document: { languageId: string } | undefined): boolean;
  /** Why a command may not be sent; undefined where it may. */
  refuses(command: string): string | undefined;
  changed(phase: Phase): void;
  /** What goes to the log of a request that failed. */
  failed(message: string): void;
  /** The server is about to edit (`workspace/applyEdit`, with these parameters). */
  applies(params: unknown): void;
  /** Milliseconds until it is started again after it died; undefined where it stays down. */
  died(): number | undefined;
}

export const FEATURES = [
  "completion",
  "hover",
  "signatureHelp",
  "navigation",
  "references",
  "symbols",
  "rename",
  "codeActions",
  "diagnostics",
  "inlayHints",
  "codeLens",
  "links",
  "syntax",
  "formatting",
  "inlineValues",
] as const;

/** Language features that another extension may serve as well. */
export type Feature = (typeof FEATURES)[number];
