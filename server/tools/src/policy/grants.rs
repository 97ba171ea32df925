//! What a person has given leave for beyond one call.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use parking_lot::Mutex;
use rustc_hash::FxHashSet;
use serde_json::Value;
use sha2::{Digest, Sha256};
use workspace::{ContentHash, FilePath, Snapshot, read_user_file, state_folder};

use crate::{Effect, Target};

/// The most that is read of the lasting grants, in bytes.
const LARGEST: u64 = 4 << 20;
/// The file that they are kept in.
const FILE: &str = "grants";

/// A call, as a grant names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key([u8; 32]);

impl Key {
    fn hex(self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Exactly this call: the tool, its arguments, its effects, the content of the files that it is
/// about.
pub(super) fn exact(
    tool: &str,
    params: &Value,
    effects: &[Effect],
    contents: &[(FilePath, Option<ContentHash>)],
) -> Key {
    let mut key = Fields::new("exact", tool);
    key.field(sorted(params).to_string().as_bytes());
    for effect in effects {
        key.effect(effect);
        key.field(effect.detail.as_deref().unwrap_or_default().as_bytes());
    }
    for (path, hash) in contents {
        key.path(path);
        key.field(hash.map(|hash| hash.to_string()).unwrap_or_default().as_bytes());
    }
    key.done()
}

/// Calls like this one: the same tool on the same files, whatever their content, or the same
/// command line in the same folder, with the same environment.
pub(super) fn alike(tool: &str, effects: &[Effect]) -> Key {
    let mut key = Fields::new("alike", tool);
    for effect in effects {
        key.effect(effect);
    }
    key.done()
}

/// Fields, each with its length before it, so that no two lists of them look the same.
struct Fields(Sha256);

impl Fields {
    fn new(kind: &str, tool: &str) -> Self {
        let mut fields = Self(Sha256::new());
        fields.field(kind.as_bytes());
        fields.field(tool.as_bytes());
        fields
    }

    fn field(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    fn path(&mut self, path: &FilePath) {
        self.field(path.absolute().as_os_str().as_encoded_bytes());
    }

    fn effect(&mut self, effect: &Effect) {
        self.field(effect.kind.as_str().as_bytes());
        match &effect.target {
            Target::Path(path) => {
                self.field(b"path");
                self.path(path);
            }
            Target::Tree(path) => {
                self.field(b"tree");
                self.path(path);
            }
            Target::Repository(path) => {
                self.field(b"repository");
                self.field(path.as_os_str().as_encoded_bytes());
            }
            Target::Command(command) => {
                self.field(b"command");
                self.field(command.line.as_bytes());
                self.path(&command.cwd);
                self.field(&[u8::from(command.network), u8::from(command.sandbox)]);
                self.field(&[u8::from(command.input.is_some())]);
                self.field(command.input.as_deref().unwrap_or_default().as_bytes());
                for (name, value) in &command.env {
                    self.field(name.as_bytes());
                    self.field(value.as_bytes());
                }
                self.field(b"end");
            }
            Target::Named(name) => {
                self.field(b"named");
                self.field(name.as_bytes());
            }
        }
    }

    fn done(self) -> Key {
        Key(self.0.finalize().into())
    }
}

/// The same value, its objects' fields in one order.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut names: Vec<_> = fields.keys().collect();
            names.sort();
            names.into_iter().map(|name| (name.clone(), sorted(&fields[name]))).collect()
        }
        Value::Array(values) => values.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

/// The grants of one client, and the lasting ones of its workspace.
#[derive(Default)]
pub(super) struct Grants {
    session: Mutex<FxHashSet<Key>>,
}

impl Grants {
    /// Whether leave was given for this session.
    pub(super) fn in_session(&self, key: Key) -> bool {
        self.session.lock().contains(&key)
    }

    /// Gives leave for this session.
    pub(super) fn for_session(&self, key: Key) {
        self.session.lock().insert(key);
    }

    /// Whether lasting leave was given in the workspace of `snapshot`.
    pub(super) fn is_lasting(&self, snapshot: &Snapshot, key: Key) -> bool {
        let Some(file) = file(snapshot) else { return false };
        match read_user_file(&file, LARGEST) {
            Ok(Some(bytes)) => {
                let hex = key.hex();
                bytes
                    .split(|byte| *byte == b'\n')
                    .any(|line| line.split(|byte| *byte == b'\t').next() == Some(hex.as_bytes()))
            }
            Ok(None) => false,
            Err(error) => {
                tracing::warn!("stored approvals are ignored: {error}");
                false
            }
        }
    }

    /// Gives lasting leave, described by `what` for people who look into the file.
    pub(super) fn for_ever(&self, snapshot: &Snapshot, key: Key, what: &str) {
        self.for_session(key);
        let what = what.replace(['\t', '\n'], " ");
        let line = format!("{}\t{}\t{what:.200}\n", key.hex(), jiff::Timestamp::now());
        let written =
            file(snapshot).ok_or_else(|| std::io::Error::other("no folder to keep it in"));
        let written = written.and_then(|file| {
            let mut options = OpenOptions::new();
            let mut file = options.create(true).append(true).mode(0o600).open(file)?;
            file.write_all(line.as_bytes())?;
            file.sync_all()
        });
        if let Err(error) = written {
            tracing::warn!("the approval could not be stored and holds for this session: {error}");
        }
    }
}

fn file(snapshot: &Snapshot) -> Option<PathBuf> {
    let folder = state_folder(snapshot.roots());
    folder
        .inspect_err(|error| tracing::warn!("stored approvals: {error}"))
        .ok()
        .map(|f| f.join(FILE))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::EffectKind;

    fn named(name: &str, detail: Option<&str>) -> Effect {
        Effect {
            kind: EffectKind::Network,
            target: Target::Named(name.to_owned()),
            detail: detail.map(str::to_owned),
        }
    }

    #[test]
    fn a_grant_is_bound_to_its_call() {
        let params = json!({"a": 1, "b": {"c": 2, "d": [1]}});
        let key = |tool, params: &Value, effect| exact(tool, params, &[effect], &[]);
        let one = key("t", &params, named("x", None));
        let same = json!({"b": {"d": [1], "c": 2}, "a": 1});
        assert_eq!(one, key("t", &same, named("x", None)));
        assert_ne!(one, key("u", &params, named("x", None)));
        assert_ne!(one, key("t", &json!({"a": 1}), named("x", None)));
        assert_ne!(one, key("t", &params, named("y", None)));
        assert_ne!(one, key("t", &params, named("x", Some("-a"))));
        assert_eq!(alike("t", &[named("x", None)]), alike("t", &[named("x", Some("-a"))]));
        assert_ne!(
            alike("t", &[named("xy", None)]),
            alike("t", &[named("x", None), named("y", None)])
        );
    }
}
