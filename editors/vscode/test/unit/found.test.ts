import assert from "node:assert/strict";
import { test } from "node:test";
import { FoundReports } from "../../src/state/found";

const at = { line: 1, character: 2 };
const range = { start: at, end: at };

test("each source is reported by itself, and ours is not", () => {
  const reports = new FoundReports();
  const found = [
    { range, severity: 0, message: "wrong type", source: "ts", code: 2322 },
    { range, severity: 1, message: "unused", source: "eslint" },
    { range, severity: 0, message: "ours", source: "tandem" },
    { range, severity: 3, message: "of nobody" },
  ];
  const sent = reports.reports("file:///a.ts", 7, found);
  assert.deepEqual(
    sent.map(({ source, version, exact, diagnostics }) => [source, version, exact, diagnostics.length]),
    [
      ["ts", 7, false, 1],
      ["eslint", 7, false, 1],
      ["language server", 7, false, 1],
    ],
  );
  assert.deepEqual(sent[0]?.diagnostics, [{ range, severity: 1, message: "wrong type", code: 2322 }]);
});

test("a source with nothing left is reported, until the file is closed", () => {
  const reports = new FoundReports();
  reports.reports("file:///a.ts", 1, [{ range, severity: 0, message: "x", source: "ts" }]);
  const [sent] = reports.reports("file:///a.ts", 2, []);
  assert.deepEqual([sent?.source, sent?.version, sent?.diagnostics], ["ts", 2, []]);
  assert.deepEqual(reports.reports("file:///b.ts", 1, []), []);
  reports.forget("file:///a.ts");
  assert.deepEqual(reports.reports("file:///a.ts", 3, []), []);
});
