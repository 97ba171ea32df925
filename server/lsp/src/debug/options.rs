//! Debugging settings.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

/// The debugging settings of a session.
#[derive(Debug, Default)]
pub(crate) struct DebugOptions {
    /// Show the line of every stop, without taking the focus. Off by default, since an agent's steps
    /// would scroll the user's editor.
    shows_stops: AtomicBool,
}

impl DebugOptions {
    /// Reads `initializationOptions`.
    pub(crate) fn from_options(options: Option<&Value>) -> Self {
        let loaded = Self::default();
        if let Some(options) = options {
            loaded.update(options);
        }
        loaded
    }

    pub(crate) fn shows_stops(&self) -> bool {
        self.shows_stops.load(Ordering::Relaxed)
    }

    /// Applies settings from the client: `debug.showStops` or `tandem.debug.showStops`.
    pub(crate) fn update(&self, settings: &Value) {
        let section = settings.get("tandem").unwrap_or(settings);
        if let Some(shows) = section["debug"]["showStops"].as_bool() {
            self.shows_stops.store(shows, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn invalid_settings_change_nothing() {
        let options = DebugOptions::from_options(Some(&json!({ "debug": { "showStops": true } })));
        for odd in [json!(null), json!([1]), json!("x"), json!({ "debug": { "showStops": 1 } })] {
            options.update(&odd);
            assert!(options.shows_stops());
        }
        options.update(&json!({ "tandem": { "debug": { "showStops": false } } }));
        assert!(!options.shows_stops());
    }
}
