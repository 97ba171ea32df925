// Finds tests in a text by the conventions of languages and test runners.
import rules from "../data/tests.json";

interface Rule {
  files: string;
  /** Only files with this text are searched. */
  contains?: string;
  test: string;
  group?: string;
  /** A line that must be above a test. */
  mark?: string;
  command: string;
}

export interface Found {
  name: string;
  /** The surrounding class, if the runner needs it. */
  group: string | undefined;
  /** 0-based. */
  line: number;
}

export const RULES: Record<string, Rule> = rules;

/** Lines that may be between a mark and its test. */
const BETWEEN = /^\s*(?:#\[|@|\/\/|\*|\/\*|$)/;

export function find(language: string, text: string): Found[] {
  const rule = RULES[language];
  if (!rule) {
    return [];
  }
  const test = new RegExp(rule.test);
  const group = rule.group === undefined ? undefined : new RegExp(rule.group);
  const mark = rule.mark === undefined ? undefined : new RegExp(rule.mark);
  const found: Found[] = [];
  let [open, isMarked]: [string | undefined, boolean] = [undefined, mark === undefined];
  text.split(/\r\n|[\r\n]/).forEach((content, line) => {
    const named = group?.exec(content)?.groups?.["name"];
    if (named !== undefined) {
      open = named;
    } else if (/^[^\s#)\]}]/.test(content) && !test.test(content)) {
      open = undefined;
    }
    const name = test.exec(content)?.groups?.["name"];
    if (name !== undefined && isMarked) {
      found.push({ name, line, group: /^\s/.test(content) ? open : undefined });
    }
    if (mark) {
      isMarked = mark.test(content) || (isMarked && BETWEEN.test(content));
    }
  });
  return found;
}

/** The command line for a test, with names and files quoted for the shell. */
export function command(language: string, path: string, { name, group }: Found, own?: string): string {
  const slash = path.lastIndexOf("/");
  const folder = slash < 0 ? "." : path.slice(0, slash);
  const file = path.slice(slash + 1);
  const values: Record<string, string> = {
    name,
    file: path,
    folder,
    stem: file.replace(/\.[^.]*$/, ""),
    "group::": group === undefined ? "" : `${group}::`,
  };
  return (own ?? RULES[language]?.command ?? "").replace(/\{([\w:]+)\}/g, (whole, key: string) => {
    const value = values[key];
    return value === undefined ? whole : quoted(value);
  });
}

function quoted(word: string): string {
  return /^[\w./:=@%+,-]*$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
