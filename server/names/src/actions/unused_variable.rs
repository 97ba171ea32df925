//! `remove_unused_variable`: removes a variable that is never read, if its value has no effect.

use tree_sitter::Node;

use super::context::ActionContext;
use super::import_list::remove_statement;
use super::{ActionPlan, ActionRefusal, Offer, Planner, RefusalReason as Reason, refusal};
use crate::diagnose::{NameDiagnostic, NameDiagnosticKind};
use crate::facts::Def;
use crate::vocabulary::DefinitionKind;

pub(super) const REMOVE_UNUSED_VARIABLE: Planner =
    Planner { id: "remove_unused_variable", kind: "quickfix", wide: true, offers, plan };

fn unused_variable_at(ctx: &ActionContext<'_>) -> Option<NameDiagnostic> {
    // Diagnosing the whole file is expensive, so check first whether a variable is defined here.
    let (start, end) = (ctx.range.start, ctx.range.end);
    let is_here = |d: &Def| {
        d.kind == DefinitionKind::Variable
            && d.name_start as usize <= start
            && end <= d.name_end as usize
    };
    if !ctx.facts.definitions.iter().any(is_here) {
        return None;
    }
    let touches = |f: &&NameDiagnostic| {
        f.kind == NameDiagnosticKind::UnusedVariable
            && f.span.start <= ctx.range.start
            && ctx.range.end <= f.span.end
    };
    ctx.findings().iter().find(touches).cloned()
}

fn offers(ctx: &ActionContext<'_>) -> Vec<Offer> {
    match unused_variable_at(ctx) {
        Some(found) => {
            let title = format!("Remove the unused variable `{}`", found.name);
            Offer::fixing(title, &[found])
        }
        None => Vec::new(),
    }
}

fn plan(ctx: &ActionContext<'_>, _: &str) -> Result<ActionPlan, ActionRefusal> {
    let nothing = || refusal(Reason::NotApplicable, "no unused variable is unused_variable_at");
    let found = unused_variable_at(ctx).ok_or_else(nothing)?;
    let root = ctx.request.syntax.root();
    let name =
        root.descendant_for_byte_range(found.span.start, found.span.end).ok_or_else(nothing)?;
    let statement = std::iter::successors(Some(name), Node::parent).find(|n| {
        matches!(
            n.kind(),
            "expression_statement"
                | "lexical_declaration"
                | "variable_declaration"
                | "let_declaration"
                | "short_var_declaration"
                | "var_declaration"
                | "local_variable_declaration"
                | "declaration"
        )
    });
    let shape = || refusal(Reason::Unsupported, "its declaration also declares something else");
    let statement = statement.ok_or_else(shape)?;
    let block = statement.parent().map_or("", |p| p.kind());
    if !matches!(
        block,
        "block"
            | "statement_block"
            | "compound_statement"
            | "statement_list"
            | "constructor_body"
            | "switch_block_statement_group"
            | "module"
    ) {
        return Err(shape());
    }
    // The statement must declare one variable with one value.
    let mut cursor = statement.walk();
    let inner = if statement.kind() == "expression_statement" {
        statement.named_child(0).ok_or_else(shape)?
    } else {
        let declared: Vec<Node<'_>> = statement
            .named_children(&mut cursor)
            .filter(|n| {
                n.kind().ends_with("declarator") || matches!(n.kind(), "var_spec" | "var_spec_list")
            })
            .collect();
        match declared[..] {
            [] => statement,
            [one] => one,
            _ => return Err(shape()),
        }
    };
    let value = ["value", "right"].iter().find_map(|f| inner.child_by_field_name(f));
    let only = inner
        .child_by_field_name("left")
        .is_none_or(|left| left.named_child_count() <= 1 && !left.kind().contains("pattern_list"));
    if !only {
        return Err(shape());
    }
    if let Some(value) = value
        && !is_effect_free(ctx, value)
    {
        return Err(refusal(Reason::Used, "its value may have side effects or read other names"));
    }
    Ok(ActionPlan::from_edits(ctx.file, vec![remove_statement(ctx, statement, &[statement])?]))
}

/// Whether evaluating an expression has no effect and reads no name that would become unused.
fn is_effect_free(ctx: &ActionContext<'_>, node: Node<'_>) -> bool {
    let literal = matches!(
        node.kind(),
        "integer"
            | "float"
            | "true"
            | "false"
            | "none"
            | "null"
            | "number"
            | "undefined"
            | "integer_literal"
            | "float_literal"
            | "boolean_literal"
            | "char_literal"
            | "string_literal"
            | "raw_string_literal"
            | "int_literal"
            | "rune_literal"
            | "nil"
            | "interpreted_string_literal"
            | "decimal_integer_literal"
            | "hex_integer_literal"
            | "octal_integer_literal"
            | "binary_integer_literal"
            | "decimal_floating_point_literal"
            | "character_literal"
            | "null_literal"
            | "number_literal"
    );
    if literal {
        return true;
    }
    let is_container = matches!(
        node.kind(),
        "list"
            | "tuple"
            | "dictionary"
            | "set"
            | "pair"
            | "array"
            | "parenthesized_expression"
            | "expression_list"
            | "string"
            | "concatenated_string"
            | "unary_expression"
            | "unary_operator"
            | "array_expression"
            | "tuple_expression"
            | "object"
            | "string_start"
            | "string_end"
            | "string_content"
            | "string_fragment"
            | "escape_sequence"
            | "property_identifier"
    );
    let mut cursor = node.walk();
    let update = node.kind() == "unary_expression" && ctx.text(node).starts_with("delete");
    is_container
        && !update
        && node.named_children(&mut cursor).all(|child| is_effect_free(ctx, child))
}
