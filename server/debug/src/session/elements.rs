//! The elements of long values, page by page.

use std::collections::HashMap;

use parking_lot::Mutex;
use serde_json::json;

use super::Session;
use super::look::Variables;
use crate::body::{Scope, Variable};
use crate::pages::Paged;
use crate::{DebugError, Patience};

/// Most values of a stop whose expressions are remembered.
const MOST: usize = 10_000;

/// Some elements of a value.
#[derive(Debug, Clone)]
pub struct Elements {
    /// They, named by their place in the whole.
    pub found: Vec<Variable>,
    /// How many there are in all.
    pub of: usize,
}

/// What values are called in the program, by the numbers of what they hold.
#[derive(Debug, Default)]
pub(super) struct Names(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// The stop that it is of.
    stop: u64,
    named: HashMap<i64, Named>,
}

#[derive(Debug, Clone, Default)]
struct Named {
    expression: Option<String>,
    kind: Option<String>,
    frame: Option<i64>,
    /// How many elements it has.
    count: Option<i64>,
}

impl Names {
    fn of(&self, stop: u64, reference: i64) -> Option<Named> {
        let known = self.0.lock();
        (known.stop == stop).then(|| known.named.get(&reference).cloned()).flatten()
    }

    fn remember(&self, stop: u64, all: impl Iterator<Item = (i64, Named)>) {
        let mut known = self.0.lock();
        if known.stop != stop {
            *known = Known { stop, ..Known::default() };
        }
        for (reference, named) in all.filter(|(reference, _)| *reference > 0) {
            if known.named.len() < MOST || known.named.contains_key(&reference) {
                known.named.insert(reference, named);
            }
        }
    }
}

impl Session {
    pub(super) fn remember_scopes(&self, stop: u64, frame: i64, scopes: &[Scope]) {
        let named = Named { frame: Some(frame), ..Named::default() };
        let all = scopes.iter().map(|scope| (scope.variables_reference, named.clone()));
        self.names.remember(stop, all);
    }

    pub(super) fn remember_held(&self, stop: u64, reference: i64, held: &[Variable]) {
        let frame = self.names.of(stop, reference).and_then(|named| named.frame);
        let all = held.iter().map(|one| {
            let expression = one.evaluate_name.clone();
            (
                one.variables_reference,
                Named { expression, kind: one.kind.clone(), frame, count: one.indexed_variables },
            )
        });
        self.names.remember(stop, all);
    }

    pub(super) fn remember_value(
        &self,
        stop: u64,
        expression: &str,
        frame: Option<i64>,
        value: &Variable,
    ) {
        let expression = value.evaluate_name.clone().unwrap_or_else(|| expression.to_owned());
        let (kind, count) = (value.kind.clone(), value.indexed_variables);
        let named = Named { expression: Some(expression), kind, frame, count };
        self.names.remember(stop, [(value.variables_reference, named)].into_iter());
    }

    /// Refuses to list what its adapter would take too long for.
    pub(super) fn check_length(&self, stop: u64, reference: i64) -> Result<(), DebugError> {
        let count = self.names.of(stop, reference).and_then(|named| named.count);
        match (self.adapter.most_elements, count) {
            (Some(most), Some(count)) if count > most => Err(self.unable(&format!(
                "list the {count} elements of this value in time; single ones can be evaluated"
            ))),
            _ => Ok(()),
        }
    }

    /// Elements of a value from number `start` on, `count` at most. `None` where it is not known how
    /// they are had from its adapter other than by [`Session::variables`], or it has no more than
    /// `count` in all. It is had by an expression about the value's own, where that `only_looks`: one
    /// that does something would do it once more.
    ///
    /// # Errors
    /// When the program is not stopped, or the adapter fails.
    pub fn elements(
        &self,
        reference: i64,
        start: usize,
        count: usize,
        only_looks: impl Fn(&str) -> bool,
        patience: Patience<'_>,
    ) -> Result<Option<Elements>, DebugError> {
        self.runtime.block_on(async {
            let Ok(stop) = self.stopped().map(|stop| stop.number) else { return Ok(None) };
            let Some(named) = self.names.of(stop, reference) else { return Ok(None) };
            if !named.expression.as_deref().is_some_and(only_looks) {
                return Ok(None);
            }
            match self.slice(stop, named, start, count, patience).await {
                // It was worth a try.
                Err(DebugError::Refused { .. } | DebugError::Malformed { .. }) => Ok(None),
                done => done,
            }
        })
    }

    async fn slice(
        &self,
        stop: u64,
        named: Named,
        start: usize,
        count: usize,
        patience: Patience<'_>,
    ) -> Result<Option<Elements>, DebugError> {
        let (Some(value), Some(kind)) = (named.expression, named.kind) else { return Ok(None) };
        let Some(paged) = Paged::of(&self.adapter.pages, &value, &kind) else { return Ok(None) };
        let evaluate = |expression: String| {
            let mut arguments = json!({ "expression": expression, "context": "watch" });
            if let Some(frame) = named.frame {
                arguments["frameId"] = frame.into();
            }
            arguments
        };
        let Some(length) = paged.length() else { return Ok(None) };
        let length = match length.parse::<usize>() {
            Ok(known) => known,
            Err(_) => {
                let told: Variable = self.ask_once("evaluate", &evaluate(length), patience).await?;
                let Ok(length) = told.value.trim().parse() else { return Ok(None) };
                length
            }
        };
        if start == 0 && length <= count {
            return Ok(None);
        }
        let count = count.min(length.saturating_sub(start));
        if count == 0 {
            return Ok(Some(Elements { found: Vec::new(), of: length }));
        }
        let Some(slice) = paged.slice(start, count) else { return Ok(None) };
        let slice: Variable = self.ask_once("evaluate", &evaluate(slice), patience).await?;
        let arguments = json!({ "variablesReference": slice.variables_reference });
        let held: Variables = self.ask_once("variables", &arguments, patience).await?;
        let mut found: Vec<Variable> = held
            .variables
            .into_iter()
            .filter_map(|one| {
                let (name, index) = moved(&one.name, start)?;
                // Its own is about the part, which has no name in the program.
                let evaluate_name = paged.item(index);
                Some(Variable { name, evaluate_name, ..one })
            })
            .collect();
        found.truncate(count);
        if found.len() < count {
            return Ok(None);
        }
        let of_slice = Named { frame: named.frame, ..Named::default() };
        self.names.remember(stop, [(slice.variables_reference, of_slice)].into_iter());
        self.remember_held(stop, slice.variables_reference, &found);
        Ok(Some(Elements { found, of: length }))
    }
}

/// An element's name, a number with or without brackets, so many further on, and that number; `None`
/// for what is no element.
fn moved(name: &str, by: usize) -> Option<(String, usize)> {
    let number = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let index: usize = number.unwrap_or(name).parse().ok()?;
    let index = index.checked_add(by)?;
    let name = if number.is_some() { format!("[{index}]") } else { index.to_string() };
    Some((name, index))
}

#[cfg(test)]
mod tests {
    use super::moved;

    #[test]
    fn elements_are_named_by_their_place_in_the_whole() {
        assert_eq!(moved("[7]", 500), Some(("[507]".to_owned(), 507)));
        assert_eq!(moved("07", 500), Some(("507".to_owned(), 507)));
        assert_eq!(moved("len()", 500), None);
        assert_eq!(moved("-1", 500), None);
    }
}
