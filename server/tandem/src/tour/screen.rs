//! Prints the tour, with colors if the terminal supports them.

use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};

use crate::stdout::print_line;

/// Prints the tour and keeps its timings.
pub(super) struct Screen {
    timings: Vec<(String, Duration)>,
}

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

fn color(color: AnsiColor) -> Style {
    Style::new().fg_color(Some(color.into()))
}

/// Longest line printed, in characters, as source lines can be very long.
const MAX_WIDTH: usize = 110;

/// Makes text from files safe to print: no control characters, limited length.
fn printable(text: &str) -> String {
    let clean = text.chars().map(|c| if c.is_control() && c != '\t' { '·' } else { c });
    clean.take(MAX_WIDTH).collect()
}

impl Screen {
    pub(super) fn new() -> Self {
        Self { timings: Vec::new() }
    }

    pub(super) fn title(&self, text: &str) {
        print_line!("{BOLD}{}{BOLD:#}", printable(text));
    }

    pub(super) fn section(&self, text: &str) {
        let style = color(AnsiColor::Cyan).bold();
        print_line!("\n{style}{}{style:#}", printable(text));
    }

    pub(super) fn line(&self, text: &str) {
        print_line!("  {}", printable(text));
    }

    pub(super) fn dim(&self, text: &str) {
        print_line!("  {DIM}{}{DIM:#}", printable(text));
    }

    pub(super) fn item(&self, depth: usize, name: &str, detail: &str) {
        let detail: String = printable(detail).chars().take(60).collect();
        print_line!("  {}{} {DIM}{detail}{DIM:#}", "  ".repeat(depth), printable(name));
    }

    pub(super) fn share(&self, name: &str, share: f64, rest: &str) {
        const BAR: usize = 20;
        let style = color(AnsiColor::Green);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let full = ((share * BAR as f64).round() as usize).clamp(1, BAR);
        let bar = format!("{}{}", "█".repeat(full), "·".repeat(BAR - full));
        print_line!("  {name:<11}{style}{bar}{style:#} {rest}");
    }

    /// Prints a line of code with its number, and a mark under a part of it.
    pub(super) fn code(&self, number: usize, line: &str, column: usize, length: usize) {
        let style = color(AnsiColor::Yellow);
        let line: String = line.chars().map(|c| if c == '\t' { ' ' } else { c }).collect();
        print_line!("  {DIM}{number:>5}{DIM:#} {}", printable(&line));
        if column < MAX_WIDTH {
            let mark = "^".repeat(length.clamp(1, MAX_WIDTH - column));
            print_line!("        {:column$}{style}{mark}{style:#}", "");
        }
    }

    pub(super) fn diff(&self, diff: &str) {
        for line in diff.lines() {
            let style = match line.as_bytes().first() {
                Some(b'+') => color(AnsiColor::Green),
                Some(b'-') => color(AnsiColor::Red),
                Some(b'@') => color(AnsiColor::Cyan),
                _ => DIM,
            };
            print_line!("  {style}{}{style:#}", printable(line));
        }
    }

    /// Records the time since `started`.
    pub(super) fn timed(&mut self, what: &str, started: Instant) {
        self.timed_for(what, started.elapsed());
    }

    /// Records a duration.
    pub(super) fn timed_for(&mut self, what: &str, time: Duration) {
        self.timings.push((what.to_owned(), time));
    }

    pub(super) fn timings(&self) {
        self.section("Timings, as an editor sees them");
        for (what, time) in &self.timings {
            let ms = time.as_secs_f64() * 1000.0;
            let shown = if ms >= 100.0 { format!("{ms:.0} ms") } else { format!("{ms:.2} ms") };
            print_line!("  {shown:>12}  {what}");
        }
    }
}
