//! tree-sitter queries: their sources (embedded and user-supplied), and running them on ropes.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::{ControlFlow, Range};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use text::Text;
use tree_sitter::{Node, Query, QueryCursor, QueryCursorState, QueryError, TextProvider};

use crate::language::Language;

/// `(folder, file, text)` of every query file in `queries/`.
static EMBEDDED: &[(&str, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/queries.rs"));
/// Queries of the user that replace embedded ones.
static USER_QUERIES: OnceLock<HashMap<(Language, QueryFile), String>> = OnceLock::new();
/// Longest chain of `; inherits:`.
const MAX_INHERITS_DEPTH: usize = 5;

/// The query files that a folder in `queries/` may have.
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

    /// The file name with its extension.
    #[must_use]
    pub fn file_name(self) -> String {
        format!("{}.scm", self.stem())
    }

    /// The text of the embedded file in `queries/<folder>/`, if it exists.
    pub(crate) fn embedded(self, folder: &str) -> Option<&'static str> {
        let is = |(f, s, _): &&(&str, &str, &str)| *f == folder && *s == self.stem();
        EMBEDDED.iter().find(is).map(|(_, _, text)| *text)
    }

    /// The query text in effect for `language`: the user's, or else the embedded one. The embedded
    /// file is looked up in the folder of the language's id, then in the folder that the languages
    /// table names. The files that its first line `; inherits: a, b` names are put before it.
    #[must_use]
    pub fn source(self, language: Language) -> Option<Cow<'static, str>> {
        if let Some(own) = USER_QUERIES.get().and_then(|r| r.get(&(language, self))) {
            return Some(Cow::Borrowed(own));
        }
        self.embedded_source(language)
    }

    /// The embedded text, even if the user has replaced it.
    pub(crate) fn embedded_source(self, language: Language) -> Option<Cow<'static, str>> {
        let own = self.embedded(language.id());
        let text = own.or_else(|| self.embedded(language.queries_folder()))?;
        Some(self.with_inherited(text, 0))
    }

    fn with_inherited<'t>(self, text: &'t str, depth: usize) -> Cow<'t, str> {
        let first = text.lines().next().unwrap_or_default();
        let Some((_, folders)) = first.split_once("; inherits:") else { return text.into() };
        let mut whole = String::new();
        for folder in folders.split(',').map(str::trim).filter(|_| depth < MAX_INHERITS_DEPTH) {
            let inherited = self.embedded(folder).unwrap_or_default();
            whole += &self.with_inherited(inherited, depth + 1);
            whole.push('\n');
        }
        whole += text;
        whole.into()
    }
}

/// A query of the user that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}; the built-in query is used instead")]
pub struct UserQueryError {
    /// The language of the query.
    pub language: Language,
    /// Which query file.
    pub file: QueryFile,
    /// The line of the error, from 1.
    pub line: usize,
    message: String,
}

/// Replaces embedded queries by the user's and returns the errors of those that are invalid. Must
/// be called once, before anything is parsed: later calls have no effect, nor do replacements of
/// queries that are already compiled.
pub fn set_user_queries(
    texts: impl IntoIterator<Item = (Language, QueryFile, String)>,
) -> Vec<UserQueryError> {
    let (mut valid, mut problems) = (HashMap::new(), Vec::new());
    for (language, file, text) in texts {
        let whole = file.with_inherited(&text, 0).into_owned();
        let inherited = whole[..whole.len() - text.len()].matches('\n').count();
        match compile(language, &file.file_name(), &whole) {
            Ok(_) => drop(valid.insert((language, file), whole)),
            Err(error) => {
                let line = (error.row + 1).saturating_sub(inherited);
                let message = error.message.lines().next().unwrap_or_default().to_owned();
                problems.push(UserQueryError { language, file, line, message });
            }
        }
    }
    drop(USER_QUERIES.set(valid));
    problems
}

/// Compiles a query for `language`. `file` is used in error messages.
///
/// # Errors
/// If tree-sitter rejects the query; the message has the file, line and reason.
pub fn compile(language: Language, file: &str, source: &str) -> Result<Query, QueryError> {
    Query::new(language.grammar(), source).map_err(|mut e| {
        e.message =
            format!("queries/{}/{file}:{}: {}", language.queries_folder(), e.row + 1, e.message);
        e
    })
}

/// Limit of query matches in progress. Every level of a tree may start some, and tree-sitter checks
/// all of them at every node, which is quadratic in the depth. Hand-written code does not come near
/// the limit.
const MAX_MATCHES_IN_PROGRESS: u32 = 1_000;

/// A query cursor whose running time is bounded by the size of the tree.
pub(crate) fn query_cursor() -> QueryCursor {
    let mut cursor = QueryCursor::new();
    cursor.set_match_limit(MAX_MATCHES_IN_PROGRESS);
    cursor
}

/// A progress callback that stops a query once `interrupt` is set. Needed because a query can run
/// long without a match: each step through broken code visits all matches in progress.
pub(crate) fn interrupt_callback(
    interrupt: &AtomicBool,
) -> impl FnMut(&QueryCursorState) -> ControlFlow<()> {
    |_| match interrupt.load(Ordering::Relaxed) {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    }
}

/// Lets query predicates read node text from a rope, chunk by chunk.
#[derive(Clone, Copy)]
pub struct TextChunks<'a>(pub &'a Text);

impl<'a> TextProvider<&'a [u8]> for TextChunks<'a> {
    type I = NodeChunks<'a>;

    fn text(&mut self, node: Node<'_>) -> Self::I {
        NodeChunks { text: self.0, span: node.byte_range() }
    }
}

/// The chunks of one node's text.
pub struct NodeChunks<'a> {
    text: &'a Text,
    span: Range<usize>,
}

impl<'a> Iterator for NodeChunks<'a> {
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
