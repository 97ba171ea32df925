//! Syntax errors, one message per problem.
//!
//! The tree shows where the parser failed. Unmatched brackets and unterminated strings and comments
//! make it fail far from their position, often several times. They are therefore searched in the
//! text ([`scan`], [`brackets`]), and the tree errors that they cause are dropped.

mod blocks;
mod brackets;
mod c_family;
mod css;
mod dockerfile;
mod downlevel;
mod generated;
mod grammar_gaps;
mod html;
mod json;
mod layout;
mod lua;
mod php;
mod python;
mod root_causes;
mod ruby;
mod rust;
mod scan;
mod shell;
mod sql;
mod template;
mod toml;
mod tree_errors;
mod unsupported;
mod validation;
mod yaml;

use std::ops::Range;

use scan::Scan;
use tree_errors::{TreeError, is_body};

use crate::Syntax;
use crate::language::Errors;
use crate::syntax_error::{Missing, SyntaxError, SyntaxWarning};
pub use generated::is_minified;

/// Longest text with errors whose brackets are checked, in bytes.
const MAX_TEXT_LEN: usize = 1 << 20;
/// Longest text that is rewritten for an older grammar and parsed once more, in bytes.
const MAX_REWRITTEN_LEN: usize = 4 << 20;
/// Longest JSON text that is checked, in bytes.
const MAX_JSON_LEN: usize = 16 << 20;
/// Longest text for checkers that take linear time, such as that of YAML, in bytes.
const MAX_LINEAR_LEN: usize = 16 << 20;
/// Limit of error nodes of one tree.
const MAX_TREE_ERRORS: usize = 200;
/// Limit of tree levels above the error nodes together, a few hundred each: finding a node's
/// neighbours descends from the root.
const MAX_TREE_LEVELS: usize = 200_000;

/// How much of the start of a text is searched for the name of a dialect, in bytes.
const DIALECT_HEAD_BYTES: usize = 8 << 10;

impl Syntax {
    /// The syntax errors in document order, at most `limit` and one per line. If the parser is not
    /// known to accept all of the language, only those that the text shows without the parser, or
    /// none. Errors caused by another error are left out.
    ///
    /// Visits only the parts of the tree with errors; if there are any, the text is read once. The
    /// first thousand are cached in this state and its clones.
    #[must_use]
    pub fn errors(&self, limit: usize) -> Vec<SyntaxError> {
        let find = |limit| self.find_errors(limit, self.language().errors());
        self.error_cache().first(limit, &find)
    }

    /// Valid constructs that implementations treat differently, in document order, at most `limit`:
    /// duplicate keys in JSON objects. None in a text with errors.
    #[must_use]
    pub fn warnings(&self, limit: usize) -> Vec<SyntaxWarning> {
        let Some(dialect) = self.language().json().filter(|_| self.text().len() <= MAX_TEXT_LEN)
        else {
            return Vec::new();
        };
        let mut warnings = json::duplicates(&self.text().slice(0..self.text().len()), dialect);
        warnings.truncate(limit);
        warnings
    }

    /// The errors of the tree, at most `limit`, in any language. They are reliable only as far as
    /// the grammar covers the language.
    #[must_use]
    pub fn unfiltered_errors(&self, limit: usize) -> Vec<SyntaxError> {
        self.find_errors(limit, Errors::All)
    }

    /// The errors by the checks that `reporting` selects; none in dialects, templates and generated
    /// code.
    fn find_errors(&self, limit: usize, reporting: Errors) -> Vec<SyntaxError> {
        if reporting == Errors::None
            || self.text().is_empty()
            || self.is_in_dialect()
            || self.has_front_matter()
        {
            return Vec::new();
        }
        if self.root().has_error() && self.text().len() <= MAX_LINEAR_LEN {
            let source = self.text().slice(0..self.text().len());
            match reporting {
                Errors::All
                    if generated::is_xml_fragment(self, &source) || is_minified(&source) =>
                {
                    return Vec::new();
                }
                Errors::All if self.text().len() <= MAX_REWRITTEN_LEN => {
                    if let Some((rewritten, downleveled)) = self.downleveled(&source) {
                        return rewritten.errors_from_tree(limit, reporting, Some(&downleveled));
                    }
                }
                // What the grammar does not support would be reported.
                Errors::All if self.is_downleveled() => return Vec::new(),
                _ => {}
            }
        }
        // Their trees may be free of errors although a key is duplicated.
        if matches!(reporting, Errors::Toml | Errors::Yaml) {
            if self.text().len() > MAX_LINEAR_LEN {
                return Vec::new();
            }
            let source = self.text().slice(0..self.text().len());
            let mut errors = match reporting {
                Errors::Toml => self.toml_errors(&source),
                _ => self.yaml_errors(&source),
            };
            errors.truncate(limit);
            return errors;
        }
        if reporting == Errors::Macros
            && self.text().len() <= MAX_LINEAR_LEN
            && unsupported::is_other_than_c(&self.text().slice(0..self.text().len()))
        {
            return Vec::new();
        }
        self.errors_from_tree(limit, reporting, None)
    }

    /// The errors that the tree and the brackets show. `rewritten` is the text that the parser
    /// read, if that is not the text itself.
    fn errors_from_tree(
        &self,
        limit: usize,
        reporting: Errors,
        rewritten: Option<&str>,
    ) -> Vec<SyntaxError> {
        if let Some(mut errors) = self.errors_from_checker() {
            errors.truncate(limit);
            return errors;
        }
        let has_errors = self.has_errors() && !self.is_template();
        let mut errors = Vec::new();
        let reads_words = blocks::has_keyword_blocks(self.language().id());
        if has_errors || self.language().has_even_blanks() || reads_words {
            let readable =
                !self.language().quotes().is_empty() && self.text().len() <= MAX_TEXT_LEN;
            let source = match rewritten {
                Some(rewritten) if readable => rewritten.into(),
                None if readable => self.text().slice(0..self.text().len()),
                _ => "".into(),
            };
            let scan = if readable { self.scan(&source) } else { Scan::default() };
            let reserved = self.reserved_word_as_name(&source, &scan.words);
            if has_errors || reserved.is_some() {
                self.add_root_causes_and_tree_errors(&source, &scan, reporting, &mut errors);
            }
            if let Some(span) = reserved.filter(|_| errors.is_empty()) {
                let message = format!("unexpected {}", self.quoted(&span));
                errors.push(SyntaxError { span, message, missing: None });
            }
            if self.language().has_even_blanks() && scan.unterminated.is_empty() {
                errors.extend(layout::mixed_indentation(&source, &scan.lines));
            }
            if self.language().id() == "python" && readable && !self.is_template() {
                errors = self.python_errors(&source, has_errors).merge(&source, errors);
            }
        }
        if reporting == Errors::All && self.text().len() <= MAX_TEXT_LEN {
            let line = |error: &SyntaxError| self.text().line_of(error.span.start);
            let mut found = self.validation_errors();
            found.retain(|error| !errors.iter().any(|known| line(known) == line(error)));
            errors.extend(found);
        }
        if reporting == Errors::Macros && self.text().len() <= MAX_TEXT_LEN {
            self.add_macro_errors(&mut errors);
        }
        if self.language().id() == "ruby" && self.text().len() <= MAX_TEXT_LEN {
            errors.extend(self.ruby_token_pair_errors());
        }
        if self.language().id() == "rust" && has_errors && self.text().len() <= MAX_TEXT_LEN {
            let found = rust::errors(&self.text().slice(0..self.text().len()));
            // The parser's own errors are caused by these.
            if !found.is_empty() {
                errors = found;
            }
        }
        if self.language().id() == "php" && self.text().len() <= MAX_TEXT_LEN {
            let source = self.text().slice(0..self.text().len());
            errors = php::errors(&source, has_errors, errors);
        }
        errors.sort_by_key(|error| error.span.start);
        errors.dedup_by_key(|error| self.text().line_of(error.span.start));
        errors.truncate(limit);
        errors
    }

    /// Adds errors that hold for every macro expansion, unless a bracket or quote explains them.
    fn add_macro_errors(&self, errors: &mut Vec<SyntaxError>) {
        let source = self.text().slice(0..self.text().len());
        let from_quote =
            errors.iter().filter(|e| e.message.starts_with("unclosed string")).count() > 0;
        if from_quote {
            return;
        }
        let is_c = self.language().id() == "c";
        let mut found = c_family::errors(&source, is_c, self.root().has_error());
        // A bracket error on the same line is more precise.
        let line = |error: &SyntaxError| self.text().line_of(error.span.start);
        found.retain(|error| !errors.iter().any(|known| line(known) == line(error)));
        errors.extend(found);
    }

    /// The errors of languages that have their own checker.
    fn errors_from_checker(&self) -> Option<Vec<SyntaxError>> {
        let source = |longest: usize| match self.text().len() {
            length if length <= longest => self.text().slice(0..length),
            _ => "".into(),
        };
        match (self.language().json(), self.language().errors()) {
            (Some(dialect), _) => Some(json::errors(&source(MAX_JSON_LEN), dialect)),
            (None, Errors::Dockerfile) => Some(dockerfile::errors(&source(MAX_TEXT_LEN))),
            (None, Errors::Css) => {
                let source = source(MAX_TEXT_LEN);
                let scan = self.scan(&source);
                let causes = self.root_causes(&source, &scan);
                Some(match causes.is_empty() {
                    true => css::errors(&source, self.language().id() == "scss"),
                    false => causes.into_iter().map(|cause| cause.error).collect(),
                })
            }
            (None, Errors::Lua) => {
                let source = source(MAX_TEXT_LEN);
                let first = lua::first_error(&source);
                let by_lines = first.as_ref().filter(|first| first.is_unbalanced_end).map(|_| {
                    let scan = self.scan(&source);
                    let causes = self.root_causes(&source, &scan).into_iter();
                    causes
                        .chain(self.block_errors(&source, &scan.words))
                        .map(|cause| cause.error)
                        .collect()
                });
                let by_lines = by_lines.filter(|causes: &Vec<_>| !causes.is_empty());
                Some(
                    by_lines
                        .unwrap_or_else(|| first.map(|first| first.error).into_iter().collect()),
                )
            }
            (None, Errors::Html) => Some(html::errors(&source(MAX_TEXT_LEN))),
            (None, Errors::Shell) => Some(shell::errors(&source(MAX_TEXT_LEN))),
            (None, Errors::Sql) => {
                let source = source(MAX_TEXT_LEN);
                let scan = sql::scan(&source).unwrap_or_default();
                Some(
                    self.root_causes(&source, &scan).into_iter().map(|cause| cause.error).collect(),
                )
            }
            (None, _) => None,
        }
    }

    /// The number of errors, counted up to `limit` and including consequential ones.
    #[must_use]
    pub fn error_count(&self, limit: usize) -> usize {
        if let Some(errors) = self.errors_from_checker() {
            return errors.len().min(limit);
        }
        if self.has_errors() && self.language().reports_errors() && !self.is_in_dialect() {
            self.error_nodes(limit, usize::MAX).len()
        } else {
            0
        }
    }

    /// Whether the tree has errors other than known gaps of the grammar.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.root().has_error() && !self.error_nodes(1, usize::MAX).is_empty()
    }

    /// Whether the comments at the start name a dialect of the language (`@flow`).
    fn is_in_dialect(&self) -> bool {
        let words = &self.language().row().entry.dialects;
        if words.is_empty() {
            return false;
        }
        let head = self.text().slice(0..DIALECT_HEAD_BYTES);
        let mut rest = head.trim_start_matches('\u{feff}');
        loop {
            rest = rest.trim_start();
            let (comment, after) = match (rest.strip_prefix("/*"), rest.strip_prefix("//")) {
                (Some(block), _) => block.split_once("*/").unwrap_or((block, "")),
                (_, Some(line)) => line.split_once('\n').unwrap_or((line, "")),
                _ if rest.starts_with("#!") => rest.split_once('\n').unwrap_or((rest, "")),
                _ => return false,
            };
            let mut parts = comment.split(|c: char| c.is_whitespace() || c == '*');
            if parts.any(|part| words.iter().any(|word| word == part)) {
                return true;
            }
            rest = after;
        }
    }

    /// The outermost ERROR and MISSING nodes, without known gaps of the grammar.
    fn error_nodes(&self, limit: usize, mut levels: usize) -> Vec<tree_sitter::Node<'_>> {
        let mut found = Vec::new();
        let mut cursor = self.tree().walk();
        loop {
            let node = cursor.node();
            if found.len() == limit || levels == 0 {
                return found;
            }
            if (node.is_error() || tree_errors::is_missing(node)) && !self.is_grammar_gap(node) {
                levels = levels.saturating_sub(cursor.depth() as usize);
                found.push(node);
            } else if node.has_error()
                && !self.is_newer_than_grammar(node)
                && cursor.goto_first_child()
            {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return found;
                }
            }
        }
    }

    /// Adds the errors that brackets and quotes show, and those of the tree that they do not
    /// explain.
    fn add_root_causes_and_tree_errors(
        &self,
        source: &str,
        scan: &Scan,
        reporting: Errors,
        errors: &mut Vec<SyntaxError>,
    ) {
        let mut tree_errors: Vec<_> = self
            .error_nodes(MAX_TREE_ERRORS, MAX_TREE_LEVELS)
            .into_iter()
            .map(|n| self.tree_error(n))
            .collect();
        let mut causes = self.root_causes(source, scan);
        if causes.is_empty() {
            causes.extend(self.block_errors(source, &scan.words));
        }
        for cause in causes {
            // If the parser knows the missing token on the same line, its position is better than
            // the bracket's.
            let line = self.text().line_of(cause.error.span.start);
            let knows = tree_errors.iter().position(|s| {
                s.missing.is_some()
                    && s.missing == cause.missing
                    && s.error.message.contains(" before ")
                    && self.text().line_of(s.error.span.start) == line
                    && s.skipped.start >= cause.error.span.start
            });
            let better = knows.map(|at| tree_errors.swap_remove(at).error);
            tree_errors.retain(|s| {
                let covers =
                    s.skipped.start <= cause.affected.start && cause.affected.start < s.skipped.end;
                let inside = cause.affected.contains(&s.error.span.start);
                !covers && !inside
            });
            errors.push(better.unwrap_or(cause.error));
        }
        let is_unsupported = || unsupported::has_unsupported_syntax(self.language().id(), source);
        if reporting == Errors::Brackets || tree_errors.is_empty() || is_unsupported() {
            return;
        }
        if !scan.unterminated.is_empty() {
            tree_errors.retain(|s| !matches!(s.missing, Some('"' | '\'' | '`')));
        }
        tree_errors.retain(|s| {
            let at = s.error.span.start;
            let line = self.text().line_of(at);
            let column = at - self.text().line_start(line);
            !unsupported::has_unsupported_syntax_on_line(
                self.language().id(),
                &self.text().line(line),
                column,
            )
        });
        if self.language().id() == "csharp" {
            let line = |at: usize| self.text().line_of(at);
            let count = tree_errors.len();
            tree_errors.retain(|s| {
                let lines = line(s.skipped.start)..line(s.skipped.end) + 1;
                !unsupported::may_be_conditional_code(source, lines, count)
            });
        }
        tree_errors.sort_by_key(|s| s.error.span.start);
        if reporting == Errors::Macros && !self.is_single_error(&tree_errors, source) {
            return;
        }
        let mut last: Option<TreeError> = None;
        for tree_error in tree_errors {
            // Drop further errors in the same statement or on the next line; they are usually
            // consequential.
            if !last.as_ref().is_some_and(|last| self.is_consequence(last, &tree_error)) {
                errors.push(tree_error.error.clone());
            }
            last = Some(tree_error);
        }
    }

    /// Whether all errors of the tree are one, and no macro explains it.
    fn is_single_error(&self, tree_errors: &[TreeError], source: &str) -> bool {
        let is_c = self.language().id() == "c";
        let all_follow = tree_errors.windows(2).all(|two| self.is_consequence(&two[0], &two[1]));
        is_c && all_follow
            && tree_errors
                .first()
                .is_some_and(|s| !c_family::may_explain(source, s.error.span.start))
    }

    /// Whether an error is likely a consequence of an earlier one.
    fn is_consequence(&self, earlier: &TreeError, later: &TreeError) -> bool {
        let statement = self.statement_at(earlier.error.span.start);
        let text = self.text();
        let line = text.line_of(later.error.span.start);
        statement.is_some_and(|span| span.contains(&later.error.span.start))
            || text.line_of(earlier.skipped.end.max(earlier.error.span.start)) == line
    }

    /// The outermost node around `at` inside the innermost body, or inside the file.
    fn statement_at(&self, at: usize) -> Option<Range<usize>> {
        let around = self.nodes_around(at..at);
        let inside = around.split_last().map_or(&around[..], |(_file, inside)| inside);
        let outer = inside.iter().skip(1).take_while(|node| !is_body(node.kind())).last();
        Some(outer.or(around.first())?.byte_range())
    }
}

#[cfg(test)]
mod tests;
