//! Type narrowing by conditions, which is lost in another function.

use tree_sitter::Node;

use super::data_flow::DataFlow;
use super::{Selection, visit_all};
use crate::actions::context::{ActionContext, any_descendant};
use crate::actions::inline_variable::is_member_name;
use crate::actions::{ActionRefusal, RefusalReason as Reason, refusal};

/// TypeScript types that narrowing does not change in a relevant way.
const NOT_NARROWED: &[&str] = &["number", "string", "boolean", "bigint", "symbol"];

/// Refuses code whose types may be narrowed by earlier conditions, or that narrows types of later
/// code.
pub(super) fn check(
    ctx: &ActionContext<'_>,
    selection: &Selection<'_>,
    function: Node<'_>,
    flow: &DataFlow,
) -> Result<(), ActionRefusal> {
    if !matches!(ctx.language, "python" | "typescript" | "tsx") {
        return Ok(());
    }
    let narrowing = || refusal(Reason::Type, "a condition may narrow a type in it");
    let mut read: Vec<String> = Vec::new();
    for node in selection.nodes() {
        if any_descendant(*node, &|n| matches!(n.kind(), "raise_statement" | "throw_statement")) {
            return Err(narrowing());
        }
        visit_all(*node, &mut |n| {
            let member = matches!(n.kind(), "attribute" | "member_expression");
            let is_parameter = |name: &str| flow.parameters.iter().any(|(n, _)| n == name);
            let name =
                n.kind() == "identifier" && !is_parameter(ctx.text(n)) && ctx.text(n).len() > 1;
            if member || name && !is_member_name(n) {
                read.push(ctx.text(n).to_owned());
            }
        });
    }
    // In TypeScript, a parameter must have an annotation of a plain type; Python can do without.
    if ctx.language != "python" {
        let parameters = flow.parameters.iter().filter(|(_, def)| !is_plain(ctx, *def));
        read.extend(parameters.map(|(name, _)| name.clone()));
    }
    match is_narrowed(ctx, selection, function, &|text| read.iter().any(|r| contains_name(text, r)))
    {
        true => Err(narrowing()),
        false => Ok(()),
    }
}

/// Whether a condition may narrow a name's type.
pub(super) fn name_is_narrowed(
    ctx: &ActionContext<'_>,
    selection: &Selection<'_>,
    function: Node<'_>,
    name: &str,
) -> bool {
    is_narrowed(ctx, selection, function, &|text| contains_name(text, name))
}

/// Whether a text contains a name as a whole word.
fn contains_name(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    text.match_indices(name).any(|(at, _)| {
        !text[..at].ends_with(is_word) && !text[at + name.len()..].starts_with(is_word)
    })
}

fn is_plain(ctx: &ActionContext<'_>, def: u32) -> bool {
    let own = ctx.def(def);
    let root = ctx.request.syntax.root();
    let (start, end) = (own.name_start as usize, own.name_end as usize);
    let declared = root.named_descendant_for_byte_range(start, end).and_then(|n| n.parent());
    let ty = declared.and_then(|d| d.child_by_field_name("type"));
    ty.is_some_and(|ty| NOT_NARROWED.contains(&ctx.text(ty).trim_start_matches(':').trim()))
}

fn is_narrowed(
    ctx: &ActionContext<'_>,
    selection: &Selection<'_>,
    function: Node<'_>,
    mentions_name: &dyn Fn(&str) -> bool,
) -> bool {
    let range = selection.range();
    let mut narrowed = false;
    visit_all(function, &mut |n| {
        let around = n.start_byte() <= range.start && range.end <= n.end_byte();
        match n.kind() {
            "if_statement" | "while_statement" | "elif_clause" | "assert_statement"
                if n.start_byte() < range.start =>
            {
                let test = n.child_by_field_name("condition").or_else(|| n.named_child(0));
                narrowed |= test.is_some_and(|t| mentions_name(ctx.text(t)));
            }
            "switch_statement" | "match_statement" if around => {
                let value = n.child_by_field_name("value").or_else(|| n.named_child(0));
                narrowed |= value.is_some_and(|v| mentions_name(ctx.text(v)));
            }
            // One operand is evaluated only if another has some value.
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
                let before = ctx.source.get(n.start_byte()..range.start).unwrap_or("");
                let after = ctx.source.get(range.end..n.end_byte()).unwrap_or("");
                narrowed |= lazy && (mentions_name(before) || mentions_name(after));
            }
            _ => {}
        }
    });
    narrowed
}
