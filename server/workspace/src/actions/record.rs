//! What an action did, in the words it is recorded in.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::entries::print;
use crate::journal::{read_path, written_path};
use crate::{FilePath, Root};

/// One thing that an action did.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Did {
    /// Where: what it did is seen there.
    pub(crate) path: Written,
    pub(crate) what: What,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum What {
    /// The content changed.
    Edited {
        before: Kept,
        /// What tells the content from before, and the one that was left.
        was: String,
        left: String,
        /// The bytes from before that changed, and what took their place: small ones only.
        change: Option<(usize, usize, Vec<u8>)>,
        /// Whether it was an open document's text.
        open: bool,
    },
    /// Something came where nothing was.
    Created {
        /// What tells it from anything else; filled in once it is there.
        left: Option<String>,
    },
    /// A folder came, on the way to something else.
    Folder,
    /// Something went to the trash.
    Deleted { trash: String },
    /// It got another path: `path` is the new one.
    Moved {
        from: Written,
        /// What tells it from anything else; `None` for a folder, which goes as it is.
        left: Option<String>,
    },
}

/// Where a content is kept.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Kept {
    /// With the record.
    Inline(#[serde(with = "bytes")] Vec<u8>),
    /// In the trash, by name.
    Trash(String),
}

/// A path of the workspace, as text.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Written {
    absolute: String,
    pub(crate) shown: String,
}

impl Written {
    pub(crate) fn of(path: &FilePath) -> Self {
        Self { absolute: written_path(&path.absolute()), shown: path.shown() }
    }

    /// The place; `None` where its folder is not open.
    pub(crate) fn read(&self, roots: &[Arc<Root>]) -> Option<FilePath> {
        read_path(&self.absolute, roots)
    }
}

impl Did {
    pub(crate) fn new(path: &FilePath, what: What) -> Self {
        Self { path: Written::of(path), what }
    }

    /// What happened, in one word of the results.
    pub(crate) fn kind(&self) -> &'static str {
        match self.what {
            What::Edited { .. } => "edited",
            What::Created { .. } => "created",
            What::Folder => "folder",
            What::Deleted { .. } => "deleted",
            What::Moved { .. } => "moved",
        }
    }

    /// Names in the trash that it keeps.
    pub(crate) fn trash(&self) -> Option<&str> {
        match &self.what {
            What::Edited { before: Kept::Trash(name), .. } | What::Deleted { trash: name } => {
                Some(name)
            }
            _ => None,
        }
    }
}

/// The bytes that differ: (first, past the last of `before`, what stands there in `after`).
pub(crate) fn difference(before: &[u8], after: &[u8]) -> (usize, usize, Vec<u8>) {
    let start = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let end = before[start..]
        .iter()
        .rev()
        .zip(after[start..].iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    (start, before.len() - end, after[start..after.len() - end].to_vec())
}

/// Tells, of what came, what tells it from anything else.
pub(crate) fn fill_in(did: &mut [Did], roots: &[Arc<Root>]) {
    for did in did {
        if let What::Created { left: left @ None } = &mut did.what
            && let Some(path) = did.path.read(roots)
        {
            *left = print(&path).ok().flatten();
        }
    }
}

/// One line for people.
pub(crate) fn summary(did: &[Did]) -> String {
    let told: Vec<&Did> = did.iter().filter(|did| !matches!(did.what, What::Folder)).collect();
    let told = if told.is_empty() { did.iter().rev().take(1).collect() } else { told };
    let one = |did: &Did| match &did.what {
        What::Moved { from, .. } => format!("moved {} to {}", from.shown, did.path.shown),
        What::Folder => format!("created {}", did.path.shown),
        _ => format!("{} {}", did.kind(), did.path.shown),
    };
    let shown: Vec<String> = told.iter().take(3).map(|did| one(did)).collect();
    let more = told.len().saturating_sub(shown.len());
    let mut line: String = shown.join(", ").chars().take(300).collect();
    if more > 0 {
        line.push_str(&format!(" and {more} more"));
    }
    line
}

/// Text as text, other bytes as base-16.
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
                .ok_or_else(|| D::Error::custom("no base-16")),
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
            let (start, end, new) = difference(before.as_bytes(), after.as_bytes());
            let rebuilt = [&before.as_bytes()[..start], &new, &before.as_bytes()[end..]].concat();
            assert_eq!(rebuilt, after.as_bytes());
        }
    }

    #[test]
    fn bytes_keep_their_value() {
        for bytes in [b"text".to_vec(), vec![0xff, 0, 0x80], Vec::new()] {
            let json = serde_json::to_string(&Kept::Inline(bytes.clone())).unwrap();
            let Kept::Inline(back) = serde_json::from_str(&json).unwrap() else { panic!("{json}") };
            assert_eq!(back, bytes);
        }
    }
}
