//! A look at the index and at what of the work tree may differ from it, and what is known of both
//! from one look to the next.
//!
//! Who asks for a work tree again and again has it watched ([`Touched`]): what did not differ, has
//! not been touched since, and stands in the index as it stood there, does not differ now. All else
//! is looked at. Nothing else is kept: what is ignored, converted or committed is asked anew each
//! time. What was touched stays in doubt, a folder with all that is below it, until everything is
//! looked at again.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use git2::{Index, IndexEntry, IndexTime, Oid, Repository, RepositoryOpenFlags};
use parking_lot::Mutex;
use workspace::{Budget, Root, Touched};

use crate::diff::LEFT_OUT;
use crate::scan::{Found, folder_of, folders};
use crate::special::is_read_anywhere;
use crate::table::{Entry, Table, is_plain};
use crate::{Changed, GitError, Repo, RepoPath};

/// Largest index that is read here, in bytes.
pub(crate) const LARGEST: u64 = 512 << 20;
/// Most entries of an index of which anything is kept.
const MOST_ENTRIES: usize = 300_000;
/// Most paths that may be in doubt; with more, everything is looked at again,
const MOST_DOUBTS: usize = 2_000;
/// and so it is once a look is so old: what is written through mapped memory, or by another name of
/// a file, is noted by nobody.
const OLDEST: Duration = Duration::from_secs(60);
/// Who could not be watched is tried again after so long.
const AGAIN: Duration = Duration::from_secs(60);
/// Most work trees of which anything is kept.
const MOST_TREES: usize = 4;
/// Most entries of a small index.
const MOST_SMALL: usize = 20_000;

/// What a look found.
pub(crate) struct Look {
    pub(crate) table: Arc<Table>,
    /// The index file that the table is of; `None` where libgit2 had to read it.
    state: Option<State>,
    /// What may differ, if it can be named.
    pub(crate) differing: Option<Vec<RepoPath>>,
    /// Whether every file was looked at; else those that were touched since that was done.
    pub(crate) is_of_all: bool,
    known: Option<Arc<Mutex<Known>>>,
}

/// Which content an index file has: its checksum, and how the file was found.
#[derive(Debug, Clone, PartialEq, Eq)]
struct State {
    checksum: [u8; 20],
    file: [i64; 6],
}

impl State {
    fn written(&self) -> (i64, i64) {
        (self.file[2], self.file[3])
    }
}

/// A work tree, by its place and what stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Tree {
    top: PathBuf,
    git_folder: PathBuf,
    stands: [(u64, u64); 2],
    scope: RepoPath,
}

/// What is known of a work tree.
#[derive(Default)]
struct Known {
    /// Whether it was looked at before: who asks once only has nothing watched.
    is_asked_again: bool,
    touched: Option<Touched>,
    refused: Option<Instant>,
    last: Option<Last>,
}

/// What the last look at everything found, and what came since.
struct Last {
    when: Instant,
    state: State,
    table: Arc<Table>,
    doubts: BTreeSet<RepoPath>,
    staged: Option<(Commit, Vec<Changed>)>,
}

/// What a commit is compared with, but for the index: its tree, and the settings.
type Commit = (Option<Oid>, Option<[i64; 6]>);

static KNOWN: Mutex<Vec<(Tree, Arc<Mutex<Known>>)>> = Mutex::new(Vec::new());

/// Forgets what is known of work trees: what is asked next is looked at as if for the first time.
pub fn forget_looks() {
    KNOWN.lock().clear();
}

fn known_of(tree: Tree) -> Arc<Mutex<Known>> {
    let mut all = KNOWN.lock();
    let place = all.iter().position(|(known, _)| *known == tree);
    let known = match place {
        Some(at) => all.remove(at),
        // The same place may be another tree by now.
        None => {
            all.retain(|(known, _)| known.top != tree.top || known.scope != tree.scope);
            (tree, Arc::default())
        }
    };
    if all.len() >= MOST_TREES {
        all.remove(0);
    }
    let own = known.1.clone();
    all.push(known);
    own
}

impl Repo {
    /// The index, and what may differ from it in the whole work tree below `scope`.
    ///
    /// # Errors
    /// When the index cannot be read, or nobody wants to know any more.
    pub(crate) fn look(&self, scope: &RepoPath, budget: &Budget<'_>) -> Result<Look, GitError> {
        let known = self.place(scope).map(known_of);
        // Somebody else is looking: nothing is waited for, and nothing is learnt.
        let mut turn = known.as_ref().and_then(|known| known.try_lock());
        if let Some(turn) = turn.as_deref_mut()
            && let Some(differing) = self.look_again(turn, scope)
            && let Some(last) = &turn.last
        {
            let (table, state) = (last.table.clone(), Some(last.state.clone()));
            let differing = Some(differing);
            return Ok(Look { table, state, differing, is_of_all: false, known: known.clone() });
        }
        let (state, table) = self.table()?;
        let table = Arc::new(table);
        let written = match &state {
            Some(state) => state.written(),
            None => stamp(&self.git.path().join("index"))
                .map_or((i64::MIN, 0), |file| (file[2], file[3])),
        };
        let mut watched = None;
        if let (Some(turn), Some(_)) = (turn.as_deref_mut(), &state) {
            watched = turn.watch(self, &table, scope, budget);
        }
        let found = self.scan(&table, written, scope, budget)?;
        if let (Some(turn), Some(touched), Some(state)) = (turn.as_deref_mut(), watched, &state) {
            turn.keep(touched, state, &table, found.as_ref());
        }
        let differing = found.map(|found| found.differing);
        Ok(Look { table, state, differing, is_of_all: true, known: known.clone() })
    }

    /// The index, and nothing of the work tree yet, of which `within` is to be looked at.
    ///
    /// # Errors
    /// When it cannot be read, or what git reads of the work tree is no file.
    pub(crate) fn look_at_index(&self, within: &[RepoPath]) -> Result<Look, GitError> {
        let (state, table) = self.table()?;
        within.iter().try_for_each(|path| self.check_on_the_way(path, &table))?;
        Ok(Look { table: Arc::new(table), state, differing: None, is_of_all: false, known: None })
    }

    fn place(&self, scope: &RepoPath) -> Option<Tree> {
        let top = self.layout().work_tree.absolute();
        let git_folder = self.layout().git_folder.clone();
        let stands = |path: &Path| {
            let found = std::fs::symlink_metadata(path).ok()?;
            Some((found.dev(), found.ino()))
        };
        let stands = [stands(&top)?, stands(&git_folder)?];
        Some(Tree { top, git_folder, stands, scope: scope.clone() })
    }

    /// What may differ, by what is known; `None` where it must be looked for.
    fn look_again(&self, known: &mut Known, scope: &RepoPath) -> Option<Vec<RepoPath>> {
        // Whatever ends this early has everything looked at next.
        let mut last = known.last.take()?;
        if last.when.elapsed() > OLDEST {
            return None;
        }
        let state = self.index_state()?;
        if state != last.state {
            let (state, table) = self.read_index()?;
            if table.is_sparse || state.written() < last.state.written() {
                return None;
            }
            last.doubts.extend(last.table.changes(&table).into_iter().filter(|p| p.is_in(scope)));
            (last.state, last.table, last.staged) = (state, Arc::new(table), None);
        }
        // The index first: what was changed together with it is among these.
        let own = |path: &RepoPath| path.bytes() == b".git" || path.bytes().starts_with(b".git/");
        let touched = known.touched.as_mut()?.take()?;
        let top = self.layout().work_tree.relative();
        let touched = touched.iter().filter_map(|path| path.strip_prefix(top).ok());
        let touched: Vec<RepoPath> = touched.map(RepoPath::of).filter(|path| !own(path)).collect();
        let is_read = |path: &RepoPath| {
            path.path().file_name().is_some_and(|name| is_read_anywhere(name.as_bytes()))
        };
        // Whether git can read it is looked at with everything.
        let is_in_doubt = touched.iter().any(is_read);
        last.doubts.extend(touched);
        if is_in_doubt || last.doubts.len() > MOST_DOUBTS {
            return None;
        }
        let doubts = last.doubts.iter().cloned().collect();
        known.last = Some(last);
        Some(doubts)
    }

    /// The entries of the index, and the state of the file that they are of, if it could be read
    /// here.
    fn table(&self) -> Result<(Option<State>, Table), GitError> {
        match self.read_index() {
            Some((state, table)) if !table.is_sparse => return Ok((Some(state), table)),
            _ => {}
        }
        // libgit2 says what is wrong with it.
        let table = Table::of_entries(&self.entries()?).ok_or_else(|| {
            let what = format!("{}: its index is too large", self.layout().shown());
            GitError::TooLarge { what }
        })?;
        // libgit2 may accept a path here that escapes the work tree, and then refuses it when we add it.
        if let Some(entry) = table.iter().find(|entry| !is_plain(entry.path)) {
            let path = RepoPath::new(entry.path);
            let what = format!("its index names `{:.200}`, which is no path in it", path.shown());
            return Err(GitError::Corrupt { what });
        }
        Ok((None, table))
    }

    /// The entries as libgit2 reads them. A file that a sparse work tree leaves out, and that is
    /// there all the same, counts as any other, as with git; so it does for libgit2 from then on.
    fn entries(&self) -> Result<Vec<IndexEntry>, GitError> {
        let mut index = self.index()?;
        let mut entries: Vec<IndexEntry> = index.iter().collect();
        let mut absent: Vec<u8> = Vec::new();
        for entry in entries.iter_mut().filter(|entry| entry.flags_extended & LEFT_OUT != 0) {
            let folder = folder_of(&entry.path);
            if !absent.is_empty() && absent == folder {
                continue;
            }
            let path = RepoPath::new(&entry.path);
            if self.kind_in_work_tree(&path)?.is_some() {
                entry.flags_extended &= !LEFT_OUT;
                index.add(entry)?;
            } else if !folder.is_empty()
                && self.kind_in_work_tree(&RepoPath::new(folder))?.is_none()
            {
                absent = folder.to_vec();
            }
        }
        Ok(entries)
    }

    fn read_index(&self) -> Option<(State, Table)> {
        let path = self.git.path().join("index");
        let before = stamp(&path)?;
        let folder = Root::open(self.git.path()).ok()?;
        let bytes = folder.read_below(Path::new("index"), LARGEST).ok()??;
        // git replaces the file; what is written in place is read by who knows how.
        if stamp(&path)? != before {
            return None;
        }
        let checksum = bytes.last_chunk().copied()?;
        Some((State { checksum, file: before }, Table::of_file(bytes)?))
    }

    fn index_state(&self) -> Option<State> {
        use std::os::unix::fs::FileExt;
        let path = self.git.path().join("index");
        let file = stamp(&path)?;
        let end = u64::try_from(file[1]).ok()?.checked_sub(20)?;
        let mut checksum = [0; 20];
        std::fs::File::open(&path).ok()?.read_exact_at(&mut checksum, end).ok()?;
        (stamp(&path)? == file).then_some(State { checksum, file })
    }

    /// A repository whose index has the named paths alone, and what says how files are converted:
    /// libgit2 need not read the rest of a large one. `None` where the whole one must be read.
    pub(crate) fn small(&self, look: &Look) -> Option<Repository> {
        let (state, paths) = (look.state.as_ref()?, look.differing.as_ref()?);
        let mut index = Index::new().ok()?;
        let mut count = 0;
        let mut add = |entry: Entry<'_>| -> Option<()> {
            count += 1;
            let mut entry = entry.to_index();
            // The index was written when the file was: its state says nothing, and of a small index
            // it is not known when it was written.
            let written = (i64::from(entry.mtime.seconds()), i64::from(entry.mtime.nanoseconds()));
            if written >= state.written() {
                entry.mtime = IndexTime::new(0, 0);
            }
            (count <= MOST_SMALL).then_some(())?;
            index.add(&entry).ok()
        };
        for entry in look.table.attributes() {
            add(entry)?;
        }
        for path in paths {
            for entry in look.table.at(path).chain(look.table.below(path.bytes())) {
                add(entry)?;
            }
        }
        let none: [&Path; 0] = [];
        let top = self.layout().work_tree.absolute();
        let git = Repository::open_ext(&top, RepositoryOpenFlags::NO_SEARCH, none).ok()?;
        if git.path() != self.git.path() {
            return None;
        }
        git.set_index(&mut index).ok()?;
        Some(git)
    }

    /// What is staged, as `find` finds it, unless that is known for this index and commit.
    pub(crate) fn staged(
        &self,
        look: &Look,
        find: impl FnOnce() -> Result<Vec<Changed>, GitError>,
    ) -> Result<Vec<Changed>, GitError> {
        let tree = self.head_tree()?.map(|tree| tree.id());
        if tree.is_some() && tree == look.table.tree {
            return Ok(Vec::new());
        }
        let commit = (tree, stamp(&self.layout().common_folder.join("config")));
        let mut known = look.known.as_ref().and_then(|known| known.try_lock());
        let last = known.as_mut().and_then(|known| known.last.as_mut());
        let last = last.filter(|last| Some(&last.state) == look.state.as_ref());
        let Some(last) = last else { return find() };
        match &last.staged {
            Some((of, staged)) if *of == commit => Ok(staged.clone()),
            _ => {
                let staged = find()?;
                last.staged = Some((commit, staged.clone()));
                Ok(staged)
            }
        }
    }
}

impl Known {
    /// Has the folders of a table watched, where it was asked for before; who does.
    fn watch(
        &mut self,
        repo: &Repo,
        table: &Table,
        scope: &RepoPath,
        budget: &Budget<'_>,
    ) -> Option<Touched> {
        self.last = None;
        let is_refused = self.refused.is_some_and(|when| when.elapsed() < AGAIN);
        let is_asked_again = std::mem::replace(&mut self.is_asked_again, true);
        if !is_asked_again || is_refused || table.len() > MOST_ENTRIES {
            return None;
        }
        self.refused = Some(Instant::now());
        let mut touched = self.touched.take().or_else(Touched::new)?;
        let all = folders(table, scope.bytes());
        let mut below: Vec<RepoPath> = all.into_keys().map(RepoPath::new).collect();
        // Each after the one that it lies in.
        below.sort();
        let top = &repo.layout().work_tree;
        let whole = |path: &RepoPath| top.relative().join(path.path());
        let below: Vec<PathBuf> = below.iter().filter(|path| *path != scope).map(whole).collect();
        let folders = below.iter().map(PathBuf::as_path);
        let is_watched = touched.watch(top.root(), &whole(scope), folders, budget.interrupt());
        if budget.check().is_ok() && !(is_watched && top.root().is_in_place()) {
            return None;
        }
        self.refused = None;
        is_watched.then_some(touched)
    }

    /// Keeps what a look at everything found.
    fn keep(&mut self, touched: Touched, state: &State, table: &Arc<Table>, found: Option<&Found>) {
        let doubts = found.map(|found| found.differing.iter().chain(&found.linked).cloned());
        let doubts: Option<BTreeSet<_>> = doubts.map(Iterator::collect);
        let Some(doubts) = doubts.filter(|doubts| doubts.len() <= MOST_DOUBTS) else {
            self.refused = Some(Instant::now());
            return;
        };
        self.touched = Some(touched);
        self.last = Some(Last {
            when: Instant::now(),
            state: state.clone(),
            table: table.clone(),
            doubts,
            staged: None,
        });
    }
}

/// How a file is found; `None` where it is not.
fn stamp(path: &Path) -> Option<[i64; 6]> {
    let found = std::fs::symlink_metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    let number = |n: u64| n.cast_signed();
    let times = [found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec()];
    Some([number(found.ino()), number(found.size()), times[0], times[1], times[2], times[3]])
}
