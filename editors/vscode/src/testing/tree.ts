// The workspace's tests in the editor's test view. The tool `test` runs them, or a command of the person's,
// with their rules and sandbox; they can be debugged if the server has a debug adapter.
import { relative } from "node:path";
import * as vscode from "vscode";
import type { Adapter } from "../debugging/adapter";
import { failure } from "../server/failure";
import type { Server } from "../server/server";
import { debugTest } from "./debug";
import { command, find, RULES, type Found } from "./find";
import { parameters, report, type TestResult } from "./result";

/** Folders whose files are not the project's own. */
const LEFT_OUT = /\/(node_modules|target|\.venv)\//;

const rules = Object.entries(RULES);

/** Limit of listed files, for each language. */
const MOST = 500;

interface Ran {
  exit_code: number;
  stdout: string;
  stderr: string;
  duration_ms: number;
}

interface Test {
  language: string;
  found: Found;
}

type Act = (
  running: vscode.TestRun,
  item: vscode.TestItem,
  test: Test,
  token: vscode.CancellationToken,
) => Promise<void>;

export interface Tests extends vscode.Disposable {
  /** Runs the test with this name path (`Shop/adds`) in a file; false if it is not known. */
  run(uri: vscode.Uri, name: string): Promise<boolean>;
}

export function registerTests(server: Server, adapter: Adapter): Tests {
  const controller = vscode.tests.createTestController("tandem", "Tandem");
  const tests = new WeakMap<vscode.TestItem, Test>();
  const look = async (item: vscode.TestItem, uri: vscode.Uri) =>
    fill(controller, tests, item, await vscode.workspace.openTextDocument(uri));
  controller.refreshHandler = async () => {
    await list(controller);
    const seen: vscode.TestItem[] = [];
    controller.items.forEach((item) => item.children.size > 0 && seen.push(item));
    for (const item of seen) {
      if (item.uri) {
        await look(item, item.uri);
      }
    }
  };
  controller.resolveHandler = async (item) => {
    if (!item) {
      return list(controller);
    }
    if (item.uri && item.canResolveChildren) {
      await look(item, item.uri);
    }
  };
  const all =
    (act: Act) => async (request: vscode.TestRunRequest, token: vscode.CancellationToken) => {
      const running = controller.createTestRun(request);
      try {
        const chosen = await leaves(controller, request);
        chosen.forEach((item) => running.enqueued(item));
        for (const item of chosen) {
          const test = tests.get(item);
          if (!test || token.isCancellationRequested) {
            running.skipped(item);
            continue;
          }
          running.started(item);
          try {
            await act(running, item, test, token);
          } catch (error) {
            running.errored(item, new vscode.TestMessage(failure(error).sentence));
          }
        }
      } finally {
        // A deleted file ends the run, too.
        running.end();
      }
    };
  const run: Act = (running, item, test, token) => one(server, running, item, test, token);
  const debug: Act = async (running, item, _test, token) => {
    const code = await debugTest(server, adapter, item, running, token);
    if (code === undefined) {
      running.skipped(item);
    } else if (code === 0) {
      running.passed(item);
    } else {
      running.failed(item, new vscode.TestMessage(`exit code ${code}`));
    }
  };
  // An opened file gets its tests even if it is newer than the list.
  const seen = (document: vscode.TextDocument | undefined) => {
    const language = document && languageOf(document);
    if (document && language !== undefined) {
      const item = itemOf(controller, document.uri, language);
      controller.items.add(item);
      fill(controller, tests, item, document);
    }
  };
  seen(vscode.window.activeTextEditor?.document);
  const { Run, Debug } = vscode.TestRunProfileKind;
  const runTest = async (uri: vscode.Uri, path: string) => {
    const document = await vscode.workspace.openTextDocument(uri);
    // As the test view does.
    const saves = vscode.workspace.getConfiguration("testing").get("saveBeforeTest", true);
    if (saves && document.isDirty) {
      await document.save();
    }
    seen(document);
    const names = path.split("/");
    const children: vscode.TestItem[] = [];
    controller.items.get(uri.toString())?.children.forEach((each) => children.push(each));
    const isMeant = (each: vscode.TestItem) =>
      each.label === names.at(-1) &&
      (each.description === undefined || each.description === names.at(-2));
    const item = children.find(isMeant);
    if (item) {
      const stop = new vscode.CancellationTokenSource();
      await all(run)(new vscode.TestRunRequest([item]), stop.token);
    }
    return item !== undefined;
  };
  const registered = vscode.Disposable.from(
    controller,
    controller.createRunProfile("Run", Run, all(run), true),
    controller.createRunProfile("Debug", Debug, all(debug), true),
    vscode.window.onDidChangeActiveTextEditor((editor) => seen(editor?.document)),
    vscode.workspace.onDidSaveTextDocument(seen),
    vscode.workspace.onDidDeleteFiles(({ files }) =>
      files.forEach((uri) => controller.items.delete(uri.toString())),
    ),
  );
  return { run: runTest, dispose: () => registered.dispose() };
}

/** Lists the files with tests. Known ones keep their items and results. */
export async function list(controller: vscode.TestController): Promise<void> {
  const items: vscode.TestItem[] = [];
  for (const [language, { files, contains }] of rules) {
    const found = await vscode.workspace.findFiles(files, "**/{node_modules,target,.venv}/**", MOST);
    for (const uri of found) {
      if (contains === undefined || (await holds(uri, contains))) {
        items.push(itemOf(controller, uri, language));
      }
    }
  }
  controller.items.replace(items);
}

/** The item of a file with tests: the known one with its results, or a new one. */
function itemOf(
  controller: vscode.TestController,
  uri: vscode.Uri,
  language: string,
): vscode.TestItem {
  const id = uri.toString();
  const item =
    controller.items.get(id) ??
    controller.createTestItem(id, vscode.workspace.asRelativePath(uri), uri);
  item.canResolveChildren = true;
  item.tags = [new vscode.TestTag(language)];
  return item;
}

/** The language whose rule finds tests in a document, if any. */
function languageOf(document: vscode.TextDocument): string | undefined {
  const { uri } = document;
  if (uri.scheme !== "file" || LEFT_OUT.test(uri.path) || !vscode.workspace.getWorkspaceFolder(uri)) {
    return undefined;
  }
  const isMeant = ([, { files, contains }]: (typeof rules)[number]) =>
    vscode.languages.match({ pattern: files }, document) > 0 &&
    (contains === undefined || document.getText().includes(contains));
  return rules.find(isMeant)?.[0];
}

async function holds(uri: vscode.Uri, text: string): Promise<boolean> {
  try {
    const bytes = await vscode.workspace.fs.readFile(uri);
    return Buffer.from(bytes).includes(text);
  } catch {
    // Deleted or unreadable: the others are listed anyway.
    return false;
  }
}

function fill(
  controller: vscode.TestController,
  tests: WeakMap<vscode.TestItem, Test>,
  item: vscode.TestItem,
  document: vscode.TextDocument,
): void {
  const language = item.tags[0]?.id ?? document.languageId;
  const children = find(language, document.getText()).map((found) => {
    const { name, group, line } = found;
    const id = `${item.id}#${group ?? ""}#${name}`;
    const child = controller.createTestItem(id, name, document.uri);
    child.range = new vscode.Range(line, 0, line, 0);
    child.description = group;
    tests.set(child, { language, found });
    return child;
  });
  item.children.replace(children);
}

/** The tests of a request; files are searched first. */
export async function leaves(
  controller: vscode.TestController,
  { include, exclude }: vscode.TestRunRequest,
): Promise<vscode.TestItem[]> {
  const wanted: vscode.TestItem[] = [];
  const all: vscode.TestItem[] = [];
  controller.items.forEach((item) => all.push(item));
  for (const item of include ?? all) {
    if (!item.canResolveChildren) {
      wanted.push(item);
      continue;
    }
    await controller.resolveHandler?.(item);
    item.children.forEach((child) => wanted.push(child));
  }
  const isLeftOut = (item: vscode.TestItem | undefined): boolean =>
    item !== undefined && (exclude?.includes(item) === true || isLeftOut(item.parent));
  return wanted.filter((item) => !isLeftOut(item));
}

/** A path relative to its folder, and that folder unless it is the first, where tools run. */
export function placeOf(uri: vscode.Uri): { path: string; cwd: string | undefined } {
  const [first] = vscode.workspace.workspaceFolders ?? [];
  const own = (vscode.workspace.getWorkspaceFolder(uri) ?? first)?.uri.fsPath;
  const path = own === undefined ? uri.fsPath : relative(own, uri.fsPath);
  return { path, cwd: own === first?.uri.fsPath ? undefined : own };
}

async function one(
  server: Server,
  running: vscode.TestRun,
  item: vscode.TestItem,
  { language, found }: Test,
  token: vscode.CancellationToken,
): Promise<void> {
  if (!item.uri) {
    return;
  }
  const { path, cwd } = placeOf(item.uri);
  const commands = vscode.workspace
    .getConfiguration("tandem")
    .get<Record<string, string>>("tests.commands", {});
  const own = commands[language];
  // In another folder than the first, tools take absolute paths.
  const wanted =
    own === undefined
      ? parameters(language, cwd === undefined ? path : item.uri.fsPath, found)
      : undefined;
  if (wanted) {
    try {
      const result = await server.callAsPerson<TestResult>("test", wanted, token);
      return report(running, item, result);
    } catch (error) {
      // No project around it, no runner that is installed, or a server without the tool.
      const { code } = failure(error);
      if (!["E_UNSUPPORTED", "E_UNAVAILABLE", "E_TOOL_NOT_FOUND", "E_NO_MATCH"].includes(code)) {
        throw error;
      }
    }
  }
  const line = command(language, path, found, own);
  running.appendOutput(`$ ${line}\r\n`, undefined, item);
  const args = { command: line, cwd, timeout_ms: 600_000 };
  const ran = await server.callAsPerson<Ran>("run_command", args, token);
  const output = `${ran.stdout}${ran.stderr}`;
  running.appendOutput(output.replace(/\r?\n/g, "\r\n"), undefined, item);
  if (ran.exit_code === 0) {
    running.passed(item, ran.duration_ms);
  } else {
    const message = new vscode.TestMessage(output || `exit code ${ran.exit_code}`);
    running.failed(item, message, ran.duration_ms);
  }
}
