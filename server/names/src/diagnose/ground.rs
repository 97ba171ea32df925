//! What a text holds besides its facts: where its words stand, its comments and its strings.

use std::ops::Range;

use rustc_hash::FxHashMap;
use syntax::Syntax;
use tree_sitter::Node;

/// A text as its words, and what kind of text each stands in.
pub(crate) struct Ground<'a> {
    pub(crate) source: &'a str,
    pub(crate) syntax: &'a Syntax,
    /// Where each word starts, in order.
    words: FxHashMap<&'a str, Vec<u32>>,
    /// In order of place; none holds another.
    comments: Vec<Range<u32>>,
    strings: Vec<Range<u32>>,
    /// Whether it has syntax errors.
    pub(crate) broken: bool,
}

/// What kind of text a word stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Code,
    Comment,
    Text,
}

impl<'a> Ground<'a> {
    /// O(text).
    pub(crate) fn of(syntax: &'a Syntax, source: &'a str) -> Self {
        let root = syntax.root();
        let mut ground = Self {
            source,
            syntax,
            words: words(source),
            comments: Vec::new(),
            strings: Vec::new(),
            broken: root.has_error(),
        };
        ground.collect(root);
        ground
    }

    fn collect(&mut self, root: Node<'_>) {
        let mut cursor = root.walk();
        loop {
            let node = cursor.node();
            let kind = node.kind();
            let span = || node.start_byte() as u32..node.end_byte() as u32;
            let mut inside = true;
            if kind.ends_with("comment") {
                self.comments.push(span());
                inside = false;
            } else if node.child_count() == 0 && is_text(kind) || is_whole_text(kind) {
                self.strings.push(span());
                inside = false;
            }
            if inside && cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    /// Where a word stands.
    pub(crate) fn places(&self, word: &str) -> &[u32] {
        self.words.get(word).map_or(&[], |p| p)
    }

    /// Whether a word stands anywhere.
    pub(crate) fn has(&self, word: &str) -> bool {
        self.words.contains_key(word)
    }

    /// What kind of text a place is in.
    pub(crate) fn kind(&self, at: u32) -> Kind {
        let within = |all: &[Range<u32>]| {
            let next = all.partition_point(|r| r.end <= at);
            all.get(next).is_some_and(|r| r.start <= at)
        };
        if within(&self.comments) {
            Kind::Comment
        } else if within(&self.strings) {
            Kind::Text
        } else {
            Kind::Code
        }
    }

    /// The comment around a place.
    pub(crate) fn comment(&self, at: u32) -> &'a str {
        let next = self.comments.partition_point(|r| r.end <= at);
        let found = self.comments.get(next).filter(|r| r.start <= at);
        found.and_then(|r| self.source.get(r.start as usize..r.end as usize)).unwrap_or("")
    }

    /// The innermost node of a span.
    pub(crate) fn node(&self, start: u32, end: u32) -> Option<Node<'_>> {
        self.syntax.root().descendant_for_byte_range(start as usize, end as usize)
    }

    /// The nodes around a place, the innermost first.
    pub(crate) fn around(&self, start: u32, end: u32) -> impl Iterator<Item = Node<'_>> {
        std::iter::successors(self.node(start, end), Node::parent)
    }

    /// Whether the word at a place is a member of what stands before it: after a dot.
    pub(crate) fn is_member(&self, at: u32) -> bool {
        let before = self.source[..at as usize].trim_end();
        let dot = before.len().wrapping_sub(1) as u32;
        before.ends_with('.') && !before.ends_with("..") && self.kind(dot) == Kind::Code
    }

    /// The text before a place on its line.
    pub(crate) fn before(&self, at: u32) -> &'a str {
        let before = &self.source[..at as usize];
        before.rfind('\n').map_or(before, |n| &before[n + 1..])
    }

    /// The text from a place to the end of its line.
    pub(crate) fn rest_of_line(&self, at: usize) -> &'a str {
        let rest = &self.source[at..];
        rest.find('\n').map_or(rest, |n| &rest[..n])
    }
}

fn is_text(kind: &str) -> bool {
    matches!(
        kind,
        "string"
            | "string_content"
            | "string_fragment"
            | "string_literal"
            | "raw_string_literal"
            | "raw_string_content"
            | "string_literal_content"
            | "interpreted_string_literal"
            | "interpreted_string_literal_content"
            | "raw_string_literal_content"
            | "char_literal"
            | "character_literal"
            | "multiline_string_fragment"
            | "system_lib_string"
            | "regex_pattern"
            | "regex"
            | "jsx_text"
    )
}

/// Texts in which nothing is code.
fn is_whole_text(kind: &str) -> bool {
    matches!(
        kind,
        "string_literal"
            | "raw_string_literal"
            | "interpreted_string_literal"
            | "char_literal"
            | "character_literal"
            | "regex"
    )
}

fn words(source: &str) -> FxHashMap<&str, Vec<u32>> {
    let mut all: FxHashMap<&str, Vec<u32>> = FxHashMap::default();
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut start = None;
    for (at, c) in source.char_indices().chain([(source.len(), ' ')]) {
        match (start, is_part(c)) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                if !source.as_bytes()[from].is_ascii_digit() {
                    all.entry(&source[from..at]).or_default().push(from as u32);
                }
                start = None;
            }
            _ => {}
        }
    }
    all
}
