//! One word of a command line: what it is once quotes and expansions are done, as far as that can
//! be told.

/// A word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::policy) enum Word {
    /// It is this.
    Known(String),
    /// It stands for names of files that match this, or for itself. What is quoted in it may look
    /// like a pattern as well.
    Files(String),
    /// It may be anything: no word, one, or several.
    Unknown,
}

impl Word {
    /// What it is, where that can be told.
    pub(in crate::policy) fn known(&self) -> Option<&str> {
        match self {
            Self::Known(word) => Some(word),
            Self::Files(_) | Self::Unknown => None,
        }
    }
}

/// What is found on the way through words.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The code of command substitutions.
    pub(super) code: Vec<String>,
    /// Something that shells read in different ways.
    pub(super) is_odd: bool,
    /// Something that may run what cannot be seen.
    pub(super) hides_code: bool,
}

/// Reads a word as it is written, quotes included.
pub(super) fn word(raw: &str, found: &mut Found) -> Word {
    let mut reader = Reader::new(raw, found);
    reader.unquoted();
    reader.done()
}

/// Reads text in which only expansions are special, as in a here-document.
pub(super) fn expansions(raw: &str, found: &mut Found) {
    let mut reader = Reader::new(raw, found);
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

struct Reader<'a> {
    rest: &'a str,
    found: &'a mut Found,
    text: String,
    is_unknown: bool,
    is_pattern: bool,
}

impl<'a> Reader<'a> {
    fn new(raw: &'a str, found: &'a mut Found) -> Self {
        Self { rest: raw, found, text: String::new(), is_unknown: false, is_pattern: false }
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let c = chars.next();
        self.rest = chars.as_str();
        c
    }

    fn done(self) -> Word {
        match self.is_pattern {
            _ if self.is_unknown => Word::Unknown,
            true => Word::Files(self.text),
            false => Word::Known(self.text),
        }
    }

    fn hidden(&mut self) {
        self.found.is_odd = true;
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
                    None | Some('\n') => self.hidden(),
                    Some(c) => self.text.push(c),
                },
                '*' | '?' | '[' => {
                    self.is_pattern = true;
                    self.text.push(c);
                }
                // Left alone by every shell: what `find` and `xargs` put names for.
                '{' if self.rest.starts_with('}') => {
                    self.text.push_str("{}");
                    self.next();
                }
                '{' => {
                    self.found.is_odd = true;
                    self.is_unknown = true;
                }
                '~' if self.text.is_empty() || self.text.ends_with(['=', ':']) => {
                    self.is_unknown = true;
                }
                '(' | ')' | '<' | '>' | '|' | '&' | ';' => self.hidden(),
                c if c.is_whitespace() => self.hidden(),
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
            None => self.hidden(),
        }
    }

    fn double_quoted(&mut self) {
        loop {
            match self.next() {
                None => return self.hidden(),
                Some('"') => return,
                Some('$') => self.dollar(false),
                Some('`') => self.backquoted(),
                Some('\\') => match self.next() {
                    None | Some('\n') => return self.hidden(),
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

    /// What follows a `$`.
    fn dollar(&mut self, is_unquoted: bool) {
        let first = self.rest.chars().next();
        match first {
            Some('(') if self.rest.starts_with("((") => {
                // An arithmetic expression evaluates the subscripts in it, which may run programs.
                self.found.is_odd = true;
                self.is_unknown = true;
                match closing(&self.rest[1..], '(', ')') {
                    Some(end) => {
                        self.found.hides_code |= !is_plain_sum(&self.rest[1..=end]);
                        self.rest = &self.rest[end + 2..];
                    }
                    None => self.hidden(),
                }
            }
            Some('(') => match closing(&self.rest[1..], '(', ')') {
                Some(end) => {
                    let inside = self.rest[1..=end].to_owned();
                    self.rest = &self.rest[end + 2..];
                    self.code(inside);
                }
                None => self.hidden(),
            },
            Some('{') => match self.rest.split_once('}') {
                Some((inside, rest)) => {
                    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
                    if !inside[1..].chars().all(is_name) {
                        self.found.is_odd = true;
                        let harmless = |c: char| is_name(c) || ":-=+%#/.,*? ".contains(c);
                        self.found.hides_code |= !inside[1..].chars().all(harmless);
                    }
                    self.is_unknown = true;
                    self.rest = rest;
                }
                None => self.hidden(),
            },
            Some('\'' | '"') if is_unquoted => self.odd_quotes(),
            Some('[') => self.hidden(),
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

    /// `$'…'` and `$"…"`, which not every shell knows.
    fn odd_quotes(&mut self) {
        self.found.is_odd = true;
        self.is_unknown = true;
        if self.next() == Some('"') {
            return self.double_quoted();
        }
        loop {
            match self.next() {
                None => return self.hidden(),
                Some('\'') => return,
                Some('\\') => {
                    self.next();
                }
                Some(_) => {}
            }
        }
    }

    fn backquoted(&mut self) {
        match self.rest.split_once('`') {
            Some((inside, rest)) if !inside.contains('\\') => {
                self.rest = rest;
                self.code(inside.to_owned());
            }
            _ => {
                self.hidden();
                self.rest = "";
            }
        }
    }

    fn code(&mut self, inside: String) {
        self.is_unknown = true;
        // Where a substitution ends is beyond doubt only if nothing in it could hide its end.
        self.found.is_odd |= inside.contains(['\'', '"', '#', '(', ')', '\\', '`', '$', '\n', '<']);
        self.found.code.push(inside);
    }
}

/// Whether `text`, brackets included, is an arithmetic expression that runs nothing. Names in it may
/// stand for expressions that do.
fn is_plain_sum(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_digit() || " +-*/%<>=!&|^~?:,()".contains(c);
    let inside = text.strip_prefix('(').unwrap_or(")");
    closing(inside, '(', ')') == inside.len().checked_sub(1) && text.chars().all(is_plain)
}

/// The place in `text` of the bracket that closes one opened before it, brackets in quotes left
/// out.
fn closing(text: &str, open: char, close: char) -> Option<usize> {
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

    fn read(raw: &str) -> (Word, Found) {
        let mut found = Found::default();
        (word(raw, &mut found), found)
    }

    #[test]
    fn words_are_what_the_shell_makes_of_them() {
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
            assert!(!found.is_odd && !found.hides_code && found.code.is_empty(), "{raw}");
        }
        assert_eq!(read("src/*.rs").0, Word::Files("src/*.rs".to_owned()));
    }

    #[test]
    fn what_cannot_be_told_is_unknown() {
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
    fn sums_run_nothing_unless_they_could() {
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
            assert!(found.is_odd, "{raw}");
        }
    }

    #[test]
    fn substitutions_are_found_wherever_they_stand() {
        for (raw, code, is_odd) in [
            ("$(rm x)", "rm x", false),
            ("a\"b$(rm x)c\"", "rm x", false),
            ("`rm x`", "rm x", false),
            ("$(echo $(rm))", "echo $(rm)", true),
            ("$(echo ')' rm)", "echo ')' rm", true),
        ] {
            let (word, found) = read(raw);
            assert_eq!(
                (word, found.code, found.is_odd),
                (Word::Unknown, vec![code.into()], is_odd)
            );
        }
    }
}
