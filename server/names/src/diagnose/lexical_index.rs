//! A lexical index of a text: the positions of its words, comments, strings and imports.

use std::ops::Range;

use rustc_hash::FxHashMap;
use syntax::Syntax;
use tree_sitter::Node;

/// The words of a text and the kind of text each is in.
pub(crate) struct LexicalIndex<'a> {
    pub(crate) source: &'a str,
    pub(crate) syntax: &'a Syntax,
    /// The start offsets of each word, in order.
    words: FxHashMap<&'a str, Vec<u32>>,
    /// Sorted and disjoint.
    comments: Vec<Range<u32>>,
    strings: Vec<Range<u32>>,
    imports: Vec<Range<u32>>,
    /// Whether the text has syntax errors.
    pub(crate) has_syntax_errors: bool,
}

/// The kind of text a word is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LexicalKind {
    Code,
    Comment,
    String,
}

impl<'a> LexicalIndex<'a> {
    /// Builds the index. O(text).
    pub(crate) fn new(syntax: &'a Syntax, source: &'a str) -> Self {
        let root = syntax.root();
        let mut index = Self {
            source,
            syntax,
            words: word_positions(source),
            comments: Vec::new(),
            strings: Vec::new(),
            imports: Vec::new(),
            has_syntax_errors: syntax.has_errors(),
        };
        index.collect(root);
        index
    }

    fn collect(&mut self, root: Node<'_>) {
        let kinds = node_classes(root);
        let mut cursor = root.walk();
        loop {
            let node = cursor.node();
            let class = kinds.get(usize::from(node.kind_id())).copied().unwrap_or(NodeClass::Code);
            let span = || node.start_byte() as u32..node.end_byte() as u32;
            let mut descend = true;
            match class {
                NodeClass::Comment => {
                    self.comments.push(span());
                    descend = false;
                }
                NodeClass::OpaqueString => descend = false,
                NodeClass::String if node.child_count() == 0 => descend = false,
                NodeClass::Import if self.imports.last().is_none_or(|r| r.end <= span().start) => {
                    self.imports.push(span());
                }
                NodeClass::Code | NodeClass::String | NodeClass::Import => {}
            }
            if !descend && class != NodeClass::Comment {
                self.strings.push(span());
            }
            if descend && cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    /// The start offsets of a word.
    pub(crate) fn occurrences(&self, word: &str) -> &[u32] {
        self.words.get(word).map_or(&[], |p| p)
    }

    /// Whether the text contains a word.
    pub(crate) fn contains_word(&self, word: &str) -> bool {
        self.words.contains_key(word)
    }

    /// The kind of text at an offset.
    pub(crate) fn kind(&self, at: u32) -> LexicalKind {
        if is_within(&self.comments, at) {
            LexicalKind::Comment
        } else if is_within(&self.strings, at) {
            LexicalKind::String
        } else {
            LexicalKind::Code
        }
    }

    /// The comment at an offset.
    pub(crate) fn comment_at(&self, at: u32) -> &'a str {
        let next = self.comments.partition_point(|r| r.end <= at);
        let found = self.comments.get(next).filter(|r| r.start <= at);
        found.and_then(|r| self.source.get(r.start as usize..r.end as usize)).unwrap_or("")
    }

    /// The innermost node of a span.
    pub(crate) fn node(&self, start: u32, end: u32) -> Option<Node<'_>> {
        self.syntax.root().descendant_for_byte_range(start as usize, end as usize)
    }

    /// The nodes around a span, the innermost first.
    pub(crate) fn ancestors(&self, start: u32, end: u32) -> std::vec::IntoIter<Node<'_>> {
        self.syntax.nodes_around(start as usize..end as usize).into_iter()
    }

    /// Whether an offset is in an import or export.
    pub(crate) fn is_import(&self, at: u32) -> bool {
        is_within(&self.imports, at)
    }

    /// Whether an attribute may precede a node: a cheap check, because looking for a previous
    /// sibling searches the tree from its root.
    pub(crate) fn may_have_attribute(&self, node: Node<'_>) -> bool {
        let before = self.source[..node.start_byte()].trim_end();
        before.ends_with(']')
            || before
                .len()
                .checked_sub(1)
                .is_some_and(|at| self.kind(at as u32) == LexicalKind::Comment)
    }

    /// Whether the word at an offset follows a dot, as a member does.
    pub(crate) fn is_member(&self, at: u32) -> bool {
        let before = self.source[..at as usize].trim_end();
        let dot = before.len().wrapping_sub(1) as u32;
        before.ends_with('.') && !before.ends_with("..") && self.kind(dot) == LexicalKind::Code
    }

    /// The text before an offset on its line.
    pub(crate) fn line_before(&self, at: u32) -> &'a str {
        let before = &self.source[..at as usize];
        before.rfind('\n').map_or(before, |n| &before[n + 1..])
    }

    /// The text from an offset to the end of its line.
    pub(crate) fn rest_of_line(&self, at: usize) -> &'a str {
        let rest = &self.source[at..];
        rest.find('\n').map_or(rest, |n| &rest[..n])
    }
}

/// Whether one of the sorted spans contains an offset.
fn is_within(all: &[Range<u32>], at: u32) -> bool {
    let next = all.partition_point(|r| r.end <= at);
    all.get(next).is_some_and(|r| r.start <= at)
}

/// What a node kind means to the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NodeClass {
    Code,
    Comment,
    /// A string, if it has no children.
    String,
    /// A string without embedded code.
    OpaqueString,
    Import,
}

/// The meaning of each node kind of a grammar, by kind id.
fn node_classes(root: Node<'_>) -> Vec<NodeClass> {
    let language = root.language();
    let class = |id: usize| match language.node_kind_for_id(id as u16).unwrap_or("") {
        kind if kind.ends_with("comment") => NodeClass::Comment,
        kind if is_opaque_string(kind) => NodeClass::OpaqueString,
        kind if is_string(kind) => NodeClass::String,
        "use_declaration"
        | "import_declaration"
        | "import_statement"
        | "import_from_statement"
        | "import_spec"
        | "export_statement" => NodeClass::Import,
        _ => NodeClass::Code,
    };
    (0..language.node_kind_count()).map(class).collect()
}

fn is_string(kind: &str) -> bool {
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

/// Strings without embedded code.
fn is_opaque_string(kind: &str) -> bool {
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

fn word_positions(source: &str) -> FxHashMap<&str, Vec<u32>> {
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
