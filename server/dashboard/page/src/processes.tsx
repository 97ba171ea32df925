// Processes of `process_start`, and the output of one.

import { useState } from "preact/hooks";
import { call } from "./api";
import { describe, duration, Empty, Problem, State, useCall } from "./parts";
import type { Process } from "./types";

export function Processes({ changes }: { changes: number }) {
  const [open, setOpen] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const processes = useCall<{ processes: Process[] }>("process_list", {}, changes, 3_000);
  const list = (processes.value?.processes ?? []).toReversed();
  const stop = (id: string) =>
    call("process_stop", { id }).then(processes.reload, (failure: unknown) => setProblem(describe(failure)));
  return (
    <>
      <Problem text={processes.error ?? problem} />
      {processes.value && list.length === 0 ? <Empty>No processes.</Empty> : null}
      <ul class="rows">
        {list.map((process) => (
          <li key={process.id}>
            <State name={process.status} />
            <div class="main">
              <code>{process.command}</code>
              {open === process.id ? <Output id={process.id} isRunning={process.status === "running"} /> : null}
            </div>
            <span class="side">
              {process.name ?? process.id} · {duration(process.duration_ms)}{" "}
              <button
                type="button"
                aria-expanded={open === process.id}
                onClick={() => setOpen(open === process.id ? undefined : process.id)}
              >
                Output
              </button>{" "}
              {process.status === "running" ? (
                <button type="button" onClick={() => void stop(process.id)}>
                  Stop
                </button>
              ) : null}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Output({ id, isRunning }: { id: string; isRunning: boolean }) {
  const output = useCall<{ output: string }>("process_output", { id, tail_lines: 200 }, 0, isRunning ? 1_000 : 0);
  return (
    <>
      <Problem text={output.error} />
      <pre class="output" tabIndex={0}>
        {output.value?.output || "(no output)"}
      </pre>
    </>
  );
}
