//! `vuln_scan`: the packages of lock files that known vulnerabilities affect.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use vulnerabilities::{Advisory, Ecosystem, Found, LockedPackage, scan};

use super::advisories::advisories;
use super::imports::importing_files;
use super::lock_files::{SkippedFile, lock_files};
use search_tools::search_effects;
use tools::{
    Code, Context, Effect, EffectKind, Tool, ToolError,
    results::{Lines, count, list_at, number_at, str_at},
};

pub(crate) struct VulnScan;

/// Most packages in a result.
const MAX_RESULTS: usize = 200;
/// Packages whose imports are looked for.
const MAX_IMPORTED: usize = 50;
/// Longest line about an advisory, in characters.
const MAX_SUMMARY_CHARS: usize = 200;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// A lock file, or a folder; every root by default.
    #[serde(default)]
    path: Option<String>,
    /// A folder of the workspace with advisories in the OSV format. Then the folders in the settings are not read.
    #[serde(default)]
    advisories: Option<String>,
    /// Leave out what only development needs.
    #[serde(default)]
    production: bool,
    /// `code` is not supported: linters find weaknesses in code.
    #[serde(default)]
    r#type: ScanType,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ScanType {
    #[default]
    Dependencies,
    Code,
    All,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The affected packages, the worst first.
    findings: Vec<VulnerablePackage>,
    /// Number of packages in the lock files.
    packages: usize,
    /// Paths of the lock files.
    lock_files: Vec<String>,
    /// Lock files that could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<SkippedFile>,
    /// Number of advisories that were compared.
    advisories: usize,
    /// When the newest of them was stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    advisories_date: Option<String>,
    /// Whether something was left out: packages, lock files, or advisories that cannot be read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    incomplete: bool,
}

/// A package that advisories affect.
#[derive(Serialize, JsonSchema)]
struct VulnerablePackage {
    package: String,
    version: String,
    /// As OSV names it: `npm`, `PyPI`, `crates.io`, `Go`, `Maven`, `RubyGems`, `Packagist`.
    ecosystem: &'static str,
    /// The lock file.
    path: String,
    /// Its line there.
    line: usize,
    /// Whether only development needs it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dev: bool,
    /// The smallest version that no known advisory affects.
    #[serde(skip_serializing_if = "Option::is_none")]
    upgrade: Option<String>,
    advisories: Vec<Affecting>,
    /// The first files that import it; empty: none does, so it is used by another package or not at all.
    /// Absent where modules cannot be told from the package's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    imported_by: Option<Vec<String>>,
}

/// An advisory.
#[derive(Serialize, JsonSchema)]
struct Affecting {
    id: String,
    /// Other ids, such as a CVE.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    aliases: Vec<String>,
    /// `critical`, `high`, `moderate` or `low`, if its database says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    severity: Option<&'static str>,
    /// The CVSS vector.
    #[serde(skip_serializing_if = "Option::is_none")]
    cvss: Option<String>,
    summary: String,
    /// The first fixed version.
    #[serde(skip_serializing_if = "Option::is_none")]
    fixed: Option<String>,
}

impl Tool for VulnScan {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "vuln_scan";
    const DESCRIPTION: &'static str = "Find packages of lock files with known vulnerabilities, the \
        smallest upgrade that fixes each, and which files import it. Offline, from advisories in the \
        OSV format.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    // The advisories of the settings are outside the workspace.
    const OWN_SANDBOX: bool = true;

    fn text(result: &Value) -> Option<String> {
        Some(text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        if params.r#type == ScanType::Code {
            let message = format!("{}: code is not scanned", Self::NAME);
            return Err(ToolError::new(Code::Unsupported, message).hint(
                "`lint` runs the project's linter; `type: \"dependencies\"` scans lock files",
            ));
        }
        let mut effects = search_effects(context, params.path.as_deref())?;
        if let Some(path) = &params.advisories {
            effects.extend(search_effects(context, Some(path))?);
        }
        Ok(effects)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let tool = Self::NAME;
        let mut locks = lock_files(context, tool, params.path.as_deref())?;
        for lock in &mut locks.files {
            lock.packages.retain(|package| !(params.production && package.is_dev));
        }
        let all: Vec<&LockedPackage> = locks.files.iter().flat_map(|lock| &lock.packages).collect();
        if locks.files.is_empty() {
            let message = format!("{tool}: there is no lock file that can be read");
            return Err(ToolError::new(Code::FileNotFound, message)
                .hint("name a folder with a Cargo.lock, package-lock.json, uv.lock, go.mod, …"));
        }
        let known = advisories(context, tool, params.advisories.as_deref(), &all)?;
        let mut findings: Vec<(String, Found<'_>)> = Vec::new();
        for lock in &locks.files {
            let path = lock.path.display_path();
            findings.extend(
                scan(&lock.packages, &known.index).into_iter().map(|found| (path.clone(), found)),
            );
        }
        findings.sort_by_key(|(_, found)| found.rank());
        let is_cut = findings.len() > MAX_RESULTS;
        findings.truncate(MAX_RESULTS);
        let mut shown = Vec::new();
        for (at, (path, found)) in findings.iter().enumerate() {
            let imported_by = match at < MAX_IMPORTED {
                true => importing_files(context, tool, params.path.as_deref(), found.package)?,
                false => None,
            };
            shown.push(VulnerablePackage::new(path, found, imported_by));
        }
        Ok(Output {
            findings: shown,
            packages: all.len(),
            lock_files: locks.files.iter().map(|lock| lock.path.display_path()).collect(),
            incomplete: is_cut
                || locks.incomplete
                || !locks.skipped.is_empty()
                || known.unreadable > 0,
            skipped: locks.skipped,
            advisories: known.files - known.unreadable,
            advisories_date: known.newest.map(|newest| newest.strftime("%Y-%m-%d").to_string()),
        })
    }
}

impl VulnerablePackage {
    fn new(path: &str, found: &Found<'_>, imported_by: Option<Vec<String>>) -> Self {
        let LockedPackage { ecosystem, name, version, line, is_dev } = found.package.clone();
        let affecting = |(advisory, fixed): &(&Advisory, Option<String>)| Affecting {
            id: advisory.id.clone(),
            aliases: advisory.aliases.clone(),
            severity: advisory.severity(),
            cvss: advisory.cvss().map(str::to_owned),
            summary: advisory.about().chars().take(MAX_SUMMARY_CHARS).collect(),
            fixed: fixed.clone(),
        };
        Self {
            package: name,
            version,
            ecosystem: Ecosystem::name(ecosystem),
            path: path.to_owned(),
            line,
            dev: is_dev,
            upgrade: found.upgrade.clone(),
            advisories: found.advisories.iter().map(affecting).collect(),
            imported_by,
        }
    }
}

/// The findings as lines.
fn text(result: &Value) -> String {
    let mut lines = Lines::default();
    for found in list_at(result, "findings") {
        let upgrade = match str_at(found, "upgrade") {
            "" => "no fixed version is known".to_owned(),
            version => format!("upgrade to {version}"),
        };
        lines.push(format_args!(
            "{} {} ({}:{}): {upgrade}",
            str_at(found, "package"),
            str_at(found, "version"),
            str_at(found, "path"),
            number_at(found, "line")
        ));
        for advisory in list_at(found, "advisories") {
            let severity = match str_at(advisory, "severity") {
                "" => String::new(),
                severity => format!(" {severity}"),
            };
            let (id, about) = (str_at(advisory, "id"), str_at(advisory, "summary"));
            lines.push(format_args!("  {id}{severity}: {about}"));
        }
        let files: Vec<&str> =
            list_at(found, "imported_by").iter().filter_map(Value::as_str).collect();
        if !files.is_empty() {
            lines.push(format_args!("  imported by {}", files.join(", ")));
        } else if found.get("imported_by").is_some() {
            lines.push("  no file imports it");
        }
    }
    let number = |field: &str| usize::try_from(number_at(result, field)).unwrap_or(usize::MAX);
    let date = match str_at(result, "advisories_date") {
        "" => String::new(),
        date => format!(" of {date}"),
    };
    lines.push(format_args!(
        "[{} of {} compared with {}{date}]",
        count(number("packages"), "package"),
        count(list_at(result, "lock_files").len(), "lock file"),
        match number("advisories") {
            1 => "1 advisory".to_owned(),
            several => format!("{several} advisories"),
        }
    ));
    for skipped in list_at(result, "skipped") {
        let (path, reason) = (str_at(skipped, "path"), str_at(skipped, "reason"));
        lines.push(format_args!("[{path} was not read: {reason}]"));
    }
    lines.finish("no packages")
}
