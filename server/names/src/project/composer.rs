//! Composer's packages: which file has a class or a function, by the rules of their autoloaders.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{DependencyFolder, Project, join_normalized};
use crate::index::FileId;

/// What Composer's autoloader of a project loads.
#[derive(Debug, Default)]
pub(crate) struct ComposerPackages {
    /// Folders by the namespace that all their classes begin with (PSR-4), the longest first.
    prefixes: Vec<(Box<str>, Box<str>)>,
    /// Files by class, of packages whose classes may be anywhere.
    classes: FxHashMap<Box<str>, Box<str>>,
    /// The namespaces of `classes`, and those above.
    namespaces: FxHashSet<Box<str>>,
    /// Files that are always loaded: they define functions.
    functions: Vec<Box<str>>,
}

impl ComposerPackages {
    /// Of folders, files of classes, and files without a name.
    pub(crate) fn new(folders: &[DependencyFolder]) -> Self {
        let mut packages = Self::default();
        for DependencyFolder { name, path, .. } in folders.iter().filter(|l| l.language == "php") {
            if !path.ends_with(".php") {
                packages.prefixes.push((name.clone(), path.clone()));
            } else if name.is_empty() {
                packages.functions.push(path.clone());
            } else {
                let above = name.match_indices('\\').map(|(at, _)| name[..at].into());
                packages.namespaces.extend(above);
                packages.classes.insert(name.clone(), path.clone());
            }
        }
        packages.prefixes.sort_by_key(|(prefix, _)| std::cmp::Reverse(prefix.len()));
        packages
    }

    /// Whether a class may be in this namespace or in one below it. O(prefixes).
    pub(super) fn has_namespace(&self, name: &str) -> bool {
        let is_within = |inner: &str, outer: &str| {
            inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('\\'))
        };
        self.namespaces.contains(name)
            || self.prefixes.iter().any(|(p, _)| is_within(p, name) || is_within(name, p))
    }
}

impl Project {
    /// The files of packages that may define a class, the most specific first. O(prefixes).
    pub(crate) fn composer_classes(&self, class: &str) -> impl Iterator<Item = FileId> {
        let packages = &self.composer;
        let listed = packages.classes.get(class).map(|path| self.file(path));
        let by_prefix = packages.prefixes.iter().filter_map(move |(prefix, folder)| {
            let rest = class.strip_prefix(&**prefix)?.strip_prefix('\\')?;
            self.file(&format!("{}.php", join_normalized(folder, &rest.replace('\\', "/"))?))
        });
        listed.flatten().into_iter().chain(by_prefix)
    }

    /// The files of packages that define functions.
    pub(crate) fn composer_functions(&self) -> impl Iterator<Item = FileId> {
        self.composer.functions.iter().filter_map(|path| self.file(path))
    }
}
