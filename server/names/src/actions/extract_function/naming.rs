//! The name of an extracted function, suggested by its code.

use tree_sitter::Node;

use super::data_flow::DataFlow;
use super::{Selection, visit_all};
use crate::actions::context::ActionContext;
use crate::actions::extract_variable::suggested_name as suggested_value_name;

/// Shortest name that is descriptive.
const MIN_LENGTH: usize = 3;
/// Limit for the words of a comment that become a name.
const MAX_WORDS: usize = 4;

/// The name that the code suggests; `extracted` if none.
pub(super) fn suggested_name(
    ctx: &ActionContext<'_>,
    selection: &Selection<'_>,
    data_flow: &DataFlow,
) -> String {
    let computed = |name: &str| format!("compute_{name}");
    let found = match selection {
        Selection::Expression(node) => value_name(ctx, *node).map(|name| computed(&name)),
        Selection::Statements(all) => comment_name(ctx, all)
            .or_else(|| {
                data_flow.results.iter().map(|r| r.0.as_str()).find(is_descriptive).map(computed)
            })
            .or_else(|| returned_name(ctx, all).map(|name| computed(&name)))
            .or_else(|| last_call(ctx, all).map(|name| format!("run_{name}"))),
    };
    found.unwrap_or_else(|| "extracted".to_owned())
}

fn is_descriptive(name: &&str) -> bool {
    name.len() >= MIN_LENGTH && name.chars().any(|c| c.is_alphabetic())
}

fn value_name(ctx: &ActionContext<'_>, node: Node<'_>) -> Option<String> {
    let name = suggested_value_name(ctx, node);
    (name != "value" && name != "extracted" && is_descriptive(&name.as_str())).then_some(name)
}

/// The comment at the start of the code, if it is a few plain words: `// Parse the header`.
fn comment_name(ctx: &ActionContext<'_>, all: &[Node<'_>]) -> Option<String> {
    let first = all.first().filter(|n| n.kind().contains("comment"))?;
    let text = ctx.text(*first).trim_matches(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = text.split_whitespace().collect();
    let plain = |word: &&str| word.chars().all(|c| c.is_ascii_alphabetic());
    let article = |word: &str| matches!(word, "the" | "a" | "an");
    let few = (2..=MAX_WORDS + 2).contains(&words.len()) && words.iter().all(plain);
    let words_in_name: Vec<String> =
        words.iter().map(|w| w.to_lowercase()).filter(|w| !article(w)).collect();
    (few && (2..=MAX_WORDS).contains(&words_in_name.len())).then(|| words_in_name.join("_"))
}

/// The name of the returned value, if it has one.
fn returned_name(ctx: &ActionContext<'_>, all: &[Node<'_>]) -> Option<String> {
    let last = all.iter().rev().find(|n| n.kind() == "return_statement")?;
    let value = last.named_child(0)?;
    match value.named_child_count() {
        0 if is_descriptive(&ctx.text(value)) && value.kind() == "identifier" => {
            Some(ctx.text(value).to_owned())
        }
        _ => value_name(ctx, value),
    }
}

/// The name of the last function that is called.
fn last_call(ctx: &ActionContext<'_>, all: &[Node<'_>]) -> Option<String> {
    let mut last = None;
    for statement in all {
        visit_all(*statement, &mut |n| {
            if matches!(n.kind(), "call" | "call_expression" | "method_invocation") {
                last = value_name(ctx, n).or(last.take());
            }
        });
    }
    // `suggested_value_name` appends `_value` in C, but the call is run for its effects.
    last.map(|name| name.strip_suffix("_value").unwrap_or(&name).to_owned())
}
