//! What the newcomer sees: short, in colour where the terminal has it.

use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};

use crate::out::say;

/// Prints the tour and keeps its timings.
pub(super) struct Screen {
    timings: Vec<(String, Duration)>,
}

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

fn color(color: AnsiColor) -> Style {
    Style::new().fg_color(Some(color.into()))
}

/// Longest line printed, in characters: code may have any.
const WIDTH: usize = 110;

/// Text from files, safe to print: no control characters, not too long.
fn plain(text: &str) -> String {
    let clean = text.chars().map(|c| if c.is_control() && c != '\t' { '·' } else { c });
    clean.take(WIDTH).collect()
}

impl Screen {
    pub(super) fn new() -> Self {
        Self { timings: Vec::new() }
    }

    pub(super) fn title(&self, text: &str) {
        say!("{BOLD}{}{BOLD:#}", plain(text));
    }

    pub(super) fn section(&self, text: &str) {
        let style = color(AnsiColor::Cyan).bold();
        say!("\n{style}{}{style:#}", plain(text));
    }

    pub(super) fn line(&self, text: &str) {
        say!("  {}", plain(text));
    }

    pub(super) fn dim(&self, text: &str) {
        say!("  {DIM}{}{DIM:#}", plain(text));
    }

    pub(super) fn item(&self, depth: usize, name: &str, detail: &str) {
        let detail: String = plain(detail).chars().take(60).collect();
        say!("  {}{} {DIM}{detail}{DIM:#}", "  ".repeat(depth), plain(name));
    }

    pub(super) fn share(&self, name: &str, share: f64, rest: &str) {
        const BAR: usize = 20;
        let style = color(AnsiColor::Green);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let full = ((share * BAR as f64).round() as usize).clamp(1, BAR);
        let bar = format!("{}{}", "█".repeat(full), "·".repeat(BAR - full));
        say!("  {name:<11}{style}{bar}{style:#} {rest}");
    }

    /// A line of code with its number, and a mark under a part of it.
    pub(super) fn code(&self, number: usize, line: &str, column: usize, length: usize) {
        let style = color(AnsiColor::Yellow);
        let line: String = line.chars().map(|c| if c == '\t' { ' ' } else { c }).collect();
        say!("  {DIM}{number:>5}{DIM:#} {}", plain(&line));
        if column < WIDTH {
            let mark = "^".repeat(length.clamp(1, WIDTH - column));
            say!("        {:column$}{style}{mark}{style:#}", "");
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
            say!("  {style}{}{style:#}", plain(line));
        }
    }

    /// Keeps how long it has been since `started`.
    pub(super) fn timed(&mut self, what: &str, started: Instant) {
        self.timed_for(what, started.elapsed());
    }

    /// Keeps how long something took.
    pub(super) fn timed_for(&mut self, what: &str, time: Duration) {
        self.timings.push((what.to_owned(), time));
    }

    pub(super) fn timings(&self) {
        self.section("Timings, seen from the editor's side");
        for (what, time) in &self.timings {
            let ms = time.as_secs_f64() * 1000.0;
            let shown = if ms >= 100.0 { format!("{ms:.0} ms") } else { format!("{ms:.2} ms") };
            say!("  {shown:>12}  {what}");
        }
    }
}
