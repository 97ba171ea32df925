//! Texts with a line that stands for what is left out, in both of them: each piece between such
//! lines has a place of its own, and what is between the places stays.

use crate::guard::is_omission;
use crate::lines::{pieces, trim};
use crate::places::Wanted;

/// Pieces beyond which a text is rather prose with dots.
const MOST: usize = 8;

/// Whether a line stands for lines that are left out.
fn is_elision(line: &str) -> bool {
    let line = trim(line);
    matches!(line, "..." | "…") || is_omission(line)
}

/// Whether a text has such a line.
pub(crate) fn elides(text: &str) -> bool {
    text.split(['\n', '\r']).any(is_elision)
}

/// The pieces of a patch whose texts leave out as much as each other, in order; `None` if it is
/// no such patch.
pub(crate) fn pieces_of(wanted: &Wanted<'_>) -> Option<Vec<Wanted<'static>>> {
    if !elides(&wanted.old) || !elides(&wanted.new) {
        return None;
    }
    let (old, new) = (cut(&wanted.old), cut(&wanted.new));
    if old.len() != new.len() || old.len() > MOST {
        return None;
    }
    // Text that is put in beside nothing has no place.
    if old.iter().zip(&new).any(|(old, new)| old.trim().is_empty() && !new.trim().is_empty()) {
        return None;
    }
    let pieces: Vec<Wanted<'static>> = old
        .into_iter()
        .zip(new)
        .filter(|(old, _)| !old.trim().is_empty())
        .map(|(old, new)| Wanted { old: old.into(), new: new.into() })
        .collect();
    (!pieces.is_empty()).then_some(pieces)
}

fn cut(text: &str) -> Vec<String> {
    let mut result = vec![String::new()];
    for piece in pieces(text) {
        if is_elision(piece.content) {
            result.push(String::new());
        } else if let Some(last) = result.last_mut() {
            last.push_str(piece.content);
            last.push_str(piece.ending.as_str());
        }
    }
    result
}
