import assert from "node:assert/strict";
import { test } from "node:test";
import { compose, lines, places } from "../../src/review/lines";
import { inline } from "../../src/review/inline";
import { Review, type ReviewedFile } from "../../src/review/review";

const before = "a\r\nb\r\nc\nd\n";
const after = "a\r\nB\r\nc\nd\nnew";
const hunks = [
  { old_start: 2, old_lines: 1, new_start: 2, new_lines: 1 },
  { old_start: 4, old_lines: 0, new_start: 5, new_lines: 1 },
];
const file = (): ReviewedFile => ({ uri: "file:///a", old_text: before, new_text: after, hunks });

test("lines keep their ends", () => {
  for (const text of ["", "\n", "a", "a\n\nb", "\r\r\n\n", before, after]) {
    assert.equal(lines(text).join(""), text);
  }
  assert.deepEqual(lines("a\r\n\rb"), ["a\r\n", "\r", "b"]);
});

test("hunks compose either text, and each by itself", () => {
  const found = places(lines(before), lines(after), hunks);
  assert.ok(found);
  const composed = (...taken: number[]) =>
    compose(lines(before), lines(after), found, (hunk) => taken.includes(hunk));
  assert.equal(composed(), before);
  assert.equal(composed(0, 1), after);
  assert.equal(composed(0), "a\r\nB\r\nc\nd\n");
  assert.equal(composed(1), "a\r\nb\r\nc\nd\nnew");
});

test("an empty side may be numbered by the line before or by its own", () => {
  const [first, second] = hunks;
  assert.ok(first && second);
  const own = [first, { ...second, old_start: 5 }];
  assert.deepEqual(
    places(lines(before), lines(after), own),
    places(lines(before), lines(after), hunks),
  );
});

test("hunks that do not lead to the new text make one", () => {
  const wrong = { ...file(), hunks: [{ old_start: 1, old_lines: 1, new_start: 1, new_lines: 1 }] };
  const review = new Review({ id: 1, tool: "apply_edit", title: "t", files: [wrong] });
  assert.equal(review.total, 1);
  assert.equal(review.files[0]?.result(), after);
  assert.deepEqual(review.files[0]?.hunks(), [0]);
});

test("what goes stands above what comes", () => {
  const found = places(lines(before), lines(after), hunks) ?? [];
  const { text, marks } = inline(lines(before), lines(after), found);
  assert.equal(text, "a\nb\nB\nc\nd\nnew\n");
  assert.deepEqual(marks, [
    { hunk: 0, from: 1, oldTo: 2, to: 3 },
    { hunk: 1, from: 5, oldTo: 5, to: 6 },
  ]);
});

test("a verdict names hunks only where some are left out", () => {
  const review = new Review({ id: 1, tool: "apply_edit", title: "t", files: [file()] });
  assert.deepEqual(review.verdict(), { accept: true });
  review.files[0]?.toggle(0);
  assert.deepEqual(review.verdict(), {
    accept: true,
    files: [{ uri: "file:///a", hunks: [1] }],
  });
  review.files[0]?.takeAll(false);
  assert.deepEqual(review.verdict(), { accept: false });
});

test("a file that is only moved is taken or left out", () => {
  const moved: ReviewedFile = {
    ...{ uri: "file:///b", action: "moved", moved_to: "file:///c" },
    ...{ old_text: "x\n", new_text: "x\n", hunks: [] },
  };
  const review = new Review({ id: 1, tool: "apply_edit", title: "t", files: [file(), moved] });
  review.files[0]?.takeAll(false);
  assert.deepEqual(review.verdict(), { accept: true, files: [{ uri: "file:///b", hunks: [] }] });
  review.files[0]?.takeAll(true);
  review.files[1]?.takeAll(false);
  assert.deepEqual(review.verdict(), {
    accept: true,
    files: [{ uri: "file:///a", hunks: [0, 1] }],
  });
});

test("a file of very many lines is composed and shown", () => {
  const many = Array.from({ length: 300_000 }, (_, line) => `${line}\n`);
  const changed = many.with(150_000, "changed\n");
  const place = { oldFrom: 150_000, oldTo: 150_001, newFrom: 150_000, newTo: 150_001 };
  assert.equal(compose(many, changed, [place], () => true), changed.join(""));
  assert.equal(inline(many, changed, [place]).marks[0]?.to, 150_002);
});
