import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type * as vscode from "vscode";
import * as stub from "../stub/vscode";
import { Asked } from "../../src/server/asked";
import type { Link, Plan } from "../../src/server/link";
import { Server } from "../../src/server/server";

/** Connections that are asked for: each is made, or fails, when the test says so. */
class Connections {
  readonly plans: Plan[] = [];
  readonly made: ((link: Link) => void)[] = [];
  readonly stopped: number[] = [];

  readonly load = async () => ({
    connect: (plan: Plan) => {
      this.plans.push(plan);
      return new Promise<Link>((resolve) => this.made.push(resolve));
    },
  });

  /** Lets the connection of a number come about. */
  async make(number: number): Promise<void> {
    await this.asked(number);
    this.made[number]?.({
      answer: { serverInfo: { name: "tandem" }, capabilities: {} },
      request: async () => number as never,
      notify: () => {},
      stop: async () => void this.stopped.push(number),
    });
    await turns();
  }

  async asked(number: number): Promise<void> {
    for (let at = 0; at < 100 && this.made.length <= number; at++) {
      await turns();
    }
    assert.ok(this.made.length > number, `connection ${number} is asked for`);
  }
}

/** Lets what is settled be heard. */
const turns = () => new Promise((resolve) => setTimeout(resolve, 1));

const context = { extensionPath: "/ext" } as vscode.ExtensionContext;

beforeEach(() => {
  stub.settings.clear();
  stub.settings.set("tandem.server.path", process.execPath);
  stub.messages.length = 0;
});

test("a server that is stopped while it starts stays stopped", async () => {
  const connections = new Connections();
  const server = new Server(context, connections.load);
  const first = server.ensure();
  first.catch(() => {});
  await connections.asked(0);
  await server.stop();
  await connections.make(0);
  assert.equal(server.state, "stopped");
  assert.deepEqual(connections.stopped, [0], "what came too late is ended");
  await assert.rejects(first, /stopped/);
  assert.deepEqual(stub.messages, [], "a person who stops it needs no message");
});

test("a restart while it starts leaves one server", async () => {
  const connections = new Connections();
  const server = new Server(context, connections.load);
  server.ensure().catch(() => {});
  await connections.asked(0);
  const again = server.restart();
  await connections.make(1);
  await again;
  await connections.make(0);
  assert.equal(server.state, "running");
  assert.deepEqual(connections.stopped, [0]);
  assert.equal(await server.request("x", {}), 1, "the second answers");
  // What is told of the first is none of the second's business.
  connections.plans[0]?.changed("stopped");
  assert.equal(connections.plans[0]?.died(), undefined);
  assert.equal(server.state, "running");
});

test("a server that died is not said to run until it is back", async () => {
  const connections = new Connections();
  const server = new Server(context, connections.load);
  const running = server.ensure();
  await connections.make(0);
  await running;
  assert.equal(connections.plans[0]?.died(), 0);
  assert.equal(server.state, "starting");
  connections.plans[0]?.changed("running");
  assert.equal(server.state, "running");
});

test("a path that is set where none was found is tried at once", async () => {
  stub.settings.set("tandem.server.path", "/no/such/tandem");
  const connections = new Connections();
  const server = new Server(context, connections.load);
  await assert.rejects(server.ensure());
  assert.equal(server.state, "missing");
  await assert.rejects(server.call("read_file", {}), { code: "E_UNAVAILABLE" });
  const said = stub.messages.length;
  stub.configure("tandem.server.path", "/no/such/tan");
  await turns();
  assert.equal(stub.messages.length, said, "nothing is said while it is typed");
  stub.configure("tandem.server.path", process.execPath);
  await connections.make(0);
  assert.equal(server.state, "running");
});

test("what a server asked ends with it", async () => {
  const asked = new Asked();
  const source = new stub.CancellationTokenSource();
  const token = source.token as unknown as vscode.CancellationToken;
  const waits = asked.handle(
    (_params, until) =>
      new Promise<string>((resolve) => until.onCancellationRequested(() => resolve("taken back"))),
  );
  const lost = waits({}, token);
  asked.lost();
  assert.equal(await lost, "taken back");
  const cancelled = waits({}, token);
  source.cancel();
  assert.equal(await cancelled, "taken back");
  assert.equal(await asked.handle(async () => "answered")({}, token), "answered");
});
