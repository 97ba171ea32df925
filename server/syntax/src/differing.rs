//! Compares two trees node by node.

use std::ops::Range;

use tree_sitter::{Tree, TreeCursor};

/// What is compared of a node: everything a query can test, and its span.
#[derive(PartialEq, Eq)]
struct NodeKey {
    kind: u16,
    field: Option<u16>,
    span: Range<usize>,
    is_missing: bool,
    is_extra: bool,
}

impl NodeKey {
    fn new(cursor: &TreeCursor<'_>) -> Self {
        let node = cursor.node();
        Self {
            kind: node.kind_id(),
            field: cursor.field_id().map(u16::from),
            span: node.byte_range(),
            is_missing: node.is_missing(),
            is_extra: node.is_extra(),
        }
    }
}

/// The smallest span that contains every node which only one of the trees has; `None` if the trees
/// are equal. `earlier` must have been edited (`Tree::edit`) to match the text of `later`.
///
/// `Tree::changed_ranges` is not enough: it treats two nodes of equal kind, length and error cost
/// as equal, although below an error the inside of such nodes may have been parsed differently.
/// O(nodes that the trees do not share, and their siblings).
pub(crate) fn differing(earlier: &Tree, later: &Tree) -> Option<Range<usize>> {
    let mut found: Option<Range<usize>> = None;
    let mut cover = |span: Range<usize>| {
        let all = found.get_or_insert_with(|| span.clone());
        all.start = all.start.min(span.start);
        all.end = all.end.max(span.end);
    };
    let (mut a, mut b) = (earlier.walk(), later.walk());
    loop {
        let (key_a, key_b) = (NodeKey::new(&a), NodeKey::new(&b));
        let (mut next_a, mut next_b) = (true, true);
        if key_a != key_b {
            // Advance the cursor of the node that starts first until both are at the same span
            // again.
            let key = |key: &NodeKey| (key.span.start, key.span.end);
            next_a = key(&key_a) <= key(&key_b);
            next_b = key(&key_b) <= key(&key_a);
            if next_a {
                cover(key_a.span);
            }
            if next_b {
                cover(key_b.span);
            }
        } else if a.node().id() != b.node().id() {
            match (a.goto_first_child(), b.goto_first_child()) {
                (true, true) => continue,
                (false, false) => {}
                (a_has, _) => {
                    cover(key_a.span);
                    let _ = if a_has { a.goto_parent() } else { b.goto_parent() };
                }
            }
        }
        loop {
            let moved = (!next_a || a.goto_next_sibling(), !next_b || b.goto_next_sibling());
            match moved {
                (true, true) => break,
                (false, false) => {}
                // The other tree has no more siblings here: all that are left differ.
                (true, false) => cover_rest(&mut a, &mut cover),
                (false, true) => cover_rest(&mut b, &mut cover),
            }
            if !a.goto_parent() || !b.goto_parent() {
                return found;
            }
            (next_a, next_b) = (true, true);
        }
    }
}

/// Passes the spans of a node and its following siblings to `cover`.
fn cover_rest(cursor: &mut TreeCursor<'_>, cover: &mut impl FnMut(Range<usize>)) {
    cover(cursor.node().byte_range());
    while cursor.goto_next_sibling() {
        cover(cursor.node().byte_range());
    }
}
