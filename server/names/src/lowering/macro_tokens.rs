//! A tokenizer for C and C++ that runs before the grammar.

use std::ops::Range;

use rustc_hash::FxHashMap;

/// A token: a word or a character. Strings, comments and directives are left out.
#[derive(Clone, Copy)]
pub(super) struct Token<'t> {
    pub(super) text: &'t str,
    pub(super) start: usize,
}

impl Token<'_> {
    pub(super) fn span(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    pub(super) fn is_word(&self) -> bool {
        self.text.starts_with(|c: char| c.is_alphabetic() || c == '_')
    }

    /// Whether it looks like a macro: upper case, and no well-known type or constant.
    pub(super) fn is_macro(&self) -> bool {
        self.text.len() > 2
            && self.text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
            && self.text.bytes().any(|b| b.is_ascii_uppercase())
            && !matches!(self.text, "FILE" | "DIR" | "NULL" | "BOOL" | "EOF")
    }

    /// Whether it belongs to a statement: no declaration starts with it.
    pub(super) fn is_control(&self) -> bool {
        matches!(
            self.text,
            "if" | "else"
                | "return"
                | "case"
                | "default"
                | "for"
                | "while"
                | "do"
                | "goto"
                | "break"
                | "continue"
                | "switch"
                | "throw"
                | "new"
                | "delete"
                | "try"
                | "catch"
                | "sizeof"
        )
    }

    /// Whether it may start a declaration, or be between type and name.
    pub(super) fn is_specifier(&self) -> bool {
        matches!(
            self.text,
            "typedef"
                | "using"
                | "namespace"
                | "operator"
                | "volatile"
                | "register"
                | "mutable"
                | "decltype"
                | "final"
                | "override"
                | "noexcept"
                | "public"
                | "private"
                | "protected"
                | "concept"
                | "requires"
                | "consteval"
                | "constinit"
                | "thread_local"
                | "export"
                | "import"
                | "module"
                | "static_assert"
                | "restrict"
                | "asm"
                | "this"
                | "and"
                | "or"
                | "not"
                | "inline"
                | "signals"
                | "slots"
        ) || self.text.starts_with("__")
    }

    /// Whether it is a keyword of types or declarations.
    pub(super) fn is_type_word(&self) -> bool {
        matches!(
            self.text,
            "void"
                | "int"
                | "char"
                | "struct"
                | "unsigned"
                | "signed"
                | "const"
                | "static"
                | "size_t"
                | "bool"
                | "double"
                | "float"
                | "long"
                | "short"
                | "enum"
                | "union"
                | "class"
                | "extern"
                | "inline"
                | "virtual"
                | "constexpr"
                | "explicit"
                | "typename"
                | "template"
                | "friend"
                | "auto"
        )
    }
}

/// A conditional directive.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ConditionalDirective {
    If,
    Else,
    End,
}

/// A branch of a condition.
#[derive(Clone)]
pub(super) struct ConditionBranch<'t> {
    pub(super) span: Range<usize>,
    /// The start of the condition's first branch.
    pub(super) first: usize,
    /// The directive without its `#`.
    pub(super) condition: &'t str,
}

/// The tokens of a text, with what was found beside them.
pub(super) struct Tokens<'t> {
    pub(super) all: Vec<Token<'t>>,
    pub(super) marks: Vec<(usize, ConditionalDirective)>,
    /// Comments inside of multi-line macro definitions: the grammar would end the definition there.
    pub(super) comments: Vec<Range<usize>>,
    /// Branches of conditions, by their end.
    pub(super) branches: Vec<ConditionBranch<'t>>,
    /// Open conditions: the starts of the first and the current branch, and the current directive.
    open: Vec<(usize, usize, &'t str)>,
    /// The bodies of macros without parameters that open or close a block.
    pub(super) braces: FxHashMap<&'t str, &'t str>,
}

/// Tokenizes a text. O(n).
pub(super) fn tokens(text: &str) -> Tokens<'_> {
    let bytes = text.as_bytes();
    let (mut i, mut line_start) = (0, true);
    let mut read = Tokens {
        all: Vec::with_capacity(text.len() / 6),
        marks: Vec::new(),
        comments: Vec::new(),
        branches: Vec::new(),
        open: Vec::new(),
        braces: FxHashMap::default(),
    };
    while i < bytes.len() {
        let b = bytes[i];
        match b {
            b'\n' => {
                line_start = true;
                i += 1;
            }
            _ if b.is_ascii_whitespace() => i += 1,
            b'#' if line_start => {
                let end = line_end(bytes, i);
                read.directive(text, i, end);
                i = end;
            }
            b'/' if bytes.get(i + 1) == Some(&b'/') => i = line_end(bytes, i),
            b'/' if bytes.get(i + 1) == Some(&b'*') => {
                i = text[i + 2..].find("*/").map_or(bytes.len(), |n| i + n + 4);
            }
            b'"' | b'\'' => {
                line_start = false;
                i += 1;
                while i < bytes.len() && bytes[i] != b && bytes[i] != b'\n' {
                    i += if bytes[i] == b'\\' { 2 } else { 1 };
                }
                i += 1;
            }
            _ if b.is_ascii_alphanumeric() || b == b'_' => {
                line_start = false;
                let start = i;
                let part = |i: usize| {
                    let number = b.is_ascii_digit() && bytes[i] == b'\'';
                    bytes[i].is_ascii_alphanumeric() || bytes[i] == b'_' || number
                };
                while i < bytes.len() && part(i) {
                    i += 1;
                }
                read.all.push(Token { text: &text[start..i], start });
            }
            _ => {
                line_start = false;
                if b.is_ascii() {
                    read.all.push(Token { text: &text[i..=i], start: i });
                }
                i += 1;
            }
        }
    }
    read
}

impl<'t> Tokens<'t> {
    /// Handles a directive.
    fn directive(&mut self, text: &'t str, start: usize, end: usize) {
        let mut at = start;
        while let Some(open) = text[at..end].find("/*").map(|n| at + n) {
            let close = text[open..end].find("*/").map_or(end, |n| open + n + 2);
            if text[close..end].contains('\\') {
                self.comments.push(open..close);
            }
            at = close;
        }
        let line = text[start + 1..end].trim_start();
        let mark = if line.starts_with("if") {
            ConditionalDirective::If
        } else if line.starts_with("el") {
            ConditionalDirective::Else
        } else if line.starts_with("endif") {
            ConditionalDirective::End
        } else {
            if let Some(rest) = line.strip_prefix("define") {
                let rest = rest.trim_start();
                let (name, body) = rest.split_at(word_end(rest));
                let opens = |body: &str| {
                    let rest = body.strip_prefix("inline ").unwrap_or(body);
                    rest.trim_start().starts_with("namespace")
                };
                let body = body.trim_start_matches(|c: char| c.is_whitespace() || c == '\\');
                if body.starts_with('}') || opens(body) || body.starts_with("extern \"C") {
                    self.braces.entry(name).or_insert(body);
                }
            }
            return;
        };
        self.marks.push((self.all.len(), mark));
        let condition = line.trim_end();
        if mark == ConditionalDirective::If {
            self.open.push((start, start, condition));
        } else if let Some((first, last, own)) = self.open.pop() {
            self.branches.push(ConditionBranch { span: last..start, first, condition: own });
            if mark == ConditionalDirective::Else {
                self.open.push((first, start, condition));
            }
        }
    }

    pub(super) fn at(&self, n: usize) -> &'t str {
        self.all.get(n).map_or("", |t| t.text)
    }

    pub(super) fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0;
        for (n, token) in self.all.iter().enumerate().skip(open).take(400) {
            match token.text {
                "(" => depth += 1,
                ")" => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(n);
                    }
                }
                _ => {}
            }
        }
        None
    }

    pub(super) fn opening(&self, close: usize) -> Option<usize> {
        let mut depth = 0;
        for n in (close.saturating_sub(400)..=close).rev() {
            match self.all[n].text {
                ")" => depth += 1,
                "(" => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(n);
                    }
                }
                _ => {}
            }
        }
        None
    }
}

/// The length of the word at the start of a text.
pub(super) fn word_end(text: &str) -> usize {
    text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len())
}

/// The end of a line, continuation lines included.
fn line_end(bytes: &[u8], mut i: usize) -> usize {
    while i < bytes.len() && bytes[i] != b'\n' {
        i += if bytes[i] == b'\\' { 2 } else { 1 };
    }
    i.min(bytes.len())
}
