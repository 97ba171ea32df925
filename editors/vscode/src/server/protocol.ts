// Checks that the server speaks this extension's protocol.

/** The version of the extensions of LSP that this extension supports. */
export const PROTOCOL = 1;

/** The fields of the answer to `initialize` that are read. */
export interface Answer {
  serverInfo?: { name: string; version?: string };
  capabilities: { experimental?: unknown };
}

/** Why a server cannot be used; undefined if it can. */
export function problem(answer: Answer | undefined, program: string): string | undefined {
  if (answer?.serverInfo?.name !== "tandem") {
    const name = answer?.serverInfo?.name ?? "no name";
    return `Tandem: ${program} is another language server (${name}).`;
  }
  const told = own(answer);
  // A server that reports no version is an earlier one; features that it lacks stay hidden.
  if (told === undefined || told.protocol === PROTOCOL) {
    return undefined;
  }
  const version = answer.serverInfo.version ?? "of unknown version";
  const newer = typeof told.protocol === "number" && told.protocol > PROTOCOL;
  return (
    `Tandem: ${program} (${version}) speaks protocol ${String(told.protocol)}, this extension ` +
    `${PROTOCOL}. ${newer ? "Update the extension." : "Update the server."}`
  );
}

function own(answer: Answer): { protocol?: unknown } | undefined {
  const experimental = answer.capabilities.experimental;
  if (typeof experimental !== "object" || experimental === null || !("tandem" in experimental)) {
    return undefined;
  }
  const told = experimental.tandem;
  return typeof told === "object" && told !== null ? told : undefined;
}
