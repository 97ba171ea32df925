//! Searches a file through a window smaller than the file.

use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};

use memchr::{memchr, memrchr};

use super::lines::{
    HitLimits, LineHit, LineHits, Outcome, Piece, display_line, end_lines_alike, newlines, search,
};
use super::pattern::Pattern;

/// How far back a match may begin in a line longer than the window, in bytes.
const OVERLAP_BYTES: usize = 64 << 10;

/// A window that moves over a file by whole lines, if they fit.
pub(super) struct SlidingWindow<'a, F> {
    buffer: &'a mut [u8],
    file: &'a mut F,
    filled: usize,
    /// Start of line `line`, the next to search; bytes before it are context.
    start: usize,
    line: u64,
    is_end: bool,
    is_binary: bool,
}

impl<'a, F: Read> SlidingWindow<'a, F> {
    /// A window of the size of `buffer`, which holds the file's first `filled` bytes.
    pub(super) fn new(buffer: &'a mut [u8], filled: usize, file: &'a mut F) -> Self {
        let start = if buffer.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        let mut window =
            Self { buffer, file, filled, start, line: 1, is_end: false, is_binary: false };
        window.prepare_bytes(0);
        window
    }

    /// Searches the whole file, until the page is full or `interrupt` is set.
    pub(super) fn search(
        &mut self,
        pattern: &Pattern,
        limits: HitLimits,
        interrupt: &AtomicBool,
    ) -> Outcome {
        let mut found = LineHits::default();
        while !found.is_enough(limits) && !interrupt.load(Ordering::Relaxed) {
            if self.is_binary {
                return Outcome::Binary;
            }
            let bytes = &self.buffer[..self.filled];
            let end = if self.is_end {
                Some(self.filled)
            } else {
                region_end(bytes, self.start, limits.context)
            };
            let keep = match end {
                Some(end) => {
                    let piece = Piece { bytes, region: self.start..end, first_line: self.line };
                    search(pattern, &piece, limits, interrupt, &mut found);
                    if self.is_end {
                        break;
                    }
                    self.line += newlines(&bytes[self.start..end]);
                    self.start = end;
                    lines_before(bytes, end, limits.context)
                }
                None if self.start > 0 => self.start,
                None => {
                    let number = self.line;
                    match self.long_line(pattern, interrupt) {
                        Ok(Some(hit)) if number > limits.after_line => found.push(hit),
                        Ok(_) => {}
                        Err(_) => return Outcome::Unread,
                    }
                    self.start
                }
            };
            if self.slide(keep).is_err() {
                return Outcome::Unread;
            }
        }
        Outcome::Searched(found.hits)
    }

    /// Passes over a line longer than the window and returns its match.
    fn long_line(
        &mut self,
        pattern: &Pattern,
        interrupt: &AtomicBool,
    ) -> std::io::Result<Option<LineHit>> {
        let mut hit = None;
        loop {
            let newline = memchr(b'\n', &self.buffer[self.start..self.filled]);
            let end = newline.map_or(self.filled, |newline| self.start + newline);
            let is_over = newline.is_some() || self.is_end;
            hit = hit.or_else(|| self.hit(pattern, end, is_over));
            if is_over || interrupt.load(Ordering::Relaxed) {
                self.start = (end + 1).min(self.filled);
                self.line += 1;
                return Ok(hit);
            }
            let overlap = OVERLAP_BYTES.min(self.buffer.len() / 4);
            self.slide(self.filled - overlap)?;
            // Not at the first byte: no line begins here.
            self.start = 1;
        }
    }

    /// A match in the line up to `end`. A match that touches `end` may continue, so it is deferred
    /// unless the line `is_over`.
    fn hit(&self, pattern: &Pattern, end: usize, is_over: bool) -> Option<LineHit> {
        let part = &self.buffer[..end];
        let hit = pattern.find(part, self.start).filter(|hit| is_over || hit.end < end)?;
        let (line, _) = display_line(part, &hit);
        let (before, after) = (Vec::new(), Vec::new());
        let (line_number, end_line) = (self.line, self.line);
        Some(LineHit { line_number, end_line, column: None, line, cut: true, before, after })
    }

    /// Drops the bytes before `keep` and reads on.
    fn slide(&mut self, keep: usize) -> std::io::Result<()> {
        self.buffer.copy_within(keep..self.filled, 0);
        self.filled -= keep;
        self.start = self.start.saturating_sub(keep);
        let fresh = self.filled;
        while self.filled < self.buffer.len() {
            match self.file.read(&mut self.buffer[self.filled..]) {
                Ok(0) => {
                    self.is_end = true;
                    break;
                }
                Ok(read) => self.filled += read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.prepare_bytes(fresh);
        Ok(())
    }

    /// Prepares the bytes read from `fresh` on.
    fn prepare_bytes(&mut self, fresh: usize) {
        // The previous byte may be a CR whose LF has just been read.
        let from = fresh.saturating_sub(1);
        end_lines_alike(&mut self.buffer[from..self.filled], self.is_end);
        self.is_binary |= memchr(0, &self.buffer[fresh..self.filled]).is_some();
    }
}

/// The end of the last line after `start` that has `context` whole lines after it, or of the last
/// whole line. `None` if no line ends.
fn region_end(bytes: &[u8], start: usize, context: usize) -> Option<usize> {
    let last = memrchr(b'\n', &bytes[start..])? + start + 1;
    let end = lines_before(bytes, last, context);
    Some(if end > start { end } else { last })
}

/// The start of the `count`th line before the one that starts at `at`.
fn lines_before(bytes: &[u8], mut at: usize, count: usize) -> usize {
    for _ in 0..count {
        if at == 0 {
            break;
        }
        at = memrchr(b'\n', &bytes[..at - 1]).map_or(0, |newline| newline + 1);
    }
    at
}
