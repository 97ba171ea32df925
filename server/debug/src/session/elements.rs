//! Pages of the elements of long values.

use std::collections::HashMap;

use parking_lot::Mutex;
use serde_json::json;

use super::Session;
use super::inspect::VariablesBody;
use crate::body::{Scope, Variable};
use crate::pages::PageExpressions;
use crate::{DebugError, WaitLimits};

/// Limit of remembered values per stop.
const MAX_VALUES: usize = 10_000;

/// A page of a value's elements.
#[derive(Debug, Clone)]
pub struct ElementPage {
    /// The elements, named by their index in the whole value.
    pub elements: Vec<Variable>,
    /// The total number of elements.
    pub total: usize,
}

/// How values were obtained, by their `variablesReference`.
#[derive(Debug, Default)]
pub(super) struct ValueExpressions(Mutex<StopValues>);

#[derive(Debug, Default)]
struct StopValues {
    /// The stop in which the references are valid.
    stop: u64,
    origins: HashMap<i64, ValueOrigin>,
}

#[derive(Debug, Clone, Default)]
struct ValueOrigin {
    expression: Option<String>,
    kind: Option<String>,
    frame: Option<i64>,
    /// How many elements it has.
    count: Option<i64>,
}

impl ValueExpressions {
    fn origin(&self, stop: u64, reference: i64) -> Option<ValueOrigin> {
        let known = self.0.lock();
        (known.stop == stop).then(|| known.origins.get(&reference).cloned()).flatten()
    }

    fn remember(&self, stop: u64, all: impl Iterator<Item = (i64, ValueOrigin)>) {
        let mut known = self.0.lock();
        if known.stop != stop {
            *known = StopValues { stop, ..StopValues::default() };
        }
        for (reference, origin) in all.filter(|(reference, _)| *reference > 0) {
            if known.origins.len() < MAX_VALUES || known.origins.contains_key(&reference) {
                known.origins.insert(reference, origin);
            }
        }
    }
}

impl Session {
    pub(super) fn remember_scopes(&self, stop: u64, frame: i64, scopes: &[Scope]) {
        let origin = ValueOrigin { frame: Some(frame), ..ValueOrigin::default() };
        let all = scopes.iter().map(|scope| (scope.variables_reference, origin.clone()));
        self.value_expressions.remember(stop, all);
    }

    pub(super) fn remember_children(&self, stop: u64, reference: i64, children: &[Variable]) {
        let frame = self.value_expressions.origin(stop, reference).and_then(|origin| origin.frame);
        let all = children.iter().map(|one| {
            let expression = one.evaluate_name.clone();
            (
                one.variables_reference,
                ValueOrigin {
                    expression,
                    kind: one.kind.clone(),
                    frame,
                    count: one.indexed_variables,
                },
            )
        });
        self.value_expressions.remember(stop, all);
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
        let origin = ValueOrigin { expression: Some(expression), kind, frame, count };
        self.value_expressions.remember(stop, [(value.variables_reference, origin)].into_iter());
    }

    /// Refuses values with more elements than the adapter lists in reasonable time.
    pub(super) fn check_length(&self, stop: u64, reference: i64) -> Result<(), DebugError> {
        let count = self.value_expressions.origin(stop, reference).and_then(|origin| origin.count);
        match (self.adapter.most_elements, count) {
            (Some(most), Some(count)) if count > most => Err(self.unsupported(&format!(
                "list the {count} elements of this value in time; single ones can be evaluated"
            ))),
            _ => Ok(()),
        }
    }

    /// Elements of a value, from index `start` on. `None` if the adapter table has no expression
    /// for pages of its type, or it has at most `count` elements: use [`Session::variables`] then.
    /// Its expression is evaluated again, and therefore only if `only_looks` says that it has no
    /// side effects.
    ///
    /// # Errors
    /// When the program is not stopped, or the adapter fails.
    pub fn elements(
        &self,
        reference: i64,
        start: usize,
        count: usize,
        only_looks: impl Fn(&str) -> bool,
        patience: WaitLimits<'_>,
    ) -> Result<Option<ElementPage>, DebugError> {
        self.runtime.block_on(async {
            let Ok(stop) = self.stopped().map(|stop| stop.number) else { return Ok(None) };
            let Some(origin) = self.value_expressions.origin(stop, reference) else {
                return Ok(None);
            };
            if !origin.expression.as_deref().is_some_and(only_looks) {
                return Ok(None);
            }
            match self.element_slice(stop, origin, start, count, patience).await {
                // The expression was only a guess.
                Err(DebugError::Refused { .. } | DebugError::Malformed { .. }) => Ok(None),
                done => done,
            }
        })
    }

    async fn element_slice(
        &self,
        stop: u64,
        origin: ValueOrigin,
        start: usize,
        count: usize,
        patience: WaitLimits<'_>,
    ) -> Result<Option<ElementPage>, DebugError> {
        let (Some(value), Some(kind)) = (origin.expression, origin.kind) else { return Ok(None) };
        let Some(page_expressions) = PageExpressions::new(&self.adapter.pages, &value, &kind)
        else {
            return Ok(None);
        };
        let evaluate = |expression: String| {
            let mut arguments = json!({ "expression": expression, "context": "watch" });
            if let Some(frame) = origin.frame {
                arguments["frameId"] = frame.into();
            }
            arguments
        };
        let Some(length) = page_expressions.length() else { return Ok(None) };
        let length = match length.parse::<usize>() {
            Ok(known) => known,
            Err(_) => {
                let result: Variable =
                    self.cached_request("evaluate", &evaluate(length), patience).await?;
                let Ok(length) = result.value.trim().parse() else { return Ok(None) };
                length
            }
        };
        if start == 0 && length <= count {
            return Ok(None);
        }
        let count = count.min(length.saturating_sub(start));
        if count == 0 {
            return Ok(Some(ElementPage { elements: Vec::new(), total: length }));
        }
        let Some(slice) = page_expressions.slice(start, count) else { return Ok(None) };
        let slice: Variable = self.cached_request("evaluate", &evaluate(slice), patience).await?;
        let arguments = json!({ "variablesReference": slice.variables_reference });
        let children: VariablesBody =
            self.cached_request("variables", &arguments, patience).await?;
        let mut found: Vec<Variable> = children
            .variables
            .into_iter()
            .filter_map(|one| {
                let (name, index) = shift_index(&one.name, start)?;
                // The adapter's own expression refers to the slice, which is no variable of the
                // program.
                let evaluate_name = page_expressions.item(index);
                Some(Variable { name, evaluate_name, ..one })
            })
            .collect();
        found.truncate(count);
        if found.len() < count {
            return Ok(None);
        }
        let slice_origin = ValueOrigin { frame: origin.frame, ..ValueOrigin::default() };
        self.value_expressions
            .remember(stop, [(slice.variables_reference, slice_origin)].into_iter());
        self.remember_children(stop, slice.variables_reference, &found);
        Ok(Some(ElementPage { elements: found, total: length }))
    }
}

/// Adds `by` to the index that is an element's name, with or without brackets; `None` for other
/// names.
fn shift_index(name: &str, by: usize) -> Option<(String, usize)> {
    let number = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let index: usize = number.unwrap_or(name).parse().ok()?;
    let index = index.checked_add(by)?;
    let name = if number.is_some() { format!("[{index}]") } else { index.to_string() };
    Some((name, index))
}

#[cfg(test)]
mod tests {
    use super::shift_index;

    #[test]
    fn elements_are_named_by_their_index_in_the_whole() {
        assert_eq!(shift_index("[7]", 500), Some(("[507]".to_owned(), 507)));
        assert_eq!(shift_index("07", 500), Some(("507".to_owned(), 507)));
        assert_eq!(shift_index("len()", 500), None);
        assert_eq!(shift_index("-1", 500), None);
    }
}
