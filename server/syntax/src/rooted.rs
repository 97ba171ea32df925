//! Queries that run only at nodes where one of their patterns can start.
//!
//! A query cursor tries every pattern at every node, which takes three times as long as walking the
//! tree. Most queries start at few node kinds, so a plain walk finds those nodes and the query runs
//! on each of them alone.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use streaming_iterator::StreamingIterator;
use tree_sitter::{Language as Grammar, Node, Query, QueryCursor, QueryCursorOptions, QueryMatch};

use crate::Syntax;
use crate::query::{TextChunks, interrupt_callback, query_cursor};

/// Most children of an error node that is still searched.
const MAX_STRAY_TOKENS: u32 = 2_000;

/// A query with the node kinds at which its patterns can start.
#[derive(Debug)]
pub(crate) struct RootedQuery {
    pub(crate) query: Query,
    /// Indexed by node kind id. `None` if a pattern can start anywhere, or if that is unknown.
    roots: Option<Box<[bool]>>,
}

impl RootedQuery {
    /// `source` is the text that `query` was compiled from.
    pub(crate) fn new(query: Query, source: &str, grammar: &Grammar) -> Self {
        let roots = root_table(&query, source, grammar);
        Self { query, roots }
    }

    /// A query that runs on the whole tree at once, for callers that depend on the order of
    /// matches.
    pub(crate) fn unrooted(query: Query) -> Self {
        Self { query, roots: None }
    }
}

/// The table of node kinds at which the patterns start.
fn root_table(query: &Query, source: &str, grammar: &Grammar) -> Option<Box<[bool]>> {
    let mut roots = vec![false; grammar.node_kind_count()];
    for pattern in 0..query.pattern_count() {
        let span = query.start_byte_for_pattern(pattern)..query.end_byte_for_pattern(pattern);
        // A pattern of siblings starts below a node that it does not name.
        if !query.is_pattern_rooted(pattern) {
            return None;
        }
        for (name, is_named) in root_kinds(source.get(span)?)? {
            let mut known = false;
            for (id, is_root) in (0..).zip(&mut roots) {
                if grammar.node_kind_for_id(id) == Some(name)
                    && grammar.node_kind_is_named(id) == is_named
                {
                    if grammar.node_kind_is_supertype(id) {
                        return None;
                    }
                    (*is_root, known) = (true, true);
                }
            }
            if !known {
                return None;
            }
        }
    }
    Some(roots.into())
}

/// The node kinds at which a pattern starts, and whether they are named. `None` for wildcards and
/// everything that this simple reader does not understand.
fn root_kinds(pattern: &str) -> Option<Vec<(&str, bool)>> {
    let mut rest = pattern.trim_start();
    // The outermost parentheses may only group a predicate.
    while let Some(inner) = rest.strip_prefix('(').map(str::trim_start) {
        if !inner.starts_with(['(', '"', '[']) {
            return Some(vec![node_kind(rest)?]);
        }
        rest = inner;
    }
    alternatives(rest.strip_prefix('[')?)
}

/// The node kinds in a list of alternatives; `list` starts after its bracket.
fn alternatives(list: &str) -> Option<Vec<(&str, bool)>> {
    let (mut kinds, mut depth, mut rest) = (Vec::new(), 0_usize, list);
    loop {
        let first = rest.chars().next()?;
        if depth == 0 {
            match first {
                ']' => return Some(kinds),
                '(' | '"' => kinds.push(node_kind(rest)?),
                '@' | ';' => {}
                _ if first.is_whitespace() => {}
                _ => return None,
            }
        }
        rest = match first {
            '"' => after_string(rest)?,
            ';' => &rest[rest.find('\n')?..],
            '@' => rest[1..].trim_start_matches(|c: char| c.is_alphanumeric() || "_.-".contains(c)),
            _ => &rest[first.len_utf8()..],
        };
        match first {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
}

fn after_string(text: &str) -> Option<&str> {
    let mut escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })?;
    Some(&text[end + 2..])
}

/// The node kind of a single-node pattern.
fn node_kind(pattern: &str) -> Option<(&str, bool)> {
    if let Some(token) = pattern.strip_prefix('"') {
        let token = token.split('"').next()?;
        return (!token.contains('\\')).then_some((token, false));
    }
    let name = pattern.strip_prefix('(')?.trim_start();
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    let (name, after) = name.split_at(end);
    let is_plain = !name.is_empty() && !name.starts_with('_') && !after.starts_with('/');
    (is_plain && !["ERROR", "MISSING"].contains(&name)).then_some((name, true))
}

impl Syntax {
    /// Calls `each` for every match until it breaks. `None` once `interrupt` is set.
    pub(crate) fn each_match(
        &self,
        query: &RootedQuery,
        interrupt: &AtomicBool,
        mut each: impl FnMut(&QueryMatch<'_, '_>) -> ControlFlow<()>,
    ) -> Option<()> {
        let mut cursor = query_cursor();
        let mut run_at = |cursor: &mut QueryCursor, node| {
            let mut progress = interrupt_callback(interrupt);
            let options = QueryCursorOptions::new().progress_callback(&mut progress);
            let text = TextChunks(self.text());
            let mut matches = cursor.matches_with_options(&query.query, node, text, options);
            while let Some(found) = matches.next() {
                if interrupt.load(Ordering::Relaxed) {
                    return ControlFlow::Break(());
                }
                each(found)?;
            }
            ControlFlow::Continue(())
        };
        match &query.roots {
            Some(roots) => {
                cursor.set_max_start_depth(Some(0));
                self.walk(interrupt, |node| match roots.get(usize::from(node.kind_id())) {
                    Some(true) => run_at(&mut cursor, node),
                    _ => ControlFlow::Continue(()),
                });
            }
            None => {
                let mut nodes = self.query_roots().into_iter();
                let _ = nodes.try_for_each(|node| run_at(&mut cursor, node));
            }
        }
        (!interrupt.load(Ordering::Relaxed)).then_some(())
    }

    /// The nodes to run queries on: the root, or only the error-free subtrees if the tree has a
    /// long run of stray tokens, because tree-sitter's queries take quadratic time in the length of
    /// such a run.
    pub(crate) fn query_roots(&self) -> Vec<Node<'_>> {
        let stray = |node: Node<'_>| node.is_error() && node.child_count() > MAX_STRAY_TOKENS;
        let mut cursor = self.tree().walk();
        let (mut whole, mut found) = (Vec::new(), false);
        loop {
            let node = cursor.node();
            found |= stray(node);
            if node.has_error() && cursor.goto_first_child() {
                continue;
            }
            if node.child_count() > 0 {
                whole.push(node);
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return if found { whole } else { vec![self.root()] };
                }
            }
        }
    }

    /// Calls `each` for every node in preorder.
    fn walk<'t>(
        &'t self,
        interrupt: &AtomicBool,
        mut each: impl FnMut(Node<'t>) -> ControlFlow<()>,
    ) {
        let mut cursor = self.tree().walk();
        loop {
            if interrupt.load(Ordering::Relaxed) || each(cursor.node()).is_break() {
                return;
            }
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_kinds_are_read_from_the_query_text() {
        let named = |names: &[&'static str]| Some(names.iter().map(|n| (*n, true)).collect());
        assert_eq!(root_kinds("(a name: (b) @n) @item"), named(&["a"]));
        assert_eq!(root_kinds("((a) @x (#eq? @x \"(\"))"), named(&["a"]));
        let all = "[\n (a) @x ; no \"(b)\n (c (d \")\"))\n  \"do\" ] @y";
        assert_eq!(root_kinds(all), Some(vec![("a", true), ("c", true), ("do", false)]));
        for unknown in ["(_) @x", "_ @x", "[(a) _]", "[[(a)] (b)]", "(ERROR) @x", "(a/b) @x"] {
            assert_eq!(root_kinds(unknown), None, "{unknown}");
        }
    }
}
