//! What `queries/<language>/actions.scm` says of the nodes around a place.
//!
//! - `@list`: a node with brackets in it, and elements between them that commas set apart. Settings:
//!   `list.comma`: `always` (one behind the last element where each has a line of its own), `may`
//!   (there may be one: it is put where other lists of the text have it), or none (there must be none); `list.pad`: blanks inside the brackets on one
//!   line; `list.separator`, where it is no comma, empty where blanks are enough; `list.hang`: closing
//!   bracket and elements stand a step deeper; `list.sort`: `names` (their order makes no
//!   difference), `values` (it does, for whoever reads the list).
//! - `@list.open`: an element that no comma may stand behind.
//! - `@comparison` with `@left`, `@operator`, `@right`: may be written the other way round.
//! - `@plain`: what may stand in its operands; anything else may have an effect, or its order may.
//! - `@body`: holds statements. Settings `wrap.block`, `wrap.if`, `wrap.try`: what statements can be
//!   put into, which stand for `|`.
//! - `@declares` in a body: what is declared ends with the body; `@declares.name` are its names.
//! - `@fixed` in a body: a statement that stands nowhere else.
//! - `@unwrap` with `@inside`: a statement, and its body, that can take its place. `@binds` are parts
//!   that declare for the body. Settings: `unwrap.loop`: what `@jump`s inside leave it;
//!   `unwrap.loses`: what else goes.
//! - `@import`: one of several lines in a row that may be in any order; `@import.name` is what they
//!   are ordered by.
//! - `@entry`: one of several in a node, on lines of their own, whose order makes no difference;
//!   `@entry.name` is what they are ordered by.
//!
//! Where something is sorted, `sort.without` has what must not be in it, set apart by blanks.

use std::collections::HashMap;
use std::ops::Range;

use streaming_iterator::StreamingIterator;
use tree_sitter::{Node, Query};

use crate::Syntax;
use crate::query::{TextChunks, query_cursor};

/// Most marks that are looked at around one place.
const MOST: usize = 20_000;

/// A node that may be written the other way round.
pub(super) struct Comparison<'t> {
    pub(super) node: Node<'t>,
    pub(super) left: Node<'t>,
    pub(super) operator: Node<'t>,
    pub(super) right: Node<'t>,
}

/// A statement that may be replaced by its body.
pub(super) struct Unwrap<'t> {
    pub(super) node: Node<'t>,
    pub(super) inside: Node<'t>,
    pub(super) binds: Vec<Node<'t>>,
    pub(super) is_loop: bool,
    pub(super) loses: Option<&'t str>,
}

/// The nodes that mean something, by what they are.
#[derive(Default)]
pub(super) struct Marks<'t> {
    query: Option<&'t Query>,
    /// Nodes by their ids, with the pattern that found them.
    pub(super) lists: HashMap<usize, usize>,
    pub(super) open: HashMap<usize, usize>,
    pub(super) plain: HashMap<usize, usize>,
    pub(super) bodies: HashMap<usize, usize>,
    pub(super) declares: HashMap<usize, usize>,
    pub(super) fixed: HashMap<usize, usize>,
    pub(super) jumps: HashMap<usize, usize>,
    pub(super) imports: HashMap<usize, usize>,
    pub(super) import_nodes: Vec<Node<'t>>,
    /// With the patterns that found them.
    pub(super) entries: Vec<(Node<'t>, usize)>,
    pub(super) names: Vec<Node<'t>>,
    pub(super) comparisons: Vec<Comparison<'t>>,
    pub(super) unwraps: Vec<Unwrap<'t>>,
}

impl<'t> Marks<'t> {
    /// Those of nodes that touch `span`.
    pub(super) fn of(syntax: &'t Syntax, span: Range<usize>) -> Self {
        let mut marks = Self::default();
        let Some(query) = syntax.language().actions() else { return marks };
        marks.query = Some(query);
        let names = query.capture_names();
        let mut cursor = query_cursor();
        cursor.set_byte_range(span);
        let mut matches = cursor.matches(query, syntax.root(), TextChunks(syntax.text()));
        let mut seen = 0;
        while let Some(found) = matches.next() {
            let pattern = found.pattern_index;
            let one = |name: &str| {
                let captures = found.captures().iter();
                captures.filter(|c| names[c.index as usize] == name).map(|c| c.node).next_back()
            };
            for capture in found.captures() {
                let id = capture.node.id();
                let into = match names[capture.index as usize] {
                    "list" => &mut marks.lists,
                    "list.open" => &mut marks.open,
                    "plain" => &mut marks.plain,
                    "body" => &mut marks.bodies,
                    "declares" => &mut marks.declares,
                    "fixed" => &mut marks.fixed,
                    "jump" => &mut marks.jumps,
                    "import" => {
                        marks.import_nodes.push(capture.node);
                        &mut marks.imports
                    }
                    "entry" => {
                        marks.entries.push((capture.node, pattern));
                        continue;
                    }
                    "declares.name" | "import.name" | "entry.name" => {
                        marks.names.push(capture.node);
                        continue;
                    }
                    "comparison" => {
                        if let (Some(left), Some(operator), Some(right)) =
                            (one("left"), one("operator"), one("right"))
                        {
                            let node = capture.node;
                            marks.comparisons.push(Comparison { node, left, operator, right });
                        }
                        continue;
                    }
                    "unwrap" => {
                        if let Some(inside) = one("inside") {
                            let captures = found.captures().iter();
                            let binds = captures.filter(|c| names[c.index as usize] == "binds");
                            marks.unwraps.push(Unwrap {
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
                // Of several patterns, the last one counts.
                let known = into.entry(id).or_insert(pattern);
                *known = pattern.max(*known);
            }
            seen += found.captures().len();
            if seen > MOST {
                break;
            }
        }
        marks
    }

    /// Whether a text that a pattern has sorted is free of what must not be in it.
    pub(super) fn may_sort(&self, pattern: usize, text: &str) -> bool {
        let without = self.setting(pattern, "sort.without").unwrap_or_default();
        !without.split_whitespace().any(|word| text.contains(word))
    }

    /// What a pattern's `#set!` says of `key`.
    pub(super) fn setting(&self, pattern: usize, key: &str) -> Option<&'t str> {
        setting(self.query?, pattern, key)
    }
}

fn setting<'t>(query: &'t Query, pattern: usize, key: &str) -> Option<&'t str> {
    let mut all = query.property_settings(pattern).iter();
    let found = all.find(|property| &*property.key == key)?;
    Some(found.value.as_deref().unwrap_or_default())
}
