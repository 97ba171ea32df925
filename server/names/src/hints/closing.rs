//! Labels at the closing braces of long Rust items, where rust-analyzer shows them.

use std::ops::Range;

use syntax::Syntax;
use tree_sitter::Node;

use super::{Hint, HintKind};

/// Shortest item, in lines, that gets a label.
const MIN_LINES: usize = 25;
/// Limit for a label's name, in bytes.
const MAX_NAME: usize = 60;

/// Adds the labels of a range.
pub(super) fn closing_hints(syntax: &Syntax, span: &Range<usize>, hints: &mut Vec<Hint>) {
    if syntax.language().id() != "rust" {
        return;
    }
    let mut cursor = syntax.root().walk();
    loop {
        let node = cursor.node();
        // An item outside the range has no closing brace in it.
        let inside = node.end_byte() >= span.start && node.start_byte() <= span.end;
        let long = node.end_position().row - node.start_position().row >= MIN_LINES - 1;
        if inside && long {
            hints.extend(hint(syntax, node));
            if cursor.goto_first_child() {
                continue;
            }
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

fn hint(syntax: &Syntax, node: Node<'_>) -> Option<Hint> {
    let text = |field: &str| {
        let node = node.child_by_field_name(field)?;
        let text = syntax.text().slice(node.byte_range());
        (text.len() <= MAX_NAME && !text.contains('\n')).then(|| text.into_owned())
    };
    let label = match node.kind() {
        "function_item" => format!("fn {}", text("name")?),
        "mod_item" => format!("mod {}", text("name")?),
        "trait_item" => format!("trait {}", text("name")?),
        "impl_item" => match text("trait") {
            Some(of) => format!("impl {of} for {}", text("type")?),
            None => format!("impl {}", text("type")?),
        },
        _ => return None,
    };
    let at = node.end_byte();
    let own = syntax.text();
    let line = own.line_span(own.line_of(at));
    let brace = at > 0 && own.slice(at - 1..at) == "}";
    // A label before other code on the line would be confusing.
    let alone = own.slice(at..line.end.max(at)).trim().is_empty();
    (brace && alone).then_some(Hint {
        offset: at,
        label,
        kind: HintKind::ClosingBrace,
        location: None,
    })
}
