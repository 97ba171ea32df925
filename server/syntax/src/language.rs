//! The languages table.

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Deserialize;
use tree_sitter::{Language as Grammar, Query};

use crate::errors::Dialect;
use crate::grammars::GRAMMARS;
use crate::highlight::HighlightQuery;
use crate::query::{QueryFile, compile};
use crate::readable::Counts;
use crate::rewrites::Rewrites;
use crate::rooted::RootedQuery;

/// A row of the languages table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Language(u8);

pub(crate) struct Row {
    pub(crate) entry: Entry,
    grammar: Grammar,
    /// Somebody has begun to compile what follows.
    warm: AtomicBool,
    actions: OnceLock<Option<Query>>,
    outline: OnceLock<RootedQuery>,
    runnables: OnceLock<RootedQuery>,
    links: OnceLock<RootedQuery>,
    folds: OnceLock<Option<RootedQuery>>,
    tags: OnceLock<Option<Query>>,
    colors: OnceLock<Option<RootedQuery>>,
    indents: OnceLock<Option<RootedQuery>>,
    injections: OnceLock<Option<Query>>,
    highlights: OnceLock<Option<HighlightQuery>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    pub(crate) id: String,
    name: String,
    #[serde(default)]
    pub(crate) lsp_ids: Vec<String>,
    #[serde(default)]
    pub(crate) extensions: Vec<String>,
    #[serde(default)]
    pub(crate) file_names: Vec<String>,
    #[serde(default)]
    pub(crate) first_words: Vec<String>,
    #[serde(default)]
    pub(crate) shebangs: Vec<String>,
    #[serde(default)]
    pub(crate) aliases: Vec<String>,
    #[serde(default)]
    pub(crate) content: Option<Content>,
    #[serde(default)]
    line_comment: Vec<String>,
    #[serde(default)]
    block_comment: Option<(String, String)>,
    #[serde(default)]
    indent: Option<String>,
    #[serde(default)]
    opens: Vec<String>,
    #[serde(default)]
    closes: Vec<String>,
    #[serde(default)]
    quotes: Vec<Quote>,
    #[serde(default)]
    pub(crate) endings: Vec<String>,
    #[serde(default)]
    layout: bool,
    #[serde(default)]
    even_blanks: bool,
    #[serde(default)]
    errors: Errors,
    #[serde(default)]
    json: Option<Dialect>,
    #[serde(default)]
    queries: Option<String>,
    #[serde(default)]
    part: bool,
    #[serde(default)]
    pub(crate) counts: Option<Counts>,
    #[serde(default)]
    pub(crate) rewrites: Option<Rewrites>,
    #[serde(default)]
    pub(crate) jsx: bool,
    #[serde(default)]
    pub(crate) dialects: Vec<String>,
}

/// Which of the errors of a text are told: those that are not the parser's own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Errors {
    #[default]
    None,
    /// What the text shows without the parser: brackets, strings and comments that are not closed.
    Brackets,
    All,
    /// Where the parser and a reader that knows all of YAML both refuse a text: what that reader says.
    Yaml,
    /// What the parser does not take of a text that a reader of TOML refuses too.
    Toml,
    /// All that a reader of Dockerfiles finds.
    Dockerfile,
    /// Quotes, brackets and words that are not closed, as a reader of shells finds them.
    Shell,
    /// Brackets, strings and comments that are not closed, as a reader of SQL finds them.
    Sql,
    /// Brackets, strings and comments that are not closed, and what is wrong whatever macros stand for.
    Macros,
    /// Brackets, strings and comments that are not closed, and what a reader of statements finds.
    Css,
    /// What a reader of Lua's grammar finds first.
    Lua,
    /// All that a reader of tags and elements finds.
    Html,
}

/// Files of another language's extension that are in this one by what they say.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Content {
    pub(crate) extensions: Vec<String>,
    /// How a line of such a file starts, blanks aside.
    pub(crate) line_starts: Vec<String>,
}

/// What opens and closes a text that is no code.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Quote {
    pub(crate) open: String,
    close: Option<String>,
    /// Whether it may go over lines.
    #[serde(default)]
    pub(crate) lines: bool,
    /// Whether a backslash takes the meaning of what follows.
    #[serde(default = "yes")]
    pub(crate) escapes: bool,
    /// Whether one character stands in it; what looks like more is something else.
    #[serde(default)]
    pub(crate) short: bool,
    /// Whether names may end with it, so that it opens nothing behind one.
    #[serde(default)]
    pub(crate) in_names: bool,
}

impl Quote {
    pub(crate) fn close(&self) -> &str {
        self.close.as_deref().unwrap_or(&self.open)
    }
}

fn yes() -> bool {
    true
}

#[derive(Deserialize)]
struct Written {
    other_extensions: Vec<String>,
    language: Vec<Entry>,
}

struct Table {
    rows: Vec<Row>,
    other_extensions: Vec<String>,
}

/// Extensions, in lower case, of files that are in none of the languages.
pub(crate) fn other_extensions() -> &'static [String] {
    &table().other_extensions
}

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let written: Written = toml::from_str(include_str!("../languages.toml"))
            .expect("the embedded languages table is checked by this crate's tests");
        let row = |entry: Entry| {
            let (_, grammar) = GRAMMARS.iter().find(|(id, _)| *id == entry.id)?;
            Some(Row {
                grammar: grammar(),
                entry,
                warm: AtomicBool::new(false),
                actions: OnceLock::new(),
                outline: OnceLock::new(),
                runnables: OnceLock::new(),
                links: OnceLock::new(),
                folds: OnceLock::new(),
                tags: OnceLock::new(),
                colors: OnceLock::new(),
                indents: OnceLock::new(),
                injections: OnceLock::new(),
                highlights: OnceLock::new(),
            })
        };
        Table {
            rows: written.language.into_iter().filter_map(row).collect(),
            other_extensions: written.other_extensions,
        }
    })
}

impl Language {
    /// Every language that a file can be in, in the table's order.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::with_parts().filter(|l| !l.row().entry.part)
    }

    /// Every language, with those that only stand inside others.
    pub fn with_parts() -> impl Iterator<Item = Self> {
        (0..).take(table().rows.len()).map(Self)
    }

    /// The language whose id is `id`.
    #[must_use]
    pub fn by_id(id: &str) -> Option<Self> {
        Self::with_parts().find(|l| l.row().entry.id == id)
    }

    /// The language that an editor calls `lsp_id`.
    #[must_use]
    pub fn by_lsp_id(lsp_id: &str) -> Option<Self> {
        Self::all().find(|l| l.row().entry.lsp_ids.iter().any(|i| i == lsp_id))
    }

    pub(crate) fn row(self) -> &'static Row {
        &table().rows[usize::from(self.0)]
    }

    /// The id used in results, for instance `cpp`.
    #[must_use]
    pub fn id(self) -> &'static str {
        &self.row().entry.id
    }

    /// The name that a person reads, for instance `C++`.
    #[must_use]
    pub fn name(self) -> &'static str {
        &self.row().entry.name
    }

    /// What editors call it.
    #[must_use]
    pub fn lsp_ids(self) -> &'static [String] {
        &self.row().entry.lsp_ids
    }

    /// The endings of its files' names, without the dot.
    #[must_use]
    pub fn extensions(self) -> &'static [String] {
        &self.row().entry.extensions
    }

    /// How comments start that end with their line; the first is the one to write.
    #[must_use]
    pub fn line_comments(self) -> &'static [String] {
        &self.row().entry.line_comment
    }

    /// How a comment starts and ends that goes over lines.
    #[must_use]
    pub fn block_comment(self) -> Option<(&'static str, &'static str)> {
        self.row().entry.block_comment.as_ref().map(|(start, end)| (start.as_str(), end.as_str()))
    }

    /// One step of indentation, where a file does not show its own.
    #[must_use]
    pub fn indent(self) -> &'static str {
        self.row().entry.indent.as_deref().unwrap_or("    ")
    }

    /// Whether all kinds of syntax errors are reported, not only unclosed brackets, strings and
    /// comments.
    #[must_use]
    pub fn errors_are_sure(self) -> bool {
        !matches!(self.errors(), Errors::None | Errors::Brackets | Errors::Sql | Errors::Macros)
    }

    /// Whether some of the errors of a text are told, if only those of its brackets.
    #[must_use]
    pub fn tells_errors(self) -> bool {
        self.errors() != Errors::None
    }

    pub(crate) fn has_even_blanks(self) -> bool {
        self.row().entry.even_blanks
    }

    pub(crate) fn errors(self) -> Errors {
        self.row().entry.errors
    }

    /// Which JSON it is, if any: its errors are not its parser's.
    pub(crate) fn json(self) -> Option<Dialect> {
        self.row().entry.json
    }

    pub(crate) fn quotes(self) -> &'static [Quote] {
        &self.row().entry.quotes
    }

    /// Whether how deep a line stands is part of the language.
    #[must_use]
    pub fn has_layout(self) -> bool {
        self.row().entry.layout
    }

    /// How a line ends after which the next stands one step deeper.
    #[must_use]
    pub fn opens(self) -> &'static [String] {
        &self.row().entry.opens
    }

    /// How a line starts that stands one step less deep.
    #[must_use]
    pub fn closes(self) -> &'static [String] {
        &self.row().entry.closes
    }

    /// The tree-sitter grammar.
    #[must_use]
    pub fn grammar(self) -> &'static Grammar {
        &self.row().grammar
    }

    /// The folder in `queries/` that says what its trees mean.
    #[must_use]
    pub fn folder(self) -> &'static str {
        self.row().entry.queries.as_deref().unwrap_or(&self.row().entry.id)
    }

    /// The text of `queries/<language>/bindings.scm`, which the names crate reads; `None` where
    /// names are not known.
    #[must_use]
    pub fn bindings_query(self) -> Option<Cow<'static, str>> {
        QueryFile::Bindings.whole(self)
    }

    /// Whether what names mean in it is known.
    #[must_use]
    pub fn has_names(self) -> bool {
        self.bindings_query().is_some()
    }

    /// What [`Language::features`] tells of, in its order.
    #[must_use]
    pub fn feature_names() -> [&'static str; 12] {
        [
            "outline",
            "names",
            "highlights",
            "inside",
            "folds",
            "indents",
            "links",
            "tag pairs",
            "colours",
            "actions",
            "brackets",
            "errors",
        ]
    }

    /// What is known of it.
    #[must_use]
    pub fn features(self) -> [bool; 12] {
        let has = |file: QueryFile| file.source(self).is_some();
        [
            has(QueryFile::Outline),
            self.has_names(),
            has(QueryFile::Highlights),
            has(QueryFile::Injections),
            has(QueryFile::Folds),
            has(QueryFile::Indents),
            has(QueryFile::Links),
            has(QueryFile::Tags),
            has(QueryFile::Colors),
            has(QueryFile::Actions),
            self.tells_errors() && !self.quotes().is_empty(),
            self.errors_are_sure(),
        ]
    }

    fn compiled(self, file: QueryFile) -> Option<Query> {
        let source = file.source(self)?;
        let query = compile(self, &file.file_name(), &source);
        Some(query.expect("embedded queries are checked by this crate's tests, others when taken"))
    }

    fn rooted(self, file: QueryFile) -> Option<RootedQuery> {
        let query = self.compiled(file)?;
        Some(RootedQuery::new(query, &file.source(self)?, self.grammar()))
    }

    fn always(self, file: QueryFile) -> RootedQuery {
        let nothing = || compile(self, "empty", "").expect("an empty query is valid");
        self.rooted(file).unwrap_or_else(|| RootedQuery::new(nothing(), "", self.grammar()))
    }

    /// Whether it is only ever inside another language's text.
    pub(crate) fn is_part(self) -> bool {
        self.row().entry.part
    }

    /// Compiles what the first questions about a text need, and that of the languages that are
    /// usually inside, unless somebody has begun to: up to half a second. Who asks meanwhile waits for
    /// what it needs alone.
    pub fn warm(self) {
        if self.row().warm.swap(true, Ordering::Relaxed) {
            return;
        }
        self.highlights();
        self.outline();
        self.injections();
        self.folds();
        self.links();
        self.indents();
        self.actions();
        for inside in self.injected() {
            inside.highlights();
            inside.injections();
        }
    }

    /// Whether [`Language::warm`] has been begun.
    #[must_use]
    pub fn is_warm(self) -> bool {
        self.row().warm.load(Ordering::Relaxed)
    }

    /// `queries/<language>/links.scm`, compiled once.
    pub(crate) fn links(self) -> &'static RootedQuery {
        self.row().links.get_or_init(|| self.always(QueryFile::Links))
    }

    /// `queries/<language>/actions.scm`, compiled once.
    pub(crate) fn actions(self) -> Option<&'static Query> {
        self.row().actions.get_or_init(|| self.compiled(QueryFile::Actions)).as_ref()
    }

    /// `queries/<language>/outline.scm`, compiled once.
    pub(crate) fn outline(self) -> &'static RootedQuery {
        self.row().outline.get_or_init(|| self.always(QueryFile::Outline))
    }

    /// `queries/<language>/runnables.scm`, compiled once.
    pub(crate) fn runnables(self) -> &'static RootedQuery {
        self.row().runnables.get_or_init(|| self.always(QueryFile::Runnables))
    }

    /// `queries/<language>/folds.scm`, compiled once.
    pub(crate) fn folds(self) -> Option<&'static RootedQuery> {
        self.row().folds.get_or_init(|| self.rooted(QueryFile::Folds)).as_ref()
    }

    /// `queries/<language>/tags.scm`, compiled once.
    pub(crate) fn tags(self) -> Option<&'static Query> {
        self.row().tags.get_or_init(|| self.compiled(QueryFile::Tags)).as_ref()
    }

    /// `queries/<language>/colors.scm`, compiled once.
    pub(crate) fn colors(self) -> Option<&'static RootedQuery> {
        self.row().colors.get_or_init(|| self.rooted(QueryFile::Colors)).as_ref()
    }

    /// `queries/<language>/indents.scm`, compiled once.
    pub(crate) fn indents(self) -> Option<&'static RootedQuery> {
        // Of several marks on a line the first counts, in a query's order.
        let query = || self.compiled(QueryFile::Indents).map(RootedQuery::anywhere);
        self.row().indents.get_or_init(query).as_ref()
    }

    /// `queries/<language>/injections.scm`, compiled once.
    pub(crate) fn injections(self) -> Option<&'static Query> {
        self.row().injections.get_or_init(|| self.compiled(QueryFile::Injections)).as_ref()
    }

    /// `queries/<language>/highlights.scm`, compiled once.
    pub(crate) fn highlights(self) -> Option<&'static HighlightQuery> {
        let query = || self.compiled(QueryFile::Highlights).map(HighlightQuery::new);
        self.row().highlights.get_or_init(query).as_ref()
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_entry_has_a_grammar_and_valid_queries() {
        let entries: Written = toml::from_str(include_str!("../languages.toml")).unwrap();
        assert_eq!(entries.language.len(), GRAMMARS.len());
        assert_eq!(Language::with_parts().count(), GRAMMARS.len());
        for language in Language::with_parts() {
            for file in QueryFile::ALL.into_iter().filter(|f| *f != QueryFile::Bindings) {
                let Some(source) = file.source(language) else { continue };
                if let Err(e) = compile(language, &file.file_name(), &source) {
                    panic!("{e}");
                }
            }
        }
    }

    /// One name, one language: what several entries claimed would be decided by their order.
    #[test]
    fn no_two_entries_claim_a_name() {
        let mut seen = HashSet::new();
        for language in Language::all() {
            let entry = &language.row().entry;
            for id in entry.lsp_ids.iter().map(|i| format!("languageId {i}")) {
                assert!(seen.insert(id.clone()), "{language:?}: {id}");
            }
            for extension in entry.extensions.iter().map(|e| format!(".{e}")) {
                assert!(seen.insert(extension.clone()), "{language:?}: {extension}");
            }
            for name in entry.file_names.iter().chain(&entry.shebangs) {
                assert!(seen.insert(name.clone()), "{language:?}: {name}");
            }
        }
    }
}
