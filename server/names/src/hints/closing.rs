//! What ends at a closing brace far below its beginning, in Rust: where rust-analyzer shows it.

use std::ops::Range;

use syntax::Syntax;
use tree_sitter::Node;

use super::{Hint, HintKind};

/// Shortest block, in lines, whose closing brace gets a hint.
const LINES: usize = 25;
/// Longest name that is shown, in bytes.
const LONGEST: usize = 60;

/// The hints behind braces in a part of a text.
pub(super) fn closing_hints(syntax: &Syntax, span: &Range<usize>, hints: &mut Vec<Hint>) {
    if syntax.language().id() != "rust" {
        return;
    }
    let mut cursor = syntax.root().walk();
    loop {
        let node = cursor.node();
        // What ends before the part, or begins behind it, holds no brace of it.
        let inside = node.end_byte() >= span.start && node.start_byte() <= span.end;
        let long = node.end_position().row - node.start_position().row >= LINES - 1;
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
        (text.len() <= LONGEST && !text.contains('\n')).then(|| text.into_owned())
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
    // What follows on the line would stand behind the hint.
    let alone = own.slice(at..line.end.max(at)).trim().is_empty();
    (brace && alone).then_some(Hint { at, label, kind: HintKind::Closing, place: None })
}
