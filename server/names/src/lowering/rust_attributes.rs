//! Rust attributes that affect names: `cfg` and `path`.

use tree_sitter::Node;

use super::{Lowerer, span};
use crate::expression::{Expression, Value};
use crate::facts::NONE;
use crate::vocabulary::{ActionKind, DefinitionKind, Flags, ScopeKind};

/// The state of attributes seen before an item.
#[derive(Debug, Default)]
pub(super) struct PendingAttributes {
    /// The inactive range, and the scope that it is in.
    unread: (u32, u32, u32),
    /// The file of the next module, and the scope that declares it.
    path: Option<(Value, u32)>,
}

impl Lowerer<'_> {
    /// Records a `cfg` condition that does not hold, or a `path`, for the next item.
    pub(super) fn lower_rust_attribute(&mut self, node: Node<'_>) -> Value {
        let (start, end) = span(node);
        let text = self.slice(start, end);
        let inner = text.trim_start_matches(['#', '[', ' ']);
        if let Some(condition) = inner.strip_prefix("cfg") {
            let condition = condition.trim_start().strip_prefix('(');
            if let Some(condition) = condition
                && !(CfgCondition { rest: condition }).holds(8)
                && let Some(below) = self.attributed_item(node)
            {
                self.pending_attributes.unread = (below.0, below.1, self.scope);
            }
        } else if inner.starts_with("path")
            && let Some((before, rest)) = text.split_once('"')
            && let Some((path, _)) = rest.split_once('"')
        {
            let at = start + before.len() as u32 + 1;
            let name = self.intern(at, at + path.len() as u32);
            let value = self.push_expression(Expression::Module(name, 0));
            self.pending_attributes.path = Some((value, self.scope));
        }
        Value::NONE
    }

    /// The item that an attribute belongs to.
    fn attributed_item(&self, node: Node<'_>) -> Option<(u32, u32)> {
        let passed = |n: &Node<'_>| {
            let action = self.rules.rule(n.kind_id()).map(|r| r.action.kind);
            matches!(action, Some(ActionKind::Attribute | ActionKind::Skip))
        };
        let mut next = node.next_named_sibling();
        for _ in 0..64 {
            next = next.filter(passed).and_then(|n| n.next_named_sibling()).or(next);
            if next.is_none_or(|n| !passed(&n)) {
                break;
            }
        }
        next.map(span)
    }

    /// The flags that attributes add to a definition.
    pub(super) fn attribute_flags(&self, at: u32, scope: u32) -> Flags {
        let (start, end, around) = self.pending_attributes.unread;
        let own = scope == around
            || self.scopes.get(scope as usize).is_some_and(|s| {
                matches!(s.kind, ScopeKind::Extension) && s.parent == around && s.start >= start
            });
        if own && start <= at && at < end { Flags::INACTIVE } else { Flags::default() }
    }

    /// The path that an attribute sets for a module.
    pub(super) fn module_path(&mut self, kind: DefinitionKind, scope: u32) -> Option<Value> {
        if !matches!(kind, DefinitionKind::Module) || self.pending_attributes.path?.1 != scope {
            return None;
        }
        self.pending_attributes.path.take().map(|p| p.0)
    }

    /// No attribute seen yet.
    pub(super) fn no_attributes() -> PendingAttributes {
        PendingAttributes { unread: (0, 0, NONE), path: None }
    }
}

/// A `cfg` condition, evaluated for tests on Linux with all features: unknown options hold, so that
/// most code counts as active.
struct CfgCondition<'t> {
    rest: &'t str,
}

impl CfgCondition<'_> {
    /// Whether the condition holds.
    fn holds(&mut self, depth: u32) -> bool {
        self.space();
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_');
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        self.space();
        if depth > 0 && self.eat('(') {
            let (mut any, mut all) = (false, true);
            loop {
                self.space();
                if self.rest.is_empty() || self.eat(')') {
                    break;
                }
                let before = self.rest.len();
                let one = self.holds(depth - 1);
                (any, all) = (any | one, all & one);
                self.space();
                if !self.eat(',') && self.rest.len() == before {
                    self.rest = "";
                }
            }
            return match word {
                "not" => !any,
                "any" => any,
                _ => all,
            };
        }
        if self.eat('=') {
            self.space();
            let quoted = self.rest.strip_prefix('"').and_then(|r| r.split_once('"'));
            let Some((value, rest)) = quoted else { return true };
            self.rest = rest;
            return match word {
                "target_os" => value == "linux",
                "target_family" => value == "unix",
                "target_arch" => value == "x86_64",
                "target_env" => value == "gnu",
                "target_endian" => value == "little",
                "target_pointer_width" => value == "64",
                "panic" => value == "unwind",
                _ => true,
            };
        }
        matches!(word, "unix" | "test" | "debug_assertions" | "true" | "panic")
    }

    fn space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn eat(&mut self, c: char) -> bool {
        let after = self.rest.strip_prefix(c);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evaluates_cfg_conditions() {
        let holds = |text| CfgCondition { rest: text }.holds(8);
        for text in [
            "unix)",
            "not(windows))",
            "any(windows, target_os = \"linux\"))",
            "all(unix, feature = \"a\", not(loom)))",
            "not(any(windows, target_arch = \"wasm32\")))",
            "test)",
        ] {
            assert!(holds(text), "{text}");
        }
        for text in ["windows)", "not(feature = \"std\"))", "all(unix, loom))", "docsrs)", "any())"]
        {
            assert!(!holds(text), "{text}");
        }
    }
}
