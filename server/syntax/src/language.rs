//! The languages table (`languages.toml`) and the compiled queries of each language.

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Deserialize;
use tree_sitter::{Language as Grammar, Query};

use crate::errors::Dialect;
use crate::grammars::GRAMMARS;
use crate::highlight::HighlightQuery;
use crate::parser_limits::ScannerState;
use crate::query::{QueryFile, compile};
use crate::rewrites::Rewrites;
use crate::rooted::RootedQuery;

/// A language: the index of its row in the languages table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Language(u8);

pub(crate) struct LanguageRow {
    pub(crate) entry: LanguageEntry,
    grammar: Grammar,
    /// Whether [`Language::warm`] has started compiling the queries below.
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
pub(crate) struct LanguageEntry {
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
    pub(crate) content: Option<ContentRule>,
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
    pub(crate) counts: Option<ScannerState>,
    #[serde(default)]
    pub(crate) rewrites: Option<Rewrites>,
    #[serde(default)]
    pub(crate) jsx: bool,
    #[serde(default)]
    pub(crate) dialects: Vec<String>,
}

/// Which syntax errors of a language are reported. Most variants replace the parser's error nodes
/// by the findings of a separate hand-written checker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Errors {
    #[default]
    None,
    /// Unterminated brackets, strings and comments, found without the parser.
    Brackets,
    All,
    /// What a full YAML parser rejects, if the tree has an error too.
    Yaml,
    /// The tree's errors, if a TOML parser rejects the text too.
    Toml,
    /// The findings of the Dockerfile checker.
    Dockerfile,
    /// Unterminated quotes, brackets and compound commands, found by the shell parser.
    Shell,
    /// Unterminated brackets, strings and comments, found by the SQL checker.
    Sql,
    /// Unterminated brackets, strings and comments, and errors that hold for every macro expansion.
    Macros,
    /// Unterminated brackets, strings and comments, and the findings of the CSS statement checker.
    Css,
    /// The first error that the Lua parser finds.
    Lua,
    /// The findings of the HTML tag and element checker.
    Html,
}

/// How to recognise, by content, files that have another language's extension.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ContentRule {
    pub(crate) extensions: Vec<String>,
    /// A line of such a file starts with one of these, leading whitespace aside.
    pub(crate) line_starts: Vec<String>,
}

/// Delimiters of a string or comment.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Quote {
    pub(crate) open: String,
    close: Option<String>,
    /// Whether it may span lines.
    #[serde(default)]
    pub(crate) lines: bool,
    /// Whether a backslash escapes the next character.
    #[serde(default = "default_true")]
    pub(crate) escapes: bool,
    /// Whether it contains a single character (a `char` literal); anything longer is something
    /// else.
    #[serde(default)]
    pub(crate) short: bool,
    /// Whether an identifier may end with it, so that it does not open a literal after one.
    #[serde(default)]
    pub(crate) in_names: bool,
}

impl Quote {
    pub(crate) fn close(&self) -> &str {
        self.close.as_deref().unwrap_or(&self.open)
    }
}

fn default_true() -> bool {
    true
}

#[derive(Deserialize)]
struct TableFile {
    other_extensions: Vec<String>,
    language: Vec<LanguageEntry>,
}

struct Table {
    rows: Vec<LanguageRow>,
    other_extensions: Vec<String>,
}

/// Extensions, in lower case, of files that are in none of the languages.
pub(crate) fn non_language_extensions() -> &'static [String] {
    &table().other_extensions
}

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let file: TableFile = toml::from_str(include_str!("../languages.toml"))
            .expect("the embedded languages table is checked by this crate's tests");
        let row = |entry: LanguageEntry| {
            let (_, grammar) = GRAMMARS.iter().find(|(id, _)| *id == entry.id)?;
            Some(LanguageRow {
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
            rows: file.language.into_iter().filter_map(row).collect(),
            other_extensions: file.other_extensions,
        }
    })
}

impl Language {
    /// Every language that a file can be in, in the table's order.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::all_with_embedded().filter(|l| !l.row().entry.part)
    }

    /// Every language, including those that occur only embedded in others.
    pub fn all_with_embedded() -> impl Iterator<Item = Self> {
        (0..).take(table().rows.len()).map(Self)
    }

    /// The language with this id.
    #[must_use]
    pub fn by_id(id: &str) -> Option<Self> {
        Self::all_with_embedded().find(|l| l.row().entry.id == id)
    }

    /// The language with this LSP language id.
    #[must_use]
    pub fn by_lsp_id(lsp_id: &str) -> Option<Self> {
        Self::all().find(|l| l.row().entry.lsp_ids.iter().any(|i| i == lsp_id))
    }

    pub(crate) fn row(self) -> &'static LanguageRow {
        &table().rows[usize::from(self.0)]
    }

    /// The id used in results, for instance `cpp`.
    #[must_use]
    pub fn id(self) -> &'static str {
        &self.row().entry.id
    }

    /// The display name, for instance `C++`.
    #[must_use]
    pub fn name(self) -> &'static str {
        &self.row().entry.name
    }

    /// The LSP language ids.
    #[must_use]
    pub fn lsp_ids(self) -> &'static [String] {
        &self.row().entry.lsp_ids
    }

    /// The file extensions, without the dot.
    #[must_use]
    pub fn extensions(self) -> &'static [String] {
        &self.row().entry.extensions
    }

    /// The line comment prefixes; the first is the one to insert.
    #[must_use]
    pub fn line_comments(self) -> &'static [String] {
        &self.row().entry.line_comment
    }

    /// The block comment delimiters.
    #[must_use]
    pub fn block_comment(self) -> Option<(&'static str, &'static str)> {
        self.row().entry.block_comment.as_ref().map(|(start, end)| (start.as_str(), end.as_str()))
    }

    /// One level of indentation, for files that show none of their own.
    #[must_use]
    pub fn default_indent(self) -> &'static str {
        self.row().entry.indent.as_deref().unwrap_or("    ")
    }

    /// Whether all kinds of syntax errors are reported, not only unterminated brackets, strings and
    /// comments.
    #[must_use]
    pub fn reports_all_errors(self) -> bool {
        !matches!(self.errors(), Errors::None | Errors::Brackets | Errors::Sql | Errors::Macros)
    }

    /// Whether any syntax errors are reported, even if only those of brackets.
    #[must_use]
    pub fn reports_errors(self) -> bool {
        self.errors() != Errors::None
    }

    pub(crate) fn has_even_blanks(self) -> bool {
        self.row().entry.even_blanks
    }

    pub(crate) fn errors(self) -> Errors {
        self.row().entry.errors
    }

    /// The JSON dialect, if it is one: its errors come from the JSON checker instead of the tree.
    pub(crate) fn json(self) -> Option<Dialect> {
        self.row().entry.json
    }

    pub(crate) fn quotes(self) -> &'static [Quote] {
        &self.row().entry.quotes
    }

    /// Whether indentation is significant.
    #[must_use]
    pub fn has_significant_indentation(self) -> bool {
        self.row().entry.layout
    }

    /// Line endings after which the next line is indented by one more level.
    #[must_use]
    pub fn indenting_line_ends(self) -> &'static [String] {
        &self.row().entry.opens
    }

    /// Line starts that are indented by one level less.
    #[must_use]
    pub fn dedenting_line_starts(self) -> &'static [String] {
        &self.row().entry.closes
    }

    /// The tree-sitter grammar.
    #[must_use]
    pub fn grammar(self) -> &'static Grammar {
        &self.row().grammar
    }

    /// The folder in `queries/` with the queries for this grammar.
    #[must_use]
    pub fn queries_folder(self) -> &'static str {
        self.row().entry.queries.as_deref().unwrap_or(&self.row().entry.id)
    }

    /// The text of `queries/<language>/bindings.scm`, which the names crate reads; `None` if name
    /// resolution does not support the language.
    #[must_use]
    pub fn bindings_query(self) -> Option<Cow<'static, str>> {
        QueryFile::Bindings.embedded_source(self)
    }

    /// Whether name resolution supports the language.
    #[must_use]
    pub fn has_name_resolution(self) -> bool {
        self.bindings_query().is_some()
    }

    /// The names of the [`Language::features`], in the same order.
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

    /// Which features the language has.
    #[must_use]
    pub fn features(self) -> [bool; 12] {
        let has = |file: QueryFile| file.source(self).is_some();
        [
            has(QueryFile::Outline),
            self.has_name_resolution(),
            has(QueryFile::Highlights),
            has(QueryFile::Injections),
            has(QueryFile::Folds),
            has(QueryFile::Indents),
            has(QueryFile::Links),
            has(QueryFile::Tags),
            has(QueryFile::Colors),
            has(QueryFile::Actions),
            self.reports_errors() && !self.quotes().is_empty(),
            self.reports_all_errors(),
        ]
    }

    fn compile_file(self, file: QueryFile) -> Option<Query> {
        let source = file.source(self)?;
        let query = compile(self, &file.file_name(), &source);
        Some(query.expect("embedded queries are checked by this crate's tests, others when taken"))
    }

    fn rooted(self, file: QueryFile) -> Option<RootedQuery> {
        let query = self.compile_file(file)?;
        Some(RootedQuery::new(query, &file.source(self)?, self.grammar()))
    }

    fn rooted_or_empty(self, file: QueryFile) -> RootedQuery {
        let nothing = || compile(self, "empty", "").expect("an empty query is valid");
        self.rooted(file).unwrap_or_else(|| RootedQuery::new(nothing(), "", self.grammar()))
    }

    /// Whether it occurs only embedded in other languages.
    pub(crate) fn is_embedded_only(self) -> bool {
        self.row().entry.part
    }

    /// Compiles the queries that the first requests for a text need, and those of the languages it
    /// usually embeds; does nothing if already started. Takes up to half a second. Requests that
    /// come meanwhile wait only for the queries that they use.
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
        for inside in self.static_injections() {
            inside.highlights();
            inside.injections();
        }
    }

    /// Whether [`Language::warm`] has been called.
    #[must_use]
    pub fn is_warm(self) -> bool {
        self.row().warm.load(Ordering::Relaxed)
    }

    /// `queries/<language>/links.scm`, compiled once.
    pub(crate) fn links(self) -> &'static RootedQuery {
        self.row().links.get_or_init(|| self.rooted_or_empty(QueryFile::Links))
    }

    /// `queries/<language>/actions.scm`, compiled once.
    pub(crate) fn actions(self) -> Option<&'static Query> {
        self.row().actions.get_or_init(|| self.compile_file(QueryFile::Actions)).as_ref()
    }

    /// `queries/<language>/outline.scm`, compiled once.
    pub(crate) fn outline(self) -> &'static RootedQuery {
        self.row().outline.get_or_init(|| self.rooted_or_empty(QueryFile::Outline))
    }

    /// `queries/<language>/runnables.scm`, compiled once.
    pub(crate) fn runnables(self) -> &'static RootedQuery {
        self.row().runnables.get_or_init(|| self.rooted_or_empty(QueryFile::Runnables))
    }

    /// `queries/<language>/folds.scm`, compiled once.
    pub(crate) fn folds(self) -> Option<&'static RootedQuery> {
        self.row().folds.get_or_init(|| self.rooted(QueryFile::Folds)).as_ref()
    }

    /// `queries/<language>/tags.scm`, compiled once.
    pub(crate) fn tags(self) -> Option<&'static Query> {
        self.row().tags.get_or_init(|| self.compile_file(QueryFile::Tags)).as_ref()
    }

    /// `queries/<language>/colors.scm`, compiled once.
    pub(crate) fn colors(self) -> Option<&'static RootedQuery> {
        self.row().colors.get_or_init(|| self.rooted(QueryFile::Colors)).as_ref()
    }

    /// `queries/<language>/indents.scm`, compiled once.
    pub(crate) fn indents(self) -> Option<&'static RootedQuery> {
        // Of several captures on a line the first in query order wins, so the patterns must run
        // together.
        let query = || self.compile_file(QueryFile::Indents).map(RootedQuery::unrooted);
        self.row().indents.get_or_init(query).as_ref()
    }

    /// `queries/<language>/injections.scm`, compiled once.
    pub(crate) fn injections(self) -> Option<&'static Query> {
        self.row().injections.get_or_init(|| self.compile_file(QueryFile::Injections)).as_ref()
    }

    /// `queries/<language>/highlights.scm`, compiled once.
    pub(crate) fn highlights(self) -> Option<&'static HighlightQuery> {
        let query = || self.compile_file(QueryFile::Highlights).map(HighlightQuery::new);
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
        let entries: TableFile = toml::from_str(include_str!("../languages.toml")).unwrap();
        assert_eq!(entries.language.len(), GRAMMARS.len());
        assert_eq!(Language::all_with_embedded().count(), GRAMMARS.len());
        for language in Language::all_with_embedded() {
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
