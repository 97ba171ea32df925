//! Packets, and the numbers and texts in them.

use super::unexpected;
use crate::failure::Failure;
use crate::limits::MESSAGE_BYTES;
use crate::wire::Wire;

/// The length of a packet that goes on in the next one.
const WHOLE: usize = 0xff_ffff;
/// Bytes that are read at a time: a length that lies must not reserve memory.
const PIECE: usize = 64 << 10;

/// Packets over a connection.
pub(super) struct Packets {
    wire: Wire,
    sequence: u8,
    buffer: Vec<u8>,
    start: usize,
}

impl Packets {
    pub(super) fn new(wire: Wire, sequence: u8) -> Self {
        Self { wire, sequence, buffer: Vec::new(), start: 0 }
    }

    /// Begins a new command.
    pub(super) fn begin(&mut self) {
        self.sequence = 0;
    }

    pub(super) fn send(&mut self, payload: &[u8]) -> Result<(), Failure> {
        if payload.len() >= WHOLE {
            return Err(Failure::TooLarge(
                "the statement and its parameters are too long".to_owned(),
            ));
        }
        self.wire.write_all(&framed(payload, self.sequence))?;
        self.sequence = self.sequence.wrapping_add(1);
        Ok(())
    }

    /// The next packet.
    pub(super) fn receive(&mut self) -> Result<Vec<u8>, Failure> {
        let mut payload = Vec::new();
        loop {
            let header = self.take(4)?;
            let length =
                usize::from(header[0]) | usize::from(header[1]) << 8 | usize::from(header[2]) << 16;
            self.sequence = header[3].wrapping_add(1);
            if payload.len() + length > MESSAGE_BYTES {
                return Err(Failure::TooLarge(format!("a row of more than {MESSAGE_BYTES} bytes")));
            }
            let mut left = length;
            while left > 0 {
                let piece = self.take(left.min(PIECE))?;
                left -= piece.len();
                payload.extend_from_slice(&piece);
            }
            if length < WHOLE {
                return Ok(payload);
            }
        }
    }

    fn take(&mut self, count: usize) -> Result<Vec<u8>, Failure> {
        while self.buffer.len() - self.start < count {
            self.buffer.drain(..self.start);
            self.start = 0;
            let mut piece = [0; PIECE];
            let read = self.wire.read_some(&mut piece)?;
            self.buffer.extend_from_slice(&piece[..read]);
        }
        let taken = self.buffer[self.start..self.start + count].to_vec();
        self.start += count;
        Ok(taken)
    }
}

/// A packet with its header.
pub(super) fn framed(payload: &[u8], sequence: u8) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap_or(u32::MAX).to_le_bytes();
    let mut packet = Vec::with_capacity(payload.len() + 4);
    packet.extend_from_slice(&length[..3]);
    packet.push(sequence);
    packet.extend_from_slice(payload);
    packet
}

/// Reads a packet's fields. Every length is checked.
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    pub(super) fn bytes(&mut self, count: usize) -> Result<&'a [u8], Failure> {
        let (taken, rest) = self.bytes.split_at_checked(count).ok_or_else(unexpected)?;
        self.bytes = rest;
        Ok(taken)
    }

    pub(super) fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Failure> {
        self.bytes(N)?.try_into().map_err(|_| unexpected())
    }

    pub(super) fn u8(&mut self) -> Result<u8, Failure> {
        Ok(self.array::<1>()?[0])
    }

    pub(super) fn u16(&mut self) -> Result<u16, Failure> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(super) fn u32(&mut self) -> Result<u32, Failure> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(super) fn u64(&mut self) -> Result<u64, Failure> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// A length-encoded number.
    pub(super) fn number(&mut self) -> Result<u64, Failure> {
        Ok(match self.u8()? {
            0xfc => self.u16()?.into(),
            0xfd => {
                let [low, middle, high] = self.array()?;
                u32::from_le_bytes([low, middle, high, 0]).into()
            }
            0xfe => self.u64()?,
            0xfb | 0xff => return Err(unexpected()),
            small => small.into(),
        })
    }

    /// A length-encoded text.
    pub(super) fn text(&mut self) -> Result<&'a [u8], Failure> {
        let length = usize::try_from(self.number()?).map_err(|_| unexpected())?;
        self.bytes(length)
    }

    /// A text that ends with a NUL.
    pub(super) fn c_text(&mut self) -> Result<&'a [u8], Failure> {
        let end = self.bytes.iter().position(|byte| *byte == 0).ok_or_else(unexpected)?;
        let text = self.bytes(end)?;
        self.bytes(1)?;
        Ok(text)
    }
}
