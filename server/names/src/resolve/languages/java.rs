//! Java.

use super::LanguageRules;
use crate::index::FileId;
use crate::origin::Origin;
use crate::project::Module;
use crate::resolve::{Resolution, Resolver, Ty};
use crate::vocabulary::Namespace;

pub(super) struct Java;

impl LanguageRules for Java {
    fn path_root(&self, resolver: &Resolver<'_>, file: FileId, name: &str) -> Ty {
        match resolver.project().module(file, "java", name, 0) {
            Some(module) => Ty::Folder(module.into()),
            None => Ty::Unknown,
        }
    }

    fn around_file(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        name: &str,
        namespace: Namespace,
    ) -> Vec<Resolution> {
        if !namespace.has(Namespace::TYPE | Namespace::VALUE) {
            return Vec::new();
        }
        let module = Module::Package(resolver.package_of(file).into());
        resolver.folder_members(&module, Some(file), name, namespace, Origin::Package)
    }

    fn files_around<'i>(&self, resolver: &Resolver<'i>, file: FileId) -> &'i [FileId] {
        resolver.project().in_package(resolver.package_of(file))
    }

    fn keywords(&self) -> &'static str {
        KEYWORDS
    }

    fn is_predefined_generic(&self) -> bool {
        true
    }

    /// Kotlin reads `getName()` as `name`.
    fn names_elsewhere(&self, name: &str) -> Vec<String> {
        let bare = ["get", "set"].iter().find_map(|word| name.strip_prefix(word));
        let bare = bare.filter(|bare| bare.starts_with(char::is_uppercase));
        let property = bare.map(|bare| {
            let mut letters = bare.chars();
            let first = letters.next().map(|c| c.to_lowercase().collect::<String>());
            first.unwrap_or_default() + letters.as_str()
        });
        property.or_else(|| name.starts_with("is").then(|| name.to_owned())).into_iter().collect()
    }

    fn allows_dollar(&self) -> bool {
        true
    }

    fn fixes_name(&self, name: &str, is_member: bool) -> bool {
        is_member && matches!(name, "main" | "toString" | "equals" | "hashCode")
    }
}

/// Words that are no names.
const KEYWORDS: &str = "\
    abstract assert boolean break byte case catch char class const continue default do double \
    else enum extends final finally float for goto if implements import instanceof int interface \
    long native new package private protected public return short static strictfp super switch \
    synchronized this throw throws transient try void volatile while true false null var record \
    yield sealed permits";
