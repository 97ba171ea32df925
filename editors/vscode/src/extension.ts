// The entry point. It runs at activation, so it only connects the parts.
import * as vscode from "vscode";
import { registerCall } from "./agents/call";
import { registerMcp } from "./agents/mcp";
import { registerTools } from "./agents/tools";
import { api, type Api } from "./api";
import { Activity } from "./activity/tree";
import { registerActivity } from "./activity/commands";
import { registerCommands } from "./commands";
import { Adapter } from "./debugging/adapter";
import { registerLens } from "./debugging/lens";
import { showStops } from "./debugging/stops";
import { Checkpoints } from "./git/checkpoints";
import { registerHunks } from "./git/commands";
import { Revisions } from "./git/content";
import { Gutter } from "./git/gutter";
import { Marks } from "./marks/marks";
import { registerProcesses } from "./processes/commands";
import { Questions } from "./questions/desk";
import { registerQuestions } from "./questions/questions";
import { registerClipboard } from "./review/clipboard";
import { Desk } from "./review/desk";
import { registerReview } from "./review/commands";
import { Server } from "./server/server";
import { startWhenNeeded } from "./server/lazy";
import { Sharing } from "./state/share";
import { watchState } from "./state/watch";
import { watchFound } from "./state/watchFound";
import { Windows } from "./state/windows";
import { statusItem } from "./status/item";
import { registerMenu } from "./status/menu";
import { registerRun } from "./testing/run";
import { registerTests } from "./testing/tree";

export function activate(context: vscode.ExtensionContext): Api {
  const server = new Server(context);
  const questions = new Questions();
  const desk = new Desk();
  const gutter = new Gutter();
  const adapter = new Adapter(server);
  const marks = new Marks(server, desk);
  const tests = registerTests(server, adapter);
  const sharing = new Sharing(server, new Windows(context));
  const activity = new Activity(server, (call) => {
    marks.ended(call);
    void sharing.ended(call);
  });
  const changed = new vscode.EventEmitter<void>();
  const counts = {
    questions: () => questions.count,
    reviews: () => desk.all().length,
    waiting: () => [
      ...questions.all().map(({ effect }) => `asks to ${effect.line}`),
      ...desk.all().map(({ review }) => `proposes: ${review.proposal.title}`),
    ],
    calls: () => activity.running,
    onDidChange: changed.event,
  };
  context.subscriptions.push(
    server,
    desk,
    activity,
    changed,
    registerQuestions(server, questions),
    registerReview(server, desk),
    registerClipboard(server, desk),
    registerActivity(server, activity),
    marks.register(),
    sharing.register(),
    gutter.register(server),
    registerHunks(server, gutter),
    new Revisions(server).register(gutter),
    new Checkpoints(server).register(),
    showStops(server),
    adapter.register(),
    registerLens(server, adapter),
    tests,
    registerRun(server, tests),
    registerTools(server, context),
    registerMcp(server),
    registerCall(server, context),
    registerCommands(server),
    registerProcesses(server),
    registerMenu(server, counts),
    watchState(server),
    watchFound(server),
    statusItem(server, counts),
    questions.onDidChange(() => changed.fire()),
    desk.onDidChangeReviews(() => changed.fire()),
    activity.onDidChange(() => changed.fire()),
    startWhenNeeded(server),
  );
  return api(server, desk);
}
