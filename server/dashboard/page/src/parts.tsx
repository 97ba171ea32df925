// Small parts that several views use.

import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { call, CallError } from "./api";

export interface Loaded<T> {
  value?: T;
  error?: string;
  reload: () => void;
}

/** The result of a tool, again when `changes` grows, but at most once a second. */
export function useCall<T>(tool: string, args: object, changes: number, everyMs = 0): Loaded<T> {
  const [value, setValue] = useState<T>();
  const [error, setError] = useState<string>();
  const last = useRef(0);
  const key = JSON.stringify(args);
  const load = useCallback(() => {
    last.current = Date.now();
    call<T>(tool, JSON.parse(key)).then(
      (result) => {
        setValue(result);
        setError(undefined);
      },
      (failure: unknown) => setError(describe(failure)),
    );
  }, [tool, key]);
  useEffect(() => {
    const timer = setTimeout(load, Math.max(0, last.current + 1_000 - Date.now()));
    return () => clearTimeout(timer);
  }, [load, changes]);
  useEffect(() => {
    if (everyMs === 0) {
      return;
    }
    const timer = setInterval(() => document.hidden || load(), everyMs);
    return () => clearInterval(timer);
  }, [load, everyMs]);
  return { value, error, reload: load };
}

export function describe(failure: unknown): string {
  if (failure instanceof CallError) {
    return failure.hint ? `${failure.message} (${failure.hint})` : failure.message;
  }
  return "the server does not answer";
}

export function Problem({ text }: { text?: string }) {
  return text ? (
    <p class="problem" role="alert">
      {text}
    </p>
  ) : null;
}

export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

/** A word with a colour, which says no more than the word. */
export function State({ name }: { name: string }) {
  return <span class={`state ${name.replace(/[^a-z_]/g, "")}`}>{name.replaceAll("_", " ")}</span>;
}

export function time(value: string | number): string {
  return new Date(value).toLocaleTimeString();
}

export function duration(ms?: number): string {
  if (ms === undefined) {
    return "";
  }
  if (ms < 1_000) {
    return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  }
  const seconds = ms / 1_000;
  return seconds < 120 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds / 60)} min`;
}
