// The accepted part of a patch, as arguments of `apply_edit`.
import { parse } from "./unified";
import type { ReviewedFile } from "./review";
import { ToolError } from "../server/failure";

/** The fields of `apply_edit`'s result that are read. */
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
 * One edit for each file with accepted hunks; `chosen` has their numbers for each changed file.
 *
 * @throws ToolError if files are created, deleted or moved: that is one step, made completely or not at all
 */
export function patches(dry: Dry, chosen: number[][]): Edit[] {
  const changed = dry.files.filter((file) => file.changed);
  if (changed.some(({ action }) => action !== undefined)) {
    throw new ToolError("E_UNSUPPORTED", "a patch that creates, deletes or moves files must be accepted as a whole");
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
