// Kept runs of builds, tests and linters, and what failed in one.

import { useState } from "preact/hooks";
import { Diff } from "./history";
import { duration, Empty, Problem, State, time, useCall } from "./parts";
import type { Build, BuildWhole } from "./types";

export function Builds({ changes }: { changes: number }) {
  const [open, setOpen] = useState<string>();
  const builds = useCall<{ builds: Build[] }>("build_list", { limit: 50 }, changes);
  const list = builds.value?.builds ?? [];
  return (
    <>
      <Problem text={builds.error} />
      {builds.value && list.length === 0 ? <Empty>Nothing has been built or tested.</Empty> : null}
      <ul class="rows">
        {list.map((build) => (
          <li key={build.id}>
            <State name={build.status} />
            <div class="main">
              {build.check} ({build.runner}){build.project === "." ? "" : ` in ${build.project}`}
              <span class="detail">
                {build.check === "test"
                  ? `${build.passed} passed, ${build.failed} failed`
                  : `${build.errors} errors, ${build.warnings} warnings`}
              </span>
              {open === build.id ? <Whole id={build.id} /> : null}
            </div>
            <span class="side">
              {duration(build.duration_ms)} · {time(build.started_at)}{" "}
              <button
                type="button"
                aria-expanded={open === build.id}
                onClick={() => setOpen(open === build.id ? undefined : build.id)}
              >
                Details
              </button>
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Whole({ id }: { id: string }) {
  const whole = useCall<BuildWhole>("build_status", { id }, 0);
  const place = (file?: string, line?: number) => (file ? `${file}${line ? `:${line}` : ""}: ` : "");
  const failures = whole.value?.failures ?? [];
  const diagnostics = whole.value?.diagnostics ?? [];
  return (
    <div class="preview">
      <Problem text={whole.error} />
      {whole.value ? <code>{whole.value.command}</code> : null}
      {failures.map((failure, at) => (
        <div key={at}>
          <p>
            <strong>{failure.name}</strong>
          </p>
          <pre>
            {place(failure.file, failure.line)}
            {failure.message}
          </pre>
          {failure.diff ? <Diff text={failure.diff} /> : null}
        </div>
      ))}
      {diagnostics.length > 0 ? (
        <pre>
          {diagnostics.map((one) => `${place(one.file, one.line)}${one.severity}: ${one.message}\n`)}
        </pre>
      ) : null}
      {whole.value && failures.length + diagnostics.length === 0 ? <Empty>It found nothing wrong.</Empty> : null}
    </div>
  );
}
