// Questions answered from the keyboard, and from the status item.
import * as vscode from "vscode";
import type { Question, Questions } from "./desk";
import { DETAILS, labelOf, offered } from "./text";

interface Item extends vscode.QuickPickItem {
  question?: Question;
  /** The answer's title on the server. */
  title?: string;
}

/** The person's choice; without a title, they want to read the question first. */
export interface Picked {
  question: Question;
  title?: string;
}

/** Lets the person pick a question, if there are several, and an answer. */
export async function pick(questions: Questions): Promise<Picked | undefined> {
  const all = questions.all();
  const question = all.length > 1 ? (await which(questions))?.question : all[0];
  if (!question) {
    return undefined;
  }
  const answers = question.isRead ? question.titles : offered(question.titles, question.effect);
  const items: Item[] = answers.map((title) => {
    const { label, detail } = labelOf(title);
    return { label, description: detail, title };
  });
  const details = { label: DETAILS, description: "read it in full" };
  const all_read = question.isRead || question.effect.isWhole;
  const chosen = await choose(
    questions,
    `Tandem asks to ${question.effect.line}`,
    all_read ? [...items, details] : [details, ...items],
    () => questions.find(question.id) !== undefined,
  );
  return chosen && { question, ...(chosen.title !== undefined && { title: chosen.title }) };
}

function which(questions: Questions): Promise<Item | undefined> {
  const items = questions.all().map((question) => ({ label: question.effect.line, question }));
  return choose(questions, "Tandem asks", items, () => questions.count > 0);
}

/** A quick pick that closes when its subject is gone. */
function choose(
  questions: Questions,
  title: string,
  items: Item[],
  isOpen: () => boolean,
): Promise<Item | undefined> {
  const picker = vscode.window.createQuickPick<Item>();
  picker.title = title;
  picker.items = items;
  return new Promise((resolve) => {
    const watched = vscode.Disposable.from(
      picker,
      questions.onDidChange(() => !isOpen() && picker.hide()),
      picker.onDidAccept(() => {
        resolve(picker.selectedItems[0]);
        picker.hide();
      }),
      picker.onDidHide(() => {
        resolve(undefined);
        watched.dispose();
      }),
    );
    picker.show();
  });
}
