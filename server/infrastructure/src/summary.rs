//! A plan as lines for people and models.

use std::fmt::Write;

use crate::changes::{Action, Change, Plan, Totals};

/// Attributes of one change that an approval shows.
const SHOWN_ATTRIBUTES: usize = 12;

/// `destroys 1, replaces 2`, in the order of the risk.
pub(crate) fn totals_text(totals: &Totals) -> String {
    let counts = [
        (totals.delete, "to DESTROY"),
        (totals.replace, "to REPLACE"),
        (totals.forget, "to forget"),
        (totals.update, "to update"),
        (totals.create, "to create"),
        (totals.read, "to read"),
    ];
    let parts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    if parts.is_empty() { "no resource changes".to_owned() } else { parts.join(", ") }
}

/// The changes; what is destroyed and replaced comes first.
pub(crate) fn plan_text(plan: &Plan) -> String {
    let mut text = String::new();
    for change in &plan.changes {
        push_change(&mut text, change);
    }
    for output in &plan.outputs {
        let (before, after) = (shown(output.before.as_ref()), shown(output.after.as_ref()));
        let _ = writeln!(text, "output {}: {before} -> {after}", output.name);
    }
    if !plan.drifted.is_empty() {
        let _ = writeln!(text, "changed outside of it: {}", plan.drifted.join(", "));
    }
    text.truncate(text.trim_end().len());
    text
}

fn push_change(text: &mut String, change: &Change) {
    // Writing to a string does not fail.
    let _ = write!(text, "{} {}", change.action.verb(), change.address);
    if let Some(reason) = &change.reason {
        let _ = write!(text, " ({reason})");
    }
    if change.create_before_destroy {
        text.push_str(" (the new one is created first)");
    }
    if let Some(from) = &change.moved_from {
        let _ = write!(text, " (moved from {from})");
    }
    if change.imported {
        text.push_str(" (imported)");
    }
    text.push('\n');
    for attribute in change.attributes.iter().take(SHOWN_ATTRIBUTES) {
        let after = shown(attribute.after.as_ref());
        let forces = if attribute.forces_replacement { "  # forces the replacement" } else { "" };
        let _ = match (change.action, &attribute.before) {
            (Action::Create | Action::Read, None) => {
                writeln!(text, "  {} = {after}{forces}", attribute.name)
            }
            (_, before) => writeln!(
                text,
                "  {}: {} -> {after}{forces}",
                attribute.name,
                shown(before.as_ref())
            ),
        };
    }
    let more = change.attributes.len().saturating_sub(SHOWN_ATTRIBUTES) + change.more_attributes;
    if more > 0 {
        let _ = writeln!(text, "  {more} more attributes");
    }
}

fn shown(value: Option<&String>) -> &str {
    value.map_or("none", String::as_str)
}
