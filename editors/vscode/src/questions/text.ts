// What of a question fits into a notification.

/** Longest text that a notification shows whole, in characters, and its most lines. */
const SHORT = 300;
const FEW = 8;

export interface Cut {
  text: string;
  /** Whether `text` is all there is to read. */
  whole: boolean;
}

/** Notifications break no lines, so line breaks are spelled out; a long text is only begun. */
export function summary(message: string): Cut {
  const lines = message.trim().split(/\r\n|[\r\n]/);
  const all = lines.join(" ⏎ ");
  if (lines.length <= FEW && all.length <= SHORT) {
    return { text: plain(all), whole: true };
  }
  const begin = [...lines.slice(0, 2).join(" ⏎ ")].slice(0, SHORT).join("");
  return { text: plain(`${begin} …`), whole: false };
}

/** Notifications show `[text](address)` as a link, which would hide what is asked for. */
export function plain(text: string): string {
  return text.replaceAll("](", "] (");
}

/** Whether a text is, in part, a unified diff. */
export function isDiff(message: string): boolean {
  return /^@@ -\d+(,\d+)? \+\d+(,\d+)? @@/m.test(message);
}
