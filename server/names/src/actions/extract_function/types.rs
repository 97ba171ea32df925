//! Type annotations that the new function inherits from the one around it, where they are optional.

use tree_sitter::Node;

use super::data_flow::DataFlow;
use super::{Selection, name_occurrences};
use crate::actions::context::{ActionContext, any_ancestor};
use crate::actions::{ActionRefusal, RefusalReason as Reason, refusal};

/// Whether a written type means the same outside the function.
fn is_plain(ctx: &ActionContext<'_>, function: Node<'_>, written: &str) -> bool {
    let root = ctx.request.syntax.root();
    let generic = |node: Node<'_>| {
        node.child_by_field_name("type_parameters").is_some() || {
            let mut cursor = node.walk();
            node.children(&mut cursor)
                .any(|c| matches!(c.kind(), "type_parameter" | "type_parameters"))
        }
    };
    let generic = generic(function) || any_ancestor(function, root, &generic);
    !written.is_empty() && !written.contains('\n') && !generic
}

/// The annotation of a Python parameter or variable.
pub(super) fn annotation(ctx: &ActionContext<'_>, def: u32) -> Option<String> {
    let own = ctx.def(def);
    let root = ctx.request.syntax.root();
    let (start, end) = (own.name_start as usize, own.name_end as usize);
    let node = root.named_descendant_for_byte_range(start, end)?;
    let parent = node.parent()?;
    let first = match parent.kind() {
        // The `int` of `*args: int` is not the type of `args`.
        "typed_parameter" => parent.named_child(0),
        "typed_default_parameter" => parent.child_by_field_name("name"),
        "assignment" => parent.child_by_field_name("left"),
        _ => None,
    };
    let ty =
        parent.child_by_field_name("type").filter(|_| first.is_some_and(|f| f.id() == node.id()));
    let written = ty.map(|ty| ctx.text(ty).to_owned())?;
    is_plain(ctx, ctx.function_around(node), &written).then_some(written)
}

/// Refuses code that contains the first use of a collection that starts empty (`a = []`): Python
/// type checkers infer its type from that use, in the same function.
pub(super) fn check_not_first_use_of_empty(
    ctx: &ActionContext<'_>,
    selection: &Selection<'_>,
    function: Node<'_>,
    data_flow: &DataFlow,
) -> Result<(), ActionRefusal> {
    if ctx.language != "python" {
        return Ok(());
    }
    let (range, root) = (selection.range(), ctx.request.syntax.root());
    for (name, def) in &data_flow.parameters {
        let own = ctx.def(*def);
        let (start, end) = (own.name_start as usize, own.name_end as usize);
        let made = root.named_descendant_for_byte_range(start, end).and_then(|n| n.parent());
        let Some(made) = made.filter(|n| n.kind() == "assignment") else { continue };
        let value = made.child_by_field_name("right").map_or("", |v| ctx.text(v));
        let empty = matches!(value, "[]" | "{}" | "set()" | "list()" | "dict()");
        let open = empty && made.child_by_field_name("type").is_none();
        let after = |n: &Node<'_>| n.start_byte() >= made.end_byte();
        let first = name_occurrences(ctx, function, name).into_iter().find(after);
        if open && first.is_some_and(|n| range.contains(&n.start_byte())) {
            let why = format!("the type of `{name}` is inferred from its use here");
            return Err(refusal(Reason::Type, why));
        }
    }
    Ok(())
}

/// The return annotation of a Python function; empty if the function around it has none.
pub(super) fn python_result(
    ctx: &ActionContext<'_>,
    function: Node<'_>,
    data_flow: &DataFlow,
    has_return: bool,
    selection: &Selection<'_>,
) -> String {
    let Some(result) = function.child_by_field_name("return_type") else { return String::new() };
    let written = ctx.text(result);
    let found = match (has_return, &data_flow.results[..], selection) {
        (true, ..) if is_plain(ctx, function, written) => Some(written.to_owned()),
        (false, [], Selection::Statements(_)) => Some("None".to_owned()),
        // A result that was defined before, or may be `None`, may have a narrower type where it is
        // used.
        (false, [(_, def, true)], _) => annotation(ctx, *def)
            .filter(|ty| !["Optional", "None", "|", "Union"].iter().any(|w| ty.contains(w))),
        _ => None,
    };
    found.unwrap_or_default()
}

/// Checks that the new function is async exactly if the one around it is: the return type of the
/// latter is a promise.
pub(super) fn check_async(
    ctx: &ActionContext<'_>,
    function: Node<'_>,
    is_async: bool,
) -> Result<(), ActionRefusal> {
    let starts = |word: &str| ctx.text(function).split_whitespace().any(|w| w == word);
    let head = function.child_by_field_name("body").map_or(0, |b| b.start_byte());
    let head = ctx.source.get(function.start_byte()..head).unwrap_or("");
    let promises = head.split(|c: char| !c.is_alphanumeric()).any(|w| w == "async");
    let yields = function.kind().contains("generator") || head.contains('*') && starts("yield");
    match yields || promises != is_async {
        true => Err(refusal(Reason::Type, "its return type is uncertain")),
        false => Ok(()),
    }
}

/// The return type of a TypeScript function that contains the `return` of the one around it.
pub(super) fn ecma_result(ctx: &ActionContext<'_>, function: Node<'_>) -> Option<String> {
    let written = ctx.text(function.child_by_field_name("return_type")?);
    let written = written.trim_start_matches(':').trim();
    let words: Vec<&str> = written.split_whitespace().collect();
    // A type predicate refers to parameters, `this` to the class.
    let bound = words.iter().any(|w| matches!(*w, "is" | "asserts")) || written.contains("this");
    (is_plain(ctx, function, written) && !bound).then(|| written.to_owned())
}
