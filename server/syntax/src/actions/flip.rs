//! `flip_comparison`: `a < b` becomes `b > a`.
//!
//! Only where both sides are nothing but names, members and values (`@plain`), so that no order of
//! effects changes, and only in languages where what an operator means and what its mirror means
//! cannot be told apart (see each `actions.scm`).

use std::ops::Range;

use tree_sitter::Node;

use super::marks::{Comparison, Marks};
use super::{Edits, Place, Planned, Planner};

/// Most nodes of an operand.
const MOST: usize = 200;

pub(super) const COMPARISON: Planner =
    Planner { id: "flip_comparison", kind: "refactor.rewrite.flip", find };

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

fn find(place: &Place<'_>) -> Vec<Planned> {
    let made = || {
        let span = place.trimmed();
        let touched = |c: &&Comparison<'_>| {
            c.operator.start_byte() <= span.end && c.operator.end_byte() >= span.start
        };
        let mut meant = place.marks.comparisons.iter().filter(touched);
        let found = meant.next().filter(|_| meant.next().is_none())?;
        let operator = place.text_of(found.operator);
        let mirrored = mirror(operator.trim())?;
        if found.node.has_error() || !is_plain(place, found.left) || !is_plain(place, found.right) {
            return None;
        }
        // A comparison of a comparison: what stands around it may be a chain.
        let compared = |n: Node<'_>| place.marks.comparisons.iter().any(|c| c.node.id() == n.id());
        if found.node.parent().is_some_and(compared) {
            return None;
        }
        let (left, right) = (place.text_of(found.left), place.text_of(found.right));
        if left == right && operator == mirrored {
            return None;
        }
        let edits: Edits = vec![
            (found.left.byte_range(), right.clone()),
            (found.operator.byte_range(), mirrored.to_owned()),
            (found.right.byte_range(), left.clone()),
        ];
        let new = place.tried(&edits)?;
        let start = found.node.start_byte();
        let whole: Range<usize> = start..found.node.end_byte() + mirrored.len() - operator.len();
        let after = Marks::of(&new, whole.clone()).comparisons;
        let text = |n: Node<'_>| new.text().slice(n.byte_range()).into_owned();
        let stands = after.iter().any(|c| {
            c.node.byte_range() == whole && text(c.left) == right && text(c.right) == left
        });
        let title = format!("Flip `{}`", operator.trim());
        stands.then(|| vec![Planned::new(title, edits)])
    };
    made().unwrap_or_default()
}

/// Whether an operand does nothing but name values.
fn is_plain(place: &Place<'_>, operand: Node<'_>) -> bool {
    if operand.descendant_count() > MOST {
        return false;
    }
    let marks = Marks::of(place.syntax, operand.byte_range());
    let mut cursor = operand.walk();
    loop {
        let node = cursor.node();
        if node.is_named() && !marks.plain.contains_key(&node.id()) {
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
