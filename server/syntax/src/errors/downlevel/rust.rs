//! Rust that its grammar does not support: new and unstable syntax, identifiers of earlier
//! editions, and tokens that only macros read.

use super::DownlevelText;
use super::rust_tokens::{Token, TokenKind, tokens};

const PRIMITIVES: [&str; 17] = [
    "u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "u128", "i128", "isize", "usize", "f32",
    "f64", "bool", "str", "char",
];
/// Longest `for<…>` binder, in tokens.
const MAX_BINDER_TOKENS: usize = 60;

/// The rewritten text, if anything changes. O(text).
pub(super) fn downleveled(source: &str) -> Option<String> {
    let mut output = DownlevelText::new(source);
    let start = frontmatter_span(source).inspect(|&(start, end)| output.blank(start, end));
    let tokens = tokens(source, start.map_or(0, |(_, end)| end));
    let closing_of = closing_of(source, &tokens);
    let mut downleveler = Downleveler { source, closing_of, tokens, macros: Vec::new(), output };
    downleveler.macros = downleveler.macros();
    downleveler.attributes();
    for at in 0..downleveler.tokens.len() {
        match downleveler.tokens[at].kind {
            _ if downleveler.output.is_blank(downleveler.tokens[at].start) => {}
            TokenKind::Word => downleveler.word(at),
            TokenKind::Punctuation => downleveler.sign(at),
            TokenKind::Number => downleveler.number(at),
            _ => {}
        }
    }
    downleveler.output.finish()
}

/// The frontmatter of a script (its manifest), between lines of three or more dashes.
fn frontmatter_span(source: &str) -> Option<(usize, usize)> {
    let mut at = 0;
    let mut opened: Option<(usize, &str)> = None;
    for line in source.split_inclusive('\n') {
        let dashes = line.len() - line.trim_start_matches('-').len();
        match opened {
            None if dashes >= 3 => opened = Some((at, &line[..dashes])),
            Some((start, fence)) if line.trim_end() == fence => {
                return Some((start, at + line.len()));
            }
            None if !line.trim().is_empty() && (at > 0 || !line.starts_with("#!")) => return None,
            _ => {}
        }
        at += line.len();
    }
    None
}

/// The index of the closing bracket of each token that is an opening one.
fn closing_of(source: &str, tokens: &[Token]) -> Vec<Option<usize>> {
    let (mut closing_of, mut open) = (vec![None; tokens.len()], Vec::new());
    for (at, token) in tokens.iter().enumerate().filter(|(_, t)| t.kind == TokenKind::Punctuation) {
        let bracket = source.as_bytes()[token.start];
        match bracket {
            b'(' | b'[' | b'{' => open.push((at, bracket)),
            b')' | b']' | b'}' => {
                let opening = match bracket {
                    b')' => b'(',
                    b']' => b'[',
                    _ => b'{',
                };
                if open.last().is_some_and(|(_, b)| *b == opening)
                    && let Some((opened, _)) = open.pop()
                {
                    closing_of[opened] = Some(at);
                }
            }
            _ => {}
        }
    }
    closing_of
}

struct Downleveler<'t> {
    source: &'t str,
    tokens: Vec<Token>,
    closing_of: Vec<Option<usize>>,
    macros: Vec<(usize, usize)>,
    output: DownlevelText,
}

impl<'t> Downleveler<'t> {
    fn text(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |t| &self.source[t.start..t.end])
    }

    fn before(&self, at: usize) -> &'t str {
        at.checked_sub(1).map_or("", |before| self.text(before))
    }

    fn kind(&self, at: usize) -> Option<TokenKind> {
        self.tokens.get(at).map(|t| t.kind)
    }

    fn is_word(&self, at: usize) -> bool {
        self.kind(at) == Some(TokenKind::Word)
    }

    /// Whether a token is directly followed by the next.
    fn touches(&self, at: usize) -> bool {
        let after = self.tokens.get(at + 1);
        after.is_some_and(|next| next.start == self.tokens[at].end)
    }

    fn blank(&mut self, from: usize, to: usize) {
        if let (Some(first), Some(last)) = (self.tokens.get(from), self.tokens.get(to)) {
            self.output.blank(first.start, last.end);
        }
    }

    fn replace(&mut self, from: usize, to: usize, with: &str) {
        if let (Some(first), Some(last)) = (self.tokens.get(from), self.tokens.get(to)) {
            self.output.replace(first.start, last.end, with);
        }
    }

    fn rename(&mut self, at: usize) {
        let token = self.tokens[at];
        self.output.rename(token.start, token.end);
    }

    /// Blanks out all attributes: they may precede most expressions, patterns and fields.
    fn attributes(&mut self) {
        for at in 0..self.tokens.len() {
            let bracket = at + 1 + usize::from(self.text(at + 1) == "!");
            if self.text(at) == "#"
                && self.text(bracket) == "["
                && let Some(close) = self.closing_of[bracket]
            {
                self.blank(at, close);
            }
        }
    }

    fn sign(&mut self, at: usize) {
        let next = self.text(at + 1);
        match self.text(at) {
            // `$ name`, `$)`, `${count(x)}`, `$$`: only macros read these.
            "$" if !(self.touches(at) && (self.is_word(at + 1) || next == "(")) => {
                self.blank(at, at);
            }
            "~" if next == "const" => self.blank(at, at + 1),
            // An operator that only a macro can define.
            "~" if self.in_macro(at) => self.blank(at, at),
            "?" if next == "const" => self.blank(at, at + 1),
            "[" if next == "const"
                && self.text(at + 2) == "]"
                && matches!(self.before(at), ":" | "+") =>
            {
                self.blank(at, at + 2);
            }
            "-" if matches!(self.before(at), "<" | ",")
                && self.kind(at + 1) == Some(TokenKind::Number) =>
            {
                self.blank(at, at);
            }
            ":" if next == ":" && self.text(at + 2) == "<" && self.text(at + 3) == ">" => {
                self.blank(at, at + 3);
            }
            // A pattern: `let A::<T> { b } = c`.
            ":" if next == ":" && self.text(at + 2) == "<" => {
                if let Some(close) = self.find(at + 3, |text| text == ">")
                    && self.text(close + 1) == "{"
                {
                    self.blank(at, close);
                }
            }
            // The target of an assignment: `A { b, .. } = c`.
            "." if next == "."
                && self.text(at + 2) == "}"
                && matches!(self.before(at), "," | "{") =>
            {
                self.blank(at, at + 1);
            }
            "<" if !self.is_word(at.wrapping_sub(1)) && self.before(at) != ":" => {
                self.qualified(at)
            }
            _ => {}
        }
    }

    /// The outermost macro calls and definitions, from bracket to bracket.
    fn macros(&self) -> Vec<(usize, usize)> {
        let mut found: Vec<(usize, usize)> = Vec::new();
        for (open, close) in self.closing_of.iter().enumerate() {
            let Some(close) = *close else { continue };
            let name = if self.is_word(open.wrapping_sub(1)) { 2 } else { 1 };
            let bang = open.checked_sub(name).is_some_and(|bang| self.text(bang) == "!");
            if bang && found.last().is_none_or(|(_, last)| open > *last) {
                found.push((open, close));
            }
        }
        found
    }

    /// Whether a token is inside a macro call or definition.
    fn in_macro(&self, at: usize) -> bool {
        let next = self.macros.partition_point(|(_, close)| *close < at);
        self.macros.get(next).is_some_and(|(open, _)| *open < at)
    }

    /// A position as the name of a field in a pattern: `A { 0: b }`.
    fn number(&mut self, at: usize) {
        let is_name = self.text(at + 1) == ":" && self.text(at + 2) != ":";
        if is_name && matches!(self.before(at), "{" | ",") {
            self.rename(at);
        }
    }

    fn word(&mut self, at: usize) {
        let (before, next, second) = (self.before(at), self.text(at + 1), self.text(at + 2));
        match self.text(at) {
            // An identifier in the 2015 edition.
            "dyn" if matches!(next, "," | ")" | ";" | "." | "=") => self.rename(at),
            "dyn" | "impl" => self.bounds(at),
            "safe" if matches!(next, "fn" | "static") => self.blank(at, at),
            "unsafe" if next == "static" => self.blank(at, at),
            "unsafe" if next == "<" => self.binder(at, |_| true),
            "for" if next == "<" => {
                self.binder(at, |after| matches!(after, "|" | "move" | "async" | "static"));
            }
            "gen" if next == "fn" => self.blank(at, at),
            "gen" if matches!(next, "{" | "move") => {
                if matches!(before, "=" | "(" | "," | ";" | "{" | "}" | ">" | "return" | "async") {
                    self.blank(at, at + usize::from(next == "move"));
                }
            }
            "default" if matches!(next, "impl" | "unsafe" | "async" | "const" | "type") => {
                self.blank(at, at);
            }
            "default" if matches!(next, "fn" | "extern") => {}
            "auto" if next == "trait" => self.blank(at, at),
            "final" if next == "fn" => self.blank(at, at),
            "union" if self.is_word(at + 1) && matches!(second, "{" | "<" | "where") => {}
            "raw" if before == "&" && matches!(next, "const" | "mut") => {}
            "await" if before == "." => {}
            // Contextual keywords used as identifiers.
            "default" | "auto" | "union" | "raw" | "await" => self.rename(at),
            "async" if matches!(next, "Fn" | "FnMut" | "FnOnce") => self.blank(at, at),
            "async" | "try" if matches!(next, "," | ")" | ";" | "." | "=" | ":") => {
                self.rename(at);
            }
            "try" if next == "!" => self.rename(at),
            "const" => self.constant(at),
            "macro" if self.is_word(at + 1) => self.macro_item(at),
            "do" if next == "yeet" => self.replace(at, at + 1, "return"),
            "become" if before != "." => self.replace(at, at, "return"),
            "box" if before != "." => self.blank(at, at),
            "builtin" if next == "#" => self.blank(at, at + 1),
            "pin" if before == "&" && next == "mut" => self.blank(at, at),
            "pin" if before == "&" && next == "const" => self.blank(at, at + 1),
            "use" if before == "." => self.rename(at),
            "use" if next == "|" => self.blank(at, at),
            "trait" => self.trait_alias(at),
            "type" => self.type_without_value(at),
            "where" => self.predicates(at),
            word if PRIMITIVES.contains(&word) => {
                let bang = next == "!" && second != "=";
                if bang || next == ":" && second == ":" && self.text(at + 3) == "<" {
                    self.rename(at);
                }
            }
            _ => {}
        }
    }

    /// `dyn 'a + Fn()`, `dyn ?Sized + A`, `impl async Fn()`.
    fn bounds(&mut self, at: usize) {
        if self.kind(at + 1) == Some(TokenKind::Lifetime) && self.text(at + 2) == "+" {
            self.blank(at + 1, at + 2);
        } else if self.text(at) == "dyn" && self.text(at + 1) == "?" {
            self.blank(at + 1, at + 1);
        }
    }

    /// Blanks out the `::` before the arguments of the type in `<a::B::<C> as D>::f`.
    fn qualified(&mut self, open: usize) {
        let Some(end) = self.find(open + 1, |text| matches!(text, "as" | ">" | ",")) else {
            return;
        };
        if self.text(end) != "as" {
            return;
        }
        for at in open + 1..end {
            if self.text(at) == ":" && self.text(at + 1) == ":" && self.text(at + 2) == "<" {
                self.blank(at, at + 1);
            }
        }
    }

    /// A binder in angle brackets (`for<…>`) of a closure or type.
    fn binder(&mut self, at: usize, fits: impl Fn(&str) -> bool) {
        let close = (at + 2..at + MAX_BINDER_TOKENS).find(|&close| self.text(close) == ">");
        if let Some(close) = close.filter(|close| fits(self.text(close + 1))) {
            let from = if self.text(at) == "for" { at } else { at + 1 };
            self.blank(from, close);
        }
    }

    fn constant(&mut self, at: usize) {
        let (before, next) = (self.before(at), self.text(at + 1));
        let is_trait_bound = next == "trait"
            || self.is_word(at + 1)
                && (matches!(before, ":" | "+" | "impl")
                    || before == ">" && self.text(at + 2) != ":");
        if is_trait_bound || matches!(next, "|" | "move") {
            self.blank(at, at);
        }
    }

    /// Turns `macro name(…) { … }` into an empty function or module.
    fn macro_item(&mut self, at: usize) {
        let mut open = at + 2;
        let with_arguments = self.text(open) == "(";
        if with_arguments && let Some(close) = self.closing_of[open] {
            if close > open + 1 {
                self.blank(open + 1, close - 1);
            }
            open = close + 1;
        }
        if self.text(open) == "{"
            && let Some(close) = self.closing_of[open]
        {
            if close > open + 1 {
                self.blank(open + 1, close - 1);
            }
            self.replace(at, at, if with_arguments { "fn" } else { "mod" });
        }
    }

    /// The first token from `at` on, outside of all brackets, for which `ends` holds.
    fn find(&self, mut at: usize, ends: impl Fn(&str) -> bool) -> Option<usize> {
        let mut angles = 0_usize;
        while at < self.tokens.len() {
            match self.text(at) {
                text if angles == 0 && ends(text) => return Some(at),
                "<" => angles += 1,
                ">" if !matches!(self.before(at), "-" | "=") => angles = angles.saturating_sub(1),
                "(" | "[" | "{" => at = self.closing_of[at]?,
                ")" | "]" | "}" | ";" => return None,
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// Turns `trait A = B + C;` into an empty trait.
    fn trait_alias(&mut self, at: usize) {
        let Some(sign) = self.find(at + 1, |t| matches!(t, "=" | "{" | ";" | ":")) else { return };
        if self.text(sign) == "="
            && let Some(end) = self.find(sign, |t| t == ";")
        {
            self.blank(sign, end);
            self.replace(sign, sign, "{");
            self.replace(end, end, "}");
        }
    }

    /// Blanks out `pub type Name;` in a foreign block.
    fn type_without_value(&mut self, at: usize) {
        let Some(end) = self.find(at + 1, |t| matches!(t, "=" | ";")) else { return };
        if self.text(end) != ";" {
            return;
        }
        let from = match self.before(at) {
            "pub" => at - 1,
            ")" => match (0..at - 1).rev().find(|&open| self.closing_of[open] == Some(at - 1)) {
                Some(open) if self.before(open) == "pub" => open - 1,
                _ => return,
            },
            _ => return,
        };
        self.blank(from, end);
    }

    /// Blanks out or replaces `where` clauses that the grammar rejects: of a struct without a body,
    /// empty ones, and bounds of types that are not named.
    fn predicates(&mut self, at: usize) {
        let Some(end) = self.find(at + 1, |t| matches!(t, "{" | ";" | "=")) else { return };
        if self.text(end) == ";" && self.belongs_to_struct(at) || end == at + 1 {
            self.blank(at, end - 1);
            return;
        }
        let mut start = at + 1;
        while start < end {
            let stop = self.find(start, |t| matches!(t, "," | "{" | ";" | "=")).unwrap_or(end);
            let colon = self.find(start, |t| matches!(t, ":" | ",")).filter(|&c| c < stop);
            if let Some(colon) = colon.filter(|&colon| self.text(colon) == ":") {
                if colon + 1 == stop {
                    self.replace(start, colon, "x:x");
                } else if matches!(self.text(start), "(" | "dyn" | "fn" | "extern" | "unsafe" | "*")
                {
                    self.replace(start, colon - 1, "xx");
                }
            }
            start = stop + 1;
        }
    }

    fn belongs_to_struct(&self, at: usize) -> bool {
        let words = (0..at).rev().take(MAX_BINDER_TOKENS).map(|before| self.text(before));
        words.take_while(|word| !matches!(*word, ";" | "}" | "{" | "fn")).any(|w| w == "struct")
    }
}
