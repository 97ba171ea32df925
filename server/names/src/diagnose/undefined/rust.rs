//! Rust: names in code that no macro makes or reads.

use rustc_hash::FxHashSet;
use tree_sitter::Node;

use super::rust_made::Made;
use crate::diagnose::{Finding, Subject, known};
use crate::facts::{NONE, Ref};
use crate::resolve::{Resolver, Ty};
use crate::vocabulary::{Namespace, ScopeKind};

/// Whether it is known which names the macros and attributes beside items may make.
pub(super) fn is_closed(subject: &Subject<'_>) -> bool {
    Made::of(subject).is_some()
}

/// Takes back what was found from `first` on of names that a macro may make.
pub(super) fn leave_what_macros_make(
    subject: &Subject<'_>,
    found: &mut Vec<Finding>,
    first: usize,
) {
    if found.len() == first {
        return;
    }
    let made = Made::of(subject);
    let mut at = 0;
    found.retain(|finding| {
        at += 1;
        at <= first || made.as_ref().is_some_and(|made| !made.may_be(&finding.name))
    });
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
    // A name in capitals may be a constant's in a pattern; after `let` it is mostly a variable's.
    let name = subject.name(reference.name);
    let is_variable = |at: &u32| {
        let before = ground.source[..*at as usize].trim_end();
        before.ends_with(" let") || before.ends_with("let mut")
    };
    if !name.contains(char::is_lowercase) && ground.places(name).iter().any(is_variable) {
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
    let mut within: Option<Node<'_>> = None;
    for node in ground.around(reference.start, reference.end) {
        if node.kind() == "type_arguments"
            && within.is_some_and(|name| is_bound(name, reference.start))
        {
            return false;
        }
        within = Some(node);
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
                Ty::Module(file, _)
                    if !resolver.is_library(file)
                        && !has_macros(resolver, file)
                        && globs_known(resolver, file, &mut FxHashSet::default()) => {}
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

/// Whether an argument in angle brackets that begins at `start` names an associated type, which has
/// bounds: `IntoIterator<Item: Copy>`.
fn is_bound(argument: Node<'_>, start: u32) -> bool {
    argument.start_byte() == start as usize
        && argument.next_named_sibling().is_some_and(|next| next.kind() == "trait_bounds")
}

/// Whether every module whose names another one takes over is known, however many lie between.
fn globs_known(
    resolver: &Resolver<'_>,
    file: crate::index::FileId,
    seen: &mut FxHashSet<crate::index::FileId>,
) -> bool {
    !seen.insert(file)
        || resolver.facts(file).globs.iter().all(|g| match resolver.eval(file, g.module) {
            Ty::Module(other, _) => {
                !resolver.is_library(other)
                    && !has_macros(resolver, other)
                    && globs_known(resolver, other, seen)
            }
            Ty::Type(..) => true,
            _ => false,
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
