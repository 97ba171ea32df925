import assert from "node:assert/strict";
import { test } from "node:test";
import type * as vscode from "vscode";
import * as stub from "../stub/vscode";
import { Revisions } from "../../src/git/content";
import { Desk } from "../../src/review/desk";
import { previewPatch } from "../../src/review/preview";
import { ToolError } from "../../src/server/failure";
import type { Server } from "../../src/server/server";

const file = (uri: string, text: string) => ({ uri, old_text: "", new_text: text, hunks: [] });
const proposal = (...files: ReturnType<typeof file>[]) => ({ id: 1, tool: "t", title: "t", files });

test("what was seen is what was accepted, and nothing else", async () => {
  const desk = new Desk();
  assert.equal(desk.wasSeen(proposal()), false, "of nothing, nothing was seen");
  const texts = (uri: string) => new Map([[uri, "new"]]);
  let end = () => {};
  const first = desk.knowing(texts("file:///a"), () => new Promise<void>((resolve) => (end = resolve)));
  await desk.knowing(texts("file:///b"), async () => {
    assert.equal(desk.wasSeen(proposal(file("file:///a", "new"))), true, "two at once");
    assert.equal(desk.wasSeen(proposal(file("file:///b", "new"))), true);
    assert.equal(desk.wasSeen(proposal(file("file:///b", "other"))), false);
    assert.equal(desk.wasSeen(proposal(file("file:///a", "new"), file("file:///b", "new"))), false);
  });
  assert.equal(desk.wasSeen(proposal(file("file:///b", "new"))), false, "no longer");
  assert.equal(desk.wasSeen(proposal(file("file:///a", "new"))), true, "the first goes on");
  end();
  await first;
  assert.equal(desk.wasSeen(proposal(file("file:///a", "new"))), false);
});

test("the address of a file is the same, however it is quoted", async () => {
  const desk = new Desk();
  await desk.knowing(new Map([["file:///a%20%28b%29", "new"]]), async () => {
    assert.equal(desk.wasSeen(proposal(file("file:///a%20(b)", "new"))), true);
  });
});

test("a preview that cannot be shown leaves no review behind", async () => {
  const desk = new Desk();
  const diff = "--- /dev/null\n+++ b/a\n@@ -0,0 +1,1 @@\n+new\n";
  const files = [{ path: "/w/a", changed: true, action: "created", diff }];
  const server = { call: async () => ({ changed: true, files }) } as unknown as Server;
  // The editor opens no documents here.
  await assert.rejects(previewPatch(server, desk, {}));
  assert.deepEqual(desk.all(), []);
});

test("a file that was not there has no text, and what fails is no empty file", async () => {
  const uri = stub.Uri.parse("tandem-git:/HEAD//w/a") as unknown as vscode.Uri;
  const failing = (code: string) => {
    const request = async () => {
      throw new ToolError(code, "why");
    };
    return new Revisions({ request } as unknown as Server).provideTextDocumentContent(uri);
  };
  assert.equal(await failing("E_FILE_NOT_FOUND"), "");
  await assert.rejects(failing("E_TIMEOUT"), /why/);
});

test("of several reviews none is meant that nobody named", () => {
  const desk = new Desk();
  const token = new stub.CancellationTokenSource().token as unknown as vscode.CancellationToken;
  const submit = (uri: string) => desk.submit(proposal(file(uri, "new")), token).id;
  assert.equal(desk.find(), undefined);
  const first = submit("file:///a");
  assert.equal(desk.find()?.id, first, "the only one");
  const second = submit("file:///b");
  assert.equal(desk.find(), undefined, "neither");
  assert.equal(desk.find(second)?.id, second, "that of a number");
  desk.find(second)?.settle({ accept: false });
  assert.equal(desk.find()?.id, first);
});
