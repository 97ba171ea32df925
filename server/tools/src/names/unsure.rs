//! Uses that may mean a symbol or not, as results list them.

use schemars::JsonSchema;
use serde::Serialize;
use workspace::{Location, UnsureUse, Uses};

use super::locations::{line_at, visible_path};
use crate::Context;

/// Most places that one result lists.
const MOST_UNSURE: usize = 50;

/// How many places a query is to list.
pub(crate) fn most_unsure(include: bool) -> usize {
    if include { MOST_UNSURE } else { 0 }
}

/// A use that may mean the symbol or not.
#[derive(Clone, Serialize, JsonSchema)]
pub(crate) struct UnsurePlace {
    /// The file, relative to the workspace; null outside of it.
    path: Option<String>,
    /// The 1-based line.
    line: usize,
    /// That line, without the blanks around it.
    text: String,
    /// What makes it unsure.
    why: String,
}

/// A result of places that are sure, with those that are not.
#[derive(Serialize, JsonSchema)]
pub(crate) struct WithUnsure<T> {
    #[serde(flatten)]
    sure: T,
    /// How many further uses may mean it or not; absent where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    unsure: Option<usize>,
    /// The first of those, with `include_unsure`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unsure_places: Vec<UnsurePlace>,
}

impl<T> WithUnsure<T> {
    pub(crate) fn new(sure: T, Unsure(count, unsure_places): Unsure) -> Self {
        Self { sure, unsure: Some(count).filter(|count| *count > 0), unsure_places }
    }
}

/// What a result says of uses that are not sure.
#[derive(Default)]
pub(crate) struct Unsure(usize, Vec<UnsurePlace>);

impl Unsure {
    /// The sure places of what was found; the others are kept for the result.
    pub(crate) fn take(&mut self, context: &Context<'_>, found: Uses) -> Vec<Location> {
        // The definitions of one symbol may be meant at the same places.
        if found.unsure_count >= self.0 {
            *self = Self(found.unsure_count, unsure_places(context, &found.unsure));
        }
        found.sure
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0 == 0
    }
}

/// The places whose files the rules do not hide, at most [`MOST_UNSURE`].
pub(crate) fn unsure_places(context: &Context<'_>, places: &[UnsureUse]) -> Vec<UnsurePlace> {
    let listed = places.iter().filter_map(|place| {
        let path = visible_path(context, &place.uri)?;
        let start = place.span.start.min(place.text.len());
        Some(UnsurePlace {
            path,
            line: place.text.line_of(start) + 1,
            text: line_at(&place.text, start),
            why: place.why.clone(),
        })
    });
    listed.take(MOST_UNSURE).collect()
}
