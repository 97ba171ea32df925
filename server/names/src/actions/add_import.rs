//! `add_import`: a name that nothing defines is imported from where the workspace defines it.

use super::site::Site;
use super::{ActionPlan, ActionRefusal, Offer, Planner, RefusalReason as Why, mended, refusal};
use crate::diagnose::{Finding, FindingKind};
use crate::facts::{Role, Site as Named};
use crate::imports::{ImportEdit, Importing};

pub(super) const NAME: Planner =
    Planner { id: "add_import", kind: "quickfix", wide: true, offers, plan };

/// Most places that a name can be imported from.
const MOST: usize = 6;

/// The name at the place that nothing defines.
fn here(site: &Site<'_>) -> Option<Finding> {
    // The whole file is looked at only where the place itself leaves it open.
    let Some(Named::Reference(r)) = site.facts.site(site.range.start) else { return None };
    let open = site.facts.references[r as usize].role == Role::Plain
        && site.resolver.reference(site.file, r).is_empty();
    if !open {
        return None;
    }
    let undefined = |f: &&Finding| {
        f.kind == FindingKind::UndefinedName
            && f.span.start <= site.range.start
            && site.range.end <= f.span.end
    };
    site.findings().iter().find(undefined).cloned()
}

/// How it can be imported, the nearest first.
fn ways(site: &Site<'_>, found: &Finding) -> Vec<ImportEdit> {
    let into = Importing {
        file: site.file,
        syntax: site.place.syntax,
        facts: site.facts,
        span: found.span.clone(),
    };
    let mut all: Vec<ImportEdit> = Vec::new();
    for id in site.index.importable(site.file, &found.name).into_iter().take(MOST) {
        let way = site.index.import_of(&into, &found.name, id, site.place.interrupt);
        // What comes under another name is not what is written here.
        let same = |w: &ImportEdit| w.name == found.name && !w.edits.is_empty();
        let new = way.filter(|w| same(w) && all.iter().all(|a| a.module != w.module));
        all.extend(new);
    }
    for (name, module) in site.index.names_of_packages(|name| name == found.name) {
        let way = site.index.import_from_package(&into, name, module);
        all.extend(way.filter(|w| all.iter().all(|a| a.module != w.module)));
    }
    all
}

fn offers(site: &Site<'_>) -> Vec<Offer> {
    let Some(found) = here(site) else { return Vec::new() };
    let ways = ways(site, &found);
    let offer = |way: &ImportEdit| Offer {
        title: format!("Import `{}` from {}", found.name, way.module),
        choice: way.module.clone(),
        preferred: ways.len() == 1,
        mends: vec![mended(&found)],
    };
    ways.iter().map(offer).collect()
}

fn plan(site: &Site<'_>, choice: &str) -> Result<ActionPlan, ActionRefusal> {
    let nothing = || refusal(Why::Nothing, "no name here is known to be undefined");
    let found = here(site).ok_or_else(nothing)?;
    let mut ways = ways(site, &found);
    ways.retain(|w| choice.is_empty() || w.module == choice);
    match ways.len() {
        0 => Err(refusal(Why::Unknown, "nothing of that name can be imported here")),
        1 => Ok(ActionPlan::of(site.file, ways.remove(0).edits)),
        _ => Err(refusal(Why::Unknown, "it can be imported from several places")),
    }
}
