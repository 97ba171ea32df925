//! Client settings, from `initializationOptions` and later changes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use crate::git::configuration;
use crate::session::Session;
use crate::syntax_limits;

/// The settings of a session that do not belong to git, debugging or syntax limits.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    /// The user reviews every text change before it is applied.
    review: AtomicBool,
    /// Unused definitions get a code lens.
    unused_lenses: AtomicBool,
    /// Imports are marked as document links.
    import_links: AtomicBool,
    /// A saved file is linted and type-checked.
    check_on_save: AtomicBool,
}

impl Settings {
    /// Reads `initializationOptions`.
    pub(crate) fn from_options(options: Option<&Value>) -> Self {
        let settings = Self::default();
        options.inspect(|options| settings.update(options));
        settings
    }

    pub(crate) fn review_enabled(&self) -> bool {
        self.review.load(Ordering::Relaxed)
    }

    pub(crate) fn unused_lenses(&self) -> bool {
        self.unused_lenses.load(Ordering::Relaxed)
    }

    pub(crate) fn import_links(&self) -> bool {
        self.import_links.load(Ordering::Relaxed)
    }

    pub(crate) fn check_on_save(&self) -> bool {
        self.check_on_save.load(Ordering::Relaxed)
    }

    fn update(&self, settings: &Value) {
        let section = settings.get("tandem").unwrap_or(settings);
        for (group, name, setting) in [
            ("lens", "unused", &self.unused_lenses),
            ("links", "imports", &self.import_links),
            ("check", "onSave", &self.check_on_save),
        ] {
            if let Some(value) = section.get(group).and_then(|g| g.get(name)?.as_bool()) {
                setting.store(value, Ordering::Relaxed);
            }
        }
        match section.get("review").and_then(Value::as_str) {
            Some("always") => self.review.store(true, Ordering::Relaxed),
            Some("never") => self.review.store(false, Ordering::Relaxed),
            // An invalid value changes nothing.
            _ => {}
        }
    }
}

/// Applies settings from the client.
pub(crate) fn apply(session: &Arc<Session>, settings: &Value) {
    session.settings.update(settings);
    syntax_limits::apply(session, settings);
    configuration::apply(session, settings);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn review_is_off_by_default() {
        assert!(!Settings::from_options(None).review_enabled());
        let settings = Settings::from_options(Some(&json!({ "review": "always" })));
        assert!(settings.review_enabled());
        for other in [json!(null), json!({ "review": true }), json!({ "tandem": {} }), json!([])] {
            settings.update(&other);
            assert!(settings.review_enabled(), "{other}");
        }
        settings.update(&json!({ "tandem": { "review": "never" } }));
        assert!(!settings.review_enabled());
    }
}
