//! Bounded output: the beginning and the end.

/// The captured output of one stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Captured {
    /// Its beginning.
    pub head: Vec<u8>,
    /// Its end, except what is in `head`.
    pub tail: Vec<u8>,
    /// Number of bytes left out between them.
    pub left_out: u64,
}

impl Captured {
    /// Number of bytes of the whole output.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.head.len() as u64 + self.left_out + self.tail.len() as u64
    }

    /// Whether there was no output.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Keeps the first and the last `half` bytes.
#[derive(Debug)]
pub(crate) struct Capture {
    half: usize,
    head: Vec<u8>,
    /// Up to twice `half` bytes, so that it is rarely cut.
    tail: Vec<u8>,
    left_out: u64,
}

impl Capture {
    pub(crate) fn new(most: usize) -> Self {
        Self { half: most / 2, head: Vec::new(), tail: Vec::new(), left_out: 0 }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let (first, rest) = bytes.split_at(bytes.len().min(self.half - self.head.len()));
        self.head.extend_from_slice(first);
        self.tail.extend_from_slice(rest);
        if self.tail.len() > 2 * self.half {
            self.cut();
        }
    }

    pub(crate) fn finish(mut self) -> Captured {
        self.cut();
        Captured { head: self.head, tail: self.tail, left_out: self.left_out }
    }

    fn cut(&mut self) {
        let excess = self.tail.len().saturating_sub(self.half);
        self.tail.drain(..excess);
        self.left_out += excess as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_left_out_and_counted() {
        for chunk in [1, 3, 7, 1_000] {
            let all: Vec<u8> = (0..1_000_u32).map(|n| (n % 251) as u8).collect();
            let mut capture = Capture::new(20);
            for part in all.chunks(chunk) {
                capture.push(part);
            }
            let kept = capture.finish();
            assert_eq!((&kept.head[..], &kept.tail[..]), (&all[..10], &all[990..]));
            assert_eq!((kept.left_out, kept.len()), (980, 1_000));
        }
    }

    #[test]
    fn short_output_is_kept_whole() {
        let mut capture = Capture::new(20);
        capture.push(b"0123456789");
        capture.push(b"abc");
        let kept = capture.finish();
        assert_eq!([kept.head, kept.tail].concat(), b"0123456789abc");
        assert_eq!(kept.left_out, 0);
    }
}
