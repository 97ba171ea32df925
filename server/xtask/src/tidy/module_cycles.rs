//! Modules of a crate form layers: no top-level module uses one that uses it, directly or not.
//!
//! Holds for the crates listed here; the others still have cycles, and join the list once they have
//! none. Uses are paths from `crate::`, and `super::` in files at the top level; a name that lib.rs
//! re-exports counts as its module. Test code is exempt.

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;
use super::rust_source::named_paths;
use super::tree::Tree;

/// Crates whose modules have no cycles.
const LAYERED: &[&str] = &["client", "tandem", "text", "tools"];

/// Modules with the modules that they use, and where.
type Uses = BTreeMap<String, BTreeMap<String, (String, usize)>>;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    LAYERED.iter().flat_map(|name| cycles(&uses(tree, &format!("server/{name}/src/")))).collect()
}

fn uses(tree: &Tree, root: &str) -> Uses {
    let mut reexports: BTreeMap<String, String> = BTreeMap::new();
    let mut modules: BTreeSet<String> = BTreeSet::new();
    for (file, rust) in tree.rust() {
        let Some(path) = file.path.strip_prefix(root) else { continue };
        let module = module_of(path);
        if !is_root(&module) {
            modules.insert(module);
            continue;
        }
        for named in named_paths(&rust.production) {
            let segments: Vec<_> =
                named.segments.iter().filter(|s| !matches!(s.as_str(), "self" | "crate")).collect();
            if let [module, .., name] = &segments[..] {
                reexports.insert((*name).clone(), (*module).clone());
            }
        }
    }
    let mut uses = Uses::new();
    for (file, rust) in tree.rust() {
        let Some(path) = file.path.strip_prefix(root) else { continue };
        let module = module_of(path);
        if is_root(&module) {
            continue;
        }
        let is_top =
            !path.contains('/') || path.matches('/').count() == 1 && path.ends_with("/mod.rs");
        for named in named_paths(&rust.production) {
            let [first, name, ..] = &named.segments[..] else { continue };
            if first != "crate" && !(first == "super" && is_top) {
                continue;
            }
            let target = if modules.contains(name) { Some(name) } else { reexports.get(name) };
            let target = target.filter(|target| modules.contains(*target) && **target != module);
            if let Some(target) = target {
                let place = (file.path.clone(), named.line);
                uses.entry(module.clone()).or_default().entry(target.clone()).or_insert(place);
            }
        }
    }
    uses
}

/// The top-level module that a file below `src` belongs to.
fn module_of(path: &str) -> String {
    let first = path.split('/').next().unwrap_or(path);
    first.trim_end_matches(".rs").to_owned()
}

fn is_root(module: &str) -> bool {
    matches!(module, "lib" | "main")
}

/// Every use between two modules that reach each other.
fn cycles(uses: &Uses) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (module, targets) in uses {
        for (target, (path, line)) in targets {
            if reaches(uses, target, module) {
                let what = format!("module `{module}` uses `{target}`, which uses it: a cycle");
                findings.push(Finding::error(path, *line, what));
            }
        }
    }
    findings
}

fn reaches(uses: &Uses, from: &str, to: &str) -> bool {
    let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(module) = open.pop() {
        if module == to {
            return true;
        }
        let next = uses.get(module).into_iter().flat_map(BTreeMap::keys);
        open.extend(next.map(String::as_str).filter(|next| seen.insert(*next)));
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_found_through_other_modules_and_reexports() {
        let files = [
            ("server/text/src/lib.rs", "mod a;\nmod b;\nmod c;\npub use b::B;\n"),
            ("server/text/src/a.rs", "use crate::B;\n"),
            ("server/text/src/b/mod.rs", "use super::c::C;\npub struct B;\n"),
            (
                "server/text/src/c.rs",
                "use crate::{a::A};\n#[cfg(test)]\nmod tests { use crate::b; }\n",
            ),
        ];
        let found = check(&Tree::from_files(&files));
        let places: Vec<_> = found.iter().map(|f| f.path.rsplit('/').next().unwrap()).collect();
        assert_eq!(places, ["a.rs", "mod.rs", "c.rs"]);
        let (layered, last) = (&files[..3], ("server/text/src/c.rs", "pub struct C;\n"));
        let files: Vec<_> = layered.iter().copied().chain([last]).collect();
        assert!(check(&Tree::from_files(&files)).is_empty());
    }
}
