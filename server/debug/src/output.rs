//! The last part of a program's output, read by cursors.

use std::collections::VecDeque;

/// Limit of stored output per session, in bytes.
const MAX_BYTES: usize = 4 << 20;
/// Limit of stored pieces: adapters may send single characters.
const MAX_PIECES: usize = 100_000;
/// Adjacent pieces of one stream are joined up to this size, in bytes, so that reading from a
/// cursor stays cheap.
const MAX_JOINED_BYTES: usize = 4 << 10;

/// A piece of one stream's output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputPiece {
    /// `stdout`, `stderr`, `console` or an adapter's own category.
    pub category: String,
    /// The text.
    pub text: String,
}

/// Output from a cursor on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutputChunk {
    /// The pieces, in order.
    pub pieces: Vec<OutputPiece>,
    /// The cursor to continue from.
    pub cursor: u64,
    /// How many bytes after the given cursor are no longer stored.
    pub lost: u64,
    /// Whether there is more.
    pub more: bool,
}

/// A ring buffer of output. A cursor is the number of bytes written before it, so that it stays
/// valid when old output is dropped.
#[derive(Debug, Default)]
pub(crate) struct Ring {
    pieces: VecDeque<OutputPiece>,
    /// Bytes dropped at the front.
    start: u64,
    size: usize,
}

impl Ring {
    pub(crate) fn push(&mut self, category: &str, text: &str) {
        // Of a piece over the whole limit, keep the end.
        let mut cut = text.len().saturating_sub(MAX_BYTES);
        while !text.is_char_boundary(cut) {
            cut += 1;
        }
        self.start += cut as u64;
        let text = &text[cut..];
        if text.is_empty() {
            return;
        }
        match self.pieces.back_mut() {
            Some(last)
                if last.category == category
                    && last.text.len() + text.len() <= MAX_JOINED_BYTES =>
            {
                last.text.push_str(text);
            }
            _ => self
                .pieces
                .push_back(OutputPiece { category: category.to_owned(), text: text.to_owned() }),
        }
        self.size += text.len();
        while self.size > MAX_BYTES || self.pieces.len() > MAX_PIECES {
            let Some(first) = self.pieces.pop_front() else { break };
            self.size -= first.text.len();
            self.start += first.text.len() as u64;
        }
    }

    /// The cursor after all output so far.
    pub(crate) fn end(&self) -> u64 {
        self.start + self.size as u64
    }

    /// Output from `cursor` on of the streams that `wanted` accepts, at most `most` bytes.
    pub(crate) fn since(
        &self,
        cursor: u64,
        most: usize,
        wanted: impl Fn(&str) -> bool,
    ) -> OutputChunk {
        let mut chunk = OutputChunk { cursor: cursor.min(self.end()), ..OutputChunk::default() };
        if chunk.cursor < self.start {
            chunk.lost = self.start - chunk.cursor;
            chunk.cursor = self.start;
        }
        let (mut at, mut room) = (self.start, most);
        for piece in &self.pieces {
            let end = at + piece.text.len() as u64;
            if end <= chunk.cursor {
                at = end;
                continue;
            }
            let mut from = usize::try_from(chunk.cursor - at).unwrap_or(0);
            while !piece.text.is_char_boundary(from) {
                from += 1;
            }
            let text = &piece.text[from..];
            if !wanted(&piece.category) {
                chunk.cursor = end;
            } else if text.len() <= room {
                room -= text.len();
                chunk.cursor = end;
                chunk
                    .pieces
                    .push(OutputPiece { category: piece.category.clone(), text: text.to_owned() });
            } else {
                let mut cut = room;
                while !text.is_char_boundary(cut) {
                    cut -= 1;
                }
                if cut > 0 {
                    let text = text[..cut].to_owned();
                    chunk.pieces.push(OutputPiece { category: piece.category.clone(), text });
                }
                chunk.cursor = at + (from + cut) as u64;
                chunk.more = true;
                break;
            }
            at = end;
        }
        chunk
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(chunk: &OutputChunk) -> String {
        chunk.pieces.iter().map(|piece| piece.text.as_str()).collect()
    }

    #[test]
    fn reading_continues_at_the_cursor() {
        let mut ring = Ring::default();
        for n in 0..100 {
            ring.push(if n % 10 == 0 { "stderr" } else { "stdout" }, &format!("é{n}\n"));
        }
        let (mut cursor, mut read) = (0, String::new());
        loop {
            let chunk = ring.since(cursor, 7, |_| true);
            read.push_str(&text(&chunk));
            assert!(chunk.cursor > cursor || !chunk.more);
            cursor = chunk.cursor;
            if !chunk.more {
                break;
            }
        }
        let all: String = (0..100).map(|n| format!("é{n}\n")).collect();
        assert_eq!((read, cursor), (all, ring.end()));
        assert_eq!(text(&ring.since(0, 1_000, |of| of == "stderr")).lines().count(), 10);
    }

    #[test]
    fn a_flood_is_bounded_and_dropped_output_is_counted() {
        let mut ring = Ring::default();
        let line = "x".repeat(1_000);
        for _ in 0..10_000 {
            ring.push("stdout", &line);
        }
        assert!(ring.size <= MAX_BYTES);
        let chunk = ring.since(0, 10, |_| true);
        assert_eq!(chunk.lost, ring.start);
        assert_eq!(ring.end(), 10_000_000);
        ring.push("stdout", &"é".repeat(MAX_BYTES));
        assert!(ring.size <= MAX_BYTES && ring.end() == 10_000_000 + 2 * MAX_BYTES as u64);
        assert_eq!(ring.since(u64::MAX, 10, |_| true).pieces, []);
    }
}
