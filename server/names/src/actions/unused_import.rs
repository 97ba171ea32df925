//! `remove_unused_import`, `remove_unused_imports`: what is imported and not used goes.

use std::ops::Range;

use tree_sitter::Node;

use super::import_list::{ImportList, removed};
use super::site::Site;
use super::{ActionPlan, ActionRefusal, Offer, Planner, RefusalReason as Why, mended, refusal};
use crate::diagnose::{Finding, FindingKind};

pub(super) const ONE: Planner = Planner {
    id: "remove_unused_import",
    kind: "quickfix",
    wide: true,
    offers: offers_one,
    plan: plan_one,
};

pub(super) const ALL: Planner = Planner {
    id: "remove_unused_imports",
    kind: "quickfix",
    wide: true,
    offers: offers_all,
    plan: plan_all,
};

/// What is imported at the place and not used.
fn here(site: &Site<'_>) -> Vec<Finding> {
    let touches = |f: &Finding| f.span.start <= site.range.end && site.range.start <= f.span.end;
    unused(site).into_iter().filter(touches).collect()
}

fn unused(site: &Site<'_>) -> Vec<Finding> {
    let unused = |f: &&Finding| f.kind == FindingKind::UnusedImport;
    site.findings().iter().filter(unused).cloned().collect()
}

/// Whether the place is in an import: where it is not, nothing needs to be looked for.
fn is_in_import(site: &Site<'_>) -> bool {
    ImportList::around(site, site.range.start).is_some()
}

fn offers_one(site: &Site<'_>) -> Vec<Offer> {
    if !is_in_import(site) {
        return Vec::new();
    }
    let found = here(site);
    let offer = |f: &Finding| Offer {
        title: format!("Remove the unused import of `{}`", f.name),
        choice: f.name.clone(),
        preferred: found.len() == 1,
        mends: vec![mended(f)],
    };
    found.iter().map(offer).collect()
}

fn plan_one(site: &Site<'_>, choice: &str) -> Result<ActionPlan, ActionRefusal> {
    let mut found = here(site);
    found.retain(|f| choice.is_empty() || f.name == choice);
    plan(site, &found)
}

fn offers_all(site: &Site<'_>) -> Vec<Offer> {
    let found = if is_in_import(site) { unused(site) } else { Vec::new() };
    if found.len() > 1 { Offer::mending("Remove all unused imports", &found) } else { Vec::new() }
}

fn plan_all(site: &Site<'_>, _: &str) -> Result<ActionPlan, ActionRefusal> {
    plan(site, &unused(site))
}

fn plan(site: &Site<'_>, found: &[Finding]) -> Result<ActionPlan, ActionRefusal> {
    if found.is_empty() {
        return Err(refusal(Why::Nothing, "nothing that is imported here is known to be unused"));
    }
    let names: Vec<Range<usize>> = found.iter().map(|f| f.span.clone()).collect();
    let edits = removed(site, &names)?;
    Ok(ActionPlan::of(site.file, edits))
}

/// The import around a name.
pub(super) fn statement<'a>(node: Node<'a>) -> Option<Node<'a>> {
    std::iter::successors(Some(node), Node::parent).find(|n| {
        matches!(
            n.kind(),
            "import_statement" | "import_from_statement" | "use_declaration" | "import_declaration"
        )
    })
}
