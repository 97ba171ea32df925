//! `flip_comparison`: `a < b` becomes `b > a`.
//!
//! Only if both operands consist of names, members and literals (`@plain`), so that no evaluation
//! order changes, and only in languages where an operator is equivalent to its mirror image (see
//! each `actions.scm`).

use std::ops::Range;

use tree_sitter::Node;

use super::captures::{ActionCaptures, Comparison};
use super::{ActionContext, ActionProvider, Edits, PlannedAction};

/// Largest operand, in nodes.
const MAX_OPERAND_NODES: usize = 200;

pub(super) const FLIP: ActionProvider =
    ActionProvider { id: "flip_comparison", kind: "refactor.rewrite.flip", find };

fn mirror(operator: &str) -> Option<&'static str> {
    Some(match operator {
        "<" => ">",
        ">" => "<",
        "<=" => ">=",
        ">=" => "<=",
        "==" => "==",
        "!=" => "!=",
        "===" => "===",
        "!==" => "!==",
        "=" => "=",
        "<>" => "<>",
        "~=" => "~=",
        _ => return None,
    })
}

fn find(context: &ActionContext<'_>) -> Vec<PlannedAction> {
    let actions = || {
        let span = context.trimmed();
        let touched = |c: &&Comparison<'_>| {
            c.operator.start_byte() <= span.end && c.operator.end_byte() >= span.start
        };
        let mut list_at_selection = context.captures.comparisons.iter().filter(touched);
        let found = list_at_selection.next().filter(|_| list_at_selection.next().is_none())?;
        let operator = context.text_of(found.operator);
        let mirrored = mirror(operator.trim())?;
        if found.node.has_error()
            || !is_plain(context, found.left)
            || !is_plain(context, found.right)
        {
            return None;
        }
        // A comparison within a comparison may be a chain.
        let compared =
            |n: Node<'_>| context.captures.comparisons.iter().any(|c| c.node.id() == n.id());
        if found.node.parent().is_some_and(compared) {
            return None;
        }
        let (left, right) = (context.text_of(found.left), context.text_of(found.right));
        if left == right && operator == mirrored {
            return None;
        }
        let edits: Edits = vec![
            (found.left.byte_range(), right.clone()),
            (found.operator.byte_range(), mirrored.to_owned()),
            (found.right.byte_range(), left.clone()),
        ];
        let new = context.try_edits(&edits)?;
        let start = found.node.start_byte();
        let whole: Range<usize> = start..found.node.end_byte() + mirrored.len() - operator.len();
        let after = ActionCaptures::new(&new, whole.clone()).comparisons;
        let text = |n: Node<'_>| new.text().slice(n.byte_range()).into_owned();
        let is_flipped = after.iter().any(|c| {
            c.node.byte_range() == whole && text(c.left) == right && text(c.right) == left
        });
        let title = format!("Flip `{}`", operator.trim());
        is_flipped.then(|| vec![PlannedAction::new(title, edits)])
    };
    actions().unwrap_or_default()
}

/// Whether an operand only names values.
fn is_plain(context: &ActionContext<'_>, operand: Node<'_>) -> bool {
    if operand.descendant_count() > MAX_OPERAND_NODES {
        return false;
    }
    let captures = ActionCaptures::new(context.syntax, operand.byte_range());
    let mut cursor = operand.walk();
    loop {
        let node = cursor.node();
        if node.is_named() && !captures.plain.contains_key(&node.id()) {
            return false;
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return true;
            }
        }
    }
}
