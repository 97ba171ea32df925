//! Branches and tags.

use git2::{BranchType, ObjectType, Oid};

use crate::commits::Person;
use crate::head::short;
use crate::{GitError, Repo};

/// A branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// Its short name.
    pub name: String,
    /// Whether it is one of a remote's.
    pub is_remote: bool,
    /// Whether it is checked out here.
    pub is_current: bool,
    /// Its last commit.
    pub commit: Oid,
    /// The first line of that commit's message.
    pub subject: String,
    /// When it was committed.
    pub committer: Person,
    /// The short name of the branch that it follows.
    pub upstream: Option<String>,
    /// Commits that the upstream has not, and the other way round.
    pub ahead_behind: Option<(usize, usize)>,
}

/// A tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// Its short name.
    pub name: String,
    /// What it leads to in the end.
    pub target: Oid,
    /// Its own message, where it has one.
    pub message: Option<String>,
    /// Who made it.
    pub tagger: Option<Person>,
    /// When: its own time, or that of the commit.
    pub seconds: i64,
}

impl Repo {
    /// The branches, in order of names, local ones first.
    ///
    /// # Errors
    /// When the references cannot be read.
    pub fn branches(&self, with_remote: bool) -> Result<Vec<Branch>, GitError> {
        let which = if with_remote { None } else { Some(BranchType::Local) };
        let mut found = Vec::new();
        for branch in self.git.branches(which)? {
            let (branch, kind) = branch?;
            let is_current = branch.is_head();
            let reference = branch.get();
            // The remote's own HEAD is a name for one of the others.
            let Some(commit) = reference.target() else { continue };
            let Ok(info) = self.commit_info(commit) else { continue };
            let upstream = branch.upstream().ok();
            let behind = upstream
                .as_ref()
                .and_then(|upstream| upstream.get().target())
                .and_then(|upstream| self.git.graph_ahead_behind(commit, upstream).ok());
            found.push(Branch {
                name: short(reference.name_bytes()),
                is_remote: kind == BranchType::Remote,
                is_current,
                commit,
                subject: subject(&info.message),
                committer: info.committer,
                upstream: upstream.map(|upstream| short(upstream.get().name_bytes())),
                ahead_behind: behind,
            });
        }
        found.sort_by(|a, b| (a.is_remote, &a.name).cmp(&(b.is_remote, &b.name)));
        Ok(found)
    }

    /// The tags, in order of names.
    ///
    /// # Errors
    /// When the references cannot be read.
    pub fn tags(&self) -> Result<Vec<Tag>, GitError> {
        let mut found = Vec::new();
        for reference in self.git.references_glob("refs/tags/*")? {
            let reference = reference?;
            let Some(id) = reference.target() else { continue };
            let name = short(reference.name_bytes());
            let tag = self.git.find_tag(id).ok();
            let target = self.git.find_object(id, None).and_then(|object| {
                let commit = object.peel(ObjectType::Commit);
                commit.or(Ok::<_, git2::Error>(object))
            });
            let target = target.map_or(id, |target| target.id());
            let tagger = tag.as_ref().and_then(|tag| Some(Person::of(&tag.tagger()?)));
            let committed = self.commit_info(target).ok().map(|info| info.committer.seconds);
            found.push(Tag {
                name,
                target,
                message: tag.and_then(|tag| {
                    Some(String::from_utf8_lossy(tag.message_bytes()?).into_owned())
                }),
                seconds: tagger.as_ref().map(|t| t.seconds).or(committed).unwrap_or_default(),
                tagger,
            });
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }

    /// The short names of branches and tags, by what they lead to.
    pub(crate) fn names_of_commits(
        &self,
    ) -> Result<rustc_hash::FxHashMap<Oid, Vec<String>>, GitError> {
        let mut names: rustc_hash::FxHashMap<Oid, Vec<String>> = rustc_hash::FxHashMap::default();
        for reference in self.git.references()? {
            let Ok(reference) = reference else { continue };
            let name = reference.name_bytes();
            if name.starts_with(b"refs/tandem/") || name == b"refs/stash" {
                continue;
            }
            let shown = match name.strip_prefix(b"refs/tags/".as_slice()) {
                Some(tag) => format!("tag: {}", String::from_utf8_lossy(tag)),
                None => short(name),
            };
            let Some(id) = reference.target() else { continue };
            let id = match self.git.find_tag(id) {
                Ok(tag) => tag.target_id(),
                Err(_) => id,
            };
            names.entry(id).or_default().push(shown);
        }
        names.values_mut().for_each(|names| names.sort());
        Ok(names)
    }
}

/// The first line of a message.
pub(crate) fn subject(message: &str) -> String {
    message.trim_start().lines().next().unwrap_or_default().to_owned()
}
