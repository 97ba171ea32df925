//! Ruby: adjacent tokens that no construct allows, whatever the parser made of them. In error
//! recovery it skips them or joins them into calls without parentheses.

use tree_sitter::Node;

use super::SyntaxError;
use crate::Syntax;

/// Limit of errors per text.
const MAX_ERRORS: usize = 20;
/// Keywords that are never repeated on a line.
const NEVER_REPEATED: &[&str] =
    &["class", "def", "do", "else", "elsif", "ensure", "module", "return", "then", "when"];
/// Keywords that start no value.
const NON_VALUES: &[&str] = &["else", "elsif", "end", "ensure", "rescue", "return", "when"];
/// Tokens that cannot be a method parameter.
const NON_PARAMETERS: &[&str] = &["end", "false", "nil", "self", "true"];
/// Nodes whose contents are text.
const TEXT_KINDS: &[&str] = &[
    "comment",
    "heredoc_body",
    "regex",
    "string_content",
    "string_array",
    "symbol_array",
    "subshell",
];

struct Leaf<'t> {
    node: Node<'t>,
    /// Whether its parent is an ERROR node.
    is_in_error: bool,
}

impl Syntax {
    /// Errors that pairs of adjacent tokens show. The parser accepts some of them: it reads `@a b`
    /// as a call with the argument `@a`. O(tokens).
    pub(super) fn ruby_token_pair_errors(&self) -> Vec<SyntaxError> {
        let mut errors = Vec::new();
        let leaves = leaves(self.root());
        for (at, pair) in leaves.windows(2).enumerate() {
            let [first, second] = pair else { continue };
            if errors.len() >= MAX_ERRORS {
                break;
            }
            let is_same_line = first.node.end_position().row == second.node.start_position().row;
            let between = self.text().slice(first.node.end_byte()..second.node.start_byte());
            // Text may be between them: `"#@a #@b"`.
            if !between.chars().all(char::is_whitespace) {
                continue;
            }
            let is_separated = !between.is_empty();
            let renames = at > 0 && matches!(leaves[at - 1].node.kind(), "alias" | "undef");
            let (first_kind, second_kind) = (first.node.kind(), second.node.kind());
            let text = |node: Node<'_>| -> String {
                self.text().slice(node.start_byte()..node.end_byte()).chars().take(30).collect()
            };
            let mut report = |node: Node<'_>, message: String| {
                let span = node.start_byte()..node.end_byte();
                errors.push(SyntaxError { span, message, missing: None });
            };
            // The token before the two, unless text is in between.
            let before = at.checked_sub(1).map(|before| leaves[before].node).filter(|before| {
                let between = self.text().slice(before.end_byte()..first.node.start_byte());
                between.chars().all(char::is_whitespace)
            });
            let before = before.map_or("", |node| node.kind());
            if is_same_line
                && is_separated
                && is_uncallable_literal(first.node)
                && starts_value(second_kind)
            {
                let text = text(second.node);
                report(second.node, format!("expected an operator or `,` before `{text}`"));
            } else if is_same_line
                && is_separated
                && (first_kind, before) == ("identifier", ",")
                && (starts_value(second_kind) || opens_string(second.node))
            {
                // An argument list contains no calls without parentheses.
                let text = text(second.node);
                report(second.node, format!("expected `,` or an operator before `{text}`"));
            } else if is_same_line
                && before == "def"
                && first_kind == "identifier"
                && NON_PARAMETERS.contains(&second_kind)
            {
                report(second.node, format!("expected `;` or a new line before `{second_kind}`"));
            } else if first_kind == ","
                && before == ":"
                && is_after_keyword_parameter(&leaves[..at], second.node)
            {
                report(second.node, format!("expected `:` after `{}`", text(second.node)));
            } else if is_same_line
                && is_separated
                && is_variable(first_kind)
                && (starts_value(second_kind) || opens_string(second.node))
                && !renames
            {
                let text = text(second.node);
                report(second.node, format!("expected `=` or another operator before `{text}`"));
            } else if is_same_line
                && NEVER_REPEATED.contains(&first_kind)
                && text(second.node) == first_kind
            {
                report(second.node, format!("unexpected `{first_kind}`"));
            } else if first_kind == "="
                && !is_same_line
                && NON_VALUES.contains(&second_kind)
                && !is_part_of_method_name(first.node)
            {
                report(first.node, "expected a value after `=`".to_owned());
            } else if first_kind == "?" && first.is_in_error && lacks_colon(&leaves[at..]) {
                report(first.node, "expected `:` after `?` and its value".to_owned());
            }
        }
        errors
    }
}

/// A variable that cannot be called, so an operator must follow.
fn is_variable(kind: &str) -> bool {
    matches!(kind, "instance_variable" | "class_variable" | "global_variable")
}

/// Whether a `=` belongs to a method name: `alias a= b=`.
fn is_part_of_method_name(sign: Node<'_>) -> bool {
    sign.parent().is_some_and(|outer| matches!(outer.kind(), "setter" | "alias" | "undef"))
}

/// A value that cannot be called.
fn is_uncallable_literal(node: Node<'_>) -> bool {
    matches!(node.kind(), "integer" | "float")
}

/// Whether a quote starts a string.
fn opens_string(quote: Node<'_>) -> bool {
    let is_first =
        |outer: Node<'_>| outer.kind() == "string" && outer.start_byte() == quote.start_byte();
    quote.kind() == "\"" && quote.parent().is_some_and(is_first)
}

/// Whether a name is a parameter without `:` after one with it, in `def a(b:, c)`.
fn is_after_keyword_parameter(before: &[Leaf<'_>], name: Node<'_>) -> bool {
    let is_in =
        |node: Node<'_>, kind: &str| node.parent().is_some_and(|outer| outer.kind() == kind);
    name.kind() == "identifier"
        && is_in(name, "method_parameters")
        && before.last().is_some_and(|colon| is_in(colon.node, "keyword_parameter"))
}

fn starts_value(kind: &str) -> bool {
    is_variable(kind)
        || matches!(
            kind,
            "identifier"
                | "constant"
                | "integer"
                | "float"
                | "nil"
                | "true"
                | "false"
                | "self"
                | "simple_symbol"
        )
}

/// Whether no `:` is on the line of the first token.
fn lacks_colon(leaves: &[Leaf<'_>]) -> bool {
    let Some(first) = leaves.first() else { return false };
    let row = first.node.start_position().row;
    let line = leaves.iter().take_while(|leaf| leaf.node.start_position().row == row);
    let mut line = line.skip(1).map(|leaf| leaf.node.kind());
    line.all(|kind| !kind.contains(':') && !matches!(kind, "hash_key_symbol" | "simple_symbol"))
}

/// The tokens of a tree in order, except those inside text.
fn leaves(root: Node<'_>) -> Vec<Leaf<'_>> {
    let mut found = Vec::new();
    let mut cursor = root.walk();
    // For each ancestor of the cursor: whether it is an ERROR node.
    let mut around = Vec::new();
    loop {
        let node = cursor.node();
        let is_text = TEXT_KINDS.contains(&node.kind());
        if !is_text && cursor.goto_first_child() {
            around.push(node.is_error());
            continue;
        }
        if !is_text && node.start_byte() < node.end_byte() {
            found.push(Leaf { node, is_in_error: around.last().is_some_and(|it| *it) });
        }
        while !cursor.goto_next_sibling() {
            around.pop();
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}
