//! `add_import`: imports an undefined name from where the workspace defines it.

use super::context::ActionContext;
use super::{
    ActionPlan, ActionRefusal, Offer, Planner, RefusalReason as Reason, fixed_diagnostic, refusal,
};
use crate::diagnose::{NameDiagnostic, NameDiagnosticKind};
use crate::facts::{NameSite as FactSite, ReferenceRole};
use crate::imports::{ImportEdit, ImportRequest};

pub(super) const ADD_IMPORT: Planner =
    Planner { id: "add_import", kind: "quickfix", wide: true, offers, plan };

/// Limit for the definitions that are considered.
const MAX_DEFINITIONS: usize = 6;

/// The undefined name at the cursor.
fn undefined_name_at(ctx: &ActionContext<'_>) -> Option<NameDiagnostic> {
    // Diagnosing the whole file is expensive, so check first whether this name resolves.
    let Some(FactSite::Reference(r)) = ctx.facts.site_at(ctx.range.start) else { return None };
    let is_unresolved = ctx.facts.references[r as usize].role == ReferenceRole::Plain
        && ctx.resolver.definitions_of_reference(ctx.file, r).is_empty();
    if !is_unresolved {
        return None;
    }
    let is_here = |f: &&NameDiagnostic| {
        f.kind == NameDiagnosticKind::UndefinedName
            && f.span.start <= ctx.range.start
            && ctx.range.end <= f.span.end
    };
    ctx.findings().iter().find(is_here).cloned()
}

/// The imports that would define it, the nearest module first.
fn import_edits(ctx: &ActionContext<'_>, undefined: &NameDiagnostic) -> Vec<ImportEdit> {
    let into = ImportRequest {
        file: ctx.file,
        syntax: ctx.request.syntax,
        facts: ctx.facts,
        span: undefined.span.clone(),
    };
    let mut all: Vec<ImportEdit> = Vec::new();
    for id in ctx
        .index
        .importable_definitions(ctx.file, &undefined.name)
        .into_iter()
        .take(MAX_DEFINITIONS)
    {
        let import = ctx.index.plan_import(&into, &undefined.name, id, ctx.request.interrupt);
        // An import under another name does not define the name written here.
        let same = |w: &ImportEdit| w.name == undefined.name && !w.edits.is_empty();
        let new = import.filter(|w| same(w) && all.iter().all(|a| a.module != w.module));
        all.extend(new);
    }
    for (name, module) in ctx.index.names_of_packages(|name| name == undefined.name) {
        let import = ctx.index.import_from_package(&into, name, module);
        all.extend(import.filter(|w| all.iter().all(|a| a.module != w.module)));
    }
    all
}

fn offers(ctx: &ActionContext<'_>) -> Vec<Offer> {
    let Some(undefined) = undefined_name_at(ctx) else { return Vec::new() };
    let import_edits = import_edits(ctx, &undefined);
    let offer = |import: &ImportEdit| Offer {
        title: format!("Import `{}` from {}", undefined.name, import.module),
        choice: import.module.clone(),
        preferred: import_edits.len() == 1,
        mends: vec![fixed_diagnostic(&undefined)],
    };
    import_edits.iter().map(offer).collect()
}

fn plan(ctx: &ActionContext<'_>, choice: &str) -> Result<ActionPlan, ActionRefusal> {
    let nothing = || refusal(Reason::NotApplicable, "no undefined name is undefined_name_at");
    let undefined = undefined_name_at(ctx).ok_or_else(nothing)?;
    let mut import_edits = import_edits(ctx, &undefined);
    import_edits.retain(|w| choice.is_empty() || w.module == choice);
    match import_edits.len() {
        0 => Err(refusal(Reason::Unknown, "no importable definition has that name")),
        1 => Ok(ActionPlan::from_edits(ctx.file, import_edits.remove(0).edits)),
        _ => Err(refusal(Reason::Unknown, "it can be imported from several modules; choose one")),
    }
}
