//! What a new function is called, by the code that it is made of.

use tree_sitter::Node;

use super::flow::Flow;
use super::{Stretch, each};
use crate::actions::extract_variable::wished_name;
use crate::actions::site::Site;

/// Shortest name of something that says what it is.
const SHORTEST: usize = 3;
/// Most words of a comment that a name is made of.
const WORDS: usize = 4;

/// The name that a stretch suggests; `extracted` where it suggests none.
pub(super) fn wish(site: &Site<'_>, stretch: &Stretch<'_>, flow: &Flow) -> String {
    let computed = |name: &str| format!("compute_{name}");
    let found = match stretch {
        Stretch::Expression(node) => value_name(site, *node).map(|name| computed(&name)),
        Stretch::Statements(all) => comment_name(site, all)
            .or_else(|| flow.results.iter().map(|r| r.0.as_str()).find(telling).map(computed))
            .or_else(|| returned_name(site, all).map(|name| computed(&name)))
            .or_else(|| last_call(site, all).map(|name| format!("run_{name}"))),
    };
    found.unwrap_or_else(|| "extracted".to_owned())
}

fn telling(name: &&str) -> bool {
    name.len() >= SHORTEST && name.chars().any(|c| c.is_alphabetic())
}

fn value_name(site: &Site<'_>, node: Node<'_>) -> Option<String> {
    let name = wished_name(site, node);
    (name != "value" && name != "extracted" && telling(&name.as_str())).then_some(name)
}

/// The comment that begins the stretch, if it is a few plain words: `// Parse the header`.
fn comment_name(site: &Site<'_>, all: &[Node<'_>]) -> Option<String> {
    let first = all.first().filter(|n| n.kind().contains("comment"))?;
    let text = site.text(*first).trim_matches(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = text.split_whitespace().collect();
    let plain = |word: &&str| word.chars().all(|c| c.is_ascii_alphabetic());
    let article = |word: &str| matches!(word, "the" | "a" | "an");
    let few = (2..=WORDS + 2).contains(&words.len()) && words.iter().all(plain);
    let named: Vec<String> =
        words.iter().map(|w| w.to_lowercase()).filter(|w| !article(w)).collect();
    (few && (2..=WORDS).contains(&named.len())).then(|| named.join("_"))
}

/// What the stretch returns, if that has a name.
fn returned_name(site: &Site<'_>, all: &[Node<'_>]) -> Option<String> {
    let last = all.iter().rev().find(|n| n.kind() == "return_statement")?;
    let value = last.named_child(0)?;
    match value.named_child_count() {
        0 if telling(&site.text(value)) && value.kind() == "identifier" => {
            Some(site.text(value).to_owned())
        }
        _ => value_name(site, value),
    }
}

/// What is called last.
fn last_call(site: &Site<'_>, all: &[Node<'_>]) -> Option<String> {
    let mut last = None;
    for statement in all {
        each(*statement, &mut |n| {
            if matches!(n.kind(), "call" | "call_expression" | "method_invocation") {
                last = value_name(site, n).or(last.take());
            }
        });
    }
    // What runs is no value.
    last.map(|name| name.strip_suffix("_value").unwrap_or(&name).to_owned())
}
