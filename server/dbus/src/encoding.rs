//! Values as bytes, in either byte order.

use crate::limits::{MAX_DEPTH, MAX_MESSAGE_BYTES, MAX_VALUES};
use crate::signature::{Type, parse};
use crate::value::Value;

/// Writes values in little endian.
#[derive(Default)]
pub(crate) struct Writer {
    pub(crate) bytes: Vec<u8>,
}

impl Writer {
    pub(crate) fn align(&mut self, alignment: usize) {
        self.bytes.resize(self.bytes.len().next_multiple_of(alignment), 0);
    }

    pub(crate) fn put(&mut self, value: &Value) {
        match value {
            Value::Byte(byte) => self.bytes.push(*byte),
            Value::Bool(is_true) => self.number(&u32::from(*is_true).to_le_bytes()),
            Value::I16(number) => self.number(&number.to_le_bytes()),
            Value::U16(number) => self.number(&number.to_le_bytes()),
            Value::I32(number) => self.number(&number.to_le_bytes()),
            Value::U32(number) => self.number(&number.to_le_bytes()),
            Value::I64(number) => self.number(&number.to_le_bytes()),
            Value::U64(number) => self.number(&number.to_le_bytes()),
            Value::F64(number) => self.number(&number.to_le_bytes()),
            Value::Str(text) | Value::Path(text) => {
                self.number(&(text.len() as u32).to_le_bytes());
                self.bytes.extend_from_slice(text.as_bytes());
                self.bytes.push(0);
            }
            Value::Signature(text) => self.signature(text),
            Value::Variant(inner) => {
                self.signature(&inner.signature());
                self.put(inner);
            }
            Value::Array(item, items) => {
                self.number(&[0; 4]);
                let length = self.bytes.len() - 4;
                // The padding before the first item does not count, and is there without items, too.
                let alignment = parse(item)
                    .and_then(|types| types.first().map(Type::alignment))
                    .unwrap_or(if item.starts_with('{') { 8 } else { 1 });
                self.align(alignment);
                let start = self.bytes.len();
                items.iter().for_each(|item| self.put(item));
                let count = (self.bytes.len() - start) as u32;
                self.bytes[length..length + 4].copy_from_slice(&count.to_le_bytes());
            }
            Value::Struct(fields) => {
                self.align(8);
                fields.iter().for_each(|field| self.put(field));
            }
            Value::Entry(entry) => {
                self.align(8);
                self.put(&entry.0);
                self.put(&entry.1);
            }
        }
    }

    fn number(&mut self, bytes: &[u8]) {
        self.align(bytes.len());
        self.bytes.extend_from_slice(bytes);
    }

    fn signature(&mut self, text: &str) {
        // Longer ones do not exist: they are made from values of this program.
        self.bytes.push(text.len().min(255) as u8);
        self.bytes.extend_from_slice(text.as_bytes());
        self.bytes.push(0);
    }
}

/// Reads values that another program wrote.
pub(crate) struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
    is_big_endian: bool,
    values: usize,
}

impl<'b> Reader<'b> {
    pub(crate) fn new(bytes: &'b [u8], is_big_endian: bool) -> Self {
        Self { bytes, at: 0, is_big_endian, values: 0 }
    }

    /// The values of these types, from the current place on; `None` if they are malformed or too many.
    pub(crate) fn values(&mut self, types: &[Type]) -> Option<Vec<Value>> {
        types.iter().map(|kind| self.value(kind, 0)).collect()
    }

    fn align(&mut self, alignment: usize) -> Option<()> {
        let next = self.at.next_multiple_of(alignment);
        self.take(next - self.at).map(drop)
    }

    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let end = self.at.checked_add(count)?;
        let taken = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    fn number<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.align(N)?;
        let mut bytes: [u8; N] = self.take(N)?.try_into().ok()?;
        if self.is_big_endian {
            bytes.reverse();
        }
        Some(bytes)
    }

    fn length(&mut self) -> Option<usize> {
        let length = u32::from_le_bytes(self.number()?) as usize;
        (length <= MAX_MESSAGE_BYTES).then_some(length)
    }

    fn text(&mut self, length: usize) -> Option<String> {
        let bytes = self.take(length)?;
        (self.take(1)? == [0]).then(|| String::from_utf8_lossy(bytes).into_owned())
    }

    fn value(&mut self, kind: &Type, depth: usize) -> Option<Value> {
        self.values += 1;
        if depth > MAX_DEPTH || self.values > MAX_VALUES {
            return None;
        }
        Some(match kind {
            Type::Byte => Value::Byte(self.take(1)?[0]),
            Type::Bool => Value::Bool(u32::from_le_bytes(self.number()?) != 0),
            Type::I16 => Value::I16(i16::from_le_bytes(self.number()?)),
            Type::U16 => Value::U16(u16::from_le_bytes(self.number()?)),
            Type::I32 => Value::I32(i32::from_le_bytes(self.number()?)),
            Type::U32 => Value::U32(u32::from_le_bytes(self.number()?)),
            Type::I64 => Value::I64(i64::from_le_bytes(self.number()?)),
            Type::U64 => Value::U64(u64::from_le_bytes(self.number()?)),
            Type::F64 => Value::F64(f64::from_le_bytes(self.number()?)),
            Type::Str => {
                let length = self.length()?;
                Value::Str(self.text(length)?)
            }
            Type::Path => {
                let length = self.length()?;
                Value::Path(self.text(length)?)
            }
            Type::Signature => Value::Signature(self.signature()?),
            Type::Variant => {
                let types = parse(&self.signature()?)?;
                let [inner] = types.as_slice() else { return None };
                Value::Variant(Box::new(self.value(inner, depth + 1)?))
            }
            Type::Array(item) => {
                let length = self.length()?;
                self.align(item.alignment())?;
                let end = self.at.checked_add(length).filter(|end| *end <= self.bytes.len())?;
                let mut items = Vec::new();
                while self.at < end {
                    items.push(self.value(item, depth + 1)?);
                }
                if self.at != end {
                    return None;
                }
                Value::Array(signature_of(item), items)
            }
            Type::Struct(fields) => {
                self.align(8)?;
                let fields: Option<_> =
                    fields.iter().map(|field| self.value(field, depth + 1)).collect();
                Value::Struct(fields?)
            }
            Type::Entry(entry) => {
                self.align(8)?;
                let entry = (self.value(&entry.0, depth + 1)?, self.value(&entry.1, depth + 1)?);
                Value::Entry(Box::new(entry))
            }
        })
    }

    fn signature(&mut self) -> Option<String> {
        let length = usize::from(self.take(1)?[0]);
        self.text(length)
    }
}

fn signature_of(kind: &Type) -> String {
    match kind {
        Type::Byte => "y".to_owned(),
        Type::Bool => "b".to_owned(),
        Type::I16 => "n".to_owned(),
        Type::U16 => "q".to_owned(),
        Type::I32 => "i".to_owned(),
        Type::U32 => "u".to_owned(),
        Type::I64 => "x".to_owned(),
        Type::U64 => "t".to_owned(),
        Type::F64 => "d".to_owned(),
        Type::Str => "s".to_owned(),
        Type::Path => "o".to_owned(),
        Type::Signature => "g".to_owned(),
        Type::Variant => "v".to_owned(),
        Type::Array(item) => format!("a{}", signature_of(item)),
        Type::Struct(fields) => {
            format!("({})", fields.iter().map(signature_of).collect::<String>())
        }
        Type::Entry(entry) => format!("{{{}{}}}", signature_of(&entry.0), signature_of(&entry.1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(signature: &str, bytes: &[u8]) -> Option<Vec<Value>> {
        Reader::new(bytes, false).values(&parse(signature)?)
    }

    fn written(value: &Value) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.put(value);
        writer.bytes
    }

    #[test]
    fn values_are_read_as_they_are_written() {
        let reference =
            |name: &str, path: &str| Value::Struct(vec![name.into(), Value::Path(path.to_owned())]);
        let entry = |key: &str, value: Value| Value::Entry(Box::new((key.into(), value.variant())));
        for value in [
            Value::Byte(7),
            Value::Bool(true),
            Value::I16(-2),
            Value::U16(3),
            Value::I32(-4),
            Value::U32(5),
            Value::I64(-6),
            Value::U64(7),
            Value::F64(1.5),
            "Grüße".into(),
            Value::Signature("a(so)".to_owned()),
            Value::Array("(so)".to_owned(), vec![reference(":1.2", "/a"), reference("", "/b")]),
            Value::Array("x".to_owned(), Vec::new()),
            Value::Array("{sv}".to_owned(), vec![entry("a", 1.into()), entry("b", "x".into())]),
            Value::Struct(vec![Value::Byte(1), Value::Array("u".to_owned(), vec![9_u32.into()])]),
        ] {
            assert_eq!(read(&value.signature(), &written(&value)), Some(vec![value]));
        }
    }

    #[test]
    fn the_bytes_are_those_of_the_specification() {
        // The length, then the padding of the first item, which does not count.
        let array = Value::Array("x".to_owned(), vec![Value::I64(5)]);
        assert_eq!(written(&array), [8, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(written(&Value::text("foo")), *b"\x03\0\0\0foo\0");
        assert_eq!(written(&Value::I32(1).variant()), *b"\x01i\0\0\x01\0\0\0");
        let big = Reader::new(b"\0\0\0\x03foo\0\0\0\0\x09", true).values(&parse("su").unwrap());
        assert_eq!(big, Some(vec!["foo".into(), 9_u32.into()]));
    }

    #[test]
    fn malformed_bytes_are_refused() {
        for (signature, bytes) in [
            ("s", &b"\x05\0\0\0foo\0"[..]),
            ("s", b"\x03\0\0\0foox"),
            ("s", b"\xff\xff\xff\xff"),
            ("au", b"\x06\0\0\0\x01\0\0\0\x02\0\0\0"),
            ("au", b"\x08\0\0\0\x01\0\0\0"),
            ("v", b"\x02ii\0"),
            ("v", b"\x01z\0"),
            ("i", b"\x01\0"),
            ("(ii)", b""),
        ] {
            assert_eq!(read(signature, bytes), None, "{signature} {bytes:?}");
        }
        // Variants in variants have no end of their own.
        let deep: Vec<u8> = b"\x01v\0".repeat(10_000);
        assert_eq!(read("v", &deep), None);
        let many = Value::Array("y".to_owned(), vec![Value::Byte(1); MAX_VALUES]);
        assert_eq!(read("ay", &written(&many)), None);
    }
}
