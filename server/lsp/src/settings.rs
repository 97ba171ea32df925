//! The settings that a client gives at the start, and changes later.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use crate::git::configuration;
use crate::session::Session;
use crate::syntax_limits;

/// Those of a session, besides git's own.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    /// The person looks at every change of text before it is made.
    review: AtomicBool,
    /// Definitions that nothing uses have a lens that says so.
    unused_lenses: AtomicBool,
    /// What imports name is marked as a link, besides what definition finds.
    import_links: AtomicBool,
}

impl Settings {
    /// Of `initializationOptions`.
    pub(crate) fn of(options: Option<&Value>) -> Self {
        let settings = Self::default();
        options.inspect(|options| settings.change(options));
        settings
    }

    pub(crate) fn reviews(&self) -> bool {
        self.review.load(Ordering::Relaxed)
    }

    pub(crate) fn unused_lenses(&self) -> bool {
        self.unused_lenses.load(Ordering::Relaxed)
    }

    pub(crate) fn import_links(&self) -> bool {
        self.import_links.load(Ordering::Relaxed)
    }

    fn change(&self, settings: &Value) {
        let own = settings.get("tandem").unwrap_or(settings);
        for (group, name, setting) in
            [("lens", "unused", &self.unused_lenses), ("links", "imports", &self.import_links)]
        {
            if let Some(value) = own.get(group).and_then(|g| g.get(name)?.as_bool()) {
                setting.store(value, Ordering::Relaxed);
            }
        }
        match own.get("review").and_then(Value::as_str) {
            Some("always") => self.review.store(true, Ordering::Relaxed),
            Some("never") => self.review.store(false, Ordering::Relaxed),
            // What cannot be read changes nothing.
            _ => {}
        }
    }
}

/// Takes over what a client says of its settings.
pub(crate) fn take_over(session: &Arc<Session>, settings: &Value) {
    session.settings.change(settings);
    syntax_limits::take_over(session, settings);
    configuration::take_over(session, settings);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn review_is_off_until_somebody_turns_it_on() {
        assert!(!Settings::of(None).reviews());
        let settings = Settings::of(Some(&json!({ "review": "always" })));
        assert!(settings.reviews());
        for other in [json!(null), json!({ "review": true }), json!({ "tandem": {} }), json!([])] {
            settings.change(&other);
            assert!(settings.reviews(), "{other}");
        }
        settings.change(&json!({ "tandem": { "review": "never" } }));
        assert!(!settings.reviews());
    }
}
