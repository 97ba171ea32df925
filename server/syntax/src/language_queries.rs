//! The query files of a language, compiled on first use.

use std::borrow::Cow;
use std::sync::atomic::AtomicBool;
use std::sync::{LazyLock, OnceLock};

use tree_sitter::Query;

use crate::highlight_class::HighlightClass;
use crate::language::Language;
use crate::query::{QueryFile, compile};
use crate::rooted::RootedQuery;

/// The compiled queries of a language.
#[derive(Default)]
pub(crate) struct LanguageQueries {
    /// Whether [`Language::warm`] has been called.
    pub(crate) is_warm: AtomicBool,
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

/// A compiled `highlights.scm` with the classes of its captures.
pub(crate) struct HighlightQuery {
    pub(crate) query: Query,
    pub(crate) classes: Vec<Option<HighlightClass>>,
}

impl HighlightQuery {
    fn new(query: Query) -> Self {
        let classes =
            query.capture_names().iter().map(|n| HighlightClass::from_capture(n)).collect();
        Self { query, classes }
    }
}

impl Language {
    pub(crate) fn queries(self) -> &'static LanguageQueries {
        static ALL: LazyLock<Box<[LanguageQueries]>> = LazyLock::new(|| {
            Language::all_with_embedded().map(|_| LanguageQueries::default()).collect()
        });
        &ALL[self.index()]
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

    /// `queries/<language>/links.scm`, compiled once.
    pub(crate) fn links(self) -> &'static RootedQuery {
        self.queries().links.get_or_init(|| self.rooted_or_empty(QueryFile::Links))
    }

    /// `queries/<language>/actions.scm`, compiled once.
    pub(crate) fn actions(self) -> Option<&'static Query> {
        self.queries().actions.get_or_init(|| self.compile_file(QueryFile::Actions)).as_ref()
    }

    /// `queries/<language>/outline.scm`, compiled once.
    pub(crate) fn outline(self) -> &'static RootedQuery {
        self.queries().outline.get_or_init(|| self.rooted_or_empty(QueryFile::Outline))
    }

    /// `queries/<language>/runnables.scm`, compiled once.
    pub(crate) fn runnables(self) -> &'static RootedQuery {
        self.queries().runnables.get_or_init(|| self.rooted_or_empty(QueryFile::Runnables))
    }

    /// `queries/<language>/folds.scm`, compiled once.
    pub(crate) fn folds(self) -> Option<&'static RootedQuery> {
        self.queries().folds.get_or_init(|| self.rooted(QueryFile::Folds)).as_ref()
    }

    /// `queries/<language>/tags.scm`, compiled once.
    pub(crate) fn tags(self) -> Option<&'static Query> {
        self.queries().tags.get_or_init(|| self.compile_file(QueryFile::Tags)).as_ref()
    }

    /// `queries/<language>/colors.scm`, compiled once.
    pub(crate) fn colors(self) -> Option<&'static RootedQuery> {
        self.queries().colors.get_or_init(|| self.rooted(QueryFile::Colors)).as_ref()
    }

    /// `queries/<language>/indents.scm`, compiled once.
    pub(crate) fn indents(self) -> Option<&'static RootedQuery> {
        // Of several captures on a line the first in query order wins, so the patterns must run
        // together.
        let query = || self.compile_file(QueryFile::Indents).map(RootedQuery::unrooted);
        self.queries().indents.get_or_init(query).as_ref()
    }

    /// `queries/<language>/injections.scm`, compiled once.
    pub(crate) fn injections(self) -> Option<&'static Query> {
        self.queries().injections.get_or_init(|| self.compile_file(QueryFile::Injections)).as_ref()
    }

    /// `queries/<language>/highlights.scm`, compiled once.
    pub(crate) fn highlights(self) -> Option<&'static HighlightQuery> {
        let query = || self.compile_file(QueryFile::Highlights).map(HighlightQuery::new);
        self.queries().highlights.get_or_init(query).as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_query_file_is_valid() {
        for language in Language::all_with_embedded() {
            for file in QueryFile::ALL.into_iter().filter(|f| *f != QueryFile::Bindings) {
                let Some(source) = file.source(language) else { continue };
                if let Err(e) = compile(language, &file.file_name(), &source) {
                    panic!("{e}");
                }
            }
        }
    }
}
