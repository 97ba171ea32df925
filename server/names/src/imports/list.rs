//! Insertion of a name into a list of imported names.

use std::ops::Range;

use text::Text;
use tree_sitter::Node;

/// The sort order of a list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SortOrder {
    None,
    /// Case-sensitive.
    Exact,
    /// Case-insensitive.
    Folded,
}

impl SortOrder {
    /// The order of a list; case-sensitive if it is too short to show one.
    pub(super) fn of(keys: &[&str]) -> Self {
        if keys.is_sorted() {
            Self::Exact
        } else if keys.is_sorted_by_key(|k| k.to_lowercase()) {
            Self::Folded
        } else {
            Self::None
        }
    }

    /// The index at which a new key is inserted.
    pub(super) fn insertion_index(self, keys: &[&str], new: &str) -> usize {
        match self {
            Self::None => keys.len(),
            Self::Exact => keys.iter().position(|k| *k > new).unwrap_or(keys.len()),
            Self::Folded => {
                let new = new.to_lowercase();
                keys.iter().position(|k| k.to_lowercase() > new).unwrap_or(keys.len())
            }
        }
    }
}

/// Inserts a name into a list; `None` if the list is empty.
pub(super) fn insert(text: &Text, names: &[Node<'_>], new: &str) -> Option<(Range<usize>, String)> {
    let written: Vec<String> =
        names.iter().map(|n| text.slice(n.byte_range()).into_owned()).collect();
    let keys: Vec<&str> = written.iter().map(String::as_str).collect();
    let place = SortOrder::of(&keys).insertion_index(&keys, new);
    let last = names.last()?;
    let between = match names {
        [.., a, b] => text.slice(a.end_byte()..b.start_byte()).into_owned(),
        _ => ", ".to_owned(),
    };
    // A comment between two names belongs to one of them.
    let plain = between.trim() == ",";
    let between = if plain { between } else { ", ".to_owned() };
    Some(match names.get(place) {
        Some(next) => (next.start_byte()..next.start_byte(), format!("{new}{between}")),
        None => (last.end_byte()..last.end_byte(), format!("{between}{new}")),
    })
}
