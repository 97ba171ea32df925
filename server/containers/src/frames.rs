//! A container's output as the daemon sends it: entries of one stream, or plain bytes of a terminal.

use crate::failure::Failure;
use crate::limits::FRAME_BYTES;

/// The stream of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutputStream {
    Stdout,
    Stderr,
}

/// Cuts an answer into entries.
pub(crate) struct Frames {
    has_terminal: bool,
    rest: Vec<u8>,
}

/// Bytes of the head of an entry: the stream, three zeros, and the length.
const HEAD: usize = 8;

impl Frames {
    /// `has_terminal` if the container has a terminal: then there are no heads, and an entry is a line.
    pub(crate) fn new(has_terminal: bool) -> Self {
        Self { has_terminal, rest: Vec::new() }
    }

    /// Adds a piece of the answer and passes on the entries that are complete, until `entry` returns false. Returns
    /// whether it never did.
    pub(crate) fn push(
        &mut self,
        piece: &[u8],
        mut entry: impl FnMut(OutputStream, &[u8]) -> Result<bool, Failure>,
    ) -> Result<bool, Failure> {
        self.rest.extend_from_slice(piece);
        let mut start = 0;
        let mut goes_on = true;
        while goes_on {
            let rest = &self.rest[start..];
            if self.has_terminal {
                let line = rest.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
                // A line without an end must not fill the memory.
                let Some(end) = line.or((rest.len() >= FRAME_BYTES).then_some(rest.len())) else {
                    break;
                };
                goes_on = entry(OutputStream::Stdout, &rest[..end])?;
                start += end;
                continue;
            }
            let Some((head, body)) = rest.split_at_checked(HEAD) else { break };
            let stream = match head[0] {
                0 | 1 => OutputStream::Stdout,
                2 => OutputStream::Stderr,
                other => {
                    return Err(Failure::Protocol(format!("the output has a stream {other}")));
                }
            };
            let length = u32::from_be_bytes([head[4], head[5], head[6], head[7]]) as usize;
            if length > FRAME_BYTES {
                return Err(Failure::Protocol(format!(
                    "an entry of the output has {length} bytes"
                )));
            }
            let Some(body) = body.get(..length) else { break };
            goes_on = entry(stream, body)?;
            start += HEAD + length;
        }
        self.rest.drain(..start);
        Ok(goes_on)
    }

    /// The last line of a terminal, which may have no end.
    pub(crate) fn finish(self) -> Option<Vec<u8>> {
        (self.has_terminal && !self.rest.is_empty()).then_some(self.rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(frames: &mut Frames, piece: &[u8]) -> Result<Vec<(OutputStream, Vec<u8>)>, Failure> {
        let mut found = Vec::new();
        frames.push(piece, |stream, bytes| {
            found.push((stream, bytes.to_vec()));
            Ok(true)
        })?;
        Ok(found)
    }

    #[test]
    fn entries_may_arrive_in_any_pieces() {
        let whole = b"\x01\0\0\0\0\0\0\x04out\n\x02\0\0\0\0\0\0\x01e";
        for cut in 0..whole.len() {
            let mut frames = Frames::new(false);
            let mut found = entries(&mut frames, &whole[..cut]).unwrap();
            found.extend(entries(&mut frames, &whole[cut..]).unwrap());
            let expected =
                [(OutputStream::Stdout, b"out\n".to_vec()), (OutputStream::Stderr, b"e".to_vec())];
            assert_eq!(found, expected, "{cut}");
        }
    }

    #[test]
    fn garbage_is_refused_and_a_line_is_bounded() {
        assert!(entries(&mut Frames::new(false), b"HTTP/1.1 200").is_err());
        assert!(entries(&mut Frames::new(false), b"\x01\0\0\0\xff\xff\xff\xff").is_err());
        let mut frames = Frames::new(true);
        assert_eq!(entries(&mut frames, &vec![b'x'; FRAME_BYTES]).unwrap().len(), 1);
        assert_eq!(entries(&mut frames, b"a\nb").unwrap().len(), 1);
        assert_eq!(frames.finish(), Some(b"b".to_vec()));
    }
}
