// The calls of tools that the activity view shows.

/** A call, as `tandem/didCallTool` and `tandem/activity` tell it. */
export interface Call {
  id: string | number;
  tool: string;
  title: string;
  state: "running" | "done" | "failed" | "denied";
  /** Who called: the editor, an agent's name. */
  client?: string;
  /** Milliseconds since 1970. */
  started: number;
  duration_ms?: number;
  files?: string[];
  /** What `undo_action` takes. */
  action?: string;
  error?: unknown;
}

/** As many as are shown. */
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

  /** A call began or ended. What ended is not taken back to running. */
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

  /** What is on record, with what has been told since. */
  replace(recorded: Call[]): void {
    const older = this.calls;
    this.calls = recorded.slice(0, MOST);
    older.filter(({ state }) => state === "running").forEach((call) => this.told(call));
  }

  /** The server has gone: what ran did not end well. */
  lost(): void {
    this.calls = this.calls.map((call) =>
      call.state === "running" ? { ...call, state: "failed", error: "the server stopped" } : call,
    );
  }
}

/** A line about how a call went; `editor` is the name that its own calls bear. */
export function outcome({ client, ...call }: Call, editor?: string): string {
  const took = call.duration_ms === undefined ? undefined : duration(call.duration_ms);
  return [call.state, took, client === editor ? undefined : client].filter((part) => part !== undefined).join(" · ");
}

export function duration(milliseconds: number): string {
  return milliseconds < 1_000
    ? `${Math.round(milliseconds)} ms`
    : `${(milliseconds / 1_000).toFixed(1)} s`;
}

/** The text of an error, in whichever form it was told. */
export function errorText(error: unknown): string | undefined {
  if (error === undefined || error === null || typeof error === "string") {
    return error ?? undefined;
  }
  const told = error as { code?: unknown; message?: unknown };
  return [told.code, told.message].filter((part) => typeof part === "string").join(": ");
}
