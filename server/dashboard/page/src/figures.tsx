// Figures of the workspace and of the server.

import { useMemo, useState } from "preact/hooks";
import { duration, Problem, useCall } from "./parts";
import type { Call, Health, Overview } from "./types";

const PERIODS = ["1h", "24h", "7d"];

export function Figures({ calls, health, changes }: { calls: Call[]; health?: Health; changes: number }) {
  const [period, setPeriod] = useState("24h");
  const overview = useCall<Overview>("workspace_overview", { period }, changes, 5_000);
  const value = overview.value;
  const figures: [string, string][] = value
    ? [
        ["Repositories", `${value.repositories}`],
        ["Processes that run", `${value.processes}`],
        ["Agents at work", `${value.active_sessions}`],
        ["Sessions created", `${value.sessions}`],
        ["Messages", `${value.messages}`],
        ["Builds and tests", `${value.builds.total}: ${value.builds.passed} passed, ${value.builds.failed} failed`],
        ["Their duration", duration(value.builds.average_ms) || "none"],
      ]
    : [];
  if (health) {
    figures.push(
      ["Memory of the server", `${(health.memory_bytes / 2 ** 20).toFixed(0)} MB`],
      ["Its threads", `${health.threads}`],
    );
  }
  return (
    <>
      <div class="filters">
        <label>
          Period{" "}
          <select value={period} onChange={(event) => setPeriod(event.currentTarget.value)}>
            {PERIODS.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      </div>
      <Problem text={overview.error} />
      <dl class="figures">
        {figures.map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <Tools calls={calls} />
    </>
  );
}

/** How long the calls of each tool took, of those that the page has. */
function Tools({ calls }: { calls: Call[] }) {
  const rows = useMemo(() => {
    const byTool = new Map<string, number[]>();
    for (const { tool, duration_ms } of calls) {
      if (duration_ms !== undefined) {
        byTool.set(tool, [...(byTool.get(tool) ?? []), duration_ms]);
      }
    }
    const rows = [...byTool].map(([tool, times]) => {
      times.sort((one, other) => one - other);
      const at = (part: number) => times[Math.ceil(part * times.length) - 1];
      return { tool, count: times.length, median: at(0.5), most: at(0.95) };
    });
    return rows.sort((one, other) => other.count - one.count).slice(0, 30);
  }, [calls]);
  if (rows.length === 0) {
    return null;
  }
  return (
    <table>
      <caption>Calls of this page, by tool</caption>
      <thead>
        <tr>
          <th scope="col">Tool</th>
          <th scope="col">Calls</th>
          <th scope="col">Median</th>
          <th scope="col">95 %</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.tool}>
            <th scope="row">{row.tool}</th>
            <td>{row.count}</td>
            <td>{duration(row.median)}</td>
            <td>{duration(row.most)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
