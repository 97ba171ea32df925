//! Where a repository is fetched from and pushed to.

use std::collections::BTreeMap;

use git2::Oid;

use crate::{GitError, Repo};

/// A remote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    /// Its name.
    pub name: String,
    /// Where it is fetched from, secrets in it taken out.
    pub url: String,
    /// Where it is pushed to, where that differs.
    pub push_url: Option<String>,
    /// What is reached when it is fetched from.
    pub place: Place,
    /// What is reached when it is pushed to.
    pub push_place: Place,
}

/// What an address leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A folder of this machine.
    Folder,
    /// Another machine.
    Host(String),
    /// Whatever a program makes of it: `ext::…`.
    Program,
}

/// The remote and the branch of it that a branch follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Followed {
    /// The remote's name.
    pub remote: String,
    /// The branch's short name there.
    pub branch: String,
}

impl Repo {
    /// The remotes, in order of names.
    ///
    /// # Errors
    /// When the settings cannot be read.
    pub fn remotes(&self) -> Result<Vec<Remote>, GitError> {
        let mut found = Vec::new();
        for name in self.git.remotes()?.iter_bytes() {
            let Ok(name) = std::str::from_utf8(name) else { continue };
            let remote = self.git.find_remote(name)?;
            let url = String::from_utf8_lossy(remote.url_bytes()).into_owned();
            let push = remote.pushurl_bytes().map(|url| String::from_utf8_lossy(url).into_owned());
            found.push(Remote {
                name: name.to_owned(),
                place: Place::of(&url),
                push_place: Place::of(push.as_deref().unwrap_or(&url)),
                url: without_secret(&url),
                push_url: push.as_deref().map(without_secret),
            });
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }

    /// The remote called `name`; without a name the one that the branch follows, else `origin`, else
    /// the only one.
    ///
    /// # Errors
    /// When there is none.
    pub fn remote(&self, name: Option<&str>) -> Result<Remote, GitError> {
        let mut remotes = self.remotes()?;
        let followed = self.followed()?.map(|followed| followed.remote);
        let is_there = |name: &str| remotes.iter().any(|remote| remote.name == name);
        let name = match name {
            Some(name) => Some(name.to_owned()),
            None => followed
                .filter(|name| is_there(name))
                .or_else(|| is_there("origin").then(|| "origin".to_owned()))
                .or_else(|| (remotes.len() == 1).then(|| remotes[0].name.clone())),
        };
        let Some(name) = name else {
            let what = match remotes.is_empty() {
                true => "the repository has no remote",
                false => "the repository has several remotes; name one",
            };
            return Err(GitError::NotFound { what: what.to_owned() });
        };
        match remotes.iter().position(|remote| remote.name == name) {
            Some(at) => Ok(remotes.swap_remove(at)),
            None => {
                let what = format!("the repository has no remote called `{name:.60}`");
                Err(GitError::NotFound { what })
            }
        }
    }

    /// What the branch that is checked out follows.
    ///
    /// # Errors
    /// When the settings cannot be read.
    pub fn followed(&self) -> Result<Option<Followed>, GitError> {
        let Some(branch) = self.head()?.branch else { return Ok(None) };
        let config = self.git.config()?.snapshot()?;
        let value = |name: &str| config.get_str(&format!("branch.{branch}.{name}")).ok();
        let (Some(remote), Some(merge)) = (value("remote"), value("merge")) else {
            return Ok(None);
        };
        let branch = merge.strip_prefix("refs/heads/").map(str::to_owned);
        Ok(branch.map(|branch| Followed { remote: remote.to_owned(), branch }))
    }

    /// What remote branches and tags lead to, by their whole names.
    ///
    /// # Errors
    /// When the references cannot be read.
    pub fn fetched(&self) -> Result<BTreeMap<String, Oid>, GitError> {
        let mut found = BTreeMap::new();
        for glob in ["refs/remotes/*", "refs/tags/*"] {
            for reference in self.git.references_glob(glob)? {
                let reference = reference?;
                if let (Ok(name), Some(id)) = (reference.name(), reference.target()) {
                    found.insert(name.to_owned(), id);
                }
            }
        }
        Ok(found)
    }

    /// Refuses what is no name of a branch or tag.
    ///
    /// # Errors
    /// `Invalid`.
    pub fn check_name(name: &str) -> Result<(), GitError> {
        let is_one = !name.starts_with('-')
            && name != "HEAD"
            && git2::Reference::is_valid_name(&format!("refs/heads/{name}"));
        match is_one {
            true => Ok(()),
            false => {
                Err(GitError::Invalid { what: format!("`{name:.100}` is no name of a branch") })
            }
        }
    }
}

impl Place {
    /// As git reads an address.
    fn of(url: &str) -> Self {
        if let Some((scheme, rest)) = url.split_once("://") {
            let place = rest.split('/').next().unwrap_or_default();
            let host = place.rsplit_once('@').map_or(place, |(_, host)| host);
            return match scheme.to_ascii_lowercase().as_str() {
                "file" => Self::Folder,
                "http" | "https" | "ssh" | "git" | "git+ssh" | "ssh+git" => {
                    let port = host.rsplit_once(':').filter(|(_, port)| !port.contains(']'));
                    Self::Host(port.map_or(host, |(host, _)| host).to_owned())
                }
                _ => Self::Program,
            };
        }
        if url.contains("::") {
            return Self::Program;
        }
        match url.split_once(':') {
            Some((place, _)) if !place.contains('/') => {
                Self::Host(place.rsplit_once('@').map_or(place, |(_, host)| host).to_owned())
            }
            _ => Self::Folder,
        }
    }
}

/// A text with the secrets of all addresses in it taken out. O(text).
#[must_use]
pub fn without_secrets(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let scheme = rest[..at].rfind(|c: char| !c.is_ascii_alphanumeric() && c != '+');
        let start = scheme.map_or(0, |at| at + 1);
        let start = rest.ceil_char_boundary(start);
        let is_end = |c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '<' | '>');
        let end = rest[at..].find(is_end).map_or(rest.len(), |end| at + end);
        out.push_str(&rest[..start]);
        out.push_str(&without_secret(&rest[start..end]));
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

/// An address without the password in it.
fn without_secret(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (place, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    match place.rsplit_once('@') {
        Some((user, host)) => match user.split_once(':') {
            Some((user, _)) => format!("{scheme}://{user}:***@{host}{path}"),
            // A token alone looks like a user.
            None if scheme.starts_with("http") => format!("{scheme}://***@{host}{path}"),
            None => url.to_owned(),
        },
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_without_secrets() {
        for (url, told) in [
            ("https://u:p@h/x", "https://u:***@h/x"),
            ("https://token@h/x@y", "https://***@h/x@y"),
            ("ssh://git@h/x", "ssh://git@h/x"),
            ("git@h:x", "git@h:x"),
            ("/a/b", "/a/b"),
        ] {
            assert_eq!(without_secret(url), told);
            let said = format!("é fatal: unable to access '{url}': x ({url})\n");
            let told = format!("é fatal: unable to access '{told}': x ({told})\n");
            assert_eq!(without_secrets(&said), told);
        }
        assert_eq!(without_secrets("://a@b https://t@"), "://a@b https://***@");
    }

    #[test]
    fn addresses_lead_where_git_would_go() {
        let host = |host: &str| Place::Host(host.to_owned());
        for (url, place) in [
            ("https://u:p@example.com:8080/x", host("example.com")),
            ("ssh://git@[::1]:22/x", host("[::1]")),
            ("git@example.com:x/y", host("example.com")),
            ("/a/b", Place::Folder),
            ("../b", Place::Folder),
            ("./a:b", Place::Folder),
            ("file:///a", Place::Folder),
            ("ext::sh -c x", Place::Program),
            ("ext::https://x", Place::Program),
            ("x::/a", Place::Program),
            ("blob://x/y", Place::Program),
        ] {
            assert_eq!(Place::of(url), place, "{url}");
        }
    }

    #[test]
    fn names_are_no_options_nor_patterns() {
        for name in ["", "-x", "--upload-pack=x", "HEAD", "a b", "a:b", "+a:b", "a..b", "*", "a\n"]
        {
            assert!(Repo::check_name(name).is_err(), "{name}");
        }
        assert!(Repo::check_name("feature/x-1").is_ok());
    }
}
