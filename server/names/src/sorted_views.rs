//! Sorted views of a file's definitions and references.

use crate::facts::{Def, Ref};

/// Definition and reference numbers in the orders in which lookups need them.
#[derive(Debug)]
pub(crate) struct SortedViews {
    /// Definitions by (scope, name, position).
    pub(crate) by_scope: Box<[u32]>,
    /// Definitions by (name, position).
    pub(crate) by_name: Box<[u32]>,
    /// Definitions by the position of their name.
    pub(crate) by_place: Box<[u32]>,
    /// References by position; empty if they are numbered in that order.
    pub(crate) by_reference: Box<[u32]>,
}

impl SortedViews {
    /// Sorts definitions and references. O(n log n).
    pub(crate) fn of(definitions: &[Def], references: &[Ref]) -> Self {
        fn numbers(count: usize) -> Box<[u32]> {
            (0..u32::try_from(count).unwrap_or(u32::MAX)).collect()
        }
        let def = |d: &u32| &definitions[*d as usize];
        let mut by_place = numbers(definitions.len());
        by_place.sort_by_key(|d| def(d).name_start);
        let mut by_name = by_place.clone();
        by_name.sort_by_key(|d| def(d).name);
        let mut by_scope = by_name.clone();
        by_scope.sort_by_key(|d| def(d).scope);
        let mut by_reference = Box::default();
        if !references.is_sorted_by_key(|r| r.start) {
            by_reference = numbers(references.len());
            by_reference.sort_by_key(|&r| references[r as usize].start);
        }
        Self { by_scope, by_name, by_place, by_reference }
    }
}
