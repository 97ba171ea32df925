//! The local variables of a stack frame and where they are named, for inline values of a debugger.

use std::ops::Range;

use crate::facts::{Def, Facts, NONE, ReferenceRole};
use crate::vocabulary::{DefinitionKind, Flags, ScopeKind};

impl Facts {
    /// The function around the line `line`, and every position up to the end of the line that names
    /// a variable or parameter of the frame, by position. Names that mean something else when the
    /// debugger stops before the line (shadowed, out of their block) and those that the line itself
    /// assigns are left out. `None` outside of functions. O(definitions + references).
    #[must_use]
    pub fn frame_locals_up_to(
        &self,
        line: &Range<usize>,
    ) -> Option<(Range<usize>, Vec<Range<usize>>)> {
        let stop = u32::try_from(line.start).ok()?;
        let end = u32::try_from(line.end).ok()?;
        let here = self.scope_at(stop);
        let function = self.frame_scope(here)?;
        let body = &self.scopes[function as usize];
        let within = |start: u32, end: u32| body.start <= start && start < end;
        let mut found: Vec<(u32, u32)> = Vec::new();
        for (number, def) in (0..).zip(self.definitions.iter()) {
            if within(def.name_start, stop) && self.is_live(number, def, here, function, stop) {
                found.push((def.name_start, def.name_end));
            }
        }
        for reference in &self.references {
            if reference.role != ReferenceRole::Plain || !within(reference.start, end) {
                continue;
            }
            let meant = self.variable_at(reference.name, reference.scope, reference.start);
            if meant.is_some_and(|d| {
                self.is_live(d, &self.definitions[d as usize], here, function, stop)
            }) {
                found.push((reference.start, reference.end));
            }
        }
        found.retain(|(start, end)| start < end);
        found.sort_unstable();
        found.dedup();
        let spans = found.into_iter().map(|(start, end)| start as usize..end as usize);
        Some((body.start as usize..body.end as usize, spans.collect()))
    }

    /// Whether a definition is a variable of the frame of `function` and still what its name means
    /// at `stop`.
    fn is_live(&self, number: u32, def: &Def, here: u32, function: u32, stop: u32) -> bool {
        if !is_variable(def) || self.frame_scope(def.scope) != Some(function) {
            return false;
        }
        let Some(then) = self.variable_at(def.name, here, stop) else { return false };
        let then_def = &self.definitions[then as usize];
        let is_fresh = def.flags.has(Flags::FRESH) || then_def.flags.has(Flags::FRESH);
        then == number || (!is_fresh && then_def.scope == def.scope)
    }

    /// The variable that a name means at an offset, within the file.
    fn variable_at(&self, name: u32, scope: u32, at: u32) -> Option<u32> {
        let mut scope = scope;
        while let Some(around) = self.scopes.get(scope as usize) {
            let seen = self.definitions_in_scope(scope, name).iter().copied().rev();
            let mut seen = seen.filter(|&d| {
                let def = &self.definitions[d as usize];
                def.visible_from <= at
                    && !def.flags.has(Flags::HIDDEN)
                    && !def.flags.has(Flags::INSTANCE)
            });
            if let Some(d) = seen.next() {
                return is_variable(&self.definitions[d as usize]).then_some(d);
            }
            if around.parent == NONE {
                break;
            }
            scope = around.parent;
        }
        None
    }

    /// The scope with a frame of its own that contains a scope: a function, lambda or
    /// comprehension.
    fn frame_scope(&self, scope: u32) -> Option<u32> {
        let mut at = scope;
        loop {
            let scope = self.scopes.get(at as usize)?;
            match scope.kind {
                ScopeKind::Function | ScopeKind::Lambda | ScopeKind::Comprehension => {
                    return Some(at);
                }
                _ => at = scope.parent,
            }
        }
    }
}

fn is_variable(def: &Def) -> bool {
    let is_one = matches!(def.kind, DefinitionKind::Variable | DefinitionKind::Parameter);
    is_one && !def.flags.has(Flags::HIDDEN) && !def.flags.has(Flags::INSTANCE)
}
