//! Last resort of completion: words that the file and the workspace use as names.

use rustc_hash::FxHashSet;

use super::{CompletionBuilder, CompletionCandidate, FEATURE_COUNT};
use crate::facts::{Ref, ReferenceRole};
use crate::origin::Origin;
use crate::resolve::languages::is_same_language_family;
use crate::vocabulary::DefinitionKind;

/// Limit for words.
const MAX_WORDS: usize = 100;

/// Letters that must be typed before words are offered.
const MIN_TYPED: usize = 2;

impl CompletionBuilder<'_, '_> {
    /// Adds words, unless a certain candidate begins with what is typed.
    pub(super) fn add_words(&mut self, cursor: &Ref) {
        let typed = self.typing.prefix;
        let begins = |name: &str| {
            name.get(..typed.len()).is_some_and(|b| b.eq_ignore_ascii_case(typed))
                && name.len() > typed.len()
        };
        if !self.typing.allow_words
            || typed.chars().count() < MIN_TYPED
            || self.candidates.iter().any(|c| c.is_certain && c.import.is_none() && begins(&c.name))
        {
            return;
        }
        let facts = self.resolver.facts(self.typing.file);
        let member = cursor.role == ReferenceRole::Member;
        let mut known: FxHashSet<&str> = FxHashSet::default();
        let used = facts.references.iter().filter(|r| r.start != cursor.start);
        let (mut names, mut later) = (Vec::new(), Vec::new());
        for reference in used {
            let name = facts.strings.text(reference.name);
            if begins(name) && known.insert(name) {
                let same_role = (reference.role == ReferenceRole::Member) == member;
                if same_role { names.push(name) } else { later.push(name) }
            }
        }
        names.append(&mut later);
        for def in &facts.definitions[1..] {
            let at_place = (def.name_start as usize) <= self.typing.offset
                && self.typing.offset <= def.name_end as usize;
            let name = facts.strings.text(def.name);
            if !at_place && begins(name) && known.insert(name) {
                names.push(name);
            }
        }
        let language = facts.language.id();
        for name in self.index.names.names_matching(self.pattern, MAX_WORDS) {
            let same_language_family = |id: crate::resolve::DefId| {
                is_same_language_family(self.resolver.language(id.file), language)
            };
            if begins(name)
                && !known.contains(name)
                && self.resolver.definitions_named(name).take(8).any(same_language_family)
            {
                known.insert(name);
                names.push(name);
            }
        }
        names.truncate(MAX_WORDS);
        for name in names {
            if !self.added.insert(name.to_owned()) {
                continue;
            }
            self.candidates.push(CompletionCandidate {
                name: name.to_owned(),
                kind: DefinitionKind::Label,
                origin: Origin::UniqueName,
                is_certain: false,
                is_keyword_argument: false,
                location: None,
                container: None,
                import: None,
                definition: None,
                signature: None,
                is_word: true,
                deprecated: false,
                score: 0.0,
                features: [0.0; FEATURE_COUNT],
            });
        }
        self.truncated = true;
    }
}
