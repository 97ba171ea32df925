//! What conditions tell of types, which another function does not know.

use tree_sitter::Node;

use super::flow::Flow;
use super::{Stretch, each};
use crate::actions::inline_variable::is_member_name;
use crate::actions::site::{Site, any};
use crate::actions::{ActionRefusal, RefusalReason as Why, refusal};

/// Types of TypeScript that no condition makes narrower in a way that matters.
const PLAIN: &[&str] = &["number", "string", "boolean", "bigint", "symbol"];

/// What conditions before the stretch tell of a type is not known in another function, nor what
/// conditions in it tell to what follows.
pub(super) fn check(
    site: &Site<'_>,
    stretch: &Stretch<'_>,
    function: Node<'_>,
    flow: &Flow,
) -> Result<(), ActionRefusal> {
    if !matches!(site.language, "python" | "typescript" | "tsx") {
        return Ok(());
    }
    let unsure = || refusal(Why::Type, "a condition may tell the type of something in it");
    let mut read: Vec<String> = Vec::new();
    for node in stretch.nodes() {
        if any(*node, &|n| matches!(n.kind(), "raise_statement" | "throw_statement")) {
            return Err(unsure());
        }
        each(*node, &mut |n| {
            let member = matches!(n.kind(), "attribute" | "member_expression");
            let given = |name: &str| flow.parameters.iter().any(|(n, _)| n == name);
            let name = n.kind() == "identifier" && !given(site.text(n)) && site.text(n).len() > 1;
            if member || name && !is_member_name(n) {
                read.push(site.text(n).to_owned());
            }
        });
    }
    // What is given has to be of a type that is written, in TypeScript; Python can do without.
    if site.language != "python" {
        let given = flow.parameters.iter().filter(|(_, def)| !is_plain(site, *def));
        read.extend(given.map(|(name, _)| name.clone()));
    }
    match is_narrowed(site, stretch, function, &|text| read.iter().any(|r| names(text, r))) {
        true => Err(unsure()),
        false => Ok(()),
    }
}

/// Whether a condition may tell more of a name's type than its declaration does.
pub(super) fn name_is_narrowed(
    site: &Site<'_>,
    stretch: &Stretch<'_>,
    function: Node<'_>,
    name: &str,
) -> bool {
    is_narrowed(site, stretch, function, &|text| names(text, name))
}

/// Whether a text holds a name, as a word of its own at its ends.
fn names(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    text.match_indices(name).any(|(at, _)| {
        !text[..at].ends_with(is_word) && !text[at + name.len()..].starts_with(is_word)
    })
}

fn is_plain(site: &Site<'_>, def: u32) -> bool {
    let own = site.def(def);
    let root = site.place.syntax.root();
    let (start, end) = (own.name_start as usize, own.name_end as usize);
    let declared = root.named_descendant_for_byte_range(start, end).and_then(|n| n.parent());
    let ty = declared.and_then(|d| d.child_by_field_name("type"));
    ty.is_some_and(|ty| PLAIN.contains(&site.text(ty).trim_start_matches(':').trim()))
}

fn is_narrowed(
    site: &Site<'_>,
    stretch: &Stretch<'_>,
    function: Node<'_>,
    tells: &dyn Fn(&str) -> bool,
) -> bool {
    let range = stretch.range();
    let mut narrowed = false;
    each(function, &mut |n| {
        let around = n.start_byte() <= range.start && range.end <= n.end_byte();
        match n.kind() {
            "if_statement" | "while_statement" | "elif_clause" | "assert_statement"
                if n.start_byte() < range.start =>
            {
                let test = n.child_by_field_name("condition").or_else(|| n.named_child(0));
                narrowed |= test.is_some_and(|t| tells(site.text(t)));
            }
            "switch_statement" | "match_statement" if around => {
                let value = n.child_by_field_name("value").or_else(|| n.named_child(0));
                narrowed |= value.is_some_and(|v| tells(site.text(v)));
            }
            // A part of them is there only because of the others.
            "conditional_expression"
            | "ternary_expression"
            | "boolean_operator"
            | "binary_expression"
            | "list_comprehension"
            | "set_comprehension"
            | "dictionary_comprehension"
            | "generator_expression"
                if around && n.byte_range() != range =>
            {
                let lazy = n.kind() != "binary_expression"
                    || n.child_by_field_name("operator")
                        .is_some_and(|o| matches!(o.kind(), "&&" | "||" | "??"));
                let before = site.source.get(n.start_byte()..range.start).unwrap_or("");
                let after = site.source.get(range.end..n.end_byte()).unwrap_or("");
                narrowed |= lazy && (tells(before) || tells(after));
            }
            _ => {}
        }
    });
    narrowed
}
