//! Approvals that cover more than one call.

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

/// Limit for the file of permanent approvals, in bytes.
const MAX_FILE_BYTES: u64 = 4 << 20;
/// The file of permanent approvals, in the state folder.
const FILE_NAME: &str = "grants";

/// How the names of windows begin that get input; see `server/desktop`.
const DESKTOP_INPUT: &str = "desktop/input/";

/// A hash that identifies an approved call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ApprovalKey([u8; 32]);

impl ApprovalKey {
    pub(super) fn bytes(self) -> [u8; 32] {
        self.0
    }

    fn hex(self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The key of exactly this call: the tool, its parameters, its effects, and the contents of the
/// files concerned.
pub(super) fn exact_key(
    tool: &str,
    params: &Value,
    effects: &[Effect],
    contents: &[(FilePath, Option<ContentHash>)],
) -> ApprovalKey {
    let mut key = KeyHasher::new("exact", tool);
    key.field(with_sorted_keys(params).to_string().as_bytes());
    for effect in effects {
        key.effect(effect);
        key.field(effect.detail.as_deref().unwrap_or_default().as_bytes());
    }
    for (path, hash) in contents {
        key.path(path);
        key.field(hash.map(|hash| hash.to_string()).unwrap_or_default().as_bytes());
    }
    key.finish()
}

/// The key of similar calls: the same tool on the same files, whatever their content, or the same
/// command line in the same folder with the same environment. Input to a window is similar whichever tool
/// sends it: the person approves the window.
pub(super) fn similar_key(tool: &str, effects: &[Effect]) -> ApprovalKey {
    let is_input = |effect: &Effect| matches!(&effect.target, Target::Named(name) if name.starts_with(DESKTOP_INPUT));
    let is_of_desktop = !effects.is_empty() && effects.iter().all(is_input);
    let tool = if is_of_desktop { DESKTOP_INPUT } else { tool };
    let mut key = KeyHasher::new("alike", tool);
    for effect in effects {
        key.effect(effect);
    }
    key.finish()
}

/// Hashes fields, each prefixed by its length, so that no two lists of fields hash alike.
struct KeyHasher(Sha256);

impl KeyHasher {
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

    fn finish(self) -> ApprovalKey {
        ApprovalKey(self.0.finalize().into())
    }
}

/// The value with sorted object keys.
fn with_sorted_keys(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut names: Vec<_> = fields.keys().collect();
            names.sort();
            names.into_iter().map(|name| (name.clone(), with_sorted_keys(&fields[name]))).collect()
        }
        Value::Array(values) => values.iter().map(with_sorted_keys).collect(),
        other => other.clone(),
    }
}

/// The approvals of one client's session, and the permanent ones of its workspace.
#[derive(Default)]
pub(super) struct StoredApprovals {
    session: Mutex<FxHashSet<ApprovalKey>>,
}

impl StoredApprovals {
    /// Whether calls with this key are approved for the session.
    pub(super) fn is_approved_for_session(&self, key: ApprovalKey) -> bool {
        self.session.lock().contains(&key)
    }

    /// Approves calls with this key for the session.
    pub(super) fn approve_for_session(&self, key: ApprovalKey) {
        self.session.lock().insert(key);
    }

    /// Whether calls with this key are permanently approved in the workspace of `snapshot`.
    pub(super) fn is_permanently_approved(&self, snapshot: &Snapshot, key: ApprovalKey) -> bool {
        let Some(file) = approvals_file(snapshot) else { return false };
        match read_user_file(&file, MAX_FILE_BYTES) {
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

    /// Approves calls with this key permanently. `what` describes the call for people who read the
    /// file.
    pub(super) fn approve_permanently(&self, snapshot: &Snapshot, key: ApprovalKey, what: &str) {
        self.approve_for_session(key);
        let what = what.replace(['\t', '\n'], " ");
        let line = format!("{}\t{}\t{what:.200}\n", key.hex(), jiff::Timestamp::now());
        let written = approvals_file(snapshot)
            .ok_or_else(|| std::io::Error::other("no folder to keep it in"));
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

fn approvals_file(snapshot: &Snapshot) -> Option<PathBuf> {
    let folder = state_folder(snapshot.roots());
    folder
        .inspect_err(|error| tracing::warn!("stored approvals: {error}"))
        .ok()
        .map(|f| f.join(FILE_NAME))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::EffectKind;

    fn network_effect(name: &str, detail: Option<&str>) -> Effect {
        Effect {
            kind: EffectKind::Network,
            target: Target::Named(name.to_owned()),
            detail: detail.map(str::to_owned),
        }
    }

    #[test]
    fn keys_identify_calls() {
        let params = json!({"a": 1, "b": {"c": 2, "d": [1]}});
        let key = |tool, params: &Value, effect| exact_key(tool, params, &[effect], &[]);
        let one = key("t", &params, network_effect("x", None));
        let same = json!({"b": {"d": [1], "c": 2}, "a": 1});
        assert_eq!(one, key("t", &same, network_effect("x", None)));
        assert_ne!(one, key("u", &params, network_effect("x", None)));
        assert_ne!(one, key("t", &json!({"a": 1}), network_effect("x", None)));
        assert_ne!(one, key("t", &params, network_effect("y", None)));
        assert_ne!(one, key("t", &params, network_effect("x", Some("-a"))));
        assert_eq!(
            similar_key("t", &[network_effect("x", None)]),
            similar_key("t", &[network_effect("x", Some("-a"))])
        );
        assert_ne!(
            similar_key("t", &[network_effect("xy", None)]),
            similar_key("t", &[network_effect("x", None), network_effect("y", None)])
        );
        let input = network_effect("desktop/input/XTerm/0x1", None);
        assert_eq!(
            similar_key("t", std::slice::from_ref(&input)),
            similar_key("u", std::slice::from_ref(&input))
        );
        assert_ne!(
            similar_key("t", &[input.clone(), network_effect("x", None)]),
            similar_key("u", &[input, network_effect("x", None)])
        );
    }
}
