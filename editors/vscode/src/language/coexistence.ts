// Decides which features this extension provides for a language that has an extension of its own.
import extensions from "../data/extensions.json";
import formatters from "../data/formatters.json";
import providers from "../data/providers.json";
import type { Feature } from "../server/link";

export type Choice = "auto" | "on" | "off";

interface Provider {
  id: string;
  /** The extension provides nothing if a setting has this value. */
  unless?: Record<string, unknown>;
  /** It provides features only if a setting has this value. */
  only?: Record<string, unknown>;
}

/** Queries of the editor. */
export interface Editor {
  choice(feature: Feature): Choice;
  isActive(extension: string): boolean;
  isInstalled(extension: string): boolean;
  setting(name: string): unknown;
}

/** The languages with names. */
export const LANGUAGES = Object.keys(providers.names);

/** Other providers of each language, including languages with syntax features only. */
const KNOWN: Record<string, Provider[]> = { ...providers.names, ...providers.syntax };

/** The languages that start the server: all except those of the editor's own settings. */
export const STARTING = Object.keys(KNOWN).filter((name) => !["json", "jsonc"].includes(name));

/** `languageId` is undefined for workspace requests. */
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

/** The active extension that serves a language besides ours, if any. */
export function other(editor: Editor, languageId: string): string | undefined {
  const known = KNOWN[languageId] ?? [];
  const holds = (values: Record<string, unknown>) =>
    Object.entries(values).every(([name, value]) => editor.setting(name) === value);
  return known.find(
    ({ id, unless, only }) =>
      editor.isActive(id) && !(unless && holds(unless)) && (!only || holds(only)),
  )?.id;
}

/** The languages that we format: those that no other installed extension formats. */
export function formats(editor: Editor): string[] {
  const choice = editor.choice("formatting");
  const isOurs = (others: string[]) =>
    choice === "on" || (choice === "auto" && !others.some((id) => editor.isInstalled(id)));
  return Object.entries(formatters).flatMap(([language, others]) =>
    isOurs(others) ? [language] : [],
  );
}

/** The language of a file that is not open, by its name if possible. */
export function languageOf(path: string): string | undefined {
  const extension = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase();
  return (extensions as Record<string, string>)[extension ?? ""];
}
