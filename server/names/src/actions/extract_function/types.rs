//! Types that a new function takes over from the one around it, where none have to be written.

use tree_sitter::Node;

use super::flow::Flow;
use super::{Stretch, mentions};
use crate::actions::site::{Site, any_above};
use crate::actions::{ActionRefusal, RefusalReason as Why, refusal};

/// Whether a type, as it is written, means the same outside of the function.
fn is_plain(site: &Site<'_>, function: Node<'_>, written: &str) -> bool {
    let root = site.place.syntax.root();
    let generic = |node: Node<'_>| {
        node.child_by_field_name("type_parameters").is_some() || {
            let mut cursor = node.walk();
            node.children(&mut cursor)
                .any(|c| matches!(c.kind(), "type_parameter" | "type_parameters"))
        }
    };
    let generic = generic(function) || any_above(function, root, &generic);
    !written.is_empty() && !written.contains('\n') && !generic
}

/// The annotation that a name of Python is declared with: of a parameter, or of a variable.
pub(super) fn annotation(site: &Site<'_>, def: u32) -> Option<String> {
    let own = site.def(def);
    let root = site.place.syntax.root();
    let (start, end) = (own.name_start as usize, own.name_end as usize);
    let node = root.named_descendant_for_byte_range(start, end)?;
    let parent = node.parent()?;
    let first = match parent.kind() {
        // `*args: int` is no `int`.
        "typed_parameter" => parent.named_child(0),
        "typed_default_parameter" => parent.child_by_field_name("name"),
        "assignment" => parent.child_by_field_name("left"),
        _ => None,
    };
    let ty =
        parent.child_by_field_name("type").filter(|_| first.is_some_and(|f| f.id() == node.id()));
    let written = ty.map(|ty| site.text(ty).to_owned())?;
    is_plain(site, site.function_around(node), &written).then_some(written)
}

/// Refuses to extract part of a function where Python infers the type of an empty collection (`a = []`)
/// from what the same function adds to it first.
pub(super) fn check_begun_empty(
    site: &Site<'_>,
    stretch: &Stretch<'_>,
    function: Node<'_>,
    flow: &Flow,
) -> Result<(), ActionRefusal> {
    if site.language != "python" {
        return Ok(());
    }
    let (range, root) = (stretch.range(), site.place.syntax.root());
    for (name, def) in &flow.parameters {
        let own = site.def(*def);
        let (start, end) = (own.name_start as usize, own.name_end as usize);
        let made = root.named_descendant_for_byte_range(start, end).and_then(|n| n.parent());
        let Some(made) = made.filter(|n| n.kind() == "assignment") else { continue };
        let value = made.child_by_field_name("right").map_or("", |v| site.text(v));
        let empty = matches!(value, "[]" | "{}" | "set()" | "list()" | "dict()");
        let open = empty && made.child_by_field_name("type").is_none();
        let after = |n: &Node<'_>| n.start_byte() >= made.end_byte();
        let first = mentions(site, function, name).into_iter().find(after);
        if open && first.is_some_and(|n| range.contains(&n.start_byte())) {
            let why = format!("what `{name}` holds is told only by what is put into it here");
            return Err(refusal(Why::Type, why));
        }
    }
    Ok(())
}

/// What a function of Python gives, where the one around it says what it gives itself.
pub(super) fn python_result(
    site: &Site<'_>,
    function: Node<'_>,
    flow: &Flow,
    gives_back: bool,
    stretch: &Stretch<'_>,
) -> String {
    let Some(result) = function.child_by_field_name("return_type") else { return String::new() };
    let written = site.text(result);
    let found = match (gives_back, &flow.results[..], stretch) {
        (true, ..) if is_plain(site, function, written) => Some(written.to_owned()),
        (false, [], Stretch::Statements(_)) => Some("None".to_owned()),
        // What was there before, or may be nothing, may be known better where it is used.
        (false, [(_, def, true)], _) => annotation(site, *def)
            .filter(|ty| !["Optional", "None", "|", "Union"].iter().any(|w| ty.contains(w))),
        _ => None,
    };
    found.unwrap_or_default()
}

/// The type of what an asynchronous function gives is a promise's: so must be the new one's.
pub(super) fn check_async(
    site: &Site<'_>,
    function: Node<'_>,
    is_async: bool,
) -> Result<(), ActionRefusal> {
    let starts = |word: &str| site.text(function).split_whitespace().any(|w| w == word);
    let head = function.child_by_field_name("body").map_or(0, |b| b.start_byte());
    let head = site.source.get(function.start_byte()..head).unwrap_or("");
    let promises = head.split(|c: char| !c.is_alphanumeric()).any(|w| w == "async");
    let yields = function.kind().contains("generator") || head.contains('*') && starts("yield");
    match yields || promises != is_async {
        true => Err(refusal(Why::Type, "the type of what it gives is not certain")),
        false => Ok(()),
    }
}

/// What a function of TypeScript gives that returns for the one around it.
pub(super) fn ecma_result(site: &Site<'_>, function: Node<'_>) -> Option<String> {
    let written = site.text(function.child_by_field_name("return_type")?);
    let written = written.trim_start_matches(':').trim();
    let words: Vec<&str> = written.split_whitespace().collect();
    // A predicate speaks of parameters, `this` of the class.
    let bound = words.iter().any(|w| matches!(*w, "is" | "asserts")) || written.contains("this");
    (is_plain(site, function, written) && !bound).then(|| written.to_owned())
}
