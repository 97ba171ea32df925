// The interface of a running server, which hides the client library.
import type * as vscode from "vscode";
import type { Answer } from "./protocol";

export interface Link {
  /** The answer to `initialize`. */
  readonly answer: Answer | undefined;
  request<R>(method: string, params: unknown, token?: vscode.CancellationToken): Promise<R>;
  notify(method: string, params: unknown): void;
  stop(): Promise<void>;
}

export type Phase = "starting" | "running" | "stopped";

/** What a connection needs. */
export interface Plan {
  program: string;
  env: NodeJS.ProcessEnv;
  cwd: string | undefined;
  output: vscode.OutputChannel;
  /** Initialization options. */
  options: unknown;
  notifications: Map<string, (params: unknown) => void>;
  requests: Map<string, (params: unknown, token: vscode.CancellationToken) => unknown>;
  /** Whether this extension provides a feature for a document. */
  serves(feature: Feature, document: { languageId: string } | undefined): boolean;
  /** Why a command must not be sent; undefined if it may. */
  refuses(command: string): string | undefined;
  changed(phase: Phase): void;
  /** Logs a failed request. */
  failed(message: string): void;
  /** Called before an edit of the server is applied, with the parameters of `workspace/applyEdit`. */
  applies(params: unknown): void;
  /** Called when the server died: milliseconds until its restart, undefined for none. */
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
  "checks",
] as const;

/** Language features that another extension may serve as well. */
export type Feature = (typeof FEATURES)[number];
