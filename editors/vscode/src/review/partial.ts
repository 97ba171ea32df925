// The part of a patch that was accepted, as arguments of `apply_edit`.
import { parse } from "./unified";
import type { ReviewedFile } from "./review";
import { ToolError } from "../server/failure";

/** What is looked at of a result of `apply_edit`. */
export interface Dry {
  changed: boolean;
  action?: string;
  files_left_out?: number;
  files: { path: string; changed: boolean; action?: ReviewedFile["action"]; moved_to?: string; diff: string }[];
}

export interface Edit {
  path: string;
  patches: { old_text: string; new_text: string; start_line: number; end_line: number }[];
}

/**
 * One edit for each file with accepted hunks; `chosen` are their numbers, for each changed file.
 *
 * @throws ToolError where files come, go or move: that is one step, made whole or not at all
 */
export function patches(dry: Dry, chosen: number[][]): Edit[] {
  const changed = dry.files.filter((file) => file.changed);
  if (changed.some(({ action }) => action !== undefined)) {
    throw new ToolError("E_UNSUPPORTED", "a patch that makes, deletes or moves files is accepted whole");
  }
  return changed.flatMap(({ path, diff }, index) => {
    const hunks = (parse(diff) ?? []).filter((_, hunk) => chosen[index]?.includes(hunk));
    const edit = hunks.map(({ before, after, old_start, old_lines }) => ({
      old_text: before.join(""),
      new_text: after.join(""),
      start_line: old_start,
      end_line: old_start + Math.max(old_lines - 1, 0),
    }));
    return edit.length > 0 ? [{ path, patches: edit }] : [];
  });
}
