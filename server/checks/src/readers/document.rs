//! Collects output for formats that are one document.

use super::Reader;
use crate::findings::Findings;

/// Limit for a document, in bytes. Reports of tens of thousands of tests are smaller.
const MAX_DOCUMENT_BYTES: usize = 64 << 20;

/// The reader of a format that is one document, which other output may surround.
pub(crate) struct Document {
    read: fn(&str, &mut Findings),
    bytes: Vec<u8>,
    left_out: u64,
}

impl Document {
    pub(crate) fn new(read: fn(&str, &mut Findings)) -> Self {
        Self { read, bytes: Vec::new(), left_out: 0 }
    }
}

impl Reader for Document {
    fn push(&mut self, bytes: &[u8], _: &mut Findings) {
        let left = MAX_DOCUMENT_BYTES.saturating_sub(self.bytes.len());
        let kept = bytes.len().min(left);
        self.bytes.extend_from_slice(&bytes[..kept]);
        self.left_out += (bytes.len() - kept) as u64;
    }

    fn finish(&mut self, found: &mut Findings) {
        let bytes = std::mem::take(&mut self.bytes);
        (self.read)(&decode(&bytes), found);
        if self.left_out > 0 {
            found.broken = Some(format!("{} bytes of output were not read", self.left_out));
        }
    }
}

/// Text in UTF-8, or in UTF-16 with a byte order mark, as tools on other systems write reports.
pub(crate) fn decode(bytes: &[u8]) -> String {
    let utf16 = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let units = rest.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
        char::decode_utf16(units).map(|one| one.unwrap_or('\u{fffd}')).collect()
    };
    match bytes {
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// The elements of the first JSON array of a text.
/// Elements are returned as they are complete, so half of an array is half of the elements.
pub(crate) fn elements(text: &str) -> Vec<serde_json::Value> {
    let Some(start) = text.find("[{").or_else(|| text.find("[\n")).or_else(|| text.find('['))
    else {
        return Vec::new();
    };
    let mut rest = text[start + 1..].trim_start();
    let mut elements = Vec::new();
    loop {
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter();
        let Some(Ok(element)) = stream.next() else { break };
        let end = stream.byte_offset();
        elements.push(element);
        match rest[end..].trim_start().strip_prefix(',') {
            Some(next) => rest = next.trim_start(),
            None => break,
        }
    }
    elements
}

/// The first JSON object of a text that has the field `field`.
pub(crate) fn object_with(text: &str, field: &str) -> Option<serde_json::Value> {
    let starts = text.match_indices('{').map(|(at, _)| at);
    // Other output has few braces before the report.
    for start in starts.take(200) {
        let mut stream = serde_json::Deserializer::from_str(&text[start..]).into_iter();
        if let Some(Ok(value)) = stream.next()
            && serde_json::Value::get(&value, field).is_some()
        {
            return Some(value);
        }
    }
    None
}
