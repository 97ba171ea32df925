//! Diagnostics for names that nothing defines.

mod c;
mod ecma;
mod go;
mod java;
mod python;
mod rust;
pub(super) mod rust_macro_names;

use std::sync::atomic::{AtomicBool, Ordering};

use super::lexical_index::LexicalKind;
use super::{DiagnosticsContext, NameDiagnostic, NameDiagnosticKind, name_lists};
use crate::facts::{Ref, ReferenceRole};
use crate::resolve::Resolver;
use crate::vocabulary::{DefinitionKind, Namespace};

/// Limit for the diagnostics of one file. If more names are missing, the analysis lacks something.
const MAX_DIAGNOSTICS: usize = 100;

/// Adds the diagnostics for undefined names. Cheap checks come first, resolution last.
pub(super) fn find(
    ctx: &DiagnosticsContext<'_>,
    found: &mut Vec<NameDiagnostic>,
    interrupt: &AtomicBool,
) {
    let facts = ctx.facts;
    let suspects: Vec<u32> = (0..facts.references.len() as u32)
        .filter(|&r| is_suspect(ctx, &facts.references[r as usize]))
        .collect();
    if suspects.is_empty() || !all_sources_known(ctx) {
        return;
    }
    let (mut resolver, before) = (ctx.resolver(), found.len());
    for r in suspects {
        if interrupt.load(Ordering::Relaxed) {
            return;
        }
        if resolver.is_near_step_limit() {
            resolver = ctx.resolver();
        }
        let reference = &facts.references[r as usize];
        // Where the parser recovers from unknown syntax, names may be wrong.
        let broken = ctx.lex.syntax.root().has_error()
            && ctx.lex.ancestors(reference.start, reference.end).any(|n| n.is_error());
        if !broken && is_undefined(ctx, &resolver, r, reference) {
            let name = ctx.name(reference.name);
            let (start, end) = (reference.start, reference.end);
            found.push(ctx.diagnostic(NameDiagnosticKind::UndefinedName, start, end, name));
            if found.len() - before > MAX_DIAGNOSTICS {
                break;
            }
        }
    }
    if ctx.language == "rust" {
        rust::remove_macro_names(ctx, found, before);
    }
}

/// Whether a name looks undefined by this file alone. A name that the file defines anywhere, of
/// whatever kind, is not a suspect: it is rarely meant to be another.
fn is_suspect(ctx: &DiagnosticsContext<'_>, reference: &Ref) -> bool {
    let facts = ctx.facts;
    let member = |&d: &u32| {
        let def = &facts.definitions[d as usize];
        matches!(def.kind, DefinitionKind::Field | DefinitionKind::Method)
    };
    let name = ctx.name(reference.name);
    reference.role == ReferenceRole::Plain
        && reference.start < reference.end
        && !reference.namespace.has(Namespace::NOTE)
        && reference.namespace != Namespace::LABEL
        && !name_lists::is_global(ctx.language, name)
        && facts.definitions_named(reference.name).iter().all(member)
        && is_word(name)
        && ctx.lex.kind(reference.start) == LexicalKind::Code
        && ctx.lex.source.get(reference.start as usize..reference.end as usize) == Some(name)
        && !facts.is_for_other_platform(reference.start)
}

fn is_word(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || c == '_') && name.len() > 1
}

/// Whether every source of names for the file is known.
fn all_sources_known(ctx: &DiagnosticsContext<'_>) -> bool {
    match ctx.language {
        "python" => python::all_sources_known(ctx),
        "typescript" | "tsx" | "javascript" => ecma::all_sources_known(ctx),
        "rust" => rust::all_sources_known(ctx),
        "go" => go::all_sources_known(ctx),
        "java" => true,
        "c" => c::all_sources_known(ctx),
        _ => false,
    }
}

fn is_undefined(
    ctx: &DiagnosticsContext<'_>,
    resolver: &Resolver<'_>,
    r: u32,
    reference: &Ref,
) -> bool {
    let own = match ctx.language {
        "python" => python::is_undefined(ctx, reference),
        "typescript" | "tsx" | "javascript" => ecma::is_undefined(ctx, reference),
        "rust" => rust::is_undefined(ctx, resolver, reference),
        "go" => go::is_undefined(ctx, reference),
        "java" => java::is_undefined(ctx, resolver, r, reference),
        "c" => c::is_undefined(ctx, reference),
        _ => false,
    };
    own && resolver.definitions_of_reference(ctx.file, r).is_empty()
        && !resolver.is_near_step_limit()
}
