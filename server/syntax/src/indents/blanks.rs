//! Files that write eight blanks as a tab, whatever their step is, as some editors do.

use text::Text;

use super::ties::{TAB, width};

/// Lines that are looked at.
const SAMPLE: usize = 1_000;
/// Furthest to the right that is told apart.
const FAR: usize = 4_000;

/// Whether a file has tabs for eight blanks and steps that are less: lines that are not deep begin
/// with blanks, deep ones with tabs.
pub(crate) fn packs_tabs(text: &Text) -> bool {
    let (mut tabs, mut shallow, mut deep) = (0, 0, 0);
    for line in 0..text.line_count().min(SAMPLE) {
        let line = text.line(line);
        let blanks = line.len() - line.trim_start_matches(' ').len();
        match blanks {
            _ if line.trim().is_empty() => {}
            0 => tabs += usize::from(line.starts_with('\t')),
            // What goes on in a comment.
            1 => {}
            _ if blanks < TAB => shallow += 1,
            _ => deep += 1,
        }
    }
    tabs > 0 && shallow * 4 >= tabs && deep * 2 <= tabs
}

/// As far to the right, by spaces alone.
pub(crate) fn spread(blanks: &str) -> String {
    " ".repeat(width(blanks).min(FAR))
}

/// As far to the right, by tabs as far as they reach.
pub(super) fn packed(blanks: &str) -> String {
    let width = width(blanks);
    "\t".repeat(width / TAB) + &" ".repeat(width % TAB)
}
