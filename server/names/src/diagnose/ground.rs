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
    imports: Vec<Range<u32>>,
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
            imports: Vec::new(),
            broken: syntax.is_broken(),
        };
        ground.collect(root);
        ground
    }

    fn collect(&mut self, root: Node<'_>) {
        let kinds = stuffs(root);
        let mut cursor = root.walk();
        loop {
            let node = cursor.node();
            let stuff = kinds.get(usize::from(node.kind_id())).copied().unwrap_or(Stuff::Code);
            let span = || node.start_byte() as u32..node.end_byte() as u32;
            let mut inside = true;
            match stuff {
                Stuff::Comment => {
                    self.comments.push(span());
                    inside = false;
                }
                Stuff::WholeText => inside = false,
                Stuff::Text if node.child_count() == 0 => inside = false,
                Stuff::Import if self.imports.last().is_none_or(|r| r.end <= span().start) => {
                    self.imports.push(span());
                }
                Stuff::Code | Stuff::Text | Stuff::Import => {}
            }
            if !inside && stuff != Stuff::Comment {
                self.strings.push(span());
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
        if is_within(&self.comments, at) {
            Kind::Comment
        } else if is_within(&self.strings, at) {
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
    pub(crate) fn around(&self, start: u32, end: u32) -> std::vec::IntoIter<Node<'_>> {
        self.syntax.nodes_around(start as usize..end as usize).into_iter()
    }

    /// Whether a place is in what imports or exports.
    pub(crate) fn is_import(&self, at: u32) -> bool {
        is_within(&self.imports, at)
    }

    /// Whether an attribute of Rust may stand right before a node: to look for one takes as long as to
    /// find the node anew.
    pub(crate) fn may_have_attribute(&self, node: Node<'_>) -> bool {
        let before = self.source[..node.start_byte()].trim_end();
        before.ends_with(']')
            || before.len().checked_sub(1).is_some_and(|at| self.kind(at as u32) == Kind::Comment)
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

/// Whether one of the spans, which are in order, holds a place.
fn is_within(all: &[Range<u32>], at: u32) -> bool {
    let next = all.partition_point(|r| r.end <= at);
    all.get(next).is_some_and(|r| r.start <= at)
}

/// What a kind of node is, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stuff {
    Code,
    Comment,
    /// A text, where nothing is inside.
    Text,
    /// A text in which nothing is code.
    WholeText,
    Import,
}

/// What each kind of a tree's nodes is, by its number.
fn stuffs(root: Node<'_>) -> Vec<Stuff> {
    let language = root.language();
    let stuff = |id: usize| match language.node_kind_for_id(id as u16).unwrap_or("") {
        kind if kind.ends_with("comment") => Stuff::Comment,
        kind if is_whole_text(kind) => Stuff::WholeText,
        kind if is_text(kind) => Stuff::Text,
        "use_declaration"
        | "import_declaration"
        | "import_statement"
        | "import_from_statement"
        | "import_spec"
        | "export_statement" => Stuff::Import,
        _ => Stuff::Code,
    };
    (0..language.node_kind_count()).map(stuff).collect()
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
