//! HTML and SVG elements and attributes in JSX, from `queries/jsx/elements.txt`.

use std::borrow::Cow;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use syntax::JsxNamePosition;

use super::{CompletionCandidate, KeywordOrSnippet};
use crate::vocabulary::DefinitionKind;

const TEXT: &str = include_str!("../../../../queries/jsx/elements.txt");

/// The elements and their attributes.
#[derive(Default)]
struct ElementTable {
    names: Vec<&'static str>,
    attributes: FxHashMap<&'static str, Vec<&'static str>>,
    /// Attributes of every element.
    common_attributes: Vec<&'static str>,
    /// Attributes of every SVG element.
    svg_attributes: Vec<&'static str>,
    /// The SVG elements.
    svg_elements: Vec<&'static str>,
}

static TABLE: LazyLock<ElementTable> = LazyLock::new(|| {
    let mut table = ElementTable::default();
    for line in TEXT.lines().filter(|l| !l.starts_with('#')) {
        let Some((name, rest)) = line.split_once(':') else { continue };
        let mut words = rest.split_whitespace();
        match name {
            "*" => table.common_attributes.extend(words),
            "svg" if table.svg_attributes.is_empty() => table.svg_attributes.extend(words),
            _ => {
                let svg_attributes = name == "svg";
                let Some(name) = (if svg_attributes { words.next() } else { Some(name) }) else {
                    continue;
                };
                table.names.push(name);
                if svg_attributes {
                    table.svg_elements.push(name);
                }
                table.attributes.entry(name).or_default().extend(words);
            }
        }
    }
    table
});

/// Attributes that React gives every element, components included.
const COMPONENT_ATTRIBUTES: [&str; 2] = ["key", "ref{}"];

/// The tags or attributes that begin with what is typed.
pub(super) fn phrases(place: &JsxNamePosition, typed: &str) -> Vec<KeywordOrSnippet> {
    let fits =
        |name: &str| name.get(..typed.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(typed));
    match place {
        JsxNamePosition::Tag => {
            let fitting = TABLE.names.iter().filter(|name| fits(name));
            fitting.map(|name| KeywordOrSnippet { label: (*name).into(), snippet: None }).collect()
        }
        JsxNamePosition::Closing(name) => {
            vec![KeywordOrSnippet { label: Cow::Owned(format!("{name}>")), snippet: None }]
        }
        JsxNamePosition::Attribute { tag, present } => {
            let mut all: Vec<&'static str> = Vec::new();
            if is_intrinsic(tag) {
                all.extend(TABLE.attributes.get(tag.as_str()).into_iter().flatten());
                if TABLE.svg_elements.contains(&tag.as_str()) {
                    all.extend(&TABLE.svg_attributes);
                }
                all.extend(&TABLE.common_attributes);
            } else {
                all.extend(COMPONENT_ATTRIBUTES);
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

fn attribute(written: &'static str, name: &'static str) -> KeywordOrSnippet {
    let text = match written {
        _ if written.ends_with('?') => None,
        _ if written.ends_with("{}") => Some(format!("{name}={{$1}}$0")),
        _ => Some(format!("{name}=\"$1\"$0")),
    };
    KeywordOrSnippet { label: name.into(), snippet: text.map(|text| ("attribute", text)) }
}

/// Whether a tag is an HTML, SVG or custom element, which no definition of the text names.
fn is_intrinsic(tag: &str) -> bool {
    !tag.contains('.') && (tag.starts_with(|c: char| c.is_ascii_lowercase()) || tag.contains('-'))
}

/// Whether a candidate may be a component. A lower-case name can only contain components, as a
/// namespace does; whether an import from outside the index is a namespace is unknown.
pub(super) fn may_be_component(candidate: &CompletionCandidate, typed: &str) -> bool {
    use DefinitionKind as K;
    let is_namespace = match candidate.kind {
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
    is_namespace || fits && named && !constant
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_element_table_parses() {
        let lines = TEXT.lines().filter(|l| !l.starts_with('#')).count();
        // Two lines list attributes only.
        assert_eq!(TABLE.names.len(), lines - 2);
        assert!(
            TABLE.common_attributes.contains(&"className")
                && TABLE.svg_attributes.contains(&"fill")
        );
        assert!(TABLE.attributes["label"].contains(&"htmlFor"));
        for name in &TABLE.names {
            assert!(name.chars().all(|c| c.is_ascii_alphanumeric()), "{name}");
        }
    }
}
