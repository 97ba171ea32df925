// The server's reports about debugged programs, started by you or by an agent.
import type { Span } from "../state/report";

export interface Stop {
  session: number;
  program?: string;
  reason: string;
  text?: string;
  frame?: number;
  function?: string;
  uri?: string;
  range?: Span;
  /** 1-based. */
  line?: number;
}

export interface Output {
  session: number;
  text: string;
  lost?: number;
}

export interface Exit {
  session: number;
  exitCode?: number | null;
  error?: string;
}

/** A stop, in one line. */
export function stopLine({ program, reason, function: name, uri, line, text }: Stop): string {
  const file = uri === undefined ? undefined : decodeURIComponent(uri.split("/").at(-1) ?? "");
  const where = file === undefined ? "" : ` at ${file}${line === undefined ? "" : `:${line}`}`;
  const inside = name === undefined ? "" : ` in ${name}`;
  const why = text === undefined ? reason : `${reason}: ${text}`;
  // The name of the file at the end of a command line.
  const what = program?.split("/").at(-1) ?? "the program";
  return `${what} stopped${where}${inside} (${why})`;
}
