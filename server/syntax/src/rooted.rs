//! Queries that run only where one of their patterns may begin.
//!
//! A query's cursor looks at every node as if anything could begin there, which takes three times as
//! long as walking over it. Most queries begin at few kinds of node, so a walk looks for these and
//! the query is asked about each by itself.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use streaming_iterator::StreamingIterator;
use tree_sitter::{Language as Grammar, Node, Query, QueryCursor, QueryCursorOptions, QueryMatch};

use crate::Syntax;
use crate::query::{TextChunks, query_cursor, watching};

/// A query, and where its patterns may begin.
#[derive(Debug)]
pub(crate) struct RootedQuery {
    pub(crate) query: Query,
    /// By number of a kind of node. `None` where it may be anywhere, or is not known.
    roots: Option<Box<[bool]>>,
}

impl RootedQuery {
    /// `source` is what `query` was compiled from.
    pub(crate) fn new(query: Query, source: &str, grammar: &Grammar) -> Self {
        let roots = roots(&query, source, grammar);
        Self { query, roots }
    }

    /// A query whose matches are wanted in the order of the text, as far as it gives them so.
    pub(crate) fn anywhere(query: Query) -> Self {
        Self { query, roots: None }
    }
}

/// The kinds of node at which the patterns begin.
fn roots(query: &Query, source: &str, grammar: &Grammar) -> Option<Box<[bool]>> {
    let mut roots = vec![false; grammar.node_kind_count()];
    for pattern in 0..query.pattern_count() {
        let span = query.start_byte_for_pattern(pattern)..query.end_byte_for_pattern(pattern);
        // Nodes side by side begin below a node that the pattern does not name.
        if !query.is_pattern_rooted(pattern) {
            return None;
        }
        for (name, is_named) in begun(source.get(span)?)? {
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

/// The kinds at which a pattern begins, and whether they are named. `None` for wildcards and for all
/// that is not plain.
fn begun(pattern: &str) -> Option<Vec<(&str, bool)>> {
    let mut rest = pattern.trim_start();
    // Outermost parentheses may be there for a predicate.
    while let Some(inner) = rest.strip_prefix('(').map(str::trim_start) {
        if !inner.starts_with(['(', '"', '[']) {
            return Some(vec![kind(rest)?]);
        }
        rest = inner;
    }
    alternatives(rest.strip_prefix('[')?)
}

/// The kinds of a list of alternatives, which begins behind its bracket.
fn alternatives(list: &str) -> Option<Vec<(&str, bool)>> {
    let (mut kinds, mut depth, mut rest) = (Vec::new(), 0_usize, list);
    loop {
        let first = rest.chars().next()?;
        if depth == 0 {
            match first {
                ']' => return Some(kinds),
                '(' | '"' => kinds.push(kind(rest)?),
                '@' | ';' => {}
                _ if first.is_whitespace() => {}
                _ => return None,
            }
        }
        rest = match first {
            '"' => behind_string(rest)?,
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

fn behind_string(text: &str) -> Option<&str> {
    let mut escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })?;
    Some(&text[end + 2..])
}

/// The kind that a pattern of one node is of.
fn kind(pattern: &str) -> Option<(&str, bool)> {
    if let Some(token) = pattern.strip_prefix('"') {
        let token = token.split('"').next()?;
        return (!token.contains('\\')).then_some((token, false));
    }
    let name = pattern.strip_prefix('(')?.trim_start();
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    let (name, behind) = name.split_at(end);
    let is_plain = !name.is_empty() && !name.starts_with('_') && !behind.starts_with('/');
    (is_plain && !["ERROR", "MISSING"].contains(&name)).then_some((name, true))
}

impl Syntax {
    /// Shows `each` what a query finds in all that is searchable until it breaks off. `None` once
    /// `interrupt` is set.
    pub(crate) fn each_match(
        &self,
        query: &RootedQuery,
        interrupt: &AtomicBool,
        mut each: impl FnMut(&QueryMatch<'_, '_>) -> ControlFlow<()>,
    ) -> Option<()> {
        let mut cursor = query_cursor();
        let mut found_at = |cursor: &mut QueryCursor, node| {
            let mut watch = watching(interrupt);
            let options = QueryCursorOptions::new().progress_callback(&mut watch);
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
                    Some(true) => found_at(&mut cursor, node),
                    _ => ControlFlow::Continue(()),
                });
            }
            None => {
                let mut nodes = self.searchable().into_iter();
                let _ = nodes.try_for_each(|node| found_at(&mut cursor, node));
            }
        }
        (!interrupt.load(Ordering::Relaxed)).then_some(())
    }

    /// Shows `each` all nodes, those that hold others first.
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
    fn where_patterns_begin_is_read_from_their_text() {
        let named = |names: &[&'static str]| Some(names.iter().map(|n| (*n, true)).collect());
        assert_eq!(begun("(a name: (b) @n) @item"), named(&["a"]));
        assert_eq!(begun("((a) @x (#eq? @x \"(\"))"), named(&["a"]));
        let all = "[\n (a) @x ; no \"(b)\n (c (d \")\"))\n  \"do\" ] @y";
        assert_eq!(begun(all), Some(vec![("a", true), ("c", true), ("do", false)]));
        for unknown in ["(_) @x", "_ @x", "[(a) _]", "[[(a)] (b)]", "(ERROR) @x", "(a/b) @x"] {
            assert_eq!(begun(unknown), None, "{unknown}");
        }
    }
}
