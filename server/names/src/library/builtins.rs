//! Builtin names of languages (`dict`, `Vec`, `string`), from `queries/<language>/builtins.txt`.

use std::ops::Range;
use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use syntax::Syntax;

use super::members;

/// A builtin name of a language.
#[derive(Debug, PartialEq, Eq)]
pub struct Builtin {
    /// The name.
    pub name: &'static str,
    /// Its kind, for instance `class`.
    pub kind: &'static str,
    /// Its declaration.
    pub signature: &'static str,
    /// A one-sentence description.
    pub text: &'static str,
    /// Members that the language's member table lacks.
    members: &'static str,
    language: &'static str,
}

impl Builtin {
    /// Whether it has a member; meaningful only for classes.
    pub(crate) fn has_member(&self, name: &str) -> bool {
        let special = name.starts_with("__") && name.ends_with("__");
        special
            || self.members.split(' ').any(|member| member == name)
            || members::has_member(self.language, self.name, name)
    }
}

const PYTHON: &str = include_str!("../../../../queries/python/builtins.txt");
const TYPESCRIPT: &str = include_str!("../../../../queries/typescript/builtins.txt");
const RUST: &str = include_str!("../../../../queries/rust/builtins.txt");
const C: &str = include_str!("../../../../queries/c/builtins.txt");
const JAVA: &str = include_str!("../../../../queries/java/builtins.txt");

/// The tables by language.
const TEXTS: [(&str, &str); 5] =
    [("python", PYTHON), ("typescript", TYPESCRIPT), ("rust", RUST), ("c", C), ("java", JAVA)];

type Table = FxHashMap<&'static str, Builtin>;

/// The builtin of a language with a given name.
pub(crate) fn builtin(language: &str, name: &str) -> Option<&'static Builtin> {
    static TABLES: OnceLock<[Table; 5]> = OnceLock::new();
    let tables = TABLES.get_or_init(|| TEXTS.map(|(language, text)| table(language, text)));
    let number = match language {
        "python" => 0,
        "typescript" | "tsx" | "javascript" => 1,
        "rust" => 2,
        "c" | "cpp" => 3,
        "java" => 4,
        _ => return None,
    };
    tables[number].get(name)
}

fn table(language: &'static str, text: &'static str) -> Table {
    let line = |line: &'static str| {
        let mut fields = line.split('\t');
        let name = fields.next()?;
        let (kind, signature, text) = (fields.next()?, fields.next()?, fields.next()?);
        let members = fields.next().unwrap_or("");
        Some((name, Builtin { name, kind, signature, text, members, language }))
    };
    text.lines().filter(|l| !l.starts_with('#')).filter_map(line).collect()
}

/// The builtin that the name at a byte offset refers to, if it is in a position that can: not a
/// member, a keyword argument or text. Definitions that shadow it are not considered.
#[must_use]
pub fn builtin_at(syntax: &Syntax, offset: usize) -> Option<(Range<usize>, &'static Builtin)> {
    let root = syntax.root();
    // At the end of a name, that name is meant.
    let at = |offset: usize| root.named_descendant_for_byte_range(offset, offset);
    let is_name = |kind: &str| {
        matches!(kind, "identifier" | "type_identifier" | "predefined_type" | "primitive_type")
            || kind.ends_with("_type") && kind != "generic_type"
    };
    let node = at(offset).filter(|n| is_name(n.kind()) && n.named_child_count() == 0);
    let node = node.or_else(|| at(offset.checked_sub(1)?).filter(|n| is_name(n.kind())))?;
    if node.named_child_count() > 0 {
        return None;
    }
    if let Some(parent) = node.parent() {
        let field = |name| parent.child_by_field_name(name).is_some_and(|n| n.id() == node.id());
        let member = parent.kind() == "attribute" && field("attribute");
        let argument = parent.kind() == "keyword_argument" && field("name");
        if member || argument {
            return None;
        }
    }
    let name = syntax.text().slice(node.byte_range());
    Some((node.byte_range(), builtin(syntax.language().id(), &name)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_builtin_table_line_is_parsed() {
        for (language, text) in TEXTS {
            let lines = text.lines().filter(|l| !l.starts_with('#'));
            let table = table(language, text);
            assert_eq!(table.len(), lines.count());
            assert!(table.values().all(|b| !b.signature.is_empty() && b.text.ends_with('.')));
        }
        assert!(builtin("python", "dict").unwrap().has_member("keys"));
        assert!(!builtin("python", "dict").unwrap().has_member("append"));
        assert!(builtin("typescript", "Array").unwrap().has_member("push"));
    }
}
