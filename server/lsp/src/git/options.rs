//! The blame settings. All are off by default.

use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::Value;

/// Where blame is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct BlameOptions {
    /// Above functions and types.
    pub(crate) lens: bool,
    /// At line ends.
    pub(crate) inlay: bool,
    /// Below other hover content.
    pub(crate) hover: bool,
}

/// The git settings of a session.
#[derive(Debug, Default)]
pub(crate) struct GitOptions(Mutex<BlameOptions>);

impl GitOptions {
    /// Reads `initializationOptions`.
    pub(crate) fn from_options(options: Option<&Value>) -> Self {
        Self(Mutex::new(options.and_then(parse).unwrap_or_default()))
    }

    /// The current settings.
    pub(crate) fn current(&self) -> BlameOptions {
        *self.0.lock()
    }

    /// Applies settings from the client. Returns whether they changed.
    pub(crate) fn update(&self, settings: &Value) -> bool {
        let Some(new) = parse(settings) else { return false };
        let old = std::mem::replace(&mut *self.0.lock(), new);
        old != new
    }
}

/// Reads `git.blame` or `tandem.git.blame`. `None` if missing or invalid.
fn parse(settings: &Value) -> Option<BlameOptions> {
    let section = settings.get("tandem").unwrap_or(settings);
    let blame = section.get("git")?.get("blame")?;
    match blame {
        Value::Bool(all) => Some(BlameOptions { lens: *all, inlay: *all, hover: *all }),
        blame => BlameOptions::deserialize(blame).ok(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn settings_are_read_with_and_without_the_section() {
        let lens = BlameOptions { lens: true, ..BlameOptions::default() };
        let all = BlameOptions { lens: true, inlay: true, hover: true };
        assert_eq!(parse(&json!({ "git": { "blame": { "lens": true } } })), Some(lens));
        assert_eq!(parse(&json!({ "tandem": { "git": { "blame": true } } })), Some(all));
        assert_eq!(parse(&json!({ "git": { "blame": { "lens": 1 } } })), None);
        for other in [json!(null), json!([]), json!({ "git": 1 }), json!("git")] {
            assert_eq!(parse(&other), None);
        }
    }

    #[test]
    fn invalid_settings_change_nothing() {
        let options = GitOptions::from_options(Some(&json!({ "git": { "blame": true } })));
        assert!(!options.update(&json!({ "editor": 1 })));
        assert!(options.current().hover);
        assert!(options.update(&json!({ "git": { "blame": {} } })));
        assert_eq!(options.current(), BlameOptions::default());
    }
}
