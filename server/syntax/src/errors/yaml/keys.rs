//! Duplicate keys of mappings, which YAML forbids.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError};

/// Limit of errors per text.
const MAX_ERRORS: usize = 20;
/// Longest text whose keys are compared, in bytes.
const MAX_TEXT_LEN: usize = 1 << 20;
/// Longest key that is compared, in bytes.
const MAX_KEY_LEN: usize = 200;

/// An open collection.
enum OpenCollection {
    Sequence,
    /// The keys (text, and whether it is a plain scalar) with their lines, and whether a key comes
    /// next.
    Mapping(HashMap<(String, bool), usize>, bool),
}

/// A duplicate key.
struct Duplicate {
    line: usize,
    column: usize,
    length: usize,
    /// The line of its first occurrence.
    first: usize,
}

/// The duplicate keys with the line of the first occurrence; or the parser's error.
pub(super) fn duplicates(source: &str) -> Result<Vec<(Range<usize>, usize)>, ScanError> {
    let (mut open, mut found) = (Vec::new(), Vec::new());
    for event in Parser::new_from_str(source) {
        let (event, span) = event?;
        match event {
            _ if source.len() > MAX_TEXT_LEN => {}
            Event::MappingStart(..) => open.push(OpenCollection::Mapping(HashMap::new(), true)),
            Event::SequenceStart(..) => open.push(OpenCollection::Sequence),
            Event::MappingEnd | Event::SequenceEnd => {
                open.pop();
                node_ends(&mut open);
            }
            Event::Alias(_) => node_ends(&mut open),
            Event::Scalar(key, style, ..) => {
                if let Some(OpenCollection::Mapping(keys, true)) = open.last_mut()
                    && is_compared(&key)
                {
                    let (line, column) = (span.start.line(), span.start.col());
                    match keys.entry((key.to_string(), style == ScalarStyle::Plain)) {
                        Entry::Vacant(free) => drop(free.insert(line)),
                        Entry::Occupied(first) if found.len() < MAX_ERRORS => {
                            let (length, first) = (key.len(), *first.get());
                            found.push(Duplicate { line, column, length, first });
                        }
                        Entry::Occupied(_) => {}
                    }
                }
                node_ends(&mut open);
            }
            _ => {}
        }
    }
    let place = |key: Duplicate| {
        let start = super::byte_offset(source, key.line, key.column);
        (start..super::floor_char_boundary(source, start + key.length), key.first)
    };
    Ok(found.into_iter().map(place).collect())
}

/// A key is followed by its value, and that by the next key.
fn node_ends(open: &mut [OpenCollection]) {
    if let Some(OpenCollection::Mapping(_, key_next)) = open.last_mut() {
        *key_next = !*key_next;
    }
}

/// Merge keys may be repeated, and the value of a template expression is unknown.
fn is_compared(key: &str) -> bool {
    !key.is_empty() && key.len() <= MAX_KEY_LEN && key != "<<" && !key.contains("{{")
}
