// The tool calls that the activity view shows.

/** A call, as `tandem/didCallTool` and `tandem/activity` report it. */
export interface Call {
  id: string | number;
  tool: string;
  title: string;
  state: "running" | "done" | "failed" | "denied";
  /** The caller: the editor, or an agent's name. */
  client?: string;
  /** Milliseconds since 1970. */
  started: number;
  duration_ms?: number;
  files?: string[];
  /** The id for `undo_action`. */
  action?: string;
  error?: unknown;
}

/** The number of calls shown. */
export const MOST = 200;

export class Log {
  private calls: Call[] = [];

  /** Newest first. */
  all(): readonly Call[] {
    return this.calls;
  }

  running(): number {
    return this.calls.filter(({ state }) => state === "running").length;
  }

  /** Adds or updates a call. One that has ended does not become running again. */
  told(call: Call): void {
    const at = this.calls.findIndex(({ id }) => id === call.id);
    const known = this.calls[at];
    if (known) {
      if (call.state !== "running" || known.state === "running") {
        this.calls[at] = { ...known, ...call };
      }
      return;
    }
    this.calls = [call, ...this.calls].slice(0, MOST);
  }

  /** Merges the audit log with what was reported since. */
  replace(recorded: Call[]): void {
    const older = this.calls;
    this.calls = recorded.slice(0, MOST);
    older.filter(({ state }) => state === "running").forEach((call) => this.told(call));
  }

  /** The server has ended: running calls have failed. */
  lost(): void {
    this.calls = this.calls.map((call) =>
      call.state === "running" ? { ...call, state: "failed", error: "the server stopped" } : call,
    );
  }
}

/** A call's outcome in a line; `editor` is the client name of the editor's own calls. */
export function outcome({ client, ...call }: Call, editor?: string): string {
  const took = call.duration_ms === undefined ? undefined : duration(call.duration_ms);
  return [call.state, took, client === editor ? undefined : client].filter((part) => part !== undefined).join(" · ");
}

export function duration(milliseconds: number): string {
  return milliseconds < 1_000
    ? `${Math.round(milliseconds)} ms`
    : `${(milliseconds / 1_000).toFixed(1)} s`;
}

/** The text of an error in any of its forms. */
export function errorText(error: unknown): string | undefined {
  if (error === undefined || error === null || typeof error === "string") {
    return error ?? undefined;
  }
  const told = error as { code?: unknown; message?: unknown };
  return [told.code, told.message].filter((part) => typeof part === "string").join(": ");
}
