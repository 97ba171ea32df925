//! What a program has written, the last of it, with a cursor.

use std::collections::VecDeque;

/// Most bytes that are kept of one session's output.
const MOST: usize = 4 << 20;
/// Most pieces: adapters may send a character at a time, and pieces of one kind are joined.
const MOST_PIECES: usize = 100_000;
/// Longest joined piece, in bytes, so that reading on from a cursor stays cheap.
const JOINED: usize = 4 << 10;

/// Something written, by one stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// `stdout`, `stderr`, `console` or what else the adapter calls it.
    pub category: String,
    /// The text.
    pub text: String,
}

/// Output from a cursor on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chunk {
    /// What was written, in order.
    pub pieces: Vec<Piece>,
    /// Where to go on.
    pub cursor: u64,
    /// How many bytes were written after the cursor that are not kept any more.
    pub lost: u64,
    /// Whether there is more after it.
    pub more: bool,
}

/// A bounded ring of output. A cursor is the number of bytes written before it, so it stays good
/// whatever is dropped.
#[derive(Debug, Default)]
pub(crate) struct Ring {
    pieces: VecDeque<Piece>,
    /// Bytes that were dropped at the front.
    start: u64,
    kept: usize,
}

impl Ring {
    pub(crate) fn push(&mut self, category: &str, text: &str) {
        // Of more than all that is kept, the end.
        let mut cut = text.len().saturating_sub(MOST);
        while !text.is_char_boundary(cut) {
            cut += 1;
        }
        self.start += cut as u64;
        let text = &text[cut..];
        if text.is_empty() {
            return;
        }
        match self.pieces.back_mut() {
            Some(last) if last.category == category && last.text.len() + text.len() <= JOINED => {
                last.text.push_str(text);
            }
            _ => self
                .pieces
                .push_back(Piece { category: category.to_owned(), text: text.to_owned() }),
        }
        self.kept += text.len();
        while self.kept > MOST || self.pieces.len() > MOST_PIECES {
            let Some(first) = self.pieces.pop_front() else { break };
            self.kept -= first.text.len();
            self.start += first.text.len() as u64;
        }
    }

    /// Where what comes next will be.
    pub(crate) fn end(&self) -> u64 {
        self.start + self.kept as u64
    }

    /// What was written from `cursor` on by streams that are `wanted`, at most `most` bytes.
    pub(crate) fn since(&self, cursor: u64, most: usize, wanted: impl Fn(&str) -> bool) -> Chunk {
        let mut chunk = Chunk { cursor: cursor.min(self.end()), ..Chunk::default() };
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
                    .push(Piece { category: piece.category.clone(), text: text.to_owned() });
            } else {
                let mut cut = room;
                while !text.is_char_boundary(cut) {
                    cut -= 1;
                }
                if cut > 0 {
                    let text = text[..cut].to_owned();
                    chunk.pieces.push(Piece { category: piece.category.clone(), text });
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

    fn text(chunk: &Chunk) -> String {
        chunk.pieces.iter().map(|piece| piece.text.as_str()).collect()
    }

    #[test]
    fn a_cursor_goes_on_where_it_was() {
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
    fn a_flood_is_kept_within_bounds_and_what_is_lost_is_counted() {
        let mut ring = Ring::default();
        let line = "x".repeat(1_000);
        for _ in 0..10_000 {
            ring.push("stdout", &line);
        }
        assert!(ring.kept <= MOST);
        let chunk = ring.since(0, 10, |_| true);
        assert_eq!(chunk.lost, ring.start);
        assert_eq!(ring.end(), 10_000_000);
        ring.push("stdout", &"é".repeat(MOST));
        assert!(ring.kept <= MOST && ring.end() == 10_000_000 + 2 * MOST as u64);
        assert_eq!(ring.since(u64::MAX, 10, |_| true).pieces, []);
    }
}
