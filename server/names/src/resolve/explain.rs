//! A dump of what is known about a name, for debugging resolution.

use super::{DefId, Resolver};
use crate::expression::Value;
use crate::facts::NameSite;
use crate::index::FileId;

impl Resolver<'_> {
    /// Describes a site for debugging.
    pub(crate) fn explain(&self, file: FileId, site: NameSite) -> String {
        let facts = self.facts(file);
        match site {
            NameSite::Reference(r) => {
                let reference = &facts.references[r as usize];
                format!(
                    "{reference:?}\nreceiver {:?} = {:?}\narguments {:?}\nscope {:?}\nfound {:?}",
                    reference.receiver.as_expression().map(|e| facts.expressions.get(e as usize)),
                    self.type_of_value(file, reference.receiver),
                    self.arguments_of(file, reference).map(<[Value]>::len),
                    facts.scopes[reference.scope as usize],
                    self.definitions_of_reference(file, r)
                        .iter()
                        .map(|f| (f, self.def(f.id)))
                        .collect::<Vec<_>>(),
                )
            }
            NameSite::Definition(def) => {
                let id = DefId { file, def };
                format!("{:?}\ntype {:?}", self.def(id), self.type_of_definition(id))
            }
        }
    }
}
