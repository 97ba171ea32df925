// Hunks as the server reports them (`tandem/didChangeHunks`), and lookups by line.

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

/** The 0-based lines that a hunk is shown at: for removed lines the one above. */
export function shownAt({ range, kind }: Hunk, lineCount: number): { from: number; to: number } {
  const last = Math.max(lineCount - 1, 0);
  if (kind === "removed") {
    const line = Math.min(Math.max(range.start.line - 1, 0), last);
    return { from: line, to: line };
  }
  const to = Math.min(Math.max(range.end.line - 1, range.start.line), last);
  return { from: Math.min(range.start.line, last), to };
}

/** The hunk shown at a line. */
export function hunkAt(hunks: Hunk[], line: number, lineCount: number): Hunk | undefined {
  return hunks.find((hunk) => {
    const { from, to } = shownAt(hunk, lineCount);
    return from <= line && line <= to;
  });
}

/** The line of the next hunk below (or above), wrapping around. */
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

/** A hunk as arguments of tools. */
export function lines({ old_start, old_lines, new_start, new_lines }: Hunk): object {
  return { old_start, old_lines, new_start, new_lines };
}
