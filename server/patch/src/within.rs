//! Lines above a place, as the envelope's `@@` gives them: they rank candidates.

use crate::lines::{indent, is_blank, trim};
use crate::places::Place;
use crate::snapshot::Snapshot;

/// Candidates that are looked at.
const COMPARED: usize = 1000;

/// The candidates inside the block that the lines of `within` open; all of them if that
/// is none. O(candidates × block).
pub(crate) fn inside(snapshot: &Snapshot<'_>, places: Vec<Place>, within: &[String]) -> Vec<Place> {
    if within.is_empty() || places.len() < 2 || places.len() > COMPARED {
        return places;
    }
    let kept: Vec<Place> =
        places.iter().filter(|place| is_inside(snapshot, place, within)).cloned().collect();
    if kept.is_empty() { places } else { kept }
}

/// Whether the blocks around a place are opened by these lines, the last one innermost.
fn is_inside(snapshot: &Snapshot<'_>, place: &Place, within: &[String]) -> bool {
    let lines = snapshot.lines();
    let first = lines.line_at(place.span.start);
    let mut wanted = within.iter().rev().map(|line| trim(line)).peekable();
    // The line itself may be the one that opens the block.
    let opens = |line: usize, head: &str| {
        let content = trim(lines.content(line));
        content == head
            || content
                .strip_prefix(head)
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    };
    let mut depth = indent(lines.content(first)).len();
    if wanted.peek().is_some_and(|head| opens(first, head)) {
        wanted.next();
    }
    for line in (0..first).rev() {
        let Some(head) = wanted.peek() else { break };
        let content = lines.content(line);
        if is_blank(content) || indent(content).len() >= depth {
            continue;
        }
        depth = indent(content).len();
        if opens(line, head) {
            wanted.next();
        }
    }
    wanted.peek().is_none()
}
