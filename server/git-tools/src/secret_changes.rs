//! A scan of changes for secrets: what is staged, or what commits added.

use std::collections::HashMap;

use git::{
    Comparison, DiffOptions, FileDiff, GitError, LogOptions, Oid, Repo, RepoLayout, RepoPath,
    UnsavedFiles,
};
use secrets::{Finding, Scanner};
use workspace::CallBudget;

use super::diff_page::may_read;
use super::repository_access::{display_path, find_repository, read_repo};
use tools::{Context, Effect, ToolError};

/// Findings after which a scan ends.
const MAX_FINDINGS: usize = 10_000;

/// Which changes to scan.
#[derive(Clone, Copy)]
pub enum SecretChanges<'q> {
    /// What the next commit would add.
    Staged,
    /// What each of these commits added: `A..B`, one commit, or `all`. At most so many.
    Commits(&'q str, usize),
}

/// A secret that a change adds.
pub struct AddedSecret {
    pub path: String,
    /// The commit; `None` for a staged change.
    pub commit: Option<String>,
    pub finding: Finding,
}

/// The findings of a scan.
#[derive(Default)]
pub struct ScannedChanges {
    pub findings: Vec<AddedSecret>,
    /// Number of changed files scanned.
    pub scanned: usize,
    /// Whether there are more commits or findings.
    pub incomplete: bool,
}

/// The effects of a scan.
pub fn secret_changes_effects(
    context: &Context<'_>,
    tool: &str,
    repository: Option<&str>,
) -> Result<Vec<Effect>, ToolError> {
    let layout = find_repository(context, tool, repository, None)?;
    Ok(vec![Effect::read_tree(layout.folder())])
}

/// Scans the lines that changes add.
pub fn scan_changes(
    context: &Context<'_>,
    tool: &str,
    repository: Option<&str>,
    changes: SecretChanges<'_>,
    scanner: &Scanner,
) -> Result<ScannedChanges, ToolError> {
    let layout = find_repository(context, tool, repository, None)?;
    let may_read = may_read(context, &layout);
    let budget = &context.budget();
    let found = read_repo(context, tool, &layout, |repo| {
        let mut scan = ChangeScan::new(&layout, scanner, budget, &may_read);
        match changes {
            SecretChanges::Staged => scan.staged(repo)?,
            SecretChanges::Commits(written, limit) => scan.commits(repo, written, limit)?,
        }
        Ok(scan.found)
    })?;
    context.check_interrupt(tool)?;
    Ok(found)
}

/// A scan of changes while it goes on.
pub(super) struct ChangeScan<'s> {
    layout: &'s RepoLayout,
    scanner: &'s Scanner,
    budget: &'s CallBudget<'s>,
    may_read: &'s dyn Fn(&RepoPath) -> bool,
    pub(super) found: ScannedChanges,
}

impl<'s> ChangeScan<'s> {
    pub(super) fn new(
        layout: &'s RepoLayout,
        scanner: &'s Scanner,
        budget: &'s CallBudget<'s>,
        may_read: &'s dyn Fn(&RepoPath) -> bool,
    ) -> Self {
        Self { layout, scanner, budget, may_read, found: ScannedChanges::default() }
    }

    /// Scans what is staged.
    pub(super) fn staged(&mut self, repo: &Repo) -> Result<(), GitError> {
        self.diff(repo, Comparison::TreeToIndex(None), None)
    }

    /// Scans the current state of tracked files, unsaved text included, against the last commit.
    pub(super) fn current(
        &mut self,
        repo: &Repo,
        files: &[RepoPath],
        unsaved: &UnsavedFiles,
    ) -> Result<(), GitError> {
        let Some(head) = repo.head()?.commit else { return Ok(()) };
        let comparison = Comparison::TreeToWorkTree(head);
        self.diff_of(repo, comparison, None, files.to_vec(), unsaved)
    }

    /// Scans the whole text of a file.
    pub(super) fn text(&mut self, path: &RepoPath, text: &[u8]) {
        self.found.scanned += 1;
        let path = display_path(self.layout, path);
        let found = self.scanner.scan(&path, text, self.budget.interrupt());
        let added = |finding| AddedSecret { path: path.clone(), commit: None, finding };
        self.found.findings.extend(found.into_iter().map(added));
    }

    /// Scans commits, newest first. Merges add what their parents have, and are left out.
    fn commits(&mut self, repo: &Repo, written: &str, limit: usize) -> Result<(), GitError> {
        let mut options = LogOptions { limit, ..LogOptions::default() };
        match (written, repo.range(written)?) {
            ("all", _) => options.start = repo.tips()?,
            (_, Some((from, to))) => (options.start, options.exclude) = (vec![to], vec![from]),
            (name, None) => (options.start, options.limit) = (vec![repo.resolve_commit(name)?], 1),
        }
        let log = repo.log(&options, self.budget)?;
        self.found.incomplete = log.has_more && options.limit == limit && written_is_many(written);
        for entry in log.commits {
            self.budget.check()?;
            if entry.info.parents.len() > 1 {
                continue;
            }
            let parent = entry.info.parents.first().copied();
            let between = Comparison::TreeToTree(parent, Some(entry.info.id));
            self.diff(repo, between, Some(entry.info.id))?;
            if self.found.findings.len() >= MAX_FINDINGS {
                self.found.incomplete = true;
                break;
            }
        }
        // A secret that was added again is reported once, where it came from.
        let mut oldest: HashMap<String, AddedSecret> = HashMap::new();
        for added in std::mem::take(&mut self.found.findings) {
            oldest.insert(added.finding.fingerprint.clone(), added);
        }
        self.found.findings = oldest.into_values().collect();
        Ok(())
    }

    fn diff(
        &mut self,
        repo: &Repo,
        comparison: Comparison,
        commit: Option<Oid>,
    ) -> Result<(), GitError> {
        self.diff_of(repo, comparison, commit, Vec::new(), &UnsavedFiles::default())
    }

    fn diff_of(
        &mut self,
        repo: &Repo,
        comparison: Comparison,
        commit: Option<Oid>,
        paths: Vec<RepoPath>,
        unsaved: &UnsavedFiles,
    ) -> Result<(), GitError> {
        let (context, renames, intraline) = (0, true, false);
        let options = DiffOptions { comparison, paths, context, renames, intraline };
        let (may_read, budget) = (self.may_read, self.budget);
        let mut take = |file: FileDiff| {
            self.file(&file, commit);
            self.found.findings.len() < MAX_FINDINGS
        };
        let mut wanted = |path: &RepoPath| may_read(path);
        repo.diff(&options, unsaved, budget, &mut wanted, &mut take)
    }

    fn file(&mut self, file: &FileDiff, commit: Option<Oid>) {
        if file.is_binary {
            return;
        }
        self.found.scanned += 1;
        let path = display_path(self.layout, &file.changed.path);
        let (text, numbers) = added_lines(&file.text);
        for mut finding in self.scanner.scan(&path, &text, self.budget.interrupt()) {
            let Some(line) = numbers.get(finding.line - 1) else { continue };
            finding.line = *line;
            let commit = commit.map(|id| id.to_string());
            self.found.findings.push(AddedSecret { path: path.clone(), commit, finding });
        }
    }
}

/// Whether `commits` names more than one.
fn written_is_many(written: &str) -> bool {
    written == "all" || written.contains("..")
}

/// The lines that a diff adds, and the number of each in the new file.
fn added_lines(diff: &[u8]) -> (Vec<u8>, Vec<usize>) {
    let (mut text, mut numbers) = (Vec::new(), Vec::new());
    let mut next = None;
    for line in diff.split_inclusive(|byte| *byte == b'\n') {
        if line.starts_with(b"@@ ") {
            next = hunk_start(line);
        } else if line.starts_with(b"diff --git ") {
            next = None;
        } else if let Some(number) = &mut next {
            match line.first() {
                Some(b'+') => {
                    text.extend_from_slice(&line[1..]);
                    numbers.push(*number);
                    *number += 1;
                }
                Some(b' ') => *number += 1,
                _ => {}
            }
        }
    }
    (text, numbers)
}

/// The first line of a hunk in the new file: `@@ -1,2 +3,4 @@`.
fn hunk_start(header: &[u8]) -> Option<usize> {
    // What follows the second `@@` is a line of the file, and need not be text.
    let end = header.windows(3).position(|part| part == b" @@")?;
    let header = std::str::from_utf8(&header[..end]).ok()?;
    let new = header.split_whitespace().find_map(|part| part.strip_prefix('+'))?;
    new.split(',').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_lines_keep_their_numbers() {
        let diff = b"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,0 +2 @@ fn x() {\n+two\n@@ -5,2 +7,3 @@\n-old\n+seven\n eight\n+nine\n\\ No newline\n";
        let (text, numbers) = added_lines(diff);
        assert_eq!((text.as_slice(), numbers), (&b"two\nseven\nnine\n"[..], vec![2, 7, 9]));
        let wide = format!("@@ -1 +4,2 @@ {}\n+x\n", "\u{e9}".repeat(60));
        assert_eq!(added_lines(wide.as_bytes()).1, [4]);
    }
}
