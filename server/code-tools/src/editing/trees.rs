//! A cache of syntax trees: planning, the report, and the call after a dry run need the same ones.

use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use syntax::Syntax;
use text::Text;
use workspace::{FilePath, FileText, Source};

/// Limits for cached trees, and for the bytes of their texts together: a tree takes many times its
/// text.
const MAX_TREES: usize = 6;
const MAX_TEXT_BYTES: usize = 6 << 20;

/// The most recently used trees, the newest at the end.
#[derive(Default)]
pub(crate) struct TreeCache(Mutex<VecDeque<(FilePath, Syntax)>>);

impl TreeCache {
    /// The tree of `text`, the present or future text of `file`. `None` for a language without a
    /// grammar, and after a timeout.
    pub(super) fn tree_for(
        &self,
        file: &FileText,
        text: &Text,
        interrupt: &AtomicBool,
    ) -> Option<Syntax> {
        if let Source::Open(document) = &file.source
            && document.text() == text
        {
            return document.syntax(interrupt);
        }
        let language = file.language()?;
        let before = {
            let mut trees = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let is_same =
                |(path, tree): &(FilePath, Syntax)| *path == file.path && tree.text() == text;
            if let Some(at) = trees.iter().rposition(is_same)
                && let Some(same) = trees.remove(at)
            {
                // Moved to the end: the next parse starts from it.
                trees.push_back(same.clone());
                return Some(same.1);
            }
            let latest = trees.iter().rev().find(|(path, _)| *path == file.path);
            latest.map(|(_, tree)| tree.clone())
        };
        let before = before.or_else(|| match &file.source {
            Source::Open(document) => document.syntax(interrupt),
            Source::Disk(_) => None,
        });
        let before = before.filter(|before| before.language() == language);
        let tree = workspace::parse_with_timeout(language, text, before.as_ref(), interrupt)?;
        let mut trees = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        trees.push_back((file.path.clone(), tree.clone()));
        let bytes = |trees: &VecDeque<(FilePath, Syntax)>| {
            trees.iter().map(|(_, tree)| tree.text().len()).sum::<usize>()
        };
        while trees.len() > MAX_TREES || (trees.len() > 1 && bytes(&trees) > MAX_TEXT_BYTES) {
            trees.pop_front();
        }
        if bytes(&trees) > MAX_TEXT_BYTES {
            trees.clear();
        }
        Some(tree)
    }
}
