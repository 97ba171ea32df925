//! Completion of argument and field names that a call or literal does not give yet.

use crate::complete::CompletionBuilder;
use crate::expression::{Expression, Value};
use crate::facts::{Ref, ReferenceRole};
use crate::index::FileId;
use crate::vocabulary::{DefinitionKind, Namespace};

impl CompletionBuilder<'_, '_> {
    /// Adds the parameters of the call around a plain Python name: `f(na|)` may become `f(name=…)`.
    pub(super) fn add_keyword_arguments(&mut self, file: FileId, r: u32) {
        let facts = self.resolver.facts(file);
        if facts.language.id() != "python" {
            return;
        }
        let own_value = Value::reference(r);
        let callee_around = facts.expressions.iter().find_map(|e| match e {
            Expression::Call(callee, list) if facts.list(*list).contains(&own_value) => {
                Some(*callee)
            }
            _ => None,
        });
        if let Some(callee) = callee_around {
            self.add_arguments_of(file, callee, r);
        }
    }

    /// Adds the parameters of `callee` that no argument names yet.
    pub(super) fn add_arguments_of(&mut self, file: FileId, callee: Value, r: u32) {
        let facts = self.resolver.facts(file);
        let cursor = facts.references[r as usize];
        let named_already: Vec<u32> = facts
            .references
            .iter()
            .filter(|o| {
                o.role == ReferenceRole::Keyword && o.receiver == callee && o.start != cursor.start
            })
            .map(|o| o.name)
            .collect();
        for name in self.resolver.argument_names(file, callee) {
            let number = facts.strings.find(name);
            if !self.pattern.matches_word_start(name)
                || number.is_some_and(|n| named_already.contains(&n))
            {
                continue;
            }
            self.resolver.reset_steps();
            let renamed = Ref { receiver: callee, role: ReferenceRole::Keyword, ..cursor };
            let found = self.resolver.keyword_argument_definitions(file, &renamed, name);
            let Some(first) = found.first() else { continue };
            if facts.language.id() != "python" {
                self.add_candidate(name, first.id, first.origin, true);
            } else if self.resolver.def(first.id).kind == DefinitionKind::Parameter
                || self.resolver.def(first.id).namespace.has(Namespace::VALUE)
            {
                self.add_keyword(name, first.id, first.origin);
            }
        }
    }
}
