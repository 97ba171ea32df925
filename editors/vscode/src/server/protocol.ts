// Whether a server speaks what this extension speaks.

/** The version of the protocol beyond LSP that this extension is written for. */
export const PROTOCOL = 1;

/** What of the answer to `initialize` is looked at. */
export interface Answer {
  serverInfo?: { name: string; version?: string };
  capabilities: { experimental?: unknown };
}

/** Why a server cannot be used; undefined where it can. */
export function problem(answer: Answer | undefined, program: string): string | undefined {
  if (answer?.serverInfo?.name !== "tandem") {
    const name = answer?.serverInfo?.name ?? "no name";
    return `Tandem: ${program} is another language server (${name}).`;
  }
  const told = own(answer);
  // A server that says nothing of it is an earlier one: what it lacks stays out of sight.
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
