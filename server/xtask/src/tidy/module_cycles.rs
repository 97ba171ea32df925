//! Modules of a crate form layers: no top-level module uses one that uses it, directly or not.
//!
//! Holds for every crate. Those that still have cycles are listed with the number of their modules in
//! cycles, which may only fall. Uses are paths from `crate::`, and `super::` in files at the top level;
//! a name that lib.rs re-exports counts as its module. Test code is exempt.

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;
use super::rust_source::named_paths;
use super::tree::Tree;

/// Crates with cycles, and how many of their modules are in one.
const MODULES_IN_CYCLES: &[(&str, usize)] =
    &[("live", 2), ("lsp", 15), ("mcp", 2), ("names", 19), ("workspace", 14)];

/// Modules with the modules that they use, and where.
type Uses = BTreeMap<String, BTreeMap<String, (String, usize)>>;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let crates =
        |path: &str| path.strip_prefix("server/")?.split_once("/src/").map(|it| it.0.to_owned());
    let crates: BTreeSet<_> = tree.rust().filter_map(|(file, _)| crates(&file.path)).collect();
    crates.iter().flat_map(|name| check_crate(tree, name, MODULES_IN_CYCLES)).collect()
}

fn check_crate(tree: &Tree, name: &str, allowed: &[(&str, usize)]) -> Vec<Finding> {
    let cycles = cycles(&uses(tree, &format!("server/{name}/src/")));
    let found = cycles.iter().map(|cycle| &cycle.module).collect::<BTreeSet<_>>().len();
    let allowed = allowed.iter().find(|(known, _)| *known == name).map_or(0, |(_, count)| *count);
    if found > allowed {
        return cycles.into_iter().map(|cycle| cycle.finding).collect();
    }
    if found < allowed {
        let what = format!("only {found} modules of `{name}` are in cycles: lower its number");
        return vec![Finding::error("server/xtask/src/tidy/module_cycles.rs", 0, what)];
    }
    Vec::new()
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

/// A use between two modules that reach each other.
struct Cycle {
    module: String,
    finding: Finding,
}

fn cycles(uses: &Uses) -> Vec<Cycle> {
    let mut found = Vec::new();
    for (module, targets) in uses {
        for (target, (path, line)) in targets {
            if reaches(uses, target, module) {
                let what = format!("module `{module}` uses `{target}`, which uses it: a cycle");
                let finding = Finding::error(path, *line, what);
                found.push(Cycle { module: module.clone(), finding });
            }
        }
    }
    found
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
        let found = check_crate(&Tree::from_files(&files), "text", &[("other", 3)]);
        let places: Vec<_> = found.iter().map(|f| f.path.rsplit('/').next().unwrap()).collect();
        assert_eq!(places, ["a.rs", "mod.rs", "c.rs"]);
        assert!(check_crate(&Tree::from_files(&files), "text", &[("text", 3)]).is_empty());
        let (layered, last) = (&files[..3], ("server/text/src/c.rs", "pub struct C;\n"));
        let files: Vec<_> = layered.iter().copied().chain([last]).collect();
        let tree = Tree::from_files(&files);
        assert!(check_crate(&tree, "text", &[]).is_empty());
        let lower = check_crate(&tree, "text", &[("text", 3)]);
        assert_eq!(lower[0].what, "only 0 modules of `text` are in cycles: lower its number");
    }
}
