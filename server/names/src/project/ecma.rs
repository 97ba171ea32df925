//! The modules of JavaScript and TypeScript: `oxc_resolver` on top of the index's paths and the texts
//! of project files. See docs/decisions/0007-oxc-resolver-over-the-index.md.

mod targets;
mod tree;

use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use oxc_resolver::{
    EnforceExtension, ResolveContext, ResolveOptions, ResolverGeneric, TsConfig, TsconfigDiscovery,
};
use rustc_hash::FxHashMap;

use self::tree::{SharedTree, to_index_path, to_place};
use super::{Module, Project, join_normalized, last, parent};
use crate::index::FileId;

/// Limit of the results that are cached.
const MAX_CACHED: usize = 200_000;

/// Extensions that an import may omit, in order of preference.
const EXTENSIONS: [&str; 11] =
    [".ts", ".tsx", ".d.ts", ".mts", ".d.mts", ".cts", ".d.cts", ".js", ".jsx", ".mjs", ".cjs"];

/// The sources that an extension may stand for when the import names the compiled file.
const SOURCE_EXTENSIONS: [(&str, &[&str]); 4] = [
    (".js", &[".ts", ".tsx", ".d.ts", ".js", ".jsx"]),
    (".jsx", &[".tsx", ".ts", ".d.ts", ".jsx", ".js"]),
    (".mjs", &[".mts", ".d.mts", ".mjs"]),
    (".cjs", &[".cts", ".d.cts", ".cjs"]),
];

/// A file and a module name in it.
type Import = (FileId, Box<str>);

type OxcResolver = Arc<ResolverGeneric<SharedTree>>;

/// Resolvers for one state of the tree: one per set of conditions that configurations add.
struct Resolvers {
    plain: OxcResolver,
    /// Whether any configuration adds conditions.
    has_conditions: bool,
    custom: FxHashMap<Vec<String>, OxcResolver>,
}

/// The modules of the index, with cached results.
#[derive(Default)]
pub(super) struct EcmaModules {
    tree: SharedTree,
    resolvers: RwLock<Option<Resolvers>>,
    /// The path that a name in a file resolves to.
    cache: RwLock<FxHashMap<Import, Option<Arc<str>>>>,
}

impl std::fmt::Debug for EcmaModules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Modules").finish_non_exhaustive()
    }
}

/// Whether a file of this name configures module resolution.
pub(super) fn is_configuration(name: &str) -> bool {
    let config = |prefix: &str| name.starts_with(prefix) && name.ends_with(".json");
    name == "package.json" || config("tsconfig") || config("jsconfig")
}

impl EcmaModules {
    pub(super) fn insert(&self, path: &str) {
        self.tree.insert(path);
    }

    pub(super) fn remove(&self, path: &str) {
        self.tree.remove(path);
    }

    /// Reads a project file; an empty text means that it was removed.
    pub(super) fn configure(&self, path: &str, text: &str) {
        self.tree.configure(path, text);
    }

    /// The resolver for files without custom conditions, and whether any configuration adds some.
    fn resolver(&self) -> (OxcResolver, bool) {
        let changed = self.tree.take_changed();
        let made = self.resolvers.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = made.as_ref().filter(|_| !changed) {
            return (made.plain.clone(), made.has_conditions);
        }
        drop(made);
        self.cache.write().unwrap_or_else(PoisonError::into_inner).clear();
        // Replaced rather than cleared: other threads may be using it.
        let plain = ResolverGeneric::new_with_file_system(self.tree.clone(), options(&[]));
        let plain = Arc::new(plain);
        let has_conditions = self.tree.has_conditions();
        let made = Resolvers { plain: plain.clone(), has_conditions, custom: FxHashMap::default() };
        *self.resolvers.write().unwrap_or_else(PoisonError::into_inner) = Some(made);
        (plain, has_conditions)
    }

    /// The resolver for files with custom conditions.
    fn resolver_with(&self, plain: OxcResolver, conditions: &[String]) -> OxcResolver {
        if conditions.is_empty() {
            return plain;
        }
        let mut made = self.resolvers.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have started with a newer tree.
        let Some(made) = made.as_mut().filter(|made| Arc::ptr_eq(&made.plain, &plain)) else {
            return Arc::new(plain.clone_with_options(options(conditions)));
        };
        let new = || Arc::new(plain.clone_with_options(options(conditions)));
        made.custom.entry(conditions.to_vec()).or_insert_with(new).clone()
    }

    /// The path that a name in a file resolves to.
    fn find(&self, file: FileId, path: &str, name: &str) -> Option<Arc<str>> {
        let (resolver, has_conditions) = self.resolver();
        let key = (file, name.into());
        if let Some(known) = self.cache.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return known.clone();
        }
        let found = self.resolve_uncached(resolver, has_conditions, path, name).map(Arc::from);
        let mut known = self.cache.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_CACHED {
            known.clear();
        }
        known.insert(key, found.clone());
        found
    }

    /// Resolves a name without the cache: with `oxc_resolver`, then by the sources of unbuilt
    /// packages and projects.
    fn resolve_uncached(
        &self,
        resolver: OxcResolver,
        has_conditions: bool,
        path: &str,
        name: &str,
    ) -> Option<String> {
        let from = to_place(path);
        let from = Path::new(&from);
        let folder = from.parent()?;
        let relative = name.starts_with('.');
        let mut conditions = Vec::new();
        if has_conditions && !relative {
            let config = self.configuration(&resolver, from);
            conditions = config.map_or_else(Vec::new, |config| self.tree.conditions(&config.path));
        }
        let resolver = self.resolver_with(resolver, &conditions);
        // The target that a package names may not be built yet.
        let source = |path: &Path| {
            let is_here = path.to_str().is_some_and(|place| self.tree.is_source_at(place));
            is_here.then(|| to_index_path(path)).flatten()
        };
        if let Ok(found) = resolver.resolve_dts(from, name)
            && let Some(found) = source(found.path())
        {
            return Some(found);
        }
        let config = self.configuration(&resolver, from);
        let mut context = ResolveContext::default();
        let found =
            resolver.resolve_with_context(folder, name, config.as_deref(), &mut context).ok();
        let found = found.and_then(|f| source(f.path()));
        found.or_else(|| match relative {
            true => self.source_of_relative(path, name),
            false => self.source_of(path, name, &conditions),
        })
    }

    /// The configuration that a file belongs to, else the nearest one.
    fn configuration(
        &self,
        resolver: &ResolverGeneric<SharedTree>,
        file: &Path,
    ) -> Option<Arc<TsConfig>> {
        if let Ok(Some(owner)) = resolver.find_tsconfig(file) {
            return Some(owner);
        }
        let near = file.ancestors().skip(1).map(|folder| folder.join("tsconfig.json"));
        near.filter(|path| self.tree.is_file(path))
            .find_map(|path| resolver.resolve_tsconfig(path).ok())
    }

    /// The folder of the workspace package that a name refers to, and the subpath: `.`, `./part` or
    /// `#part`.
    fn package_of(&self, path: &str, name: &str) -> Option<(String, String)> {
        if name.starts_with('#') {
            return Some((self.tree.folder_around(path)?, name.to_owned()));
        }
        let scoped = usize::from(name.starts_with('@'));
        let end = name.match_indices('/').nth(scoped).map_or(name.len(), |(at, _)| at);
        let package = &name[..end];
        let folder = self.tree.package(package, path);
        let folder = folder.or_else(|| self.tree.own_package(package, path))?;
        Some((folder, format!(".{}", &name[end..])))
    }

    /// The source of an unbuilt workspace package: derived from the targets in its `package.json`,
    /// else by convention.
    fn source_of(&self, path: &str, name: &str, conditions: &[String]) -> Option<String> {
        let (folder, part) = self.package_of(path, name)?;
        let place = to_place(&folder);
        let place = place.trim_end_matches('/');
        let conditions = all_conditions(conditions);
        let said = self.tree.package_json(place)?;
        let outputs = self.tree.outputs(place);
        let plain = place.trim_start_matches('/');
        for target in targets::targets(&said, &part, &conditions) {
            let stems = targets::sources_of(plain, &target, &outputs);
            if let Some(found) = stems.iter().find_map(|stem| self.source_at(stem)) {
                return Some(found);
            }
        }
        let inner = part.strip_prefix("./").filter(|_| !name.starts_with('#'));
        match (&*part, inner) {
            (".", _) => ["src/index", "index"]
                .iter()
                .find_map(|at| self.source_at(&format!("{plain}/{at}"))),
            (_, Some(inner)) => {
                ["src/", ""].iter().find_map(|at| self.source_at(&format!("{plain}/{at}{inner}")))
            }
            _ => None,
        }
    }

    /// The source of a file that another project of the workspace builds, according to its
    /// configuration.
    fn source_of_relative(&self, path: &str, name: &str) -> Option<String> {
        let built = join_normalized(parent(&to_place(path)), name)?;
        let mut folder = format!("/{built}");
        while !folder.is_empty() {
            let outputs = self.tree.outputs(&folder);
            let inside = |o: &&targets::Output| {
                built.strip_prefix(&*o.built).is_some_and(|rest| rest.starts_with('/'))
            };
            for output in outputs.iter().filter(inside) {
                let inner = &built[output.built.len()..];
                let stem = targets::stem(inner);
                if let Some(found) = self.source_at(&format!("{}{stem}", output.sources)) {
                    return Some(found);
                }
            }
            folder = parent(&folder).to_owned();
        }
        None
    }

    /// The source file at a path without extension, or in the folder of that name.
    fn source_at(&self, stem: &str) -> Option<String> {
        let stems = [stem.to_owned(), format!("{stem}/index")];
        let mut all =
            stems.iter().flat_map(|at| EXTENSIONS.iter().map(move |e| format!("/{at}{e}")));
        let found = all.find(|place| self.tree.is_source_at(place))?;
        to_index_path(Path::new(&found))
    }
}

/// The package conditions that hold, those added by a configuration first.
fn all_conditions(added: &[String]) -> Vec<String> {
    let known = ["types", "import", "require", "node", "default"].map(str::to_owned);
    added.iter().cloned().chain(known).collect()
}

fn options(conditions: &[String]) -> ResolveOptions {
    let list = |all: &[&str]| all.iter().map(|e| (*e).to_owned()).collect::<Vec<_>>();
    ResolveOptions {
        tsconfig: Some(TsconfigDiscovery::Auto),
        condition_names: all_conditions(conditions),
        extensions: list(&EXTENSIONS),
        extension_alias: SOURCE_EXTENSIONS
            .iter()
            .map(|(e, all)| ((*e).to_owned(), list(all)))
            .collect(),
        enforce_extension: EnforceExtension::Disabled,
        main_fields: list(&["types", "typings", "source", "module", "main"]),
        ..ResolveOptions::default()
    }
}

impl Project {
    /// The JavaScript package that contains a path: its folder and name.
    pub(crate) fn named_package(&self, path: &str) -> Option<(String, String)> {
        self.modules.tree.package_around(path)
    }

    /// Whether a project file maps a package's modules, or is that package's own.
    pub(crate) fn mentions_package(&self, package: &str) -> bool {
        self.modules.tree.mentions(package)
    }

    /// Whether a `package.json` that applies to a path mentions a package.
    pub(crate) fn depends_on(&self, path: &str, package: &str) -> bool {
        self.modules.tree.depends(path, package)
    }

    /// Whether a module name in a JavaScript file belongs to a workspace package.
    pub(crate) fn is_own_module(&self, file: FileId, name: &str) -> bool {
        self.modules.package_of(self.path(file), name).is_some()
    }

    pub(super) fn ecma(&self, file: FileId, name: &str) -> Option<Module> {
        let path = self.path(file);
        // Longer names are not module names.
        if name.is_empty() || name.len() > 1_000 {
            return None;
        }
        let rooted = name.strip_prefix('/');
        if let Some(rooted) = rooted {
            return self.file(&join_normalized("", rooted)?).map(Module::File);
        }
        let found = self.modules.find(file, path, name)?;
        self.file(&found).map(Module::File)
    }
}
