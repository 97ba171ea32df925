//! Elements and attributes of HTML and SVG in JSX, by `queries/jsx/elements.txt`.

use std::borrow::Cow;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use syntax::ElementPlace;

use super::{Candidate, Phrase};
use crate::vocabulary::DefinitionKind;

const TEXT: &str = include_str!("../../../../queries/jsx/elements.txt");

/// What elements there are, and what each takes.
#[derive(Default)]
struct Table {
    names: Vec<&'static str>,
    attributes: FxHashMap<&'static str, Vec<&'static str>>,
    /// What all elements take, and all of SVG.
    every: Vec<&'static str>,
    graphic: Vec<&'static str>,
    graphics: Vec<&'static str>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table::default();
    for line in TEXT.lines().filter(|l| !l.starts_with('#')) {
        let Some((name, rest)) = line.split_once(':') else { continue };
        let mut words = rest.split_whitespace();
        match name {
            "*" => table.every.extend(words),
            "svg" if table.graphic.is_empty() => table.graphic.extend(words),
            _ => {
                let graphic = name == "svg";
                let Some(name) = (if graphic { words.next() } else { Some(name) }) else {
                    continue;
                };
                table.names.push(name);
                if graphic {
                    table.graphics.push(name);
                }
                table.attributes.entry(name).or_default().extend(words);
            }
        }
    }
    table
});

/// Attributes that every element takes, components too.
const OF_ALL: [&str; 2] = ["key", "ref{}"];

/// What the table has for a place, as far as it begins with what is typed.
pub(super) fn phrases(place: &ElementPlace, typed: &str) -> Vec<Phrase> {
    let fits =
        |name: &str| name.get(..typed.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(typed));
    match place {
        ElementPlace::Tag => {
            let fitting = TABLE.names.iter().filter(|name| fits(name));
            fitting.map(|name| Phrase { label: (*name).into(), snippet: None }).collect()
        }
        ElementPlace::Closing(name) => {
            vec![Phrase { label: Cow::Owned(format!("{name}>")), snippet: None }]
        }
        ElementPlace::Attribute { tag, present } => {
            let mut all: Vec<&'static str> = Vec::new();
            if is_intrinsic(tag) {
                all.extend(TABLE.attributes.get(tag.as_str()).into_iter().flatten());
                if TABLE.graphics.contains(&tag.as_str()) {
                    all.extend(&TABLE.graphic);
                }
                all.extend(&TABLE.every);
            } else {
                all.extend(OF_ALL);
            }
            let mut seen: Vec<&str> = Vec::new();
            let mut phrases = Vec::new();
            for written in all {
                let name = written.trim_end_matches(['{', '}', '?']);
                if fits(name) && !seen.contains(&name) && !present.iter().any(|p| p == name) {
                    seen.push(name);
                    phrases.push(attribute(written, name));
                }
            }
            phrases
        }
    }
}

fn attribute(written: &'static str, name: &'static str) -> Phrase {
    let text = match written {
        _ if written.ends_with('?') => None,
        _ if written.ends_with("{}") => Some(format!("{name}={{$1}}$0")),
        _ => Some(format!("{name}=\"$1\"$0")),
    };
    Phrase { label: name.into(), snippet: text.map(|text| ("attribute", text)) }
}

/// Whether an element is one of HTML, SVG or the browser's, which no name of the text defines.
fn is_intrinsic(tag: &str) -> bool {
    !tag.contains('.') && (tag.starts_with(|c: char| c.is_ascii_lowercase()) || tag.contains('-'))
}

/// Whether an element may be made by what a candidate names. A small letter begins only what holds
/// components, such as a namespace: that is not known of what is imported from outside.
pub(super) fn may_be_component(candidate: &Candidate, typed: &str) -> bool {
    use DefinitionKind as K;
    let holds_others = match candidate.kind {
        K::Module | K::Namespace => true,
        K::Import => {
            let hook = candidate.name.strip_prefix("use");
            let hook = hook.is_some_and(|rest| rest.starts_with(|c: char| c.is_uppercase()));
            !typed.is_empty() && !hook
        }
        _ => false,
    };
    let fits = matches!(
        candidate.kind,
        K::Function
            | K::Class
            | K::Import
            | K::Variable
            | K::Constant
            | K::Parameter
            | K::Method
            | K::Field
    );
    let constant = candidate.name.len() > 1
        && !candidate.name.contains(|c: char| c.is_lowercase())
        && candidate.kind != K::Function;
    let named = candidate.name.starts_with(|c: char| !c.is_lowercase());
    holds_others || fits && named && !constant
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_read() {
        let lines = TEXT.lines().filter(|l| !l.starts_with('#')).count();
        // Two lines are of attributes alone.
        assert_eq!(TABLE.names.len(), lines - 2);
        assert!(TABLE.every.contains(&"className") && TABLE.graphic.contains(&"fill"));
        assert!(TABLE.attributes["label"].contains(&"htmlFor"));
        for name in &TABLE.names {
            assert!(name.chars().all(|c| c.is_ascii_alphanumeric()), "{name}");
        }
    }
}
