import assert from "node:assert/strict";
import { test } from "node:test";
import { places, lines } from "../../src/review/lines";
import { patches, type Dry } from "../../src/review/partial";
import { apply, bare, parse } from "../../src/review/unified";
import { firstChange } from "../../src/activity/jump";

const text = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten";
const diff = `--- a/x
+++ b/x
@@ -1,4 +1,5 @@
 one
-two
+TWO
+and a half
 three
 four
@@ -8,3 +9,2 @@
 eight
-nine
-ten
\\ No newline at end of file
+ten
`;
const after = "one\nTWO\nand a half\nthree\nfour\nfive\nsix\nseven\neight\nten\n";

test("a diff is read and applied to the byte", () => {
  const hunks = parse(diff);
  assert.ok(hunks);
  assert.equal(apply(text, hunks), after);
  assert.equal(apply(text.replace("three", "3"), hunks), undefined);
});

test("hunks without their surroundings are places of the two texts", () => {
  const hunks = (parse(diff) ?? []).map(bare);
  assert.deepEqual(hunks, [
    { old_start: 2, old_lines: 1, new_start: 2, new_lines: 2 },
    { old_start: 9, old_lines: 2, new_start: 10, new_lines: 1 },
  ]);
  assert.ok(places(lines(text), lines(after), hunks));
});

test("new and emptied files are hunks too", () => {
  const made = parse("--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n") ?? [];
  assert.equal(apply("", made), "a\nb\n");
  assert.ok(places([], lines("a\nb\n"), made.map(bare)));
  const gone = parse("@@ -1 +0,0 @@\n-a\n") ?? [];
  assert.equal(apply("a\n", gone), "");
});

test("a diff that is cut short is not read", () => {
  assert.equal(parse(diff.slice(0, diff.indexOf(" three"))), undefined);
  assert.equal(parse("@@ -1,2 +1,2 @@\n a\n*b\n"), undefined);
});

test("lines that look like heads stand in hunks", () => {
  const hunks = parse("@@ -1 +1 @@\n--- a\n+++ b\n") ?? [];
  assert.equal(apply("-- a\n", hunks), "++ b\n");
});

test("what is accepted becomes patches with their surroundings", () => {
  const dry: Dry = { changed: true, files: [{ path: "x", changed: true, diff }] };
  assert.deepEqual(patches(dry, [[1]]), [
    {
      path: "x",
      patches: [
        { old_text: "eight\nnine\nten", new_text: "eight\nten\n", start_line: 8, end_line: 10 },
      ],
    },
  ]);
  assert.deepEqual(patches(dry, [[]]), []);
  const moved: Dry = { changed: true, files: [{ path: "x", changed: true, action: "moved", diff }] };
  assert.throws(() => patches(moved, [[1]]), { code: "E_UNSUPPORTED" });
});

test("a change is found by its first line", () => {
  assert.equal(firstChange(diff), 1);
  assert.equal(firstChange(undefined), undefined);
  assert.equal(firstChange("--- a\n+++ b\n"), undefined);
});

test("a diff is applied to a file of very many lines", () => {
  const many = Array.from({ length: 300_000 }, (_, line) => `${line}\n`);
  const hunks = parse("@@ -150001,1 +150001,1 @@\n-150000\n+changed\n");
  assert.ok(hunks);
  assert.equal(apply(many.join(""), hunks), many.with(150_000, "changed\n").join(""));
});
