//! Highlight classes: what kind of token a span is, and the LSP token type for it.

/// A highlight class: an index into a fixed table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct HighlightClass(u8);

struct ClassRow {
    /// The capture name in queries. A capture with more parts belongs to the longest name that is
    /// its prefix.
    name: &'static str,
    /// The equivalent LSP token type and modifiers; `None` if themes have no equivalent.
    token: Option<(&'static str, &'static [&'static str])>,
}

const fn row(
    name: &'static str,
    token: &'static str,
    modifiers: &'static [&'static str],
) -> ClassRow {
    let token = if token.is_empty() { None } else { Some((token, modifiers)) };
    ClassRow { name, token }
}

const READONLY: &[&str] = &["readonly"];
const BUILTIN: &[&str] = &["defaultLibrary"];
const FIXED: &[&str] = &["readonly", "defaultLibrary"];

/// Sorted by name.
static ROWS: &[ClassRow] = &[
    row("attribute", "decorator", &[]),
    row("boolean", "variable", FIXED),
    row("comment", "comment", &[]),
    row("comment.documentation", "comment", &["documentation"]),
    row("constant", "variable", READONLY),
    row("constant.builtin", "variable", FIXED),
    row("constant.member", "enumMember", &[]),
    row("constructor", "class", &[]),
    row("embedded", "", &[]),
    row("error", "", &[]),
    row("escape", "", &[]),
    row("function", "function", &[]),
    row("function.builtin", "function", BUILTIN),
    row("function.macro", "macro", &[]),
    row("function.method", "method", &[]),
    row("keyword", "keyword", &[]),
    row("keyword.operator", "operator", &[]),
    row("label", "", &[]),
    row("markup.bold", "", &[]),
    row("markup.heading", "", &[]),
    row("markup.italic", "", &[]),
    row("markup.link", "", &[]),
    row("markup.list", "", &[]),
    row("markup.quote", "", &[]),
    row("markup.raw", "", &[]),
    row("markup.strikethrough", "", &[]),
    row("namespace", "namespace", &[]),
    row("number", "number", &[]),
    row("operator", "operator", &[]),
    row("property", "property", &[]),
    row("punctuation", "", &[]),
    row("string", "string", &[]),
    row("string.regexp", "regexp", &[]),
    row("string.special", "string", &[]),
    row("tag", "", &[]),
    row("tag.attribute", "", &[]),
    row("type", "type", &[]),
    row("type.builtin", "type", BUILTIN),
    row("type.class", "class", &[]),
    row("type.enum", "enum", &[]),
    row("type.interface", "interface", &[]),
    row("type.parameter", "typeParameter", &[]),
    row("type.struct", "struct", &[]),
    row("variable", "variable", &[]),
    row("variable.builtin", "variable", BUILTIN),
    row("variable.parameter", "parameter", &[]),
];

impl HighlightClass {
    /// Every class, sorted by name.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..).take(ROWS.len()).map(Self)
    }

    /// The class of a query capture: the longest name that is a prefix of it, part by part.
    pub(crate) fn from_capture(capture: &str) -> Option<Self> {
        let mut name = capture;
        loop {
            let found = ROWS.binary_search_by_key(&name, |row| row.name);
            if let Some(class) = found.ok().and_then(|at| u8::try_from(at).ok()) {
                return Some(Self(class));
            }
            name = name.rsplit_once('.')?.0;
        }
    }

    /// Its index in [`HighlightClass::all`].
    #[must_use]
    pub fn index(self) -> usize {
        self.0.into()
    }

    /// Its name in queries, for instance `function.method`.
    #[must_use]
    pub fn name(self) -> &'static str {
        ROWS[self.index()].name
    }

    /// The equivalent LSP token type and modifiers. `None` if themes have no equivalent; the
    /// editor's own highlighting is better then.
    #[must_use]
    pub fn token(self) -> Option<(&'static str, &'static [&'static str])> {
        ROWS[self.index()].token
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(ROWS.is_sorted_by_key(|row| row.name));
    }

    #[test]
    fn a_capture_belongs_to_its_longest_prefix() {
        let name = |capture| HighlightClass::from_capture(capture).map(HighlightClass::name);
        assert_eq!(name("function.method.call"), Some("function.method"));
        assert_eq!(name("function.call"), Some("function"));
        assert_eq!(name("functional"), None);
        assert_eq!(name("_local"), None);
    }
}
