//! Caches the syntax errors of one state of a text: diagnostics and every code action request need
//! them.

use std::sync::{Arc, OnceLock};

use crate::syntax_error::SyntaxError;

/// Number of errors that are cached, in document order: more than any client shows.
const KEPT: usize = 1_000;

/// The errors of one state. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct ErrorCache(Arc<OnceLock<Box<[SyntaxError]>>>);

impl ErrorCache {
    /// The first `limit` errors. If they are not cached, calls `find` with the limit; other threads
    /// wait for that result instead of computing it again.
    pub(crate) fn first(
        &self,
        limit: usize,
        find: &dyn Fn(usize) -> Vec<SyntaxError>,
    ) -> Vec<SyntaxError> {
        if limit > KEPT {
            return find(limit);
        }
        let kept = self.0.get_or_init(|| find(KEPT).into_boxed_slice());
        kept[..limit.min(kept.len())].to_vec()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn found(count: usize) -> Vec<SyntaxError> {
        let one = |at| SyntaxError { span: at..at + 1, message: String::new(), missing: None };
        (0..count).map(one).collect()
    }

    #[test]
    fn errors_are_found_once_for_a_state_and_its_clones() {
        let calls = Cell::new(0);
        let find = |limit: usize| {
            calls.set(calls.get() + 1);
            found(limit.min(2_000))
        };
        let (cache, clone) = (ErrorCache::default(), ErrorCache::default());
        assert_eq!(cache.first(3, &find), found(3));
        assert_eq!(cache.clone().first(200, &find), found(200));
        assert_eq!(calls.get(), 1);
        assert_eq!(clone.first(1, &find), found(1));
        assert_eq!(calls.get(), 2);
        // Errors beyond the cached ones are computed again.
        assert_eq!(cache.first(1_500, &find).len(), 1_500);
        assert_eq!(calls.get(), 3);
    }
}
