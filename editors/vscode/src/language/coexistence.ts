// Which features are ours for a language, where the language has an extension of its own.
import providers from "../data/providers.json";
import type { Feature } from "../server/link";

export type Choice = "auto" | "on" | "off";

interface Provider {
  id: string;
  /** A setting with this value says that the extension serves nothing. */
  unless?: Record<string, unknown>;
  /** It serves only where a setting has this value. */
  only?: Record<string, unknown>;
}

/** What is asked of the editor. */
export interface Editor {
  choice(feature: Feature): Choice;
  isActive(extension: string): boolean;
  setting(name: string): unknown;
}

/** The languages whose names the server knows: a document in one of them starts it. */
export const LANGUAGES = Object.keys(providers.names);

/** By language, of some it only knows the syntax. */
const KNOWN: Record<string, Provider[]> = { ...providers.names, ...providers.syntax };

/** `languageId` undefined: a question about the whole workspace. */
export function serves(editor: Editor, feature: Feature, languageId: string | undefined): boolean {
  const choice = editor.choice(feature);
  if (choice !== "auto") {
    return choice === "on";
  }
  if (languageId === undefined) {
    return !LANGUAGES.every((each) => other(editor, each) !== undefined);
  }
  return other(editor, languageId) === undefined;
}

/** The extension that serves a language beside ours, if one is at work. */
export function other(editor: Editor, languageId: string): string | undefined {
  const known = KNOWN[languageId] ?? [];
  const holds = (values: Record<string, unknown>) =>
    Object.entries(values).every(([name, value]) => editor.setting(name) === value);
  return known.find(
    ({ id, unless, only }) =>
      editor.isActive(id) && !(unless && holds(unless)) && (!only || holds(only)),
  )?.id;
}
