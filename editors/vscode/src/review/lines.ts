// Splits texts into lines with their ends, and locates the hunks between two texts.

export interface Hunk {
  /** 1-based; for a hunk without old lines the line before it, as in a unified diff. */
  old_start: number;
  old_lines: number;
  new_start: number;
  new_lines: number;
}

/** A hunk as 0-based line ranges `[from, to)` in the old and new text. */
export interface Place {
  oldFrom: number;
  oldTo: number;
  newFrom: number;
  newTo: number;
}

/** Lines with their ends, which concatenate to the text. */
export function lines(text: string): string[] {
  return text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];
}

/**
 * The positions of hunks, in order; undefined if they do not lead from one text to the other. An empty
 * side is numbered as in unified diffs, or by its own line, whichever fits the other side.
 */
export function places(before: string[], after: string[], hunks: Hunk[]): Place[] | undefined {
  const found: Place[] = [];
  let [old, now] = [0, 0];
  for (const hunk of hunks) {
    const starts = (start: number, count: number) =>
      count === 0 ? [start, start - 1] : [start - 1];
    const place = starts(hunk.old_start, hunk.old_lines)
      .flatMap((oldFrom) =>
        starts(hunk.new_start, hunk.new_lines).map((newFrom) => ({ oldFrom, newFrom })),
      )
      .find(({ oldFrom, newFrom }) => oldFrom >= old && oldFrom - old === newFrom - now);
    if (!place) {
      return undefined;
    }
    [old, now] = [place.oldFrom + hunk.old_lines, place.newFrom + hunk.new_lines];
    found.push({ ...place, oldTo: old, newTo: now });
  }
  const rebuilt = compose(before, after, found, () => true);
  return rebuilt === after.join("") ? found : undefined;
}

/** The old text with the accepted hunks. */
export function compose(
  before: string[],
  after: string[],
  hunks: Place[],
  taken: (hunk: number) => boolean,
): string {
  const parts: string[] = [];
  let at = 0;
  // A call with a line an argument would overflow the stack.
  const put = (all: string[], from: number, to?: number) => parts.push(all.slice(from, to).join(""));
  hunks.forEach((hunk, index) => {
    put(before, at, hunk.oldFrom);
    if (taken(index)) {
      put(after, hunk.newFrom, hunk.newTo);
    } else {
      put(before, hunk.oldFrom, hunk.oldTo);
    }
    at = hunk.oldTo;
  });
  put(before, at);
  return parts.join("");
}
