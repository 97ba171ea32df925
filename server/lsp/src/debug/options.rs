//! What a person has their editor do while programs are debugged.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

/// The options of a session, which the client may change.
#[derive(Debug, Default)]
pub(crate) struct Options {
    /// The line of every stop is shown, without taking the focus. Off by default: an agent's steps
    /// would turn the pages of whoever reads.
    shows_stops: AtomicBool,
}

impl Options {
    /// Of `initializationOptions`.
    pub(crate) fn of(options: Option<&Value>) -> Self {
        let own = Self::default();
        if let Some(options) = options {
            own.change(options);
        }
        own
    }

    pub(crate) fn shows_stops(&self) -> bool {
        self.shows_stops.load(Ordering::Relaxed)
    }

    /// Takes over what a client says of its settings: `debug.showStops`, or `tandem.debug.showStops`.
    pub(crate) fn change(&self, settings: &Value) {
        let own = settings.get("tandem").unwrap_or(settings);
        if let Some(shows) = own["debug"]["showStops"].as_bool() {
            self.shows_stops.store(shows, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_cannot_be_read_changes_nothing() {
        let options = Options::of(Some(&json!({ "debug": { "showStops": true } })));
        for odd in [json!(null), json!([1]), json!("x"), json!({ "debug": { "showStops": 1 } })] {
            options.change(&odd);
            assert!(options.shows_stops());
        }
        options.change(&json!({ "tandem": { "debug": { "showStops": false } } }));
        assert!(!options.shows_stops());
    }
}
