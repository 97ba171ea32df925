// Finds the first difference of a unified diff.

/** The 0-based line in the old text; undefined without a hunk. */
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
