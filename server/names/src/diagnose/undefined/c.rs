//! C: all included files are indexed, and none defines the name.

use crate::diagnose::DiagnosticsContext;
use crate::facts::Ref;
use crate::index::FileId;
use crate::resolve::{Resolver, Ty};

/// Limit for the files that a file includes, directly and indirectly.
const MAX_INCLUDES: usize = 400;

pub(super) fn all_sources_known(ctx: &DiagnosticsContext<'_>) -> bool {
    ctx.path.ends_with(".c") && included_files(ctx).is_some()
}

/// All files that a file includes, itself included; `None` if one is not indexed.
fn included_files(ctx: &DiagnosticsContext<'_>) -> Option<Vec<FileId>> {
    let resolver = ctx.resolver();
    let (mut all, mut next) = (vec![ctx.file], 0);
    while let Some(&file) = all.get(next) {
        next += 1;
        if all.len() > MAX_INCLUDES {
            return None;
        }
        for other in includes(&resolver, file)? {
            if !all.contains(&other) {
                all.push(other);
            }
        }
    }
    Some(all)
}

fn includes(resolver: &Resolver<'_>, file: FileId) -> Option<Vec<FileId>> {
    let facts = resolver.facts(file);
    let targets = facts.globs.iter().map(|g| match resolver.type_of_value(file, g.module) {
        Ty::Module(other, _) => Some(other),
        _ => None,
    });
    targets.collect()
}

pub(super) fn is_undefined(ctx: &DiagnosticsContext<'_>, reference: &Ref) -> bool {
    let (lex, name) = (&ctx.lex, ctx.name(reference.name));
    let capital = !name.chars().any(|c| c.is_ascii_lowercase());
    if capital || name.starts_with("__") || in_condition(ctx, reference) {
        return false;
    }
    // If it occurs elsewhere in the project, a macro may build it.
    let elsewhere = ctx
        .index
        .names
        .get(name)
        .is_some_and(|p| p.defined.iter().chain(&p.used).any(|f| *f != ctx.file));
    !elsewhere && !lex.source.contains("##")
}

fn in_condition(ctx: &DiagnosticsContext<'_>, reference: &Ref) -> bool {
    let mut around = ctx.lex.ancestors(reference.start, reference.end);
    around.any(|n| {
        n.kind().starts_with("preproc")
            || n.kind().contains("attribute")
            || n.kind().contains("asm")
    })
}
