//! Rust that its grammar does not know: newer and unstable syntax, names of earlier editions, and
//! what only macros read.

use super::Draft;
use super::rust_tokens::{Kind, Token, tokens};

const PRIMITIVES: [&str; 17] = [
    "u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "u128", "i128", "isize", "usize", "f32",
    "f64", "bool", "str", "char",
];
/// Most tokens of the parameters that a closure or type binds.
const BINDER: usize = 60;

/// The text in words that the grammar knows, if that makes a difference. O(text).
pub(super) fn older(source: &str) -> Option<String> {
    let mut draft = Draft::new(source);
    let start = frontmatter(source).inspect(|&(start, end)| draft.blank(start, end));
    let tokens = tokens(source, start.map_or(0, |(_, end)| end));
    let closes = closes(source, &tokens);
    let mut reader = Reader { source, closes, tokens, macros: Vec::new(), draft };
    reader.macros = reader.macros();
    reader.attributes();
    for at in 0..reader.tokens.len() {
        match reader.tokens[at].kind {
            _ if reader.draft.is_blank(reader.tokens[at].start) => {}
            Kind::Word => reader.word(at),
            Kind::Sign => reader.sign(at),
            _ => {}
        }
    }
    reader.draft.finish()
}

/// The manifest at the start of a script: between lines of three dashes or more.
fn frontmatter(source: &str) -> Option<(usize, usize)> {
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

/// For each token that is a bracket, which one closes it.
fn closes(source: &str, tokens: &[Token]) -> Vec<Option<usize>> {
    let (mut closes, mut open) = (vec![None; tokens.len()], Vec::new());
    for (at, token) in tokens.iter().enumerate().filter(|(_, t)| t.kind == Kind::Sign) {
        let bracket = source.as_bytes()[token.start];
        match bracket {
            b'(' | b'[' | b'{' => open.push((at, bracket)),
            b')' | b']' | b'}' => {
                let half = match bracket {
                    b')' => b'(',
                    b']' => b'[',
                    _ => b'{',
                };
                if open.last().is_some_and(|(_, b)| *b == half)
                    && let Some((opened, _)) = open.pop()
                {
                    closes[opened] = Some(at);
                }
            }
            _ => {}
        }
    }
    closes
}

struct Reader<'t> {
    source: &'t str,
    tokens: Vec<Token>,
    closes: Vec<Option<usize>>,
    macros: Vec<(usize, usize)>,
    draft: Draft,
}

impl<'t> Reader<'t> {
    fn text(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |t| &self.source[t.start..t.end])
    }

    fn before(&self, at: usize) -> &'t str {
        at.checked_sub(1).map_or("", |before| self.text(before))
    }

    fn kind(&self, at: usize) -> Option<Kind> {
        self.tokens.get(at).map(|t| t.kind)
    }

    fn is_word(&self, at: usize) -> bool {
        self.kind(at) == Some(Kind::Word)
    }

    /// Whether two tokens stand right beside each other.
    fn touches(&self, at: usize) -> bool {
        let behind = self.tokens.get(at + 1);
        behind.is_some_and(|next| next.start == self.tokens[at].end)
    }

    fn blank(&mut self, from: usize, to: usize) {
        if let (Some(first), Some(last)) = (self.tokens.get(from), self.tokens.get(to)) {
            self.draft.blank(first.start, last.end);
        }
    }

    fn replace(&mut self, from: usize, to: usize, with: &str) {
        if let (Some(first), Some(last)) = (self.tokens.get(from), self.tokens.get(to)) {
            self.draft.replace(first.start, last.end, with);
        }
    }

    fn rename(&mut self, at: usize) {
        let token = self.tokens[at];
        self.draft.rename(token.start, token.end);
    }

    /// Attributes may stand before most expressions, patterns and fields: none of them is read.
    fn attributes(&mut self) {
        for at in 0..self.tokens.len() {
            let bracket = at + 1 + usize::from(self.text(at + 1) == "!");
            if self.text(at) == "#"
                && self.text(bracket) == "["
                && let Some(close) = self.closes[bracket]
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
            // An operator that only macros can have given a meaning.
            "~" if self.in_macro(at) => self.blank(at, at),
            "?" if next == "const" => self.blank(at, at + 1),
            "[" if next == "const"
                && self.text(at + 2) == "]"
                && matches!(self.before(at), ":" | "+") =>
            {
                self.blank(at, at + 2);
            }
            "-" if matches!(self.before(at), "<" | ",")
                && self.kind(at + 1) == Some(Kind::Number) =>
            {
                self.blank(at, at);
            }
            ":" if next == ":" && self.text(at + 2) == "<" && self.text(at + 3) == ">" => {
                self.blank(at, at + 3);
            }
            _ => {}
        }
    }

    /// The outermost macros: from where the arguments or the definition opens to where it closes.
    fn macros(&self) -> Vec<(usize, usize)> {
        let mut found: Vec<(usize, usize)> = Vec::new();
        for (open, close) in self.closes.iter().enumerate() {
            let Some(close) = *close else { continue };
            let name = if self.is_word(open.wrapping_sub(1)) { 2 } else { 1 };
            let bang = open.checked_sub(name).is_some_and(|bang| self.text(bang) == "!");
            if bang && found.last().is_none_or(|(_, last)| open > *last) {
                found.push((open, close));
            }
        }
        found
    }

    /// Whether a token is an argument of a macro, or part of its definition.
    fn in_macro(&self, at: usize) -> bool {
        let next = self.macros.partition_point(|(_, close)| *close < at);
        self.macros.get(next).is_some_and(|(open, _)| *open < at)
    }

    fn word(&mut self, at: usize) {
        let (before, next, second) = (self.before(at), self.text(at + 1), self.text(at + 2));
        match self.text(at) {
            // A name in the edition of 2015.
            "dyn" if matches!(next, "," | ")" | ";" | "." | "=") => self.rename(at),
            "dyn" | "impl" => self.bounds(at),
            "safe" if matches!(next, "fn" | "static") => self.blank(at, at),
            "unsafe" if next == "static" => self.blank(at, at),
            "unsafe" if next == "<" => self.binder(at, |_| true),
            "for" if next == "<" => {
                self.binder(at, |behind| matches!(behind, "|" | "move" | "async" | "static"));
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
            // Words that only some places make keywords of.
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
        if self.kind(at + 1) == Some(Kind::Lifetime) && self.text(at + 2) == "+" {
            self.blank(at + 1, at + 2);
        } else if self.text(at) == "dyn" && self.text(at + 1) == "?" {
            self.blank(at + 1, at + 1);
        }
    }

    /// Parameters in angle brackets that a closure or a type binds.
    fn binder(&mut self, at: usize, fits: impl Fn(&str) -> bool) {
        let close = (at + 2..at + BINDER).find(|&close| self.text(close) == ">");
        if let Some(close) = close.filter(|close| fits(self.text(close + 1))) {
            let from = if self.text(at) == "for" { at } else { at + 1 };
            self.blank(from, close);
        }
    }

    fn constant(&mut self, at: usize) {
        let (before, next) = (self.before(at), self.text(at + 1));
        let of_trait = next == "trait"
            || self.is_word(at + 1)
                && (matches!(before, ":" | "+" | "impl")
                    || before == ">" && self.text(at + 2) != ":");
        if of_trait || matches!(next, "|" | "move") {
            self.blank(at, at);
        }
    }

    /// `macro name(…) { … }` as a function or module without anything inside.
    fn macro_item(&mut self, at: usize) {
        let mut open = at + 2;
        let with_arguments = self.text(open) == "(";
        if with_arguments && let Some(close) = self.closes[open] {
            if close > open + 1 {
                self.blank(open + 1, close - 1);
            }
            open = close + 1;
        }
        if self.text(open) == "{"
            && let Some(close) = self.closes[open]
        {
            if close > open + 1 {
                self.blank(open + 1, close - 1);
            }
            self.replace(at, at, if with_arguments { "fn" } else { "mod" });
        }
    }

    /// The first token from `at` on, outside of all brackets, that `ends`.
    fn find(&self, mut at: usize, ends: impl Fn(&str) -> bool) -> Option<usize> {
        let mut angles = 0_usize;
        while at < self.tokens.len() {
            match self.text(at) {
                text if angles == 0 && ends(text) => return Some(at),
                "<" => angles += 1,
                ">" if !matches!(self.before(at), "-" | "=") => angles = angles.saturating_sub(1),
                "(" | "[" | "{" => at = self.closes[at]?,
                ")" | "]" | "}" | ";" => return None,
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// `trait A = B + C;` as a trait without anything inside.
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

    /// `pub type Name;` in a foreign block: it is left out.
    fn type_without_value(&mut self, at: usize) {
        let Some(end) = self.find(at + 1, |t| matches!(t, "=" | ";")) else { return };
        if self.text(end) != ";" {
            return;
        }
        let from = match self.before(at) {
            "pub" => at - 1,
            ")" => match (0..at - 1).rev().find(|&open| self.closes[open] == Some(at - 1)) {
                Some(open) if self.before(open) == "pub" => open - 1,
                _ => return,
            },
            _ => return,
        };
        self.blank(from, end);
    }

    /// Bounds that the grammar does not take: those of a struct without a body, empty ones, and
    /// those of types that are not named.
    fn predicates(&mut self, at: usize) {
        let Some(end) = self.find(at + 1, |t| matches!(t, "{" | ";" | "=")) else { return };
        if self.text(end) == ";" && self.is_of_struct(at) || end == at + 1 {
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
                } else if self.text(start) == "(" && self.text(colon + 1) != ":" {
                    self.replace(start, colon - 1, "xx");
                } else if self.text(start) == "(" && self.closes[start] == Some(colon - 1) {
                    self.replace(start, colon - 1, "xx");
                }
            }
            start = stop + 1;
        }
    }

    fn is_of_struct(&self, at: usize) -> bool {
        let words = (0..at).rev().take(BINDER).map(|before| self.text(before));
        words.take_while(|word| !matches!(*word, ";" | "}" | "{" | "fn")).any(|w| w == "struct")
    }
}
