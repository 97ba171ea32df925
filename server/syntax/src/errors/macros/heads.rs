//! Parts of declarations and heads of statements that are missing.

use super::tokens::Kind;
use super::{ONCE, Reader, STATEMENT, STATEMENTS, SyntaxError, TYPES};

impl Reader<'_> {
    /// A parameter without its type, where a function is defined.
    pub(super) fn parameter(&self, at: usize) -> Option<SyntaxError> {
        if !matches!(self.text(at - 1), "(" | ",") {
            return None;
        }
        let (bracket, open) = self.bracket(at)?;
        let callee = open.checked_sub(1)?;
        let close = self.tokens[open].half?;
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
            && (self.kind(callee - 1) == Some(Kind::Word) || self.text(callee - 1) == "*")
            && !(open..=close).any(|i| self.tokens[i].is_split);
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
            return (self.kind(name) == Some(Kind::Word) && ends(name + 1)).then(message);
        }
        // Of parameters that have types, one that is used has only a name.
        let has_types = (open + 1..close).any(|i| {
            TYPES.contains(&self.text(i))
                || self.text(i) == "*" && self.kind(i + 1) == Some(Kind::Word)
        });
        let body = close + 1;
        let is_bare = self.is_c && self.is_name(at) && ends(at + 1) && has_types;
        (is_bare && self.facts.is_used(body, self.text(at))).then(message)
    }

    /// A parameter that begins where the one before it has not ended: `(int *a int b)`.
    pub(super) fn parameter_end(&self, at: usize) -> Option<SyntaxError> {
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

    /// A member of a structure without its type.
    pub(super) fn member(&self, at: usize) -> Option<SyntaxError> {
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
        (is_structure && is_bare && !self.tokens[name].is_split).then(|| {
            let message = format!("expected a type before `{}`", self.text(name));
            self.error(self.tokens[name].span.clone(), message)
        })
    }

    /// `case 1 {`, `case 'a'` before the next `case`.
    pub(super) fn case_end(&self, at: usize) -> Option<SyntaxError> {
        let is_label = at > 2
            && self.text(at - 2) == "case"
            && matches!(self.text(at - 3), ";" | "{" | "}" | ":");
        let is_value = match self.kind(at - 1) {
            Some(Kind::Number) => true,
            Some(Kind::Text) => self.text(at - 1).starts_with('\''),
            Some(Kind::Word) => self.is_c && self.kind(at) == Some(Kind::Sign),
            _ => false,
        };
        let is_other =
            matches!(self.text(at), "{" | "}" | ";") || self.kind(at) == Some(Kind::Word);
        (is_label && is_value && is_other).then(|| self.expected("`:`", at - 1))
    }

    /// `typedef {`
    pub(super) fn typedef(&self, at: usize) -> Option<SyntaxError> {
        (self.text(at - 1) == "typedef" && self.text(at) == "{")
            .then(|| self.expected("`struct` or the like", at - 1))
    }

    /// A brace that closes nothing, right behind the one that closes a function.
    pub(super) fn doubled_end(&self, at: usize) -> Option<SyntaxError> {
        let is_doubled = self.text(at) == "}"
            && self.text(at - 1) == "}"
            && self.tokens[at].half.is_none()
            && self.tokens[at - 1].indent == Some(0)
            && self.tokens[at].span.start == self.tokens[at - 1].span.end;
        is_doubled.then(|| self.unexpected(at))
    }

    /// A label without its `:`, which something goes to.
    pub(super) fn label(&self, at: usize) -> Option<SyntaxError> {
        let name = at - 1;
        let is_alone = self.is_name(name)
            && name > 0
            && matches!(self.text(name - 1), ";" | "}" | "{")
            && self.tokens[name].indent.is_some()
            && self.tokens[at].indent.is_some()
            && self.kind(at) == Some(Kind::Word);
        (is_alone && self.facts.labels.contains(self.text(name)))
            .then(|| self.expected("`:`", name))
    }

    /// A head of a statement without its word: `(a == b) return;`, `(i = 0; i < n; i++) {`.
    pub(super) fn headless(&self, at: usize) -> Option<SyntaxError> {
        let close = at - 1;
        let open = self.tokens[close].half.filter(|_| self.text(close) == ")")?;
        let first = open.checked_sub(1)?;
        let is_else = self.text(first) == "else";
        let starts = (is_else
            || matches!(self.text(first), ";" | "{" | "}" | ":")
                && self.tokens[open].indent.is_some())
            && self.facts.body(open).is_some()
            && close - open < STATEMENT
            && !(open..=at).any(|i| self.tokens[i].is_split);
        let follows = self.text(at) == "{"
            || self.kind(at) == Some(Kind::Word) && self.tokens[at].indent.is_some();
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

    /// Whether a token stands among statements.
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

    /// A round bracket that is open where the body of a function begins.
    pub(super) fn open_head(&self, at: usize) -> Option<SyntaxError> {
        if self.text(at) != "{" || self.text(at - 1) != ")" {
            return None;
        }
        let open = self.tokens[at].inside.filter(|open| self.text(*open) == "(")?;
        let is_open = self.tokens[open].half.is_none()
            && at - open < STATEMENT
            && !(open..=at).any(|i| self.tokens[i].is_split);
        is_open.then(|| {
            let start = self.tokens[open].span.start;
            let line = self.source[..start].matches('\n').count() + 1;
            let message = format!("unclosed `(` that opens on line {line}");
            self.error(start..start + 1, message)
        })
    }

    /// A brace that opens a body twice, of which one stays open.
    pub(super) fn doubled_brace(&self, at: usize) -> Option<SyntaxError> {
        let open = at - 1;
        let is_doubled = self.text(at) == "{"
            && self.text(open) == "{"
            && open > 0
            && self.text(open - 1) == ")"
            && self.tokens[at].span.start == self.tokens[open].span.end
            && self.tokens[open].half.is_none();
        is_doubled.then(|| self.unexpected(at))
    }

    /// A character or text that nothing closes on its line.
    pub(super) fn open_text(&self, at: usize) -> Option<SyntaxError> {
        let text = self.text(at);
        let is_text = self.kind(at) == Some(Kind::Text) && text.starts_with('\'');
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
    pub(super) fn lacks_condition(&self, at: usize) -> Option<SyntaxError> {
        let word = self.text(at - 1);
        let is_head = matches!(word, "if" | "while" | "switch" | "for");
        let is_free = matches!(self.text(at), "(" | "constexpr" | "consteval" | "!");
        (is_head && !is_free && self.tokens[at].indent.is_some() && !self.tokens[at].is_split)
            .then(|| self.expected("`(`", at - 1))
    }

    /// A declaration that is not ended before the next line begins another statement.
    pub(super) fn declaration_end(&self, at: usize) -> Option<SyntaxError> {
        let indent = self.tokens[at].indent?;
        let last = at - 1;
        let this = self.text(at);
        let begins = TYPES.contains(&this)
            || this.ends_with("_t")
            || STATEMENTS.contains(&this) && this != "else" && this != "while"
            || ONCE.contains(&this) && matches!(this, "static" | "auto");
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
                || self.kind(i) == Some(Kind::Word)
                || matches!(self.text(i), "*" | "[" | "]" | ",")
        });
        let ends = self.text(last) == "]" || self.is_name(last);
        let is_two = self.kind(start) == Some(Kind::Word)
            && !STATEMENTS.contains(&self.text(start))
            && (start + 1..=last).any(|i| self.is_name(i) && self.tokens[i].inside == Some(open));
        let stands = self.tokens[start].indent == Some(indent)
            && !(start..=at).any(|i| self.tokens[i].is_split);
        (is_plain && ends && is_two && stands && !self.is_macro(start))
            .then(|| self.expected("`;`", last))
    }

    /// `int a = 1` and `int a[] {`, without what follows on them.
    pub(super) fn value_end(&self, at: usize) -> Option<SyntaxError> {
        let last = at - 1;
        let is_value = matches!(self.kind(last), Some(Kind::Number | Kind::Text))
            || matches!(self.text(last), "NULL" | "true" | "false");
        let begins = self.kind(at) == Some(Kind::Word) && self.tokens[at].indent.is_some();
        let inside = self.tokens[at].inside;
        let in_body = self.facts.body(at).is_some() && self.in_code(at);
        let at_top = inside.is_none()
            && self.tokens[at].indent == Some(0)
            && (ONCE.contains(&self.text(at)) || TYPES.contains(&self.text(at)));
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
        let open = self.tokens[last].half.filter(|_| self.text(last) == "]")?;
        let is_array = open > 1
            && self.is_name(open - 1)
            && matches!(self.kind(open - 2), Some(Kind::Word))
            && !self.is_macro(open - 2);
        is_array.then(|| {
            let span = self.tokens[at].span.clone();
            self.error(span, "expected `=` before `{`".to_owned())
        })
    }

    /// The call of a macro that is not ended, as the file ends all others of it.
    pub(super) fn macro_end(&self, at: usize) -> Option<SyntaxError> {
        let indent = self.tokens[at].indent?;
        let close = at - 1;
        let open = self.tokens[close].half.filter(|_| self.text(close) == ")")?;
        let name = open.checked_sub(1)?;
        let starts = name > 0 && matches!(self.text(name - 1), ";" | "{" | "}");
        let stands = self.tokens[name].indent == Some(indent) || self.text(at) == "}";
        let begins = self.kind(at) == Some(Kind::Word) || self.text(at) == "}";
        (self.is_c
            && starts
            && stands
            && begins
            && self.is_macro(name)
            && self.facts.body(name).is_some()
            && !(name..=at).any(|i| self.tokens[i].is_split)
            && self.facts.is_called_closed(self.text(name)))
        .then(|| self.expected("`;`", close))
    }
}
