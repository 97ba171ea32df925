// What a person reads before a model calls a tool.

const WORDS: Record<string, string> = {
  write: "writes files",
  delete: "deletes files",
  execute: "runs programs",
  network: "reaches the network",
  admin: "changes things outside the workspace",
};

/** The possible effects in words; undefined for a tool that only reads. */
export function consequences(effects: readonly string[]): string | undefined {
  const words = effects.flatMap((effect) => WORDS[effect] ?? []);
  const last = words.pop();
  if (last === undefined) {
    return undefined;
  }
  return words.length === 0 ? last : `${words.join(", ")} and ${last}`;
}

/** Limit of displayed arguments, in characters. */
const LONGEST = 4_000;

/** Arguments for a person: long texts are cut, and say so. */
export function shown(args: object): string {
  const cut = (_: string, value: unknown) =>
    typeof value === "string" && value.length > 400
      ? `${value.slice(0, 400)}… (${value.length} characters)`
      : value;
  const text = JSON.stringify(args, cut, 2);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}… (${text.length} characters in all)`;
}
