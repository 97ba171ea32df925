//! Conditions with a statically known outcome, as type checkers define them: `TYPE_CHECKING`, the
//! version of the language, the platform. Source: "Version and platform checking" in the Python
//! typing specification.

use tree_sitter::Node;

use super::{Lowerer, span};

/// The version of Python that code is read for.
const PYTHON_VERSION: [u32; 2] = [3, 12];

/// Depth limit of operators.
const MAX_DEPTH: u32 = 8;

impl Lowerer<'_> {
    /// Whether a condition holds; `None` if only running it decides.
    pub(super) fn static_outcome(&self, node: Node<'_>) -> Option<bool> {
        self.static_outcome_within(node, MAX_DEPTH)
    }

    /// The same, with a depth limit.
    fn static_outcome_within(&self, node: Node<'_>, depth: u32) -> Option<bool> {
        let depth = depth.checked_sub(1)?;
        let (start, end) = span(node);
        let text = self.slice(start, end);
        let child = |n: u32| node.named_child(n);
        match node.kind() {
            "parenthesized_expression" => self.static_outcome_within(child(0)?, depth),
            "not_operator" => self.static_outcome_within(child(0)?, depth).map(|holds| !holds),
            "boolean_operator" => {
                let left = self.static_outcome_within(child(0)?, depth);
                let right = self.static_outcome_within(child(1)?, depth);
                let decisive = node.child_by_field_name("operator")?.kind() == "or";
                match (left, right) {
                    (Some(l), Some(r)) => Some(if decisive { l || r } else { l && r }),
                    (Some(known), None) | (None, Some(known)) => {
                        (known == decisive).then_some(decisive)
                    }
                    (None, None) => None,
                }
            }
            "identifier" | "attribute" => {
                (text == "TYPE_CHECKING" || text.ends_with(".TYPE_CHECKING")).then_some(true)
            }
            "comparison_operator" => compared(text),
            _ => None,
        }
    }
}

/// Evaluates `sys.version_info >= (3, 8)`, `sys.platform == "win32"`.
fn compared(text: &str) -> Option<bool> {
    let text: String = text.split_whitespace().collect();
    if let Some(rest) = text.strip_prefix("sys.version_info") {
        let (operator, version) = rest.split_at(rest.find('(')?);
        let parts: Vec<u32> = version
            .trim_matches(['(', ')'])
            .split(',')
            .filter(|p| !p.is_empty())
            .map(|p| p.parse().ok())
            .collect::<Option<_>>()?;
        let own = PYTHON_VERSION.to_vec();
        return match operator {
            ">=" => Some(own >= parts),
            ">" => Some(own > parts),
            "<" => Some(own < parts),
            "<=" => Some(own <= parts),
            _ => None,
        };
    }
    let (wanted, own) = match text.strip_prefix("sys.platform") {
        Some(rest) => (rest, "linux"),
        None => (text.strip_prefix("os.name")?, "posix"),
    };
    let is = |quoted: &str| quoted.trim_matches(['"', '\'']) == own;
    match wanted.split_at_checked(2)? {
        ("==", name) if name.starts_with(['"', '\'']) => Some(is(name)),
        ("!=", name) if name.starts_with(['"', '\'']) => Some(!is(name)),
        _ => None,
    }
}
