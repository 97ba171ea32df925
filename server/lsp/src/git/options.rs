//! What a person has their editor show of git, which is nothing by default.

use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::Value;

/// Where the commit that a line comes from is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Blame {
    /// Above functions and types.
    pub(crate) lens: bool,
    /// Behind lines.
    pub(crate) inlay: bool,
    /// Below what else hovering over a line says.
    pub(crate) hover: bool,
}

/// The options of a session, which the client may change.
#[derive(Debug, Default)]
pub(crate) struct Options(Mutex<Blame>);

impl Options {
    /// Of `initializationOptions`.
    pub(crate) fn of(options: Option<&Value>) -> Self {
        Self(Mutex::new(options.and_then(read).unwrap_or_default()))
    }

    /// Those of now.
    pub(crate) fn current(&self) -> Blame {
        *self.0.lock()
    }

    /// Takes over what a client says of its settings; whether that made a difference.
    pub(crate) fn change(&self, settings: &Value) -> bool {
        let Some(new) = read(settings) else { return false };
        let old = std::mem::replace(&mut *self.0.lock(), new);
        old != new
    }
}

/// `git.blame`, or `tandem.git.blame`; `None` where neither is there and can be read.
fn read(settings: &Value) -> Option<Blame> {
    let own = settings.get("tandem").unwrap_or(settings);
    let blame = own.get("git")?.get("blame")?;
    match blame {
        Value::Bool(all) => Some(Blame { lens: *all, inlay: *all, hover: *all }),
        blame => Blame::deserialize(blame).ok(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn settings_are_read_where_they_stand() {
        let lens = Blame { lens: true, ..Blame::default() };
        let all = Blame { lens: true, inlay: true, hover: true };
        assert_eq!(read(&json!({ "git": { "blame": { "lens": true } } })), Some(lens));
        assert_eq!(read(&json!({ "tandem": { "git": { "blame": true } } })), Some(all));
        assert_eq!(read(&json!({ "git": { "blame": { "lens": 1 } } })), None);
        for other in [json!(null), json!([]), json!({ "git": 1 }), json!("git")] {
            assert_eq!(read(&other), None);
        }
    }

    #[test]
    fn what_cannot_be_read_changes_nothing() {
        let options = Options::of(Some(&json!({ "git": { "blame": true } })));
        assert!(!options.change(&json!({ "editor": 1 })));
        assert!(options.current().hover);
        assert!(options.change(&json!({ "git": { "blame": {} } })));
        assert_eq!(options.current(), Blame::default());
    }
}
