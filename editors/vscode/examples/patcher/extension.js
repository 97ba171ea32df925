// A plugin that replaces a text in several files through Tandem: it searches, shows what would change,
// applies what the person accepts, and offers to undo it. It keeps no text itself, so unsaved text is never
// lost.
const vscode = require("vscode");

exports.activate = (context) => {
  context.subscriptions.push(vscode.commands.registerCommand("patcher.replace", replace));
};

/** Tests pass the words. */
async function replace(search, replacement) {
  const tandem = await vscode.extensions.getExtension("tandem.tandem").activate();
  search ??= await vscode.window.showInputBox({ prompt: "Which text?" });
  replacement ??= search && (await vscode.window.showInputBox({ prompt: "What instead?" }));
  if (!search || replacement === undefined) {
    return undefined;
  }
  try {
    const { matches } = await tandem.call("grep_search", { pattern: search, literal: true });
    const edits = patches(matches, search, replacement);
    if (edits.length === 0) {
      return void vscode.window.showInformationMessage("Patcher: nowhere.");
    }
    const title = `replace “${search}” by “${replacement}”`;
    const { applied, action } = await tandem.previewPatch({ edits }, title);
    if (applied && (await vscode.window.showInformationMessage(`Patcher: ${title}`, "Undo"))) {
      await tandem.call("undo_action", { action });
    }
    return applied;
  } catch (error) {
    // Errors have a code to act on, and a hint.
    void vscode.window.showErrorMessage(`Patcher: ${error.code}: ${error.message} ${error.hint ?? ""}`);
    return error.code;
  }
}

/** One edit a file, one patch a line. The line hint decides between equal lines. */
function patches(matches, search, replacement) {
  const files = new Map();
  for (const { path, line_number, line } of matches) {
    const patch = {
      old_text: line,
      new_text: line.replaceAll(search, replacement),
      start_line: line_number,
      end_line: line_number,
    };
    files.set(path, [...(files.get(path) ?? []), patch]);
  }
  return [...files].map(([path, all]) => ({ path, patches: all }));
}
