//! `remove_unused_variable`: a variable that is never read goes, where what it is given does
//! nothing.

use tree_sitter::Node;

use super::import_list::without_statement;
use super::site::Site;
use super::{ActionPlan, ActionRefusal, Offer, Planner, RefusalReason as Why, refusal};
use crate::diagnose::{Finding, FindingKind};
use crate::facts::Def;
use crate::vocabulary::DefinitionKind;

pub(super) const VARIABLE: Planner =
    Planner { id: "remove_unused_variable", kind: "quickfix", wide: true, offers, plan };

fn here(site: &Site<'_>) -> Option<Finding> {
    // The whole file is looked at only where a variable is made.
    let (start, end) = (site.range.start, site.range.end);
    let is_here = |d: &Def| {
        d.kind == DefinitionKind::Variable
            && d.name_start as usize <= start
            && end <= d.name_end as usize
    };
    if !site.facts.definitions.iter().any(is_here) {
        return None;
    }
    let touches = |f: &&Finding| {
        f.kind == FindingKind::UnusedVariable
            && f.span.start <= site.range.start
            && site.range.end <= f.span.end
    };
    site.findings().iter().find(touches).cloned()
}

fn offers(site: &Site<'_>) -> Vec<Offer> {
    match here(site) {
        Some(found) => {
            let title = format!("Remove the unused variable `{}`", found.name);
            Offer::mending(title, &[found])
        }
        None => Vec::new(),
    }
}

fn plan(site: &Site<'_>, _: &str) -> Result<ActionPlan, ActionRefusal> {
    let nothing = || refusal(Why::Nothing, "no variable here is known to be unused");
    let found = here(site).ok_or_else(nothing)?;
    let root = site.place.syntax.root();
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
    let shape = || refusal(Why::Shape, "it is not declared in a statement of its own");
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
    // One variable, and one value.
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
        && !is_inert(site, value)
    {
        return Err(refusal(Why::Used, "what it is given may do something, or be needed"));
    }
    Ok(ActionPlan::of(site.file, vec![without_statement(site, statement, &[statement])?]))
}

/// Whether working a value out does nothing, and needs nothing that would be unused without it.
fn is_inert(site: &Site<'_>, node: Node<'_>) -> bool {
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
    let holds = matches!(
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
    let update = node.kind() == "unary_expression" && site.text(node).starts_with("delete");
    holds && !update && node.named_children(&mut cursor).all(|child| is_inert(site, child))
}
