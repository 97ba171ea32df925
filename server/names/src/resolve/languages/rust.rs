//! Rust.

use super::LanguageRules;
use crate::facts::NONE;
use crate::index::FileId;
use crate::origin::Origin;
use crate::resolve::{DefId, Resolution, Resolver, Ty};
use crate::vocabulary::{DefinitionKind, Namespace};

pub(super) struct Rust;

impl LanguageRules for Rust {
    fn path_root(&self, resolver: &Resolver<'_>, file: FileId, name: &str) -> Ty {
        match root_of_crate(resolver, file, name) {
            Some(root) => Ty::Module(root, 0),
            None => Ty::External,
        }
    }

    fn around_file(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        name: &str,
        namespace: Namespace,
    ) -> Vec<Resolution> {
        if namespace == Namespace::MACRO {
            return macros(resolver, name);
        }
        if !namespace.has(Namespace::TYPE) {
            return Vec::new();
        }
        let found = root_of_crate(resolver, file, name).map(|file| DefId { file, def: 0 });
        found.map(|id| Resolution { id, origin: Origin::Import }).into_iter().collect()
    }

    fn is_enclosing_type(&self, name: &str) -> bool {
        name == "Self"
    }

    /// A constant as a generic argument looks like a type: `Ring<CAPACITY>`.
    fn next_namespace(&self, namespace: Namespace) -> Option<Namespace> {
        (namespace == Namespace::TYPE).then_some(Namespace::VALUE)
    }

    fn takes_unique_members(&self) -> bool {
        true
    }

    fn keywords(&self) -> &'static str {
        KEYWORDS
    }

    fn fixes_name(&self, name: &str, is_member: bool) -> bool {
        !is_member && name == "main"
    }
}

/// Words that are no names.
const KEYWORDS: &str = "\
    as async await break const continue crate dyn else enum extern false fn for gen if impl in \
    let loop match mod move mut pub ref return self Self static struct super trait true type \
    unsafe use where while abstract become box do final macro override priv try typeof unsized \
    virtual yield";

/// The file at the root of a crate of the workspace, or of a dependency.
fn root_of_crate(resolver: &Resolver<'_>, file: FileId, name: &str) -> Option<FileId> {
    let project = resolver.project();
    let own = project.rust_crate(file, name).filter(|_| !resolver.is_library(file));
    own.or_else(|| project.library_crate(name))
}

/// A macro by name. Its scope is the order of the text, across modules, so any file may define it; several candidate
/// files are ambiguous.
fn macros(resolver: &Resolver<'_>, name: &str) -> Vec<Resolution> {
    let is_macro = |id: &DefId| {
        resolver.def(*id).kind == DefinitionKind::Macro && resolver.language(id.file) == "rust"
    };
    let all: Vec<DefId> = resolver.definitions_named(name).filter(is_macro).collect();
    match all[..] {
        [] => Vec::new(),
        [id] => vec![Resolution { id, origin: Origin::Package }],
        [id, ..] if all.iter().all(|o| o.file == id.file) => resolver.select_definitions(
            id.file,
            resolver.def(id).scope,
            &all.iter().map(|o| o.def).collect::<Vec<_>>(),
            u32::MAX,
            NONE,
        ),
        _ => Vec::new(),
    }
}
