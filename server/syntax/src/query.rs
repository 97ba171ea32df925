//! tree-sitter queries: where their texts come from, and how they read ropes.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::{ControlFlow, Range};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use text::Text;
use tree_sitter::{Node, Query, QueryCursor, QueryCursorState, QueryError, TextProvider};

use crate::{Language, Syntax};

/// `(folder, file, text)` of all in `queries/`.
static EMBEDDED: &[(&str, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/queries.rs"));
/// What stands in place of an embedded query.
static REPLACED: OnceLock<HashMap<(Language, QueryFile), String>> = OnceLock::new();
/// Deepest chain of `; inherits:`.
const DEEPEST: usize = 5;

/// The files of a language's folder in `queries/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum QueryFile {
    Actions,
    Bindings,
    Colors,
    Folds,
    Highlights,
    Indents,
    Injections,
    Links,
    Outline,
    Runnables,
    Tags,
}

impl QueryFile {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Actions,
        Self::Bindings,
        Self::Colors,
        Self::Folds,
        Self::Highlights,
        Self::Indents,
        Self::Injections,
        Self::Links,
        Self::Outline,
        Self::Runnables,
        Self::Tags,
    ];

    fn stem(self) -> &'static str {
        match self {
            Self::Actions => "actions",
            Self::Bindings => "bindings",
            Self::Colors => "colors",
            Self::Folds => "folds",
            Self::Highlights => "highlights",
            Self::Indents => "indents",
            Self::Injections => "injections",
            Self::Links => "links",
            Self::Outline => "outline",
            Self::Runnables => "runnables",
            Self::Tags => "tags",
        }
    }

    /// Its name, with the ending.
    #[must_use]
    pub fn file_name(self) -> String {
        format!("{}.scm", self.stem())
    }

    /// The text in `queries/<folder>/`, if there is one.
    pub(crate) fn embedded(self, folder: &str) -> Option<&'static str> {
        let is = |(f, s, _): &&(&str, &str, &str)| *f == folder && *s == self.stem();
        EMBEDDED.iter().find(is).map(|(_, _, text)| *text)
    }

    /// The text that counts for `language`: a person's own, or the embedded one of the folder of its
    /// id or else of the one that the table names, behind those of the folders that its first line
    /// `; inherits: a, b` names.
    #[must_use]
    pub fn source(self, language: Language) -> Option<Cow<'static, str>> {
        if let Some(own) = REPLACED.get().and_then(|r| r.get(&(language, self))) {
            return Some(Cow::Borrowed(own));
        }
        self.whole(language)
    }

    /// The embedded text, whatever a person has put in its place.
    pub(crate) fn whole(self, language: Language) -> Option<Cow<'static, str>> {
        let own = self.embedded(language.id());
        let text = own.or_else(|| self.embedded(language.folder()))?;
        Some(self.with_inherited(text, 0))
    }

    fn with_inherited<'t>(self, text: &'t str, depth: usize) -> Cow<'t, str> {
        let first = text.lines().next().unwrap_or_default();
        let Some((_, folders)) = first.split_once("; inherits:") else { return text.into() };
        let mut whole = String::new();
        for folder in folders.split(',').map(str::trim).filter(|_| depth < DEEPEST) {
            let inherited = self.embedded(folder).unwrap_or_default();
            whole += &self.with_inherited(inherited, depth + 1);
            whole.push('\n');
        }
        whole += text;
        whole.into()
    }
}

/// Why a query of the person's own is not used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}; the built-in query is used instead")]
pub struct QueryProblem {
    /// The language it was for.
    pub language: Language,
    /// The file.
    pub file: QueryFile,
    /// Its line, from 1.
    pub line: usize,
    message: String,
}

/// Takes queries of a person's own in place of the embedded ones, and says of those that are not
/// valid what is wrong with them. To be called once, before anything is parsed: later calls, and
/// queries that have been compiled by then, change nothing.
pub fn replace_queries(
    texts: impl IntoIterator<Item = (Language, QueryFile, String)>,
) -> Vec<QueryProblem> {
    let (mut valid, mut problems) = (HashMap::new(), Vec::new());
    for (language, file, text) in texts {
        let whole = file.with_inherited(&text, 0).into_owned();
        let inherited = whole[..whole.len() - text.len()].matches('\n').count();
        match compile(language, &file.file_name(), &whole) {
            Ok(_) => drop(valid.insert((language, file), whole)),
            Err(error) => {
                let line = (error.row + 1).saturating_sub(inherited);
                let message = error.message.lines().next().unwrap_or_default().to_owned();
                problems.push(QueryProblem { language, file, line, message });
            }
        }
    }
    drop(REPLACED.set(valid));
    problems
}

/// Compiles a query for `language`. `file` names it in the error.
///
/// # Errors
/// When tree-sitter rejects it; the message holds the file, line and reason.
pub fn compile(language: Language, file: &str, source: &str) -> Result<Query, QueryError> {
    Query::new(language.grammar(), source).map_err(|mut e| {
        e.message = format!("queries/{}/{file}:{}: {}", language.folder(), e.row + 1, e.message);
        e
    })
}
/// Most matches of a query that are in the making at one place. Each level of a tree may hold some,
/// and what looks through them all at every node is quadratic in the depth; nothing that a person
/// writes comes near.
const MATCHES: u32 = 1_000;

/// What runs a query: in a time that is bounded by the size of the tree.
pub(crate) fn query_cursor() -> QueryCursor {
    let mut cursor = QueryCursor::new();
    cursor.set_match_limit(MATCHES);
    cursor
}

/// Stray tokens side by side that are still searched.
const STRAY_TOKENS: u32 = 2_000;

impl Syntax {
    /// Where to search. tree-sitter's queries take a time quadratic in the length of a run of
    /// stray tokens, so where a text has long ones, only what is whole around them is searched.
    pub(crate) fn searchable(&self) -> Vec<Node<'_>> {
        let stray = |node: Node<'_>| node.is_error() && node.child_count() > STRAY_TOKENS;
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
}

/// What has a query look at `interrupt` while it finds nothing: each step through broken code looks
/// through all that is in the making there.
pub(crate) fn watching(interrupt: &AtomicBool) -> impl FnMut(&QueryCursorState) -> ControlFlow<()> {
    |_| match interrupt.load(Ordering::Relaxed) {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    }
}

/// Lets a query's predicates read the nodes' text from a rope, piece by piece.
#[derive(Clone, Copy)]
pub struct TextChunks<'a>(pub &'a Text);

impl<'a> TextProvider<&'a [u8]> for TextChunks<'a> {
    type I = Pieces<'a>;

    fn text(&mut self, node: Node<'_>) -> Self::I {
        Pieces { text: self.0, span: node.byte_range() }
    }
}

/// The pieces of one node's text.
pub struct Pieces<'a> {
    text: &'a Text,
    span: Range<usize>,
}

impl<'a> Iterator for Pieces<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<Self::Item> {
        let end = self.span.end.min(self.text.len());
        if self.span.start >= end {
            return None;
        }
        let (chunk, at) = self.text.chunk_at(self.span.start);
        let stop = end.min(at + chunk.len());
        let piece = &chunk.as_bytes()[self.span.start - at..stop - at];
        self.span.start = stop;
        Some(piece)
    }
}
