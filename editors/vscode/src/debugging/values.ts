// Shows the values of variables behind the lines of a stopped function.
import type { Server } from "../server/server";
import type { Position, Span } from "../state/report";
import type { Stop } from "./told";

export interface Value {
  range: Span;
  text: string;
}

/** Limit of the values behind a line, in characters. */
const LONGEST = 120;

/** The server's values for a stop; empty if it reports none. */
export async function values(server: Server, { uri, range, frame }: Stop): Promise<Value[]> {
  if (uri === undefined || range === undefined || frame === undefined) {
    return [];
  }
  const whole = { start: at(0), end: at(range.start.line + 1) };
  const params = {
    textDocument: { uri },
    range: whole,
    context: { frameId: frame, stoppedLocation: range },
  };
  const told = server.request<(Value | { range: Span })[] | null>("textDocument/inlineValue", params);
  const found = await told.catch(() => []);
  return (found ?? []).filter((each): each is Value => "text" in each);
}

/** The text behind each line. */
export function behind(found: Value[]): Map<number, string> {
  const lines = new Map<number, string>();
  for (const { range, text } of found) {
    const { line } = range.start;
    const before = lines.get(line);
    lines.set(line, before === undefined ? text : `${before}, ${text}`);
  }
  for (const [line, text] of lines) {
    lines.set(line, text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
  }
  return lines;
}

function at(line: number): Position {
  return { line, character: 0 };
}
