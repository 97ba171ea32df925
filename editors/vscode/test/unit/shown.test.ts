import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { duration, errorText, Log, outcome, type Call } from "../../src/activity/log";
import { effect, isDiff, labelOf, offered } from "../../src/questions/text";
import { Pause } from "../../src/state/pause";
import { report } from "../../src/state/report";
import { say } from "../../src/questions/say";
import { entries } from "../../src/status/menu";
import { present, type Whole } from "../../src/status/present";
import * as stub from "../stub/vscode";

const at = (line: number, character: number) => ({ line, character });

test("a report has the cursor at a selection's end, and only documents that are told", () => {
  const told = report({
    tabs: [
      { uri: "output:x", dirty: false, active: false },
      { uri: "file:///a", dirty: true, active: true },
    ],
    active: {
      uri: "file:///a",
      version: 4,
      selections: [{ anchor: at(3, 1), active: at(1, 0) }],
    },
    visible: [
      { uri: "git:/a", ranges: [{ start: at(0, 0), end: at(9, 0) }] },
      { uri: "file:///a", ranges: [{ start: at(0, 0), end: at(9, 0) }] },
    ],
  });
  assert.deepEqual(told, {
    tabs: [{ uri: "file:///a", dirty: true }],
    activeTab: 0,
    activeUri: "file:///a",
    version: 4,
    selections: [{ start: at(3, 1), end: at(1, 0) }],
    visible: [{ uri: "file:///a", range: { start: at(0, 0), end: at(9, 0) } }],
  });
});

test("what is not known is left out of a report", () => {
  assert.deepEqual(report({ tabs: [], visible: [] }), { tabs: [], visible: [] });
  const active = { uri: "vscode-userdata:/s", version: 1, selections: [] };
  assert.equal("activeUri" in report({ tabs: [], visible: [], active }), false);
});

test("a question begins with what is to be done; only what is seen whole can be allowed", () => {
  const tandem = { summary: "run `[a](command:b)` · no network", is_whole: true };
  const asked = { type: 2, message: "run_command wants to run:\n| [a](command:b)\nin .", tandem };
  assert.deepEqual(effect(asked), { line: "run `[a] (command:b)` · no network", isWhole: true });
  const titles = ["Allow once", "Always allow exactly this", "Deny"];
  assert.deepEqual(offered(titles, effect(asked)), titles);
  assert.deepEqual(titles.map((title) => labelOf(title).label), ["Allow", "Always…", "Deny"]);
  const cut = { ...asked, tandem: { ...tandem, is_whole: false } };
  assert.deepEqual(offered(titles, effect(cut)), ["Deny"]);
  // An earlier server says nothing in one line.
  const { tandem: _, ...bare } = asked;
  assert.deepEqual(effect(bare), { line: "run_command wants to run:", isWhole: false });
  assert.deepEqual(effect({ type: 2, message: " run it? " }), { line: "run it?", isWhole: true });
  assert.equal(effect({ type: 2, message: "x".repeat(301) }).isWhole, false);
  assert.equal(isDiff("may I\n| @@ -1 +1,2 @@\n| -a"), true);
  assert.equal(isDiff("may I @@ -1 +1 @@"), false);
});

const call = (id: number, state: Call["state"]): Call => ({
  id,
  tool: "t",
  title: `call ${id}`,
  state,
  started: id,
});

test("calls are listed newest first, and what ended stays so", () => {
  const log = new Log();
  log.told(call(1, "running"));
  log.told(call(2, "running"));
  log.told({ ...call(1, "done"), duration_ms: 5 });
  log.told(call(1, "running"));
  assert.deepEqual(log.all().map(({ id, state }) => [id, state]), [[2, "running"], [1, "done"]]);
  assert.equal(log.running(), 1);
  log.replace([call(1, "done")]);
  assert.deepEqual(log.all().map(({ id }) => id), [2, 1]);
  log.lost();
  assert.equal(log.running(), 0);
});

test("outcomes and errors are told in a line", () => {
  assert.equal(outcome({ ...call(1, "done"), client: "agent", duration_ms: 1_234 }), "done · 1.2 s · agent");
  assert.equal(duration(12.4), "12 ms");
  assert.equal(errorText({ code: "E_DENIED", message: "no" }), "E_DENIED: no");
  assert.equal(errorText("no"), "no");
  assert.equal(errorText(undefined), undefined);
});

test("the status item says what matters most", () => {
  const whole: Whole = { state: "running", version: "1", questions: 0, reviews: 0, calls: 0, trusted: true };
  const text = (more: Partial<Whole>) => present({ ...whole, ...more }).text;
  assert.equal(text({}), "$(arrow-swap) Tandem");
  assert.equal(text({ calls: 2 }), "$(hubot) Tandem 2");
  assert.equal(text({ calls: 2, questions: 1 }), "$(question) Tandem: 1 to allow");
  assert.equal(text({ reviews: 2 }), "$(git-pull-request) Tandem: 2 to review");
  assert.equal(text({ reviews: 2, questions: 1 }), "$(question) Tandem: 1 to allow, 2 to review");
  assert.equal(text({ health: { health: "ok", quiescent: false } }), "$(loading~spin) Tandem");
  assert.equal(text({ health: { health: "error", quiescent: true } }), "$(error) Tandem");
  assert.equal(text({ state: "missing", problem: "no program" }), "$(error) Tandem");
  const { lines } = present({ ...whole, trusted: false, health: { health: "ok", quiescent: true, lastError: "E_IO" } });
  assert.ok(lines.includes("last error: E_IO"));
  assert.ok(lines.some((line) => line.includes("not trusted")));
});

test("more selections than can be told are not told in part", () => {
  const selections = Array.from({ length: 1_001 }, (_, line) => ({ anchor: at(line, 0), active: at(line, 1) }));
  const active = { uri: "file:///a", version: 1, selections };
  assert.equal("selections" in report({ tabs: [], visible: [], active }), false);
  const fewer = { ...active, selections: selections.slice(1) };
  assert.equal(report({ tabs: [], visible: [], active: fewer }).selections?.length, 1_000);
});

test("nothing from outside is a link in what is shown", () => {
  const link = "[a](command:b)";
  const { lines } = present({
    ...{ state: "running", version: "1", questions: 0, reviews: 0, calls: 0, trusted: true },
    health: { health: "error", quiescent: true, message: link, lastError: link },
  });
  assert.ok(!lines.join().includes("]("), lines.join());
  stub.messages.length = 0;
  say(new Error(link));
  assert.deepEqual(stub.messages, ["Tandem: [a] (command:b)"]);
});

test("the menu leads to what waits, questions and reviews alike", () => {
  const commands = (waiting: { questions: number; reviews: number }) =>
    entries({ state: "running" }, waiting).flatMap(({ command }) => command ?? []);
  const none = commands({ questions: 0, reviews: 0 });
  assert.ok(!none.includes("tandem.question.show") && !none.includes("tandem.review.show"));
  assert.ok(commands({ questions: 0, reviews: 1 }).includes("tandem.review.show"));
  assert.ok(commands({ questions: 1, reviews: 0 }).includes("tandem.question.show"));
});

test("what never rests is told all the same", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  let told = 0;
  const pause = new Pause(60, () => told++);
  for (let at = 0; at < 600; at += 10) {
    pause.begin();
    mock.timers.tick(10);
  }
  assert.ok(told >= 8 && told <= 10, `${told} times in 600 ms`);
  pause.begin();
  pause.dispose();
  const before = told;
  mock.timers.tick(100);
  assert.equal(told, before, "nothing after the end");
  mock.timers.reset();
});
