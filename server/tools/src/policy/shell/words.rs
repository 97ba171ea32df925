//! Expands the words of a command line, as far as that is possible without running it.

/// A word after expansion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::policy) enum Word {
    /// Exactly this text.
    Known(String),
    /// A pattern: names of matching files, or itself. Quoted wildcards in it look like unquoted
    /// ones.
    Files(String),
    /// Unknown: no word, one, or several.
    Unknown,
}

impl Word {
    /// The text, if it is known.
    pub(in crate::policy) fn known(&self) -> Option<&str> {
        match self {
            Self::Known(word) => Some(word),
            Self::Files(_) | Self::Unknown => None,
        }
    }
}

/// What expansions of words contain.
#[derive(Debug, Default)]
pub(super) struct Expansions {
    /// The code of command substitutions.
    pub(super) code: Vec<String>,
    /// Whether shells differ in how they read it.
    pub(super) is_ambiguous: bool,
    /// Whether it may run code that is not in `code`.
    pub(super) hides_code: bool,
}

/// Expands a raw word, quotes included.
pub(super) fn parse_word(raw: &str, found: &mut Expansions) -> Word {
    let mut reader = WordReader::new(raw, found);
    reader.unquoted();
    reader.finish()
}

/// Reads text in which only expansions are special: a here-document.
pub(super) fn scan_expansions(raw: &str, found: &mut Expansions) {
    let mut reader = WordReader::new(raw, found);
    while let Some(c) = reader.next() {
        match c {
            '$' => reader.dollar(false),
            '`' => reader.backquoted(),
            '\\' => {
                reader.next();
            }
            _ => {}
        }
    }
}

/// A reader of raw words that collects their text and their expansions.
struct WordReader<'a> {
    rest: &'a str,
    found: &'a mut Expansions,
    text: String,
    is_unknown: bool,
    is_pattern: bool,
}

impl<'a> WordReader<'a> {
    fn new(raw: &'a str, found: &'a mut Expansions) -> Self {
        Self { rest: raw, found, text: String::new(), is_unknown: false, is_pattern: false }
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let c = chars.next();
        self.rest = chars.as_str();
        c
    }

    fn finish(self) -> Word {
        match self.is_pattern {
            _ if self.is_unknown => Word::Unknown,
            true => Word::Files(self.text),
            false => Word::Known(self.text),
        }
    }

    /// Gives up on the word: it may be anything and run anything.
    fn mark_unreadable(&mut self) {
        self.found.is_ambiguous = true;
        self.found.hides_code = true;
        self.is_unknown = true;
    }

    fn unquoted(&mut self) {
        while let Some(c) = self.next() {
            match c {
                '\'' => self.single_quoted(),
                '"' => self.double_quoted(),
                '$' => self.dollar(true),
                '`' => self.backquoted(),
                '\\' => match self.next() {
                    None | Some('\n') => self.mark_unreadable(),
                    Some(c) => self.text.push(c),
                },
                '*' | '?' | '[' => {
                    self.is_pattern = true;
                    self.text.push(c);
                }
                // No shell expands `{}`, the placeholder of `find` and `xargs`.
                '{' if self.rest.starts_with('}') => {
                    self.text.push_str("{}");
                    self.next();
                }
                '{' => {
                    self.found.is_ambiguous = true;
                    self.is_unknown = true;
                }
                '~' if self.text.is_empty() || self.text.ends_with(['=', ':']) => {
                    self.is_unknown = true;
                }
                '(' | ')' | '<' | '>' | '|' | '&' | ';' => self.mark_unreadable(),
                c if c.is_whitespace() => self.mark_unreadable(),
                c => self.text.push(c),
            }
        }
    }

    fn single_quoted(&mut self) {
        match self.rest.split_once('\'') {
            Some((inside, rest)) => {
                self.text.push_str(inside);
                self.rest = rest;
            }
            None => self.mark_unreadable(),
        }
    }

    fn double_quoted(&mut self) {
        loop {
            match self.next() {
                None => return self.mark_unreadable(),
                Some('"') => return,
                Some('$') => self.dollar(false),
                Some('`') => self.backquoted(),
                Some('\\') => match self.next() {
                    None | Some('\n') => return self.mark_unreadable(),
                    Some(c) => {
                        if !"$`\"\\".contains(c) {
                            self.text.push('\\');
                        }
                        self.text.push(c);
                    }
                },
                Some(c) => self.text.push(c),
            }
        }
    }

    /// Reads the expansion after a `$`.
    fn dollar(&mut self, is_unquoted: bool) {
        let first = self.rest.chars().next();
        match first {
            Some('(') if self.rest.starts_with("((") => {
                // Arithmetic evaluates subscripts, which may run commands.
                self.found.is_ambiguous = true;
                self.is_unknown = true;
                match closing_bracket(&self.rest[1..], '(', ')') {
                    Some(end) => {
                        self.found.hides_code |= !is_constant_arithmetic(&self.rest[1..=end]);
                        self.rest = &self.rest[end + 2..];
                    }
                    None => self.mark_unreadable(),
                }
            }
            Some('(') => match closing_bracket(&self.rest[1..], '(', ')') {
                Some(end) => {
                    let inside = self.rest[1..=end].to_owned();
                    self.rest = &self.rest[end + 2..];
                    self.add_code(inside);
                }
                None => self.mark_unreadable(),
            },
            Some('{') => match self.rest.split_once('}') {
                Some((inside, rest)) => {
                    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
                    if !inside[1..].chars().all(is_name) {
                        self.found.is_ambiguous = true;
                        let harmless = |c: char| is_name(c) || ":-=+%#/.,*? ".contains(c);
                        self.found.hides_code |= !inside[1..].chars().all(harmless);
                    }
                    self.is_unknown = true;
                    self.rest = rest;
                }
                None => self.mark_unreadable(),
            },
            Some('\'' | '"') if is_unquoted => self.extended_quotes(),
            Some('[') => self.mark_unreadable(),
            Some(c) if c.is_ascii_alphanumeric() || "_@*#?-$!".contains(c) => {
                self.is_unknown = true;
                let name = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let end = match c {
                    'a'..='z' | 'A'..='Z' | '_' => self.rest.find(|c| !name(c)),
                    _ => Some(1),
                };
                self.rest = &self.rest[end.unwrap_or(self.rest.len())..];
            }
            _ => self.text.push('$'),
        }
    }

    /// `$'…'` and `$"…"`, which only some shells support.
    fn extended_quotes(&mut self) {
        self.found.is_ambiguous = true;
        self.is_unknown = true;
        if self.next() == Some('"') {
            return self.double_quoted();
        }
        loop {
            match self.next() {
                None => return self.mark_unreadable(),
                Some('\'') => return,
                Some('\\') => {
                    self.next();
                }
                Some(_) => {}
            }
        }
    }

    /// Reads a substitution in backquotes.
    fn backquoted(&mut self) {
        match self.rest.split_once('`') {
            Some((inside, rest)) if !inside.contains('\\') => {
                self.rest = rest;
                self.add_code(inside.to_owned());
            }
            _ => {
                self.mark_unreadable();
                self.rest = "";
            }
        }
    }

    /// Adds the code of a command substitution.
    fn add_code(&mut self, inside: String) {
        self.is_unknown = true;
        // The end of a substitution is certain only if nothing in it could hide it.
        self.found.is_ambiguous |=
            inside.contains(['\'', '"', '#', '(', ')', '\\', '`', '$', '\n', '<']);
        self.found.code.push(inside);
    }
}

/// Whether `text`, including its brackets, is an arithmetic expression of constants. Names may
/// stand for expressions that run commands.
fn is_constant_arithmetic(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_digit() || " +-*/%<>=!&|^~?:,()".contains(c);
    let inside = text.strip_prefix('(').unwrap_or(")");
    closing_bracket(inside, '(', ')') == inside.len().checked_sub(1) && text.chars().all(is_plain)
}

/// The offset in `text` of the bracket that closes one opened before it; quoted brackets do not
/// count.
fn closing_bracket(text: &str, open: char, close: char) -> Option<usize> {
    let (mut depth, mut quote) = (1usize, None);
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match quote {
            Some('\'') if c != '\'' => continue,
            _ => {}
        }
        match c {
            '\\' => {
                chars.next();
            }
            '\'' | '"' if quote.is_none() => quote = Some(c),
            c if Some(c) == quote => quote = None,
            _ if quote.is_some() => {}
            c if c == open => depth += 1,
            c if c == close => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(raw: &str) -> (Word, Expansions) {
        let mut found = Expansions::default();
        (parse_word(raw, &mut found), found)
    }

    #[test]
    fn words_are_unquoted() {
        for (raw, text) in [
            ("git", "git"),
            ("g\"\"it", "git"),
            ("g''i\\t", "git"),
            ("\"a b\"'c d'\\ e", "a bc d e"),
            ("\"a\\b\\\"\\$\"", "a\\b\"$"),
            ("{}", "{}"),
            ("a#b", "a#b"),
            ("100$", "100$"),
            ("''", ""),
            ("--x=~", "--x=~"),
        ] {
            if raw == "--x=~" {
                assert_eq!(read(raw).0, Word::Unknown, "some shells expand it");
                continue;
            }
            let (word, found) = read(raw);
            assert_eq!(word, Word::Known(text.to_owned()), "{raw}");
            assert!(!found.is_ambiguous && !found.hides_code && found.code.is_empty(), "{raw}");
        }
        assert_eq!(read("src/*.rs").0, Word::Files("src/*.rs".to_owned()));
    }

    #[test]
    fn expansions_are_unknown() {
        for raw in
            ["$X", "${X}", "a$X", "\"$X\"", "~", "~root/x", "{a,b}", "$'\\x72m'", "$\"x\"", "$@"]
        {
            assert_eq!(read(raw).0, Word::Unknown, "{raw}");
        }
        for raw in [
            "${X:-$(rm)}",
            "${X@P}",
            "$((a[$(rm)]))",
            "${a[`rm`]}",
            "`a \\`b\\``",
            "a\\\nb",
            "$[1]",
        ] {
            let (word, found) = read(raw);
            assert!(word == Word::Unknown && found.hides_code, "{raw}: {found:?}");
        }
    }

    #[test]
    fn arithmetic_hides_code_unless_it_is_constant() {
        for (raw, hides) in [
            ("$((1+2))", false),
            ("a$(( (1 + 2) * 3 ))b", false),
            ("\"$((1<<4))\"", false),
            ("$((x))", true),
            ("$((a[1]))", true),
            ("$((1+`rm`))", true),
            ("$((1+$(rm)))", true),
            ("$((rm) | (rm))", true),
            ("$((1) ; (2))", true),
            ("$((1)", true),
            ("$((1+2)) )", true),
        ] {
            let (word, found) = read(raw);
            assert_eq!((word, found.hides_code), (Word::Unknown, hides), "{raw}");
            assert!(found.is_ambiguous, "{raw}");
        }
    }

    #[test]
    fn substitutions_are_found_anywhere() {
        for (raw, code, is_ambiguous) in [
            ("$(rm x)", "rm x", false),
            ("a\"b$(rm x)c\"", "rm x", false),
            ("`rm x`", "rm x", false),
            ("$(echo $(rm))", "echo $(rm)", true),
            ("$(echo ')' rm)", "echo ')' rm", true),
        ] {
            let (word, found) = read(raw);
            assert_eq!(
                (word, found.code, found.is_ambiguous),
                (Word::Unknown, vec![code.into()], is_ambiguous)
            );
        }
    }
}
