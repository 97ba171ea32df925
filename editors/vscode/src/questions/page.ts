// The page of the view "Approvals". A question's content is inserted as text, never as markup.

const STYLE = `
body { padding: 0 12px 12px; font: var(--vscode-font-size) var(--vscode-font-family); color: var(--vscode-foreground); }
section { padding: 10px 0; border-bottom: 1px solid var(--vscode-widget-border, transparent); }
h2 { margin: 0 0 8px; font-size: 1em; overflow-wrap: anywhere; }
pre { margin: 0 0 8px; padding: 6px 8px; white-space: pre-wrap;
  overflow-wrap: anywhere; font: var(--vscode-editor-font-size) var(--vscode-editor-font-family);
  background: var(--vscode-textCodeBlock-background); }
.quoted { display: block; padding-left: 8px; border-left: 3px solid var(--vscode-textBlockQuote-border, gray); }
.own { display: block; opacity: 0.8; }
.come { background: var(--vscode-diffEditor-insertedLineBackground); }
.gone { background: var(--vscode-diffEditor-removedLineBackground); }
div { position: sticky; bottom: 0; display: flex; flex-wrap: wrap; gap: 6px; padding: 6px 0;
  background: var(--vscode-sideBar-background); }
button { border: 0; border-radius: 2px; padding: 4px 10px; cursor: pointer; font: inherit;
  color: var(--vscode-button-secondaryForeground); background: var(--vscode-button-secondaryBackground); }
button.first { color: var(--vscode-button-foreground); background: var(--vscode-button-background); }
button:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: 2px; }
`;

const SCRIPT = `
const editor = acquireVsCodeApi();
const make = (name, text, kind) => {
  const made = document.createElement(name);
  made.textContent = text;
  if (kind) made.className = kind;
  return made;
};
// Lines that the server quotes begin with a bar, so that a command cannot pose as other text.
const line = (text, isDiff) => {
  const quoted = text.startsWith("| ");
  const own = quoted ? text.slice(2) : text;
  const isChange = isDiff && !/^(---|\\+\\+\\+) /.test(own);
  const side = isChange && own[0] === "+" ? " come" : isChange && own[0] === "-" ? " gone" : "";
  return make("span", own, quoted ? "quoted" + side : "own");
};
const shown = new Map();
const section = ({ id, line: effect, message, isDiff, answers }) => {
  const made = document.createElement("section");
  made.append(make("h2", "Tandem asks to " + effect));
  const text = document.createElement("pre");
  text.tabIndex = 0;
  text.append(...message.trim().split("\\n").map((each) => line(each, isDiff)));
  made.append(text);
  const row = document.createElement("div");
  answers.forEach(({ title, label, detail }, index) => {
    const button = make("button", label, index === 0 ? "first" : "");
    button.title = detail;
    button.setAttribute("aria-label", label + ": " + detail + ". " + effect);
    button.onclick = () => editor.postMessage({ id, title });
    row.append(button);
  });
  made.append(row);
  return made;
};
addEventListener("message", ({ data }) => {
  const open = new Set(data.questions.map(({ id }) => id));
  for (const [id, made] of shown) {
    if (!open.has(id)) { made.remove(); shown.delete(id); }
  }
  for (const question of data.questions) {
    // Existing entries stay in place: buttons must not move under the mouse.
    if (!shown.has(question.id)) {
      const made = section(question);
      shown.set(question.id, made);
      document.body.append(made);
    }
  }
  shown.get(data.show)?.scrollIntoView({ block: "start" });
});
editor.postMessage({ ready: true });
`;

/** The page. Only the script with this nonce runs, and nothing is loaded. */
export function page(nonce: string): string {
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<script nonce="${nonce}">${SCRIPT}</script>
</body>
</html>`;
}
