// What waits for the person: the whole text that an editor would show, and the same answers.

import { useState } from "preact/hooks";
import { answerApproval } from "./api";
import { describe, Problem, time } from "./parts";
import type { Approval } from "./types";

export function Approvals({ approvals }: { approvals: Approval[] }) {
  if (approvals.length === 0) {
    return null;
  }
  return (
    <section class="approvals" aria-label="Waiting for you" aria-live="polite">
      <h2>Waiting for you</h2>
      {approvals.map((approval) => (
        <One key={approval.id} approval={approval} />
      ))}
    </section>
  );
}

function One({ approval }: { approval: Approval }) {
  const [problem, setProblem] = useState<string>();
  const [isSent, setSent] = useState(false);
  const answer = (decision: string) => {
    setSent(true);
    answerApproval(approval.id, decision).then(
      ({ taken }) => !taken && setProblem("It has been answered already."),
      (failure: unknown) => {
        setSent(false);
        setProblem(describe(failure));
      },
    );
  };
  return (
    <article class="approval">
      <p>
        <strong>{approval.tool}</strong> since {time(approval.asked_at)}
      </p>
      <pre>{approval.question}</pre>
      <div class="buttons">
        {approval.answers.map(({ name, title }) => (
          <button
            key={name}
            type="button"
            class={name === "deny" ? "deny" : ""}
            disabled={isSent}
            onClick={() => answer(name)}
          >
            {title}
          </button>
        ))}
      </div>
      <Problem text={problem} />
    </article>
  );
}
