// Tool calls as they run.

import { useMemo, useState } from "preact/hooks";
import { duration, Empty, State, time } from "./parts";
import type { Call } from "./types";

/** Rows that are in the page; a filter finds older calls. */
const MAX_ROWS = 200;

export function Calls({ calls }: { calls: Call[] }) {
  const [filter, setFilter] = useState("");
  const [isOnlyChanges, setOnlyChanges] = useState(false);
  const found = useMemo(() => {
    const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
    return calls.filter((call) => {
      const text = `${call.title} ${call.client ?? ""} ${call.state} ${call.error ?? ""}`.toLowerCase();
      return words.every((word) => text.includes(word)) && (!isOnlyChanges || call.action !== undefined);
    });
  }, [calls, filter, isOnlyChanges]);
  return (
    <>
      <div class="filters">
        <label>
          Filter{" "}
          <input type="search" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
        </label>
        <label>
          <input
            type="checkbox"
            checked={isOnlyChanges}
            onChange={(event) => setOnlyChanges(event.currentTarget.checked)}
          />{" "}
          only changes
        </label>
        <span class="count">
          {found.length} of {calls.length}
        </span>
      </div>
      {found.length === 0 ? (
        <Empty>No calls yet.</Empty>
      ) : (
        <ul class="rows">
          {found.slice(0, MAX_ROWS).map((call) => (
            <li key={call.id} data-call={call.tool}>
              <State name={call.state} />
              <span class="main">
                {call.title}
                {call.error ? <span class="detail">{call.error}</span> : null}
              </span>
              <span class="side">
                {call.client ? `${call.client} · ` : ""}
                {call.duration_ms === undefined ? "" : `${duration(call.duration_ms)} · `}
                {time(call.started)}
              </span>
            </li>
          ))}
        </ul>
      )}
      {found.length > MAX_ROWS ? <Empty>Older calls are found by a filter.</Empty> : null}
    </>
  );
}
