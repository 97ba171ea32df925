import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Approvals } from "./approvals";
import { Builds } from "./builds";
import { Calls } from "./calls";
import { Figures } from "./figures";
import { History } from "./history";
import { Processes } from "./processes";
import { Sessions } from "./sessions";
import { start, useStore } from "./store";
import "./style.css";

const TABS = ["Calls", "History", "Processes", "Checks", "Sessions", "Figures"] as const;
type Tab = (typeof TABS)[number];

const CONNECTIONS = {
  connecting: "connecting",
  live: "live",
  lost: "the server does not answer; trying again",
  refused: "the token is missing or wrong; open the address that `tandem dashboard` prints",
};

function Page() {
  const state = useStore();
  const [tab, setTab] = useState<Tab>("Calls");
  const tabs = useRef<HTMLDivElement>(null);
  const waiting = state.approvals.length;
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ""}${state.workspace || "Tandem"}`;
  }, [waiting, state.workspace]);
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) {
      return;
    }
    event.preventDefault();
    const next = TABS[(TABS.indexOf(tab) + step + TABS.length) % TABS.length] ?? "Calls";
    setTab(next);
    tabs.current?.querySelector<HTMLElement>(`#tab-${next}`)?.focus();
  };
  const running = state.calls.filter((call) => call.state === "running").length;
  return (
    <>
      <header>
        <h1>{state.workspace || "Tandem"}</h1>
        <p role="status" class={`connection ${state.connection}`}>
          {CONNECTIONS[state.connection]}
          {state.connection === "live" && running > 0 ? `, ${running} running` : ""}
        </p>
      </header>
      <main>
        <Approvals approvals={state.approvals} />
        <div class="tabs" role="tablist" aria-label="Views" ref={tabs} onKeyDown={move}>
          {TABS.map((name) => (
            <button
              key={name}
              id={`tab-${name}`}
              type="button"
              role="tab"
              aria-selected={tab === name}
              aria-controls="view"
              tabIndex={tab === name ? 0 : -1}
              onClick={() => setTab(name)}
            >
              {name}
            </button>
          ))}
        </div>
        <section id="view" role="tabpanel" aria-labelledby={`tab-${tab}`}>
          {state.connection === "refused" ? null : tab === "Calls" ? (
            <Calls calls={state.calls} />
          ) : tab === "History" ? (
            <History changes={state.changes} />
          ) : tab === "Processes" ? (
            <Processes changes={state.changes} />
          ) : tab === "Checks" ? (
            <Builds changes={state.changes} />
          ) : tab === "Sessions" ? (
            <Sessions />
          ) : (
            <Figures calls={state.calls} health={state.health} changes={state.changes} />
          )}
        </section>
      </main>
    </>
  );
}

start();
const root = document.getElementById("app");
if (root) {
  render(<Page />, root);
}
