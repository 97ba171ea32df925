//! Finds the files that contain a match, for tools that change them.

use std::collections::BTreeMap;

use workspace::{FilePath, WalkOptions};

use super::globs::FilePattern;
use super::grep::{GrepQuery, search};
use super::page::Page;
use super::pattern::Pattern;
use super::scope;
use tools::{Context, ToolError};

/// The files found.
pub struct MatchingFiles {
    /// Sorted by path.
    pub files: Vec<FilePath>,
    /// Whether there are more than the limit.
    pub has_more: bool,
    /// Number of files searched.
    pub searched: usize,
    /// Whether a file could not be searched.
    pub incomplete: bool,
}

/// Where to search.
pub struct FileSelection<'q> {
    /// Files and folders; every root if there are none.
    pub paths: Vec<&'q str>,
    /// Only files that match.
    pub include: Option<FilePattern>,
}

/// The first `limit` files with a match. The same files are searched as by `grep_search`: no hidden,
/// ignored and binary ones, and none that rules hide.
pub fn matching_files(
    context: &Context<'_>,
    tool: &'static str,
    pattern: &Pattern,
    selection: &FileSelection<'_>,
    limit: usize,
) -> Result<MatchingFiles, ToolError> {
    let starts: Vec<Option<&str>> = match &selection.paths[..] {
        [] => vec![None],
        paths => paths.iter().copied().map(Some).collect(),
    };
    // Paths may overlap.
    let mut all = BTreeMap::new();
    let mut found =
        MatchingFiles { files: Vec::new(), has_more: false, searched: 0, incomplete: false };
    for path in starts {
        let page = Page::of_files(limit);
        let query = GrepQuery {
            tool,
            path,
            pattern: pattern.clone(),
            files: selection.include.clone(),
            options: WalkOptions::default(),
            context_lines: 0,
            max_results: limit,
            cursor: None,
            mark: 0,
        };
        let (searched, incomplete) = search(context, &query, &page)?;
        found.searched += searched;
        found.incomplete |= incomplete;
        let (files, last) = page.finish();
        found.has_more |= last.is_some();
        for (place, _) in files {
            if let Some(path) = scope::file_path(context, place.root, &place.path) {
                all.insert(place, path);
            }
        }
    }
    found.has_more |= all.len() > limit;
    found.files = all.into_values().take(limit).collect();
    Ok(found)
}
