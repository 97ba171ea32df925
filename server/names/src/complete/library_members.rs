//! Members of standard library types, from tables: those libraries' files are not indexed.

use super::{CompletionBuilder, CompletionCandidate, FEATURE_COUNT};
use crate::facts::Ref;
use crate::library::members;
use crate::origin::Origin;
use crate::resolve::Ty;
use crate::vocabulary::{DefinitionKind, Namespace};

impl CompletionBuilder<'_, '_> {
    /// Adds the members that the language's table lists for a type.
    pub(super) fn add_library_members(&mut self, cursor: &Ref, ty: &Ty) {
        if cursor.namespace == Namespace::TYPE {
            return;
        }
        let language = self.resolver.language(self.typing.file);
        let all = match ty {
            Ty::Union(all) => all.iter().flat_map(|ty| members::members_of(language, ty)).collect(),
            ty => members::members_of(language, ty),
        };
        for member in all {
            if self.pattern.matches_word_start(member.name)
                && self.added.insert(member.name.to_owned())
            {
                self.candidates.push(CompletionCandidate {
                    name: member.name.to_owned(),
                    kind: match member.is_callable() {
                        true => DefinitionKind::Method,
                        false => DefinitionKind::Field,
                    },
                    origin: Origin::Dependency,
                    is_certain: true,
                    is_keyword_argument: false,
                    location: None,
                    container: Some(member.of.to_owned()),
                    import: None,
                    definition: None,
                    signature: Some(member.signature),
                    is_word: false,
                    deprecated: false,
                    score: 0.0,
                    features: [0.0; FEATURE_COUNT],
                });
            }
        }
    }
}
