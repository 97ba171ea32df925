//! Members of builtin types, from `queries/<language>/members.txt`.
//!
//! A table has the names of a type in brackets, then one member per line in the language's syntax:
//! `name(parameters) -> type` or `name: type`.

use std::rc::Rc;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::java;
use crate::resolve::Ty;

/// Depth limit of types in a table: bounds the stack.
const MAX_DEPTH: u32 = 8;

/// A member of a builtin type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) name: &'static str,
    /// The whole line, as people read it.
    pub(crate) signature: &'static str,
    /// The first name of its type in the table.
    pub(crate) of: &'static str,
}

impl Member {
    pub(crate) fn is_callable(&self) -> bool {
        self.signature[self.name.len()..].starts_with('(')
    }

    /// Its type as written, or its return type.
    fn written(&self) -> Option<&'static str> {
        let rest = &self.signature[self.name.len()..];
        if !self.is_callable() {
            return rest.strip_prefix(": ");
        }
        let end = rest.rfind(") -> ").map(|at| at + 5).or_else(|| Some(rest.rfind("): ")? + 3))?;
        Some(&rest[end..])
    }
}

#[derive(Default)]
struct Table {
    /// The members of a type, by each of its names.
    types: FxHashMap<&'static str, Vec<Member>>,
}

impl Table {
    fn read(text: &'static str) -> Self {
        let mut table = Self::default();
        let mut names: Vec<&str> = Vec::new();
        for line in text.lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
            if let Some(header) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
                names = header.split_whitespace().collect();
                continue;
            }
            let end = line.find(['(', ':']).unwrap_or(line.len());
            for name in &names {
                let member = Member { name: &line[..end], signature: line, of: names[0] };
                table.types.entry(name).or_default().push(member);
            }
        }
        table
    }
}

/// The table of a language, if it has one.
fn table(language: &str) -> Option<&'static Table> {
    macro_rules! tables {
        ($($folder:literal: $($language:literal)|+),+) => {
            match language {
                $($($language)|+ => {
                    static TABLE: LazyLock<Table> = LazyLock::new(|| {
                        Table::read(include_str!(concat!(
                            "../../../../queries/", $folder, "/members.txt"
                        )))
                    });
                    Some(&TABLE)
                })+
                _ => None,
            }
        };
    }
    tables!(
        "python": "python",
        "typescript": "typescript" | "tsx" | "javascript",
        "rust": "rust",
        "java": "java"
    )
}

/// The names under which a language's table has sequences and tuples.
fn sequence(language: &str) -> (&'static str, &'static str) {
    match language {
        "python" => ("list", "tuple"),
        "rust" => ("Vec", ""),
        "java" => ("array", ""),
        _ => ("Array", "Array"),
    }
}

/// The members of a value of a builtin type. O(members).
pub(crate) fn members_of(language: &str, ty: &Ty) -> Vec<Member> {
    let Some(table) = table(language) else { return Vec::new() };
    let (array, tuple) = sequence(language);
    let name = match ty {
        Ty::Named(name, _) => &**name,
        Ty::Array(_) => array,
        Ty::Tuple(_) => tuple,
        _ => return Vec::new(),
    };
    if language == "java" {
        let inherited = table.types.iter().filter(|(above, _)| java::is_subtype(name, above));
        let mut all: Vec<Member> = inherited.flat_map(|(_, members)| members).copied().collect();
        // Its own members before inherited ones.
        all.sort_by_key(|m| (m.of != name, m.of, m.name));
        return all;
    }
    table.types.get(name).cloned().unwrap_or_default()
}

/// Whether a language's table has a type.
pub(crate) fn has_type(language: &str, name: &str) -> bool {
    table(language).is_some_and(|table| table.types.contains_key(name))
}

/// Whether a language's table has a member.
pub(crate) fn has_member(language: &str, of: &str, name: &str) -> bool {
    let members = table(language).and_then(|table| table.types.get(of));
    members.is_some_and(|members| members.iter().any(|member| member.name == name))
}

/// The type of a member according to the tables.
pub(crate) fn member_type(language: &str, ty: &Ty, name: &str) -> Option<Ty> {
    // Rust and Java have tables of their own that also depend on arguments.
    if !matches!(language, "python" | "typescript" | "tsx" | "javascript") {
        return None;
    }
    let member = members_of(language, ty).into_iter().find(|m| m.name == name)?;
    let own: &[Ty] = match ty {
        Ty::Named(_, own) => own,
        Ty::Array(element) => std::slice::from_ref(&**element),
        _ => &[],
    };
    let given = TypeParser { rest: member.written()?, own }.union(MAX_DEPTH);
    Some(match member.is_callable() {
        true => Ty::Signature(Rc::new(given), Rc::new([])),
        false => given,
    })
}

/// A parser for types as the tables write them.
struct TypeParser<'o> {
    rest: &'static str,
    own: &'o [Ty],
}

impl TypeParser<'_> {
    fn union(&mut self, depth: u32) -> Ty {
        let mut all = Vec::new();
        loop {
            let one = self.one(depth);
            // `None` and `null` have no members.
            if !matches!(one, Ty::Unknown) {
                all.push(one);
            }
            self.rest = self.rest.trim_start();
            match self.rest.strip_prefix('|') {
                Some(rest) => self.rest = rest,
                None => break,
            }
        }
        if all.is_empty() { Ty::External } else { Ty::union(all) }
    }

    /// Parses a type without `|`.
    fn one(&mut self, depth: u32) -> Ty {
        self.rest = self.rest.trim_start();
        if let Some(rest) = self.rest.strip_prefix('[') {
            self.rest = rest;
            return Ty::Tuple(self.list(']', depth).into());
        }
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '.');
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        let arguments = match self.rest.chars().next() {
            Some('[') if !self.rest.starts_with("[]") => self.bracket(']', depth),
            Some('<') => self.bracket('>', depth),
            _ => Vec::new(),
        };
        let mut ty = self.named(word, arguments);
        while let Some(rest) = self.rest.strip_prefix("[]") {
            self.rest = rest;
            ty = Ty::Array(Rc::new(ty));
        }
        ty
    }

    fn bracket(&mut self, close: char, depth: u32) -> Vec<Ty> {
        self.rest = &self.rest[1..];
        self.list(close, depth)
    }

    fn list(&mut self, close: char, depth: u32) -> Vec<Ty> {
        let mut all = Vec::new();
        let Some(depth) = depth.checked_sub(1) else { return all };
        loop {
            all.push(self.union(depth));
            self.rest = self.rest.trim_start();
            if let Some(rest) = self.rest.strip_prefix(',') {
                self.rest = rest;
            } else {
                self.rest = self.rest.strip_prefix(close).unwrap_or(self.rest);
                break;
            }
        }
        all
    }

    fn named(&self, word: &'static str, arguments: Vec<Ty>) -> Ty {
        let own = |n: usize| self.own.get(n).cloned().unwrap_or(Ty::External);
        match word {
            "T" | "K" => own(0),
            "V" => own(self.own.len().saturating_sub(1)),
            "undefined" | "null" | "None" | "void" => Ty::Unknown,
            "U" | "any" | "unknown" | "" => Ty::External,
            "string" => Ty::Named("str".into(), Ty::no_arguments()),
            "number" => Ty::Named("int".into(), Ty::no_arguments()),
            "boolean" => Ty::Named("bool".into(), Ty::no_arguments()),
            "tuple" => Ty::Tuple(arguments.into()),
            "list" | "Array" => {
                Ty::Array(Rc::new(arguments.into_iter().next().unwrap_or(Ty::External)))
            }
            name => Ty::Named(name.into(), arguments.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, arguments: &[Ty]) -> Ty {
        Ty::Named(name.into(), arguments.into())
    }

    fn called(language: &str, ty: &Ty, name: &str) -> String {
        match member_type(language, ty, name).expect("a member") {
            Ty::Signature(returns, _) => format!("{returns:?}"),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn every_member_table_line_has_a_name_and_a_type() {
        for language in ["python", "typescript", "rust", "java"] {
            let table = table(language).expect("a table");
            for members in table.types.values() {
                for member in members {
                    let name = member.name;
                    let word = |c: char| c.is_alphanumeric() || c == '_';
                    assert!(!name.is_empty() && name.chars().all(word), "{}", member.signature);
                    let has_type = member.written().is_some() || language == "rust";
                    assert!(has_type, "{language}: {}", member.signature);
                }
            }
        }
    }

    #[test]
    fn members_have_their_table_types() {
        let is = |given: String, expected: &Ty| assert_eq!(given, format!("{expected:?}"));
        let text = named("str", &[]);
        let texts = Ty::Array(Rc::new(text.clone()));
        is(called("python", &text, "split"), &texts);
        is(called("tsx", &text, "length"), &named("int", &[]));
        is(called("typescript", &text, "at"), &text);
        let map = named("dict", &[text.clone(), named("int", &[])]);
        let items = named("ItemsView", &[text.clone(), named("int", &[])]);
        is(called("python", &map, "items"), &items);
        is(called("python", &map, "get"), &named("int", &[]));
        is(called("javascript", &texts, "filter"), &texts);
        is(called("javascript", &texts, "pop"), &text);
        assert!(member_type("typescript", &texts, "no_such").is_none());
    }

    #[test]
    fn java_subtypes_have_inherited_members() {
        let names: Vec<_> =
            members_of("java", &named("ArrayList", &[])).iter().map(|m| m.name).collect();
        assert!(names.contains(&"get") && names.contains(&"stream"), "{names:?}");
    }
}
