// The lines that an edit of the server (`workspace/applyEdit`) changes.
import { quotedAlike } from "../server/uri";
import type { Span } from "../state/report";

interface TextEdit {
  range: Span;
  newText: string;
}

/** The fields of the parameters that are read. */
export interface ApplyEdit {
  edit: {
    documentChanges?: { textDocument?: { uri: string }; edits?: TextEdit[] }[];
    changes?: Record<string, TextEdit[]>;
  };
}

/** 0-based lines after the edit, without the end; empty where lines were removed. */
export interface Lines {
  from: number;
  to: number;
}

/** The changed lines of each document. */
export function changedLines({ edit }: ApplyEdit): Map<string, Lines[]> {
  const found = new Map<string, Lines[]>();
  const documents = [
    ...(edit.documentChanges ?? []).map(({ textDocument, edits }) => [textDocument?.uri, edits] as const),
    ...Object.entries(edit.changes ?? {}),
  ];
  for (const [uri, edits] of documents) {
    if (uri !== undefined && edits !== undefined) {
      found.set(quotedAlike(uri), lines(edits));
    }
  }
  return found;
}

function lines(edits: TextEdit[]): Lines[] {
  const sorted = [...edits].sort(
    ({ range: { start: a } }, { range: { start: b } }) => a.line - b.line || a.character - b.character,
  );
  // Lines that earlier edits have added or removed.
  let moved = 0;
  return sorted.map(({ range: { start, end }, newText }) => {
    const added = newText.split("\n").length - 1;
    const first = start.line + moved;
    moved += added - (end.line - start.line);
    if (newText === "") {
      // An edit within a line changes the line; a removal of whole lines leaves an empty range.
      return start.line === end.line ? { from: first, to: first + 1 } : { from: first, to: first };
    }
    // A text that begins or ends with a line break does not change the line before or after it.
    const from = newText.startsWith("\n") && start.character > 0 ? first + 1 : first;
    const to = newText.endsWith("\n") && end.character === 0 ? first + added : first + added + 1;
    return { from, to: Math.max(to, from) };
  });
}
