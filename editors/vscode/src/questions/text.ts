// What a question says first, and what its answers are called.

/** Longest text that a notification shows whole, in characters. */
const SHORT = 300;

/** A question as the server asks it (`window/showMessageRequest`). */
export interface Params {
  type: number;
  message: string;
  actions?: { title: string }[];
  /** What is to be done, in one line; an earlier server does not say it. */
  tandem?: { summary: string; is_whole: boolean };
}

export interface Effect {
  /** What is to be done, in one line. */
  line: string;
  /** Whether that leaves out nothing: what has not been seen whole can be refused, not allowed. */
  isWhole: boolean;
}

export function effect({ message, tandem }: Params): Effect {
  if (tandem) {
    return { line: plain(tandem.summary), isWhole: tandem.is_whole };
  }
  const [first = "", ...rest] = message.trim().split(/\r\n|[\r\n]/);
  const isWhole = rest.length === 0 && first.length <= SHORT;
  return { line: plain([...first].slice(0, SHORT).join("")), isWhole };
}

/** How an answer of the server's is shown. */
export interface Label {
  /** Short enough for five buttons in a notification. */
  label: string;
  /** What it holds for. */
  detail: string;
}

const LABELS: Record<string, Label> = {
  "Allow once": { label: "Allow", detail: "this once" },
  "Allow for this session": {
    label: "Session",
    detail: "and calls like it until this window closes",
  },
  "Always allow exactly this": { label: "Always…", detail: "exactly this, in every session" },
  Deny: { label: "Deny", detail: "do not do it" },
};

export const DETAILS = "Details";

/** An answer that holds for good is confirmed. */
export const ALWAYS = "Always allow exactly this";

export function labelOf(title: string): Label {
  return LABELS[title] ?? { label: title, detail: "" };
}

export function isNo(title: string): boolean {
  return title === "Deny";
}

/** The answers that may be given, if all that has been seen is one line. */
export function offered(titles: string[], { isWhole }: Effect): string[] {
  return isWhole ? titles : titles.filter(isNo);
}

/** Notifications show `[text](address)` as a link, which would hide what is asked for. */
export function plain(text: string): string {
  return text.replaceAll("](", "] (");
}

/** Whether a text is, in part, a unified diff. */
export function isDiff(message: string): boolean {
  return /^(?:\| )?@@ -\d+(,\d+)? \+\d+(,\d+)? @@/m.test(message);
}
