//! Completion of names of other files that would need an import.

use super::{CompletionBuilder, CompletionCandidate, FEATURE_COUNT};
use crate::facts::{NONE, Ref};
use crate::imports::{ImportCache, is_importable_definition};
use crate::index::FileId;
use crate::origin::Origin;
use crate::resolve::DefId;
use crate::resolve::languages::is_same_language_family;
use crate::vocabulary::DefinitionKind;

/// Letters that must be typed before such names are offered.
const MIN_TYPED: usize = 2;

/// Limit for the names that are considered.
const MAX_NAMES_CONSIDERED: usize = 120;

/// Limit for the candidates that are added.
const MAX_CANDIDATES: usize = 40;

/// Limit for the definitions of one name that are considered.
const MAX_DEFINITIONS: usize = 3;

impl CompletionBuilder<'_, '_> {
    /// Adds names that other files export, with the module to import each from.
    pub(super) fn add_importable(&mut self, cursor: &Ref) {
        let typed = self.typing.prefix;
        if self.is_in_import() || !self.typing.allow_words || typed.chars().count() < MIN_TYPED {
            return;
        }
        let file = self.typing.file;
        let language = self.resolver.language(file);
        let begins =
            |name: &str| name.get(..typed.len()).is_some_and(|b| b.eq_ignore_ascii_case(typed));
        let mut names: Vec<&str> = Vec::new();
        let found = self.index.names.names_matching(self.pattern, MAX_NAMES_CONSIDERED);
        self.truncated |= found.len() >= MAX_NAMES_CONSIDERED;
        names.extend(found.into_iter().filter(|name| begins(name)));
        if language == "go" {
            names = self.resolver.project().packages_like(typed).collect();
        }
        let shared = ImportCache::default();
        let place = (file, self.typing.offset - typed.len());
        let mut added_count = 0;
        for name in names {
            if self.added.contains(name) {
                continue;
            }
            if added_count >= MAX_CANDIDATES {
                self.truncated = true;
                return;
            }
            for id in self.definitions_of(name, language, cursor).into_iter().take(MAX_DEFINITIONS)
            {
                self.resolver.reset_steps();
                let guess = self.index.guess_import(&self.resolver, &shared, place, name, id);
                let Some((module, name)) = guess else { continue };
                self.add_candidate(&name, id, Origin::Import, true);
                if let Some(last) = self.candidates.last_mut().filter(|c| c.name == name) {
                    last.import = Some(module);
                    added_count += 1;
                }
                break;
            }
        }
        if matches!(language, "javascript" | "typescript" | "tsx") {
            for (name, module) in self.index.names_of_packages(begins) {
                self.add_package_export(name, module);
            }
        }
    }

    /// Adds a name that a package is known to export though its files are not indexed.
    fn add_package_export(&mut self, name: &str, module: &str) {
        if !self.added.insert(name.to_owned()) {
            return;
        }
        let function = name.starts_with(|c: char| c.is_lowercase());
        self.candidates.push(CompletionCandidate {
            name: name.to_owned(),
            kind: if function { DefinitionKind::Function } else { DefinitionKind::Class },
            origin: Origin::Import,
            is_certain: true,
            is_keyword_argument: false,
            location: None,
            container: None,
            import: Some(module.to_owned()),
            definition: None,
            signature: None,
            is_word: false,
            deprecated: false,
            score: 0.0,
            features: [0.0; FEATURE_COUNT],
        });
    }

    /// Whether the cursor's line is an import.
    fn is_in_import(&self) -> bool {
        let before = self.typing.before.trim_start();
        let words = ["use ", "pub use ", "import ", "from ", "export {", "package ", "extern "];
        words.iter().any(|word| before.starts_with(word))
    }

    /// The definitions that an import of a name could mean.
    fn definitions_of(&self, name: &str, language: &str, cursor: &Ref) -> Vec<DefId> {
        let mut all = Vec::new();
        if matches!(language, "go" | "python") {
            let modules = self.resolver.project().modules_named(language, name);
            all.extend(
                modules.into_iter().take(MAX_DEFINITIONS).map(|file| DefId { file, def: 0 }),
            );
        }
        if language == "go" {
            return all;
        }
        let files: &[FileId] = self.index.names.get(name).map_or(&[], |p| &p.defined);
        for &file in files.iter().take(MAX_DEFINITIONS * 4) {
            if file == self.typing.file
                || !is_same_language_family(self.resolver.language(file), language)
            {
                continue;
            }
            let facts = self.resolver.facts(file);
            let number = facts.strings.find(name).unwrap_or(NONE);
            let fits = |d: &u32| {
                let def = &facts.definitions[*d as usize];
                is_importable_definition(facts, *d) && def.namespace.has(cursor.namespace)
            };
            let found = facts.definitions_named(number).iter().copied().find(fits);
            all.extend(found.map(|def| DefId { file, def }));
        }
        all
    }
}
