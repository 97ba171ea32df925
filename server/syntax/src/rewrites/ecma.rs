//! Rewrites of TypeScript and JavaScript syntax that is newer than the released grammars.
//!
//! Every rule looks only at a word and its direct surroundings, so an edit changes rewrites only
//! near itself.

use memchr::memmem;

use super::scan::TextScanner;
use super::{Rewrite, Rewrites};

/// Words that continue an expression: an identifier may follow them.
const CONTINUING_WORDS: [&str; 9] =
    ["in", "of", "instanceof", "as", "satisfies", "is", "from", "extends", "implements"];
/// Reserved words that the JavaScript grammar rejects as the name of an export.
const RESERVED_WORDS: [&str; 35] = [
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "delete",
    "do",
    "else",
    "export",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "import",
    "in",
    "instanceof",
    "new",
    "null",
    "return",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "var",
    "void",
    "while",
    "with",
    "yield",
];

/// The words that trigger a rule, by language.
const TYPESCRIPT_TRIGGERS: &[&str] = &[
    "import", "export", "with", "using", "accessor", "abstract", "global", "in", "out", "as",
    "typeof", "readonly",
];
const JAVASCRIPT_TRIGGERS: &[&str] = &["import", "with", "assert", "using", "accessor", "as"];

/// Predefined types, which the grammar does not accept as names.
const PREDEFINED_TYPES: [&str; 5] = ["any", "string", "number", "object", "boolean"];

/// The rewrites for newer constructs. About O(n).
pub(super) fn rewrites(source: &str, language: Rewrites) -> Vec<Rewrite> {
    let typescript = language == Rewrites::Typescript;
    let mut rewriter = Rewriter { scan: TextScanner::new(source), found: Vec::new(), typescript };
    for word in if typescript { TYPESCRIPT_TRIGGERS } else { JAVASCRIPT_TRIGGERS } {
        for at in memmem::find_iter(source.as_bytes(), word) {
            if rewriter.scan.is_word(at, word) && rewriter.scan.byte_before(at) != Some(b'.') {
                rewriter.rewrite_at(word, at);
            }
        }
    }
    let bytes = source.as_bytes();
    for at in memchr::memchr_iter(b'\n', bytes) {
        rewriter.missing_separator(at);
    }
    for at in memchr::memchr_iter(0, bytes) {
        // The lexer treats NUL as the end of the input.
        rewriter.rewrite(at, at + 1, "");
    }
    if typescript {
        for at in memmem::find_iter(bytes, "?.") {
            rewriter.optional_call(at);
        }
        for at in memmem::find_iter(bytes, "({") {
            rewriter.parameter_pattern(at + 1);
        }
        for at in memchr::memchr_iter(b'\\', bytes) {
            rewriter.template_type_escape(at);
        }
        for at in memmem::find_iter(bytes, ">`") {
            rewriter.tagged_template_arguments(at);
        }
        for word in PREDEFINED_TYPES {
            for at in memmem::find_iter(bytes, word) {
                rewriter.predefined_type_as_name(at, word);
            }
        }
    }
    rewriter.found
}

pub(super) struct Rewriter<'t> {
    pub(super) scan: TextScanner<'t>,
    found: Vec<Rewrite>,
    typescript: bool,
}

impl Rewriter<'_> {
    fn rewrite_at(&mut self, word: &str, at: usize) {
        match word {
            "import" => self.import(at),
            "export" => self.export(at),
            "with" | "assert" => self.attributes(at),
            "using" => self.using(at),
            "accessor" => self.accessor(at),
            "abstract" => self.name_abstract(at),
            "global" => self.global(at),
            "as" if self.typescript => self.variable_as(at),
            "as" => self.reserved_name(at),
            "typeof" => self.type_of_undefined(at),
            // `keyof readonly A[]`
            "readonly" if self.scan.word_before(at) == "keyof" => self.rewrite(at, at + 8, ""),
            "readonly" => {}
            _ => self.variance(at),
        }
    }

    /// Replaces a span by `with`, padded with blanks. Newlines stay.
    pub(super) fn rewrite(&mut self, start: usize, end: usize, with: &str) {
        let mut text = Vec::with_capacity(end - start);
        text.extend_from_slice(with.as_bytes());
        for at in start + text.len()..end {
            text.push(match self.scan.byte(at) {
                Some(b'\n') => b'\n',
                _ => b' ',
            });
        }
        if text.len() == end - start {
            self.found.push(Rewrite { start, replacement: text.into() });
        }
    }

    /// Replaces a word by a plain identifier.
    pub(super) fn mask_as_name(&mut self, start: usize, end: usize) {
        self.found.push(Rewrite { start, replacement: vec![b'x'; end - start].into() });
    }

    /// `import('x').A<T>` as a type, `import defer * as a`, `import source a`, `import.defer(…)`.
    fn import(&mut self, at: usize) {
        let scan = self.scan;
        let next = scan.skip_trivia(at + 6);
        match scan.byte(next) {
            Some(b'(') if self.typescript => self.import_type(at, next),
            Some(b'.') => {
                let word = scan.skip_trivia(next + 1);
                let end = scan.word_end(word);
                let is_phase = matches!(scan.text(word, end), "defer" | "source");
                if is_phase && scan.byte(scan.skip_trivia(end)) == Some(b'(') {
                    self.rewrite(next, end, "");
                }
            }
            _ => {
                let end = scan.word_end(next);
                let after = scan.skip_trivia(end);
                let is_phase = match scan.text(next, end) {
                    "defer" => scan.byte(after) == Some(b'*'),
                    "source" => {
                        let name = scan.word_end(after);
                        let then = scan.skip_trivia(name);
                        name > after
                            && (scan.text(after, name) != "from" || scan.is_word(then, "from"))
                    }
                    _ => false,
                };
                if is_phase {
                    self.rewrite(next, end, "");
                }
            }
        }
    }

    /// The grammar accepts `import('x').A` only in some types: not before type arguments or `[]`.
    fn import_type(&mut self, at: usize, paren: usize) {
        let scan = self.scan;
        let module = scan.skip_trivia(paren + 1);
        let (Some(b'\'' | b'"'), Some(close)) =
            (scan.byte(module), scan.closing_bracket_end(paren))
        else {
            return;
        };
        let mut next = scan.skip_trivia(close);
        let mut members = 0;
        while scan.byte(next) == Some(b'.') {
            let word = scan.skip_trivia(next + 1);
            let end = scan.word_end(word);
            // A method call on a promise, not a type.
            if matches!(scan.text(word, end), "" | "then" | "catch" | "finally") {
                return;
            }
            members += 1;
            next = scan.skip_trivia(end);
        }
        if members > 0 && scan.byte(next) != Some(b'(') {
            // Keep the path visible: the names crate reads `import('x'` from the text.
            let line = scan.text(at, close);
            let line = line.find('\n').map_or(close, |end| at + end);
            let name = "x".repeat(line - at);
            self.rewrite(at, close, &name);
        }
    }

    /// `export type *`, `export import a = require(…)`, `export default function (): T;`.
    fn export(&mut self, at: usize) {
        let scan = self.scan;
        let next = scan.skip_trivia(at + 6);
        let end = scan.word_end(next);
        match scan.text(next, end) {
            "type" if scan.byte(scan.skip_trivia(end)) == Some(b'*') => self.rewrite(next, end, ""),
            "import" => {
                let mut name = scan.skip_trivia(end);
                let mut name_end = scan.word_end(name);
                let after = scan.skip_trivia(name_end);
                let typed = scan.text(name, name_end) == "type" && scan.word_end(after) > after;
                let keyword = (name, name_end);
                if typed {
                    (name, name_end) = (after, scan.word_end(after));
                }
                let equals = scan.skip_trivia(name_end);
                let required = scan.byte(equals) == Some(b'=')
                    && scan.is_word(scan.skip_trivia(equals + 1), "require");
                if name_end > name && required {
                    self.rewrite(next, end, "const");
                    if typed {
                        self.rewrite(keyword.0, keyword.1, "");
                    }
                }
            }
            "default" => {
                let function = scan.skip_trivia(end);
                let parameters = scan.skip_trivia(scan.word_end(function));
                if scan.is_word(function, "function") {
                    self.signature(function, parameters);
                }
            }
            _ => {}
        }
    }

    /// `export default function (a: T): R;` declares a function without a name. It becomes a value
    /// of that type: `null as (a: T) =>R`.
    fn signature(&mut self, function: usize, parameters: usize) {
        let scan = self.scan;
        let open = match scan.byte(parameters) {
            Some(b'<') => scan.closing_bracket_end(parameters).map(|close| scan.skip_trivia(close)),
            _ => Some(parameters),
        };
        let Some(open) = open.filter(|open| scan.byte(*open) == Some(b'(')) else { return };
        let Some(close) = scan.closing_bracket_end(open) else { return };
        let colon = scan.skip_trivia(close);
        if parameters - function < "null as".len() {
            return;
        }
        match scan.byte(colon) {
            Some(b':') if scan.byte(colon + 1) == Some(b' ') && scan.is_signature(colon + 1) => {
                self.rewrite(function, parameters, "null as");
                self.rewrite(colon, colon + 2, "=>");
            }
            Some(b';') => self.rewrite(function, parameters, "null as"),
            _ => {}
        }
    }

    /// `export … from 'x' with {…}`, and `assert {…}` in JavaScript.
    fn attributes(&mut self, at: usize) {
        let scan = self.scan;
        let word = scan.word_end(at);
        let open = scan.skip_trivia(word);
        if scan.byte(open) != Some(b'{')
            || !matches!(scan.significant_before(at), Some(b'\'' | b'"'))
        {
            return;
        }
        let line = scan.line_before(at).trim_start();
        let starts = ["}", "*", "export", "from", "declare module"];
        if starts.iter().any(|start| line.starts_with(start)) {
            if let Some(close) = scan.closing_bracket_end(open) {
                self.rewrite(at, close, "");
            }
        } else if scan.text(at, word) == "assert" {
            self.rewrite(at, word, "with");
        }
    }

    /// In TypeScript, `using a = …` and `await using a = …` become `const a = …`; elsewhere `using` is
    /// an identifier.
    fn using(&mut self, at: usize) {
        let scan = self.scan;
        let end = at + 5;
        let name = scan.skip_blanks(end);
        let name_end = scan.word_end(name);
        let after = scan.skip_trivia(name_end);
        let declared = name > end
            && name_end > name
            && !CONTINUING_WORDS.contains(&scan.text(name, name_end))
            && (scan.is_word(after, "of")
                || scan.byte(after) == Some(b':')
                || scan.byte(after) == Some(b'=')
                    && !matches!(scan.byte(after + 1), Some(b'=' | b'>')));
        if !declared {
            return self.mask_as_name(at, end);
        }
        if !self.typescript {
            return;
        }
        self.rewrite(at, end, "const");
        let word = scan.word_before(at);
        if word == "await" {
            let start = scan.text(0, at).trim_end().len() - word.len();
            self.rewrite(start, start + word.len(), "");
        }
    }

    /// `accessor a = 1` in a class becomes a field; elsewhere `accessor` is an identifier.
    fn accessor(&mut self, at: usize) {
        let scan = self.scan;
        let end = at + 8;
        let next = scan.skip_blanks(end);
        let word = scan.text(next, scan.word_end(next));
        let modifies = next > end
            && match scan.byte(next) {
                Some(b'#' | b'\'' | b'"') => true,
                _ => !word.is_empty() && !CONTINUING_WORDS.contains(&word),
            };
        if modifies {
            self.rewrite(at, end, "");
        } else if self.typescript {
            self.mask_as_name(at, end);
        }
    }

    /// `abstract` as the name of a member or variable.
    fn name_abstract(&mut self, at: usize) {
        let next = self.scan.byte(self.scan.skip_trivia(at + 8));
        if matches!(next, Some(b'?' | b':' | b';' | b'(' | b'=' | b',' | b')' | b'.' | b'}')) {
            self.mask_as_name(at, at + 8);
        }
    }

    /// `global {…}` inside `declare module` becomes a block.
    fn global(&mut self, at: usize) {
        let scan = self.scan;
        let starts = scan.line_before(at).trim().is_empty()
            || matches!(scan.significant_before(at), Some(b'{' | b'}' | b';'));
        if starts
            && scan.byte(scan.skip_trivia(at + 6)) == Some(b'{')
            && scan.word_before(at) != "declare"
            && !matches!(scan.significant_before(at), Some(b'=' | b'(' | b',' | b':'))
        {
            self.rewrite(at, at + 6, "");
        }
    }

    /// `<in out T>`: variance annotations of a type parameter.
    fn variance(&mut self, at: usize) {
        let scan = self.scan;
        let end = scan.word_end(at);
        // A member called `in` on its own line; the grammar would join it with the line above.
        let behind = scan.text(end, end + 2);
        if scan.line_before(at).trim().is_empty() && (behind.starts_with(':') || behind == "?:") {
            return self.mask_as_name(at, end);
        }
        let before = matches!(scan.significant_before(at), Some(b'<' | b','))
            || matches!(scan.word_before(at), "in" | "const");
        let mut name = scan.skip_blanks(end);
        if !before || name == end {
            return;
        }
        if scan.text(at, end) == "in" && scan.is_word(name, "out") {
            let other = scan.skip_blanks(name + 3);
            if scan.word_end(other) > other {
                name = other;
            }
        }
        let name_end = scan.word_end(name);
        let after = scan.skip_trivia(name_end);
        let follows =
            matches!(scan.byte(after), Some(b',' | b'>' | b'=')) || scan.is_word(after, "extends");
        if name_end > name && follows && !CONTINUING_WORDS.contains(&scan.text(name, name_end)) {
            self.rewrite(at, end, "");
        }
    }

    /// A variable called `as`.
    fn variable_as(&mut self, at: usize) {
        let scan = self.scan;
        let declared = matches!(scan.word_before(at), "let" | "const" | "var");
        if declared && matches!(scan.byte(scan.skip_trivia(at + 2)), Some(b'=' | b':' | b';')) {
            self.mask_as_name(at, at + 2);
        }
    }

    /// `f<T>?.()` becomes `f<T>()`, and `a?.5:b` becomes `a? 5:b`.
    fn optional_call(&mut self, at: usize) {
        let scan = self.scan;
        match scan.byte(at + 2) {
            Some(b'(') if at > 0 && scan.byte(at - 1) == Some(b'>') => {
                self.rewrite(at, at + 2, "");
            }
            Some(b'0'..=b'9') => self.rewrite(at + 1, at + 2, ""),
            _ => {}
        }
    }

    /// Inserts `;` between members that the parser would join: before a call signature (`a: string
    /// <T>(a: T): R`), or before a computed name after a private one.
    fn missing_separator(&mut self, newline: usize) {
        let scan = self.scan;
        let open = scan.skip_blanks(newline + 1);
        if open == newline + 1 {
            return;
        }
        let separate = match scan.byte(open) {
            Some(b'<') if self.typescript => {
                let arrow = scan.text(0, newline).trim_end().ends_with("=>");
                let follows = !arrow
                    && scan.significant_before(newline).is_some_and(|byte| {
                        byte.is_ascii_alphanumeric()
                            || matches!(byte, b')' | b']' | b'}' | b'>' | b'\'' | b'"' | b'_')
                    });
                let close =
                    scan.closing_bracket_end(open).filter(|close| scan.byte(*close) == Some(b'('));
                let end =
                    close.filter(|_| follows).and_then(|close| scan.closing_bracket_end(close));
                end.is_some_and(|end| scan.byte(scan.skip_trivia(end)) == Some(b':'))
            }
            Some(b'[') if !self.typescript => {
                let above = scan.text(0, newline).trim_end();
                scan.line_before(above.len()).trim_start().strip_prefix('#').is_some_and(|name| {
                    !name.is_empty() && scan.word_before(above.len()).len() == name.len()
                })
            }
            _ => false,
        };
        if separate {
            self.rewrite(open - 1, open, ";");
        }
    }

    /// `export { a as null }`: the JavaScript grammar rejects some reserved words as export names.
    fn reserved_name(&mut self, at: usize) {
        let scan = self.scan;
        let name = scan.skip_trivia(at + 2);
        let end = scan.word_end(name);
        if end == name || !matches!(scan.byte(scan.skip_trivia(end)), Some(b',' | b'}')) {
            return;
        }
        if RESERVED_WORDS.contains(&scan.text(name, end)) {
            self.mask_as_name(name, end);
        }
        let before = scan.word_before(at);
        let start = scan.text(0, at).trim_end().len() - before.len();
        if RESERVED_WORDS.contains(&before)
            && matches!(scan.significant_before(start), Some(b'{' | b','))
        {
            self.mask_as_name(start, start + before.len());
        }
    }
}
