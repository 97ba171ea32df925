//! JavaScript's and TypeScript's modules: `oxc_resolver` over the paths of the index and the texts
//! of project files. See docs/decisions/0007-oxc-resolver-over-the-index.md.

mod tree;

use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use oxc_resolver::{
    EnforceExtension, ResolveContext, ResolveOptions, ResolverGeneric, TsConfig, TsconfigDiscovery,
};
use rustc_hash::FxHashMap;

use self::tree::{Shared, name_of, place_of};
use super::{Module, Project, join, last, parent};
use crate::index::FileId;

/// Most answers that are kept.
const KEPT: usize = 200_000;

/// Endings that an import may leave out, the most telling first.
const ENDINGS: [&str; 11] =
    [".ts", ".tsx", ".d.ts", ".mts", ".d.mts", ".cts", ".d.cts", ".js", ".jsx", ".mjs", ".cjs"];

/// What an ending stands for where the text is compiled from another language.
const SOURCES: [(&str, &[&str]); 4] = [
    (".js", &[".ts", ".tsx", ".d.ts", ".js", ".jsx"]),
    (".jsx", &[".tsx", ".ts", ".d.ts", ".jsx", ".js"]),
    (".mjs", &[".mts", ".d.mts", ".mjs"]),
    (".cjs", &[".cts", ".d.cts", ".cjs"]),
];

/// A file and the name of a module in it.
type Import = (FileId, Box<str>);

/// The modules of the index, and what their names were found to lead to.
#[derive(Default)]
pub(super) struct Modules {
    tree: Shared,
    resolver: RwLock<Option<Arc<ResolverGeneric<Shared>>>>,
    /// What a name in a file leads to: a path of the index.
    known: RwLock<FxHashMap<Import, Option<Arc<str>>>>,
}

impl std::fmt::Debug for Modules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Modules").finish_non_exhaustive()
    }
}

/// Whether a file of this name says how modules are found.
pub(super) fn is_configuration(name: &str) -> bool {
    let config = |prefix: &str| name.starts_with(prefix) && name.ends_with(".json");
    name == "package.json" || config("tsconfig") || config("jsconfig")
}

impl Modules {
    pub(super) fn insert(&self, path: &str) {
        self.tree.insert(path);
    }

    pub(super) fn remove(&self, path: &str) {
        self.tree.remove(path);
    }

    /// Takes up what a project file says; an empty text says that it is gone.
    pub(super) fn configure(&self, path: &str, text: &str) {
        self.tree.configure(path, text);
    }

    fn resolver(&self) -> Arc<ResolverGeneric<Shared>> {
        let changed = self.tree.take_changed();
        let made = self.resolver.read().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(resolver) = made.filter(|_| !changed) {
            return resolver;
        }
        self.known.write().unwrap_or_else(PoisonError::into_inner).clear();
        // A new one, not a cleared one: others may be asking the old one.
        let resolver =
            Arc::new(ResolverGeneric::new_with_file_system(self.tree.clone(), options()));
        *self.resolver.write().unwrap_or_else(PoisonError::into_inner) = Some(resolver.clone());
        resolver
    }

    /// The path of the index that a name in a file leads to.
    fn find(&self, file: FileId, path: &str, name: &str) -> Option<Arc<str>> {
        let resolver = self.resolver();
        let key = (file, name.into());
        if let Some(known) = self.known.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return known.clone();
        }
        let found = self.find_afresh(&resolver, path, name).map(Arc::from);
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= KEPT {
            known.clear();
        }
        known.insert(key, found.clone());
        found
    }

    fn find_afresh(
        &self,
        resolver: &ResolverGeneric<Shared>,
        path: &str,
        name: &str,
    ) -> Option<String> {
        let from = place_of(path);
        let from = Path::new(&from);
        let folder = from.parent()?;
        if let Ok(found) = resolver.resolve_dts(from, name)
            && let Some(found) = name_of(found.path())
        {
            return Some(found);
        }
        let config = self.configuration(resolver, from);
        let mut context = ResolveContext::default();
        let found =
            resolver.resolve_with_context(folder, name, config.as_deref(), &mut context).ok();
        found.and_then(|f| name_of(f.path())).or_else(|| self.source_of(path, name))
    }

    /// The configuration that a file belongs to, else the nearest one.
    fn configuration(
        &self,
        resolver: &ResolverGeneric<Shared>,
        file: &Path,
    ) -> Option<Arc<TsConfig>> {
        if let Ok(Some(owner)) = resolver.find_tsconfig(file) {
            return Some(owner);
        }
        let near = file.ancestors().skip(1).map(|folder| folder.join("tsconfig.json"));
        near.filter(|path| self.tree.is_file(path))
            .find_map(|path| resolver.resolve_tsconfig(path).ok())
    }

    /// The source of a package of this workspace that is not built: by the usual names.
    fn source_of(&self, path: &str, name: &str) -> Option<String> {
        let parts = if name.starts_with('@') { 2 } else { 1 };
        let end = name.match_indices('/').nth(parts - 1).map_or(name.len(), |(at, _)| at);
        let folder = self.tree.package(&name[..end], path)?;
        let inner = name[end..].trim_start_matches('/');
        let file = |at: &str| {
            let ending = |e: &&str| self.tree.is_source(&format!("{at}{e}"));
            ENDINGS.iter().find(|e| ending(e)).map(|e| format!("{at}{e}"))
        };
        let candidates = if inner.is_empty() {
            vec![format!("{folder}/src/index"), format!("{folder}/index")]
        } else {
            vec![
                format!("{folder}/src/{inner}"),
                format!("{folder}/{inner}"),
                format!("{folder}/src/{inner}/index"),
                format!("{folder}/{inner}/index"),
            ]
        };
        candidates.iter().find_map(|at| file(at))
    }
}

fn options() -> ResolveOptions {
    let list = |all: &[&str]| all.iter().map(|e| (*e).to_owned()).collect::<Vec<_>>();
    ResolveOptions {
        tsconfig: Some(TsconfigDiscovery::Auto),
        condition_names: list(&["types", "import", "require", "node", "default"]),
        extensions: list(&ENDINGS),
        extension_alias: SOURCES.iter().map(|(e, all)| ((*e).to_owned(), list(all))).collect(),
        enforce_extension: EnforceExtension::Disabled,
        main_fields: list(&["types", "typings", "source", "module", "main"]),
        ..ResolveOptions::default()
    }
}

impl Project {
    /// The package of JavaScript's that a path is in: its folder and name.
    pub(crate) fn named_package(&self, path: &str) -> Option<(String, String)> {
        self.modules.tree.package_around(path)
    }

    /// Whether a project file says where modules of a package are found, or is that package's own.
    pub(crate) fn mentions_package(&self, package: &str) -> bool {
        self.modules.tree.mentions(package)
    }

    /// Whether a `package.json` around a path names a package.
    pub(crate) fn depends_on(&self, path: &str, package: &str) -> bool {
        self.modules.tree.depends(path, package)
    }

    pub(super) fn ecma(&self, file: FileId, name: &str) -> Option<Module> {
        let path = self.path(file);
        // Nothing but a path is as long as that.
        if name.is_empty() || name.len() > 1_000 {
            return None;
        }
        let rooted = name.strip_prefix('/');
        if let Some(rooted) = rooted {
            return self.file(&join("", rooted)?).map(Module::File);
        }
        let found = self.modules.find(file, path, name)?;
        self.file(&found).map(Module::File)
    }
}
