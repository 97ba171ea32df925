// Where a unified diff begins to differ.

/** The 0-based line, on the side that the diff leads from; undefined without a hunk. */
export function firstChange(diff: string | undefined): number | undefined {
  const all = diff?.split("\n") ?? [];
  const head = all.findIndex((line) => line.startsWith("@@ "));
  const start = /^@@ -(\d+)/.exec(all[head] ?? "")?.[1];
  if (start === undefined) {
    return undefined;
  }
  const body = all.slice(head + 1);
  const before = body.findIndex((line) => line.startsWith("+") || line.startsWith("-"));
  return Math.max(Number(start) - 1 + Math.max(before, 0), 0);
}
