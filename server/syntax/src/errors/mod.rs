//! Syntax errors, one message a problem.
//!
//! The tree says where the parser stumbled. Brackets without their other halves, and strings and
//! comments that nothing closes, make it stumble far from where they stand, and often more than
//! once: they are looked for in the text ([`scan`], [`brackets`]), and what follows from them is
//! not told.

mod beyond;
mod blocks;
mod brackets;
mod css;
mod dockerfile;
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

use brackets::{Lone, lone, other_half};
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

/// A problem of the text's, and the part in which what the tree says follows from it.
struct Cause {
    error: SyntaxError,
    reach: Range<usize>,
    /// What would close it, if that is what is wrong.
    missing: Option<char>,
}

impl Syntax {
    /// The syntax errors in document order, at most `limit` and one a line. In a language whose
    /// parser is not known to take all of it, those that the text shows without the parser, or none.
    /// What follows from another error is left out.
    ///
    /// Only the broken parts of the tree are visited; with errors, the text is read once.
    #[must_use]
    pub fn errors(&self, limit: usize) -> Vec<SyntaxError> {
        self.told(limit, self.language().errors())
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

    /// Whether a part of the tree is of a construct that the grammar does not know yet: type
    /// parameters of Python with defaults, `def f[T = int]()`.
    fn is_newer_than_grammar(&self, node: tree_sitter::Node<'_>) -> bool {
        node.kind() == "type_parameter"
            && self.language().id() == "python"
            && self.text().slice(node.byte_range()).contains('=')
    }

    /// Whether all that is wrong with a node is that the grammar does not know the construct around
    /// it. That of TypeScript wants a `!` between type arguments and the template that they tag, and
    /// takes the `<<` of `f<<T>(a: T) => R>()` for an operator.
    fn is_gap(&self, node: tree_sitter::Node<'_>) -> bool {
        if node.is_error() {
            return matches!(self.language().id(), "typescript" | "tsx")
                && self.holds_generic_argument(node);
        }
        let tagged = || {
            let value = node.parent().filter(|parent| parent.kind() == "non_null_expression")?;
            let template = value.next_sibling().filter(|n| n.kind() == "template_string")?;
            // `yield` and the like stand around it.
            let mut inner = value.child(0)?;
            while inner.kind() != "instantiation_expression" && inner.end_byte() == value.end_byte()
            {
                inner = inner.child(inner.child_count().checked_sub(1)?)?;
            }
            (inner.kind() == "instantiation_expression").then_some(template)
        };
        node.is_missing() && node.kind() == "!" && tagged().is_some()
    }

    /// Whether a line that a broken node begins on, or the next that it holds, has a generic function
    /// type as a type argument.
    fn holds_generic_argument(&self, node: tree_sitter::Node<'_>) -> bool {
        let line = self.text().line(self.text().line_of(node.start_byte()));
        line.match_indices("<<").any(|(at, _)| {
            let word = |c: char| c.is_alphanumeric() || c == '_';
            let rest = line[at + 2..].trim_start_matches(word);
            line[..at].ends_with(word)
                && rest.len() < line.len() - at - 2
                && (rest.starts_with(">(") || rest.starts_with(" extends ") && rest.contains(">("))
        })
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

    /// What would close the string that opens at `opens`.
    fn quote_of(&self, opens: &Range<usize>) -> Option<Missing> {
        let opened = self.text().slice(opens.clone());
        let quote = self.language().quotes().iter().find(|q| q.open == opened)?;
        Some(Missing { token: quote.close(), at: None })
    }

    fn causes(&self, source: &str, scan: &Scan) -> Vec<Cause> {
        let text = self.text();
        let mut causes = Vec::new();
        // Behind what swallowed the rest of a line, or of the text, nobody knows about brackets.
        let known =
            scan.unclosed.iter().map(|u| text.line_start(text.line_of(u.opens.start))).min();
        for unclosed in &scan.unclosed {
            let line = text.line_of(unclosed.opens.start) + 1;
            let to_the_end = unclosed.end == source.len();
            let end = if to_the_end { source.len() } else { next_at_margin(source, unclosed.end) };
            let span = match to_the_end {
                true => unclosed.opens.clone(),
                false => unclosed.opens.start..source[..unclosed.end].trim_end().len(),
            };
            causes.push(Cause {
                error: SyntaxError {
                    span,
                    message: format!("unclosed {} that starts on line {line}", unclosed.what),
                    missing: self.quote_of(&unclosed.opens).filter(|_| !to_the_end),
                },
                // With what comes first behind it, which the parser may not have seen as such.
                reach: text.line_start(line - 1)..end + 2,
                missing: None,
            });
            if to_the_end {
                break;
            }
        }
        let lines = Lines::of(source);
        let depth = |at: usize| lines.depth(at);
        let (found, pairs) = lone(&scan.events, depth);
        let macros = Macros::of(self, source);
        for lone in found.into_iter().filter(|l| known.is_none_or(|known| l.at() < known)) {
            if is_closed_on_line(source, lone) || macros.may_explain(lone) {
                continue;
            }
            if known.is_some() && matches!(lone, Lone::Opens(..)) {
                // It may be closed in what was swallowed.
                continue;
            }
            let at = lone.at();
            let around = pairs.iter().filter(|(open, close)| *open < at && at < *close);
            let end = around.map(|(_, close)| *close).min().unwrap_or(source.len());
            let (bracket, message, missing) = match lone {
                Lone::Opens(at, bracket) => {
                    let line = text.line_of(at) + 1;
                    let bracket = char::from(bracket);
                    let message = format!("unclosed `{bracket}` that opens on line {line}");
                    (bracket, message, Some(other_half(bracket as u8)))
                }
                Lone::Closes(_, bracket) => {
                    let opening = other_half(bracket);
                    let bracket = char::from(bracket);
                    (bracket, format!("`{bracket}` has no opening `{opening}`"), None)
                }
            };
            causes.push(Cause {
                error: SyntaxError {
                    span: at..at + bracket.len_utf8(),
                    message,
                    missing: missing.and_then(token_of).map(|token| Missing { token, at: None }),
                },
                reach: at..end + 1,
                missing,
            });
        }
        causes
    }
}

fn token_of(bracket: char) -> Option<&'static str> {
    [")", "]", "}"].into_iter().find(|token| token.starts_with(bracket))
}

/// Whether the rest of the line has the other half of a bracket: what was left open stands elsewhere,
/// and it is not known where.
fn is_closed_on_line(source: &str, lone: Lone) -> bool {
    let Lone::Opens(at, bracket @ (b'(' | b'[')) = lone else { return false };
    let (mut depth, mut quote) = (0, None);
    let line = source[at..].lines().next().unwrap_or_default();
    let mut bytes = line.bytes();
    while let Some(byte) = bytes.next() {
        match (quote, byte) {
            (Some(_), b'\\') => {
                bytes.next();
            }
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, _) if byte == bracket => depth += 1,
            (None, _) if char::from(byte) == other_half(bracket) => depth -= 1,
            (None, _) => {}
        }
        if depth == 0 {
            return true;
        }
    }
    false
}

/// Lines of C and C++ that begin with what looks like a macro, in capitals, and do not end as a
/// statement does: what it opens or closes is not in the text.
struct Macros {
    first: Option<usize>,
    /// Lines of calls that hold brackets without their other halves.
    calls: Vec<Range<usize>>,
}

impl Macros {
    fn of(syntax: &Syntax, source: &str) -> Self {
        let mut macros = Self { first: None, calls: Vec::new() };
        if !matches!(syntax.language().id(), "c" | "cpp") {
            return macros;
        }
        let mut start = 0;
        // Whether the line before is at the end of a statement.
        let mut ended = true;
        for line in source.split_inclusive('\n') {
            let code = line.trim();
            let word = code.len() - code.trim_start_matches(is_capital).len();
            if word > 0 && code.as_bytes()[0].is_ascii_uppercase() {
                if code[word..].starts_with('(') {
                    macros.calls.push(start..start + line.len());
                }
                let whole = ended
                    && code.matches('(').count() == code.matches(')').count()
                    && !code.contains(';')
                    && !code[word..].trim_start().starts_with([',', '=']);
                if word > 2 && whole && line.starts_with([' ', '\t']) {
                    macros.first.get_or_insert(start);
                }
            }
            start += line.len();
            ended = code.is_empty() || code.ends_with([';', '{', '}', ')', ':', '/']);
        }
        macros
    }

    fn may_explain(&self, lone: Lone) -> bool {
        let at = lone.at();
        let opened = matches!(lone, Lone::Closes(_, b'}' | b')'))
            && self.first.is_some_and(|first| first < at);
        let next = self.calls.partition_point(|line| line.end <= at);
        opened || self.calls.get(next).is_some_and(|line| line.start <= at)
    }
}

fn is_capital(c: char) -> bool {
    c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'
}

/// Where lines start, and how deep they stand.
struct Lines(Vec<(usize, usize)>);

impl Lines {
    fn of(source: &str) -> Self {
        let mut start = 0;
        let line = |line: &str| {
            let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
            start += line.len();
            (start - line.len(), blanks)
        };
        Self(source.split_inclusive('\n').map(line).collect())
    }

    /// Of the line of `at`, and where its first character stands.
    fn depth(&self, at: usize) -> (usize, usize) {
        let line = self.0.partition_point(|(start, _)| *start <= at).saturating_sub(1);
        self.0.get(line).map_or((0, 0), |(start, blanks)| (*blanks, start + blanks))
    }
}

fn is_bracket(error: &SyntaxError) -> bool {
    error.message.starts_with("unclosed") || error.message.contains("has no opening")
}

/// Where the next line starts, after `at`, that begins something of its own at the margin.
fn next_at_margin(source: &str, at: usize) -> usize {
    let mut rest = at;
    while let Some(newline) = source[rest..].find('\n') {
        rest += newline + 1;
        if source[rest..].starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '@') {
            return rest - 1;
        }
    }
    source.len()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use text::Text;

    use super::*;
    use crate::Language;

    fn errors(language: &str, source: &str) -> Vec<String> {
        let language = Language::by_id(language).unwrap();
        let syntax =
            Syntax::parse(language, &Text::new(source), None, &AtomicBool::new(false)).unwrap();
        syntax.errors(10).into_iter().map(|e| format!("{:?} {}", e.span, e.message)).collect()
    }

    #[test]
    fn a_dialect_is_not_judged() {
        let flow = "opaque type A = ?{| a: number |};\nimport typeof B from 'b';\n";
        for head in ["/**\n * @flow strict-local\n */\n", "#!/usr/bin/env node\n// a\n// @flow\n"] {
            assert!(errors("javascript", &format!("{head}'use strict';\n{flow}")).is_empty());
        }
        assert!(!errors("javascript", &format!("// flow\n{flow}// @flow\n")).is_empty());
    }

    #[test]
    fn a_template_of_another_language_has_no_errors() {
        let template = "{% autoescape off %}\nconst v = {{ plural }};\n{% endautoescape %}\n";
        assert_eq!(errors("javascript", template), [""; 0]);
        assert_eq!(errors("xml", "{% extends \"a.kml\" %}\n<a/>\n"), [""; 0]);
        assert_eq!(errors("javascript", "const s = '{% if %}';\nconst = 1;\n").len(), 1);
    }

    #[test]
    fn an_escaped_quote_in_a_selector_opens_no_string() {
        let css = ".before\\:content-\\[\\\"\\\"\\] { color: red }\n.a { color: blue; }\n";
        assert_eq!(errors("css", css), [""; 0]);
        assert_eq!(errors("css", ".a { content: \"; }\n").len(), 1);
    }

    #[test]
    #[cfg(feature = "languages")]
    fn newer_csharp_than_the_grammar_is_right() {
        let inside =
            |line: &str| format!("class A {{\n    string F() {{\n        {line}\n    }}\n}}\n");
        for line in
            ["return $\"{{{string.Join(\",\", entries)}}}\";", "formats[extension] = [type];"]
        {
            assert_eq!(errors("csharp", &inside(line)), [""; 0], "{line}");
        }
        assert_eq!(errors("csharp", &inside("formats[extension = [other];")).len(), 1);
    }

    #[test]
    fn an_address_without_quotes_holds_no_comment() {
        let scss =
            "$size: 1px;\n.a { background: url(https://#{f($h)}/b.png?c=1); width: $size; }\n";
        assert_eq!(errors("scss", scss), [""; 0]);
        assert_eq!(errors("scss", ".a { b: url( https://c.d ); }\n"), [""; 0]);
        let unclosed = ".a { b: url(https://c.d; }\n.b { c: url(d); }\n";
        assert_eq!(errors("css", unclosed).len(), 1);
        // Each line is searched once.
        let hostile = "url(".repeat(200_000);
        assert!(!errors("css", &hostile).is_empty());
    }

    #[test]
    fn what_a_grammar_takes_and_its_language_refuses_is_told() {
        for (language, source, expected) in [
            ("java", "class A {\n  A() {}\n  public b() { }\n}\n", "expected a type before `b`"),
            ("java", "class A {\n  static static int b;\n}\n", "unexpected `static`"),
            ("go", "package a\n\nfunc b()\n{\n}\n", "expected `{` at the end of the line before"),
            (
                "go",
                "package a\n\nfunc b() {\n\tif c\n\t{\n\t}\n}\n",
                "expected `{` at the end of the line before",
            ),
            ("go", "package a\n\nfunc (a int) {\n}\n", "expected a name after `func`"),
            (
                "go",
                "package a\n\nfunc b(c int, d) {\n}\n",
                "expected a name and a type, not only `d`",
            ),
            ("tsx", "const a = <b><c>d</e></b>;\n", "expected `</c>` before `</e>`"),
            ("tsx", "const a = <b c{d} />;\n", "expected `=` after `c`"),
            ("javascript", "f(1,, 2);\n", "unexpected `,`"),
            ("typescript", "const a = { b,, c };\n", "unexpected `,`"),
            ("rust", "use a::b;;\n", "unexpected `;`"),
            ("rust", "use a;\n b::c;\nfn d() {}\n", "expected `use` or the like before `b::c`"),
            ("rust", "fn a() {\n    b!(c)\n    d();\n}\n", "expected `;` after `)`"),
            ("csharp", "class A {\n  static static int b;\n}\n", "unexpected `static`"),
            ("csharp", "using A;;\nusing B;\n", "unexpected `;`"),
            ("csharp", "class A { void B(c, int d) { } }\n", "expected a type before `c`"),
            (
                "csharp",
                "class A { void B() { c(d e); } }\n",
                "expected `,` or an operator before `e`",
            ),
            ("csharp", "#if A\nusing B;\n#endif\nclass C : : D { }\n", "unexpected `:`"),
        ] {
            let told = errors(language, source);
            assert!(told.len() == 1 && told[0].ends_with(expected), "{source}: {told:?}");
        }
        for (language, source) in [
            ("java", "record A(int b) {\n  A {}\n}\nenum C { D; C() {} }\n"),
            (
                "go",
                "package a\n\nfunc b(int, string)\n\nfunc c() (d, e int) {\n\tfor\n\t{\n\t}\n\treturn\n}\n",
            ),
            ("go", "package a\n\nfunc b() {\n\tc()\n\t{\n\t}\n}\n"),
            ("rust", "a! { b };\nfn c() {\n    d! {}\n    e!();\n    ;\n    f!(g)\n}\n"),
            ("tsx", "const a = <><b.c {...d} e={f}>g</b.c></>;\n"),
            (
                "csharp",
                "class A(b c) : D(c) { }\nclass E { void F() => G((h, i) => h, out J k); }\n",
            ),
            (
                "csharp",
                "class A { void B() { c(d * e, f < g > h); int.TryParse(i, out int j); } }\n",
            ),
            ("csharp", "class A { void B(C d) { d.E(d) = 1; d?[0] = 2; if (async) { } } }\n"),
            ("csharp", "class A { void B(\n#if C\n  int d)\n#else\n  int e)\n#endif\n  { }\n}\n"),
            ("javascript", "const [a,, b] = [1,,];\nf(a, b,);\n"),
        ] {
            assert_eq!(errors(language, source), [""; 0], "{source}");
        }
    }

    #[test]
    fn the_limit_holds() {
        assert_eq!(errors("python", &"x = = 1\n".repeat(50)).len(), 10);
    }
}
