//! Review: a person accepts all, some or none of a tool's changes before they are committed.
//!
//! The review runs after planning and without the write lock. What is committed is what was shown,
//! on the text for which it was shown; if that text changed, it is a conflict.

mod hunks;

use std::ops::Range;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use workspace::{
    FilePath, FileText, Proposal, ProposedFile, ProposedHunk, Source, Verdict, uri_of_path,
};

use self::hunks::{Hunks, apply_edits};
use tools::{Code, Context, ToolError};

/// Limit for all texts of one proposal, in bytes.
const MAX_BYTES: usize = 24 << 20;
/// Limit for the rejected hunks listed in a result.
const MAX_LEFT_OUT: usize = 500;

/// A proposed change of one file.
pub(crate) struct Proposed<'a> {
    pub(crate) path: &'a FilePath,
    /// The file as read; `None` if it does not exist or is not text.
    pub(crate) file: Option<&'a FileText>,
    pub(crate) old: String,
    pub(crate) new: String,
    pub(crate) kind: Kind<'a>,
}

/// The kind of change.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind<'a> {
    Edited,
    /// Edited; accepted or rejected as a whole.
    Whole,
    Created,
    Deleted,
    Moved(&'a FilePath),
}

/// What the person accepted of one file.
pub(crate) enum Taken {
    All,
    /// Some hunks, as edits of the old text.
    Some {
        edits: Vec<(Range<usize>, String)>,
        after: String,
    },
    Nothing,
}

impl Taken {
    /// Whether an edit of the old text's byte range `span` was accepted.
    pub(crate) fn includes(&self, span: &Range<usize>) -> bool {
        match self {
            Self::All => true,
            Self::Nothing => false,
            Self::Some { edits, .. } => {
                edits.iter().any(|(taken, _)| taken.start <= span.start && span.end <= taken.end)
            }
        }
    }
}

/// What the person rejected.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Review {
    /// One entry for each file with rejected changes.
    left_out: Vec<LeftOut>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
struct LeftOut {
    /// The file, relative to the workspace.
    path: String,
    /// The rejected hunks.
    hunks: Vec<Hunk>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Hunk {
    /// First old line, 1-based; for an empty range, the line before.
    old_start: usize,
    /// Number of old lines.
    old_lines: usize,
    /// First new line, 1-based.
    new_start: usize,
    /// Number of new lines.
    new_lines: usize,
}

impl From<ProposedHunk> for Hunk {
    fn from(hunk: ProposedHunk) -> Self {
        let ProposedHunk { old_start, old_lines, new_start, new_lines } = hunk;
        Self { old_start, old_lines, new_start, new_lines }
    }
}

/// Shows `files` to the person: what was accepted of each, and what was rejected, if anything.
///
/// # Errors
/// `E_DENIED` if nothing was accepted or nobody answered, `E_TOO_LARGE` if it is too much to show.
pub(crate) fn review(
    context: &Context<'_>,
    tool: &'static str,
    files: &[Proposed<'_>],
) -> Result<(Vec<Taken>, Option<Review>), ToolError> {
    let size: usize = files.iter().map(|file| file.old.len() + file.new.len()).sum();
    if size > MAX_BYTES {
        let message = format!("{tool}: the change is too large to be shown for review");
        return Err(ToolError::new(Code::TooLarge, message)
            .hint("make it in smaller pieces; the person can turn `tandem.review` off"));
    }
    let hunks: Vec<_> = files.iter().map(Proposed::hunks).collect();
    let proposal = Proposal {
        tool,
        title: title(tool, files),
        files: files.iter().zip(&hunks).map(|(file, hunks)| file.proposed_file(hunks)).collect(),
        timeout: context.session.policy.approval_timeout(),
    };
    let verdict = context.editor.review(&proposal);
    context.check_interrupt(tool)?;
    let refused = |what: String| ToolError::new(Code::Denied, format!("{tool}: {what}"));
    let chosen = match verdict {
        Ok(Verdict::Accepted) => return Ok((files.iter().map(|_| Taken::All).collect(), None)),
        Ok(Verdict::Chosen(chosen)) => chosen,
        Ok(Verdict::Refused) => {
            let error = refused("the person looked at the change and refused it".to_owned());
            return Err(error.hint("ask them what they would rather have"));
        }
        Err(why) => return Err(refused(format!("a person is to look at the change, and {why}"))),
    };
    let mut taken = Vec::new();
    let mut left_out = Vec::new();
    for (number, (file, hunks)) in files.iter().zip(&hunks).enumerate() {
        let numbers = chosen.iter().find(|(of, _)| *of == number).map(|(_, hunks)| &hunks[..]);
        let (accepted, missing) = file.accepted(hunks, numbers);
        if !missing.is_empty() || matches!(accepted, Taken::Nothing) {
            let hunks = missing.into_iter().take(MAX_LEFT_OUT).map(Hunk::from).collect();
            left_out.push(LeftOut { path: file.path.display_path(), hunks });
        }
        taken.push(accepted);
    }
    if taken.iter().all(|taken| matches!(taken, Taken::Nothing)) {
        let error = refused("the person looked at the change and took nothing of it".to_owned());
        return Err(error.hint("ask them what they would rather have"));
    }
    Ok((taken, (!left_out.is_empty()).then_some(Review { left_out })))
}

impl Proposed<'_> {
    fn hunks(&self) -> Hunks {
        match self.kind {
            Kind::Whole => Hunks::between(&self.old, &self.new).joined(),
            _ => Hunks::between(&self.old, &self.new),
        }
    }

    fn proposed_file(&self, hunks: &Hunks) -> ProposedFile {
        let document = match self.file.map(|file| &file.source) {
            Some(Source::Open(document)) => Some(document),
            _ => None,
        };
        let uri = |path: &FilePath| Arc::from(uri_of_path(&path.absolute()));
        let language = match self.file {
            Some(file) => file.language(),
            None => syntax::Language::detect(&self.path.file_name().to_string_lossy(), &self.new),
        };
        ProposedFile {
            uri: document.map_or_else(|| uri(self.path), |document| document.uri().clone()),
            moved_to: match self.kind {
                Kind::Moved(to) => Some(uri(to)),
                _ => None,
            },
            action: match self.kind {
                Kind::Edited | Kind::Whole => None,
                Kind::Created => Some("created"),
                Kind::Deleted => Some("deleted"),
                Kind::Moved(_) => Some("moved"),
            },
            version: document.map(|document| document.version()),
            language: language.map(|language| language.id()),
            old_text: self.old.clone(),
            new_text: self.new.clone(),
            hunks: hunks.proposed.clone(),
        }
    }

    /// The accepted part of the file for the accepted hunks, and the rejected hunks.
    fn accepted(&self, hunks: &Hunks, numbers: Option<&[usize]>) -> (Taken, Vec<ProposedHunk>) {
        let Some(numbers) = numbers else { return (Taken::Nothing, hunks.proposed.clone()) };
        let is_accepted = |number: &usize| numbers.contains(number);
        let (some, others): (Vec<_>, Vec<_>) = (0..hunks.proposed.len()).partition(is_accepted);
        let missing: Vec<_> = others.into_iter().map(|number| hunks.proposed[number]).collect();
        let taken = match (missing.is_empty(), some.is_empty()) {
            (true, _) => Taken::All,
            // A file can be moved without its edits.
            (false, true) if !matches!(self.kind, Kind::Moved(_)) => Taken::Nothing,
            _ => {
                let edits = hunks.edits(&self.new, &some);
                let after = apply_edits(&self.old, &edits);
                Taken::Some { edits, after }
            }
        };
        (taken, missing)
    }
}

/// The change in one line.
fn title(tool: &str, files: &[Proposed<'_>]) -> String {
    let first = files.first().map(|file| file.path.display_path()).unwrap_or_default();
    match files.len() {
        0 | 1 => format!("{tool}: {first}"),
        more => format!("{tool}: {first} and {} more", more - 1),
    }
}
