//! Names that no file defines any more.

use std::collections::VecDeque;

use super::Index;

/// Limit of the names kept; the newest stay.
const MAX_REMOVED_NAMES: usize = 1_000;

/// Names that files stopped defining; the newest last.
#[derive(Debug, Default)]
pub(crate) struct RemovedNames(VecDeque<(Box<str>, Box<str>)>);

impl RemovedNames {
    /// Records that the file at `path` no longer defines `name`.
    pub(super) fn push(&mut self, name: &str, path: &str) {
        if self.0.len() == MAX_REMOVED_NAMES {
            self.0.pop_front();
        }
        self.0.push_back((name.into(), path.into()));
    }
}

impl Index {
    /// The last file that defined a name, if nothing defines it now.
    #[must_use]
    pub fn last_defining_file(&self, name: &str) -> Option<&str> {
        if self.names.get(name).is_some_and(|p| p.defined.iter().next().is_some()) {
            return None;
        }
        let mut newest = self.removed_names.0.iter().rev();
        newest.find(|(known, _)| **known == *name).map(|(_, path)| &**path)
    }
}
