// Handles `window/showMessageRequest`: shows questions and returns the person's answers.
import * as vscode from "vscode";
import type { Server } from "../server/server";
import type { Question, Questions } from "./desk";
import { pick } from "./pick";
import { showMessages } from "./say";
import { ALWAYS, isNo, labelOf, plain, type Params } from "./text";
import { Toasts } from "./toasts";
import { ApprovalsView } from "./view";

/** The longest text that a dialog shows in full, in characters. */
const DIALOG = 2_000;

export function registerQuestions(server: Server, questions: Questions): vscode.Disposable {
  /** Returns an answer; a permanent one is confirmed first. */
  const answer = async (question: Question, title: string) => {
    if (title !== ALWAYS || (await isConfirmed(question))) {
      questions.settle(question.id, title);
    } else if (questions.find(question.id)) {
      void toasts.show(question);
    }
  };
  const view = new ApprovalsView(questions, (id, title) => {
    const question = questions.find(id);
    if (question) {
      void answer(question, title);
    }
  });
  const toasts: Toasts = new Toasts(questions, answer, ({ id }) => view.show(id, false));
  server.onRequest<Params>("window/showMessageRequest", async (params, token) => {
    if (!params.actions?.length) {
      void vscode.window.showWarningMessage(plain(params.message));
      return null;
    }
    const { question, answer } = questions.ask(params, token);
    const style = vscode.workspace.getConfiguration("tandem").get("approvals.style");
    if (style === "modal" && params.message.length < DIALOG) {
      questions.settle(question.id, await inDialog(question));
    } else {
      void toasts.show(question);
    }
    server.log.info(`asked: ${question.effect.line}`);
    const title = await answer;
    server.log.info(`answered: ${title ?? "withdrawn"} · ${question.effect.line}`);
    return title === undefined ? null : { title };
  });
  showMessages(server);
  return vscode.Disposable.from(
    questions,
    toasts,
    view.register(),
    vscode.commands.registerCommand("tandem.question.show", async () => {
      const picked = await pick(questions);
      if (picked?.title !== undefined) {
        await answer(picked.question, picked.title);
      } else if (picked) {
        // A person who used the keyboard continues with it.
        await view.show(picked.question.id, true);
      }
    }),
  );
}

/** A dialog closed without an answer means no: it cannot be postponed. */
async function inDialog({ effect, message, titles }: Question): Promise<string | undefined> {
  const items = titles
    // A dialog already has a button for no.
    .filter((title) => !isNo(title))
    .map((title) => ({ title: labelOf(title).label, answer: title }));
  const options = { modal: true, detail: message };
  const chosen = await vscode.window.showWarningMessage(
    `Tandem asks to ${effect.line}`,
    options,
    ...items,
  );
  return chosen?.answer;
}

async function isConfirmed({ effect, message }: Question): Promise<boolean> {
  const detail = message.length < DIALOG ? message : "The view Approvals shows it in full.";
  const chosen = await vscode.window.showWarningMessage(
    `Always allow to ${effect.line}?`,
    { modal: true, detail },
    "Always Allow",
  );
  return chosen !== undefined;
}
