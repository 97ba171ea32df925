//! The captures of `queries/<language>/actions.scm` around a position.
//!
//! - `@list`: a bracketed node with separated elements. Settings: `list.comma`: `always` (a
//!   trailing one if each element has its own line), `may` (optional: used if other lists of the
//!   text have it), or unset (not allowed); `list.pad`: blanks inside the brackets on one line;
//!   `list.separator`, if it is not a comma, empty if blanks suffice; `list.hang`: closing bracket
//!   and elements are one step deeper; `list.sort`: `names` (the order has no effect), `values`
//!   (the order is visible to code that reads the list).
//! - `@list.open`: an element that must not be followed by a comma.
//! - `@comparison` with `@left`, `@operator`, `@right`: can be flipped.
//! - `@plain`: a node that is allowed in the operands; any other may have side effects.
//! - `@body`: contains statements. Settings `wrap.block`, `wrap.if`, `wrap.try`: templates to wrap
//!   statements in, which replace `|`.
//! - `@declares` in a body: a declaration that is scoped to the body; `@declares.name` are its
//!   names.
//! - `@fixed` in a body: a statement that cannot be moved.
//! - `@unwrap` with `@inside`: a statement, and its body, which can replace it. `@binds` are parts
//!   that declare names for the body. Settings: `unwrap.loop`: `@jump` nodes inside refer to it;
//!   `unwrap.loses`: what else is dropped.
//! - `@import`: one of several consecutive imports that may be in any order; `@import.name` is the
//!   sort key.
//! - `@entry`: one of several children on separate lines that may be in any order; `@entry.name` is
//!   the sort key.
//!
//! For sorting, `sort.without` lists words, separated by blanks, that forbid it.

use std::collections::HashMap;
use std::ops::Range;

use streaming_iterator::StreamingIterator;
use tree_sitter::{Node, Query};

use crate::Syntax;
use crate::query::{TextChunks, query_cursor};

/// Limit of captures that are considered around a position.
const MAX_CAPTURES: usize = 20_000;

/// A comparison that can be flipped.
pub(super) struct Comparison<'t> {
    pub(super) node: Node<'t>,
    pub(super) left: Node<'t>,
    pub(super) operator: Node<'t>,
    pub(super) right: Node<'t>,
}

/// A statement that can be replaced by its body.
pub(super) struct Unwrap<'t> {
    pub(super) node: Node<'t>,
    pub(super) inside: Node<'t>,
    pub(super) binds: Vec<Node<'t>>,
    pub(super) is_loop: bool,
    pub(super) loses: Option<&'t str>,
}

/// The captured nodes, by capture.
#[derive(Default)]
pub(super) struct ActionCaptures<'t> {
    query: Option<&'t Query>,
    /// Node ids, with the pattern that captured them.
    pub(super) lists: HashMap<usize, usize>,
    pub(super) open: HashMap<usize, usize>,
    pub(super) plain: HashMap<usize, usize>,
    pub(super) bodies: HashMap<usize, usize>,
    pub(super) declares: HashMap<usize, usize>,
    pub(super) fixed: HashMap<usize, usize>,
    pub(super) jumps: HashMap<usize, usize>,
    pub(super) imports: HashMap<usize, usize>,
    pub(super) import_nodes: Vec<Node<'t>>,
    /// With the patterns that captured them.
    pub(super) entries: Vec<(Node<'t>, usize)>,
    pub(super) names: Vec<Node<'t>>,
    pub(super) comparisons: Vec<Comparison<'t>>,
    pub(super) unwraps: Vec<Unwrap<'t>>,
}

impl<'t> ActionCaptures<'t> {
    /// The captures of nodes that touch `span`.
    pub(super) fn new(syntax: &'t Syntax, span: Range<usize>) -> Self {
        let mut captures = Self::default();
        let Some(query) = syntax.language().actions() else { return captures };
        captures.query = Some(query);
        let names = query.capture_names();
        let mut cursor = query_cursor();
        cursor.set_byte_range(span);
        let mut matches = cursor.matches(query, syntax.root(), TextChunks(syntax.text()));
        let mut seen = 0;
        while let Some(found) = matches.next() {
            let pattern = found.pattern_index;
            let one = |name: &str| {
                let all = found.captures().iter();
                all.filter(|c| names[c.index as usize] == name).map(|c| c.node).next_back()
            };
            for capture in found.captures() {
                let id = capture.node.id();
                let into = match names[capture.index as usize] {
                    "list" => &mut captures.lists,
                    "list.open" => &mut captures.open,
                    "plain" => &mut captures.plain,
                    "body" => &mut captures.bodies,
                    "declares" => &mut captures.declares,
                    "fixed" => &mut captures.fixed,
                    "jump" => &mut captures.jumps,
                    "import" => {
                        captures.import_nodes.push(capture.node);
                        &mut captures.imports
                    }
                    "entry" => {
                        captures.entries.push((capture.node, pattern));
                        continue;
                    }
                    "declares.name" | "import.name" | "entry.name" => {
                        captures.names.push(capture.node);
                        continue;
                    }
                    "comparison" => {
                        if let (Some(left), Some(operator), Some(right)) =
                            (one("left"), one("operator"), one("right"))
                        {
                            let node = capture.node;
                            captures.comparisons.push(Comparison { node, left, operator, right });
                        }
                        continue;
                    }
                    "unwrap" => {
                        if let Some(inside) = one("inside") {
                            let all = found.captures().iter();
                            let binds = all.filter(|c| names[c.index as usize] == "binds");
                            captures.unwraps.push(Unwrap {
                                node: capture.node,
                                inside,
                                binds: binds.map(|c| c.node).collect(),
                                is_loop: setting(query, pattern, "unwrap.loop").is_some(),
                                loses: setting(query, pattern, "unwrap.loses"),
                            });
                        }
                        continue;
                    }
                    _ => continue,
                };
                // If several patterns capture a node, the last wins.
                let known = into.entry(id).or_insert(pattern);
                *known = pattern.max(*known);
            }
            seen += found.captures().len();
            if seen > MAX_CAPTURES {
                break;
            }
        }
        captures
    }

    /// Whether `text` contains none of the words in the pattern's `sort.without`.
    pub(super) fn may_sort(&self, pattern: usize, text: &str) -> bool {
        let without = self.setting(pattern, "sort.without").unwrap_or_default();
        !without.split_whitespace().any(|word| text.contains(word))
    }

    /// The value of a `#set!` property of a pattern.
    pub(super) fn setting(&self, pattern: usize, key: &str) -> Option<&'t str> {
        setting(self.query?, pattern, key)
    }
}

fn setting<'t>(query: &'t Query, pattern: usize, key: &str) -> Option<&'t str> {
    let mut all = query.property_settings(pattern).iter();
    let found = all.find(|property| &*property.key == key)?;
    Some(found.value.as_deref().unwrap_or_default())
}
