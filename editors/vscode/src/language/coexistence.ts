// Which features are ours for a language, where the language has an extension of its own.
import extensions from "../data/extensions.json";
import formatters from "../data/formatters.json";
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
  isInstalled(extension: string): boolean;
  setting(name: string): unknown;
}

/** The languages whose names the server knows. */
export const LANGUAGES = Object.keys(providers.names);

/** By language, of some it only knows the syntax. */
const KNOWN: Record<string, Provider[]> = { ...providers.names, ...providers.syntax };

/** The languages that start the server: all that it knows but those of the editor's own settings. */
export const STARTING = Object.keys(KNOWN).filter((name) => !["json", "jsonc"].includes(name));

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

/** The languages that ours formats: where nothing else that is installed does. */
export function formats(editor: Editor): string[] {
  const choice = editor.choice("formatting");
  const isOurs = (others: string[]) =>
    choice === "on" || (choice === "auto" && !others.some((id) => editor.isInstalled(id)));
  return Object.entries(formatters).flatMap(([language, others]) =>
    isOurs(others) ? [language] : [],
  );
}

/** The language of a file that no editor has open, where a name tells. */
export function languageOf(path: string): string | undefined {
  const extension = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase();
  return (extensions as Record<string, string>)[extension ?? ""];
}
