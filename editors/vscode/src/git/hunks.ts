// Hunks as the server tells them (`tandem/didChangeHunks`), and the one at a line.

export interface Hunk {
  kind: "added" | "changed" | "removed";
  range: { start: { line: number }; end: { line: number } };
  old_start: number;
  old_lines: number;
  new_start: number;
  new_lines: number;
}

export interface Told {
  uri: string;
  version: number | null;
  state: string;
  hunks: Hunk[];
  staged: Hunk[];
}

/** The 0-based lines that a hunk is shown at: where lines went, the one above. */
export function shownAt({ range, kind }: Hunk, lineCount: number): { from: number; to: number } {
  const last = Math.max(lineCount - 1, 0);
  if (kind === "removed") {
    const line = Math.min(Math.max(range.start.line - 1, 0), last);
    return { from: line, to: line };
  }
  const to = Math.min(Math.max(range.end.line - 1, range.start.line), last);
  return { from: Math.min(range.start.line, last), to };
}

/** The hunk that a line is shown in. */
export function hunkAt(hunks: Hunk[], line: number, lineCount: number): Hunk | undefined {
  return hunks.find((hunk) => {
    const { from, to } = shownAt(hunk, lineCount);
    return from <= line && line <= to;
  });
}

/** The line of the next hunk below (or above), around the end. */
export function neighbour(
  hunks: Hunk[],
  line: number,
  lineCount: number,
  step: 1 | -1,
): number | undefined {
  const starts = hunks.map((hunk) => shownAt(hunk, lineCount).from);
  const further = starts.filter((start) => (step > 0 ? start > line : start < line));
  return step > 0 ? (further[0] ?? starts[0]) : (further.at(-1) ?? starts.at(-1));
}

/** What tools take for a hunk. */
export function lines({ old_start, old_lines, new_start, new_lines }: Hunk): object {
  return { old_start, old_lines, new_start, new_lines };
}
