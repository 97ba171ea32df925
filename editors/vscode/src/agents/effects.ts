// What a person is told before a model's call of a tool.

const WORDS: Record<string, string> = {
  write: "writes files",
  delete: "deletes files",
  execute: "runs programs",
  network: "reaches the network",
  admin: "changes what lies outside of the workspace",
};

/** What may happen, in words; undefined for a tool that only reads. */
export function consequences(effects: readonly string[]): string | undefined {
  const words = effects.flatMap((effect) => WORDS[effect] ?? []);
  const last = words.pop();
  if (last === undefined) {
    return undefined;
  }
  return words.length === 0 ? last : `${words.join(", ")} and ${last}`;
}

/** Arguments for a person: short ones as they are, long texts cut. */
export function shown(args: object): string {
  const cut = (_: string, value: unknown) =>
    typeof value === "string" && value.length > 400
      ? `${value.slice(0, 400)}… (${value.length} characters)`
      : value;
  return JSON.stringify(args, cut, 2).slice(0, 4_000);
}
