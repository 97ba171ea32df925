//! Remotes, and the addresses they fetch from and push to.

use std::collections::BTreeMap;

use git2::Oid;

use crate::{GitError, Repo};

/// A remote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    /// Its name.
    pub name: String,
    /// The fetch URL, without secrets.
    pub url: String,
    /// The push URL, if it is another one.
    pub push_url: Option<String>,
    /// Where fetching connects to.
    pub fetch_location: RemoteLocation,
    /// Where pushing connects to.
    pub push_location: RemoteLocation,
}

/// What a remote's URL points to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemoteLocation {
    /// A folder on this machine.
    Folder,
    /// Another host.
    Host(String),
    /// A remote helper program (`ext::…`).
    RemoteHelper,
}

/// The upstream of a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upstream {
    /// The remote's name.
    pub remote: String,
    /// The branch's short name there.
    pub branch: String,
}

impl Repo {
    /// The remotes, sorted by name.
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
                fetch_location: RemoteLocation::from_url(&url),
                push_location: RemoteLocation::from_url(push.as_deref().unwrap_or(&url)),
                url: redact_url(&url),
                push_url: push.as_deref().map(redact_url),
            });
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }

    /// The remote called `name`. Without a name: the current branch's, else `origin`, else the only
    /// one.
    ///
    /// # Errors
    /// When there is none.
    pub fn remote(&self, name: Option<&str>) -> Result<Remote, GitError> {
        let mut remotes = self.remotes()?;
        let followed = self.upstream()?.map(|followed| followed.remote);
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

    /// The upstream of the current branch.
    ///
    /// # Errors
    /// When the settings cannot be read.
    pub fn upstream(&self) -> Result<Option<Upstream>, GitError> {
        let Some(branch) = self.head()?.branch else { return Ok(None) };
        let config = self.git.config()?.snapshot()?;
        let value = |name: &str| config.get_str(&format!("branch.{branch}.{name}")).ok();
        let (Some(remote), Some(merge)) = (value("remote"), value("merge")) else {
            return Ok(None);
        };
        let branch = merge.strip_prefix("refs/heads/").map(str::to_owned);
        Ok(branch.map(|branch| Upstream { remote: remote.to_owned(), branch }))
    }

    /// The object ids of remote-tracking branches and tags, by full name.
    ///
    /// # Errors
    /// When the references cannot be read.
    pub fn fetched_refs(&self) -> Result<BTreeMap<String, Oid>, GitError> {
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

    /// Rejects invalid branch and tag names.
    ///
    /// # Errors
    /// [`GitError::Invalid`].
    pub fn check_name(name: &str) -> Result<(), GitError> {
        let is_one = !name.starts_with('-')
            && name != "HEAD"
            && git2::Reference::is_valid_name(&format!("refs/heads/{name}"));
        match is_one {
            true => Ok(()),
            false => {
                Err(GitError::Invalid { what: format!("`{name:.100}` is not a valid branch name") })
            }
        }
    }
}

impl RemoteLocation {
    /// Classifies a URL as git does.
    fn from_url(url: &str) -> Self {
        if let Some((scheme, rest)) = url.split_once("://") {
            let authority = rest.split('/').next().unwrap_or_default();
            let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
            return match scheme.to_ascii_lowercase().as_str() {
                "file" => Self::Folder,
                "http" | "https" | "ssh" | "git" | "git+ssh" | "ssh+git" => {
                    let port = host.rsplit_once(':').filter(|(_, port)| !port.contains(']'));
                    Self::Host(port.map_or(host, |(host, _)| host).to_owned())
                }
                _ => Self::RemoteHelper,
            };
        }
        if url.contains("::") {
            return Self::RemoteHelper;
        }
        match url.split_once(':') {
            Some((authority, _)) if !authority.contains('/') => Self::Host(
                authority.rsplit_once('@').map_or(authority, |(_, host)| host).to_owned(),
            ),
            _ => Self::Folder,
        }
    }
}

/// A text without the secrets in its URLs. O(text).
#[must_use]
pub fn redact_urls(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let scheme = rest[..at].rfind(|c: char| !c.is_ascii_alphanumeric() && c != '+');
        let start = scheme.map_or(0, |at| at + 1);
        let start = rest.ceil_char_boundary(start);
        let is_end = |c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '<' | '>');
        let end = rest[at..].find(is_end).map_or(rest.len(), |end| at + end);
        out.push_str(&rest[..start]);
        out.push_str(&redact_url(&rest[start..end]));
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

/// A URL without its password.
fn redact_url(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (authority, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    match authority.rsplit_once('@') {
        Some((user, host)) => match user.split_once(':') {
            Some((user, _)) => format!("{scheme}://{user}:***@{host}{path}"),
            // Over HTTP, a user name alone may be a token.
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
    fn urls_are_printed_without_secrets() {
        for (url, redacted) in [
            ("https://u:p@h/x", "https://u:***@h/x"),
            ("https://token@h/x@y", "https://***@h/x@y"),
            ("ssh://git@h/x", "ssh://git@h/x"),
            ("git@h:x", "git@h:x"),
            ("/a/b", "/a/b"),
        ] {
            assert_eq!(redact_url(url), redacted);
            let message = format!("é fatal: unable to access '{url}': x ({url})\n");
            let redacted = format!("é fatal: unable to access '{redacted}': x ({redacted})\n");
            assert_eq!(redact_urls(&message), redacted);
        }
        assert_eq!(redact_urls("://a@b https://t@"), "://a@b https://***@");
    }

    #[test]
    fn urls_are_classified_as_git_does() {
        let host = |host: &str| RemoteLocation::Host(host.to_owned());
        for (url, place) in [
            ("https://u:p@example.com:8080/x", host("example.com")),
            ("ssh://git@[::1]:22/x", host("[::1]")),
            ("git@example.com:x/y", host("example.com")),
            ("/a/b", RemoteLocation::Folder),
            ("../b", RemoteLocation::Folder),
            ("./a:b", RemoteLocation::Folder),
            ("file:///a", RemoteLocation::Folder),
            ("ext::sh -c x", RemoteLocation::RemoteHelper),
            ("ext::https://x", RemoteLocation::RemoteHelper),
            ("x::/a", RemoteLocation::RemoteHelper),
            ("blob://x/y", RemoteLocation::RemoteHelper),
        ] {
            assert_eq!(RemoteLocation::from_url(url), place, "{url}");
        }
    }

    #[test]
    fn names_cannot_be_options_or_patterns() {
        for name in ["", "-x", "--upload-pack=x", "HEAD", "a b", "a:b", "+a:b", "a..b", "*", "a\n"]
        {
            assert!(Repo::check_name(name).is_err(), "{name}");
        }
        assert!(Repo::check_name("feature/x-1").is_ok());
    }
}
