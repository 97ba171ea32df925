//! Asks before a commit that would add secrets.

use git::{RepoLayout, RepoPath};
use secrets::{Confidence, Scanner};
use sha2::{Digest, Sha256};

use super::diff_page::may_read;
use super::repository_access::{read_repo, unsaved_files};
use super::secret_changes::{AddedSecret, ChangeScan};
use tools::{Context, Effect, EffectKind, Target};

/// Findings that an approval request lists.
const MAX_LISTED: usize = 20;

/// The effect of committing secrets, if a commit of `files`, or of what is staged, would add some of high confidence. Its
/// details list them redacted. Its name is that of exactly these secrets: an approval holds for no others.
///
/// A repository that cannot be compared is left to the commit itself, which reports why.
pub(super) fn commit_secrets_effect(
    context: &Context<'_>,
    tool: &str,
    layout: &RepoLayout,
    files: Option<&[RepoPath]>,
) -> Option<Effect> {
    let scanner = Scanner::default();
    let (budget, may_read) = (&context.budget(), may_read(context, layout));
    let unsaved = unsaved_files(context, layout);
    let scanned = read_repo(context, tool, layout, |repo| {
        let mut scan = ChangeScan::new(layout, &scanner, budget, &may_read);
        let Some(files) = files else {
            scan.staged(repo)?;
            return Ok((scan.found.findings, Vec::new()));
        };
        scan.current(repo, files, &unsaved)?;
        Ok((scan.found.findings, repo.unstaged_changes(files)?.untracked))
    });
    let (mut found, untracked) = scanned
        .inspect_err(|error| tracing::warn!("a commit is not searched for secrets: {error}"))
        .ok()?;
    let mut scan = ChangeScan::new(layout, &scanner, budget, &may_read);
    for path in untracked.iter().filter(|path| may_read(path)) {
        let file = layout.file(path);
        if let Some(bytes) = file.and_then(|file| context.snapshot.read_bytes(&file).ok()) {
            scan.text(path, &bytes.bytes);
        }
    }
    found.append(&mut scan.found.findings);
    found.retain(|added| added.finding.confidence == Confidence::High);
    found.sort_by(|one, other| {
        (&one.path, one.finding.line).cmp(&(&other.path, other.finding.line))
    });
    (!found.is_empty()).then(|| effect(&found))
}

fn effect(found: &[AddedSecret]) -> Effect {
    let mut hash = Sha256::new();
    let mut lines: Vec<String> = Vec::new();
    for added in found {
        let finding = &added.finding;
        hash.update(finding.fingerprint.as_bytes());
        lines.push(format!(
            "{}:{}: {}: {}",
            added.path, finding.line, finding.about, finding.redacted
        ));
    }
    if lines.len() > MAX_LISTED {
        let more = lines.len() - MAX_LISTED;
        lines.truncate(MAX_LISTED);
        lines.push(format!("and {more} more: `secret_scan` with `staged` lists them"));
    }
    let id: String = hash.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    Effect {
        kind: EffectKind::Admin,
        target: Target::Named(format!("secrets/{id}")),
        detail: Some(lines.join("\n")),
    }
}
