//! Macros before a declaration or after its head: attributes, exports, annotations.

use super::blank_macros::MacroScanner;
use super::macro_tokens::Token;

impl MacroScanner<'_> {
    /// Whether a declaration follows the macros at a token.
    pub(super) fn declares_after(&self, i: usize) -> bool {
        self.after_attributes(i).is_some_and(|after| after > i + 1)
    }

    /// The token after the macros `EXPORT DEPRECATED("…")`, if a declaration starts there.
    fn after_attributes(&self, i: usize) -> Option<usize> {
        let all = &self.read.all;
        let (mut j, mut last) = (i, i);
        let mut plain = true;
        while j - i < 200 && all.get(j).is_some_and(Token::is_macro) {
            if j > i && self.opens_or_closes_block(j).is_some() {
                return Some(j);
            }
            last = j;
            plain = self.read.at(j + 1) != "(";
            j = if plain { j + 1 } else { self.read.closing(j + 1)? + 1 };
        }
        let name = all.get(j)?;
        let next = self.read.at(j + 1);
        let next_word = all.get(j + 1).is_some_and(Token::is_word);
        if name.text == "~" && !self.now.inner && self.read.at(j + 1) == self.now.class {
            return Some(j);
        }
        if !name.is_word() || name.is_control() {
            return None;
        }
        let path = next == ":" && self.read.at(j + 2) == ":";
        if next_word && !self.is_control_at(j + 1)
            || matches!(next, "*" | "&" | "<")
            || path
            || name.is_type_word()
        {
            return Some(j);
        }
        let constructs = next == "(" && !self.now.inner && name.text == self.now.class;
        if constructs || name.text == "operator" {
            return Some(j);
        }
        // `EXPORT TYPE name(…)`: the last macro is a type.
        (last > i && plain && matches!(next, "(" | ";" | "=" | "[") && !self.now.inner)
            .then_some(last)
    }

    fn is_control_at(&self, i: usize) -> bool {
        self.read.all.get(i).is_some_and(Token::is_control)
    }

    /// Blanks the macros before a declaration; returns the token after them.
    pub(super) fn blank_attributes_before(&mut self, i: usize) -> Option<usize> {
        let after = self.after_attributes(i)?;
        let before = if i == 0 { "" } else { self.read.at(i - 1) };
        let calls = self.read.all[i..after].iter().any(|t| t.text == "(");
        if calls && before == ")" {
            return None;
        }
        let body = !self.now.class.is_empty() && matches!(before, ";" | "{" | "}");
        let ends = |n: &usize| matches!(self.read.at(*n), ";" | "(" | "{" | "");
        if body
            && !calls
            && !self.now.inner
            && (after..after + 32).find(ends).is_some_and(|n| self.read.at(n) == ";")
        {
            // `FIELDS int size;`
            for n in i..after {
                let span = self.read.all[n].span();
                self.blank(span.clone());
                self.aside.fields.push(span);
            }
        } else {
            self.blank_range(i, after - 1);
        }
        self.chained = after;
        Some(after)
    }

    /// `f(…) ANNOTATED(…);`
    pub(super) fn handle_annotation(
        &mut self,
        i: usize,
        before: &str,
        close: Option<usize>,
    ) -> usize {
        let all = &self.read.all;
        let at = |n: usize| self.read.at(n);
        let end = close.unwrap_or(i);
        // `void (CALL *name)(…)`, `int CALL name(…)`
        let pointer = at(i + 1) == "*" && at(i + 3) == ")" && at(i + 4) == "(";
        if close.is_none() && before == "(" && pointer {
            self.blank_token(i);
            return i + 1;
        }
        if close.is_none()
            && !self.now.inner
            && i > 0
            && (all[i - 1].is_word() && !all[i - 1].is_control() || matches!(before, "*" | "&"))
            && !matches!(before, "struct" | "class" | "enum" | "union" | "typename" | "const")
            && all.get(i + 1).is_some_and(|t| t.is_word() && !t.is_macro())
            && at(i + 2) == "("
            && self.now.parens == 0
            && i > self.now.head
        {
            self.blank_token(i);
            return i + 1;
        }
        let trails = matches!(at(end + 1), ";" | "{" | "=" | ":")
            || all.get(end + 1).is_some_and(Token::is_macro);
        let declared = match before {
            ")" => self.read.opening(i - 1).is_some_and(|open| {
                let operator = (1..4).any(|n| open > n && at(open - n) == "operator");
                open > 0
                    && (all[open - 1].is_word() || operator)
                    && !matches!(at(open - 1), "if" | "while" | "for" | "switch" | "catch")
            }),
            "const" | "override" | "noexcept" => i > 1 && at(i - 2) == ")",
            _ => {
                close.is_some_and(|close| !declares_parameters(&all[i + 2..close]))
                    && at(end + 1) != "{"
                    && i > 1
                    && all[i - 1].is_word()
                    && (matches!(at(i - 2), "*" | "&" | ">")
                        || all[i - 2].is_word()
                            && !matches!(at(i - 2), "return" | "else" | "new" | "case"))
                    && !matches!(before, "return" | "else" | "new" | "case" | "do" | "throw")
            }
        };
        if trails && declared {
            self.blank_range(i, end);
            return end + 1;
        }
        i + 1
    }
}

/// Whether a parenthesised list can only be parameters.
fn declares_parameters(tokens: &[Token<'_>]) -> bool {
    tokens.is_empty()
        || tokens.iter().any(Token::is_type_word)
        || tokens.windows(2).any(|t| t[0].is_word() && t[1].is_word())
}
