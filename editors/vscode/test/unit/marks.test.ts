import assert from "node:assert/strict";
import { test } from "node:test";
import { changedLines } from "../../src/marks/changed";

const edit = (start: [number, number], end: [number, number], newText: string) => ({
  range: {
    start: { line: start[0], character: start[1] },
    end: { line: end[0], character: end[1] },
  },
  newText,
});
const lines = (...edits: ReturnType<typeof edit>[]) =>
  changedLines({ edit: { documentChanges: [{ textDocument: { uri: "file:///a" }, edits }] } }).get("file:///a");

test("only lines that hold something new are marked", () => {
  // A word within a line.
  assert.deepEqual(lines(edit([3, 4], [3, 8], "x")), [{ from: 3, to: 4 }]);
  // Whole lines, before one that stays, and behind one that stays.
  assert.deepEqual(lines(edit([3, 0], [3, 0], "a\nb\n")), [{ from: 3, to: 5 }]);
  assert.deepEqual(lines(edit([3, 9], [3, 9], "\na\nb")), [{ from: 4, to: 6 }]);
  // Whole lines that went leave a place; what went of a line changes it.
  assert.deepEqual(lines(edit([3, 0], [5, 0], "")), [{ from: 3, to: 3 }]);
  assert.deepEqual(lines(edit([3, 2], [3, 4], "")), [{ from: 3, to: 4 }]);
});

test("lines are counted after all edits, in whichever order they are told", () => {
  const [above, below] = [edit([1, 0], [1, 0], "a\nb\n"), edit([6, 0], [8, 0], "x\n")];
  const expected = [
    { from: 1, to: 3 },
    { from: 8, to: 9 },
  ];
  assert.deepEqual(lines(above, below), expected);
  assert.deepEqual(lines(below, above), expected);
});

test("files that are made or moved have no lines here", () => {
  const made = { kind: "create", uri: "file:///b" } as object;
  assert.equal(changedLines({ edit: { documentChanges: [made] } }).size, 0);
  assert.equal(changedLines({ edit: {} }).size, 0);
});
