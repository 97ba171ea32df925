//! Output as text, cut in its middle if it is long.

use std::collections::VecDeque;

use crate::failure::printable_lines;
use crate::frames::OutputStream;
use crate::limits::{HEAD_OF_OUTPUT, TAIL_OF_OUTPUT};

/// The start and the end of an output.
#[derive(Default)]
pub(crate) struct Captured {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    left_out: u64,
}

impl Captured {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let (head, rest) = bytes.split_at(bytes.len().min(HEAD_OF_OUTPUT - self.head.len()));
        self.head.extend_from_slice(head);
        // Only the end of a long piece can stay.
        let kept = &rest[rest.len().saturating_sub(TAIL_OF_OUTPUT)..];
        let over = (self.tail.len() + kept.len()).saturating_sub(TAIL_OF_OUTPUT);
        self.tail.drain(..over);
        self.tail.extend(kept);
        self.left_out += (rest.len() - kept.len() + over) as u64;
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.left_out > 0
    }

    pub(crate) fn text(mut self) -> String {
        if self.left_out == 0 {
            self.head.extend(self.tail);
            return plain(&self.head);
        }
        let tail: Vec<u8> = self.tail.into();
        format!("{}\n[{} bytes are left out]\n{}", plain(&self.head), self.left_out, plain(&tail))
    }
}

/// Both streams.
#[derive(Default)]
pub(crate) struct CapturedStreams {
    pub(crate) stdout: Captured,
    pub(crate) stderr: Captured,
}

impl CapturedStreams {
    pub(crate) fn push(&mut self, stream: OutputStream, bytes: &[u8]) {
        match stream {
            OutputStream::Stdout => self.stdout.push(bytes),
            OutputStream::Stderr => self.stderr.push(bytes),
        }
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.stdout.is_cut() || self.stderr.is_cut()
    }
}

/// Output as a terminal would show it, without escape sequences.
pub(crate) fn plain(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut shown = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (body, end) = line.strip_suffix('\n').map_or((line, ""), |body| (body, "\n"));
        let body = body.trim_end_matches('\r');
        shown.push_str(body.rsplit('\r').next().unwrap_or(body));
        shown.push_str(end);
    }
    printable_lines(&shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_left_out() {
        for size in [1, 1_000, 100_000] {
            let mut captured = Captured::default();
            let whole: Vec<u8> = (0..100_000_u32).map(|n| b'a' + (n % 26) as u8).collect();
            whole.chunks(size).for_each(|piece| captured.push(piece));
            assert_eq!(captured.left_out, 100_000 - (HEAD_OF_OUTPUT + TAIL_OF_OUTPUT) as u64);
            let text = captured.text();
            assert!(text.starts_with("abc") && text.ends_with(&plain(&whole[99_900..])));
        }
        let mut short = Captured::default();
        short.push(b"10%\r100%\r\n\x1b[32mok\x1b[0m");
        assert_eq!(short.text(), "100%\nok");
    }
}
