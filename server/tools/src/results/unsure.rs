//! Uncertain uses in results.

use schemars::JsonSchema;
use serde::Serialize;
use workspace::{Location, UnsureUse, Uses};

use super::location::{line_at, visible_path};
use crate::Context;

/// Limit for the uncertain uses in one result.
const MAX_UNCERTAIN_USES: usize = 50;

/// How many uncertain uses a query should list.
pub fn max_unsure(include: bool) -> usize {
    if include { MAX_UNCERTAIN_USES } else { 0 }
}

/// A use that may or may not refer to the symbol.
#[derive(Clone, Serialize, JsonSchema)]
pub struct UnsurePlace {
    /// The file, relative to the workspace; null outside.
    path: Option<String>,
    /// 1-based line.
    line: usize,
    /// The line, trimmed.
    text: String,
    /// Why it is uncertain.
    why: String,
}

/// A result of certain places, with the uncertain ones beside it.
#[derive(Serialize, JsonSchema)]
pub struct WithUnsure<T> {
    #[serde(flatten)]
    sure: T,
    /// Number of uncertain uses; absent if none.
    #[serde(skip_serializing_if = "Option::is_none")]
    unsure: Option<usize>,
    /// The first of them, with `include_unsure`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unsure_places: Vec<UnsurePlace>,
}

impl<T> WithUnsure<T> {
    /// A result with the places that may belong to it.
    pub fn new(sure: T, Unsure(count, unsure_places): Unsure) -> Self {
        Self { sure, unsure: Some(count).filter(|count| *count > 0), unsure_places }
    }
}

/// Collects the uncertain uses of a result.
#[derive(Default)]
pub struct Unsure(usize, Vec<UnsurePlace>);

impl Unsure {
    /// Returns the certain places of `found`, and keeps the uncertain ones.
    pub fn add(&mut self, context: &Context<'_>, found: Uses) -> Vec<Location> {
        // Several definitions may share the same uncertain places: keep the longest list.
        if found.unsure_count >= self.0 {
            *self = Self(found.unsure_count, unsure_places(context, &found.unsure));
        }
        found.sure
    }

    /// Whether there is no such place.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0 == 0
    }
}

/// The places in files that rules do not hide, at most [`MAX_UNCERTAIN_USES`].
pub fn unsure_places(context: &Context<'_>, places: &[UnsureUse]) -> Vec<UnsurePlace> {
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
    listed.take(MAX_UNCERTAIN_USES).collect()
}
