//! The languages table, `languages.toml`.

use std::fmt;
use std::sync::OnceLock;

use serde::Deserialize;
use tree_sitter::Language as Grammar;

use crate::grammars::GRAMMARS;
use crate::parser_limits::ScannerState;
use crate::rewrites::Rewrites;

/// A language: the index of its row in the languages table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Language(u8);

pub(crate) struct LanguageRow {
    pub(crate) entry: LanguageEntry,
    grammar: Grammar,
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
    pub(crate) begins: Option<String>,
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
    json: Option<JsonDialect>,
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

/// A dialect of JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum JsonDialect {
    /// RFC 8259.
    Strict,
    /// With comments and trailing commas.
    Comments,
    /// JSON5: with unquoted names, single quotes and more number formats.
    Json5,
    /// JSON Lines: one value per line.
    Lines,
}

/// How to recognise, by content, files that have another language's extension.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ContentRule {
    pub(crate) extensions: Vec<String>,
    /// A line of such a file starts with one of these, leading whitespace aside.
    #[serde(default)]
    pub(crate) line_starts: Vec<String>,
    /// The text of such a file starts with one of these.
    #[serde(default)]
    pub(crate) begins: Vec<String>,
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
            Some(LanguageRow { grammar: grammar(), entry })
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

    /// Its position in the table.
    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }

    pub(crate) fn row(self) -> &'static LanguageRow {
        &table().rows[self.index()]
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
    pub(crate) fn json(self) -> Option<JsonDialect> {
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

    /// Whether it occurs only embedded in other languages.
    pub(crate) fn is_embedded_only(self) -> bool {
        self.row().entry.part
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
    fn every_entry_has_a_grammar() {
        let entries: TableFile = toml::from_str(include_str!("../languages.toml")).unwrap();
        assert_eq!(entries.language.len(), GRAMMARS.len());
        assert_eq!(Language::all_with_embedded().count(), GRAMMARS.len());
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
