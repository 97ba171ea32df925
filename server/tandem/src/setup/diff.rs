//! Prints what a change does to a file.

use std::time::Duration;

use anstyle::{AnsiColor, Style};
use similar::TextDiff;

use crate::stdout::print_line;

/// Lines around a change. Few: what is around is other servers, often with their secrets.
const CONTEXT: usize = 1;
/// Longest line that is printed.
const MAX_LINE: usize = 200;
/// Time limit of the comparison; after it, the diff is longer than necessary.
const TIME_LIMIT: Duration = Duration::from_secs(1);

pub(super) fn print(old: &str, new: &str) {
    let diff = TextDiff::configure().timeout(TIME_LIMIT).diff_lines(old, new);
    let diff = diff.unified_diff().context_radius(CONTEXT).missing_newline_hint(false).to_string();
    for line in diff.lines() {
        let style = match line.as_bytes().first() {
            Some(b'+') => Style::new().fg_color(Some(AnsiColor::Green.into())),
            Some(b'-') => Style::new().fg_color(Some(AnsiColor::Red.into())),
            Some(b'@') => Style::new().fg_color(Some(AnsiColor::Cyan.into())),
            _ => Style::new(),
        };
        print_line!("  {style}{}{style:#}", shown(line));
    }
}

/// A line without control characters, which a terminal would obey, and not too long.
fn shown(line: &str) -> String {
    let mut shown: String = line
        .trim_end_matches('\r')
        .chars()
        .take(MAX_LINE)
        .map(|c| if c.is_control() && c != '\t' { '\u{fffd}' } else { c })
        .collect();
    let more = line.chars().count().saturating_sub(MAX_LINE);
    if more > 0 {
        shown.push_str(&format!(" … ({more} more characters)"));
    }
    shown
}
