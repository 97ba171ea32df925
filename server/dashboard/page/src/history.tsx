// What tools changed, and its undo: first what it would change, then the change.

import { useState } from "preact/hooks";
import { call } from "./api";
import { describe, Empty, Problem, State, time, useCall } from "./parts";
import type { Action, Undone } from "./types";

export function History({ changes }: { changes: number }) {
  const actions = useCall<{ actions: Action[] }>("get_action_history", { limit: 100 }, changes);
  const list = actions.value?.actions ?? [];
  return (
    <>
      <Problem text={actions.error} />
      {actions.value && list.length === 0 ? <Empty>Nothing has been changed.</Empty> : null}
      <ul class="rows">
        {list.map((action) => (
          <One key={action.id} action={action} onUndone={actions.reload} />
        ))}
      </ul>
    </>
  );
}

function One({ action, onUndone }: { action: Action; onUndone: () => void }) {
  const [preview, setPreview] = useState<Undone>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const undo = (isDryRun: boolean) => {
    setBusy(true);
    setProblem(undefined);
    call<Undone>("undo_action", { action: action.id, dry_run: isDryRun })
      .then(
        (undone) => {
          setPreview(isDryRun ? undone : undefined);
          if (!isDryRun) {
            onUndone();
          }
        },
        (failure: unknown) => setProblem(describe(failure)),
      )
      .finally(() => setBusy(false));
  };
  return (
    <li>
      <State name={action.state} />
      <div class="main">
        {action.summary}
        <span class="detail">
          {action.files.map((file) => `${file.path} (${file.kind})`).join(", ")}
          {action.files_left_out ? ` and ${action.files_left_out} more` : ""}
        </span>
        {preview ? (
          <div class="preview">
            <p>{preview.changed ? "Undoing it would change:" : "Undoing it would change nothing."}</p>
            {preview.files.map((file) => (
              <div key={file.path}>
                <p>
                  {file.path} ({file.kind})
                </p>
                {file.diff ? <Diff text={file.diff} /> : null}
              </div>
            ))}
            <div class="buttons">
              <button type="button" disabled={isBusy} onClick={() => undo(false)}>
                Undo it
              </button>
              <button type="button" disabled={isBusy} onClick={() => setPreview(undefined)}>
                Leave it
              </button>
            </div>
          </div>
        ) : null}
        <Problem text={problem} />
      </div>
      <span class="side">
        {action.tool} · {time(action.time)}{" "}
        {action.state === "done" && action.undoable && !preview ? (
          <button type="button" disabled={isBusy} onClick={() => undo(true)}>
            Undo…
          </button>
        ) : null}
      </span>
    </li>
  );
}

export function Diff({ text }: { text: string }) {
  return (
    <pre class="diff">
      {text.split("\n").map((line, at) => {
        const kind = line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "";
        return (
          <span key={at} class={kind}>
            {line}
            {"\n"}
          </span>
        );
      })}
    </pre>
  );
}
