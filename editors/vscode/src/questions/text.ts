// The first line of a question, and the labels of its answers.

/** The longest text that a notification shows in full, in characters. */
const SHORT = 300;

/** A question as the server asks it (`window/showMessageRequest`). */
export interface Params {
  type: number;
  message: string;
  actions?: { title: string }[];
  /** The call in one line; earlier servers do not send it. */
  tandem?: { summary: string; is_whole: boolean };
}

export interface Effect {
  /** The call in one line. */
  line: string;
  /** Whether the line omits nothing: what was not seen in full can be denied, not allowed. */
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

/** How an answer is displayed. */
export interface Label {
  /** Short enough for five buttons in a notification. */
  label: string;
  /** What it applies to. */
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

/** A permanent answer, which needs confirmation. */
export const ALWAYS = "Always allow exactly this";

export function labelOf(title: string): Label {
  return LABELS[title] ?? { label: title, detail: "" };
}

export function isNo(title: string): boolean {
  return title === "Deny";
}

/** The possible answers if only one line was seen. */
export function offered(titles: string[], { isWhole }: Effect): string[] {
  return isWhole ? titles : titles.filter(isNo);
}

/** Notifications render `[text](address)` as a link, which would hide part of the text. */
export function plain(text: string): string {
  return text.replaceAll("](", "] (");
}

/** Whether a text contains a unified diff. */
export function isDiff(message: string): boolean {
  return /^(?:\| )?@@ -\d+(,\d+)? \+\d+(,\d+)? @@/m.test(message);
}
