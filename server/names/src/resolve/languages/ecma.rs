//! JavaScript and TypeScript.

use super::LanguageRules;
use crate::facts::Def;
use crate::index::FileId;
use crate::origin::Origin;
use crate::resolve::{DefId, Resolution, Resolver};
use crate::vocabulary::{DefinitionKind, Flags, Namespace};

pub(super) struct Ecma;

impl LanguageRules for Ecma {
    /// Ambient declarations: those of scripts, which are files without imports and exports.
    fn around_file(
        &self,
        resolver: &Resolver<'_>,
        _file: FileId,
        name: &str,
        namespace: Namespace,
    ) -> Vec<Resolution> {
        let script = |file: FileId| {
            let facts = resolver.facts(file);
            let module = |d: &Def| {
                d.scope == 0 && (d.kind == DefinitionKind::Import || d.flags.has(Flags::EXPORTED))
            };
            facts.globs.is_empty() && !facts.definitions[1..].iter().any(module)
        };
        let fits = |id: &DefId| {
            let def = resolver.def(*id);
            matches!(resolver.language(id.file), "typescript" | "tsx")
                && def.scope == 0
                && def.namespace.has(namespace)
                && !def.flags.has(Flags::HIDDEN | Flags::EXPORTED | Flags::WHOLE)
                && script(id.file)
        };
        let all = resolver.definitions_named(name).filter(fits);
        all.map(|id| Resolution { id, origin: Origin::Package }).collect()
    }

    fn keywords(&self) -> &'static str {
        KEYWORDS
    }

    fn allows_dollar(&self) -> bool {
        true
    }

    fn fixes_name(&self, name: &str, is_member: bool) -> bool {
        is_member && name == "constructor"
    }
}

/// Words that are no names.
const KEYWORDS: &str = "\
    await break case catch class const continue debugger default delete do else enum export \
    extends false finally for function if implements import in instanceof interface let new null \
    package private protected public return static super switch this throw true try typeof \
    undefined var void while with yield arguments eval";
