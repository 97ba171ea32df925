//! Macros whose arguments no function could take (types, statements, declarations), and words that
//! can only be macros by their position.

use std::rc::Rc;

use super::blank_macros::{MacroScanner, MacroTypeArgument};
use super::macro_tokens::Token;

impl MacroScanner<'_> {
    /// `__attribute__((…))`
    pub(super) fn blank_attribute(&mut self, i: usize) -> usize {
        let Some(close) = self.read.closing(i + 1) else { return i + 1 };
        self.blank(self.read.all[i].start..self.read.all[close].span().end);
        if self.chained == i {
            self.chained = close + 1;
        }
        if self.now.head == i {
            self.now.head = close + 1;
        }
        close + 1
    }

    /// `attribute type name(`, `type attribute name(`: of three words in a row one must be a macro.
    pub(super) fn handle_word(&mut self, i: usize) -> usize {
        let word = |n: usize| self.read.all.get(n).filter(|t| t.is_word());
        let (Some(own), Some(next)) = (word(i), word(i + 1)) else { return i + 1 };
        let plain = |t: &Token<'_>| !t.is_type_word() && !t.is_control() && !t.is_specifier();
        if !plain(own) || self.now.parens > 0 {
            return i + 1;
        }
        let starts = self.now.head == i && !next.is_control() && next.text != "const";
        let declares = starts
            && (plain(next) && (word(i + 2).is_some_and(plain) || self.read.at(i + 2) == "*")
                || next.is_type_word());
        let before = i.checked_sub(1).and_then(word);
        let after = plain(next)
            && !next.is_macro()
            && self.read.at(i + 2) == "("
            && self.now.head < i
            && before.is_some_and(|b| {
                matches!(b.text, "void" | "int" | "char" | "long" | "bool" | "unsigned" | "double")
            });
        if declares || after {
            self.blank_token(i);
            if declares {
                self.now.head = i + 1;
            }
        }
        i + 1
    }

    /// `UPCAST(x, struct type, member)`: a type as a macro argument.
    pub(super) fn handle_type_argument(&mut self, i: usize, name: usize) {
        let at = |n: usize| self.read.at(n);
        let stars = (name + 1..name + 4).take_while(|&n| at(n) == "*").count();
        let after = name + 1 + stars;
        if !matches!(at(i - 1), "(" | ",") || !matches!(at(after), "," | ")") {
            return;
        }
        let mut depth = 0;
        let open = (i.saturating_sub(200)..i).rev().find(|&n| {
            match at(n) {
                "(" => depth -= 1,
                ")" => depth += 1,
                _ => {}
            }
            depth < 0
        });
        let Some(callee) = open.filter(|&n| n > 0).map(|n| self.read.all[n - 1]) else { return };
        let types = matches!(callee.text, "offsetof" | "alignof" | "_Alignof" | "typeof");
        if !callee.is_word() || callee.is_control() || callee.is_type_word() || types {
            return;
        }
        let all = &self.read.all;
        let member = all.get(after + 1).filter(|t| t.is_word() && at(after) == ",");
        let member = member.filter(|_| matches!(at(after + 2), ")" | "." | ","));
        let (ty, member) = (all[name].span(), member.map(Token::span));
        self.aside.types.push(MacroTypeArgument { ty, tag: name > i, member });
        if name > i {
            self.aside.blanks.push(all[i].span());
        }
        if stars > 0 {
            self.aside.blanks.push(all[name + 1].start..all[after - 1].span().end);
        }
    }

    /// A macro call in the place of a declaration or statement.
    pub(super) fn handle_statement_macro(&mut self, i: usize, close: usize) -> Option<usize> {
        let read = Rc::clone(&self.read);
        let at = |n: usize| read.at(n);
        if self.now.head != i || self.now.parens > 0 {
            return None;
        }
        if !self.now.inner {
            // `DECLARE(unsigned long, name);`, `FIELDS(X) }`
            let fields = at(close + 1) == "}" && !self.now.class.is_empty();
            let own = read.all[i].text == self.now.class;
            if own || at(close + 1) != ";" && !fields {
                return None;
            }
            self.aside.blanks.push(read.all[i].start..read.all[close].span().end);
            let words = if fields {
                self.aside.fields.push(read.all[i].span());
                i + 1
            } else {
                i
            };
            self.keep_words(words, close);
            return Some(close + 1);
        }
        // `FAILS(while (x) y);`, `THROWS(T t(x), E);`, `DIES({ x; }, "why");`
        let end = if at(i + 2) == "{" {
            let mut depth = 0;
            (i + 2..close).find(|&n| {
                match at(n) {
                    "{" => depth += 1,
                    "}" => depth -= 1,
                    _ => {}
                }
                depth == 0
            })? + 1
        } else {
            let mut last = i + 2;
            while read.all[last].is_word() && at(last + 1) == ":" && at(last + 2) == ":" {
                last += 3;
            }
            let (first, second) = (read.all[i + 2], read.all.get(last + 1)?);
            let declares = first.is_word()
                && second.is_word()
                && !matches!(first.text, "sizeof" | "new" | "delete" | "not" | "co_await")
                && !first.is_macro()
                && matches!(at(last + 2), "(" | "=" | "{" | ";" | ")");
            let controls = matches!(first.text, "if" | "for" | "while" | "do" | "switch" | "try");
            if !declares && !controls {
                return None;
            }
            close
        };
        self.blank(read.all[i].start..read.all[i + 1].span().end);
        self.aside.words.push(read.all[i].span());
        self.blank(read.all[end].start..read.all[close].span().end);
        self.keep_words(end, close);
        self.now.head = i + 2;
        Some(i + 2)
    }
}
