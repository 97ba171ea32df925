// The text of the status item. The language status renders link syntax, so lines are made plain.
import { plain } from "../questions/text";

export interface Health {
  health: "ok" | "warning" | "error";
  quiescent: boolean;
  message?: string;
  /** Indexed files. */
  files?: number;
  /** Running tool calls. */
  agents?: number;
  lastError?: string;
}

export interface Shown {
  text: string;
  lines: string[];
  severity: "none" | "warning" | "error";
}

export interface Whole {
  state: "starting" | "running" | "stopped" | "failed" | "missing";
  problem?: string | undefined;
  version?: string | undefined;
  health?: Health | undefined;
  /** Open questions. */
  questions: number;
  /** Open reviews. */
  reviews: number;
  /** Running calls seen here, for servers that do not count them. */
  calls: number;
  trusted: boolean;
}

export function present(whole: Whole): Shown {
  const { state, health, questions, reviews } = whole;
  const name = "Tandem";
  if (state === "missing" || state === "failed") {
    return { text: `$(error) ${name}`, lines: [plain(whole.problem ?? "not running")], severity: "error" };
  }
  if (state === "stopped") {
    return { text: `$(circle-slash) ${name}`, lines: ["not running"], severity: "none" };
  }
  if (state === "starting") {
    return { text: `$(loading~spin) ${name}`, lines: ["starting"], severity: "none" };
  }
  const agents = health?.agents ?? whole.calls;
  const lines = [`server ${whole.version ?? ""}`.trim()];
  if (health) {
    const files = health.files === undefined ? "" : `: ${health.files} files`;
    lines.push((health.quiescent ? "workspace indexed" : "indexing") + files);
  }
  lines.push(agents === 0 ? "no tool calls running" : plural(agents, "tool call", "running"));
  if (questions > 0) {
    lines.push(plural(questions, "question", "waiting for you"));
  }
  if (reviews > 0) {
    lines.push(plural(reviews, "proposal", "waiting for you"));
  }
  if (health?.message) {
    lines.push(plain(health.message));
  }
  if (health?.lastError) {
    lines.push(plain(`last error: ${health.lastError}`));
  }
  if (!whole.trusted) {
    lines.push("workspace not trusted: nothing runs");
  }
  return { text: text(whole, agents), lines, severity: severity(whole) };
}

function text({ health, questions, reviews }: Whole, agents: number): string {
  const waiting = [
    ...(questions > 0 ? [`${questions} to allow`] : []),
    ...(reviews > 0 ? [`${reviews} to review`] : []),
  ];
  if (waiting.length > 0) {
    return `$(${questions > 0 ? "question" : "git-pull-request"}) Tandem: ${waiting.join(", ")}`;
  }
  if (health?.health === "error" || health?.health === "warning") {
    return `$(${health.health}) Tandem`;
  }
  if (agents > 0) {
    return `$(hubot) Tandem ${agents}`;
  }
  return health?.quiescent === false ? "$(loading~spin) Tandem" : "$(arrow-swap) Tandem";
}

function severity({ health, questions, reviews }: Whole): Shown["severity"] {
  if (health?.health === "error") {
    return "error";
  }
  return questions + reviews > 0 || health?.health === "warning" ? "warning" : "none";
}

function plural(count: number, noun: string, rest: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"} ${rest}`;
}
