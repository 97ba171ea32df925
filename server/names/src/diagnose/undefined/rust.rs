//! Rust: names in code that no macro makes or reads.

use crate::diagnose::{Subject, known};
use crate::facts::{NONE, Ref};
use crate::resolve::{Resolver, Ty};
use crate::vocabulary::{Namespace, ScopeKind};

pub(super) fn is_closed(subject: &Subject<'_>) -> bool {
    // What a macro or an attribute makes beside items is not known.
    let root = subject.ground.syntax.root();
    let source = subject.ground.source;
    !has_item_macros(root, source, 0) && !source.contains("macro_use")
}

/// Whether a macro stands where items stand, or an attribute that may be one.
fn has_item_macros(node: tree_sitter::Node<'_>, source: &str, depth: usize) -> bool {
    if depth > 8 {
        return true;
    }
    let mut cursor = node.walk();
    node.named_children(&mut cursor).any(|child| match child.kind() {
        "macro_invocation" | "macro_definition" => true,
        "expression_statement" => {
            let first = child.named_child(0);
            first.is_some_and(|c| c.kind() == "macro_invocation")
        }
        "attribute_item" => {
            let text = &source[child.byte_range()];
            let inner = text.trim_start_matches(['#', '[', '!', ' ']);
            let plain = [
                "derive",
                "doc",
                "inline",
                "cfg",
                "allow",
                "deny",
                "warn",
                "must_use",
                "non_exhaustive",
                "test",
                "cold",
                "repr",
                "deprecated",
                "track_caller",
                "default",
                "ignore",
                "should_panic",
                "cfg_attr",
                "expect",
                "forbid",
                "automatically_derived",
                "rustfmt",
                "clippy",
                "serde",
                "error",
                "from",
                "source",
                "tokio::test",
                "tokio::main",
                "bench",
                "global_allocator",
                "panic_handler",
                "no_mangle",
                "link",
                "target_feature",
                "unsafe",
                "path",
                "rustc",
                "stable",
                "unstable",
                "diagnostic",
                "command",
                "arg",
                "clap",
            ];
            !plain.iter().any(|p| inner.starts_with(p))
        }
        "mod_item" | "declaration_list" => has_item_macros(child, source, depth + 1),
        _ => false,
    })
}

pub(super) fn is_undefined(
    subject: &Subject<'_>,
    resolver: &Resolver<'_>,
    reference: &Ref,
) -> bool {
    let (facts, ground) = (subject.facts, &subject.ground);
    if reference.namespace == Namespace::MACRO || reference.namespace.has(Namespace::NOTE) {
        return false;
    }
    let rest = ground.source[reference.end as usize..].trim_start();
    let before = ground.source[..reference.start as usize].trim_end();
    // A path may start with a crate.
    if rest.starts_with("::")
        || rest.starts_with('!') && !rest.starts_with("!=")
        || before.ends_with("::")
        || before.ends_with('\'')
    {
        return false;
    }
    let inside = |kind: &str| {
        matches!(
            kind,
            "macro_invocation"
                | "token_tree"
                | "attribute_item"
                | "inner_attribute_item"
                | "use_declaration"
                | "macro_definition"
                | "visibility_modifier"
                | "extern_crate_declaration"
                | "lifetime"
                | "field_initializer"
        )
    };
    let mut conditional = false;
    for node in ground.around(reference.start, reference.end) {
        if inside(node.kind()) || has_macros_inside(subject, node) {
            return false;
        }
        // Code behind a condition may not be built.
        let mut above =
            if ground.may_have_attribute(node) { node.prev_named_sibling() } else { None };
        while let Some(attribute) = above.filter(|a| a.kind() == "attribute_item") {
            conditional |= ground.source[attribute.byte_range()].contains("cfg");
            above = attribute.prev_named_sibling();
        }
    }
    if conditional {
        return false;
    }
    // Every module that the scopes around it import as a whole has to be known.
    let mut at = reference.scope;
    while at != NONE {
        let scope = &facts.scopes[at as usize];
        for glob in facts.globs.iter().filter(|g| g.scope == at) {
            match resolver.eval(subject.file, glob.module) {
                Ty::Module(file, inner)
                    if !resolver.is_library(file)
                        && !has_macros(resolver, file)
                        && globs_known(resolver, file, inner) => {}
                Ty::Type(..) => {}
                _ => return false,
            }
        }
        if scope.kind == ScopeKind::Module {
            break;
        }
        at = scope.parent;
    }
    true
}

/// Whether a block holds a macro that may make items.
fn has_macros_inside(subject: &Subject<'_>, node: tree_sitter::Node<'_>) -> bool {
    if node.kind() != "block" {
        return false;
    }
    let mut cursor = node.walk();
    node.named_children(&mut cursor).any(|child| {
        let inner = match child.kind() {
            "expression_statement" => child.named_child(0),
            "macro_invocation" => Some(child),
            "macro_definition" => return true,
            _ => None,
        };
        let called = inner.filter(|i| i.kind() == "macro_invocation");
        let name = called.and_then(|c| c.child_by_field_name("macro"));
        name.is_some_and(|n| {
            let text = &subject.ground.source[n.byte_range()];
            !known::is_plain_macro(text.rsplit("::").next().unwrap_or(text))
        })
    })
}

fn globs_known(resolver: &Resolver<'_>, file: crate::index::FileId, _scope: u32) -> bool {
    resolver.facts(file).globs.iter().all(|g| {
        matches!(resolver.eval(file, g.module), Ty::Module(other, _) if !has_macros(resolver, other))
            || matches!(resolver.eval(file, g.module), Ty::Type(..))
    })
}

/// Whether a file names a macro: the facts do not tell where.
fn has_macros(resolver: &Resolver<'_>, file: crate::index::FileId) -> bool {
    let facts = resolver.facts(file);
    facts.references.iter().any(|r| {
        r.namespace == Namespace::MACRO && {
            let scope = facts.scopes.get(r.scope as usize);
            scope.is_some_and(|s| matches!(s.kind, ScopeKind::File | ScopeKind::Module))
        }
    })
}
