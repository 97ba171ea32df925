//! Patches without `old_text`, which only add lines: below an anchor, or at the end of the text.

use crate::lines::LineEnding;
use crate::patch::Patch;
use crate::plan::{Edit, Outcome, OutcomeKind, Strategy};
use crate::settle::ResolvedPatch;
use crate::snapshot::Snapshot;
use crate::within;

/// Plans the insertion; `None` if the patch has no place for it, or no unique one.
pub(crate) fn place_addition(snapshot: &Snapshot<'_>, patch: &Patch) -> Option<ResolvedPatch> {
    let lines = snapshot.lines();
    if lines.len() == 0 || patch.new_text.is_empty() {
        return None;
    }
    let end = snapshot.text.len();
    let offset = if !patch.within.is_empty() {
        let heads: Vec<&str> = patch.within.iter().map(String::as_str).collect();
        lines.range(within::unique_line(snapshot, &heads)?).end
    } else if patch.at_end || patch.start_line == Some(lines.len()) {
        end
    } else {
        return None;
    };
    let near = snapshot.ending_near(&(offset.saturating_sub(1)..offset));
    let ending = if near == LineEnding::None { "\n" } else { near.as_str() };
    let mut text = crate::eol::LfText::new(&patch.new_text).text.replace('\n', ending);
    let line = lines.line_at(offset.saturating_sub(1)) + 1;
    let is_there = snapshot.text[offset..].starts_with(text.as_str())
        || (offset == end && snapshot.text.ends_with(text.as_str()));
    if !snapshot.text[..offset].ends_with(['\n', '\r']) {
        // A text without a final newline keeps having none.
        text = format!("{ending}{}", text.trim_end_matches(['\n', '\r']));
    }
    let kind = if is_there { OutcomeKind::AlreadyApplied } else { OutcomeKind::Applied };
    let outcome = Outcome {
        kind,
        strategy: Strategy::Exact,
        similarity: None,
        start_line: line,
        end_line: line,
        hint_off_by: None,
        notes: Vec::new(),
    };
    let (edits, spans) = match is_there {
        true => (Vec::new(), Vec::new()),
        false => {
            let edit = Edit { range: offset..offset, new_text: text };
            (vec![edit], std::iter::once(offset..offset).collect())
        }
    };
    Some(ResolvedPatch { outcome, edits, spans })
}
