//! The changes of an action as they are stored. Field and variant names are an on-disk format.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::entries::fingerprint_of;
use crate::journal::{decode_path, encode_path};
use crate::{FilePath, Root};

/// One change that an action made.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct RecordedChange {
    /// The changed path; for a move, the new one.
    pub(crate) path: RecordedPath,
    #[serde(rename = "what")]
    pub(crate) kind: RecordedKind,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum RecordedKind {
    /// The content changed.
    Edited {
        before: StoredContent,
        /// The fingerprints of the content before and after.
        #[serde(rename = "was")]
        fingerprint_before: String,
        #[serde(rename = "left")]
        fingerprint_after: String,
        /// The changed byte range of the old content and its replacement; only if small.
        change: Option<(usize, usize, Vec<u8>)>,
        /// Whether it was an open document's text.
        #[serde(rename = "open")]
        was_open: bool,
    },
    /// An entry was created.
    Created {
        /// Its fingerprint, filled in once it exists.
        #[serde(rename = "left")]
        fingerprint: Option<String>,
    },
    /// A parent folder was created for another change.
    Folder,
    /// An entry was moved to the trash.
    Deleted { trash: String },
    /// An entry was moved to `path`.
    Moved {
        from: RecordedPath,
        /// Its fingerprint; `None` for a folder, which is moved without reading it.
        #[serde(rename = "left")]
        fingerprint: Option<String>,
    },
}

/// Where an earlier content is stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum StoredContent {
    /// In the record itself.
    Inline(#[serde(with = "bytes")] Vec<u8>),
    /// In the trash, under this name.
    Trash(String),
}

/// A path of the workspace as it is stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct RecordedPath {
    absolute: String,
    pub(crate) shown: String,
}

impl RecordedPath {
    pub(crate) fn new(path: &FilePath) -> Self {
        Self { absolute: encode_path(&path.absolute()), shown: path.display_path() }
    }

    /// The path in these roots; `None` if its root is not open.
    pub(crate) fn read(&self, roots: &[Arc<Root>]) -> Option<FilePath> {
        decode_path(&self.absolute, roots)
    }
}

impl RecordedChange {
    pub(crate) fn new(path: &FilePath, kind: RecordedKind) -> Self {
        Self { path: RecordedPath::new(path), kind }
    }

    /// The kind of change as results name it.
    pub(crate) fn kind_name(&self) -> &'static str {
        match self.kind {
            RecordedKind::Edited { .. } => "edited",
            RecordedKind::Created { .. } => "created",
            RecordedKind::Folder => "folder",
            RecordedKind::Deleted { .. } => "deleted",
            RecordedKind::Moved { .. } => "moved",
        }
    }

    /// The trash entry that this change needs to be undone.
    pub(crate) fn trash(&self) -> Option<&str> {
        match &self.kind {
            RecordedKind::Edited { before: StoredContent::Trash(name), .. }
            | RecordedKind::Deleted { trash: name } => Some(name),
            _ => None,
        }
    }
}

/// The byte range of `before` that differs, and its replacement in `after`.
pub(crate) fn byte_difference(before: &[u8], after: &[u8]) -> (usize, usize, Vec<u8>) {
    // The common prefix and suffix; what remains in the middle differs.
    let start = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let end = before[start..]
        .iter()
        .rev()
        .zip(after[start..].iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    (start, before.len() - end, after[start..after.len() - end].to_vec())
}

/// Adds the fingerprints of created entries.
pub(crate) fn record_fingerprints(recorded: &mut [RecordedChange], roots: &[Arc<Root>]) {
    for recorded in recorded {
        if let RecordedKind::Created { fingerprint: fingerprint @ None } = &mut recorded.kind
            && let Some(path) = recorded.path.read(roots)
        {
            *fingerprint = fingerprint_of(&path).ok().flatten();
        }
    }
}

/// A one-line summary.
pub(crate) fn summary(recorded: &[RecordedChange]) -> String {
    let listed: Vec<&RecordedChange> =
        recorded.iter().filter(|recorded| !matches!(recorded.kind, RecordedKind::Folder)).collect();
    let listed = if listed.is_empty() { recorded.iter().rev().take(1).collect() } else { listed };
    let describe = |recorded: &RecordedChange| match &recorded.kind {
        RecordedKind::Moved { from, .. } => {
            format!("moved {} to {}", from.shown, recorded.path.shown)
        }
        RecordedKind::Folder => format!("created {}", recorded.path.shown),
        _ => format!("{} {}", recorded.kind_name(), recorded.path.shown),
    };
    let shown: Vec<String> = listed.iter().take(3).map(|recorded| describe(recorded)).collect();
    let more = listed.len().saturating_sub(shown.len());
    let mut line: String = shown.join(", ").chars().take(300).collect();
    if more > 0 {
        line.push_str(&format!(" and {more} more"));
    }
    line
}

/// Serializes UTF-8 as text and other bytes as hexadecimal.
mod bytes {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    enum Bytes {
        Text(String),
        Hex(String),
    }

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        let bytes = match std::str::from_utf8(bytes) {
            Ok(text) => Bytes::Text(text.to_owned()),
            Err(_) => Bytes::Hex(bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
        };
        bytes.serialize(serializer)
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Vec<u8>, D::Error> {
        match Bytes::deserialize(from)? {
            Bytes::Text(text) => Ok(text.into_bytes()),
            Bytes::Hex(hex) => (0..hex.len())
                .step_by(2)
                .map(|at| hex.get(at..at + 2).and_then(|two| u8::from_str_radix(two, 16).ok()))
                .collect::<Option<_>>()
                .ok_or_else(|| D::Error::custom("invalid hexadecimal")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_rebuild_the_content() {
        for (before, after) in
            [("abc", "abc"), ("abc", "axc"), ("", "x"), ("x", ""), ("aaa", "aa"), ("ab", "ba")]
        {
            let (start, end, new) = byte_difference(before.as_bytes(), after.as_bytes());
            let rebuilt = [&before.as_bytes()[..start], &new, &before.as_bytes()[end..]].concat();
            assert_eq!(rebuilt, after.as_bytes());
        }
    }

    #[test]
    fn bytes_keep_their_value() {
        for bytes in [b"text".to_vec(), vec![0xff, 0, 0x80], Vec::new()] {
            let json = serde_json::to_string(&StoredContent::Inline(bytes.clone())).unwrap();
            let StoredContent::Inline(back) = serde_json::from_str(&json).unwrap() else {
                panic!("{json}")
            };
            assert_eq!(back, bytes);
        }
    }
}
