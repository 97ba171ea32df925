//! What is wrong in C and C++ whatever its macros stand for.
//!
//! The parser does not see what macros are made into, so it stumbles over right code. Here tokens
//! beside each other are looked at that no macro with an ordinary name puts together: an operator
//! without an operand, a statement that is not ended before the next line begins another.

mod facts;
mod heads;
mod operands;
mod tokens;
mod words;

use std::ops::Range;

use super::SyntaxError;
use facts::Facts;
use tokens::{Kind, Token};
use words::Words;

/// Most errors of one text.
const MOST: usize = 20;
/// Most tokens of one statement that are looked at.
const STATEMENT: usize = 400;
/// Operators that something follows which is no closing bracket, comma or semicolon.
const OPERATORS: &[&str] = &[
    "=", "==", "!=", "<=", ">=", "||", "|", "^", "/", "%", "+", "-", ".", "->", "+=", "-=", "*=",
    "/=", "|=", "&=", "?", "<<", ">>",
];
const ASSIGNMENTS: &[&str] = &["=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<<=", ">>="];
/// Words that are not written twice.
const ONCE: &[&str] = &[
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
/// Words that begin a statement.
const STATEMENTS: &[&str] =
    &["if", "while", "for", "switch", "return", "goto", "break", "continue", "do", "case", "else"];
const TYPES: &[&str] = &[
    "int", "char", "short", "long", "unsigned", "signed", "float", "double", "void", "struct",
    "const", "bool", "union", "enum",
];

/// The errors of a text, in order.
pub(super) fn errors(source: &str, is_c: bool, is_broken: bool) -> Vec<SyntaxError> {
    let tokens = tokens::tokens(source);
    let facts = Facts::new(source, &tokens, is_c);
    let reader = Reader::new(source, &tokens, &facts, is_c);
    let mut errors = Vec::new();
    for (at, _) in tokens.iter().enumerate().skip(1).filter(|(_, token)| !token.is_split) {
        let found = reader
            .doubled(at)
            .or_else(|| is_broken.then(|| reader.pair(at)).flatten())
            .or_else(|| reader.sure(at));
        // Instructions behind `_asm` end with their line.
        errors.extend(found.filter(|_| !reader.in_assembly(at - 1)));
        if errors.len() >= MOST {
            break;
        }
    }
    // A bracket that stays open is found at each of the statements in it.
    errors.dedup();
    errors
}

/// Whether what the parser stumbled over at `at` may come of a macro around.
pub(super) fn may_explain(source: &str, at: usize) -> bool {
    let tokens = tokens::tokens(source);
    let facts = Facts::new(source, &tokens, true);
    let reader = Reader::new(source, &tokens, &facts, true);
    let found = tokens.partition_point(|token| token.span.end <= at);
    reader.is_explained(found)
}

struct Reader<'s> {
    source: &'s str,
    tokens: &'s [Token],
    facts: &'s Facts<'s>,
    is_c: bool,
    words: Words,
}

impl<'s> Reader<'s> {
    fn new(source: &'s str, tokens: &'s [Token], facts: &'s Facts<'s>, is_c: bool) -> Self {
        Self { source, tokens, facts, is_c, words: Words::new(source, tokens) }
    }

    fn text(&self, at: usize) -> &'s str {
        self.tokens.get(at).map_or("", |token| &self.source[token.span.clone()])
    }

    fn kind(&self, at: usize) -> Option<Kind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    /// Whether a word is in capitals, as those of macros are.
    fn is_macro(&self, at: usize) -> bool {
        self.words.macros.get(at).is_some_and(|is| *is)
    }

    fn is_name(&self, at: usize) -> bool {
        self.words.names.get(at).is_some_and(|is| *is)
    }

    /// The bracket that a token stands in, if what stands before it is no macro.
    fn bracket(&self, at: usize) -> Option<(&'s str, usize)> {
        let open = self.tokens[at].inside?;
        Some((self.text(open), open))
    }

    /// Whether a token stands in the arguments of what may be a macro.
    fn in_macro(&self, at: usize) -> bool {
        let mut inside = self.tokens[at].inside;
        for _ in 0..STATEMENT {
            let Some(open) = inside else { return false };
            match self.text(open) {
                "{" => return false,
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

    /// Whether what is wrong with a token may come of a macro.
    fn is_explained(&self, at: usize) -> bool {
        let near = at.saturating_sub(3)..(at + 4).min(self.tokens.len());
        let is_word = |i: usize| self.kind(i) == Some(Kind::Word);
        // A part that others include begins anywhere; a bit field may have no name.
        if at < 3 || at >= self.tokens.len() || self.text(at) == ":" {
            return true;
        }
        // What a call is followed by without a `;` may be the body of a loop.
        if self.text(at) == ")" && self.tokens.get(at + 1).is_some_and(|t| t.indent.is_some()) {
            return true;
        }
        let is_plain = |i: usize| is_word(i) && !STATEMENTS.contains(&self.text(i));
        let mut split = at.saturating_sub(40)..(at + 20).min(self.tokens.len());
        let two = |i: usize| is_plain(i) && is_plain(i + 1);
        let callee = |i: usize| self.text(i) == ")" && self.text(i + 1) == "{";
        let mut line = self.lines_around(at);
        self.in_macro(at.min(self.tokens.len().saturating_sub(1)))
            || line.any(|i| self.is_macro(i) && self.text(i + 1) == "(")
            || near.clone().any(|i| self.is_macro(i))
            || split.any(|i| self.tokens[i].is_split)
            || near.clone().any(callee)
            || at > 0 && two(at - 1)
            || two(at)
            || self.holds_type(at)
            // `assert(a, ==, b)`
            || self.text(at - 1) == "," && self.text(at + 1) == ","
    }

    /// The tokens of the line that a token stands on and of the lines beside it.
    fn lines_around(&self, at: usize) -> Range<usize> {
        let is_first = |i: &usize| self.tokens[*i].indent.is_some();
        let at = at.min(self.tokens.len());
        let far = at.saturating_sub(STATEMENT);
        let start = (far..at).rev().filter(is_first).nth(1).unwrap_or(far);
        let end = (at + 1..self.tokens.len()).filter(is_first).nth(1);
        start..end.unwrap_or(self.tokens.len())
    }

    /// Whether a type stands between the round brackets around a token, as only macros take it.
    fn holds_type(&self, at: usize) -> bool {
        let Some(token) = self.tokens.get(at) else { return true };
        let open = token.half.filter(|half| *half < at).or(token.inside);
        let Some(open) = open.filter(|open| self.text(*open) == "(") else { return false };
        let end = self.tokens[open].half.unwrap_or(open + STATEMENT).min(self.tokens.len());
        (open + 1..end).any(|i| {
            TYPES.contains(&self.text(i))
                || self.text(i) == "*" && matches!(self.text(i + 1), ")" | ",")
        })
    }

    /// A word that stands twice.
    fn doubled(&self, at: usize) -> Option<SyntaxError> {
        let (before, this) = (self.text(at - 1), self.text(at));
        let is_once = self.kind(at) == Some(Kind::Word) && before == this && ONCE.contains(&this);
        (is_once && !self.in_macro(at)).then(|| self.unexpected(at))
    }

    /// What the names of the file show to be wrong, in macros, too.
    fn sure(&self, at: usize) -> Option<SyntaxError> {
        let found = self
            .empty_place(at)
            .or_else(|| self.lacks_alternative(at))
            .or_else(|| self.beside(at))
            .or_else(|| self.open_head(at))
            .or_else(|| self.open_text(at))
            .or_else(|| self.doubled_brace(at))
            .or_else(|| self.doubled_end(at))
            .or_else(|| self.case_end(at))
            .or_else(|| self.typedef(at));
        if found.is_some() || self.in_macro(at) {
            return found;
        }
        self.lacks_condition(at)
            .or_else(|| self.parameter(at))
            .or_else(|| self.parameter_end(at))
            .or_else(|| self.member(at))
            .or_else(|| self.label(at))
            .or_else(|| self.headless(at))
            .or_else(|| self.declaration_end(at))
            .or_else(|| self.macro_end(at))
            .or_else(|| self.value_end(at))
    }

    /// What is wrong with a token and the one before it.
    fn pair(&self, at: usize) -> Option<SyntaxError> {
        let (before, this) = (self.text(at - 1), self.text(at));
        let first = at.checked_sub(2).map_or("", |first| self.text(first));
        if let Some(found) = self.lone(at, this) {
            return Some(found);
        }
        if matches!((before, this), (".", "." | "->") | ("->", "." | "->")) {
            return Some(self.unexpected(at));
        }
        if self.in_macro(at) || self.in_macro(at - 1) {
            return None;
        }
        if self.kind(at - 1) == Some(Kind::Sign)
            && let Some(found) = self.signs(at, first, before, this)
        {
            return Some(found);
        }
        if self.kind(at - 1) == Some(Kind::Word)
            && let Some(found) = self.words(at, before, this)
        {
            return Some(found);
        }
        let is_number = self.kind(at - 1) == Some(Kind::Number);
        let follows = self.kind(at) == Some(Kind::Number) && self.is_name(at - 1) && self.is_c;
        if follows && self.tokens[at].indent.is_none() && !matches!(before, "not" | "in") {
            return Some(self.unexpected(at));
        }
        let is_defined = self.facts.is_defined(this);
        if is_number && !is_defined && (self.is_name(at) || self.kind(at) == Some(Kind::Number)) {
            // Several words are prose that a condition leaves out.
            let is_prose = self.is_name(at) && self.is_name(at + 1);
            if self.tokens[at].indent.is_none() && !is_prose {
                return Some(self.unexpected(at));
            }
        }
        if this == "else" && before == ";" && first == ";" {
            return Some(self.unexpected(at - 1));
        }
        if before == ")"
            && let Some(found) = self.head(at, this)
        {
            return Some(found);
        }
        self.statement_end(at)
    }

    /// A round bracket without its other half: macros are called with both.
    fn lone(&self, at: usize, this: &str) -> Option<SyntaxError> {
        let whole = |from: usize| !(from..=at).any(|i| self.tokens[i].is_split);
        match this {
            ";" => {
                let open = self.tokens[at].inside.filter(|open| self.text(*open) == "(")?;
                let head = open.checked_sub(1).map_or("", |head| self.text(head));
                let is_open = self.tokens[open].half.is_none() && at - open < STATEMENT;
                let ends = self.tokens.get(at + 1).is_none_or(|next| next.indent.is_some());
                if !is_open || !ends || head == "for" || !whole(open) {
                    return None;
                }
                let start = self.tokens[open].span.start;
                let line = self.source[..start].matches('\n').count() + 1;
                let message = format!("unclosed `(` that opens on line {line}");
                Some(self.error(start..start + 1, message))
            }
            ")" if self.tokens[at].half.is_none() => {
                let start = (at.saturating_sub(STATEMENT)..at)
                    .rev()
                    .find(|i| matches!(self.text(*i), ";" | "{" | "}"))?;
                let is_wild = |i: usize| {
                    self.is_macro(i)
                        && self.text(i + 1) == "("
                        && !self.facts.is_called_closed(self.text(i))
                        // `A(b));` is a whole call, and one bracket more.
                        && !(i == start + 1
                            && self.tokens[i + 1].half == at.checked_sub(1)
                            && self.text(at + 1) == ";")
                };
                // `A(1, b(); } );`: the brace takes the bracket's other half.
                let is_first = |i: &usize| self.tokens[*i].indent.is_some();
                let line = (at.saturating_sub(STATEMENT)..=at).rev().find(is_first).unwrap_or(at);
                let is_torn = (line..at).any(|i| {
                    let opens = self.is_macro(i) && self.text(i + 1) == "(";
                    opens && self.tokens[i + 1].half.is_none()
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

    fn signs(&self, at: usize, first: &str, before: &str, this: &str) -> Option<SyntaxError> {
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
            // `f(+, a)` may be one of a macro, `[=]` and `operator+` are of C++.
            (_, ";" | ")" | "]" | "}" | ",") if OPERATORS.contains(&before) => {
                let is_free = matches!(first, "(" | "," | "[" | "operator" | "<" | "{" | "" | ";");
                (!is_free).then(|| self.expected("a value", at - 1))
            }
            _ => None,
        }
    }

    /// What stands between the brackets that end before a token, and the word before them.
    fn head(&self, at: usize, this: &str) -> Option<SyntaxError> {
        let open = self.tokens[at - 1].half?;
        let word = open.checked_sub(1)?;
        let inside: Vec<usize> =
            (open + 1..at - 1).filter(|i| self.tokens[*i].inside == Some(open)).collect();
        let ends: Vec<usize> = inside.iter().copied().filter(|i| self.text(*i) == ";").collect();
        // A macro that is an operand has no `;` in it.
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

    fn words(&self, at: usize, before: &str, this: &str) -> Option<SyntaxError> {
        let is_word = self.kind(at) == Some(Kind::Word);
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
                if this == "else" || before == "return" && STATEMENTS.contains(&this) =>
            {
                Some(self.unexpected(at))
            }
            _ if self.lacks_colon(at) => Some(self.expected("`:`", at - 1)),
            "case" if matches!(this, ":" | ";" | "}") => Some(self.expected("a value", at - 1)),
            _ => None,
        }
    }

    /// `case a b`, `default b`
    fn lacks_colon(&self, at: usize) -> bool {
        let label = |at: usize| self.text(at) == "case";
        let is_default = self.text(at - 1) == "default"
            && at >= 2
            && matches!(self.text(at - 2), ";" | "{" | "}" | ":");
        let starts = self.kind(at) == Some(Kind::Word) || self.text(at) == "}";
        starts && (is_default || at >= 2 && label(at - 2) && self.text(at - 1) != "sizeof")
    }

    /// A statement that is not ended where the next line begins another.
    fn statement_end(&self, at: usize) -> Option<SyntaxError> {
        let token = &self.tokens[at];
        let indent = token.indent?;
        let starts = self.kind(at) == Some(Kind::Word)
            && (!self.is_macro(at) || self.calls_tamely(at))
            || self.text(at) == "}";
        let last = at - 1;
        if matches!(self.text(at), "noexcept" | "requires" | "const" | "override" | "final") {
            return None;
        }
        let ends = self.is_name(last)
            || self.kind(last) == Some(Kind::Number)
            || matches!(self.text(last), ")" | "]" | "++" | "--");
        // What stands in no braces may be a declaration of any kind.
        let open = if self.text(at) == "}" { token.half } else { token.inside }?;
        if !starts || !ends || self.text(open) != "{" || self.tokens[last].inside != Some(open) {
            return None;
        }
        let start = self.statement_start(last, open)?;
        let own = (start.saturating_sub(STATEMENT)..=start)
            .rev()
            .find_map(|index| self.tokens[index].indent)?;
        let is_return = self.text(start) == "return";
        if self.tokens[start].indent.is_none() && !is_return {
            return None;
        }
        let is_deeper = indent > own || self.text(at) != "}" && indent < own;
        if is_deeper || self.is_doubtful_end(last) && !is_return {
            return None;
        }
        let statement = start..=last;
        let at_top = |index: &usize| self.tokens[*index].inside == Some(open);
        let assigns = statement.clone().filter(at_top).any(|i| ASSIGNMENTS.contains(&self.text(i)));
        let head = self.text(start);
        let is_list = open > 0 && matches!(self.text(open - 1), "=" | "]")
            || head == "."
            || (1..8)
                .map_while(|back| open.checked_sub(back).map(|i| self.text(i)))
                .take_while(|text| !matches!(*text, ";" | "}" | "{" | ")"))
                .any(|text| text == "enum");
        let is_control = STATEMENTS.contains(&head) && head != "return" && head != "goto";
        let is_head = statement.clone().any(|i| matches!(self.text(i), "noexcept" | "requires"));
        let is_sure = !is_list
            && !is_head
            && !is_control
            && (matches!(head, "return" | "goto")
                || assigns && self.text(start) != "}" && !matches!(head, "template" | "using")
                || own > 0 && self.is_call_statement(start, last)
                || self.is_c && own > 0 && self.is_declaration(start, last));
        is_sure.then(|| self.expected("`;`", last))
    }

    /// The first token of the statement that ends with `last` in the braces that open at `open`.
    fn statement_start(&self, last: usize, open: usize) -> Option<usize> {
        let mut start = last;
        for _ in 0..STATEMENT {
            // What is in brackets is passed over.
            start = self.tokens[start].half.filter(|half| *half < start).unwrap_or(start);
            if self.tokens[start].is_split {
                return None;
            }
            let before = start.checked_sub(1)?;
            if self.text(start) == "return" {
                return Some(start);
            }
            if before == open || matches!(self.text(before), ";" | "}" | ":") {
                return Some(start);
            }
            // The head of a control statement, which this one may be the body of.
            if self.text(before) == ")" && self.tokens[start].indent.is_some() {
                let head = self.tokens[before].half?.checked_sub(1)?;
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

    /// Whether what a statement ends with may be a macro, a cast or a string of several parts.
    fn is_doubtful_end(&self, last: usize) -> bool {
        if self.text(last) != ")" {
            return self.is_macro(last);
        }
        let Some(open) = self.tokens[last].half else { return true };
        let Some(before) = open.checked_sub(1) else { return true };
        let callee = self.text(before);
        let is_operand = self.is_name(before) || matches!(callee, ")" | "]" | "sizeof");
        let loops = callee.to_ascii_lowercase().contains("each") || callee.contains("for");
        let is_group = !is_operand
            && (open + 1..last).any(|i| {
                self.kind(i) == Some(Kind::Number)
                    || matches!(self.text(i), "+" | "-" | "/" | "==" | "?" | "(")
            });
        !(is_operand && !loops || is_group)
    }

    /// A macro whose calls are statements, each with its `;`.
    fn calls_tamely(&self, at: usize) -> bool {
        self.is_c && self.text(at + 1) == "(" && self.facts.is_called_closed(self.text(at))
    }

    /// `f(…)`, `a->f(…)`
    fn is_call_statement(&self, start: usize, last: usize) -> bool {
        let Some(open) = self.tokens[last].half.filter(|_| self.text(last) == ")") else {
            return false;
        };
        self.is_c
            && open > start
            && (start..open).all(|i| self.is_name(i) || matches!(self.text(i), "->" | "." | "::"))
            && (start..open.saturating_sub(1)).all(|i| !(self.is_name(i) && self.is_name(i + 1)))
            && !self.facts.is_called_open(self.text(open - 1))
    }

    /// `int a`, `struct b *c`
    fn is_declaration(&self, start: usize, last: usize) -> bool {
        TYPES.contains(&self.text(start))
            && last > start
            && (self.is_name(last) || self.text(last) == "]")
            && (start..=last).all(|i| {
                self.is_name(i)
                    || TYPES.contains(&self.text(i))
                    || self.kind(i) == Some(Kind::Number)
                    || matches!(self.text(i), "*" | "," | "[" | "]")
            })
    }
}

#[cfg(test)]
mod tests;
