//! The client's roots: which folder to work in, if none was chosen when the server was started.
//!
//! Clients often start servers in the person's home folder. A root inside the folder narrows what an
//! agent reaches. One outside would widen it, so it takes the person's own settings (`mcp.roots`).

use std::path::{Path, PathBuf};
use std::time::Duration;

use rmcp::service::{Peer, RoleServer};
use workspace::{is_guarded_name, path_of_uri};

/// How long a client may take to list its roots.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Roots that count; further ones are ignored.
const MAX_ROOTS: usize = 64;

/// The folder to work in.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Choice {
    /// The folder, if it is not the default one.
    pub(crate) folder: Option<PathBuf>,
    /// What the person has to know about it.
    pub(crate) warning: Option<String>,
}

/// The client's roots, with symlinks resolved. `None` if the client has no roots or does not list them.
#[expect(deprecated, reason = "clients up to version 2025-11-25 have roots")]
pub(crate) async fn ask(peer: &Peer<RoleServer>) -> Option<Vec<PathBuf>> {
    let client = peer.peer_info()?;
    client.capabilities.roots.as_ref()?;
    let listed = match tokio::time::timeout(TIMEOUT, peer.list_roots()).await {
        Ok(Ok(listed)) => listed,
        Ok(Err(error)) => {
            tracing::debug!("the client lists no roots: {error}");
            return None;
        }
        Err(_) => {
            tracing::debug!("the client did not list its roots in time");
            return None;
        }
    };
    let written = listed.roots.into_iter().take(MAX_ROOTS);
    let paths = written.filter_map(|root| path_of_uri(&root.uri).ok());
    // A folder that is not there cannot be worked in.
    let opened = paths.filter_map(|path| workspace::Root::open(&path).ok());
    Some(opened.map(|root| root.path().to_owned()).collect())
}

/// Chooses between the default folder and the roots. `may_narrow` is false if the default folder has to
/// stay: it was chosen by the person, or rules in it would no longer apply. `allowed` are the folders
/// whose contents the person lets clients choose.
pub(crate) fn choose(
    default: &Path,
    may_narrow: bool,
    roots: &[PathBuf],
    allowed: Option<&[PathBuf]>,
) -> Choice {
    // In a workspace below `.git` or the like, writing would need no approval.
    let is_guarded =
        |root: &PathBuf| root.components().any(|part| is_guarded_name(part.as_os_str()));
    let inside: Vec<&PathBuf> =
        roots.iter().filter(|root| root.starts_with(default) && !is_guarded(root)).collect();
    if let Some(common) = common_folder(&inside) {
        let is_narrower = may_narrow && common != default;
        return Choice { folder: is_narrower.then_some(common), warning: None };
    }
    // A root that holds the default folder is no reason to leave it.
    let is_related = |root: &PathBuf| default.starts_with(root) || root.starts_with(default);
    if roots.is_empty() || roots.iter().any(is_related) {
        return Choice::default();
    }
    let is_allowed = |root: &&PathBuf| {
        let is_in = |all: &[PathBuf]| all.iter().any(|one| root.starts_with(one));
        allowed.is_some_and(is_in) && !is_guarded(root)
    };
    if let Some(root) = roots.iter().find(is_allowed) {
        return Choice { folder: Some(root.clone()), warning: None };
    }
    let way_out = match allowed {
        Some(_) => {
            "start it with `--workspace DIR`, or add the folder or one above to `mcp.roots` of your settings"
        }
        None => "start it with another `--workspace`",
    };
    let warning = format!(
        "the client works in {}, and this server in {}, which does not hold it; {way_out}",
        roots[0].display(),
        default.display(),
    );
    Choice { folder: None, warning: Some(warning) }
}

/// The deepest folder that holds all of them.
fn common_folder(paths: &[&PathBuf]) -> Option<PathBuf> {
    let (first, rest) = paths.split_first()?;
    let holds_all = |folder: &&Path| rest.iter().all(|path| path.starts_with(folder));
    first.ancestors().find(holds_all).map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(may_narrow: bool, roots: &[&str], allowed: Option<&[&str]>) -> (String, bool) {
        let paths = |all: &[&str]| all.iter().map(PathBuf::from).collect::<Vec<_>>();
        let allowed = allowed.map(paths);
        let choice = choose(Path::new("/home/me"), may_narrow, &paths(roots), allowed.as_deref());
        let folder = choice.folder.map(|folder| folder.display().to_string());
        (folder.unwrap_or_default(), choice.warning.is_some())
    }

    #[test]
    fn a_root_inside_narrows_the_workspace() {
        let none = Some(&[][..]);
        for (roots, folder) in [
            (&["/home/me/a"][..], "/home/me/a"),
            (&["/home/me/a/b", "/home/me/a/c"], "/home/me/a"),
            (&["/home/me/a", "/home/me/b"], ""),
            (&["/home/me/a", "/home/me"], ""),
            (&["/srv/x", "/home/me/a"], "/home/me/a"),
            (&["/home/me/a/.git/x", "/home/me/b"], "/home/me/b"),
            (&["/home"], ""),
            (&["/"], ""),
            (&[], ""),
        ] {
            assert_eq!(chosen(true, roots, none), (folder.to_owned(), false), "{roots:?}");
        }
        assert_eq!(chosen(false, &["/home/me/a"], None), (String::new(), false));
    }

    #[test]
    fn a_root_outside_takes_the_persons_settings() {
        for root in ["/srv/x", "/home/mean", "/home/you/me"] {
            assert_eq!(chosen(true, &[root], Some(&[])), (String::new(), true), "{root}");
            assert_eq!(chosen(false, &[root], None), (String::new(), true), "{root}");
        }
        let opened = |root: &str, allowed: &str| chosen(true, &[root], Some(&[allowed]));
        assert_eq!(opened("/srv/x", "/srv"), ("/srv/x".to_owned(), false));
        assert_eq!(opened("/srv", "/srv"), ("/srv".to_owned(), false));
        assert_eq!(opened("/srv2/x", "/srv"), (String::new(), true));
        assert_eq!(opened("/srv/x/.git", "/srv"), (String::new(), true));
        assert_eq!(opened("/", "/srv"), (String::new(), false));
    }
}
