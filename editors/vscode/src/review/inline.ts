// A text that shows removed lines above added ones, hunk by hunk.
import type { Place } from "./lines";

/** A hunk's 0-based line ranges in this text, without the ends. */
export interface Mark {
  hunk: number;
  from: number;
  oldTo: number;
  to: number;
}

export function inline(
  before: string[],
  after: string[],
  hunks: Place[],
): { text: string; marks: Mark[] } {
  const shown: string[] = [];
  // One by one: passing each line as an argument would overflow the stack.
  const put = (all: string[], from: number, to: number) => {
    for (let line = from; line < to; line++) {
      shown.push(all[line] ?? "");
    }
  };
  const marks: Mark[] = [];
  let at = 0;
  hunks.forEach((hunk, index) => {
    put(before, at, hunk.oldFrom);
    const from = shown.length;
    put(before, hunk.oldFrom, hunk.oldTo);
    const oldTo = shown.length;
    put(after, hunk.newFrom, hunk.newTo);
    marks.push({ hunk: index, from, oldTo, to: shown.length });
    at = hunk.oldTo;
  });
  put(before, at, before.length);
  const text = shown.map((line) => line.replace(/[\r\n]+$/, "")).join("\n");
  return { text: `${text}\n`, marks };
}
