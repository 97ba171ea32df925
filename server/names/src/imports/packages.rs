//! Names exported by well-known packages, from `queries/jsx/imports.txt`: the packages need not be
//! indexed or installed.

use std::sync::LazyLock;

use super::{
    ImportCache, ImportEdit, ImportForm, ImportPlanner, ImportRequest, ImportRoute, ImportWriter,
};
use crate::index::Index;
use crate::resolve::{DefId, Resolver};

static TABLE: LazyLock<Vec<(&'static str, Vec<&'static str>)>> = LazyLock::new(|| {
    let text = include_str!("../../../../queries/jsx/imports.txt");
    let lines = text.lines().filter(|l| !l.starts_with('#')).filter_map(|l| l.split_once(": "));
    lines.map(|(module, names)| (module, names.split_whitespace().collect())).collect()
});

impl Index {
    /// Names of imported well-known packages for which `fits` returns true, each with its module.
    pub(crate) fn names_of_packages(
        &self,
        fits: impl Fn(&str) -> bool,
    ) -> Vec<(&'static str, &'static str)> {
        let mut all: Vec<(&str, &str)> = Vec::new();
        for (module, names) in TABLE.iter().filter(|(module, _)| self.is_imported(module)) {
            let fitting = names.iter().filter(|name| fits(name)).map(|name| (*name, *module));
            // The first package that has a name is the usual source of it.
            let new: Vec<_> =
                fitting.filter(|(name, _)| all.iter().all(|a| a.0 != *name)).collect();
            all.extend(new);
        }
        all
    }

    /// Whether a workspace file imports a package, or another module of it.
    fn is_imported(&self, module: &str) -> bool {
        let package = module.split('/').next().unwrap_or(module);
        [module, package].iter().any(|name| {
            let used = self.names.get(name).map_or(&[][..], |p| &p.used);
            used.iter().any(|file| !self.is_dependency(*file))
        })
    }

    /// The edits that import a name from a well-known module. `None` if the file uses the name for
    /// something else.
    #[must_use]
    pub fn import_from_package(
        &self,
        into: &ImportRequest<'_>,
        name: &str,
        module: &str,
    ) -> Option<ImportEdit> {
        let ImportRequest { file, facts, syntax, ref span } = *into;
        let known = TABLE.iter().any(|(m, names)| *m == module && names.contains(&name));
        if !known || !self.files.contains_key(&file) {
            return None;
        }
        let resolver = &Resolver::with_facts(self, file, facts);
        let (shared, at) = (&ImportCache::default(), span.start);
        let target = DefId { file, def: 0 };
        let planner = ImportPlanner {
            index: self,
            resolver,
            shared,
            file,
            facts,
            at,
            name,
            target,
            quick: true,
        };
        if planner.is_name_taken() {
            return None;
        }
        let route = ImportRoute {
            module: module.to_owned(),
            form: ImportForm::Named,
            name: name.to_owned(),
        };
        let writer = ImportWriter { planner: &planner, syntax, span: span.clone() };
        let edits = writer.ecma_edits(&route)?;
        let inside =
            |(at, _): &(std::ops::Range<usize>, String)| at.start < span.end && span.start < at.end;
        if edits.iter().any(inside) {
            return None;
        }
        Some(ImportEdit { module: route.module, name: route.name, edits })
    }
}
