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
    /// Whether it is a remote-tracking branch.
    pub is_remote: bool,
    /// Whether it is checked out here.
    pub is_current: bool,
    /// Its last commit.
    pub commit: Oid,
    /// The first line of that commit's message.
    pub subject: String,
    /// Who committed that commit, and when.
    pub committer: Person,
    /// The short name of the upstream branch.
    pub upstream: Option<String>,
    /// Commits ahead of and behind the upstream.
    pub ahead_behind: Option<(usize, usize)>,
}

/// A tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// Its short name.
    pub name: String,
    /// The commit it points to, or the object if that is no commit.
    pub target: Oid,
    /// The message of an annotated tag.
    pub message: Option<String>,
    /// Who created an annotated tag.
    pub tagger: Option<Person>,
    /// The time of the tag, or else of its commit, in seconds since 1970.
    pub seconds: i64,
}

impl Repo {
    /// The branches, local ones first, sorted by name.
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
            // Skips a remote's symbolic HEAD: it is an alias of another branch.
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

    /// The tags, sorted by name.
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
            let tagger = tag.as_ref().and_then(|tag| Some(Person::from_signature(&tag.tagger()?)));
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

    /// The short names of branches and tags, by the commit they point to.
    pub(crate) fn ref_names(&self) -> Result<rustc_hash::FxHashMap<Oid, Vec<String>>, GitError> {
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
