// What cargo's messages say was built.

/** The executable of the last message with one. */
export function executable(messages: string): string | undefined {
  const found = messages.split("\n").flatMap((line) => {
    try {
      const { executable } = JSON.parse(line) as { executable?: unknown };
      return typeof executable === "string" ? [executable] : [];
    } catch {
      return [];
    }
  });
  return found.at(-1);
}
