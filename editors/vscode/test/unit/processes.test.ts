import assert from "node:assert/strict";
import { test } from "node:test";
import { ending, ProcessTerminal, type Process } from "../../src/processes/terminal";

type Called = { tool: string; args: Record<string, unknown>; asPerson: boolean };

/** A server that gives these pages, one a call, and then none. */
class Pages {
  readonly called: Called[] = [];

  constructor(private readonly pages: object[]) {}

  call = async <R>(tool: string, args: object): Promise<R> => {
    this.called.push({ tool, args: args as Record<string, unknown>, asPerson: false });
    const page = this.pages.shift();
    return page === undefined ? new Promise<R>(() => {}) : (page as R);
  };

  callAsPerson = async <R>(tool: string, args: object): Promise<R> => {
    this.called.push({ tool, args: args as Record<string, unknown>, asPerson: true });
    return {} as R;
  };

  typed(): Called[] {
    return this.called.filter(({ asPerson }) => asPerson);
  }
}

const page = (output: string, next_cursor: string, more: object = {}) => ({
  output,
  next_cursor,
  status: "running",
  ...more,
});

/** Opens a terminal of a process, and collects what it shows. */
function open(pages: Pages, process: Partial<Process> = {}) {
  const whole = { id: "p1", command: "serve", status: "running", ...process };
  const terminal = new ProcessTerminal(pages as never, whole, 0);
  const shown: string[] = [];
  terminal.onDidWrite((text) => shown.push(text));
  terminal.open({ rows: 40, columns: 100 });
  return { terminal, shown };
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 20));

test("output is shown as it comes, from cursor to cursor, until the process ends", async () => {
  const pages = new Pages([
    page("one\n", "4"),
    page("", "4"),
    page("two\r\n", "9", { dropped: 3 }),
    page("end", "12", { status: "exited", exit_code: 2 }),
  ]);
  const { shown } = open(pages);
  await settle();
  assert.deepEqual(shown.slice(0, 1), ["one\r\n"]);
  assert.match(shown.join(""), /3 bytes are no longer kept.*two\r\nend.*\[exited with code 2\]/s);
  const cursors = pages.called.map(({ args }) => args["cursor"]);
  assert.deepEqual(cursors, ["0", "4", "4", "9"]);
  assert.ok(
    pages.called.every(({ tool, args }) => tool === "process_output" && args["raw"] === true),
  );
});

test("keys go to a terminal as they are, and its size with them", async () => {
  const pages = new Pages([]);
  const { terminal, shown } = open(pages, { pty: true });
  terminal.handleInput("l");
  terminal.handleInput("s\r\x03");
  terminal.setDimensions({ rows: 10, columns: 20 });
  await settle();
  const sent = pages.typed().map(({ args }) => args["text"] ?? [args["rows"], args["columns"]]);
  assert.deepEqual(sent, [[40, 100], "l", "s\r\x03", [10, 20]]);
  assert.ok(
    pages.typed().every(({ args }) => args["text"] === undefined || args["newline"] === false),
  );
  assert.deepEqual(shown, [], "the program echoes, not we");
});

test("without a terminal, a line is edited here and sent as a whole", async () => {
  const pages = new Pages([]);
  const { terminal, shown } = open(pages);
  terminal.handleInput("ab\u{1f600}\x7f\x7fc\r");
  terminal.handleInput("lost\x03");
  terminal.handleInput("\x04");
  await settle();
  assert.deepEqual(
    pages.typed().map(({ tool, args }) => [tool, args["text"] ?? args["signal"] ?? args["eof"]]),
    [
      ["process_input", "ac\n"],
      ["process_kill", "INT"],
      ["process_input", true],
    ],
  );
  assert.equal(shown.join(""), "ab\u{1f600}\b \b\b \bc\r\nlost^C\r\n");
});

test("long text is sent in parts and in order", async () => {
  const pages = new Pages([]);
  const { terminal } = open(pages, { pty: true });
  const pasted = Array.from({ length: 4_000 }, (_, n) => `line ${n}`).join("\n");
  terminal.handleInput(pasted);
  await settle();
  const parts = pages.typed().map(({ args }) => (args["text"] as string | undefined) ?? "");
  assert.ok(parts.length > 3);
  assert.equal(parts.join(""), pasted);
});

test("a closed terminal asks no more, and one that has ended takes nothing", async () => {
  const pages = new Pages([page("x", "1"), page("y", "2")]);
  const { terminal } = open(pages);
  terminal.close();
  await settle();
  assert.equal(pages.called.length, 1);

  const over = new Pages([page("", "0", { status: "killed" })]);
  const ended = open(over);
  await settle();
  ended.terminal.handleInput("x\r");
  await settle();
  assert.equal(over.typed().length, 0);
  assert.equal(ending({ status: "exited", signal: 15 }), "ended by signal 15");
});
