//! Adjacent values without an operator, and empty list elements.

use super::tokens::TokenKind;
use super::{MAX_STATEMENT_TOKENS, MacroChecker, SyntaxError, TYPES};

/// Constants, which are values but no variables.
const CONSTANTS: &[&str] = &["NULL", "nullptr", "true", "false", "stdin", "stdout", "stderr"];
/// Words that may follow a value: alternative operator names of C++, and parts of a declaration.
const MAY_FOLLOW_VALUE: &[&str] = &[
    "and",
    "or",
    "xor",
    "not",
    "bitand",
    "bitor",
    "and_eq",
    "or_eq",
    "xor_eq",
    "not_eq",
    "asm",
    "const",
    "volatile",
    "final",
    "override",
    "noexcept",
    "requires",
    "mutable",
    "restrict",
    "in",
    "delete",
    "new",
    "constexpr",
    "consteval",
    "constinit",
    "inline",
    "register",
    "friend",
    "extern",
    "thread_local",
    "static",
    "co_await",
    "co_return",
    "co_yield",
    "explicit",
    "signed",
    "decltype",
    "else",
    "while",
    "throw",
    "try",
    "template",
    "operator",
    "typename",
    "if",
    "catch",
];
/// Keywords that start a value.
const VALUE_KEYWORDS: &[&str] = &["sizeof", "alignof", "this"];
/// Structs of system headers, which C names with `struct`.
const SYSTEM_STRUCTS: &[&str] = &[
    "addrinfo",
    "dirent",
    "epoll_event",
    "hostent",
    "in6_addr",
    "in_addr",
    "iovec",
    "itimerval",
    "passwd",
    "pollfd",
    "rlimit",
    "rusage",
    "sigaction",
    "sockaddr",
    "sockaddr_in",
    "sockaddr_in6",
    "sockaddr_storage",
    "sockaddr_un",
    "termios",
    "timespec",
    "timeval",
    "utsname",
    "winsize",
];

impl MacroChecker<'_> {
    fn is_constant(&self, at: usize) -> bool {
        CONSTANTS.contains(&self.text(at))
    }

    fn is_member(&self, at: usize) -> bool {
        at > 0 && matches!(self.text(at - 1), "." | "->")
    }

    /// Whether the previous token ends a type or name, as in a declaration.
    fn follows_type(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return false };
        let text = self.text(before);
        (self.kind(before) == Some(TokenKind::Word) && text != "return" && text != "case")
            || matches!(text, "*" | ">" | "&" | "&&")
    }

    /// Whether a token certainly ends a value, whatever macros there are.
    fn ends_value(&self, at: usize) -> bool {
        match self.kind(at) {
            Some(TokenKind::Word) => {
                let is_tag = at > 0
                    && matches!(self.text(at - 1), "struct" | "enum" | "union" | "class" | "::");
                self.is_name(at)
                    && !is_tag
                    && !self.text(at).ends_with("_t")
                    && !MAY_FOLLOW_VALUE.contains(&self.text(at))
                    && (self.is_member(at) && self.facts.body(at).is_some()
                        || self.facts.is_value(at, self.text(at)) && !self.is_member(at)
                        || self.is_address(at)
                        || self.is_in_parentheses(at)
                            && self.facts.body(at).is_some()
                            && self.facts.is_value_elsewhere(self.text(at)))
                    || self.is_constant(at) && !self.follows_type(at)
            }
            Some(TokenKind::Punctuation) if self.text(at) == "]" => {
                let open = self.tokens[at].matching.and_then(|open| open.checked_sub(1));
                open.is_some_and(|name| {
                    self.kind(name) == Some(TokenKind::Word)
                        && !self.follows_type(name)
                        && self.ends_value(name)
                })
            }
            Some(TokenKind::Punctuation) if self.text(at) == ")" => {
                let open = self.tokens[at].matching.and_then(|open| open.checked_sub(1));
                self.is_in_parentheses(at)
                    && (!self.in_macro(at) || self.kind(at + 1) == Some(TokenKind::Number))
                    && open.is_some_and(|name| {
                        self.is_name(name)
                            && self.is_call(name)
                            && !self.facts.is_defined(self.text(name))
                    })
            }
            _ => false,
        }
    }

    /// `f(&a`.
    fn is_address(&self, at: usize) -> bool {
        at > 1
            && self.text(at - 1) == "&"
            && matches!(self.text(at - 2), "(" | ",")
            && self.is_in_parentheses(at)
            && self.facts.body(at).is_some()
    }

    /// Whether a name before a parenthesis is called, rather than declared.
    fn is_call(&self, name: usize) -> bool {
        self.facts.body(name).is_some()
            && name.checked_sub(1).is_some_and(|before| {
                self.text(before) == "return"
                    || self.kind(before) == Some(TokenKind::Punctuation)
                        && !matches!(
                            self.text(before),
                            "*" | ">" | "&" | "]" | "&&" | "~" | "::" | ")"
                        )
            })
    }

    fn is_in_parentheses(&self, at: usize) -> bool {
        self.bracket(at).is_some_and(|(text, _)| text == "(")
    }

    /// A value directly after a value.
    pub(super) fn adjacent_values(&self, at: usize) -> Option<SyntaxError> {
        let last = at - 1;
        let this = self.text(at);
        let is_line = self.tokens[at].indent.is_some();
        let in_round = self.is_in_parentheses(at);
        // A user-defined literal: `"/a"_json_pointer`.
        let is_touching = self.tokens[last].span.end == self.tokens[at].span.start;
        if !self.is_c && is_touching && self.kind(last) == Some(TokenKind::Literal) {
            return None;
        }
        if self.is_c && self.is_missing_struct(at) {
            let span = self.tokens[at].span.clone();
            return Some(self.error(span, format!("expected `struct` before `{this}`")));
        }
        let begins = match self.kind(at)? {
            TokenKind::Word => {
                let is_value = VALUE_KEYWORDS.contains(&this)
                    || self.is_constant(at)
                    || self.is_name(at) && !MAY_FOLLOW_VALUE.contains(&this);
                // Attributes may follow what is declared, and a macro may stand for an operator.
                let ends = matches!(self.text(at + 1), "," | ")" | ";");
                let is_macro = self.is_macro(at) && ends && !is_line && self.facts.is_listed(this);
                let declares = self.follows_type(last) && !self.is_address(last);
                is_value && (!declares || self.is_certain_value(at))
                    || is_macro
                        && !self.follows_type(last)
                        && (in_round || self.starts_statement(last))
            }
            TokenKind::Number => true,
            TokenKind::Literal => !this.starts_with('\'') || !is_line,
            TokenKind::Punctuation => false,
        };
        // `ParseCTX_PARAM`: a macro that expands to `, name` or to nothing.
        let is_part = this.rsplit_once('_').is_some_and(|(_, end)| {
            end.len() > 1 && end.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
        });
        if !begins || is_part && !is_line && self.kind(at) == Some(TokenKind::Word) {
            return None;
        }
        if self.is_prose(last) || self.in_assembly(at) || self.facts.is_defined(this) {
            return None;
        }
        // A name that also precedes other names may be a type.
        let looks_declared = !in_round
            && self.kind(last) == Some(TokenKind::Word)
            && !self.is_member(last)
            && last > 0
            && matches!(self.text(last - 1), ";" | "{" | "}" | "const" | ":");
        if looks_declared && !self.facts.is_value_elsewhere(self.text(last)) {
            return None;
        }
        if self.ends_value(last) && (in_round || !is_line || self.in_braces(at)) {
            return Some(self.adjacent_values_error(at, in_round));
        }
        let is_number = self.kind(last) == Some(TokenKind::Number) && !is_line;
        let is_value = self.kind(at) == Some(TokenKind::Number)
            || self.is_name(at)
                && (self.facts.is_value(at, this) || self.facts.is_value_elsewhere(this));
        if is_number && is_value && in_round && self.facts.body(at).is_some() {
            return Some(self.adjacent_values_error(at, in_round));
        }
        // A string may be continued by a macro, but not by a variable or number.
        let is_text = self.kind(last) == Some(TokenKind::Literal) && !is_line;
        let follows = self.kind(at) == Some(TokenKind::Number)
            || self.is_name(at) && self.facts.is_value(at, this);
        if is_text && follows && in_round && self.facts.body(at).is_some() {
            return Some(self.adjacent_values_error(at, in_round));
        }
        self.is_missing_assignment(at).then(|| {
            let span = self.tokens[at].span.clone();
            self.error(span, format!("expected `=` before `{this}`"))
        })
    }

    /// Whether a word is prose in inactive conditional code, or part of an Objective-C message.
    fn is_prose(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return true };
        let is_word = self.kind(at) == Some(TokenKind::Word);
        let first = before.checked_sub(1);
        // `[a b:c]`.
        let is_part =
            self.bracket(at).is_some_and(|(text, _)| text == "[") && self.text(at + 2) == ":";
        let follows = self.kind(before) == Some(TokenKind::Number)
            || self.is_name(before) && self.is_name(at + 1);
        let is_message = self.text(before) == "["
            && first.is_none_or(|first| {
                self.kind(first) == Some(TokenKind::Punctuation)
                    && !matches!(self.text(first), "]" | ")")
                    || self.text(first) == "return"
                    || self.is_cast(first)
            });
        is_word && (follows || is_message || is_part)
    }

    /// Whether a `)` closes a cast: `(int)`, or the last of several.
    pub(super) fn is_cast(&self, mut close: usize) -> bool {
        while self.text(close) == ")"
            && let Some(before) = self.tokens[close].matching.and_then(|open| open.checked_sub(1))
        {
            match self.text(before) {
                "return" => return true,
                ")" => close = before,
                text => return self.kind(before) == Some(TokenKind::Punctuation) && text != "]",
            }
        }
        false
    }

    fn adjacent_values_error(&self, at: usize, in_round: bool) -> SyntaxError {
        let this: String = self.text(at).chars().take(30).collect();
        if self.tokens[at].indent.is_some() && !in_round {
            return self.expected("`;`", at - 1);
        }
        let other = if in_round { "`,`" } else { "`;`" };
        let message = format!("expected an operator or {other} before `{this}`");
        self.error(self.tokens[at].span.clone(), message)
    }

    /// Whether a name is certainly a value, or a call with one as an argument.
    fn is_certain_value(&self, at: usize) -> bool {
        let text = self.text(at);
        if self.is_constant(at) || VALUE_KEYWORDS.contains(&text) || self.facts.is_value(at, text) {
            return true;
        }
        let open = at + 1;
        self.text(open) == "("
            && self.tokens[open].matching.is_some_and(|close| {
                (open + 1..close.min(open + 20))
                    .any(|i| self.is_name(i) && self.facts.is_value(i, self.text(i)))
            })
    }

    fn in_braces(&self, at: usize) -> bool {
        self.bracket(at).is_some_and(|(text, open)| text == "{" && !self.is_list(open))
            && self.facts.body(at).is_some()
    }

    /// Whether a brace opens an initializer list.
    fn is_list(&self, open: usize) -> bool {
        open > 0
            && (matches!(self.text(open - 1), "=" | "," | "(" | "{" | "]" | "return")
                || self.is_name(open - 1))
    }

    fn starts_statement(&self, at: usize) -> bool {
        at > 0 && matches!(self.text(at - 1), ";" | "{" | "}") && self.tokens[at].indent.is_some()
    }

    /// Whether a token is in inline assembly, which is in parentheses or directly after `_asm`.
    pub(super) fn in_assembly(&self, at: usize) -> bool {
        let statement = (at.saturating_sub(MAX_STATEMENT_TOKENS)..at).rev();
        let mut statement = statement.take_while(|i| !matches!(self.text(*i), ";" | "{" | "}"));
        if statement.any(|i| matches!(self.text(i), "asm" | "_asm" | "__asm")) {
            return true;
        }
        let mut inside = self.tokens[at].inside;
        for _ in 0..4 {
            let Some(open) = inside else { return false };
            let near = open.saturating_sub(3)..open;
            if near.clone().any(|i| self.text(i).contains("asm")) {
                return true;
            }
            inside = self.tokens[open].inside;
        }
        false
    }

    /// `int *a NULL;`, `char b "c";`, `int *const d f(e);`.
    fn is_missing_assignment(&self, at: usize) -> bool {
        let last = at - 1;
        let close = self.tokens.get(at + 1).and_then(|open| open.matching);
        let calls = self.text(at + 1) == "("
            && close.is_some_and(|close| self.text(close + 1) == ";" && close > at + 2);
        let is_call = self.is_c
            && calls
            && self.is_name(at)
            && self.is_name(last)
            && last > 1
            && self.in_braces(at)
            && (self.text(last - 1) == "*"
                || self.text(last - 1) == "const"
                || TYPES.contains(&self.text(last - 1)))
            && (self.is_certain_value(at) || self.text(at + 2) == "&");
        // An attribute is unlikely after the name of a constant.
        let is_constant = self.is_c
            && last > 0
            && self.text(last - 1) == "const"
            && self.is_name(last)
            && self.is_name(at)
            && self.in_braces(at)
            && (calls || self.text(at + 1) == "[");
        if (is_call || is_constant) && self.tokens[at].indent.is_none() {
            return true;
        }
        let is_value = self.is_constant(at)
            || self.kind(at) == Some(TokenKind::Literal) && self.text(at).starts_with('"');
        let declares = self.is_name(last)
            && last > 0
            && (self.text(last - 1) == "*" || TYPES.contains(&self.text(last - 1)));
        is_value
            && declares
            && self.tokens[at].indent.is_none()
            && self.text(at + 1) == ";"
            && !self.is_in_parentheses(at)
    }

    fn is_missing_struct(&self, at: usize) -> bool {
        let before = self.text(at - 1);
        SYSTEM_STRUCTS.contains(&self.text(at))
            && !matches!(before, "struct" | "." | "->" | "*")
            && (self.is_name(at + 1)
                && self.text(at + 1) != self.text(at)
                && matches!(self.text(at + 2), ";" | "=" | "," | "[")
                && matches!(before, ";" | "{" | "}" | "static" | "const")
                || before == "(" && self.text(at + 1) == "*" && self.text(at + 2) == ")")
            && !self.facts.is_defined(self.text(at))
    }

    /// An empty argument or parameter, unless the callee is a macro.
    pub(super) fn empty_argument(&self, at: usize) -> Option<SyntaxError> {
        let (before, this) = (self.text(at - 1), self.text(at));
        // With a blank in between it is intended.
        let is_close = self.tokens[at - 1].span.end == self.tokens[at].span.start;
        if !matches!((before, this), ("," | "(", ",") | (",", ")")) || this == "," && !is_close {
            return None;
        }
        let (bracket, open) = self.bracket(if this == ")" { at - 1 } else { at })?;
        let callee = open.checked_sub(1)?;
        let name = self.text(callee);
        // A macro whose arguments initialize a struct: `params(.a = 1,)`.
        if self.text(open + 1) == "." {
            return None;
        }
        let is_function = bracket == "("
            && self.is_name(callee)
            && !self.facts.is_defined(name)
            && (self.is_call(callee)
                || self.facts.body(callee).is_none() && self.follows_type(callee));
        let is_tame = bracket == "("
            && self.is_macro(callee)
            && (before, this) == (",", ",")
            && !name.starts_with('_')
            && self.facts.is_always_called_with_semicolon(name);
        if !is_function && !is_tame || self.facts.has_calls_with_empty_arguments(name) {
            return None;
        }
        match this {
            ")" => Some(self.expected("a value", at - 1)),
            _ => Some(self.unexpected(at)),
        }
    }

    /// A `?` without its `:`.
    pub(super) fn missing_colon_of_conditional(&self, at: usize) -> Option<SyntaxError> {
        if self.text(at) != "?" || at == 0 || self.text(at - 1) == "operator" {
            return None;
        }
        let inside = self.tokens[at].inside?;
        self.facts.body(at)?;
        let (mut i, mut depth, mut place) = (at + 1, 1_usize, None);
        for _ in 0..super::MAX_STATEMENT_TOKENS {
            let token = self.tokens.get(i)?;
            if token.follows_directive {
                return None;
            }
            match self.text(i) {
                ":" if self.text(i - 1) == ":" && token.indent.is_none() => return None,
                ":" => {
                    depth -= 1;
                    if depth == 0 {
                        return self.superfluous_colon(i);
                    }
                }
                "?" => depth += 1,
                ";" => break,
                ")" | "]" | "}" if token.matching == Some(inside) => break,
                ")" | "]" | "}" if token.matching.is_none() => return None,
                "," if self.text(inside) == "(" => break,
                "{" => return None,
                // Template arguments contain commas, too.
                "<" if !self.is_c => return None,
                _ => {}
            }
            let is_operand = |i: usize| {
                matches!(
                    self.kind(i),
                    Some(TokenKind::Word | TokenKind::Number | TokenKind::Literal)
                ) && !MAY_FOLLOW_VALUE.contains(&self.text(i))
            };
            let ends = is_operand(i - 1) || matches!(self.text(i - 1), ")" | "]");
            let begins = is_operand(i)
                || self.text(i) == "(" && self.tokens[i].span.start > self.tokens[i - 1].span.end;
            if ends && begins && i > at + 1 {
                place.get_or_insert(i);
            }
            // Skip bracketed parts.
            i = token.matching.filter(|matching| *matching > i).unwrap_or(i) + 1;
        }
        let span = self.tokens[place.unwrap_or(i)].span.clone();
        let found: String = self.source[span.clone()].chars().take(30).collect();
        Some(self.error(span, format!("expected `:` before `{found}`, for the `?`")))
    }

    fn superfluous_colon(&self, at: usize) -> Option<SyntaxError> {
        (self.text(at + 1) == ":" && !self.in_assembly(at)).then(|| self.unexpected(at + 1))
    }
}
