//! Calls that were approved together.

use rustc_hash::FxHashSet;

/// The calls that a person approved together: each is allowed exactly as it was displayed.
#[derive(Debug, Clone, Default)]
pub struct ApprovedCalls(FxHashSet<[u8; 32]>);

impl ApprovedCalls {
    /// The calls with these keys.
    pub(crate) fn new(keys: impl IntoIterator<Item = [u8; 32]>) -> Self {
        Self(keys.into_iter().collect())
    }

    /// Whether the call with this key is one of them.
    pub(crate) fn contain(&self, key: [u8; 32]) -> bool {
        self.0.contains(&key)
    }
}
