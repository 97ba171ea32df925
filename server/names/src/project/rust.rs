//! Rust crates and the files of their modules.

use cargo_toml::{Dependency, DepsSet, Edition, Inheritable, Manifest, Product};

use super::{Located, Project, ancestors, join_normalized, last, parent};
use crate::index::FileId;

/// The parts of a `Cargo.toml` that affect names.
#[derive(Debug, Default, PartialEq)]
pub(super) struct CargoManifest {
    folder: Box<str>,
    /// The package's name; `None` for a virtual manifest.
    package: Option<Box<str>>,
    /// The library's name in code.
    library: Box<str>,
    /// The library's root, unless it is `src/lib.rs`.
    root: Option<Box<str>>,
    /// The roots of other explicit targets.
    targets: Vec<Box<str>>,
    dependencies: Vec<CargoDependency>,
    /// Dependencies that members may inherit; `None` if it is no workspace.
    shared: Option<Vec<CargoDependency>>,
    /// Patched dependencies.
    patches: Vec<CargoDependency>,
    /// Whether its edition is 2024 or later; `None` if inherited.
    edition_2024: Option<bool>,
    /// Whether the edition that members may inherit is 2024 or later.
    shared_edition_2024: bool,
}

/// A dependency entry of a manifest.
#[derive(Debug, PartialEq)]
struct CargoDependency {
    /// Its name in code.
    name: Box<str>,
    package: Box<str>,
    source: DependencySource,
}

#[derive(Debug, PartialEq)]
enum DependencySource {
    Path(Box<str>),
    /// Inherited from the workspace.
    Workspace,
    /// Not in this project.
    Elsewhere,
}

impl Located for CargoManifest {
    fn folder(&self) -> &str {
        &self.folder
    }
}

impl CargoManifest {
    /// Parses a manifest; `None` if it is invalid.
    pub(super) fn read(folder: &str, text: &str) -> Option<Self> {
        let manifest = Manifest::from_str(text).ok()?;
        let package = manifest.package.as_ref().map(|p| p.name.as_str());
        let path = |product: &Product| product.path.as_deref().map(Into::into);
        let library = manifest.lib.as_ref();
        let named = library.and_then(|l| l.name.as_deref()).or(package).unwrap_or_default();
        let products = [&manifest.bin, &manifest.example, &manifest.test, &manifest.bench];
        let mut dependencies = Vec::new();
        let mut add = |all: &DepsSet| dependencies.extend(cargo_dependencies(all));
        add(&manifest.dependencies);
        add(&manifest.dev_dependencies);
        add(&manifest.build_dependencies);
        for target in manifest.target.values() {
            add(&target.dependencies);
            add(&target.dev_dependencies);
            add(&target.build_dependencies);
        }
        Some(Self {
            folder: folder.into(),
            package: package.map(Into::into),
            library: named.replace('-', "_").into(),
            root: library.and_then(path),
            targets: products.into_iter().flatten().filter_map(path).collect(),
            dependencies,
            shared: manifest
                .workspace
                .as_ref()
                .map(|w| cargo_dependencies(&w.dependencies).collect()),
            patches: manifest.patch.values().flat_map(cargo_dependencies).collect(),
            edition_2024: manifest.package.as_ref().and_then(|p| match &p.edition {
                Inheritable::Set(edition) => Some(*edition >= Edition::E2024),
                Inheritable::Inherited => None,
            }),
            shared_edition_2024: manifest
                .workspace
                .as_ref()
                .and_then(|w| w.package.as_ref()?.edition)
                .is_some_and(|edition| edition >= Edition::E2024),
        })
    }

    fn dependency(&self, name: &str) -> Option<&CargoDependency> {
        self.dependencies.iter().find(|d| *d.name == *name)
    }
}

fn cargo_dependencies(all: &DepsSet) -> impl Iterator<Item = CargoDependency> {
    all.iter().map(|(key, dependency)| {
        let detail = dependency.detail();
        let source = match (dependency, detail.and_then(|d| d.path.as_deref())) {
            (Dependency::Inherited(_), _) => DependencySource::Workspace,
            (_, Some(path)) => DependencySource::Path(path.into()),
            _ => DependencySource::Elsewhere,
        };
        let package = detail.and_then(|d| d.package.as_deref()).unwrap_or(key);
        CargoDependency { name: key.replace('-', "_").into(), package: package.into(), source }
    })
}

impl Project {
    /// Whether a file's crate has edition 2024 or later.
    pub(crate) fn is_edition_2024(&self, file: FileId) -> bool {
        let mut inherits = false;
        for folder in ancestors(parent(self.path(file))) {
            let Some(found) = self.crates.iter().find(|c| *c.folder == *folder) else { continue };
            match found.edition_2024 {
                Some(is) if !inherits && found.package.is_some() => return is,
                _ if found.shared.is_some() => return found.shared_edition_2024,
                _ => inherits = true,
            }
        }
        false
    }

    /// The file of `mod name;` in a file, inside of the inline modules `nested`.
    pub(crate) fn rust_child(&self, file: FileId, nested: &str, name: &str) -> Option<FileId> {
        let path = self.path(file);
        let folder = parent(path);
        let own = match last(path) {
            "mod.rs" | "lib.rs" | "main.rs" => folder.to_owned(),
            other => join_normalized(folder, other.strip_suffix(".rs")?)?,
        };
        for own in [own, folder.to_owned()] {
            let at = join_normalized(&own, nested)?;
            for ending in [format!("{name}.rs"), format!("{name}/mod.rs")] {
                if let Some(found) = self.file(&join_normalized(&at, &ending)?) {
                    return Some(found);
                }
            }
        }
        None
    }

    /// The file of `#[path = "other.rs"] mod name;`.
    pub(crate) fn rust_file(&self, file: FileId, path: &str) -> Option<FileId> {
        self.file(&join_normalized(parent(self.path(file)), path)?)
    }

    /// The files that may declare a file as a module (none for a crate root), and the module's
    /// name.
    pub(crate) fn rust_parents(&self, file: FileId) -> (Vec<FileId>, &str) {
        let path = self.path(file);
        let (folder, name) = (parent(path), last(path));
        if matches!(name, "lib.rs" | "main.rs") || self.is_crate_root(path) {
            return (Vec::new(), "");
        }
        let (folder, own) = if name == "mod.rs" {
            (parent(folder), last(folder))
        } else {
            (folder, name.strip_suffix(".rs").unwrap_or(name))
        };
        let inside = ["mod.rs", "lib.rs", "main.rs"].map(|n| join_normalized(folder, n));
        let beside = (!folder.is_empty()).then(|| format!("{folder}.rs"));
        let all = inside.into_iter().flatten().chain(beside);
        let mut all: Vec<FileId> = all.filter_map(|p| self.file(&p)).collect();
        // The root file of a target may have modules beside it.
        let near = self.crate_of(file).into_iter().flat_map(|c| {
            c.targets.iter().chain(&c.root).filter_map(|t| join_normalized(&c.folder, t))
        });
        all.extend(near.filter(|t| parent(t) == folder).filter_map(|t| self.file(&t)));
        (all, own)
    }

    fn is_crate_root(&self, path: &str) -> bool {
        self.crates.iter().any(|c| {
            let Some(inside) = below(&c.folder, path) else { return false };
            let is = |t: &str| join_normalized(&c.folder, t).as_deref() == Some(path);
            c.package.is_some()
                && (is_found_target(inside)
                    || c.root.as_deref().is_some_and(is)
                    || c.targets.iter().any(|t| is(t)))
        })
    }

    /// The package that a file belongs to.
    fn crate_of(&self, file: FileId) -> Option<&CargoManifest> {
        self.package_around(self.path(file))
    }

    fn package_around(&self, path: &str) -> Option<&CargoManifest> {
        // The deepest folder comes first.
        self.crates.iter().find(|c| c.package.is_some() && below(&c.folder, path).is_some())
    }

    /// The root file of a crate, by its name in a file's code.
    pub(crate) fn rust_crate(&self, file: FileId, name: &str) -> Option<FileId> {
        if !self.crates.iter().any(|c| *c.library == *name || c.dependency(name).is_some()) {
            return None;
        }
        let Some(own) = self.crate_of(file) else {
            // The file's crate and its dependencies are unknown.
            let known = self.crates.iter().find(|c| *c.library == *name)?;
            return self.library_root(known);
        };
        if let Some(cargo_dependencies) = own.dependency(name) {
            return self.library_root(self.dependency_manifest(own, cargo_dependencies)?);
        }
        if *own.library == *name { self.library_root(own) } else { None }
    }

    /// The name by which a file's code can refer to the crate with this root.
    pub(crate) fn rust_crate_name(&self, file: FileId, root: FileId) -> Option<String> {
        let own = self.crate_of(file);
        let needed = own.into_iter().flat_map(|c| c.dependencies.iter().map(|d| &*d.name));
        let library = own.into_iter().map(|c| &*c.library);
        let theirs = self.libraries.iter().filter(|l| l.language == "rust").map(|l| &*l.name);
        let mut names = needed.chain(library).chain(theirs).filter(|n| !n.is_empty());
        let leads = |name: &&str| {
            self.rust_crate(file, name).or_else(|| self.library_crate(name)) == Some(root)
        };
        names.find(leads).map(str::to_owned)
    }

    /// The crate in the workspace that a dependency refers to.
    fn dependency_manifest(
        &self,
        own: &CargoManifest,
        needed: &CargoDependency,
    ) -> Option<&CargoManifest> {
        let at = |from: &CargoManifest, path: &str| {
            let folder = join_normalized(&from.folder, path)?;
            self.crates.iter().find(|c| *c.folder == *folder)
        };
        let workspace = || {
            let around = |c: &&CargoManifest| c.shared.is_some() && within(&c.folder, &own.folder);
            self.crates.iter().find(around)
        };
        let patched = |package: &str| {
            let workspace = workspace()?;
            let patch = workspace.patches.iter().find(|p| *p.package == *package)?;
            let DependencySource::Path(path) = &patch.source else { return None };
            at(workspace, path)
        };
        match &needed.source {
            DependencySource::Path(path) => at(own, path),
            DependencySource::Elsewhere => patched(&needed.package),
            DependencySource::Workspace => {
                let workspace = workspace()?;
                let shared = workspace.shared.iter().flatten().find(|s| s.name == needed.name)?;
                match &shared.source {
                    DependencySource::Path(path) => at(workspace, path),
                    _ => patched(&shared.package),
                }
            }
        }
    }

    fn library_root(&self, known: &CargoManifest) -> Option<FileId> {
        let root = known.root.as_deref().unwrap_or("src/lib.rs");
        self.file(&join_normalized(&known.folder, root)?)
    }
}

/// Whether Cargo discovers a target's root at a path of the package.
fn is_found_target(path: &str) -> bool {
    if path == "build.rs" {
        return true;
    }
    let found = ["src/bin/", "examples/", "tests/", "benches/"].iter();
    found.filter_map(|folder| path.strip_prefix(folder)).any(|rest| {
        rest.strip_suffix("/main.rs").unwrap_or(rest).matches('/').count() == 0
            && rest.ends_with(".rs")
    })
}

/// A path relative to a folder that contains it.
fn below<'p>(folder: &str, path: &'p str) -> Option<&'p str> {
    if folder.is_empty() {
        return Some(path);
    }
    path.strip_prefix(folder)?.strip_prefix('/')
}

/// Whether `folder` is `outer` or inside of it.
fn within(outer: &str, folder: &str) -> bool {
    outer == folder || outer.is_empty() || ancestors(folder).any(|f| f == outer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_a_manifest() {
        let text = r#"
            [package]
            name = "my-tool"
            version.workspace = true
            [lib]
            path = "lib/tool.rs" # not where it usually is
            [[bin]]
            name = "extra"
            path = "tools/extra.rs"
            [dependencies]
            old = { package = "new-parts", path = "../parts" }
            shared.workspace = true
            serde = "1"
            [target.'cfg(unix)'.dependencies]
            nix-like = { path = '../nix' }
        "#;
        let read = CargoManifest::read("tool", text).expect("a manifest");
        assert_eq!((&*read.library, read.root.as_deref()), ("my_tool", Some("lib/tool.rs")));
        assert_eq!(read.targets, [Box::from("tools/extra.rs")]);
        let source = |name: &str| &read.dependency(name).expect("a dependency").source;
        assert_eq!(*source("old"), DependencySource::Path("../parts".into()));
        assert_eq!(*source("shared"), DependencySource::Workspace);
        assert_eq!(*source("serde"), DependencySource::Elsewhere);
        assert_eq!(*source("nix_like"), DependencySource::Path("../nix".into()));
        assert!(CargoManifest::read("tool", "[package").is_none());
    }

    #[test]
    fn discovers_targets_by_path() {
        for root in ["build.rs", "src/bin/a.rs", "tests/a.rs", "examples/a/main.rs"] {
            assert!(is_found_target(root), "{root}");
        }
        for other in ["src/a.rs", "tests/common/mod.rs", "examples/a/parts.rs", "tests/data.txt"] {
            assert!(!is_found_target(other), "{other}");
        }
    }
}
