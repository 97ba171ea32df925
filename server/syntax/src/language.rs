//! The languages table and how a document's language is found.

use std::fmt;
use std::sync::OnceLock;

use serde::Deserialize;
use tree_sitter::{Language as Grammar, Query};

use crate::grammars::{COMPILED, Compiled};
use crate::query::compile;

/// A row of the languages table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Language(u8);

struct Row {
    entry: Entry,
    grammar: Grammar,
    compiled: &'static Compiled,
    outline: OnceLock<Query>,
    links: OnceLock<Query>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: String,
    name: String,
    lsp_ids: Vec<String>,
    extensions: Vec<String>,
    #[serde(default)]
    file_names: Vec<String>,
    #[serde(default)]
    shebangs: Vec<String>,
    #[serde(default)]
    content: Option<Content>,
}

/// Files of another language's extension that are in this one by what they say.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    extensions: Vec<String>,
    /// How a line of such a file starts, blanks aside.
    line_starts: Vec<String>,
}

/// How much of a file is looked at for its language, in bytes.
const HEAD: usize = 64 << 10;

#[derive(Deserialize)]
struct Table {
    language: Vec<Entry>,
}

fn table() -> &'static [Row] {
    static TABLE: OnceLock<Vec<Row>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let table: Table = toml::from_str(include_str!("../languages.toml"))
            .expect("the embedded languages table is checked by this crate's tests");
        let row = |entry: Entry| {
            let compiled = COMPILED.iter().find(|c| c.id == entry.id)?;
            let (grammar, outline, links) =
                ((compiled.grammar)(), OnceLock::new(), OnceLock::new());
            Some(Row { grammar, entry, compiled, outline, links })
        };
        table.language.into_iter().filter_map(row).collect()
    })
}

impl Language {
    /// Every language of the table, in its order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..).take(table().len()).map(Self)
    }

    /// The language whose id is `id`.
    #[must_use]
    pub fn by_id(id: &str) -> Option<Self> {
        Self::all().find(|l| l.row().entry.id == id)
    }

    /// The language that an editor calls `lsp_id`.
    #[must_use]
    pub fn by_lsp_id(lsp_id: &str) -> Option<Self> {
        Self::all().find(|l| l.row().entry.lsp_ids.iter().any(|i| i == lsp_id))
    }

    /// The language of a file called `file_name` (its last component) whose text is `text`, or
    /// starts with it. The name decides before the extension, the extension before a `#!` line;
    /// where languages share an extension, what the lines start with decides.
    #[must_use]
    pub fn detect(file_name: &str, text: &str) -> Option<Self> {
        let mut end = text.len().min(HEAD);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let head = &text[..end];
        Self::all()
            .find(|l| l.row().entry.file_names.iter().any(|n| n == file_name))
            .or_else(|| Self::by_content(file_name, head))
            .or_else(|| Self::by_extension(file_name))
            .or_else(|| Self::by_shebang(head.lines().next().unwrap_or_default()))
    }

    fn by_content(file_name: &str, head: &str) -> Option<Self> {
        let (_, extension) = file_name.rsplit_once('.')?;
        Self::all().find(|l| {
            l.row().entry.content.as_ref().is_some_and(|content| {
                let shared = content.extensions.iter().any(|e| e.eq_ignore_ascii_case(extension));
                let says = |line: &str| content.line_starts.iter().any(|s| line.starts_with(s));
                shared && head.lines().any(|line| says(line.trim_start()))
            })
        })
    }

    fn by_extension(file_name: &str) -> Option<Self> {
        let (_, extension) = file_name.rsplit_once('.')?;
        let is = |known: &String| known.eq_ignore_ascii_case(extension);
        Self::all().find(|l| l.row().entry.extensions.iter().any(is))
    }

    fn by_shebang(first_line: &str) -> Option<Self> {
        let command = first_line.strip_prefix("#!")?;
        let mut words = command.split_ascii_whitespace();
        let mut program = words.next()?.rsplit('/').next()?;
        if program == "env" {
            program = words.find(|w| !w.starts_with('-') && !w.contains('='))?;
        }
        let unversioned = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let is = |known: &String| known == program || known == unversioned;
        Self::all().find(|l| l.row().entry.shebangs.iter().any(is))
    }

    fn row(self) -> &'static Row {
        &table()[usize::from(self.0)]
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

    /// The endings of its files' names, without the dot.
    #[must_use]
    pub fn extensions(self) -> &'static [String] {
        &self.row().entry.extensions
    }

    /// The tree-sitter grammar.
    #[must_use]
    pub fn grammar(self) -> &'static Grammar {
        &self.row().grammar
    }

    /// The text of `queries/<language>/bindings.scm`, which the names crate reads.
    #[must_use]
    pub fn bindings_query(self) -> &'static str {
        self.row().compiled.bindings
    }

    /// `queries/<language>/links.scm`, compiled once.
    pub(crate) fn links(self) -> &'static Query {
        self.row().links.get_or_init(|| {
            compile(self, "links.scm", self.row().compiled.links)
                .expect("embedded queries are checked by this crate's tests")
        })
    }

    /// `queries/<language>/outline.scm`, compiled once.
    pub(crate) fn outline(self) -> &'static Query {
        self.row().outline.get_or_init(|| {
            compile(self, "outline.scm", self.row().compiled.outline)
                .expect("embedded queries are checked by this crate's tests")
        })
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_has_a_grammar_and_valid_queries() {
        let table: Table = toml::from_str(include_str!("../languages.toml")).unwrap();
        assert_eq!(table.language.len(), COMPILED.len());
        assert_eq!(Language::all().count(), COMPILED.len());
        for language in Language::all() {
            language.outline();
            language.links();
        }
    }

    #[test]
    fn names_extensions_and_shebangs_decide_in_that_order() {
        let id = |name, line| Language::detect(name, line).map(Language::id);
        assert_eq!(id("a.PY", ""), Some("python"));
        assert_eq!(id("SConstruct", "#!/bin/node"), Some("python"));
        assert_eq!(id("a.tsx", ""), Some("tsx"));
        assert_eq!(id("run", "#!/usr/bin/env -S A=1 python3.11 -u"), Some("python"));
        assert_eq!(id("run", "#!/usr/bin/node"), Some("javascript"));
        assert_eq!(id("run", "#!/usr/bin/env"), None);
        assert_eq!(id("a.h", "int f(void);\n/* class */\n"), Some("c"));
        assert_eq!(id("a.h", "#pragma once\nnamespace a {\n"), Some("cpp"));
        assert_eq!(id("a.c", "namespace a {\n"), Some("c"));
        assert_eq!(id("py", ""), None);
        assert_eq!(id("a.txt", ""), None);
    }
}
