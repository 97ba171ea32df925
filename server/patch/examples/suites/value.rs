//! Values of expressions in test sources, as far as they are known without running them.

/// A value; `Unknown` if it depends on a mock, a helper or a library.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum Value {
    #[default]
    Unknown,
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Value>),
    Map(Vec<(String, Value)>),
    /// The result of the call that made this case.
    Outcome(usize),
    /// The same, if it is a message and not the text.
    Report(usize),
    /// A field of such a result.
    Field(usize, String),
    /// The current content of a file.
    File(String),
}

impl Value {
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn list(&self) -> &[Self] {
        match self {
            Self::List(values) => values,
            _ => &[],
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Map(entries) => entries.iter().find(|(name, _)| name == key).map(|(_, v)| v),
            _ => None,
        }
    }

    /// The first of some fields that is a text.
    pub(crate) fn first_text(&self, keys: &[&str]) -> Option<String> {
        keys.iter().find_map(|key| self.get(key)?.text().map(str::to_owned))
    }

    /// The case whose call gave this, or a field of it.
    pub(crate) fn case(&self) -> Option<usize> {
        match self {
            Self::Outcome(case) | Self::Report(case) | Self::Field(case, _) => Some(*case),
            _ => None,
        }
    }

    /// A method of strings and lists, by its name in either language.
    pub(crate) fn method(&self, name: &str, arguments: &[Self]) -> Self {
        let first = arguments.first().and_then(Self::text);
        let second = arguments.get(1).and_then(Self::text);
        match (self, name) {
            (Self::List(_), "join") => joined(first.unwrap_or(","), self),
            (Self::Text(between), "join") => {
                arguments.first().map_or(Self::Unknown, |list| joined(between, list))
            }
            (Self::Text(text), "trim" | "strip") => Self::Text(text.trim().to_owned()),
            (Self::Text(text), "trimStart" | "lstrip") => Self::Text(text.trim_start().to_owned()),
            (Self::Text(text), "trimEnd" | "rstrip") => Self::Text(text.trim_end().to_owned()),
            (Self::Text(text), "toString") => Self::Text(text.clone()),
            (Self::Text(text), "repeat") => match arguments.first() {
                Some(Self::Number(times)) if *times <= REPEATED => {
                    Self::Text(text.repeat(*times as usize))
                }
                _ => Self::Unknown,
            },
            (Self::Text(text), "replace") => match (first, second) {
                (Some(from), Some(to)) => Self::Text(text.replacen(from, to, 1)),
                _ => Self::Unknown,
            },
            (Self::Text(text), "replaceAll") => match (first, second) {
                (Some(from), Some(to)) => Self::Text(text.replace(from, to)),
                _ => Self::Unknown,
            },
            (Self::Text(text), "split") => match first {
                Some(at) if !at.is_empty() => {
                    Self::List(text.split(at).map(|part| Self::Text(part.to_owned())).collect())
                }
                _ => Self::Unknown,
            },
            _ => Self::Unknown,
        }
    }

    /// The sum of two values: strings and lists are put together.
    pub(crate) fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Text(one), Self::Text(other)) => Self::Text(one + &other),
            (Self::List(mut one), Self::List(other)) => {
                one.extend(other);
                Self::List(one)
            }
            _ => Self::Unknown,
        }
    }
}

/// A test that repeats a text more often wants something huge, not a case.
const REPEATED: f64 = 100_000.0;

fn joined(between: &str, list: &Value) -> Value {
    let Value::List(parts) = list else { return Value::Unknown };
    let parts: Option<Vec<&str>> = parts.iter().map(Value::text).collect();
    parts.map_or(Value::Unknown, |parts| Value::Text(parts.join(between)))
}

/// The text of a literal without its escapes. Python keeps the backslash of an unknown escape.
pub(crate) fn unescaped(escape: &str, python: bool) -> String {
    let body = escape.strip_prefix('\\').unwrap_or(escape);
    let hex = |digits: &str| {
        u32::from_str_radix(digits, 16)
            .ok()
            .and_then(char::from_u32)
            .unwrap_or('\u{fffd}')
            .to_string()
    };
    match body.chars().next() {
        Some('n') => "\n".to_owned(),
        Some('t') => "\t".to_owned(),
        Some('r') => "\r".to_owned(),
        Some('0') if body.len() == 1 => "\0".to_owned(),
        Some('b') => "\u{8}".to_owned(),
        Some('f') => "\u{c}".to_owned(),
        Some('v') => "\u{b}".to_owned(),
        Some('\n' | '\r') => String::new(),
        Some('x' | 'u' | 'U') => hex(body[1..].trim_matches(['{', '}'])),
        Some('\\' | '\'' | '"' | '`' | '$') | None => body.to_owned(),
        Some(_) if python => escape.to_owned(),
        Some(_) => body.to_owned(),
    }
}
