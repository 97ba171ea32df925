//! Patches whose two texts both elide lines with a mark such as `...` or `// ... existing code ...`.
//!
//! The parts between the marks are matched separately, and the lines between their places stay. Both
//! texts must have the same number of marks, because only then is it clear which part of `new_text`
//! replaces which part of `old_text`.

use crate::guard::is_omission;
use crate::lines::{split_lines, trim};
use crate::patch::PatchTexts;

/// A text with more parts is more likely prose that uses ellipses.
const MAX_PARTS: usize = 8;

/// Whether a line is an elision mark.
fn is_elision(line: &str) -> bool {
    let line = trim(line);
    matches!(line, "..." | "…") || is_omission(line)
}

/// Whether a text has an elision mark.
pub(crate) fn has_elision(text: &str) -> bool {
    text.split(['\n', '\r']).any(is_elision)
}

/// The parts of a patch between its elision marks, in order; `None` if the texts have different
/// numbers of marks, or none.
pub(crate) fn elided_parts(texts: &PatchTexts<'_>) -> Option<Vec<PatchTexts<'static>>> {
    if !has_elision(&texts.old) || !has_elision(&texts.new) {
        return None;
    }
    let (old, new) = (split_at_elisions(&texts.old), split_at_elisions(&texts.new));
    if old.len() != new.len() || old.len() > MAX_PARTS {
        return None;
    }
    // A part that only adds text quotes nothing, so it has no place.
    if old.iter().zip(&new).any(|(old, new)| old.trim().is_empty() && !new.trim().is_empty()) {
        return None;
    }
    let parts: Vec<PatchTexts<'static>> = old
        .into_iter()
        .zip(new)
        .filter(|(old, _)| !old.trim().is_empty())
        .map(|(old, new)| PatchTexts { old: old.into(), new: new.into() })
        .collect();
    (!parts.is_empty()).then_some(parts)
}

fn split_at_elisions(text: &str) -> Vec<String> {
    let mut result = vec![String::new()];
    for text_line in split_lines(text) {
        if is_elision(text_line.content) {
            result.push(String::new());
        } else if let Some(last) = result.last_mut() {
            last.push_str(text_line.content);
            last.push_str(text_line.ending.as_str());
        }
    }
    result
}
