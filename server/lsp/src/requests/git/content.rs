//! `workspace/textDocumentContent` and `tandem/textDocumentContent`: historic content of files, at
//! `tandem-git:/REVISION/PATH`.

use git::{GitError, Revision};
use serde::{Deserialize, Serialize};
use tools::{Code, ToolError};
use tower_lsp_server::jsonrpc::Error;
use workspace::path_of_uri;

use crate::error;
use crate::git::layout_of;
use crate::request_context::RequestContext;

pub(crate) const SCHEME: &str = "tandem-git";
pub(crate) const METHOD: &str = "workspace/textDocumentContent";
/// For clients that do not know the standard request.
pub(crate) const FALLBACK_METHOD: &str = "tandem/textDocumentContent";

/// Largest file that is returned, in bytes.
const MAX_FILE_BYTES: usize = 16 << 20;

#[derive(Debug, Deserialize)]
pub(crate) struct ContentParams {
    pub(crate) uri: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct Content {
    text: String,
}

pub(crate) fn answer(
    context: &RequestContext<'_>,
    params: ContentParams,
) -> Result<Content, Error> {
    let shown: String = params.uri.chars().take(200).collect();
    let invalid = |what: &str| {
        let made = ToolError::new(Code::InvalidParams, format!("{METHOD}: {shown}: {what}"));
        error::from_tool_error(
            &made.hint("the format is tandem-git:/REVISION/PATH, with `/` in REVISION as %2F"),
        )
    };
    let (revision, path) = parse_uri(&params.uri).ok_or_else(|| invalid("not a tandem-git URI"))?;
    let (session, snapshot) = (context.session, &context.snapshot);
    let file =
        snapshot.locate_entry(&path).map_err(|error| error::from_tool_error(&error.into()))?;
    let git_error = |error: GitError| error::from_git_error(METHOD, error);
    let layout = layout_of(session, snapshot, &file)
        .map_err(git_error)?
        .ok_or_else(|| git_error(GitError::NoRepository { path: file.display_path() }))?;
    let in_repository = layout.repo_path(&file).filter(|path| !path.as_bytes().is_empty());
    let in_repository = in_repository.ok_or_else(|| invalid("not a file in the repository"))?;
    if !session.tools().policy.may_read(&file) {
        let message = format!("{METHOD}: {}: reading is denied by a rule", file.display_path());
        return Err(error::from_tool_error(&ToolError::new(Code::Denied, message)));
    }
    let at = Revision::parse(&revision);
    let bytes = layout
        .run_sandboxed(false, |repo| repo.content_at_revision(&at, &in_repository, MAX_FILE_BYTES));
    let decoded = text::decode(bytes.map_err(git_error)?).map_err(|why| {
        let message = format!("{METHOD}: {}: {why}", file.display_path());
        error::from_tool_error(&ToolError::new(Code::Encoding, message))
    })?;
    Ok(Content { text: decoded.text })
}

/// The revision and path of a URI. The path is relative to the workspace, or absolute after two slashes.
fn parse_uri(uri: &str) -> Option<(String, String)> {
    let rest = uri.strip_prefix(SCHEME)?.strip_prefix(':')?;
    let rest = rest.strip_prefix("//").unwrap_or(rest).strip_prefix('/')?;
    let (revision, path) = rest.split_once('/')?;
    let text = |piece: &str| {
        let path = path_of_uri(&format!("file:///{piece}")).ok()?;
        Some(path.to_str()?.strip_prefix('/')?.to_owned())
    };
    let revision = text(revision).filter(|revision| !revision.is_empty())?;
    let path = match path.strip_prefix('/') {
        Some(absolute) => format!("/{}", text(absolute)?),
        None => text(path)?,
    };
    Some((revision, path)).filter(|(_, path)| !path.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisions_and_paths_are_parsed() {
        let of = |uri: &str| parse_uri(uri);
        let some = |revision: &str, path: &str| Some((revision.to_owned(), path.to_owned()));
        assert_eq!(of("tandem-git:/HEAD~2/src/a%20b.rs"), some("HEAD~2", "src/a b.rs"));
        assert_eq!(of("tandem-git:///HEAD/a"), some("HEAD", "a"));
        assert_eq!(of("tandem-git:/origin%2Fmain//w/a"), some("origin/main", "/w/a"));
        assert_eq!(of("tandem-git:/%3A0/a"), some(":0", "a"));
        assert_eq!(of("tandem-git:/:0/a"), some(":0", "a"));
        for none in [
            "tandem-git:/HEAD",
            "tandem-git:HEAD/a",
            "file:///HEAD/a",
            "tandem-git:/HEAD/",
            "tandem-git:///",
            "tandem-git://a/b/c",
        ] {
            assert!(of(none).is_none(), "{none}: {:?}", of(none));
        }
    }
}
