//! Names of arguments and fields that are not given yet.

use crate::complete::Asked;
use crate::expression::{Expression, Value};
use crate::facts::{Ref, Role};
use crate::index::FileId;
use crate::vocabulary::{DefinitionKind, Namespace};

impl Asked<'_, '_> {
    /// A name that stands as an argument of a call may become the name of one.
    pub(super) fn argument_names(&mut self, file: FileId, r: u32) {
        let facts = self.resolver.facts(file);
        if facts.language.id() != "python" {
            return;
        }
        let wanted = Value::reference(r);
        let around = facts.expressions.iter().find_map(|e| match e {
            Expression::Call(callee, list) if facts.list(*list).contains(&wanted) => Some(*callee),
            _ => None,
        });
        if let Some(callee) = around {
            self.keywords_of(file, callee, r);
        }
    }

    /// The parameters of what is called that no argument names yet.
    pub(super) fn keywords_of(&mut self, file: FileId, callee: Value, r: u32) {
        let facts = self.resolver.facts(file);
        let own = facts.references[r as usize];
        let given: Vec<u32> = facts
            .references
            .iter()
            .filter(|o| o.role == Role::Keyword && o.receiver == callee && o.start != own.start)
            .map(|o| o.name)
            .collect();
        for name in self.resolver.argument_names(file, callee) {
            let number = facts.strings.find(name);
            if !self.pattern.begins(name) || number.is_some_and(|n| given.contains(&n)) {
                continue;
            }
            self.resolver.refresh();
            let asked = Ref { receiver: callee, role: Role::Keyword, ..own };
            let found = self.resolver.keyword(file, &asked, name);
            let Some(first) = found.first() else { continue };
            if facts.language.id() != "python" {
                self.offer(name, first.id, first.origin, true);
            } else if self.resolver.def(first.id).kind == DefinitionKind::Parameter
                || self.resolver.def(first.id).namespace.has(Namespace::VALUE)
            {
                self.offer_keyword(name, first.id, first.origin);
            }
        }
    }
}
