// Requests to the server. The token is in the URL's fragment, which no browser sends anywhere.

import type { ServerEvent } from "./types";

const KEY = "tandem-token";

/** Takes the token out of the address bar, and keeps it for a reload of this tab. */
function readToken(): string {
  const given = location.hash.slice(1);
  if (given) {
    sessionStorage.setItem(KEY, given);
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem(KEY) ?? "";
}

const token = readToken();

/** An error of the server: the contract's object. */
export class CallError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly hint?: string,
  ) {
    super(message);
  }
}

function request(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(path, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } });
}

async function post<T>(path: string, body: unknown): Promise<T> {
  const response = await request(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) {
    throw new CallError("E_IO", `the server answered ${response.status}: ${await response.text()}`);
  }
  const answer = (await response.json()) as { result?: T; error?: { code: string; message: string; hint?: string } };
  if (answer.error) {
    throw new CallError(answer.error.code, answer.error.message, answer.error.hint);
  }
  return answer.result as T;
}

/** Calls a tool. */
export function call<T>(tool: string, args: object = {}): Promise<T> {
  return post<T>("/api/call", { tool, arguments: args });
}

/** Answers an approval request. False if it has been answered already. */
export function answerApproval(id: string, decision: string): Promise<{ taken: boolean }> {
  return post("/api/approval", { id, decision });
}

export type Connection = "connecting" | "live" | "lost" | "refused";

/** Follows what happens, and connects again when the connection is lost. */
export async function follow(
  onEvent: (event: ServerEvent) => void,
  onConnection: (state: Connection) => void,
): Promise<never> {
  for (let failures = 0; ; failures++) {
    try {
      const response = await request("/api/events");
      if (response.status === 401) {
        onConnection("refused");
      } else if (response.ok && response.body) {
        onConnection("live");
        failures = 0;
        await readLines(response.body, (line) => onEvent(JSON.parse(line) as ServerEvent));
      }
      if (response.status !== 401) {
        onConnection("lost");
      }
    } catch {
      onConnection("lost");
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(5_000, 250 * 2 ** failures)));
  }
}

async function readLines(body: ReadableStream<Uint8Array>, onLine: (line: string) => void) {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) {
      return;
    }
    const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    lines.filter((line) => line !== "").forEach(onLine);
  }
}
