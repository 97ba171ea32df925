// One text that shows what goes above what comes, hunk by hunk.
import type { Place } from "./lines";

/** What is shown of a hunk, by 0-based lines of the shown text, ends not included. */
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
  const marks: Mark[] = [];
  let at = 0;
  hunks.forEach((hunk, index) => {
    shown.push(...before.slice(at, hunk.oldFrom));
    const from = shown.length;
    shown.push(...before.slice(hunk.oldFrom, hunk.oldTo));
    const oldTo = shown.length;
    shown.push(...after.slice(hunk.newFrom, hunk.newTo));
    marks.push({ hunk: index, from, oldTo, to: shown.length });
    at = hunk.oldTo;
  });
  shown.push(...before.slice(at));
  const text = shown.map((line) => line.replace(/[\r\n]+$/, "")).join("\n");
  return { text: `${text}\n`, marks };
}
