//! Values beside each other without an operator, and places in lists that are empty.

use super::tokens::Kind;
use super::{Reader, STATEMENT, SyntaxError, TYPES};

/// Names of values that are no variables.
const CONSTANTS: &[&str] = &["NULL", "nullptr", "true", "false", "stdin", "stdout", "stderr"];
/// Words that may follow on a value: signs of C++ in words, and what belongs to a declaration.
const FOLLOWING: &[&str] = &[
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
/// Words that a value begins with.
const BEGINNING: &[&str] = &["sizeof", "alignof", "this"];
/// Structures of the system's headers, which C names with `struct`.
const STRUCTURES: &[&str] = &[
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

impl Reader<'_> {
    fn is_constant(&self, at: usize) -> bool {
        CONSTANTS.contains(&self.text(at))
    }

    fn is_member(&self, at: usize) -> bool {
        at > 0 && matches!(self.text(at - 1), "." | "->")
    }

    /// Whether the token before is one that names or types end with, as in a declaration.
    fn follows_type(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return false };
        let text = self.text(before);
        (self.kind(before) == Some(Kind::Word) && text != "return" && text != "case")
            || matches!(text, "*" | ">" | "&" | "&&")
    }

    /// Whether a value surely ends with a token, whatever macros there are.
    fn ends_value(&self, at: usize) -> bool {
        match self.kind(at) {
            Some(Kind::Word) => {
                let is_tag = at > 0
                    && matches!(self.text(at - 1), "struct" | "enum" | "union" | "class" | "::");
                self.is_name(at)
                    && !is_tag
                    && !self.text(at).ends_with("_t")
                    && !FOLLOWING.contains(&self.text(at))
                    && (self.is_member(at) && self.facts.body(at).is_some()
                        || self.facts.is_value(at, self.text(at)) && !self.is_member(at)
                        || self.is_address(at)
                        || self.in_round(at)
                            && self.facts.body(at).is_some()
                            && self.facts.is_value_elsewhere(self.text(at)))
                    || self.is_constant(at) && !self.follows_type(at)
            }
            Some(Kind::Sign) if self.text(at) == "]" => {
                let open = self.tokens[at].half.and_then(|open| open.checked_sub(1));
                open.is_some_and(|name| {
                    self.kind(name) == Some(Kind::Word)
                        && !self.follows_type(name)
                        && self.ends_value(name)
                })
            }
            Some(Kind::Sign) if self.text(at) == ")" => {
                let open = self.tokens[at].half.and_then(|open| open.checked_sub(1));
                self.in_round(at)
                    && (!self.in_macro(at) || self.kind(at + 1) == Some(Kind::Number))
                    && open.is_some_and(|name| {
                        self.is_name(name)
                            && self.is_call(name)
                            && !self.facts.is_defined(self.text(name))
                    })
            }
            _ => false,
        }
    }

    /// `f(&a`
    fn is_address(&self, at: usize) -> bool {
        at > 1
            && self.text(at - 1) == "&"
            && matches!(self.text(at - 2), "(" | ",")
            && self.in_round(at)
            && self.facts.body(at).is_some()
    }

    /// Whether a name before a round bracket is called and declares nothing.
    fn is_call(&self, name: usize) -> bool {
        self.facts.body(name).is_some()
            && name.checked_sub(1).is_some_and(|before| {
                self.text(before) == "return"
                    || self.kind(before) == Some(Kind::Sign)
                        && !matches!(
                            self.text(before),
                            "*" | ">" | "&" | "]" | "&&" | "~" | "::" | ")"
                        )
            })
    }

    fn in_round(&self, at: usize) -> bool {
        self.bracket(at).is_some_and(|(text, _)| text == "(")
    }

    /// A value that follows on a value.
    pub(super) fn beside(&self, at: usize) -> Option<SyntaxError> {
        let last = at - 1;
        let this = self.text(at);
        let is_line = self.tokens[at].indent.is_some();
        let in_round = self.in_round(at);
        // A literal of a type of its own: `"/a"_json_pointer`.
        let is_touching = self.tokens[last].span.end == self.tokens[at].span.start;
        if !self.is_c && is_touching && self.kind(last) == Some(Kind::Text) {
            return None;
        }
        if self.is_c && self.lacks_struct(at) {
            let span = self.tokens[at].span.clone();
            return Some(self.error(span, format!("expected `struct` before `{this}`")));
        }
        let begins = match self.kind(at)? {
            Kind::Word => {
                let is_value = BEGINNING.contains(&this)
                    || self.is_constant(at)
                    || self.is_name(at) && !FOLLOWING.contains(&this);
                // An attribute may follow on what is declared, and a macro may be an operator.
                let ends = matches!(self.text(at + 1), "," | ")" | ";");
                let is_macro = self.is_macro(at) && ends && !is_line && self.facts.is_listed(this);
                let declares = self.follows_type(last) && !self.is_address(last);
                is_value && (!declares || self.is_sure_value(at))
                    || is_macro
                        && !self.follows_type(last)
                        && (in_round || self.starts_statement(last))
            }
            Kind::Number => true,
            Kind::Text => !this.starts_with('\'') || !is_line,
            Kind::Sign => false,
        };
        // `ParseCTX_PARAM`: a macro that stands for `, name` or for nothing.
        let is_part = this.rsplit_once('_').is_some_and(|(_, end)| {
            end.len() > 1 && end.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
        });
        if !begins || is_part && !is_line && self.kind(at) == Some(Kind::Word) {
            return None;
        }
        if self.is_prose(last) || self.in_assembly(at) || self.facts.is_defined(this) {
            return None;
        }
        // A name that stands before others, too, may be a type of this name.
        let looks_declared = !in_round
            && self.kind(last) == Some(Kind::Word)
            && !self.is_member(last)
            && last > 0
            && matches!(self.text(last - 1), ";" | "{" | "}" | "const" | ":");
        if looks_declared && !self.facts.is_value_elsewhere(self.text(last)) {
            return None;
        }
        if self.ends_value(last) && (in_round || !is_line || self.in_braces(at)) {
            return Some(self.between(at, in_round));
        }
        let is_number = self.kind(last) == Some(Kind::Number) && !is_line;
        let is_value = self.kind(at) == Some(Kind::Number)
            || self.is_name(at)
                && (self.facts.is_value(at, this) || self.facts.is_value_elsewhere(this));
        if is_number && is_value && in_round && self.facts.body(at).is_some() {
            return Some(self.between(at, in_round));
        }
        // A text may go on in a macro, but not in a variable or a number.
        let is_text = self.kind(last) == Some(Kind::Text) && !is_line;
        let follows = self.kind(at) == Some(Kind::Number)
            || self.is_name(at) && self.facts.is_value(at, this);
        if is_text && follows && in_round && self.facts.body(at).is_some() {
            return Some(self.between(at, in_round));
        }
        self.lacks_assignment(at).then(|| {
            let span = self.tokens[at].span.clone();
            self.error(span, format!("expected `=` before `{this}`"))
        })
    }

    /// Whether a word is of a text that a condition leaves out, or of a message to an object.
    fn is_prose(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return true };
        let is_word = self.kind(at) == Some(Kind::Word);
        let first = before.checked_sub(1);
        // `[a b:c]`
        let is_part =
            self.bracket(at).is_some_and(|(text, _)| text == "[") && self.text(at + 2) == ":";
        let follows =
            self.kind(before) == Some(Kind::Number) || self.is_name(before) && self.is_name(at + 1);
        let is_message = self.text(before) == "["
            && first.is_none_or(|first| {
                self.kind(first) == Some(Kind::Sign) && !matches!(self.text(first), "]" | ")")
                    || self.text(first) == "return"
                    || self.is_cast(first)
            });
        is_word && (follows || is_message || is_part)
    }

    /// Whether a `)` closes brackets that nothing is called with: `(int)`.
    fn is_cast(&self, close: usize) -> bool {
        let open = self.tokens[close].half.filter(|_| self.text(close) == ")");
        open.and_then(|open| open.checked_sub(1)).is_some_and(|before| {
            self.kind(before) == Some(Kind::Sign) && !matches!(self.text(before), "]" | ")")
                || self.text(before) == "return"
        })
    }

    fn between(&self, at: usize, in_round: bool) -> SyntaxError {
        let this: String = self.text(at).chars().take(30).collect();
        if self.tokens[at].indent.is_some() && !in_round {
            return self.expected("`;`", at - 1);
        }
        let other = if in_round { "`,`" } else { "`;`" };
        let message = format!("expected an operator or {other} before `{this}`");
        self.error(self.tokens[at].span.clone(), message)
    }

    /// A name that is a value by what the file does with it, or a call with one.
    fn is_sure_value(&self, at: usize) -> bool {
        let text = self.text(at);
        if self.is_constant(at) || BEGINNING.contains(&text) || self.facts.is_value(at, text) {
            return true;
        }
        let open = at + 1;
        self.text(open) == "("
            && self.tokens[open].half.is_some_and(|close| {
                (open + 1..close.min(open + 20))
                    .any(|i| self.is_name(i) && self.facts.is_value(i, self.text(i)))
            })
    }

    fn in_braces(&self, at: usize) -> bool {
        self.bracket(at).is_some_and(|(text, open)| text == "{" && !self.is_list(open))
            && self.facts.body(at).is_some()
    }

    /// Whether a brace opens a list of values.
    fn is_list(&self, open: usize) -> bool {
        open > 0
            && (matches!(self.text(open - 1), "=" | "," | "(" | "{" | "]" | "return")
                || self.is_name(open - 1))
    }

    fn starts_statement(&self, at: usize) -> bool {
        at > 0 && matches!(self.text(at - 1), ";" | "{" | "}") && self.tokens[at].indent.is_some()
    }

    /// Whether a token is among the operands of an assembler's instruction, which stand in brackets or, behind
    /// `_asm`, as they are.
    pub(super) fn in_assembly(&self, at: usize) -> bool {
        let statement = (at.saturating_sub(STATEMENT)..at).rev();
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

    /// `int *a NULL;`, `char b "c";`, `int *const d f(e);`
    fn lacks_assignment(&self, at: usize) -> bool {
        let last = at - 1;
        let close = self.tokens.get(at + 1).and_then(|open| open.half);
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
            && (self.is_sure_value(at) || self.text(at + 2) == "&");
        // An attribute hardly follows on a constant's name.
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
            || self.kind(at) == Some(Kind::Text) && self.text(at).starts_with('"');
        let declares = self.is_name(last)
            && last > 0
            && (self.text(last - 1) == "*" || TYPES.contains(&self.text(last - 1)));
        is_value
            && declares
            && self.tokens[at].indent.is_none()
            && self.text(at + 1) == ";"
            && !self.in_round(at)
    }

    fn lacks_struct(&self, at: usize) -> bool {
        let before = self.text(at - 1);
        STRUCTURES.contains(&self.text(at))
            && !matches!(before, "struct" | "." | "->" | "*")
            && (self.is_name(at + 1)
                && self.text(at + 1) != self.text(at)
                && matches!(self.text(at + 2), ";" | "=" | "," | "[")
                && matches!(before, ";" | "{" | "}" | "static" | "const")
                || before == "(" && self.text(at + 1) == "*" && self.text(at + 2) == ")")
            && !self.facts.is_defined(self.text(at))
    }

    /// A place between commas that is empty, in the arguments or parameters of what is no macro.
    pub(super) fn empty_place(&self, at: usize) -> Option<SyntaxError> {
        let (before, this) = (self.text(at - 1), self.text(at));
        // With a blank between them, they are meant.
        let is_close = self.tokens[at - 1].span.end == self.tokens[at].span.start;
        if !matches!((before, this), ("," | "(", ",") | (",", ")")) || this == "," && !is_close {
            return None;
        }
        let (bracket, open) = self.bracket(if this == ")" { at - 1 } else { at })?;
        let callee = open.checked_sub(1)?;
        let name = self.text(callee);
        let is_function = bracket == "("
            && self.is_name(callee)
            && !self.facts.is_defined(name)
            && (self.is_call(callee)
                || self.facts.body(callee).is_none() && self.follows_type(callee));
        let is_tame = bracket == "("
            && self.is_macro(callee)
            && (before, this) == (",", ",")
            && !name.starts_with('_')
            && self.facts.is_called_closed(name);
        if !is_function && !is_tame || self.facts.is_called_empty(name) {
            return None;
        }
        match this {
            ")" => Some(self.expected("a value", at - 1)),
            _ => Some(self.unexpected(at)),
        }
    }

    /// A `?` without its `:`.
    pub(super) fn lacks_alternative(&self, at: usize) -> Option<SyntaxError> {
        if self.text(at) != "?" || at == 0 || self.text(at - 1) == "operator" {
            return None;
        }
        let inside = self.tokens[at].inside?;
        self.facts.body(at)?;
        let (mut i, mut depth, mut place) = (at + 1, 1_usize, None);
        for _ in 0..super::STATEMENT {
            let token = self.tokens.get(i)?;
            if token.is_split {
                return None;
            }
            match self.text(i) {
                ":" if self.text(i - 1) == ":" && token.indent.is_none() => return None,
                ":" => {
                    depth -= 1;
                    if depth == 0 {
                        return self.doubled_colon(i);
                    }
                }
                "?" => depth += 1,
                ";" => break,
                ")" | "]" | "}" if token.half == Some(inside) => break,
                ")" | "]" | "}" if token.half.is_none() => return None,
                "," if self.text(inside) == "(" => break,
                "{" => return None,
                // The arguments of a template have commas, too.
                "<" if !self.is_c => return None,
                _ => {}
            }
            let is_operand = |i: usize| {
                matches!(self.kind(i), Some(Kind::Word | Kind::Number | Kind::Text))
                    && !FOLLOWING.contains(&self.text(i))
            };
            let ends = is_operand(i - 1) || matches!(self.text(i - 1), ")" | "]");
            let begins = is_operand(i)
                || self.text(i) == "(" && self.tokens[i].span.start > self.tokens[i - 1].span.end;
            if ends && begins && i > at + 1 {
                place.get_or_insert(i);
            }
            // What stands in brackets is passed over.
            i = token.half.filter(|half| *half > i).unwrap_or(i) + 1;
        }
        let span = self.tokens[place.unwrap_or(i)].span.clone();
        let found: String = self.source[span.clone()].chars().take(30).collect();
        Some(self.error(span, format!("expected `:` before `{found}`, for the `?`")))
    }

    fn doubled_colon(&self, at: usize) -> Option<SyntaxError> {
        (self.text(at + 1) == ":" && !self.in_assembly(at)).then(|| self.unexpected(at + 1))
    }
}
