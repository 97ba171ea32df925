//! Pages of a diff.

use git::{DiffOptions, FileDiff, Repo, RepoLayout, RepoPath, UnsavedFiles};
use workspace::CallBudget;

use super::commit_output::FileDiffOutput;
use tools::{Context, budget};

/// A page of a diff.
#[derive(Debug, Default)]
pub(super) struct DiffPage {
    pub(super) diff: String,
    pub(super) files: Vec<FileDiffOutput>,
    /// The number of files on this and previous pages, if there are more.
    pub(super) next: Option<usize>,
    /// Whether a file's diff was cut.
    pub(super) is_cut: bool,
    /// Number of files that rules hide.
    pub(super) hidden: usize,
}

/// Filters files that policy does not let this call read.
pub(super) fn may_read<'c>(
    context: &'c Context<'_>,
    layout: &'c RepoLayout,
) -> impl Fn(&RepoPath) -> bool + Send + Sync + 'c {
    let policy = &context.session.policy;
    let hides = policy.hides_files();
    move |path| {
        layout.contains(path)
            && (!hides || layout.file(path).is_some_and(|file| policy.may_read(&file)))
    }
}

/// The page of a diff that begins after `skip` files.
pub(super) fn diff_page(
    repo: &Repo,
    options: &DiffOptions,
    unsaved: &UnsavedFiles,
    budget: &CallBudget<'_>,
    skip: usize,
    may_read: &dyn Fn(&RepoPath) -> bool,
) -> Result<DiffPage, git::GitError> {
    let layout = repo.layout();
    let mut page = DiffPage::default();
    let mut hidden = 0;
    let (mut number, mut lines) = (0, 0);
    let mut wanted = |path: &RepoPath| {
        let may = may_read(path);
        hidden += usize::from(!may);
        may
    };
    let mut take = |file: FileDiff| {
        number += 1;
        if number <= skip {
            return true;
        }
        let mut text = String::from_utf8_lossy(&file.text).into_owned();
        if let Some(cut) = budget::cut(&text) {
            text = cut.text;
            page.is_cut = true;
        }
        let more = text.lines().count();
        let is_full = page.diff.len() + text.len() > budget::BYTES || lines + more > budget::LINES;
        if is_full && !page.files.is_empty() {
            page.next = Some(number - 1);
            return false;
        }
        lines += more;
        page.diff.push_str(&text);
        page.files.push(FileDiffOutput::from_diff(layout, &file, options.intraline));
        true
    };
    repo.diff(options, unsaved, budget, &mut wanted, &mut take)?;
    page.hidden = hidden;
    Ok(page)
}
