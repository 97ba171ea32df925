//! The commits that a document's lines come from, held while the repository stands where it did.

use std::sync::Arc;

use git::{Blame, BlameQuestion, GitError, Oid, line_before};
use parking_lot::Mutex;
use workspace::{Budget, FilePath};

use super::hunks::Compared;

/// Most files of which blames are held.
const MOST: usize = 16;
/// The list of commits that are passed over.
const IGNORED: &str = ".git-blame-ignore-revs";
const LONGEST_IGNORED: u64 = 1 << 20;

#[derive(PartialEq, Eq)]
struct Key {
    file: FilePath,
    commit: Option<Oid>,
    index: Option<Oid>,
    ignored: String,
}

/// The blames of what repositories' indexes hold, the newest last.
#[derive(Default)]
pub(crate) struct Blames {
    held: Mutex<Vec<(Key, Arc<Blame>)>>,
    /// Who looks through history; another one may want the same.
    turn: Mutex<()>,
}

/// Which commits the lines of a compared document come from.
pub(crate) struct Lines {
    blame: Arc<Blame>,
}

impl Blames {
    /// The commits of a document's lines; `None` where the index has no such file.
    ///
    /// # Errors
    /// When history cannot be read, and once interrupted.
    pub(crate) fn of(
        &self,
        compared: &Compared,
        budget: &Budget<'_>,
    ) -> Result<Option<Lines>, GitError> {
        let tracked = &compared.tracked;
        let (kept, layout) = (&tracked.kept, &tracked.layout);
        let Some(index) = &kept.index else { return Ok(None) };
        let list = layout.work_tree.at(IGNORED);
        let list = list.root().read_below(list.relative(), LONGEST_IGNORED).ok().flatten();
        let key = Key {
            file: tracked.file.clone(),
            commit: kept.commit,
            index: Some(index.id),
            ignored: String::from_utf8_lossy(&list.unwrap_or_default()).into_owned(),
        };
        let held = || {
            let held = self.held.lock();
            held.iter().find(|(held, _)| *held == key).map(|(_, blame)| blame.clone())
        };
        if let Some(blame) = held() {
            return Ok(Some(Lines { blame }));
        }
        let _turn = self.turn.lock();
        budget.check()?;
        if let Some(blame) = held() {
            return Ok(Some(Lines { blame }));
        }
        let blame = layout.behind(false, |repo| {
            let question = BlameQuestion {
                path: tracked.path.clone(),
                text: Some(&index.bytes),
                ignored: repo.ignored_commits(&key.ignored),
                ..BlameQuestion::default()
            };
            repo.blame(&question, budget)
        })?;
        let blame = Arc::new(blame);
        let mut held = self.held.lock();
        held.retain(|(held, _)| held.file != key.file);
        if held.len() >= MOST {
            held.remove(0);
        }
        held.push((key, blame.clone()));
        Ok(Some(Lines { blame }))
    }
}

impl Lines {
    /// The commit of a line of the document, from 0, as git counts; `None` for what is not
    /// committed.
    pub(crate) fn commit(&self, compared: &Compared, line: usize) -> Option<&git::CommitInfo> {
        let line = line_before(&compared.unstaged, line)? + 1;
        let runs = &self.blame.lines;
        let at = runs.partition_point(|run| run.line <= line).checked_sub(1)?;
        let run = runs.get(at).filter(|run| line < run.line + run.count)?;
        self.blame.commits.get(&run.commit?)
    }
}
