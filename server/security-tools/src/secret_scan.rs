//! `secret_scan`: finds secrets in files, staged changes and commits.

use std::collections::{BTreeMap, HashSet};

use schemars::JsonSchema;
use secrets::{Confidence, Finding, SarifPlace, Scanner, sarif};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use workspace::WalkOptions;

use git_tools::{SecretChanges, scan_changes, secret_changes_effects};
use search_tools::{FilePattern, SecretFiles, scan_files, search_effects};
use tools::{
    Code, Context, Effect, EffectKind, Entry, Tool, ToolError,
    results::{Lines, count, is_zero, list_at, number_at, str_at},
};

/// The family's tool.
pub(crate) fn tools() -> Vec<Entry> {
    vec![Entry::new::<SecretScan>()]
}

pub(crate) struct SecretScan;

/// Most findings in a result.
const MAX_RESULTS: usize = 500;
/// Commits that are scanned by default, and at most.
const DEFAULT_COMMITS: usize = 500;
const MAX_COMMITS: usize = 10_000;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// File or folder; every root by default.
    #[serde(default)]
    path: Option<String>,
    /// Only files that match one of these globs, separated by commas; `!` excludes.
    #[serde(default)]
    file_pattern: Option<String>,
    /// Include files that ignore files exclude.
    #[serde(default)]
    no_ignore: bool,
    /// Scan what is staged instead of files.
    #[serde(default)]
    staged: bool,
    /// Scan what commits added instead of files: a commit, `A..B`, or `all`.
    #[serde(default)]
    commits: Option<String>,
    /// Commits at most: 500 by default, up to 10,000.
    #[serde(default)]
    max_commits: Option<usize>,
    /// The repository's folder; by default the one that contains the workspace.
    #[serde(default)]
    repository: Option<String>,
    /// More regular expressions; group 1 is the secret.
    #[serde(default)]
    patterns: Vec<String>,
    /// `medium` by default.
    #[serde(default)]
    min_confidence: Option<MinConfidence>,
    /// A file of fingerprints that are known, one a line; `#` starts a comment.
    #[serde(default)]
    baseline: Option<String>,
    /// Also return the findings as SARIF.
    #[serde(default)]
    sarif: bool,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum MinConfidence {
    Low,
    Medium,
    High,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The findings, sorted by path and line.
    findings: Vec<SecretFinding>,
    /// Number of files, or changed files, scanned.
    files_scanned: usize,
    /// Number of findings that the baseline knows.
    #[serde(skip_serializing_if = "is_zero")]
    known: usize,
    /// Number of findings below `min_confidence`.
    #[serde(skip_serializing_if = "is_zero")]
    below: usize,
    /// Whether there are more findings.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Whether a file or a commit was not scanned: unreadable, too large, or one too many.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    incomplete: bool,
    /// The findings as SARIF 2.1.0.
    #[serde(skip_serializing_if = "Option::is_none")]
    sarif: Option<Map<String, Value>>,
}

#[derive(Serialize, JsonSchema)]
struct SecretFinding {
    /// Relative to the workspace; absolute outside the first root.
    path: String,
    /// 1-based line number.
    line: usize,
    /// 1-based column, in UTF-16 units.
    column: usize,
    /// The rule.
    rule: String,
    /// `api_key`, `token`, `password`, `private_key`, `connection_string` or `custom`.
    kind: String,
    /// `low`, `medium` or `high`.
    confidence: &'static str,
    /// The first characters and the length; the secret itself is never returned.
    redacted: String,
    /// Its line for a baseline.
    fingerprint: String,
    /// The oldest scanned commit that added it.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
}

/// A finding with its place.
struct Located {
    path: String,
    commit: Option<String>,
    finding: Finding,
}

impl Tool for SecretScan {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "secret_scan";
    const DESCRIPTION: &'static str = "Find keys, tokens, passwords and private keys in files and \
        unsaved text, in staged changes, or in what commits added. Findings are redacted. Allow one \
        by the comment `tandem:allow-secret` on its line.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const OWN_SANDBOX: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[("range", "commits")];

    fn text(result: &Value) -> Option<String> {
        Some(text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let mut effects = match params.changes()? {
            Some(_) => secret_changes_effects(context, Self::NAME, params.repository.as_deref())?,
            None => search_effects(context, params.path.as_deref())?,
        };
        if let Some(baseline) = &params.baseline {
            effects.push(Effect::read(&context.snapshot.locate(baseline)?));
        }
        Ok(effects)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let known = known_fingerprints(context, params.baseline.as_deref())?;
        let scanner = Scanner::with_patterns(&params.patterns).map_err(|bad| {
            ToolError::new(Code::InvalidParams, format!("{}: patterns: {}", Self::NAME, bad.0))
        })?;
        let (found, scanned, incomplete) = params.scan(context, &scanner)?;
        let least = params.least_confidence();
        let (mut all, mut output) = (Vec::new(), Output::new(scanned, incomplete));
        for located in found {
            if known.contains(&located.finding.fingerprint) {
                output.known += 1;
            } else if located.finding.confidence < least {
                output.below += 1;
            } else {
                all.push(located);
            }
        }
        all.sort_by(|one, other| one.order().cmp(&other.order()));
        output.truncated = all.len() > MAX_RESULTS;
        all.truncate(MAX_RESULTS);
        output.sarif = params.sarif.then(|| {
            let places: Vec<_> = all.iter().map(Located::sarif_place).collect();
            sarif(&places, env!("CARGO_PKG_VERSION"))
        });
        output.findings = all.into_iter().map(SecretFinding::from).collect();
        Ok(output)
    }
}

impl Params {
    /// The changes to scan; `None` for files.
    fn changes(&self) -> Result<Option<SecretChanges<'_>>, ToolError> {
        let invalid = |what: &str| {
            ToolError::new(Code::InvalidParams, format!("{}: {what}", SecretScan::NAME))
        };
        let limit = self.max_commits.unwrap_or(DEFAULT_COMMITS).clamp(1, MAX_COMMITS);
        let changes = match &self.commits {
            Some(_) if self.staged => {
                return Err(invalid("`staged` and `commits` exclude each other"));
            }
            Some(commits) => Some(SecretChanges::Commits(commits, limit)),
            None => self.staged.then_some(SecretChanges::Staged),
        };
        if changes.is_some() && (self.path.is_some() || self.file_pattern.is_some()) {
            return Err(invalid("changes are scanned whole: leave out `path` and `file_pattern`"));
        }
        Ok(changes)
    }

    fn least_confidence(&self) -> Confidence {
        match self.min_confidence {
            Some(MinConfidence::Low) => Confidence::Low,
            Some(MinConfidence::High) => Confidence::High,
            Some(MinConfidence::Medium) | None => Confidence::Medium,
        }
    }

    /// The findings, the number of files, and whether something was not scanned.
    fn scan(
        &self,
        context: &Context<'_>,
        scanner: &Scanner,
    ) -> Result<(Vec<Located>, usize, bool), ToolError> {
        let tool = SecretScan::NAME;
        if let Some(changes) = self.changes()? {
            let repository = self.repository.as_deref();
            let found = scan_changes(context, tool, repository, changes, scanner)?;
            let located = found.findings.into_iter().map(|added| Located {
                path: added.path,
                commit: added.commit,
                finding: added.finding,
            });
            return Ok((located.collect(), found.scanned, found.incomplete));
        }
        let files = self.file_pattern.as_deref();
        let found = scan_files(
            context,
            &SecretFiles {
                tool,
                path: self.path.as_deref(),
                files: files.map(|files| FilePattern::new(tool, files)).transpose()?,
                // `.env` and its like are hidden files.
                options: WalkOptions { hidden: true, no_ignore: self.no_ignore, max_depth: None },
                scanner,
            },
        )?;
        let located = found.findings.into_iter();
        let located = located.map(|(path, finding)| Located { path, commit: None, finding });
        Ok((located.collect(), found.scanned, found.incomplete))
    }
}

impl Output {
    fn new(files_scanned: usize, incomplete: bool) -> Self {
        Self {
            findings: Vec::new(),
            files_scanned,
            known: 0,
            below: 0,
            truncated: false,
            incomplete,
            sarif: None,
        }
    }
}

impl Located {
    fn order(&self) -> (&str, usize, usize, &str) {
        (&self.path, self.finding.line, self.finding.column, &self.finding.rule)
    }

    fn sarif_place(&self) -> SarifPlace<'_> {
        SarifPlace { path: &self.path, commit: self.commit.as_deref(), finding: &self.finding }
    }
}

impl From<Located> for SecretFinding {
    fn from(located: Located) -> Self {
        let Located { path, commit, finding } = located;
        Self {
            path,
            line: finding.line,
            column: finding.column,
            rule: finding.rule,
            kind: finding.kind,
            confidence: finding.confidence.as_str(),
            redacted: finding.redacted,
            fingerprint: finding.fingerprint,
            commit,
        }
    }
}

/// The fingerprints of a baseline: the first word of each line.
fn known_fingerprints(
    context: &Context<'_>,
    baseline: Option<&str>,
) -> Result<HashSet<String>, ToolError> {
    let Some(path) = baseline else { return Ok(HashSet::new()) };
    let file = context.snapshot.read(&context.snapshot.locate(path)?)?;
    let text = file.text.to_string();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    Ok(lines.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect())
}

/// The findings as lines, and how many of each kind were left out.
fn text(result: &Value) -> String {
    let mut lines = Lines::default();
    let findings = list_at(result, "findings");
    let entry = |found: &Value| {
        let commit = match str_at(found, "commit") {
            "" => String::new(),
            commit => format!(" in {}", commit.get(..8).unwrap_or(commit)),
        };
        format!(
            "{}: {} ({}): {}{commit} [{}]",
            number_at(found, "line"),
            str_at(found, "rule"),
            str_at(found, "confidence"),
            str_at(found, "redacted"),
            str_at(found, "fingerprint")
        )
    };
    let entries: Vec<_> =
        findings.iter().map(|found| (str_at(found, "path"), entry(found))).collect();
    lines.push_by_path(&entries);
    let number = |field: &str| usize::try_from(number_at(result, field)).unwrap_or(usize::MAX);
    let scanned = count(number("files_scanned"), "file");
    if findings.is_empty() {
        lines.push(format_args!("no secrets in {scanned}"));
    }
    let others = BTreeMap::from([("known to the baseline", "known"), ("less certain", "below")]);
    for (what, field) in others {
        if number(field) > 0 {
            lines.push(format_args!("[{} {what}]", number(field)));
        }
    }
    lines.push_rest(result);
    lines.push_text(&match &result["sarif"] {
        Value::Null => String::new(),
        log => log.to_string(),
    });
    lines.finish("no secrets")
}
