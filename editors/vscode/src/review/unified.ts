// Parses the unified diffs of one file that tools return, and applies them exactly.
import { lines, type Hunk } from "./lines";

/** A hunk with its context lines. */
export interface DiffHunk extends Hunk {
  before: string[];
  after: string[];
  /** The numbers of context lines at its start and end. */
  lead: number;
  tail: number;
}

const HEAD = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** The hunks of a diff; undefined if it cannot be parsed completely. */
export function parse(diff: string): DiffHunk[] | undefined {
  const all = lines(diff);
  const found: DiffHunk[] = [];
  for (let at = 0; at < all.length; ) {
    const head = HEAD.exec(all[at] ?? "");
    at += 1;
    if (head) {
      const hunk = empty(head);
      const end = read(hunk, all, at);
      if (end === undefined) {
        return undefined;
      }
      found.push(hunk);
      at = end;
    }
  }
  return found;
}

function empty([, oldStart, oldLines, newStart, newLines]: RegExpExecArray): DiffHunk {
  return {
    old_start: Number(oldStart),
    old_lines: Number(oldLines ?? 1),
    new_start: Number(newStart),
    new_lines: Number(newLines ?? 1),
    ...{ before: [], after: [], lead: 0, tail: 0 },
  };
}

/** Reads the lines of a hunk and returns their end. */
function read(hunk: DiffHunk, all: string[], from: number): number | undefined {
  let signs = "";
  let at = from;
  const isWhole = () =>
    hunk.before.length === hunk.old_lines && hunk.after.length === hunk.new_lines;
  for (; at < all.length && (!isWhole() || all[at]?.startsWith("\\")); at++) {
    const line = all[at] ?? "";
    // A line that lost its leading blank is an empty context line.
    const sign = /^[\r\n]/.test(line) ? " " : (line[0] ?? "");
    const text = sign === line[0] ? line.slice(1) : line;
    if (sign === "\\") {
      // "No newline at end of file" is about the line above.
      const sides = { " ": [hunk.before, hunk.after], "-": [hunk.before], "+": [hunk.after] };
      for (const side of sides[signs.at(-1) as keyof typeof sides] ?? []) {
        side.push((side.pop() ?? "").replace(/\r?\n$/, ""));
      }
      continue;
    }
    if (sign === " " || sign === "-") {
      hunk.before.push(text);
    }
    if (sign === " " || sign === "+") {
      hunk.after.push(text);
    }
    if (!" -+".includes(sign)) {
      return undefined;
    }
    signs += sign;
  }
  hunk.lead = /^ */.exec(signs)?.[0].length ?? 0;
  hunk.tail = hunk.lead < signs.length ? (/ *$/.exec(signs)?.[0].length ?? 0) : 0;
  return isWhole() ? at : undefined;
}

/** The text after all hunks; undefined if they do not match it exactly. */
export function apply(text: string, hunks: DiffHunk[]): string | undefined {
  const all = lines(text);
  // Passing each line as an argument would overflow the stack.
  const result: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    const start = hunk.old_lines === 0 ? hunk.old_start : hunk.old_start - 1;
    const fits = hunk.before.every((line, index) => all[start + index] === line);
    if (start < at || !fits) {
      return undefined;
    }
    result.push(all.slice(at, start).join(""), hunk.after.join(""));
    at = start + hunk.before.length;
  }
  return result.join("") + all.slice(at).join("");
}

/** A hunk without its context lines. */
export function bare(hunk: DiffHunk): Hunk {
  const side = (start: number, count: number) => {
    const rest = count - hunk.lead - hunk.tail;
    // An empty side has the number of the line before it.
    const first = (count === 0 ? start + 1 : start) + hunk.lead;
    return [rest === 0 ? first - 1 : first, rest] as const;
  };
  const [old_start, old_lines] = side(hunk.old_start, hunk.old_lines);
  const [new_start, new_lines] = side(hunk.new_start, hunk.new_lines);
  return { old_start, old_lines, new_start, new_lines };
}
