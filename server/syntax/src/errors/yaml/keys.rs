//! Keys that stand twice in one mapping, which YAML forbids.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError};

/// Most that are told of one text.
const MOST: usize = 20;
/// Longest text that keys are compared in, in bytes.
const LONGEST: usize = 1 << 20;
/// Longest key that is compared, in bytes.
const KEY: usize = 200;

/// What is open.
enum Level {
    Sequence,
    /// Its keys by their text and whether they are plain, with their lines, and whether a key comes
    /// next.
    Mapping(HashMap<(String, bool), usize>, bool),
}

/// A key that stands twice.
struct Duplicate {
    line: usize,
    column: usize,
    length: usize,
    /// The line of the first.
    first: usize,
}

/// The keys that stand twice, and the line of the first of each; or what the text is refused for.
pub(super) fn duplicates(source: &str) -> Result<Vec<(Range<usize>, usize)>, ScanError> {
    let (mut open, mut found) = (Vec::new(), Vec::new());
    for event in Parser::new_from_str(source) {
        let (event, span) = event?;
        match event {
            _ if source.len() > LONGEST => {}
            Event::MappingStart(..) => open.push(Level::Mapping(HashMap::new(), true)),
            Event::SequenceStart(..) => open.push(Level::Sequence),
            Event::MappingEnd | Event::SequenceEnd => {
                open.pop();
                node_ends(&mut open);
            }
            Event::Alias(_) => node_ends(&mut open),
            Event::Scalar(key, style, ..) => {
                if let Some(Level::Mapping(keys, true)) = open.last_mut()
                    && is_compared(&key)
                {
                    let (line, column) = (span.start.line(), span.start.col());
                    match keys.entry((key.to_string(), style == ScalarStyle::Plain)) {
                        Entry::Vacant(free) => drop(free.insert(line)),
                        Entry::Occupied(first) if found.len() < MOST => {
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
        let start = super::place(source, key.line, key.column);
        (start..super::floor(source, start + key.length), key.first)
    };
    Ok(found.into_iter().map(place).collect())
}

/// Behind a key comes its value, behind that the next key.
fn node_ends(open: &mut [Level]) {
    if let Some(Level::Mapping(_, key_next)) = open.last_mut() {
        *key_next = !*key_next;
    }
}

/// Merge keys may stand twice, and what a template puts in the place of a key is not known.
fn is_compared(key: &str) -> bool {
    !key.is_empty() && key.len() <= KEY && key != "<<" && !key.contains("{{")
}
