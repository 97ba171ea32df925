//! A codec for numbers: small numbers take few bytes, and numbers near a known one are stored as
//! differences.
//!
//! A record describes its fields once for both directions: a [`Writer`] reads them, a [`Reader`]
//! fills them in. Numbers are LEB128, differences are zigzag-encoded.

use crate::expression::Value;
use crate::facts::NONE;

/// Encodes or decodes the fields of a record in order.
pub(super) trait Coder {
    /// A number without a base.
    fn varint(&mut self, n: &mut u64);

    /// The last values coded, which the next ones are probably near to.
    fn last_values(&mut self) -> &mut LastValues;

    /// Marks the input as invalid.
    fn fail(&mut self);

    fn number(&mut self, n: &mut u32) {
        let mut wide = u64::from(*n);
        self.varint(&mut wide);
        *n = self.to_u32(wide);
    }

    fn to_u32(&mut self, wide: u64) -> u32 {
        u32::try_from(wide).unwrap_or_else(|_| {
            self.fail();
            0
        })
    }

    /// A number that is probably near `base`.
    fn delta(&mut self, base: u32, n: &mut u32) {
        let mut way = zigzag(n.wrapping_sub(base));
        self.number(&mut way);
        *n = base.wrapping_add(unzigzag(way));
    }

    /// The same, or `NONE`.
    fn optional_delta(&mut self, base: u32, n: &mut u32) {
        let mut wide = if *n == NONE { 0 } else { u64::from(zigzag(n.wrapping_sub(base))) + 1 };
        self.varint(&mut wide);
        *n = match wide.checked_sub(1) {
            None => NONE,
            Some(way) => base.wrapping_add(unzigzag(self.to_u32(way))),
        };
    }

    /// A value, relative to the last ones.
    fn value(&mut self, value: &mut Value) {
        let LastValues { reference, expression } = *self.last_values();
        let mut wide = match (value.as_reference(), value.as_expression()) {
            (Some(r), _) => (u64::from(zigzag(r.wrapping_sub(reference))) << 1) + 2,
            (None, Some(e)) => (u64::from(zigzag(e.wrapping_sub(expression))) << 1) + 1,
            (None, None) => 0,
        };
        self.varint(&mut wide);
        let Some(coded) = wide.checked_sub(1) else {
            *value = Value::NONE;
            return;
        };
        let way = unzigzag(self.to_u32(coded >> 1));
        if coded & 1 == 1 {
            let r = reference.wrapping_add(way);
            self.last_values().reference = r;
            *value = Value::reference(r);
        } else {
            let e = expression.wrapping_add(way);
            self.last_values().expression = e;
            *value = Value(e);
        }
    }
}

/// The base of the next values.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LastValues {
    pub(super) reference: u32,
    pub(super) expression: u32,
}

fn zigzag(way: u32) -> u32 {
    way << 1 ^ 0_u32.wrapping_sub(way >> 31)
}

fn unzigzag(coded: u32) -> u32 {
    coded >> 1 ^ 0_u32.wrapping_sub(coded & 1)
}

/// Encodes numbers.
#[derive(Default)]
pub(super) struct Writer {
    pub(super) out: Vec<u8>,
    near: LastValues,
}

impl Coder for Writer {
    fn varint(&mut self, n: &mut u64) {
        let mut rest = *n;
        while rest >= 0x80 {
            self.out.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        self.out.push(rest as u8);
    }

    fn last_values(&mut self) -> &mut LastValues {
        &mut self.near
    }

    fn fail(&mut self) {}
}

/// Decodes numbers; ends on any input.
pub(super) struct Reader<'b> {
    rest: &'b [u8],
    near: LastValues,
    failed: bool,
}

impl<'b> Reader<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self { rest: bytes, near: LastValues::default(), failed: false }
    }

    pub(super) fn bytes(&mut self, len: usize) -> Option<&'b [u8]> {
        let (bytes, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(bytes)
    }

    pub(super) fn next(&mut self) -> Option<u32> {
        let mut n = 0;
        self.number(&mut n);
        (!self.failed).then_some(n)
    }

    /// A count of items that take at least a byte each.
    pub(super) fn count(&mut self) -> Option<usize> {
        let count = self.next()? as usize;
        (count <= self.rest.len()).then_some(count)
    }

    /// Whether all input was read and valid.
    pub(super) fn is_done(&self) -> bool {
        self.rest.is_empty() && !self.failed
    }

    pub(super) fn has_failed(&self) -> bool {
        self.failed
    }

    pub(super) fn len(&self) -> usize {
        self.rest.len()
    }
}

impl Coder for Reader<'_> {
    fn varint(&mut self, n: &mut u64) {
        *n = 0;
        for shift in (0..42).step_by(7) {
            let Some((byte, rest)) = self.rest.split_first() else { break };
            self.rest = rest;
            *n |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return;
            }
        }
        self.fail();
    }

    fn last_values(&mut self) -> &mut LastValues {
        &mut self.near
    }

    fn fail(&mut self) {
        self.failed = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips_numbers_and_values() {
        let numbers = [0, 1, 127, 128, 1 << 20, (1 << 31) - 1, 1 << 31, u32::MAX - 1, u32::MAX];
        let mut values = vec![Value::NONE];
        values.extend([0, 7, 1 << 20, (1 << 31) - 2].map(Value::reference));
        values.extend([0, 7, 1 << 20, (1 << 31) - 1].map(Value));
        let mut writer = Writer::default();
        for &base in &numbers {
            for mut n in numbers {
                writer.number(&mut n);
                writer.delta(base, &mut n);
                writer.optional_delta(base, &mut n);
            }
        }
        values.iter().for_each(|v| writer.value(&mut v.clone()));
        let mut reader = Reader::new(&writer.out);
        for &base in &numbers {
            for n in numbers {
                assert_eq!(reader.next(), Some(n));
                let (mut one, mut other) = (0, 0);
                reader.delta(base, &mut one);
                reader.optional_delta(base, &mut other);
                assert_eq!((one, other), (n, n));
            }
        }
        for value in values {
            let mut read = Value(0);
            reader.value(&mut read);
            assert_eq!(read, value);
        }
        assert!(reader.is_done());
        assert_eq!(reader.next(), None);
    }
}
