//! Words as the last resort: what the file and the workspace name, where nothing surer is known.

use rustc_hash::FxHashSet;

use super::{Asked, Candidate, FEATURES};
use crate::facts::{Ref, Role};
use crate::origin::Origin;
use crate::resolve::same_family;
use crate::vocabulary::DefinitionKind;

/// Most words.
const MOST: usize = 100;

/// Fewest letters that words are offered for.
const LETTERS: usize = 2;

impl Asked<'_, '_> {
    /// Adds words, unless something that is surely known begins with what is typed.
    pub(super) fn words(&mut self, own: &Ref) {
        let typed = self.typing.typed;
        let begins = |name: &str| {
            name.get(..typed.len()).is_some_and(|b| b.eq_ignore_ascii_case(typed))
                && name.len() > typed.len()
        };
        if !self.typing.words
            || typed.chars().count() < LETTERS
            || self.candidates.iter().any(|c| c.sure && c.import.is_none() && begins(&c.name))
        {
            return;
        }
        let facts = self.resolver.facts(self.typing.file);
        let member = own.role == Role::Member;
        let mut known: FxHashSet<&str> = FxHashSet::default();
        let used = facts.references.iter().filter(|r| r.start != own.start);
        let (mut names, mut later) = (Vec::new(), Vec::new());
        for reference in used {
            let name = facts.strings.text(reference.name);
            if begins(name) && known.insert(name) {
                let alike = (reference.role == Role::Member) == member;
                if alike { names.push(name) } else { later.push(name) }
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
        for name in self.index.names.names_like(self.pattern, MOST) {
            let family =
                |id: crate::resolve::DefId| same_family(self.resolver.language(id.file), language);
            if begins(name)
                && !known.contains(name)
                && self.resolver.defined(name).take(8).any(family)
            {
                known.insert(name);
                names.push(name);
            }
        }
        names.truncate(MOST);
        for name in names {
            if !self.seen.insert(name.to_owned()) {
                continue;
            }
            self.candidates.push(Candidate {
                name: name.to_owned(),
                kind: DefinitionKind::Label,
                origin: Origin::UniqueName,
                sure: false,
                keyword: false,
                place: None,
                container: None,
                import: None,
                definition: None,
                signature: None,
                word: true,
                deprecated: false,
                score: 0.0,
                features: [0.0; FEATURES],
            });
        }
        self.cut = true;
    }
}
