//! `remove_unused_import`, `remove_unused_imports`: removes imports that nothing uses.

use std::ops::Range;

use tree_sitter::Node;

use super::context::ActionContext;
use super::import_list::{ImportList, removal_edits};
use super::{
    ActionPlan, ActionRefusal, Offer, Planner, RefusalReason as Reason, fixed_diagnostic, refusal,
};
use crate::diagnose::{NameDiagnostic, NameDiagnosticKind};

pub(super) const REMOVE_UNUSED_IMPORT: Planner = Planner {
    id: "remove_unused_import",
    kind: "quickfix",
    wide: true,
    offers: offers_one,
    plan: plan_one,
};

pub(super) const REMOVE_UNUSED_IMPORTS: Planner = Planner {
    id: "remove_unused_imports",
    kind: "quickfix",
    wide: true,
    offers: offers_all,
    plan: plan_all,
};

/// The unused imports at the cursor.
fn unused_imports_at(ctx: &ActionContext<'_>) -> Vec<NameDiagnostic> {
    let touches =
        |f: &NameDiagnostic| f.span.start <= ctx.range.end && ctx.range.start <= f.span.end;
    unused_imports(ctx).into_iter().filter(touches).collect()
}

fn unused_imports(ctx: &ActionContext<'_>) -> Vec<NameDiagnostic> {
    let is_unused = |f: &&NameDiagnostic| f.kind == NameDiagnosticKind::UnusedImport;
    ctx.findings().iter().filter(is_unused).cloned().collect()
}

/// Whether the cursor is in an import. A cheap check before the file is diagnosed.
fn is_in_import(ctx: &ActionContext<'_>) -> bool {
    ImportList::around(ctx, ctx.range.start).is_some()
}

fn offers_one(ctx: &ActionContext<'_>) -> Vec<Offer> {
    if !is_in_import(ctx) {
        return Vec::new();
    }
    let found = unused_imports_at(ctx);
    let offer = |f: &NameDiagnostic| Offer {
        title: format!("Remove the unused import of `{}`", f.name),
        choice: f.name.clone(),
        preferred: found.len() == 1,
        mends: vec![fixed_diagnostic(f)],
    };
    found.iter().map(offer).collect()
}

fn plan_one(ctx: &ActionContext<'_>, choice: &str) -> Result<ActionPlan, ActionRefusal> {
    let mut found = unused_imports_at(ctx);
    found.retain(|f| choice.is_empty() || f.name == choice);
    plan(ctx, &found)
}

fn offers_all(ctx: &ActionContext<'_>) -> Vec<Offer> {
    let found = if is_in_import(ctx) { unused_imports(ctx) } else { Vec::new() };
    if found.len() > 1 { Offer::fixing("Remove all unused imports", &found) } else { Vec::new() }
}

fn plan_all(ctx: &ActionContext<'_>, _: &str) -> Result<ActionPlan, ActionRefusal> {
    plan(ctx, &unused_imports(ctx))
}

fn plan(ctx: &ActionContext<'_>, found: &[NameDiagnostic]) -> Result<ActionPlan, ActionRefusal> {
    if found.is_empty() {
        return Err(refusal(Reason::NotApplicable, "no unused import is unused_imports_at"));
    }
    let names: Vec<Range<usize>> = found.iter().map(|f| f.span.clone()).collect();
    let edits = removal_edits(ctx, &names)?;
    Ok(ActionPlan::from_edits(ctx.file, edits))
}

/// The import statement around a node.
pub(super) fn import_statement<'a>(node: Node<'a>) -> Option<Node<'a>> {
    std::iter::successors(Some(node), Node::parent).find(|n| {
        matches!(
            n.kind(),
            "import_statement" | "import_from_statement" | "use_declaration" | "import_declaration"
        )
    })
}
