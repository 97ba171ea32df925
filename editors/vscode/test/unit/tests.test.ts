import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { test } from "node:test";
import type * as vscode from "vscode";
import { consequences, shown } from "../../src/agents/effects";
import { hunkAt, neighbour, shownAt, type Hunk } from "../../src/git/hunks";
import { behind } from "../../src/debugging/values";
import { stopLine } from "../../src/debugging/told";
import { hasCommand } from "../../src/server/ability";
import { command, find } from "../../src/testing/find";
import { parameters, report, type TestResult } from "../../src/testing/result";
import { leaves, list, placeOf } from "../../src/testing/tree";
import * as stub from "../stub/vscode";

const names = (language: string, text: string) =>
  find(language, text).map(({ name, group, line }) => [group, name, line]);

test("tests are found by what languages call them", () => {
  assert.deepEqual(
    names("python", "def test_a():\n  pass\nclass TestB:\n  def test_c(self): pass\ndef test_d(): pass\n"),
    [[undefined, "test_a", 0], ["TestB", "test_c", 3], [undefined, "test_d", 4]],
  );
  assert.deepEqual(
    names("rust", "#[test]\n#[ignore]\nfn a() {}\nfn b() {}\n#[tokio::test]\nasync fn c() {}\n"),
    [[undefined, "a", 2], [undefined, "c", 5]],
  );
  assert.deepEqual(names("go", "func TestA(t *testing.T) {}\nfunc help() {}\n"), [
    [undefined, "TestA", 0],
  ]);
  assert.deepEqual(names("java", "@Test\nvoid a() {}\nvoid b() {}\n"), [[undefined, "a", 1]]);
  assert.deepEqual(names("typescript", 'it("does it\'s work", () => {});'), [
    [undefined, "does it's work", 0],
  ]);
  assert.deepEqual(names("cobol", "x"), []);
});

test("a test's command is quoted for the shell", () => {
  const found = { name: "it's", group: undefined, line: 0 };
  assert.equal(
    command("javascript", "a b/x.test.js", found),
    `node --test --test-name-pattern='it'\\''s' 'a b/x.test.js'`,
  );
  assert.equal(
    command("python", "t/test_a.py", { name: "test_b", group: "TestC", line: 0 }),
    "python3 -m pytest -q t/test_a.py::TestC::test_b",
  );
  assert.equal(command("go", "pkg/a_test.go", { ...found, name: "TestA" }), "go test -run ^TestA$ ./pkg");
  assert.equal(command("go", "a_test.go", found, "make {name}"), `make 'it'\\''s'`);
});

const hunk = (kind: Hunk["kind"], start: number, end: number): Hunk => ({
  kind,
  range: { start: { line: start }, end: { line: end } },
  ...{ old_start: 1, old_lines: 1, new_start: 1, new_lines: 1 },
});

test("hunks are found at the lines that they are shown at", () => {
  const hunks = [hunk("changed", 1, 3), hunk("removed", 6, 6), hunk("removed", 0, 0)];
  assert.deepEqual(shownAt(hunk("removed", 6, 6), 10), { from: 5, to: 5 });
  assert.deepEqual(shownAt(hunk("removed", 0, 0), 10), { from: 0, to: 0 });
  assert.deepEqual(shownAt(hunk("added", 8, 12), 10), { from: 8, to: 9 });
  assert.equal(hunkAt(hunks, 2, 10), hunks[0]);
  assert.equal(hunkAt(hunks, 5, 10), hunks[1]);
  assert.equal(hunkAt(hunks, 4, 10), undefined);
});

test("hunks are gone through in a circle", () => {
  const hunks = [hunk("changed", 1, 3), hunk("changed", 6, 7)];
  assert.equal(neighbour(hunks, 0, 10, 1), 1);
  assert.equal(neighbour(hunks, 1, 10, 1), 6);
  assert.equal(neighbour(hunks, 8, 10, 1), 1);
  assert.equal(neighbour(hunks, 1, 10, -1), 6);
  assert.equal(neighbour([], 1, 10, 1), undefined);
});

test("a model's call tells its consequences", () => {
  assert.equal(consequences(["tandem", "read"]), undefined);
  assert.equal(consequences(["tandem", "read", "write"]), "writes files");
  assert.equal(
    consequences(["execute", "network", "admin"]),
    "runs programs, reaches the network and changes things outside the workspace",
  );
  assert.match(shown({ text: "x".repeat(1_000) }), /… \(1000 characters\)/);
});

test("a stop is told in a line", () => {
  const stop = { session: 1, program: "python3 /w/a.py", reason: "breakpoint", function: "total" };
  assert.equal(
    stopLine({ ...stop, uri: "file:///w/a%20b.py", line: 3 }),
    "a.py stopped at a b.py:3 in total (breakpoint)",
  );
  assert.equal(stopLine({ session: 1, reason: "exception", text: "E" }), "the program stopped (exception: E)");
});

test("the values of a line stand behind it, cut where they are long", () => {
  const value = (line: number, text: string) => ({
    range: { start: { line, character: 0 }, end: { line, character: 1 } },
    text,
  });
  const shown = behind([value(1, "a = 1"), value(1, "b = 2"), value(2, "c".repeat(500))]);
  assert.equal(shown.get(1), "a = 1, b = 2");
  assert.equal(shown.get(2)?.length, 121);
});

test("arguments that are cut say so", () => {
  const edits = Array.from({ length: 100 }, (_, at) => ({ path: `${at}`, text: "y".repeat(300) }));
  const text = shown({ edits });
  assert.ok(text.length < 4_200);
  assert.match(text, /… \(\d+ characters in all\)$/);
  assert.ok(!shown({ short: true }).includes("…"));
});

test("a file that is left out of a run is left out with its tests", async () => {
  const item = (id: string, children: object[] = [], parent?: object) =>
    ({ id, parent, canResolveChildren: children.length > 0, children }) as unknown as vscode.TestItem;
  const file = item("file", [{}]);
  const other = item("other", [{}]);
  (file as { children: unknown }).children = [item("a", [], file), item("b", [], file)];
  (other as { children: unknown }).children = [item("c", [], other)];
  const controller = { items: [file, other], resolveHandler: async () => {} } as unknown as vscode.TestController;
  const request = (exclude: vscode.TestItem[]) =>
    ({ include: undefined, exclude }) as unknown as vscode.TestRunRequest;
  const ids = async (exclude: vscode.TestItem[]) =>
    (await leaves(controller, request(exclude))).map(({ id }) => id);
  assert.deepEqual(await ids([]), ["a", "b", "c"]);
  assert.deepEqual(await ids([file]), ["c"]);
});

test("tests that are listed again keep what is known of them", async () => {
  const known = { id: "file:///w/test_a.py" };
  const gone = { id: "file:///w/test_gone.py" };
  const items = new Map<string, object>([known, gone].map((item) => [item.id, item]));
  let listed: object[] = [];
  const controller = {
    items: { get: (id: string) => items.get(id), replace: (all: object[]) => (listed = all) },
    createTestItem: (id: string) => ({ id }),
  } as unknown as vscode.TestController;
  stub.workspace.findFiles = async (pattern) =>
    pattern.endsWith(".py") ? ["/w/test_a.py", "/w/test_new.py"].map(stub.Uri.file) : [];
  await list(controller);
  assert.equal(listed[0], known, "the same item, with its tests and results");
  assert.deepEqual(listed.map((item) => (item as { id: string }).id), [known.id, "file:///w/test_new.py"]);
});

test("a test of another folder is run there", () => {
  const folder = (path: string) => ({ uri: stub.Uri.file(path) });
  stub.workspace.workspaceFolders = [folder("/w/one"), folder("/w/two")];
  const uri = (path: string) => stub.Uri.file(path) as unknown as vscode.Uri;
  assert.deepEqual(placeOf(uri("/w/one/src/a.py")), { path: "src/a.py", cwd: undefined });
  assert.deepEqual(placeOf(uri("/w/two/src/a.py")), { path: "src/a.py", cwd: "/w/two" });
});

test("a program that was updated is asked again what it can do", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "tandem-"));
  const file = path.join(folder, "tandem");
  const says = (text: string) => writeFileSync(file, `#!/bin/sh\necho "${text}"\n`, { mode: 0o755 });
  says("  lsp  serve");
  assert.equal(await hasCommand(file, "dap"), false);
  says("  lsp  serve\n  dap  debug");
  assert.equal(await hasCommand(file, "dap"), true);
  rmSync(folder, { recursive: true });
});

test("a test runs by its line, or by exactly its name", () => {
  const found = { name: "adds (1+1)", group: undefined, line: 6 };
  assert.deepEqual(parameters("rust", "src/a.rs", found), { path: "src/a.rs", line: 7 });
  const { filter } = parameters("typescript", "a.test.ts", found) as { filter: string };
  for (const name of ["adds (1+1)", "shop adds (1+1)"]) {
    assert.match(name, new RegExp(filter));
  }
  for (const name of ["adds (1+1) twice", "readds (1+1)", "adds 1+1"]) {
    assert.doesNotMatch(name, new RegExp(filter));
  }
  assert.equal(parameters("java", "ATest.java", found), undefined);
});

test("a failure has its place, and what was expected and found", () => {
  const shown: [string, unknown][] = [];
  const note = (what: string) => (_item: unknown, told: unknown) => shown.push([what, told]);
  const running = {
    appendOutput: () => {},
    passed: note("passed"),
    failed: note("failed"),
    skipped: note("skipped"),
    errored: note("errored"),
  } as unknown as vscode.TestRun;
  const item = {} as vscode.TestItem;
  const none: TestResult = {
    ...{ success: true, command: "pytest", duration_ms: 5, passed: 0, failed: 0, skipped: 0 },
    failures: [],
  };
  stub.workspace.workspaceFolders = [{ uri: stub.Uri.file("/w") }];
  const failure = { name: "a", file: "t/a.py", line: 3, message: "m", expected: "1", found: "2" };
  report(running, item, { ...none, success: false, failed: 1, failures: [failure] });
  report(running, item, { ...none, passed: 1 });
  report(running, item, { ...none, skipped: 1 });
  const broken = { file: "a.rs", line: 2, message: "no such name" };
  report(running, item, { ...none, success: false, diagnostics: [broken] });
  report(running, item, none);
  assert.deepEqual(shown.map(([what]) => what), ["failed", "passed", "skipped", "errored", "errored"]);
  const [told] = shown[0]?.[1] as stub.TestMessage[];
  assert.equal(told?.location?.uri.path, "/w/t/a.py");
  assert.deepEqual([told?.location?.range.line, told?.expectedOutput, told?.actualOutput], [2, "1", "2"]);
  const errors = shown.slice(3).map(([, message]) => (message as stub.TestMessage).message);
  assert.deepEqual(errors, ["a.rs:2: no such name", "no test ran"]);
});
