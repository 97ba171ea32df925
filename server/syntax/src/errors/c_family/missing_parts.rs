//! Missing parts of declarations, statements and their headers.

use super::tokens::TokenKind;
use super::{
    ASSIGNMENTS, MAX_STATEMENT_TOKENS, MacroChecker, NEVER_REPEATED, STATEMENT_KEYWORDS,
    SyntaxError, TYPES,
};

impl MacroChecker<'_> {
    /// A parameter without a type in a function definition.
    pub(super) fn parameter_without_type(&self, at: usize) -> Option<SyntaxError> {
        if !matches!(self.text(at - 1), "(" | ",") {
            return None;
        }
        let (bracket, open) = self.bracket(at)?;
        let callee = open.checked_sub(1)?;
        let close = self.tokens[open].matching?;
        let defines = bracket == "("
            && callee > 0
            && (self.text(close + 1) == "{"
                || self.is_c
                    && self.text(close + 1) == ";"
                    && TYPES.contains(&self.text(callee - 1)))
            && self.is_name(callee)
            && self.facts.body(callee).is_none()
            && !self.facts.is_defined(self.text(callee))
            && callee > 0
            && (self.kind(callee - 1) == Some(TokenKind::Word) || self.text(callee - 1) == "*")
            && !(open..=close).any(|i| self.tokens[i].follows_directive);
        if !defines {
            return None;
        }
        let message = || {
            let span = self.tokens[at].span.clone();
            self.error(span, format!("expected a type before `{}`", self.text(at)))
        };
        let ends = |i: usize| matches!(self.text(i), "," | ")");
        if self.text(at) == "*" {
            let name = (at..at + 4).find(|i| self.text(*i) != "*")?;
            return (self.kind(name) == Some(TokenKind::Word) && ends(name + 1)).then(message);
        }
        // A parameter that is used and has only a name, while others have types.
        let has_types = (open + 1..close).any(|i| {
            TYPES.contains(&self.text(i))
                || self.text(i) == "*" && self.kind(i + 1) == Some(TokenKind::Word)
        });
        let body = close + 1;
        let is_bare = self.is_c && self.is_name(at) && ends(at + 1) && has_types;
        (is_bare && self.facts.is_used(body, self.text(at))).then(message)
    }

    /// A missing comma between parameters: `(int *a int b)`.
    pub(super) fn missing_comma_after_parameter(&self, at: usize) -> Option<SyntaxError> {
        let last = at - 1;
        let (bracket, open) = self.bracket(at)?;
        let callee = open.checked_sub(1)?;
        let is_type = TYPES.contains(&self.text(at)) || self.text(at).ends_with("_t");
        let is_named = self.is_name(last)
            && last > 0
            && (self.text(last - 1) == "*" || self.is_name(last - 1) && last - 1 > open)
            && !self.text(last).ends_with("_t")
            && !self.text(last).starts_with('_');
        let declares = bracket == "("
            && is_type
            && is_named
            && self.is_name(callee)
            && self.facts.body(callee).is_none()
            && !self.facts.is_defined(self.text(callee));
        declares.then(|| {
            let message = format!("expected `,` before `{}`", self.text(at));
            self.error(self.tokens[at].span.clone(), message)
        })
    }

    /// A struct member without a type.
    pub(super) fn member_without_type(&self, at: usize) -> Option<SyntaxError> {
        if self.text(at) != ";" || !self.is_c {
            return None;
        }
        let (bracket, open) = self.bracket(at)?;
        let name = at - 1;
        let is_structure = bracket == "{"
            && open > 0
            && (matches!(self.text(open - 1), "struct" | "union")
                || open > 1 && matches!(self.text(open - 2), "struct" | "union"));
        let is_bare = self.is_name(name)
            && matches!(self.text(name - 1), ";" | "{")
            && self.facts.is_member(self.text(name))
            && !self.facts.is_defined(self.text(name));
        (is_structure && is_bare && !self.tokens[name].follows_directive).then(|| {
            let message = format!("expected a type before `{}`", self.text(name));
            self.error(self.tokens[name].span.clone(), message)
        })
    }

    /// A missing `:`: `case 1 {`, `case 'a'` before the next `case`.
    pub(super) fn case_without_colon(&self, at: usize) -> Option<SyntaxError> {
        let is_label = at > 2
            && self.text(at - 2) == "case"
            && matches!(self.text(at - 3), ";" | "{" | "}" | ":");
        let is_value = match self.kind(at - 1) {
            Some(TokenKind::Number) => true,
            Some(TokenKind::Literal) => self.text(at - 1).starts_with('\''),
            Some(TokenKind::Word) => self.is_c && self.kind(at) == Some(TokenKind::Punctuation),
            _ => false,
        };
        let is_other =
            matches!(self.text(at), "{" | "}" | ";") || self.kind(at) == Some(TokenKind::Word);
        (is_label && is_value && is_other).then(|| self.expected("`:`", at - 1))
    }

    /// A statement without `;` where the next line starts another.
    pub(super) fn statement_without_semicolon(&self, at: usize) -> Option<SyntaxError> {
        let token = &self.tokens[at];
        let indent = token.indent?;
        let starts = self.kind(at) == Some(TokenKind::Word)
            && (!self.is_macro(at) || self.is_statement_macro(at))
            || self.text(at) == "}";
        let last = at - 1;
        if matches!(self.text(at), "noexcept" | "requires" | "const" | "override" | "final") {
            return None;
        }
        let ends = self.is_name(last)
            || self.kind(last) == Some(TokenKind::Number)
            || matches!(self.text(last), ")" | "]" | "++" | "--");
        // Outside of braces it may be any declaration.
        let open = if self.text(at) == "}" { token.matching } else { token.inside }?;
        if !starts || !ends || self.text(open) != "{" || self.tokens[last].inside != Some(open) {
            return None;
        }
        // The operand of `return (long) (short)` may be in the next line.
        let is_word = self.kind(at) == Some(TokenKind::Word);
        let before = self.tokens[last].matching.and_then(|open| open.checked_sub(1));
        if is_word && before.is_some_and(|before| self.text(before) == ")") && self.is_cast(last) {
            return None;
        }
        let start = self.statement_start(last, open)?;
        let own = (start.saturating_sub(MAX_STATEMENT_TOKENS)..=start)
            .rev()
            .find_map(|index| self.tokens[index].indent)?;
        let is_return = self.text(start) == "return";
        if self.tokens[start].indent.is_none() && !is_return {
            return None;
        }
        let is_deeper = indent > own || self.text(at) != "}" && indent < own;
        if is_deeper || self.may_end_with_macro(last) && !is_return {
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
        let is_control = STATEMENT_KEYWORDS.contains(&head) && head != "return" && head != "goto";
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

    /// `typedef {`
    pub(super) fn typedef_without_struct(&self, at: usize) -> Option<SyntaxError> {
        (self.text(at - 1) == "typedef" && self.text(at) == "{")
            .then(|| self.expected("`struct` or the like", at - 1))
    }

    /// A superfluous brace directly after the one that closes a function.
    pub(super) fn superfluous_brace(&self, at: usize) -> Option<SyntaxError> {
        let is_doubled = self.text(at) == "}"
            && self.text(at - 1) == "}"
            && self.tokens[at].matching.is_none()
            && self.tokens[at - 1].indent == Some(0)
            && self.tokens[at].span.start == self.tokens[at - 1].span.end;
        is_doubled.then(|| self.unexpected(at))
    }

    /// A label without `:` that is the target of a `goto`.
    pub(super) fn label_without_colon(&self, at: usize) -> Option<SyntaxError> {
        let name = at - 1;
        let is_alone = self.is_name(name)
            && name > 0
            && matches!(self.text(name - 1), ";" | "}" | "{")
            && self.tokens[name].indent.is_some()
            && self.tokens[at].indent.is_some()
            && self.kind(at) == Some(TokenKind::Word);
        (is_alone && self.facts.labels.contains(self.text(name)))
            .then(|| self.expected("`:`", name))
    }

    /// A statement header without its keyword: `(a == b) return;`, `(i = 0; i < n; i++) {`.
    pub(super) fn missing_statement_keyword(&self, at: usize) -> Option<SyntaxError> {
        let close = at - 1;
        let open = self.tokens[close].matching.filter(|_| self.text(close) == ")")?;
        let first = open.checked_sub(1)?;
        let is_else = self.text(first) == "else";
        let starts = (is_else
            || matches!(self.text(first), ";" | "{" | "}" | ":")
                && self.tokens[open].indent.is_some())
            && self.facts.body(open).is_some()
            && close - open < MAX_STATEMENT_TOKENS
            && !(open..=at).any(|i| self.tokens[i].follows_directive);
        let follows = self.text(at) == "{"
            || self.kind(at) == Some(TokenKind::Word) && self.tokens[at].indent.is_some();
        if !starts || !follows || !self.in_code(open) {
            return None;
        }
        let own = (open + 1..close).filter(|i| self.tokens[*i].inside == Some(open));
        let mut decides = own.filter(|i| {
            matches!(self.text(*i), "==" | "!=" | "<" | ">=" | "<=" | "&&" | "||" | "!" | ";")
                || self.text(*i) == "(" && self.is_name(*i - 1) && self.is_c
        });
        let is_value = close == open + 2 && self.facts.is_value(open, self.text(open + 1));
        if decides.next().is_none() && !is_value {
            return None;
        }
        let message = "expected `if`, `while` or the like before `(`".to_owned();
        Some(self.error(self.tokens[open].span.clone(), message))
    }

    /// Whether a token is among statements.
    fn in_code(&self, at: usize) -> bool {
        self.bracket(at).is_some_and(|(text, open)| {
            text == "{"
                && open > 0
                && (self.text(open - 1) == ")"
                    || self.text(open - 1) == "else"
                    || self.text(open - 1) == "do"
                    || matches!(self.text(open - 1), ";" | "{" | "}" | ":"))
        })
    }

    /// An unclosed `(` before the body of a function.
    pub(super) fn unclosed_parenthesis(&self, at: usize) -> Option<SyntaxError> {
        if self.text(at) != "{" || self.text(at - 1) != ")" {
            return None;
        }
        // A macro that takes code of another language as text: `GLSL(if (a) {)`.
        if self.text(at + 1) == ")" {
            return None;
        }
        let open = self.tokens[at].inside.filter(|open| self.text(*open) == "(")?;
        let is_open = self.tokens[open].matching.is_none()
            && at - open < MAX_STATEMENT_TOKENS
            && !(open..=at).any(|i| self.tokens[i].follows_directive);
        is_open.then(|| {
            let start = self.tokens[open].span.start;
            let line = self.source[..start].matches('\n').count() + 1;
            let message = format!("unclosed `(` that opens on line {line}");
            self.error(start..start + 1, message)
        })
    }

    /// A doubled brace at the start of a body, one of which stays open.
    pub(super) fn doubled_brace(&self, at: usize) -> Option<SyntaxError> {
        let open = at - 1;
        let is_doubled = self.text(at) == "{"
            && self.text(open) == "{"
            && open > 0
            && self.text(open - 1) == ")"
            && self.tokens[at].span.start == self.tokens[open].span.end
            && self.tokens[open].matching.is_none();
        is_doubled.then(|| self.unexpected(at))
    }

    /// A character literal that is unterminated on its line.
    pub(super) fn unterminated_char_literal(&self, at: usize) -> Option<SyntaxError> {
        let text = self.text(at);
        let is_text = self.kind(at) == Some(TokenKind::Literal) && text.starts_with('\'');
        self.facts.body(at)?;
        if text == "''" {
            return Some(self.unexpected(at));
        }
        let is_open = is_text && text.ends_with('\n');
        is_open.then(|| {
            let start = self.tokens[at].span.start;
            let end = start + text.trim_end().len();
            self.error(start..end, "unclosed `'`".to_owned())
        })
    }

    /// `if` at the end of a line, without a condition.
    pub(super) fn missing_condition(&self, at: usize) -> Option<SyntaxError> {
        let word = self.text(at - 1);
        let is_head = matches!(word, "if" | "while" | "switch" | "for");
        let is_free = matches!(self.text(at), "(" | "constexpr" | "consteval" | "!");
        (is_head
            && !is_free
            && self.tokens[at].indent.is_some()
            && !self.tokens[at].follows_directive)
            .then(|| self.expected("`(`", at - 1))
    }

    /// A declaration without `;` before the next statement.
    pub(super) fn declaration_without_semicolon(&self, at: usize) -> Option<SyntaxError> {
        let indent = self.tokens[at].indent?;
        let last = at - 1;
        let this = self.text(at);
        let begins = TYPES.contains(&this)
            || this.ends_with("_t")
            || STATEMENT_KEYWORDS.contains(&this) && this != "else" && this != "while"
            || NEVER_REPEATED.contains(&this) && matches!(this, "static" | "auto");
        let open = self.tokens[at].inside.filter(|open| self.text(*open) == "{")?;
        if !begins
            || !self.in_code(at)
            || self.facts.body(at).is_none()
            || self.tokens[last].inside != Some(open)
        {
            return None;
        }
        let start = (last.saturating_sub(40)..=last)
            .rev()
            .find(|i| *i == 0 || matches!(self.text(*i - 1), ";" | "{" | "}"))?;
        let is_plain = (start..=last).all(|i| {
            self.tokens[i].inside.is_some_and(|inside| inside != open)
                || self.kind(i) == Some(TokenKind::Word)
                || matches!(self.text(i), "*" | "[" | "]" | ",")
        });
        let ends = self.text(last) == "]" || self.is_name(last);
        let is_two = self.kind(start) == Some(TokenKind::Word)
            && !STATEMENT_KEYWORDS.contains(&self.text(start))
            && (start + 1..=last).any(|i| self.is_name(i) && self.tokens[i].inside == Some(open));
        let is_same_level = self.tokens[start].indent == Some(indent)
            && !(start..=at).any(|i| self.tokens[i].follows_directive);
        (is_plain && ends && is_two && is_same_level && !self.is_macro(start))
            .then(|| self.expected("`;`", last))
    }

    /// `int a = 1` without `;`, and `int a[] {` without `=`.
    pub(super) fn value_without_semicolon(&self, at: usize) -> Option<SyntaxError> {
        let last = at - 1;
        let is_value = matches!(self.kind(last), Some(TokenKind::Number | TokenKind::Literal))
            || matches!(self.text(last), "NULL" | "true" | "false");
        let begins = self.kind(at) == Some(TokenKind::Word) && self.tokens[at].indent.is_some();
        let inside = self.tokens[at].inside;
        let in_body = self.facts.body(at).is_some() && self.in_code(at);
        let at_top = inside.is_none()
            && self.tokens[at].indent == Some(0)
            && (NEVER_REPEATED.contains(&self.text(at)) || TYPES.contains(&self.text(at)));
        let starts = is_value
            && last > 1
            && self.text(last - 1) == "="
            && begins
            && !self.is_macro(at)
            && self.tokens[last].inside == inside
            && (in_body || at_top);
        if starts {
            return Some(self.expected("`;`", last));
        }
        if !self.is_c || self.text(at) != "{" {
            return None;
        }
        let open = self.tokens[last].matching.filter(|_| self.text(last) == "]")?;
        let is_array = open > 1
            && self.is_name(open - 1)
            && matches!(self.kind(open - 2), Some(TokenKind::Word))
            && !self.is_macro(open - 2);
        is_array.then(|| {
            let span = self.tokens[at].span.clone();
            self.error(span, "expected `=` before `{`".to_owned())
        })
    }

    /// A macro call without `;`, if all other calls of that macro in the file have one.
    pub(super) fn macro_call_without_semicolon(&self, at: usize) -> Option<SyntaxError> {
        let indent = self.tokens[at].indent?;
        let close = at - 1;
        let open = self.tokens[close].matching.filter(|_| self.text(close) == ")")?;
        let name = open.checked_sub(1)?;
        let starts = name > 0 && matches!(self.text(name - 1), ";" | "{" | "}");
        let is_same_level = self.tokens[name].indent == Some(indent) || self.text(at) == "}";
        let begins = self.kind(at) == Some(TokenKind::Word) || self.text(at) == "}";
        (self.is_c
            && starts
            && is_same_level
            && begins
            && self.is_macro(name)
            && self.facts.body(name).is_some()
            && !(name..=at).any(|i| self.tokens[i].follows_directive)
            && self.facts.is_always_called_with_semicolon(self.text(name)))
        .then(|| self.expected("`;`", close))
    }
}
