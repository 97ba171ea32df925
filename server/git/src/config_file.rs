//! Parses git's settings files. Includes are not followed, values not interpreted.

/// One setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Setting {
    /// Its section, in lower case.
    pub(crate) section: String,
    /// Its subsection, as written.
    pub(crate) subsection: Option<String>,
    /// Its name, in lower case.
    pub(crate) name: String,
    /// Its value; `None` where it has no `=`, which means true.
    pub(crate) value: Option<String>,
}

impl Setting {
    /// Whether section and name match, whatever the subsection.
    pub(crate) fn is_named(&self, section: &str, name: &str) -> bool {
        self.section == section && self.name == name
    }

    /// Whether the value means true.
    pub(crate) fn is_true(&self) -> bool {
        self.value.as_deref().is_none_or(|value| {
            matches!(value.to_ascii_lowercase().as_str(), "true" | "yes" | "on" | "1")
        })
    }
}

/// Parses the settings in `text`, in order. Stops at the first syntax error, where git would fail:
/// settings before it count. O(text).
pub(crate) fn parse_config(text: &[u8]) -> Vec<Setting> {
    let text = String::from_utf8_lossy(text);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut reader = Reader { rest: text.chars().peekable() };
    let mut found = Vec::new();
    let (mut section, mut subsection) = (String::new(), None);
    loop {
        reader.skip_blank();
        match reader.rest.peek() {
            None => return found,
            Some('[') => match reader.header() {
                Some(header) => (section, subsection) = header,
                None => return found,
            },
            Some('#' | ';') => reader.skip_line(),
            Some(_) => {
                let Some((name, value)) = reader.setting() else { return found };
                let (section, subsection) = (section.clone(), subsection.clone());
                found.push(Setting { section, subsection, name, value });
            }
        }
    }
}

struct Reader<'t> {
    rest: std::iter::Peekable<std::str::Chars<'t>>,
}

impl Reader<'_> {
    fn skip_blank(&mut self) {
        while self.rest.next_if(|c| c.is_whitespace()).is_some() {}
    }

    fn skip_line(&mut self) {
        while self.rest.next().is_some_and(|c| c != '\n') {}
    }

    /// `[section]`, `[section "subsection"]` or `[section.subsection]`.
    fn header(&mut self) -> Option<(String, Option<String>)> {
        self.rest.next();
        let mut section = String::new();
        loop {
            match self.rest.next()? {
                ']' => {
                    let (section, below) = match section.split_once('.') {
                        Some((section, below)) => (section, Some(below.to_ascii_lowercase())),
                        None => (section.as_str(), None),
                    };
                    return Some((section.to_ascii_lowercase(), below));
                }
                ' ' | '\t' => break,
                c if c.is_ascii_alphanumeric() || c == '-' || c == '.' => section.push(c),
                _ => return None,
            }
        }
        while self.rest.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
        (self.rest.next()? == '"').then_some(())?;
        let mut subsection = String::new();
        loop {
            match self.rest.next()? {
                '"' => break,
                '\\' => subsection.push(self.rest.next()?),
                '\n' => return None,
                c => subsection.push(c),
            }
        }
        (self.rest.next()? == ']').then_some(())?;
        Some((section.to_ascii_lowercase(), Some(subsection)))
    }

    fn setting(&mut self) -> Option<(String, Option<String>)> {
        let mut name = String::new();
        while let Some(c) = self.rest.next_if(|c| c.is_ascii_alphanumeric() || *c == '-') {
            name.push(c.to_ascii_lowercase());
        }
        if name.is_empty() {
            return None;
        }
        while self.rest.next_if(|c| matches!(c, ' ' | '\t' | '\r')).is_some() {}
        match self.rest.peek() {
            None | Some('\n') => Some((name, None)),
            Some('#' | ';') => {
                self.skip_line();
                Some((name, None))
            }
            Some('=') => {
                self.rest.next();
                Some((name, Some(self.value()?)))
            }
            Some(_) => None,
        }
    }

    fn value(&mut self) -> Option<String> {
        while self.rest.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
        let (mut value, mut length, mut is_quoted) = (String::new(), 0, false);
        loop {
            match self.rest.next() {
                None | Some('\n') => break,
                Some('"') => {
                    is_quoted = !is_quoted;
                    length = value.len();
                }
                Some('\\') => {
                    match self.rest.next()? {
                        '\n' => continue,
                        '\r' if self.rest.next_if_eq(&'\n').is_some() => continue,
                        'n' => value.push('\n'),
                        't' => value.push('\t'),
                        'b' => value.push('\u{8}'),
                        c @ ('"' | '\\') => value.push(c),
                        _ => return None,
                    }
                    length = value.len();
                }
                Some('#' | ';') if !is_quoted => {
                    self.skip_line();
                    break;
                }
                Some(c) => {
                    value.push(c);
                    if is_quoted || !c.is_whitespace() {
                        length = value.len();
                    }
                }
            }
        }
        value.truncate(length);
        Some(value)
    }
}

/// Formats a setting so that [`parse_config`] and git parse it back.
pub(crate) fn format_setting(setting: &Setting) -> String {
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let header = match &setting.subsection {
        Some(subsection) => format!("[{} \"{}\"]", setting.section, quoted(subsection)),
        None => format!("[{}]", setting.section),
    };
    match &setting.value {
        Some(value) => {
            let value = quoted(value).replace('\n', "\\n").replace('\t', "\\t");
            format!("{header}\n\t{} = \"{value}\"\n", setting.name)
        }
        None => format!("{header}\n\t{}\n", setting.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted(text: &str) -> Vec<String> {
        let formatted = |s: Setting| {
            let sub = s.subsection.map(|s| format!(".{s}")).unwrap_or_default();
            format!("{}{sub}.{}={:?}", s.section, s.name, s.value)
        };
        parse_config(text.as_bytes()).into_iter().map(formatted).collect()
    }

    #[test]
    fn settings_are_read_as_git_reads_them() {
        let text = "# c\n[User]\n\tName = A \"B \" C ; c\n email=x\\\n  y\n[Filter \"a\\\"B\"] Clean\n\
                    [branch.X]\nremote = \"a#b\" # c\n[core]\nworktree =\n";
        assert_eq!(
            formatted(text),
            [
                "user.name=Some(\"A B  C\")",
                "user.email=Some(\"x  y\")",
                "filter.a\"B.clean=None",
                "branch.x.remote=Some(\"a#b\")",
                "core.worktree=Some(\"\")",
            ]
        );
    }

    #[test]
    fn a_formatted_setting_parses_back() {
        let text = "[a \"b\\\\\\\"c\"]\n d = \"x\\n\\ty \\\\ \\\" ;#\"\n [e]\n f\n";
        let read = parse_config(text.as_bytes());
        assert_eq!(read.len(), 2);
        let again: String = read.iter().map(format_setting).collect();
        assert_eq!(parse_config(again.as_bytes()), read);
    }

    #[test]
    fn parsing_stops_at_a_syntax_error() {
        for text in ["[a]\nb=1\n[c", "[a]\nb=1\n=", "[a]\nb=1\n[x \"y\n\"]\nz=1", "[a]\nb=1\nc=\\x"]
        {
            assert_eq!(formatted(text), ["a.b=Some(\"1\")"], "{text}");
        }
    }
}
