//! Statements and expressions, by descent.

use std::ops::Range;

use super::First;
use super::tokens::{Kind, Token, line, next};

type Read<T = ()> = Result<T, Box<First>>;

/// Deeper nesting is not judged: it bounds the stack. Lua itself stops at 200.
const DEPTH: u32 = 250;
/// Longest token that a message quotes.
const QUOTED: usize = 40;
const BINARY: &[&str] = &[
    "+", "-", "*", "/", "//", "%", "^", "..", "==", "~=", "<", "<=", ">", ">=", "&", "|", "~",
    "<<", ">>", "and", "or",
];

pub(super) struct Parser<'s> {
    source: &'s str,
    token: Token,
    depth: u32,
    /// What was read is too deep to judge what follows.
    gave_up: bool,
}

impl<'s> Parser<'s> {
    pub(super) fn new(source: &'s str) -> Self {
        Self { source, token: Token { kind: Kind::End, span: 0..0 }, depth: 0, gave_up: false }
    }

    /// The whole text.
    pub(super) fn chunk(mut self) -> Read {
        self.advance()?;
        let result = self.block().and_then(|()| {
            if self.token.kind == Kind::End {
                return Ok(());
            }
            let word = self.shown();
            match &self.source[self.token.span.clone()] {
                "end" | "else" | "elseif" | "until" => {
                    Err(First::new(self.token.span.clone(), format!("{word} closes nothing"), true))
                }
                _ => Err(self.unexpected("")),
            }
        });
        if self.gave_up { Ok(()) } else { result }
    }

    fn advance(&mut self) -> Read<Token> {
        let token = next(self.source, self.token.span.end)?;
        Ok(std::mem::replace(&mut self.token, token))
    }

    fn text(&self) -> &'s str {
        &self.source[self.token.span.clone()]
    }

    fn is(&self, word: &str) -> bool {
        !matches!(self.token.kind, Kind::String | Kind::End) && self.text() == word
    }

    fn eat(&mut self, word: &str) -> Read<bool> {
        let is = self.is(word);
        if is {
            self.advance()?;
        }
        Ok(is)
    }

    /// The next token for a message.
    fn shown(&self) -> String {
        let first = self.text().lines().next().unwrap_or_default();
        match first.char_indices().nth(QUOTED) {
            _ if self.token.kind == Kind::End => "the end".to_owned(),
            Some((at, _)) => format!("`{}…`", &first[..at]),
            None => format!("`{first}`"),
        }
    }

    fn error(&self, message: String) -> Box<First> {
        let mut span = self.token.span.clone();
        if self.token.kind == Kind::End {
            let end = self.source.trim_end().len();
            span = self.source[..end].char_indices().next_back().map_or(0, |(at, _)| at)..end;
        }
        First::new(span, message, false)
    }

    fn unexpected(&self, wanted: &str) -> Box<First> {
        let (shown, comma) = (self.shown(), if wanted.is_empty() { "" } else { ", expected " });
        self.error(format!("unexpected {shown}{comma}{wanted}"))
    }

    fn expect(&mut self, word: &str) -> Read {
        if self.eat(word)? {
            return Ok(());
        }
        Err(self.error(format!("expected `{word}` before {}", self.shown())))
    }

    /// What closes a bracket that opens at `open`.
    fn close(&mut self, word: &str, open: Range<usize>) -> Read {
        if self.eat(word)? {
            return Ok(());
        }
        let line_of = line(self.source, open.start);
        if self.token.kind != Kind::End && line(self.source, self.token.span.start) == line_of {
            return Err(self.unexpected(""));
        }
        let bracket = &self.source[open.clone()];
        let message = format!("unclosed `{bracket}` that opens on line {line_of}");
        Err(First::new(open, message, false))
    }

    /// The `end` of a block whose first word is at `open`.
    fn end(&mut self, open: Range<usize>, close: &str) -> Read {
        if self.eat(close)? {
            return Ok(());
        }
        if self.token.kind != Kind::End
            && !matches!(self.text(), "end" | "else" | "elseif" | "until")
        {
            return Err(self.unexpected(""));
        }
        let (word, line) = (&self.source[open.clone()], line(self.source, open.start));
        let message = format!("unclosed `{word}` that opens on line {line}: expected `{close}`");
        Err(First::new(open, message, true))
    }

    fn name(&mut self, wanted: &str) -> Read {
        if self.token.kind != Kind::Name {
            return Err(self.unexpected(wanted));
        }
        self.advance().map(drop)
    }

    fn ends_block(&self) -> bool {
        self.token.kind == Kind::End
            || self.token.kind == Kind::Keyword
                && matches!(self.text(), "end" | "else" | "elseif" | "until")
    }

    fn deeper(&mut self, read: impl FnOnce(&mut Self) -> Read) -> Read {
        if self.depth >= DEPTH {
            self.gave_up = true;
            return Err(self.unexpected(""));
        }
        self.depth += 1;
        let done = read(self);
        self.depth -= 1;
        done
    }

    fn block(&mut self) -> Read {
        while !self.ends_block() {
            if self.is("return") && self.token.kind == Kind::Keyword {
                self.advance()?;
                if !self.ends_block() && !self.is(";") {
                    self.expressions()?;
                }
                self.eat(";")?;
                if !self.ends_block() {
                    return Err(match self.token.kind {
                        Kind::Name | Kind::Keyword => {
                            self.error(format!("unexpected {} after `return`", self.shown()))
                        }
                        _ => self.unexpected(""),
                    });
                }
                return Ok(());
            }
            self.deeper(Self::statement)?;
        }
        Ok(())
    }

    fn statement(&mut self) -> Read {
        let open = self.token.span.clone();
        if self.token.kind != Kind::Keyword {
            if self.eat(";")? {
                return Ok(());
            }
            if self.is("::") {
                self.advance()?;
                self.name("a label's name")?;
                return self.expect("::");
            }
            // No keyword in Lua 5.1.
            if self.is("goto") {
                let behind = next(self.source, self.token.span.end)?;
                if behind.kind == Kind::Name {
                    self.advance()?;
                    return self.name("a label");
                }
            }
            return self.call_or_assignment();
        }
        match self.text() {
            "break" => self.advance().map(drop),
            "do" => {
                self.advance()?;
                self.block()?;
                self.end(open, "end")
            }
            "while" => {
                self.advance()?;
                self.condition("do")?;
                self.block()?;
                self.end(open, "end")
            }
            "repeat" => {
                self.advance()?;
                self.block()?;
                self.end(open, "until")?;
                self.expression()
            }
            "if" => self.choice(open),
            "for" => {
                self.advance()?;
                self.name("a name")?;
                if self.eat("=")? {
                    self.expression()?;
                    self.expect(",")?;
                    self.expression()?;
                    if self.eat(",")? {
                        self.expression()?;
                    }
                } else {
                    while self.eat(",")? {
                        self.name("a name")?;
                    }
                    if !self.is("in") {
                        let shown = self.shown();
                        return Err(self.error(format!("expected `=` or `in` before {shown}")));
                    }
                    self.advance()?;
                    self.expressions()?;
                }
                self.expect("do")?;
                self.block()?;
                self.end(open, "end")
            }
            "function" => {
                self.advance()?;
                self.name("a name")?;
                while self.eat(".")? {
                    self.name("a name")?;
                }
                if self.eat(":")? {
                    self.name("a name")?;
                }
                self.body(open)
            }
            "local" => {
                self.advance()?;
                let open = self.token.span.clone();
                if self.eat("function")? {
                    self.name("a name")?;
                    return self.body(open);
                }
                loop {
                    self.name("a name")?;
                    if self.eat("<")? {
                        self.name("an attribute")?;
                        self.expect(">")?;
                    }
                    if !self.eat(",")? {
                        break;
                    }
                }
                let sign = self.token.span.clone();
                if !self.eat("=")? {
                    return Ok(());
                }
                self.value_after(sign)?;
                self.expressions()
            }
            _ => Err(self.unexpected("")),
        }
    }

    fn condition(&mut self, word: &str) -> Read {
        if self.is(word) {
            return Err(self.unexpected("a condition"));
        }
        self.expression()?;
        self.expect(word)
    }

    fn choice(&mut self, open: Range<usize>) -> Read {
        self.advance()?;
        self.condition("then")?;
        self.block()?;
        while self.is("elseif") {
            self.advance()?;
            self.condition("then")?;
            self.block()?;
        }
        if self.eat("else")? {
            self.block()?;
        }
        self.end(open, "end")
    }

    /// Parameters and the block of a function.
    fn body(&mut self, open: Range<usize>) -> Read {
        let bracket = self.token.span.clone();
        self.expect("(")?;
        if !self.is(")") {
            loop {
                if self.eat("...")? {
                    // Lua 5.5 names what is left.
                    if self.token.kind == Kind::Name {
                        self.advance()?;
                    }
                    break;
                }
                self.name("a parameter")?;
                if !self.eat(",")? {
                    break;
                }
            }
        }
        self.close(")", bracket)?;
        self.block()?;
        self.end(open, "end")
    }

    fn call_or_assignment(&mut self) -> Read {
        let is_call = self.suffixed()?;
        if self.is("=") || self.is(",") {
            if is_call {
                return Err(self.error(format!("unexpected {} behind a call", self.shown())));
            }
            while self.eat(",")? {
                self.suffixed()?;
            }
            let sign = self.token.span.clone();
            self.expect("=")?;
            self.value_after(sign)?;
            return self.expressions();
        }
        if is_call {
            return Ok(());
        }
        Err(self.error(format!("unexpected {}: expected `=` or a call", self.shown())))
    }

    /// Fails at a `=` on whose line nothing follows, and behind it no value.
    fn value_after(&self, sign: Range<usize>) -> Read {
        let begins = match self.token.kind {
            Kind::Name | Kind::String | Kind::Number => true,
            Kind::Keyword => matches!(self.text(), "function" | "nil" | "not" | "true" | "false"),
            Kind::Sign => matches!(self.text(), "(" | "{" | "..." | "-" | "#" | "~"),
            Kind::End => false,
        };
        if begins || line(self.source, sign.start) == line(self.source, self.token.span.start) {
            return Ok(());
        }
        Err(First::new(sign, "expected a value after `=`".to_owned(), false))
    }

    fn expressions(&mut self) -> Read {
        self.expression()?;
        while self.eat(",")? {
            self.expression()?;
        }
        Ok(())
    }

    /// A name or an expression in brackets with what follows it; whether that is a call.
    fn suffixed(&mut self) -> Read<bool> {
        let open = self.token.span.clone();
        if self.eat("(")? {
            self.expression()?;
            self.close(")", open)?;
        } else {
            if self.token.kind != Kind::Name {
                return Err(self.unexpected(""));
            }
            self.advance()?;
        }
        let mut is_call = false;
        loop {
            let open = self.token.span.clone();
            if self.token.kind == Kind::String {
                self.advance()?;
                is_call = true;
            } else if self.eat(".")? {
                self.name("a field's name")?;
                is_call = false;
            } else if self.eat("[")? {
                self.expression()?;
                self.close("]", open)?;
                is_call = false;
            } else if self.eat(":")? {
                self.name("a method's name")?;
                if self.token.kind != Kind::String && !self.is("(") && !self.is("{") {
                    return Err(self.error(format!("expected `(` before {}", self.shown())));
                }
            } else if self.eat("(")? {
                if !self.is(")") {
                    self.expressions()?;
                }
                self.close(")", open)?;
                is_call = true;
            } else if self.is("{") {
                self.table()?;
                is_call = true;
            } else {
                return Ok(is_call);
            }
        }
    }

    fn table(&mut self) -> Read {
        let open = self.token.span.clone();
        self.advance()?;
        while !self.is("}") {
            let bracket = self.token.span.clone();
            if self.eat("[")? {
                self.expression()?;
                self.close("]", bracket)?;
                self.expect("=")?;
                self.expression()?;
            } else {
                let names = self.token.kind == Kind::Name
                    && matches!(next(self.source, self.token.span.end), Ok(t)
                        if t.kind == Kind::Sign && &self.source[t.span.clone()] == "=");
                if names {
                    self.advance()?;
                    self.advance()?;
                }
                self.expression()?;
            }
            if !self.eat(",")? && !self.eat(";")? {
                break;
            }
        }
        // What may be a field more likely lacks a comma before it than all the rest of the text a brace.
        let begins_field = match self.token.kind {
            Kind::Name | Kind::String | Kind::Number => true,
            Kind::Keyword => matches!(self.text(), "nil" | "true" | "false" | "not"),
            _ => matches!(self.text(), "{" | "[" | "]"),
        };
        if begins_field {
            return Err(self.error(format!("expected `,` or `}}` before {}", self.shown())));
        }
        self.close("}", open)
    }

    fn expression(&mut self) -> Read {
        self.deeper(|parser| {
            loop {
                while parser.is("not") || parser.is("-") || parser.is("#") || parser.is("~") {
                    parser.advance()?;
                }
                parser.simple()?;
                if !BINARY.iter().any(|sign| parser.is(sign)) {
                    return Ok(());
                }
                parser.advance()?;
            }
        })
    }

    fn simple(&mut self) -> Read {
        match (self.token.kind, self.text()) {
            (Kind::Number | Kind::String, _)
            | (Kind::Keyword, "nil" | "true" | "false")
            | (Kind::Sign, "...") => self.advance().map(drop),
            (Kind::Keyword, "function") => {
                let open = self.advance()?.span;
                self.body(open)
            }
            (Kind::Sign, "{") => self.table(),
            _ => self.suffixed().map(drop),
        }
    }
}
