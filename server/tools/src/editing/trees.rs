//! Syntax trees of texts that edits look at: planning, the report, and the call after a dry run ask
//! about the same ones.

use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use syntax::Syntax;
use text::Text;
use workspace::{FilePath, FileText, Source};

/// Trees that are kept, and the bytes of their texts together: a tree takes many times its text.
const MOST: usize = 6;
const BYTES: usize = 6 << 20;

/// The trees used last, the newest at the end.
#[derive(Default)]
pub(crate) struct Trees(Mutex<VecDeque<(FilePath, Syntax)>>);

impl Trees {
    /// The tree of `text`, which is the file's or is to be. `None` for a language without a grammar,
    /// and where it takes too long.
    pub(super) fn of(
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
                // Used last, so that what is asked next is parsed from it.
                trees.push_back(same.clone());
                return Some(same.1);
            }
            let of_file = trees.iter().rev().find(|(path, _)| *path == file.path);
            of_file.map(|(_, tree)| tree.clone())
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
        while trees.len() > MOST || (trees.len() > 1 && bytes(&trees) > BYTES) {
            trees.pop_front();
        }
        if bytes(&trees) > BYTES {
            trees.clear();
        }
        Some(tree)
    }
}
