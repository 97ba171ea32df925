//! The newest output of a process, in bytes as they came; tools make text of them.

use std::collections::VecDeque;

/// Output that is kept of each process, in bytes: some ten thousand lines. [`super::MAX_PROCESSES`]
/// times as much memory is used at most.
pub const OUTPUT_CAPACITY: usize = 1 << 20;
/// Size of a block, which is dropped as a whole.
const BLOCK_SIZE: usize = 64 << 10;

/// A part of the output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputPiece {
    /// Its bytes; characters may be cut at both ends.
    pub bytes: Vec<u8>,
    /// Offset of its first byte in the whole output.
    pub start: u64,
    /// Number of requested bytes before it that are no longer kept.
    pub dropped: u64,
    /// Offset of the end of the output so far.
    pub end: u64,
}

/// The last [`OUTPUT_CAPACITY`] bytes of an output, by their offsets in the whole.
#[derive(Debug, Default)]
pub(super) struct OutputRing {
    /// All are full, except the last one.
    blocks: VecDeque<Vec<u8>>,
    /// Offset of the first block.
    start: u64,
    end: u64,
}

impl OutputRing {
    pub(super) fn push(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let has_room = self.blocks.back().is_some_and(|block| block.len() < BLOCK_SIZE);
            if !has_room {
                let block = self.free_block();
                self.blocks.push_back(block);
            }
            let Some(block) = self.blocks.back_mut() else { return };
            let (now, rest) = bytes.split_at(bytes.len().min(BLOCK_SIZE - block.len()));
            block.extend_from_slice(now);
            self.end += now.len() as u64;
            bytes = rest;
        }
    }

    /// Goes on at a later offset: what is before the gap is dropped.
    pub(super) fn skip_to(&mut self, offset: u64) {
        if offset > self.end {
            self.blocks.clear();
            (self.start, self.end) = (offset, offset);
        }
    }

    /// A block to fill: the oldest one, if enough is kept.
    fn free_block(&mut self) -> Vec<u8> {
        if self.blocks.len() <= OUTPUT_CAPACITY / BLOCK_SIZE {
            return Vec::new();
        }
        let mut oldest = self.blocks.pop_front().unwrap_or_default();
        self.start += oldest.len() as u64;
        oldest.clear();
        oldest
    }

    /// Offset of the first kept byte.
    pub(super) fn start(&self) -> u64 {
        self.start
    }

    /// Offset of the end.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// At most `most` bytes from an offset on.
    pub(super) fn read(&self, from: u64, most: usize) -> OutputPiece {
        let start = from.clamp(self.start, self.end);
        let mut bytes = Vec::with_capacity(most.min((self.end - start) as usize));
        let mut skip = (start - self.start) as usize;
        for block in self.blocks.iter().skip(skip / BLOCK_SIZE) {
            skip %= BLOCK_SIZE;
            let part = &block[skip.min(block.len())..];
            bytes.extend_from_slice(&part[..part.len().min(most - bytes.len())]);
            skip = 0;
            if bytes.len() == most {
                break;
            }
        }
        OutputPiece { bytes, start, dropped: self.start.saturating_sub(from), end: self.end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A byte for each offset.
    fn byte_at(offset: u64) -> u8 {
        (offset % 251) as u8
    }

    #[test]
    fn the_newest_output_is_read_by_offsets() {
        for size in [1, 1_000, BLOCK_SIZE - 1, BLOCK_SIZE, 3 * BLOCK_SIZE + 17] {
            let mut ring = OutputRing::default();
            let total = (2 * OUTPUT_CAPACITY + 12_345) as u64;
            let all: Vec<u8> = (0..total).map(byte_at).collect();
            for part in all.chunks(size) {
                ring.push(part);
            }
            assert_eq!(ring.end(), total);
            let kept = (total - ring.start()) as usize;
            assert!((OUTPUT_CAPACITY..=OUTPUT_CAPACITY + BLOCK_SIZE).contains(&kept), "{kept}");
            let whole = ring.read(0, usize::MAX);
            assert_eq!((whole.start, whole.dropped), (ring.start(), ring.start()));
            assert_eq!(whole.bytes, all[ring.start() as usize..]);
            for from in [ring.start(), ring.start() + 1, total - BLOCK_SIZE as u64 - 3, total - 1] {
                let piece = ring.read(from, 100);
                let end = (from as usize + 100).min(all.len());
                assert_eq!(piece.bytes, all[from as usize..end], "{size} {from}");
                assert_eq!((piece.start, piece.dropped, piece.end), (from, 0, total));
            }
            assert_eq!(ring.read(total + 5, 10).bytes, b"");
        }
    }

    #[test]
    fn after_a_gap_only_the_rest_is_kept() {
        let mut ring = OutputRing::default();
        ring.push(b"before");
        ring.skip_to(6);
        ring.push(b"more");
        assert_eq!(ring.read(0, 100).bytes, b"beforemore");
        ring.skip_to(100);
        ring.push(b"after");
        let piece = ring.read(3, 100);
        assert_eq!((piece.bytes.as_slice(), piece.start, piece.dropped), (&b"after"[..], 100, 97));
        // The past does not come back.
        ring.skip_to(1);
        assert_eq!(ring.end(), 105);
    }

    #[test]
    fn short_output_uses_little_memory() {
        let mut ring = OutputRing::default();
        ring.push(b"ready\n");
        assert!(ring.blocks.iter().map(Vec::capacity).sum::<usize>() < 100);
        assert_eq!(ring.read(2, 3).bytes, b"ady");
    }
}
