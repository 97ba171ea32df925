//! Syntax errors, one message a problem.
//!
//! The tree says where the parser stumbled. Brackets without their other halves, and strings and
//! comments that nothing closes, make it stumble far from where they stand, and often more than
//! once: they are looked for in the text ([`scan`], [`brackets`]), and what follows from them is
//! not told.

mod beyond;
mod blocks;
mod brackets;
mod cache;
mod causes;
mod css;
mod dockerfile;
mod gaps;
mod html;
mod json;
mod layout;
mod lua;
mod macros;
mod made;
mod older;
mod php;
mod python;
mod ruby;
mod rust;
mod scan;
mod shapes;
mod shell;
mod sql;
mod template;
mod toml;
mod unexpected;
mod yaml;

use std::ops::Range;

pub(crate) use cache::ErrorCache;
pub(crate) use json::Dialect;
use scan::Scan;
use unexpected::{Stumble, is_body};

use crate::Syntax;
use crate::language::Errors;
pub use made::is_minified;

/// One place where the text does not fit its language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// What a person would put the mark under.
    pub span: Range<usize>,
    /// What is wrong, for a person.
    pub message: String,
    /// What would mend it, where that is one token.
    pub(crate) missing: Option<Missing>,
}

/// What readers take, though it is hardly meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxWarning {
    /// What a person would put the mark under.
    pub span: Range<usize>,
    /// What is wrong, for a person.
    pub message: String,
}

/// A token that is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Missing {
    pub(crate) token: &'static str,
    /// Where, if that is known; else what it closes opens where the error is.
    pub(crate) at: Option<usize>,
}

/// Longest text whose brackets are looked at when it is broken, in bytes.
const LONGEST: usize = 1 << 20;
/// Longest JSON text that is looked at, in bytes.
const LONGEST_JSON: usize = 16 << 20;
/// The same of YAML, whose reader takes time in proportion.
const LONGEST_READ: usize = 16 << 20;
/// Most places of one tree that are looked at.
const MOST: usize = 200;
/// Most levels of the tree that are gone through for them together, some hundred times: what stands
/// beside a node is looked for from the root.
const LEVELS: usize = 200_000;

/// So many bytes at the start are looked through for the name of a dialect.
const HEAD: usize = 8 << 10;

impl Syntax {
    /// The syntax errors in document order, at most `limit` and one a line. In a language whose
    /// parser is not known to take all of it, those that the text shows without the parser, or none.
    /// What follows from another error is left out.
    ///
    /// Only the broken parts of the tree are visited; with errors, the text is read once. The first
    /// thousand are kept with this state and its clones, so that asking again costs a copy.
    #[must_use]
    pub fn errors(&self, limit: usize) -> Vec<SyntaxError> {
        let find = |limit| self.told(limit, self.language().errors());
        self.error_cache().first(limit, &find)
    }

    /// What the language allows and readers take in different ways, in document order, at most
    /// `limit`: names that stand twice in an object of JSON. None in a text with errors.
    #[must_use]
    pub fn warnings(&self, limit: usize) -> Vec<SyntaxWarning> {
        let Some(dialect) = self.language().json().filter(|_| self.text().len() <= LONGEST) else {
            return Vec::new();
        };
        let mut warnings = json::duplicates(&self.text().slice(0..self.text().len()), dialect);
        warnings.truncate(limit);
        warnings
    }

    /// What the parser made nothing of, at most `limit`: errors, as far as it knows the language.
    #[must_use]
    pub fn misfits(&self, limit: usize) -> Vec<SyntaxError> {
        self.told(limit, Errors::All)
    }

    fn told(&self, limit: usize, which: Errors) -> Vec<SyntaxError> {
        if which == Errors::None
            || self.text().is_empty()
            || self.is_in_dialect()
            || self.has_front_matter()
        {
            return Vec::new();
        }
        if self.root().has_error() && self.text().len() <= LONGEST_READ {
            let source = self.text().slice(0..self.text().len());
            match which {
                Errors::All if made::is_fragment(self, &source) || is_minified(&source) => {
                    return Vec::new();
                }
                Errors::All if self.text().len() <= LONGEST => {
                    if let Some((read, older)) = self.with_older_words(&source) {
                        return read.told_of_tree(limit, which, Some(&older));
                    }
                }
                _ => {}
            }
        }
        // Their trees may be sound though a key stands twice.
        if matches!(which, Errors::Toml | Errors::Yaml) {
            if self.text().len() > LONGEST_READ {
                return Vec::new();
            }
            let source = self.text().slice(0..self.text().len());
            let mut errors = match which {
                Errors::Toml => self.toml_errors(&source),
                _ => self.yaml_errors(&source),
            };
            errors.truncate(limit);
            return errors;
        }
        self.told_of_tree(limit, which, None)
    }

    /// What its tree and its brackets say of a text; the brackets are those of `read`, if the parser
    /// read that.
    fn told_of_tree(&self, limit: usize, which: Errors, read: Option<&str>) -> Vec<SyntaxError> {
        if let Some(mut told) = self.told_by_reading() {
            told.truncate(limit);
            return told;
        }
        let broken = self.is_broken() && !self.is_template();
        let mut told = Vec::new();
        let reads_words = blocks::has_words(self.language().id());
        if broken || self.language().has_even_blanks() || reads_words {
            let readable = !self.language().quotes().is_empty() && self.text().len() <= LONGEST;
            let source = match read {
                Some(read) if readable => read.into(),
                None if readable => self.text().slice(0..self.text().len()),
                _ => "".into(),
            };
            let scan = if readable { self.scan(&source) } else { Scan::default() };
            let reserved = self.reserved_name(&source, &scan.words);
            if broken || reserved.is_some() {
                self.causes_and_stumbles(&source, &scan, which, &mut told);
            }
            if let Some(span) = reserved.filter(|_| told.is_empty()) {
                let message = format!("unexpected {}", self.quoted(&span));
                told.push(SyntaxError { span, message, missing: None });
            }
            if self.language().has_even_blanks() && scan.unclosed.is_empty() {
                told.extend(layout::mixed(&source, &scan.lines));
            }
            if self.language().id() == "python" && readable && !self.is_template() {
                told = self.read_python(&source, broken).with(&source, told);
            }
        }
        if which == Errors::All && self.text().len() <= LONGEST {
            let line = |error: &SyntaxError| self.text().line_of(error.span.start);
            let mut found = self.misshapen();
            found.retain(|error| !told.iter().any(|known| line(known) == line(error)));
            told.extend(found);
        }
        if which == Errors::Macros && self.text().len() <= LONGEST {
            self.add_macros(&mut told);
        }
        if self.language().id() == "ruby" && self.text().len() <= LONGEST {
            told.extend(self.ruby_pairs());
        }
        if self.language().id() == "rust" && broken && self.text().len() <= LONGEST {
            let found = rust::errors(&self.text().slice(0..self.text().len()));
            // The parser's own follow from these.
            if !found.is_empty() {
                told = found;
            }
        }
        if self.language().id() == "php" && self.text().len() <= LONGEST {
            let source = self.text().slice(0..self.text().len());
            told = php::errors(&source, broken, told);
        }
        told.sort_by_key(|error| error.span.start);
        told.dedup_by_key(|error| self.text().line_of(error.span.start));
        told.truncate(limit);
        told
    }

    /// Adds what is wrong whatever macros stand for, where no bracket and no quote explains it.
    fn add_macros(&self, told: &mut Vec<SyntaxError>) {
        let source = self.text().slice(0..self.text().len());
        let from_quote =
            told.iter().filter(|e| e.message.starts_with("unclosed string")).count() > 0;
        if from_quote {
            return;
        }
        let is_c = self.language().id() == "c";
        let mut found = macros::errors(&source, is_c, self.root().has_error());
        // What the brackets say of a line is better.
        let line = |error: &SyntaxError| self.text().line_of(error.span.start);
        found.retain(|error| !told.iter().any(|known| line(known) == line(error)));
        told.extend(found);
    }

    /// What is told of languages whose errors are not their parser's.
    fn told_by_reading(&self) -> Option<Vec<SyntaxError>> {
        let source = |longest: usize| match self.text().len() {
            length if length <= longest => self.text().slice(0..length),
            _ => "".into(),
        };
        match (self.language().json(), self.language().errors()) {
            (Some(dialect), _) => Some(json::errors(&source(LONGEST_JSON), dialect)),
            (None, Errors::Dockerfile) => Some(dockerfile::errors(&source(LONGEST))),
            (None, Errors::Css) => {
                let source = source(LONGEST);
                let scan = self.scan(&source);
                let causes = self.causes(&source, &scan);
                Some(match causes.is_empty() {
                    true => css::errors(&source, self.language().id() == "scss"),
                    false => causes.into_iter().map(|cause| cause.error).collect(),
                })
            }
            (None, Errors::Lua) => {
                let source = source(LONGEST);
                let first = lua::first(&source);
                let by_lines = first.as_ref().filter(|first| first.is_of_blocks).map(|_| {
                    let scan = self.scan(&source);
                    let causes = self.causes(&source, &scan).into_iter();
                    causes
                        .chain(self.blocks(&source, &scan.words))
                        .map(|cause| cause.error)
                        .collect()
                });
                let by_lines = by_lines.filter(|causes: &Vec<_>| !causes.is_empty());
                Some(
                    by_lines
                        .unwrap_or_else(|| first.map(|first| first.error).into_iter().collect()),
                )
            }
            (None, Errors::Html) => Some(html::errors(&source(LONGEST))),
            (None, Errors::Shell) => Some(shell::errors(&source(LONGEST))),
            (None, Errors::Sql) => {
                let source = source(LONGEST);
                let scan = sql::scan(&source).unwrap_or_default();
                Some(self.causes(&source, &scan).into_iter().map(|cause| cause.error).collect())
            }
            (None, _) => None,
        }
    }

    /// How many places do not fit, counted up to `limit`; what follows from another counts too.
    #[must_use]
    pub fn error_count(&self, limit: usize) -> usize {
        if let Some(told) = self.told_by_reading() {
            return told.len().min(limit);
        }
        if self.is_broken() && self.language().tells_errors() && !self.is_in_dialect() {
            self.broken(limit, usize::MAX).len()
        } else {
            0
        }
    }

    /// Whether the parser made nothing of some place that it should have known: what the language does
    /// not allow, known gaps of its grammar aside.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.root().has_error() && !self.broken(1, usize::MAX).is_empty()
    }

    /// Whether the comments at the start say that the text is in a dialect of its language.
    fn is_in_dialect(&self) -> bool {
        let words = &self.language().row().entry.dialects;
        if words.is_empty() {
            return false;
        }
        let head = self.text().slice(0..HEAD);
        let mut rest = head.trim_start_matches('\u{feff}');
        loop {
            rest = rest.trim_start();
            let (comment, behind) = match (rest.strip_prefix("/*"), rest.strip_prefix("//")) {
                (Some(block), _) => block.split_once("*/").unwrap_or((block, "")),
                (_, Some(line)) => line.split_once('\n').unwrap_or((line, "")),
                _ if rest.starts_with("#!") => rest.split_once('\n').unwrap_or((rest, "")),
                _ => return false,
            };
            let mut parts = comment.split(|c: char| c.is_whitespace() || c == '*');
            if parts.any(|part| words.iter().any(|word| word == part)) {
                return true;
            }
            rest = behind;
        }
    }

    fn broken(&self, limit: usize, mut levels: usize) -> Vec<tree_sitter::Node<'_>> {
        let mut found = Vec::new();
        let mut cursor = self.tree().walk();
        loop {
            let node = cursor.node();
            if found.len() == limit || levels == 0 {
                return found;
            }
            if (node.is_error() || unexpected::is_missing(node)) && !self.is_gap(node) {
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

    fn causes_and_stumbles(
        &self,
        source: &str,
        scan: &Scan,
        which: Errors,
        told: &mut Vec<SyntaxError>,
    ) {
        let mut stumbles: Vec<_> =
            self.broken(MOST, LEVELS).into_iter().map(|n| self.stumble(n)).collect();
        let mut causes = self.causes(source, scan);
        if causes.is_empty() {
            causes.extend(self.blocks(source, &scan.words));
        }
        for cause in causes {
            // Where the parser knows of the one token that is missing, on the same line, it says
            // where better than the bracket does.
            let line = self.text().line_of(cause.error.span.start);
            let knows = stumbles.iter().position(|s| {
                s.missing.is_some()
                    && s.missing == cause.missing
                    && s.error.message.contains(" before ")
                    && self.text().line_of(s.error.span.start) == line
                    && s.stretch.start >= cause.error.span.start
            });
            let better = knows.map(|at| stumbles.swap_remove(at).error);
            stumbles.retain(|s| {
                let covers =
                    s.stretch.start <= cause.reach.start && cause.reach.start < s.stretch.end;
                let inside = cause.reach.contains(&s.error.span.start);
                !covers && !inside
            });
            told.push(better.unwrap_or(cause.error));
        }
        let beyond = || beyond::is_beyond_grammar(self.language().id(), source);
        if which == Errors::Brackets || stumbles.is_empty() || beyond() {
            return;
        }
        if !scan.unclosed.is_empty() {
            stumbles.retain(|s| !matches!(s.missing, Some('"' | '\'' | '`')));
        }
        stumbles.retain(|s| {
            let at = s.error.span.start;
            let line = self.text().line_of(at);
            let column = at - self.text().line_start(line);
            !beyond::is_beyond_line(self.language().id(), &self.text().line(line), column)
        });
        if self.language().id() == "csharp" {
            let line = |at: usize| self.text().line_of(at);
            let count = stumbles.len();
            stumbles.retain(|s| {
                let lines = line(s.stretch.start)..line(s.stretch.end) + 1;
                !beyond::is_conditional(source, lines, count)
            });
        }
        stumbles.sort_by_key(|s| s.error.span.start);
        if which == Errors::Macros && !self.is_one_stumble(&stumbles, source) {
            return;
        }
        let mut last: Option<Stumble> = None;
        for stumble in stumbles {
            // The next stumble of one statement, or of the next line, comes of the same.
            if !last.as_ref().is_some_and(|last| self.follows(last, &stumble)) {
                told.push(stumble.error.clone());
            }
            last = Some(stumble);
        }
    }

    /// Whether the parser stumbled in one place of the whole text, and over no macro.
    fn is_one_stumble(&self, stumbles: &[Stumble], source: &str) -> bool {
        let is_c = self.language().id() == "c";
        let all_follow = stumbles.windows(2).all(|two| self.follows(&two[0], &two[1]));
        is_c && all_follow
            && stumbles.first().is_some_and(|s| !macros::may_explain(source, s.error.span.start))
    }

    fn follows(&self, earlier: &Stumble, later: &Stumble) -> bool {
        let statement = self.statement_at(earlier.error.span.start);
        let text = self.text();
        let line = text.line_of(later.error.span.start);
        statement.is_some_and(|span| span.contains(&later.error.span.start))
            || text.line_of(earlier.stretch.end.max(earlier.error.span.start)) == line
    }

    /// The largest node around `at` inside the innermost body, or inside the file.
    fn statement_at(&self, at: usize) -> Option<Range<usize>> {
        let around = self.nodes_around(at..at);
        let inside = around.split_last().map_or(&around[..], |(_file, inside)| inside);
        let outer = inside.iter().skip(1).take_while(|node| !is_body(node.kind())).last();
        Some(outer.or(around.first())?.byte_range())
    }
}

#[cfg(test)]
mod tests;
