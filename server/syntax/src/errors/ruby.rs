//! Ruby: tokens beside each other that no construct of the language has, whatever its parser made of the text
//! around. Where the parser gives up, it skips them or joins them into calls without brackets.

use tree_sitter::Node;

use super::SyntaxError;
use crate::Syntax;

/// Most errors of one text.
const MOST: usize = 20;
/// Keywords that never follow themselves on a line.
const ONCE: &[&str] =
    &["class", "def", "do", "else", "elsif", "ensure", "module", "return", "then", "when"];
/// Keywords that begin no value.
const ENDS: &[&str] = &["else", "elsif", "end", "ensure", "rescue", "return", "when"];
/// What can be no parameter of a method.
const NO_PARAMETERS: &[&str] = &["end", "false", "nil", "self", "true"];
/// Nodes whose insides are text.
const TEXTS: &[&str] = &[
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
    /// Whether the node around it is one that the parser could not make anything of.
    is_loose: bool,
}

impl Syntax {
    /// Errors of Ruby by pairs of tokens. Its parser takes some of them: `@a b` is a call of `@a` to it. O(tokens).
    pub(super) fn ruby_pairs(&self) -> Vec<SyntaxError> {
        let mut errors = Vec::new();
        let leaves = leaves(self.root());
        for (at, pair) in leaves.windows(2).enumerate() {
            let [first, second] = pair else { continue };
            if errors.len() >= MOST {
                break;
            }
            let is_line = first.node.end_position().row == second.node.start_position().row;
            let between = self.text().slice(first.node.end_byte()..second.node.start_byte());
            // Parts of a text may be between them: `"#@a #@b"`.
            if !between.chars().all(char::is_whitespace) {
                continue;
            }
            let is_apart = !between.is_empty();
            let renames = at > 0 && matches!(leaves[at - 1].node.kind(), "alias" | "undef");
            let (one, two) = (first.node.kind(), second.node.kind());
            let text = |node: Node<'_>| -> String {
                self.text().slice(node.start_byte()..node.end_byte()).chars().take(30).collect()
            };
            let mut report = |node: Node<'_>, message: String| {
                let span = node.start_byte()..node.end_byte();
                errors.push(SyntaxError { span, message, missing: None });
            };
            // The token before the two, unless a text stands between.
            let before = at.checked_sub(1).map(|before| leaves[before].node).filter(|before| {
                let between = self.text().slice(before.end_byte()..first.node.start_byte());
                between.chars().all(char::is_whitespace)
            });
            let before = before.map_or("", |node| node.kind());
            if is_line && is_apart && is_alone(first.node) && begins_value(two) {
                let text = text(second.node);
                report(second.node, format!("expected an operator or `,` before `{text}`"));
            } else if is_line
                && is_apart
                && (one, before) == ("identifier", ",")
                && (begins_value(two) || opens_string(second.node))
            {
                // No call without brackets stands among others.
                let text = text(second.node);
                report(second.node, format!("expected `,` or an operator before `{text}`"));
            } else if is_line
                && before == "def"
                && one == "identifier"
                && NO_PARAMETERS.contains(&two)
            {
                report(second.node, format!("expected `;` or a new line before `{two}`"));
            } else if one == "," && before == ":" && is_after_keyword(&leaves[..at], second.node) {
                report(second.node, format!("expected `:` after `{}`", text(second.node)));
            } else if is_line
                && is_apart
                && is_variable(one)
                && (begins_value(two) || opens_string(second.node))
                && !renames
            {
                let text = text(second.node);
                report(second.node, format!("expected `=` or another operator before `{text}`"));
            } else if is_line && ONCE.contains(&one) && text(second.node) == one {
                report(second.node, format!("unexpected `{one}`"));
            } else if one == "=" && !is_line && ENDS.contains(&two) && !is_of_name(first.node) {
                report(first.node, "expected a value after `=`".to_owned());
            } else if one == "?" && first.is_loose && lacks_colon(&leaves[at..]) {
                report(first.node, "expected `:` behind `?` and its value".to_owned());
            }
        }
        errors
    }
}

/// A variable that can be no call, so nothing follows it without an operator.
fn is_variable(kind: &str) -> bool {
    matches!(kind, "instance_variable" | "class_variable" | "global_variable")
}

/// Whether a `=` is the end of a method's name: `alias a= b=`.
fn is_of_name(sign: Node<'_>) -> bool {
    sign.parent().is_some_and(|outer| matches!(outer.kind(), "setter" | "alias" | "undef"))
}

/// A value that can be no call either.
fn is_alone(node: Node<'_>) -> bool {
    matches!(node.kind(), "integer" | "float")
}

/// Whether a quote opens a string.
fn opens_string(quote: Node<'_>) -> bool {
    let is_first =
        |outer: Node<'_>| outer.kind() == "string" && outer.start_byte() == quote.start_byte();
    quote.kind() == "\"" && quote.parent().is_some_and(is_first)
}

/// Whether a name is a parameter without a `:` behind one with it, in `def a(b:, c)`.
fn is_after_keyword(before: &[Leaf<'_>], name: Node<'_>) -> bool {
    let is_in =
        |node: Node<'_>, kind: &str| node.parent().is_some_and(|outer| outer.kind() == kind);
    name.kind() == "identifier"
        && is_in(name, "method_parameters")
        && before.last().is_some_and(|colon| is_in(colon.node, "keyword_parameter"))
}

fn begins_value(kind: &str) -> bool {
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

/// The tokens of a tree in their order, those inside texts left out.
fn leaves(root: Node<'_>) -> Vec<Leaf<'_>> {
    let mut found = Vec::new();
    let mut cursor = root.walk();
    // Of the nodes around the cursor, whether each is an error.
    let mut around = Vec::new();
    loop {
        let node = cursor.node();
        let is_text = TEXTS.contains(&node.kind());
        if !is_text && cursor.goto_first_child() {
            around.push(node.is_error());
            continue;
        }
        if !is_text && node.start_byte() < node.end_byte() {
            found.push(Leaf { node, is_loose: around.last().is_some_and(|it| *it) });
        }
        while !cursor.goto_next_sibling() {
            around.pop();
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}
