//! Rust: names in code that no macro generates or reads.

use rustc_hash::FxHashSet;
use tree_sitter::Node;

use super::rust_macro_names::MacroNames;
use crate::diagnose::{DiagnosticsContext, NameDiagnostic, name_lists};
use crate::facts::{NONE, Ref};
use crate::resolve::{Resolver, Ty};
use crate::vocabulary::{Namespace, ScopeKind};

/// Whether the names that macros and attributes at item level may generate are known.
pub(super) fn all_sources_known(ctx: &DiagnosticsContext<'_>) -> bool {
    MacroNames::of_file(ctx).is_some()
}

/// Removes diagnostics from index `first` on whose names a macro may generate.
pub(super) fn remove_macro_names(
    ctx: &DiagnosticsContext<'_>,
    found: &mut Vec<NameDiagnostic>,
    first: usize,
) {
    if found.len() == first {
        return;
    }
    let macro_names = MacroNames::of_file(ctx);
    let mut at = 0;
    found.retain(|finding| {
        at += 1;
        at <= first
            || macro_names
                .as_ref()
                .is_some_and(|macro_names| !macro_names.may_generate(&finding.name))
    });
}

pub(super) fn is_undefined(
    ctx: &DiagnosticsContext<'_>,
    resolver: &Resolver<'_>,
    reference: &Ref,
) -> bool {
    let (facts, lex) = (ctx.facts, &ctx.lex);
    if reference.namespace == Namespace::MACRO || reference.namespace.has(Namespace::NOTE) {
        return false;
    }
    // An upper-case name may be a constant in a pattern; after `let` and `for` it is more likely a variable.
    let name = ctx.name(reference.name);
    let is_variable = |at: &u32| {
        let (before, rest) = lex.source.split_at(*at as usize);
        let before = before.trim_end();
        let before = before.strip_suffix(" mut").unwrap_or(before);
        let after = rest[name.len()..].trim_start();
        // `let A { b } = c` and `let A::B = c` read a type.
        [" let", " for"].iter().any(|word| before.ends_with(word))
            && (after.starts_with("in ") || after.starts_with(['=', ':', ';']))
            && !after.starts_with("::")
    };
    if name.starts_with(char::is_uppercase) && lex.occurrences(name).iter().any(is_variable) {
        return false;
    }
    let rest = lex.source[reference.end as usize..].trim_start();
    let before = lex.source[..reference.start as usize].trim_end();
    // A path may start with a crate name.
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
    for node in lex.ancestors(reference.start, reference.end) {
        if node.kind() == "type_arguments"
            && within.is_some_and(|name| has_bounds(name, reference.start))
        {
            return false;
        }
        within = Some(node);
        if inside(node.kind()) || contains_item_macros(ctx, node) {
            return false;
        }
        // Code under `cfg` may not be built.
        let mut above = if lex.may_have_attribute(node) { node.prev_named_sibling() } else { None };
        while let Some(attribute) = above.filter(|a| a.kind() == "attribute_item") {
            conditional |= lex.source[attribute.byte_range()].contains("cfg");
            above = attribute.prev_named_sibling();
        }
    }
    if conditional {
        return false;
    }
    // All glob imports of the enclosing scopes must be known.
    let mut at = reference.scope;
    while at != NONE {
        let scope = &facts.scopes[at as usize];
        for glob in facts.globs.iter().filter(|g| g.scope == at) {
            match resolver.type_of_value(ctx.file, glob.module) {
                Ty::Module(file, _)
                    if !resolver.is_library(file)
                        && !invokes_macros(resolver, file)
                        && globs_known(resolver, file, name, &mut FxHashSet::default()) => {}
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

/// Whether a block contains a macro that may generate items.
fn contains_item_macros(ctx: &DiagnosticsContext<'_>, node: tree_sitter::Node<'_>) -> bool {
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
            let text = &ctx.lex.source[n.byte_range()];
            !name_lists::is_plain_macro(text.rsplit("::").next().unwrap_or(text))
        })
    })
}

/// Whether a generic argument that starts at `start` names an associated type with bounds:
/// `IntoIterator<Item: Copy>`.
fn has_bounds(argument: Node<'_>, start: u32) -> bool {
    argument.start_byte() == start as usize
        && argument.next_named_sibling().is_some_and(|next| next.kind() == "trait_bounds")
}

/// Whether all names that come from a module are known, also through its own glob imports.
fn globs_known(
    resolver: &Resolver<'_>,
    file: crate::index::FileId,
    name: &str,
    seen: &mut FxHashSet<crate::index::FileId>,
) -> bool {
    !seen.insert(file)
        || !may_be_derived(resolver, file, name)
            && resolver.facts(file).globs.iter().all(|g| {
                match resolver.type_of_value(file, g.module) {
                    Ty::Module(other, _) => {
                        !resolver.is_library(other)
                            && !invokes_macros(resolver, other)
                            && globs_known(resolver, other, name, seen)
                    }
                    Ty::Type(..) => true,
                    _ => false,
                }
            })
}

/// Whether a derive macro of a type in this file may generate the name, as one that makes `ColorIter` of `Color`.
/// Facts do not record derives.
fn may_be_derived(resolver: &Resolver<'_>, file: crate::index::FileId, name: &str) -> bool {
    let facts = resolver.facts(file);
    facts.definitions[1..].iter().any(|def| {
        let ty = facts.strings.text(def.name);
        def.kind.is_type() && ty.len() > 1 && name.len() > ty.len() && name.starts_with(ty)
    })
}

/// Whether a file invokes a macro at module level.
fn invokes_macros(resolver: &Resolver<'_>, file: crate::index::FileId) -> bool {
    let facts = resolver.facts(file);
    facts.references.iter().any(|r| {
        r.namespace == Namespace::MACRO && {
            let scope = facts.scopes.get(r.scope as usize);
            scope.is_some_and(|s| matches!(s.kind, ScopeKind::File | ScopeKind::Module))
        }
    })
}
