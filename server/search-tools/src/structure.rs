//! The search behind `structural_search`.

use std::sync::atomic::AtomicBool;

use memchr::memmem;
use syntax::{CodePattern, Language, PatternError, StructuralMatch, StructuralQuery, Syntax};

use super::code_files::{CodeFile, CodeScope, CodeSearch, search_code};
use super::code_hit::CodeHit;
use super::cursor::Cursor;
use super::globs::FilePattern;
use super::page::{FilePosition, Files, LastHit, Page};
use tools::{Context, ToolError};

/// The pattern or query, compiled for each language in which it parses.
pub(super) struct CompiledPatterns(Vec<CompiledPattern>);

enum CompiledPattern {
    Pattern(CodePattern),
    Query(StructuralQuery),
}

impl CompiledPatterns {
    /// # Errors
    /// If it does not parse in the requested language, or in any.
    pub(super) fn new(
        source: &str,
        is_query: bool,
        language: Option<Language>,
    ) -> Result<Self, PatternError> {
        let read = |language| {
            if is_query {
                StructuralQuery::new(language, source).map(CompiledPattern::Query)
            } else {
                CodePattern::new(language, source).map(CompiledPattern::Pattern)
            }
        };
        if let Some(language) = language {
            return Ok(Self(vec![read(language)?]));
        }
        let (mut all, mut first_error) = (Vec::new(), None);
        for language in Language::all() {
            match read(language) {
                Ok(one) => all.push(one),
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        match first_error {
            Some(error) if all.is_empty() => Err(error),
            _ => Ok(Self(all)),
        }
    }

    fn for_language(&self, language: Language) -> Option<&CompiledPattern> {
        self.0.iter().find(|one| match one {
            CompiledPattern::Pattern(pattern) => pattern.language() == language,
            CompiledPattern::Query(query) => query.language() == language,
        })
    }
}

impl CompiledPattern {
    /// Whether the file cannot match, judged by its bytes alone: saves parsing it.
    fn cannot_match(&self, bytes: &[u8]) -> bool {
        let Self::Pattern(pattern) = self else { return false };
        pattern.word().is_some_and(|word| memmem::find(bytes, word.as_bytes()).is_none())
    }

    fn find(&self, syntax: &Syntax, most: usize, interrupt: &AtomicBool) -> Vec<StructuralMatch> {
        match self {
            Self::Pattern(pattern) => pattern.find(syntax, most, interrupt),
            Self::Query(query) => query.find(syntax, most, interrupt),
        }
    }
}

/// What to search for, and where.
pub(super) struct StructuralRequest<'q> {
    pub(super) tool: &'static str,
    pub(super) path: Option<&'q str>,
    pub(super) patterns: CompiledPatterns,
    pub(super) files: Option<FilePattern>,
    pub(super) max_results: usize,
    pub(super) cursor: Option<Cursor>,
}

/// The matches of a page.
pub(super) struct StructuralResults {
    pub(super) files: Files<CodeHit>,
    /// Position to continue from, if there are more.
    pub(super) last: Option<LastHit>,
    pub(super) searched: usize,
    pub(super) incomplete: bool,
}

/// Runs the search.
pub(super) fn search(
    context: &Context<'_>,
    request: StructuralRequest<'_>,
) -> Result<StructuralResults, ToolError> {
    let StructuralRequest { tool, path, patterns, files, max_results, cursor } = request;
    let search = PagedSearch { patterns, cursor, page: Page::new(max_results) };
    let walked = search_code(context, &CodeScope { tool, path, files }, &search)?;
    let (files, last) = search.page.finish();
    let (searched, incomplete) = (walked.searched, walked.incomplete);
    Ok(StructuralResults { files, last, searched, incomplete })
}

/// A search whose matches are one page.
struct PagedSearch {
    patterns: CompiledPatterns,
    cursor: Option<Cursor>,
    page: Page<CodeHit>,
}

impl CodeSearch for PagedSearch {
    fn wants(&self, language: Language) -> bool {
        self.patterns.for_language(language).is_some()
    }

    fn is_pending(&self, root: usize, path: &[u8]) -> bool {
        self.cursor.as_ref().is_none_or(|cursor| cursor.is_before(root, path))
            && self.page.may_matter(root, path)
    }

    fn cannot_match(&self, bytes: &[u8]) -> bool {
        self.patterns.0.iter().all(|one| one.cannot_match(bytes))
    }

    fn search(&self, file: &CodeFile<'_>, interrupt: &AtomicBool) {
        let Some(one) = self.patterns.for_language(file.language) else { return };
        let after = self.cursor.as_ref().map_or(0, |cursor| cursor.line_in(file.root, file.path));
        let most =
            usize::try_from(after).unwrap_or(usize::MAX).saturating_add(self.page.max_per_file());
        let found = file.parse(interrupt).map(|syntax| one.find(&syntax, most, interrupt));
        let hits: Vec<_> = (1..)
            .zip(found.unwrap_or_default())
            .filter(|(number, _)| *number > after)
            .map(|(number, found)| CodeHit::new(number, found, file.text))
            .collect();
        if !hits.is_empty() {
            self.page.add(FilePosition { root: file.root, path: file.path.to_vec() }, hits);
        }
    }
}
