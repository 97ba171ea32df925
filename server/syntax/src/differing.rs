//! Where two trees differ.

use std::ops::Range;

use tree_sitter::{Tree, TreeCursor};

/// What is compared of a node: what a query can ask of it, and where it stands.
#[derive(PartialEq, Eq)]
struct Key {
    kind: u16,
    field: Option<u16>,
    span: Range<usize>,
    is_missing: bool,
    is_extra: bool,
}

impl Key {
    fn of(cursor: &TreeCursor<'_>) -> Self {
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

/// The smallest span that holds every node which only one of two trees has, of which the earlier
/// was told of the edits that lead to the later's text. `None` where they are alike.
///
/// tree-sitter's own answer takes two nodes of one kind, length and cost of errors for the same. Where
/// a text is broken anywhere, what is inside of these may have been read in another way. O(nodes that
/// the trees do not share, and their siblings).
pub(crate) fn differing(earlier: &Tree, later: &Tree) -> Option<Range<usize>> {
    let mut found: Option<Range<usize>> = None;
    let mut cover = |span: Range<usize>| {
        let all = found.get_or_insert_with(|| span.clone());
        all.start = all.start.min(span.start);
        all.end = all.end.max(span.end);
    };
    let (mut a, mut b) = (earlier.walk(), later.walk());
    loop {
        let (of_a, of_b) = (Key::of(&a), Key::of(&b));
        let (mut next_a, mut next_b) = (true, true);
        if of_a != of_b {
            // Those that stand first are passed over until both are at one place again.
            let key = |key: &Key| (key.span.start, key.span.end);
            next_a = key(&of_a) <= key(&of_b);
            next_b = key(&of_b) <= key(&of_a);
            if next_a {
                cover(of_a.span);
            }
            if next_b {
                cover(of_b.span);
            }
        } else if a.node().id() != b.node().id() {
            match (a.goto_first_child(), b.goto_first_child()) {
                (true, true) => continue,
                (false, false) => {}
                (a_has, _) => {
                    cover(of_a.span);
                    let _ = if a_has { a.goto_parent() } else { b.goto_parent() };
                }
            }
        }
        loop {
            let moved = (!next_a || a.goto_next_sibling(), !next_b || b.goto_next_sibling());
            match moved {
                (true, true) => break,
                (false, false) => {}
                // What is left has nothing beside it.
                (true, false) => rest(&mut a, &mut cover),
                (false, true) => rest(&mut b, &mut cover),
            }
            if !a.goto_parent() || !b.goto_parent() {
                return found;
            }
            (next_a, next_b) = (true, true);
        }
    }
}

/// Shows where a node and those behind it under the same parent stand.
fn rest(cursor: &mut TreeCursor<'_>, cover: &mut impl FnMut(Range<usize>)) {
    cover(cursor.node().byte_range());
    while cursor.goto_next_sibling() {
        cover(cursor.node().byte_range());
    }
}
