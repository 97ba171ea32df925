//! Names of other files that are not imported yet.

use super::{Asked, Candidate, FEATURES};
use crate::facts::{NONE, Ref};
use crate::imports::{Shared, is_offered};
use crate::index::FileId;
use crate::origin::Origin;
use crate::resolve::{DefId, same_family};
use crate::vocabulary::DefinitionKind;

/// Fewest letters that names are offered for.
const LETTERS: usize = 2;

/// Most names that are looked at, and most that are offered.
const LOOKED_AT: usize = 120;
const OFFERED: usize = 40;

/// Most definitions of one name that are looked at.
const DEFINITIONS: usize = 3;

impl Asked<'_, '_> {
    /// Adds what other files define for all, with the module it would be imported from.
    pub(super) fn importable(&mut self, own: &Ref) {
        let typed = self.typing.typed;
        if self.is_in_import() || !self.typing.words || typed.chars().count() < LETTERS {
            return;
        }
        let file = self.typing.file;
        let language = self.resolver.language(file);
        let begins =
            |name: &str| name.get(..typed.len()).is_some_and(|b| b.eq_ignore_ascii_case(typed));
        let mut names: Vec<&str> = Vec::new();
        let found = self.index.names.names_like(self.pattern, LOOKED_AT);
        self.cut |= found.len() >= LOOKED_AT;
        names.extend(found.into_iter().filter(|name| begins(name)));
        if language == "go" {
            names = self.resolver.project().packages_like(typed).collect();
        }
        let shared = Shared::default();
        let place = (file, self.typing.offset - typed.len());
        let mut offered = 0;
        for name in names {
            if self.seen.contains(name) {
                continue;
            }
            if offered >= OFFERED {
                self.cut = true;
                return;
            }
            for id in self.definitions_of(name, language, own).into_iter().take(DEFINITIONS) {
                self.resolver.refresh();
                let guess = self.index.import_guessed(&self.resolver, &shared, place, name, id);
                let Some((module, name)) = guess else { continue };
                self.offer(&name, id, Origin::Import, true);
                if let Some(last) = self.candidates.last_mut().filter(|c| c.name == name) {
                    last.import = Some(module);
                    offered += 1;
                }
                break;
            }
        }
        if matches!(language, "javascript" | "typescript" | "tsx") {
            for (name, module) in self.index.names_of_packages(begins) {
                self.offer_of_package(name, module);
            }
        }
    }

    /// Adds a name that a package offers, of which no file is read.
    fn offer_of_package(&mut self, name: &str, module: &str) {
        if !self.seen.insert(name.to_owned()) {
            return;
        }
        let function = name.starts_with(|c: char| c.is_lowercase());
        self.candidates.push(Candidate {
            name: name.to_owned(),
            kind: if function { DefinitionKind::Function } else { DefinitionKind::Class },
            origin: Origin::Import,
            sure: true,
            keyword: false,
            place: None,
            container: None,
            import: Some(module.to_owned()),
            definition: None,
            signature: None,
            word: false,
            deprecated: false,
            score: 0.0,
            features: [0.0; FEATURES],
        });
    }

    /// Whether the line is an import itself.
    fn is_in_import(&self) -> bool {
        let before = self.typing.before.trim_start();
        let words = ["use ", "pub use ", "import ", "from ", "export {", "package ", "extern "];
        words.iter().any(|word| before.starts_with(word))
    }

    /// What a name could be imported as.
    fn definitions_of(&self, name: &str, language: &str, own: &Ref) -> Vec<DefId> {
        let mut all = Vec::new();
        if matches!(language, "go" | "python") {
            let modules = self.resolver.project().modules_named(language, name);
            all.extend(modules.into_iter().take(DEFINITIONS).map(|file| DefId { file, def: 0 }));
        }
        if language == "go" {
            return all;
        }
        let files: &[FileId] = self.index.names.get(name).map_or(&[], |p| &p.defined);
        for &file in files.iter().take(DEFINITIONS * 4) {
            if file == self.typing.file || !same_family(self.resolver.language(file), language) {
                continue;
            }
            let facts = self.resolver.facts(file);
            let number = facts.strings.find(name).unwrap_or(NONE);
            let fits = |d: &u32| {
                let def = &facts.definitions[*d as usize];
                is_offered(facts, *d) && def.namespace.has(own.namespace)
            };
            let found = facts.named(number).iter().copied().find(fits);
            all.extend(found.map(|def| DefId { file, def }));
        }
        all
    }
}
