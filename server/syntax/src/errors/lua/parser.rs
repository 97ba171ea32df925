//! A recursive-descent parser for statements and expressions.

use std::ops::Range;

use super::LuaError;
use super::tokens::{Token, TokenKind, line_number, next_token};

type ParseResult<T = ()> = Result<T, Box<LuaError>>;

/// Nesting limit, which bounds the stack; deeper code is not checked. Lua itself stops at 200.
const MAX_DEPTH: u32 = 250;
/// Longest token that a message quotes.
const MAX_QUOTE_CHARS: usize = 40;
const BINARY: &[&str] = &[
    "+", "-", "*", "/", "//", "%", "^", "..", "==", "~=", "<", "<=", ">", ">=", "&", "|", "~",
    "<<", ">>", "and", "or",
];

pub(super) struct Parser<'s> {
    source: &'s str,
    token: Token,
    depth: u32,
    /// The nesting limit was exceeded, so the rest is not checked.
    gave_up: bool,
}

impl<'s> Parser<'s> {
    pub(super) fn new(source: &'s str) -> Self {
        Self { source, token: Token { kind: TokenKind::End, span: 0..0 }, depth: 0, gave_up: false }
    }

    /// Parses the whole text.
    pub(super) fn parse_chunk(mut self) -> ParseResult {
        self.advance()?;
        let result = self.block().and_then(|()| {
            if self.token.kind == TokenKind::End {
                return Ok(());
            }
            let word = self.quoted_token();
            match &self.source[self.token.span.clone()] {
                "end" | "else" | "elseif" | "until" => Err(LuaError::new(
                    self.token.span.clone(),
                    format!("{word} closes nothing"),
                    true,
                )),
                _ => Err(self.unexpected("")),
            }
        });
        if self.gave_up { Ok(()) } else { result }
    }

    fn advance(&mut self) -> ParseResult<Token> {
        let token = next_token(self.source, self.token.span.end)?;
        Ok(std::mem::replace(&mut self.token, token))
    }

    fn text(&self) -> &'s str {
        &self.source[self.token.span.clone()]
    }

    fn is(&self, word: &str) -> bool {
        !matches!(self.token.kind, TokenKind::String | TokenKind::End) && self.text() == word
    }

    fn eat(&mut self, word: &str) -> ParseResult<bool> {
        let is = self.is(word);
        if is {
            self.advance()?;
        }
        Ok(is)
    }

    /// The next token, for a message.
    fn quoted_token(&self) -> String {
        let first = self.text().lines().next().unwrap_or_default();
        match first.char_indices().nth(MAX_QUOTE_CHARS) {
            _ if self.token.kind == TokenKind::End => "the end".to_owned(),
            Some((at, _)) => format!("`{}…`", &first[..at]),
            None => format!("`{first}`"),
        }
    }

    fn error(&self, message: String) -> Box<LuaError> {
        let mut span = self.token.span.clone();
        if self.token.kind == TokenKind::End {
            let end = self.source.trim_end().len();
            span = self.source[..end].char_indices().next_back().map_or(0, |(at, _)| at)..end;
        }
        LuaError::new(span, message, false)
    }

    fn unexpected(&self, wanted: &str) -> Box<LuaError> {
        let (quoted, comma) =
            (self.quoted_token(), if wanted.is_empty() { "" } else { ", expected " });
        self.error(format!("unexpected {quoted}{comma}{wanted}"))
    }

    fn expect(&mut self, word: &str) -> ParseResult {
        if self.eat(word)? {
            return Ok(());
        }
        Err(self.error(format!("expected `{word}` before {}", self.quoted_token())))
    }

    /// Parses the closing bracket for the one at `open`.
    fn expect_closing(&mut self, word: &str, open: Range<usize>) -> ParseResult {
        if self.eat(word)? {
            return Ok(());
        }
        let line_of = line_number(self.source, open.start);
        if self.token.kind != TokenKind::End
            && line_number(self.source, self.token.span.start) == line_of
        {
            return Err(self.unexpected(""));
        }
        let bracket = &self.source[open.clone()];
        let message = format!("unclosed `{bracket}` that opens on line {line_of}");
        Err(LuaError::new(open, message, false))
    }

    /// Parses the `end` of the block whose first keyword is at `open`.
    fn expect_block_end(&mut self, open: Range<usize>, close: &str) -> ParseResult {
        if self.eat(close)? {
            return Ok(());
        }
        if self.token.kind != TokenKind::End
            && !matches!(self.text(), "end" | "else" | "elseif" | "until")
        {
            return Err(self.unexpected(""));
        }
        let (word, line_number) =
            (&self.source[open.clone()], line_number(self.source, open.start));
        let message =
            format!("unclosed `{word}` that opens on line {line_number}: expected `{close}`");
        Err(LuaError::new(open, message, true))
    }

    fn name(&mut self, wanted: &str) -> ParseResult {
        if self.token.kind != TokenKind::Name {
            return Err(self.unexpected(wanted));
        }
        self.advance().map(drop)
    }

    fn ends_block(&self) -> bool {
        self.token.kind == TokenKind::End
            || self.token.kind == TokenKind::Keyword
                && matches!(self.text(), "end" | "else" | "elseif" | "until")
    }

    fn nested(&mut self, read: impl FnOnce(&mut Self) -> ParseResult) -> ParseResult {
        if self.depth >= MAX_DEPTH {
            self.gave_up = true;
            return Err(self.unexpected(""));
        }
        self.depth += 1;
        let done = read(self);
        self.depth -= 1;
        done
    }

    fn block(&mut self) -> ParseResult {
        while !self.ends_block() {
            if self.is("return") && self.token.kind == TokenKind::Keyword {
                self.advance()?;
                if !self.ends_block() && !self.is(";") {
                    self.expressions()?;
                }
                self.eat(";")?;
                if !self.ends_block() {
                    return Err(match self.token.kind {
                        TokenKind::Name | TokenKind::Keyword => {
                            self.error(format!("unexpected {} after `return`", self.quoted_token()))
                        }
                        _ => self.unexpected(""),
                    });
                }
                return Ok(());
            }
            self.nested(Self::statement)?;
        }
        Ok(())
    }

    fn statement(&mut self) -> ParseResult {
        let open = self.token.span.clone();
        if self.token.kind != TokenKind::Keyword {
            if self.eat(";")? {
                return Ok(());
            }
            if self.is("::") {
                self.advance()?;
                self.name("a label's name")?;
                return self.expect("::");
            }
            // `goto` is no keyword in Lua 5.1.
            if self.is("goto") {
                let behind = next_token(self.source, self.token.span.end)?;
                if behind.kind == TokenKind::Name {
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
                self.expect_block_end(open, "end")
            }
            "while" => {
                self.advance()?;
                self.condition("do")?;
                self.block()?;
                self.expect_block_end(open, "end")
            }
            "repeat" => {
                self.advance()?;
                self.block()?;
                self.expect_block_end(open, "until")?;
                self.expression()
            }
            "if" => self.if_statement(open),
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
                        let quoted = self.quoted_token();
                        return Err(self.error(format!("expected `=` or `in` before {quoted}")));
                    }
                    self.advance()?;
                    self.expressions()?;
                }
                self.expect("do")?;
                self.block()?;
                self.expect_block_end(open, "end")
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
                self.function_body(open)
            }
            "local" => {
                self.advance()?;
                let open = self.token.span.clone();
                if self.eat("function")? {
                    self.name("a name")?;
                    return self.function_body(open);
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
                self.expect_value_after(sign)?;
                self.expressions()
            }
            _ => Err(self.unexpected("")),
        }
    }

    fn condition(&mut self, word: &str) -> ParseResult {
        if self.is(word) {
            return Err(self.unexpected("a condition"));
        }
        self.expression()?;
        self.expect(word)
    }

    fn if_statement(&mut self, open: Range<usize>) -> ParseResult {
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
        self.expect_block_end(open, "end")
    }

    /// Parses the parameters and the block of a function.
    fn function_body(&mut self, open: Range<usize>) -> ParseResult {
        let bracket = self.token.span.clone();
        self.expect("(")?;
        if !self.is(")") {
            loop {
                if self.eat("...")? {
                    // Lua 5.5 allows a name for the variadic arguments.
                    if self.token.kind == TokenKind::Name {
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
        self.expect_closing(")", bracket)?;
        self.block()?;
        self.expect_block_end(open, "end")
    }

    fn call_or_assignment(&mut self) -> ParseResult {
        let is_call = self.suffixed_expression()?;
        if self.is("=") || self.is(",") {
            if is_call {
                return Err(self.error(format!("unexpected {} after a call", self.quoted_token())));
            }
            while self.eat(",")? {
                self.suffixed_expression()?;
            }
            let sign = self.token.span.clone();
            self.expect("=")?;
            self.expect_value_after(sign)?;
            return self.expressions();
        }
        if is_call {
            return Ok(());
        }
        Err(self.error(format!("unexpected {}: expected `=` or a call", self.quoted_token())))
    }

    /// Fails if nothing follows the `=` on its line and the next token starts no value.
    fn expect_value_after(&self, sign: Range<usize>) -> ParseResult {
        let begins = match self.token.kind {
            TokenKind::Name | TokenKind::String | TokenKind::Number => true,
            TokenKind::Keyword => {
                matches!(self.text(), "function" | "nil" | "not" | "true" | "false")
            }
            TokenKind::Punctuation => matches!(self.text(), "(" | "{" | "..." | "-" | "#" | "~"),
            TokenKind::End => false,
        };
        if begins
            || line_number(self.source, sign.start)
                == line_number(self.source, self.token.span.start)
        {
            return Ok(());
        }
        Err(LuaError::new(sign, "expected a value after `=`".to_owned(), false))
    }

    fn expressions(&mut self) -> ParseResult {
        self.expression()?;
        while self.eat(",")? {
            self.expression()?;
        }
        Ok(())
    }

    /// Parses a name or a parenthesised expression with its suffixes; whether that is a call.
    fn suffixed_expression(&mut self) -> ParseResult<bool> {
        let open = self.token.span.clone();
        if self.eat("(")? {
            self.expression()?;
            self.expect_closing(")", open)?;
        } else {
            if self.token.kind != TokenKind::Name {
                return Err(self.unexpected(""));
            }
            self.advance()?;
        }
        let mut is_call = false;
        loop {
            let open = self.token.span.clone();
            if self.token.kind == TokenKind::String {
                self.advance()?;
                is_call = true;
            } else if self.eat(".")? {
                self.name("a field's name")?;
                is_call = false;
            } else if self.eat("[")? {
                self.expression()?;
                self.expect_closing("]", open)?;
                is_call = false;
            } else if self.eat(":")? {
                self.name("a method's name")?;
                if self.token.kind != TokenKind::String && !self.is("(") && !self.is("{") {
                    return Err(self.error(format!("expected `(` before {}", self.quoted_token())));
                }
            } else if self.eat("(")? {
                if !self.is(")") {
                    self.expressions()?;
                }
                self.expect_closing(")", open)?;
                is_call = true;
            } else if self.is("{") {
                self.table()?;
                is_call = true;
            } else {
                return Ok(is_call);
            }
        }
    }

    fn table(&mut self) -> ParseResult {
        let open = self.token.span.clone();
        self.advance()?;
        while !self.is("}") {
            let bracket = self.token.span.clone();
            if self.eat("[")? {
                self.expression()?;
                self.expect_closing("]", bracket)?;
                self.expect("=")?;
                self.expression()?;
            } else {
                let names = self.token.kind == TokenKind::Name
                    && matches!(next_token(self.source, self.token.span.end), Ok(t)
                        if t.kind == TokenKind::Punctuation && &self.source[t.span.clone()] == "=");
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
        // If a field may follow, a comma is more likely missing than the closing brace.
        let begins_field = match self.token.kind {
            TokenKind::Name | TokenKind::String | TokenKind::Number => true,
            TokenKind::Keyword => matches!(self.text(), "nil" | "true" | "false" | "not"),
            _ => matches!(self.text(), "{" | "[" | "]"),
        };
        if begins_field {
            return Err(self.error(format!("expected `,` or `}}` before {}", self.quoted_token())));
        }
        self.expect_closing("}", open)
    }

    fn expression(&mut self) -> ParseResult {
        self.nested(|parser| {
            loop {
                while parser.is("not") || parser.is("-") || parser.is("#") || parser.is("~") {
                    parser.advance()?;
                }
                parser.simple_expression()?;
                if !BINARY.iter().any(|sign| parser.is(sign)) {
                    return Ok(());
                }
                parser.advance()?;
            }
        })
    }

    fn simple_expression(&mut self) -> ParseResult {
        match (self.token.kind, self.text()) {
            (TokenKind::Number | TokenKind::String, _)
            | (TokenKind::Keyword, "nil" | "true" | "false")
            | (TokenKind::Punctuation, "...") => self.advance().map(drop),
            (TokenKind::Keyword, "function") => {
                let open = self.advance()?.span;
                self.function_body(open)
            }
            (TokenKind::Punctuation, "{") => self.table(),
            _ => self.suffixed_expression().map(drop),
        }
    }
}
