//! Compiles a language's queries before they are needed.

use std::sync::atomic::Ordering;

use crate::language::Language;

impl Language {
    /// Compiles the queries for the first requests on a text, and the queries of the languages that it
    /// usually embeds; does nothing if already started. Takes up to half a second. Requests that come
    /// meanwhile wait only for the queries that they use.
    pub fn warm(self) {
        if self.queries().is_warm.swap(true, Ordering::Relaxed) {
            return;
        }
        self.highlights();
        self.outline();
        self.injections();
        self.folds();
        self.links();
        self.indents();
        self.actions();
        for inside in self.static_injections() {
            inside.highlights();
            inside.injections();
        }
    }

    /// Whether [`Language::warm`] has been called.
    #[must_use]
    pub fn is_warm(self) -> bool {
        self.queries().is_warm.load(Ordering::Relaxed)
    }
}
