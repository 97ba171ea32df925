//! Files that write every eight columns of indentation as a tab, whatever their indentation step,
//! as some editors do.

use text::Text;

use super::anchors::{TAB_WIDTH, width};

/// Number of lines that are inspected.
const INSPECTED_LINES: usize = 1_000;
/// Largest column that is expanded.
const MAX_ALIGNMENT: usize = 4_000;

/// Whether a file uses tabs for eight columns while its step is smaller: shallow lines start with
/// spaces, deep ones with tabs.
pub(crate) fn uses_mixed_tabs(text: &Text) -> bool {
    let (mut tabs, mut shallow, mut deep) = (0, 0, 0);
    for line in 0..text.line_count().min(INSPECTED_LINES) {
        let line = text.line(line);
        let blanks = line.len() - line.trim_start_matches(' ').len();
        match blanks {
            _ if line.trim().is_empty() => {}
            0 => tabs += usize::from(line.starts_with('\t')),
            // Continuation lines of a comment.
            1 => {}
            _ if blanks < TAB_WIDTH => shallow += 1,
            _ => deep += 1,
        }
    }
    tabs > 0 && shallow * 4 >= tabs && deep * 2 <= tabs
}

/// The same width in spaces only.
pub(crate) fn expand_tabs(blanks: &str) -> String {
    " ".repeat(width(blanks).min(MAX_ALIGNMENT))
}

/// The same width in tabs, with spaces for the remainder.
pub(super) fn pack_tabs(blanks: &str) -> String {
    let width = width(blanks);
    "\t".repeat(width / TAB_WIDTH) + &" ".repeat(width % TAB_WIDTH)
}
