//! Decodes and encodes a file's bytes.

use thiserror::Error;

/// The encoding of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FileEncoding {
    /// UTF-8 without a byte-order mark.
    #[default]
    Utf8,
    /// UTF-8 that starts with a byte-order mark.
    Utf8Bom,
    /// UTF-16, little endian, with its byte-order mark.
    Utf16Le,
    /// UTF-16, big endian, with its byte-order mark.
    Utf16Be,
}

impl FileEncoding {
    /// The name used in results: `utf-8`, `utf-8-bom`, `utf-16le` or `utf-16be`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf8Bom => "utf-8-bom",
            Self::Utf16Le => "utf-16le",
            Self::Utf16Be => "utf-16be",
        }
    }
}

/// A file's text without its byte-order mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    /// The text without the mark.
    pub text: String,
    /// The encoding with which [`encode`] returns the same bytes.
    pub encoding: FileEncoding,
}

/// Why bytes cannot be edited as text and written back without loss.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// Neither UTF-8, nor UTF-16 with a byte-order mark.
    #[error("not UTF-8 (byte {offset}), and no UTF-16 byte-order mark")]
    NotUtf8 {
        /// Offset of the first invalid byte.
        offset: usize,
    },
    /// Invalid UTF-16 after its byte-order mark.
    #[error("marked as UTF-16, but broken at byte {offset}")]
    BrokenUtf16 {
        /// Offset of the first invalid code unit.
        offset: usize,
    },
}

const UTF8_BOM: &[u8] = b"\xEF\xBB\xBF";
const UTF16_LE_BOM: &[u8] = b"\xFF\xFE";
const UTF16_BE_BOM: &[u8] = b"\xFE\xFF";

/// Decodes a file. [`encode`] of the result returns the same bytes.
///
/// # Errors
/// When the bytes are in no supported encoding.
pub fn decode(bytes: Vec<u8>) -> Result<Decoded, DecodeError> {
    if bytes.starts_with(UTF16_LE_BOM) {
        return utf16(&bytes, u16::from_le_bytes, FileEncoding::Utf16Le);
    }
    if bytes.starts_with(UTF16_BE_BOM) {
        return utf16(&bytes, u16::from_be_bytes, FileEncoding::Utf16Be);
    }
    let text = String::from_utf8(bytes)
        .map_err(|e| DecodeError::NotUtf8 { offset: e.utf8_error().valid_up_to() })?;
    match text.strip_prefix('\u{FEFF}') {
        Some(rest) => Ok(Decoded { text: rest.to_owned(), encoding: FileEncoding::Utf8Bom }),
        None => Ok(Decoded { text, encoding: FileEncoding::Utf8 }),
    }
}

fn utf16(
    bytes: &[u8],
    unit: fn([u8; 2]) -> u16,
    encoding: FileEncoding,
) -> Result<Decoded, DecodeError> {
    let (pairs, rest) = bytes[2..].as_chunks::<2>();
    if !rest.is_empty() {
        return Err(DecodeError::BrokenUtf16 { offset: bytes.len() - 1 });
    }
    let mut text = String::with_capacity(bytes.len() / 2);
    let mut offset = 2;
    for unit in char::decode_utf16(pairs.iter().copied().map(unit)) {
        let c = unit.map_err(|_| DecodeError::BrokenUtf16 { offset })?;
        offset += 2 * c.len_utf16();
        text.push(c);
    }
    Ok(Decoded { text, encoding })
}

/// Encodes a text, with the encoding's byte-order mark.
#[must_use]
pub fn encode(text: &str, encoding: FileEncoding) -> Vec<u8> {
    let utf16 = |bom: &[u8], bytes: fn(u16) -> [u8; 2]| {
        bom.iter().copied().chain(text.encode_utf16().flat_map(bytes)).collect()
    };
    match encoding {
        FileEncoding::Utf8 => text.as_bytes().to_vec(),
        FileEncoding::Utf8Bom => [UTF8_BOM, text.as_bytes()].concat(),
        FileEncoding::Utf16Le => utf16(UTF16_LE_BOM, u16::to_le_bytes),
        FileEncoding::Utf16Be => utf16(UTF16_BE_BOM, u16::to_be_bytes),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_byte_order_mark_decides() {
        for (bytes, text, name) in [
            (b"plain".as_slice(), "plain", "utf-8"),
            (b"\xEF\xBB\xBFmarked", "marked", "utf-8-bom"),
            (b"\xFF\xFEh\0i\0", "hi", "utf-16le"),
            (b"\xFE\xFF\0h\0i", "hi", "utf-16be"),
            (b"\xFF\xFE", "", "utf-16le"),
            (b"nul \0 inside", "nul \0 inside", "utf-8"),
        ] {
            let decoded = decode(bytes.to_vec()).unwrap();
            assert_eq!((decoded.text.as_str(), decoded.encoding.as_str()), (text, name));
        }
    }

    #[test]
    fn bytes_that_cannot_be_written_back_are_rejected() {
        assert_eq!(decode(b"ab\xE9".to_vec()), Err(DecodeError::NotUtf8 { offset: 2 }));
        assert_eq!(decode(b"\xFF\xFEa".to_vec()), Err(DecodeError::BrokenUtf16 { offset: 2 }));
        assert_eq!(
            decode(b"\xFF\xFEa\0\x00\xD8b\0".to_vec()),
            Err(DecodeError::BrokenUtf16 { offset: 4 })
        );
    }

    proptest! {
        #[test]
        fn decoding_then_encoding_gives_the_same_bytes(bytes: Vec<u8>, mark in 0..4usize) {
            let mark: &[u8] = [b"".as_slice(), UTF8_BOM, UTF16_LE_BOM, UTF16_BE_BOM][mark];
            let bytes = [mark, &bytes].concat();
            if let Ok(decoded) = decode(bytes.clone()) {
                prop_assert_eq!(encode(&decoded.text, decoded.encoding), bytes);
            }
        }
    }
}
