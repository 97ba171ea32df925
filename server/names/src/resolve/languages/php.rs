//! PHP: namespaces, which any number of files declare, and the global one for what a namespace does not have.

use super::LanguageRules;
use crate::index::FileId;
use crate::origin::Origin;
use crate::resolve::{DefId, Resolution, Resolver, Ty};
use crate::vocabulary::{DefinitionKind, Flags, Namespace};

pub(super) struct Php;

impl LanguageRules for Php {
    fn path_root(&self, resolver: &Resolver<'_>, file: FileId, name: &str) -> Ty {
        // Within a namespace a path may begin with one below it.
        let own = resolver.package_of(file);
        let project = resolver.project();
        let below = (!own.is_empty()).then(|| project.php_namespace(&format!("{own}\\{name}")));
        match below.flatten().or_else(|| project.php_namespace(name)) {
            Some(module) => Ty::Folder(module.into()),
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
        let own = resolver.package_of(file);
        let found = members_of_namespace(resolver, own, name, namespace);
        // Functions and constants of the global namespace need no `\`; types do.
        if found.is_empty()
            && !own.is_empty()
            && namespace.has(Namespace::VALUE | Namespace::FUNCTION)
        {
            return members_of_namespace(
                resolver,
                "",
                name,
                Namespace::VALUE | Namespace::FUNCTION,
            )
            .into_iter()
            .filter(|found| !resolver.def(found.id).kind.is_type())
            .collect();
        }
        found
    }

    fn is_enclosing_type(&self, name: &str) -> bool {
        matches!(name, "self" | "static")
    }

    fn files_around<'i>(&self, resolver: &Resolver<'i>, file: FileId) -> &'i [FileId] {
        resolver.project().in_package(resolver.package_of(file))
    }

    fn keywords(&self) -> &'static str {
        KEYWORDS
    }

    /// `__construct` and the other methods that the language calls.
    fn fixes_name(&self, name: &str, is_member: bool) -> bool {
        is_member && name.starts_with("__")
    }
}

/// Words that are no names.
const KEYWORDS: &str = "\
    abstract and array as break callable case catch class clone const continue declare default \
    die do echo else elseif empty enddeclare endfor endforeach endif endswitch endwhile enum \
    eval exit extends final finally fn for foreach function global goto if implements include \
    include_once instanceof insteadof interface isset list match namespace new or print private \
    protected public readonly require require_once return static switch throw trait try unset \
    use var while xor yield self parent true false null this";

/// What a namespace, by its name without a leading `\`, has of a name. One that several files define is not certain, so it
/// has none. What the project does not define may be in Composer's packages.
pub(crate) fn members_of_namespace(
    resolver: &Resolver<'_>,
    package: &str,
    name: &str,
    namespace: Namespace,
) -> Vec<Resolution> {
    let fits = |id: &DefId| {
        let def = resolver.def(*id);
        resolver.language(id.file) == "php"
            && def.scope == 0
            && def.namespace.has(namespace)
            && matches!(
                def.kind,
                DefinitionKind::Class
                    | DefinitionKind::Interface
                    | DefinitionKind::Trait
                    | DefinitionKind::Enum
                    | DefinitionKind::Function
                    | DefinitionKind::Constant
            )
            && !def.flags.has(Flags::HIDDEN)
            && resolver.package_of(id.file) == package
    };
    let mut all: Vec<DefId> = resolver.definitions_named(name).filter(fits).collect();
    if all.is_empty() && namespace.has(Namespace::TYPE) {
        let class = if package.is_empty() { name.to_owned() } else { format!("{package}\\{name}") };
        let files = resolver.project().composer_classes(&class);
        all = first_with_definitions(resolver, files, name, &fits);
    }
    if all.is_empty() && namespace.has(Namespace::VALUE | Namespace::FUNCTION) {
        let files = resolver.project().composer_functions();
        all = first_with_definitions(resolver, files, name, &fits);
    }
    if all.iter().any(|id| id.file != all[0].file) {
        return Vec::new();
    }
    all.into_iter().map(|id| Resolution { id, origin: Origin::Package }).collect()
}

/// The definitions of a name in the first file that has one which fits.
fn first_with_definitions(
    resolver: &Resolver<'_>,
    files: impl Iterator<Item = FileId>,
    name: &str,
    fits: &dyn Fn(&DefId) -> bool,
) -> Vec<DefId> {
    let definitions = |file: FileId| {
        let facts = resolver.facts(file);
        let named = facts.strings.find(name).map_or(&[][..], |id| facts.definitions_named(id));
        named.iter().map(|&def| DefId { file, def }).filter(fits).collect::<Vec<_>>()
    };
    files.map(definitions).find(|all| !all.is_empty()).unwrap_or_default()
}
