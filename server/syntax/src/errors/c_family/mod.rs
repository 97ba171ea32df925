//! C and C++: errors that hold for every macro expansion.
//!
//! The parser does not expand macros, so it fails on valid code. This checker looks for adjacent
//! tokens that no macro with an ordinary name produces: an operator without an operand, a statement
//! without `;` before the next one.

mod missing_parts;
mod name_facts;
mod operands;
mod token_classes;
mod tokens;

use std::ops::Range;

use super::SyntaxError;
use name_facts::NameFacts;
use token_classes::TokenClasses;
use tokens::{Token, TokenKind};

/// Limit of errors per text.
const MAX_ERRORS: usize = 20;
/// Limit of tokens of one statement that are inspected.
const MAX_STATEMENT_TOKENS: usize = 400;
/// Operators that cannot be followed by a closing bracket, comma or semicolon.
const BINARY_OPERATORS: &[&str] = &[
    "=", "==", "!=", "<=", ">=", "||", "|", "^", "/", "%", "+", "-", ".", "->", "+=", "-=", "*=",
    "/=", "|=", "&=", "?", "<<", ">>",
];
const ASSIGNMENTS: &[&str] = &["=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<<=", ">>="];
/// Keywords that are never repeated.
const NEVER_REPEATED: &[&str] = &[
    "static",
    "extern",
    "typedef",
    "struct",
    "enum",
    "union",
    "if",
    "while",
    "for",
    "switch",
    "case",
    "return",
    "goto",
    "break",
    "continue",
    "sizeof",
    "void",
    "int",
    "char",
    "float",
    "else",
    "do",
    "class",
    "namespace",
    "template",
    "typename",
    "using",
    "virtual",
    "explicit",
    "operator",
    "new",
    "throw",
    "public",
    "private",
    "protected",
    "default",
    "short",
    "double",
    "unsigned",
    "bool",
    "auto",
];
/// Keywords that start a statement.
const STATEMENT_KEYWORDS: &[&str] =
    &["if", "while", "for", "switch", "return", "goto", "break", "continue", "do", "case", "else"];
const TYPES: &[&str] = &[
    "int", "char", "short", "long", "unsigned", "signed", "float", "double", "void", "struct",
    "const", "bool", "union", "enum",
];

/// The errors of a text, in document order.
pub(super) fn errors(source: &str, is_c: bool, is_broken: bool) -> Vec<SyntaxError> {
    let tokens = tokens::tokens(source);
    let facts = NameFacts::new(source, &tokens, is_c);
    let checker = MacroChecker::new(source, &tokens, &facts, is_c);
    let mut errors = Vec::new();
    for (at, _) in tokens.iter().enumerate().skip(1).filter(|(_, token)| !token.follows_directive) {
        let found = checker
            .repeated_keyword(at)
            .or_else(|| is_broken.then(|| checker.pair_error(at)).flatten())
            .or_else(|| checker.certain_error(at));
        // Instructions after `_asm` end with their line.
        errors.extend(found.filter(|_| !checker.in_assembly(at - 1)));
        if errors.len() >= MAX_ERRORS {
            break;
        }
    }
    // An unclosed bracket is found at every statement inside it.
    errors.dedup();
    errors
}

/// Whether a parse error at `at` may be caused by a nearby macro.
pub(super) fn may_explain(source: &str, at: usize) -> bool {
    let tokens = tokens::tokens(source);
    let facts = NameFacts::new(source, &tokens, true);
    let checker = MacroChecker::new(source, &tokens, &facts, true);
    checker.is_explained(tokens.partition_point(|token| token.span.end <= at))
}

struct MacroChecker<'s> {
    source: &'s str,
    tokens: &'s [Token],
    facts: &'s NameFacts<'s>,
    is_c: bool,
    words: TokenClasses,
}

impl<'s> MacroChecker<'s> {
    fn new(source: &'s str, tokens: &'s [Token], facts: &'s NameFacts<'s>, is_c: bool) -> Self {
        Self { source, tokens, facts, is_c, words: TokenClasses::new(source, tokens) }
    }

    fn text(&self, at: usize) -> &'s str {
        self.tokens.get(at).map_or("", |token| &self.source[token.span.clone()])
    }

    fn kind(&self, at: usize) -> Option<TokenKind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    /// Whether a word looks like a macro: it is in capitals.
    fn is_macro(&self, at: usize) -> bool {
        self.words.macros.get(at).is_some_and(|is| *is)
    }

    fn is_name(&self, at: usize) -> bool {
        self.words.names.get(at).is_some_and(|is| *is)
    }

    /// The bracket that contains a token, and its index.
    fn bracket(&self, at: usize) -> Option<(&'s str, usize)> {
        let open = self.tokens[at].inside?;
        Some((self.text(open), open))
    }

    /// Whether a token is in the arguments of a possible macro.
    fn in_macro(&self, at: usize) -> bool {
        let mut inside = self.tokens[at].inside;
        for _ in 0..MAX_STATEMENT_TOKENS {
            let Some(open) = inside else { return false };
            match self.text(open) {
                // Code as an argument: `EM_ASM({ … }, a)`.
                "{" if open == 0 || !matches!(self.text(open - 1), "(" | ",") => return false,
                "(" if open > 0 && self.is_macro(open - 1) => return true,
                _ => inside = self.tokens[open].inside,
            }
        }
        true
    }

    fn unexpected(&self, at: usize) -> SyntaxError {
        self.error(self.tokens[at].span.clone(), format!("unexpected `{}`", self.text(at)))
    }

    fn expected(&self, what: &str, after: usize) -> SyntaxError {
        let text: String = self.text(after).chars().take(30).collect();
        self.error(self.tokens[after].span.clone(), format!("expected {what} after `{text}`"))
    }

    fn error(&self, span: Range<usize>, message: String) -> SyntaxError {
        SyntaxError { span, message, missing: None }
    }

    /// Whether the error at a token may be caused by a macro.
    fn is_explained(&self, at: usize) -> bool {
        let near = at.saturating_sub(3)..(at + 4).min(self.tokens.len());
        let is_word = |i: usize| self.kind(i) == Some(TokenKind::Word);
        // An included fragment may start anywhere; a bit field may be unnamed.
        if at < 3 || at >= self.tokens.len() || self.text(at) == ":" {
            return true;
        }
        // A call without `;` may be a loop macro followed by its body.
        if self.text(at) == ")" && self.tokens.get(at + 1).is_none_or(|t| t.indent.is_some()) {
            return true;
        }
        let is_plain = |i: usize| is_word(i) && !STATEMENT_KEYWORDS.contains(&self.text(i));
        let mut split = at.saturating_sub(40)..(at + 20).min(self.tokens.len());
        let two = |i: usize| is_plain(i) && is_plain(i + 1);
        let callee = |i: usize| self.text(i) == ")" && self.text(i + 1) == "{";
        let mut line = self.lines_around(at);
        self.in_macro(at.min(self.tokens.len().saturating_sub(1)))
            || line.any(|i| self.is_macro(i) && self.text(i + 1) == "(")
            || near.clone().any(|i| self.is_macro(i))
            || split.any(|i| self.tokens[i].follows_directive)
            || near.clone().any(callee)
            || at > 0 && two(at - 1)
            || two(at)
            || self.contains_type(at)
            || self.is_old_style_parameter(at)
            // `switch (a) case B: c();`
            || self.text(at) == "case" && self.text(at - 1) == ")"
            // `assert(a, ==, b)`
            || self.text(at - 1) == "," && self.text(at + 1) == ","
            // An empty argument of a macro that defines something: `generate(, name)`.
            || self.text(at) == ","
                && self.text(at - 1) == "("
                && self.tokens[at - 1].inside.is_none()
    }

    /// The tokens of the token's line and its neighbours.
    fn lines_around(&self, at: usize) -> Range<usize> {
        let is_first = |i: &usize| self.tokens[*i].indent.is_some();
        let at = at.min(self.tokens.len());
        let far = at.saturating_sub(MAX_STATEMENT_TOKENS);
        let start = (far..at).rev().filter(is_first).nth(1).unwrap_or(far);
        let end = (at + 1..self.tokens.len()).filter(is_first).nth(1);
        start..end.unwrap_or(self.tokens.len())
    }

    /// Whether the surrounding parentheses contain a type, which only macros accept.
    fn contains_type(&self, at: usize) -> bool {
        let Some(token) = self.tokens.get(at) else { return true };
        let open = token.matching.filter(|matching| *matching < at).or(token.inside);
        let Some(open) = open.filter(|open| self.text(*open) == "(") else { return false };
        let end = self.tokens[open]
            .matching
            .unwrap_or(open + MAX_STATEMENT_TOKENS)
            .min(self.tokens.len());
        (open + 1..end).any(|i| {
            TYPES.contains(&self.text(i))
                || self.text(i) == "*" && matches!(self.text(i + 1), ")" | ",")
        })
    }

    /// Whether a token declares a parameter between the header and the body of a function as in the first C, which the
    /// grammar does not take after a pointer type: `char *f(a) char *a; {`.
    fn is_old_style_parameter(&self, at: usize) -> bool {
        let declares = |i: &usize| {
            self.is_name(*i)
                || TYPES.contains(&self.text(*i))
                || self.kind(*i) == Some(TokenKind::Number)
                || matches!(self.text(*i), "*" | "," | ";" | "[" | "]" | "register")
        };
        let near = at.saturating_sub(MAX_STATEMENT_TOKENS)..at;
        let header = near.rev().find(|i| !declares(i)).filter(|i| self.text(*i) == ")");
        let Some(open) = header.and_then(|close| self.tokens[close].matching) else { return false };
        let is_list = (open + 1..header.unwrap_or(open))
            .all(|i| if (i - open) % 2 == 1 { self.is_name(i) } else { self.text(i) == "," });
        let mut rest = at..(at + MAX_STATEMENT_TOKENS).min(self.tokens.len());
        let body = rest.find(|i| !declares(i)).filter(|i| self.text(*i) == "{");
        self.is_c
            && is_list
            && open.checked_sub(1).is_some_and(|name| self.is_name(name))
            && body.is_some_and(|body| self.text(body - 1) == ";")
    }

    /// A repeated keyword.
    fn repeated_keyword(&self, at: usize) -> Option<SyntaxError> {
        let (before, this) = (self.text(at - 1), self.text(at));
        let is_once = self.kind(at) == Some(TokenKind::Word)
            && before == this
            && NEVER_REPEATED.contains(&this);
        (is_once && !self.in_macro(at)).then(|| self.unexpected(at))
    }

    /// Errors that the names of the file prove, even in macro arguments.
    fn certain_error(&self, at: usize) -> Option<SyntaxError> {
        let found = self
            .empty_argument(at)
            .or_else(|| self.missing_colon_of_conditional(at))
            .or_else(|| self.adjacent_values(at))
            .or_else(|| self.unclosed_parenthesis(at))
            .or_else(|| self.unterminated_char_literal(at))
            .or_else(|| self.doubled_brace(at))
            .or_else(|| self.superfluous_brace(at))
            .or_else(|| self.case_without_colon(at))
            .or_else(|| self.typedef_without_struct(at));
        if found.is_some() || self.in_macro(at) {
            return found;
        }
        self.missing_condition(at)
            .or_else(|| self.parameter_without_type(at))
            .or_else(|| self.missing_comma_after_parameter(at))
            .or_else(|| self.member_without_type(at))
            .or_else(|| self.label_without_colon(at))
            .or_else(|| self.missing_statement_keyword(at))
            .or_else(|| self.declaration_without_semicolon(at))
            .or_else(|| self.macro_call_without_semicolon(at))
            .or_else(|| self.value_without_semicolon(at))
    }

    /// The error of a token and the one before it.
    fn pair_error(&self, at: usize) -> Option<SyntaxError> {
        let (before, this) = (self.text(at - 1), self.text(at));
        let first = at.checked_sub(2).map_or("", |first| self.text(first));
        if let Some(found) = self.unmatched_brackets(at, this) {
            return Some(found);
        }
        if matches!((before, this), (".", "." | "->") | ("->", "." | "->")) {
            return Some(self.unexpected(at));
        }
        if self.in_macro(at) || self.in_macro(at - 1) {
            return None;
        }
        if self.kind(at - 1) == Some(TokenKind::Punctuation)
            && let Some(found) = self.operator_error(at, first, before, this)
        {
            return Some(found);
        }
        if self.kind(at - 1) == Some(TokenKind::Word)
            && let Some(found) = self.keyword_error(at, before, this)
        {
            return Some(found);
        }
        let is_number = self.kind(at - 1) == Some(TokenKind::Number);
        let follows = self.kind(at) == Some(TokenKind::Number) && self.is_name(at - 1) && self.is_c;
        if follows && self.tokens[at].indent.is_none() && !matches!(before, "not" | "in") {
            return Some(self.unexpected(at));
        }
        let is_defined = self.facts.is_defined(this);
        if is_number
            && !is_defined
            && (self.is_name(at) || self.kind(at) == Some(TokenKind::Number))
        {
            // Several words are prose in inactive conditional code.
            let is_prose = self.is_name(at) && self.is_name(at + 1);
            if self.tokens[at].indent.is_none() && !is_prose {
                return Some(self.unexpected(at));
            }
        }
        if this == "else" && before == ";" && first == ";" {
            return Some(self.unexpected(at - 1));
        }
        if before == ")"
            && let Some(found) = self.header_error(at, this)
        {
            return Some(found);
        }
        self.statement_without_semicolon(at)
    }

    /// An unmatched parenthesis: macro calls always have both.
    fn unmatched_brackets(&self, at: usize, this: &str) -> Option<SyntaxError> {
        let whole = |from: usize| !(from..=at).any(|i| self.tokens[i].follows_directive);
        match this {
            ";" => {
                let open = self.tokens[at].inside.filter(|open| self.text(*open) == "(")?;
                let head = open.checked_sub(1).map_or("", |head| self.text(head));
                let is_open =
                    self.tokens[open].matching.is_none() && at - open < MAX_STATEMENT_TOKENS;
                let ends = self.tokens.get(at + 1).is_none_or(|next| next.indent.is_some());
                if !is_open || !ends || head == "for" || !whole(open) {
                    return None;
                }
                let start = self.tokens[open].span.start;
                let line = self.source[..start].matches('\n').count() + 1;
                let message = format!("unclosed `(` that opens on line {line}");
                Some(self.error(start..start + 1, message))
            }
            ")" if self.tokens[at].matching.is_none() => {
                let start = (at.saturating_sub(MAX_STATEMENT_TOKENS)..at)
                    .rev()
                    .find(|i| matches!(self.text(*i), ";" | "{" | "}"))?;
                let is_wild = |i: usize| {
                    self.is_macro(i)
                        && self.text(i + 1) == "("
                        && !self.facts.is_always_called_with_semicolon(self.text(i))
                        // `A(b));` is a complete call and a superfluous bracket.
                        && !(i == start + 1
                            && self.tokens[i + 1].matching == at.checked_sub(1)
                            && self.text(at + 1) == ";")
                };
                // `A(1, b(); } );`: the brace separates the parentheses.
                let is_first = |i: &usize| self.tokens[*i].indent.is_some();
                let line = (at.saturating_sub(MAX_STATEMENT_TOKENS)..=at)
                    .rev()
                    .find(is_first)
                    .unwrap_or(at);
                let is_torn = (line..at).any(|i| {
                    let opens = self.is_macro(i) && self.text(i + 1) == "(";
                    opens && self.tokens[i + 1].matching.is_none()
                });
                let in_braces = self.bracket(at).is_none_or(|(text, _)| text == "{")
                    && !is_torn
                    && !(start..at).any(|i| is_wild(i) || self.text(i) == "?");
                let message = "`)` has no opening `(`".to_owned();
                (in_braces && whole(start))
                    .then(|| self.error(self.tokens[at].span.clone(), message))
            }
            _ => None,
        }
    }

    fn operator_error(
        &self,
        at: usize,
        first: &str,
        before: &str,
        this: &str,
    ) -> Option<SyntaxError> {
        let bracket = self.bracket(at).map(|(text, _)| text);
        let in_braces = bracket == Some("{");
        match (before, this) {
            (".", "." | "->" | ";" | ")" | "," | "=")
            | ("->", "->" | "." | ";" | "," | "=")
            | ("=", "=" | "==") => {
                (first != "operator" && first != "[").then(|| self.unexpected(at))
            }
            (",", ";") => Some(self.unexpected(at)),
            (",", ",") if in_braces => Some(self.unexpected(at)),
            (";" | "}", ":") if in_braces && (self.is_c || before == ";") => {
                Some(self.unexpected(at))
            }
            (":", ":") if in_braces => Some(self.unexpected(at)),
            ("(", ")") if matches!(first, "if" | "while" | "switch") => {
                Some(self.expected("a condition", at - 1))
            }
            // `f(+, a)` may be a macro call; `[=]` and `operator+` are C++.
            (_, ";" | ")" | "]" | "}" | ",") if BINARY_OPERATORS.contains(&before) => {
                let is_free = matches!(first, "(" | "," | "[" | "operator" | "<" | "{" | "" | ";");
                (!is_free).then(|| self.expected("a value", at - 1))
            }
            _ => None,
        }
    }

    /// Checks the parenthesised header that ends before a token, with its keyword.
    fn header_error(&self, at: usize, this: &str) -> Option<SyntaxError> {
        let open = self.tokens[at - 1].matching?;
        let word = open.checked_sub(1)?;
        // Alternatives of `#if`, each with its own `;`.
        if (open + 1..at).any(|i| self.tokens[i].follows_directive) {
            return None;
        }
        let inside: Vec<usize> =
            (open + 1..at - 1).filter(|i| self.tokens[*i].inside == Some(open)).collect();
        let ends: Vec<usize> = inside.iter().copied().filter(|i| self.text(*i) == ";").collect();
        // A macro used as an operand contains no `;`.
        let is_operand = |i: usize| {
            self.facts.is_listed(self.text(i))
                || matches!(self.text(i - 1), "<" | "<=" | ">" | ">=" | "==" | "!=" | "+" | "-")
        };
        let is_plain =
            !inside.iter().any(|i| self.is_macro(*i) && !is_operand(*i) || self.text(*i) == ":");
        match (self.text(word), ends.as_slice()) {
            ("for", [one]) if is_plain && self.is_c => {
                Some(self.error(self.tokens[*one].span.clone(), "expected two `;` in `for`".into()))
            }
            ("for", [_, _, more, ..]) if is_plain => Some(self.unexpected(*more)),
            (";" | "{" | "}" | ")", [first, ..]) if is_plain => Some(self.unexpected(*first)),
            (";" | "{" | "}", []) if this == "{" && is_plain && !inside.is_empty() => {
                let span = self.tokens[open].span.clone();
                Some(self.error(span, "expected `if`, `while` or the like before `(`".into()))
            }
            _ => None,
        }
    }

    fn keyword_error(&self, at: usize, before: &str, this: &str) -> Option<SyntaxError> {
        let is_word = self.kind(at) == Some(TokenKind::Word);
        let calls = self.text(at + 1) == "(";
        match before {
            "if" | "while" | "switch" | "for" if this != "(" => {
                let is_free = is_word && (calls || self.is_macro(at) || !self.is_c)
                    || matches!(this, "!" | "[" | ")" | "," | "=" | ";" | "#" | "##" | ".");
                (!is_free).then(|| self.expected("`(`", at - 1))
            }
            "return" if this == "}" => Some(self.expected("`;`", at - 1)),
            "break" | "continue"
                if this == "}" || is_word && !self.is_macro(at) && self.text(at) != "if" =>
            {
                Some(self.expected("`;`", at - 1))
            }
            "return" | "else"
                if this == "else" || before == "return" && STATEMENT_KEYWORDS.contains(&this) =>
            {
                Some(self.unexpected(at))
            }
            _ if self.is_label_without_colon(at) => Some(self.expected("`:`", at - 1)),
            "case" if matches!(this, ":" | ";" | "}") => Some(self.expected("a value", at - 1)),
            _ => None,
        }
    }

    /// `case a b`, `default b`.
    fn is_label_without_colon(&self, at: usize) -> bool {
        let label = |at: usize| self.text(at) == "case";
        let is_default = self.text(at - 1) == "default"
            && at >= 2
            && matches!(self.text(at - 2), ";" | "{" | "}" | ":");
        let starts = self.kind(at) == Some(TokenKind::Word) || self.text(at) == "}";
        starts && (is_default || at >= 2 && label(at - 2) && self.text(at - 1) != "sizeof")
    }

    /// The first token of the statement that ends with `last` inside the brace at `open`.
    fn statement_start(&self, last: usize, open: usize) -> Option<usize> {
        let mut start = last;
        for _ in 0..MAX_STATEMENT_TOKENS {
            start =
                self.tokens[start].matching.filter(|matching| *matching < start).unwrap_or(start);
            if self.tokens[start].follows_directive {
                return None;
            }
            let before = start.checked_sub(1)?;
            if self.text(start) == "return" {
                return Some(start);
            }
            if before == open || matches!(self.text(before), ";" | "}" | ":") {
                return Some(start);
            }
            // The header of a control statement, which this may be the body of.
            if self.text(before) == ")" && self.tokens[start].indent.is_some() {
                let head = self.tokens[before].matching?.checked_sub(1)?;
                if matches!(self.text(head), "if" | "while" | "for" | "switch") {
                    return Some(start);
                }
            }
            if self.text(before) == "else" {
                return Some(start);
            }
            start = before;
        }
        None
    }

    /// Whether a statement may end with a macro, a cast or a concatenated string.
    fn may_end_with_macro(&self, last: usize) -> bool {
        if self.text(last) != ")" {
            return self.is_macro(last);
        }
        let Some(open) = self.tokens[last].matching else { return true };
        let Some(before) = open.checked_sub(1) else { return true };
        let callee = self.text(before);
        let is_operand = self.is_name(before) || matches!(callee, ")" | "]" | "sizeof");
        // `swap(long, a, b)`
        let takes_type = self.is_name(before)
            && (open + 1..last).any(|i| {
                TYPES.contains(&self.text(i))
                    && matches!(self.text(i - 1), "(" | ",")
                    && matches!(self.text(i + 1), ")" | ",")
            });
        let loops = callee.to_ascii_lowercase().contains("each") || callee.contains("for");
        let is_group = !is_operand
            && (open + 1..last).any(|i| {
                self.kind(i) == Some(TokenKind::Number)
                    || matches!(self.text(i), "+" | "-" | "/" | "==" | "?" | "(")
            });
        takes_type || !(is_operand && !loops || is_group)
    }

    /// A macro whose calls are always statements with `;`.
    fn is_statement_macro(&self, at: usize) -> bool {
        self.is_c
            && self.text(at + 1) == "("
            && self.facts.is_always_called_with_semicolon(self.text(at))
    }

    /// `f(…)`, `a->f(…)`.
    fn is_call_statement(&self, start: usize, last: usize) -> bool {
        let Some(open) = self.tokens[last].matching.filter(|_| self.text(last) == ")") else {
            return false;
        };
        self.is_c
            && open > start
            && (start..open).all(|i| self.is_name(i) || matches!(self.text(i), "->" | "." | "::"))
            && (start..open.saturating_sub(1)).all(|i| !(self.is_name(i) && self.is_name(i + 1)))
            && !self.facts.is_often_called_without_semicolon(self.text(open - 1))
    }

    /// `int a`, `struct b *c`.
    fn is_declaration(&self, start: usize, last: usize) -> bool {
        TYPES.contains(&self.text(start))
            && last > start
            && (self.is_name(last) || self.text(last) == "]")
            && (start..=last).all(|i| {
                self.is_name(i)
                    || TYPES.contains(&self.text(i))
                    || self.kind(i) == Some(TokenKind::Number)
                    || matches!(self.text(i), "*" | "," | "[" | "]")
            })
    }
}

#[cfg(test)]
mod tests;
