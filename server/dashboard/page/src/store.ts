// What the page shows, kept outside of its components. Events are taken in at most once a frame.

import { useEffect, useState } from "preact/hooks";
import { type Connection, follow } from "./api";
import type { Approval, Call, ChatNews, Health, ServerEvent } from "./types";

/** Calls that are kept. */
const MAX_CALLS = 2_000;

export interface State {
  connection: Connection;
  workspace: string;
  version: string;
  /** The newest first. */
  calls: Call[];
  approvals: Approval[];
  health?: Health;
  /** Grows with each change of files, processes or runs that calls may have made. */
  changes: number;
}

let state: State = { connection: "connecting", workspace: "", version: "", calls: [], approvals: [], changes: 0 };
const listeners = new Set<() => void>();
const chatListeners = new Set<(news: ChatNews) => void>();
let waiting: ServerEvent[] = [];
let isScheduled = false;

function set(next: Partial<State>) {
  state = { ...state, ...next };
  listeners.forEach((listener) => listener());
}

function takeIn() {
  isScheduled = false;
  const events = waiting;
  waiting = [];
  const next: Partial<State> = {};
  let calls: Map<string, Call> | undefined;
  let { changes } = state;
  for (const event of events) {
    switch (event.type) {
      case "hello":
        next.workspace = event.workspace;
        next.version = event.version;
        calls = new Map(event.calls.toReversed().map((call) => [call.id, call]));
        changes++;
        break;
      case "call":
        calls ??= new Map(state.calls.toReversed().map((call) => [call.id, call]));
        calls.set(event.data.id, event.data);
        changes += event.data.state === "running" ? 0 : 1;
        break;
      case "approvals":
        next.approvals = event.data;
        break;
      case "health":
        next.health = event.data;
        break;
      case "chat":
        chatListeners.forEach((listener) => listener(event.data));
        break;
    }
  }
  if (calls) {
    next.calls = [...calls.values()].toReversed().slice(0, MAX_CALLS);
  }
  set({ ...next, changes });
}

/** Starts to follow the server. */
export function start() {
  void follow(
    (event) => {
      waiting.push(event);
      if (!isScheduled) {
        isScheduled = true;
        // A hidden page has no frames.
        if (document.hidden) {
          setTimeout(takeIn, 500);
        } else {
          requestAnimationFrame(takeIn);
        }
      }
    },
    (connection) => set({ connection, ...(connection === "live" ? {} : { approvals: [] }) }),
  );
}

/** The state, and again whenever it changes. */
export function useStore(): State {
  const [, refresh] = useState(0);
  useEffect(() => {
    const listener = () => refresh((count) => count + 1);
    listeners.add(listener);
    listener();
    return () => void listeners.delete(listener);
  }, []);
  return state;
}

/** Has `listener` learn of what happens in sessions. */
export function useChat(listener: (news: ChatNews) => void) {
  useEffect(() => {
    chatListeners.add(listener);
    return () => void chatListeners.delete(listener);
  });
}
