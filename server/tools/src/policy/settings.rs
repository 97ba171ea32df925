//! `config.toml` as written, before its rules are compiled.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use workspace::NameDiagnosticKind;

use super::container_settings::ContainerSettings;
use super::database_settings::{self, DatabaseSettings};
use super::desktop_settings::DesktopSettings;
use super::infrastructure_settings::InfrastructureSettings;
use super::metrics_settings::MetricsSettings;
use super::model_settings::ModelSettings;
use super::network_settings::NetworkSettings;
use super::profile_settings::ProfileSettings;
use super::vulnerability_settings::VulnerabilitySettings;
use super::worktree_settings::WorktreeSettings;

/// Limit for a settings file, in bytes.
pub(super) const MAX_SETTINGS_BYTES: u64 = 256 << 10;
/// Limit for the rules of one list.
const MAX_RULES: usize = 1_000;
/// Limit for `ask_timeout_secs`.
const MAX_ASK_TIMEOUT_SECS: u64 = 3_600;

/// A settings file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Settings {
    /// Policy rules.
    #[serde(default)]
    pub(super) policy: PolicyTable,
    /// Git.
    #[serde(default)]
    pub(super) git: GitTable,
    /// Diagnostics.
    #[serde(default)]
    pub(super) diagnostics: DiagnosticsTable,
    /// Tools that use the network.
    #[serde(default)]
    pub(super) network: NetworkSettings,
    /// Recorded events.
    #[serde(default)]
    pub(super) metrics: MetricsSettings,
    /// Known vulnerabilities of packages.
    #[serde(default)]
    pub(super) vulnerabilities: VulnerabilitySettings,
    /// Language models.
    #[serde(default)]
    pub(super) models: ModelSettings,
    /// The container daemon.
    #[serde(default)]
    pub(super) containers: ContainerSettings,
    /// The user's desktop.
    #[serde(default)]
    pub(super) desktop: DesktopSettings,
    /// Databases, by name.
    #[serde(default)]
    pub(super) databases: BTreeMap<String, DatabaseSettings>,
    /// Plans of infrastructure.
    #[serde(default)]
    pub(super) infrastructure: InfrastructureSettings,
    /// MCP.
    #[serde(default)]
    pub(super) mcp: McpTable,
    /// The user's own profiles of tools, by name.
    #[serde(default)]
    pub(super) profiles: BTreeMap<String, ProfileSettings>,
    /// Untracked files of new git worktrees.
    #[serde(default)]
    pub(super) worktrees: WorktreeSettings,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct GitTable {
    /// Folders, absolute or from the home, whose repositories may name programs that run: hooks,
    /// filters, signing.
    pub(super) trusted: Vec<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct McpTable {
    /// The profile of agents that choose none.
    pub(super) profile: Option<String>,
    /// Folders, absolute or from the home, in which clients may choose their workspace by their roots.
    pub(super) roots: Vec<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct DiagnosticsTable {
    /// The codes of diagnostics that are turned off.
    pub(super) off: Vec<String>,
}

impl DiagnosticsTable {
    fn check(&self) -> Result<(), String> {
        let known = || NameDiagnosticKind::ALL.iter().map(|kind| kind.code());
        match self.off.iter().find(|code| !known().any(|known| known == **code)) {
            None => Ok(()),
            Some(code) => Err(format!(
                "diagnostics.off: no diagnostic is called `{code:.60}`; there are {}",
                known().collect::<Vec<_>>().join(", ")
            )),
        }
    }
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PolicyTable {
    /// How long an approval request waits for an answer.
    pub(super) ask_timeout_secs: Option<u64>,
    /// Rules that deny.
    #[serde(default)]
    pub(super) deny: RuleSettings,
    /// Rules that require approval.
    #[serde(default)]
    pub(super) ask: RuleSettings,
    /// Rules that allow without approval.
    #[serde(default)]
    pub(super) allow: RuleSettings,
}

/// The rules of one verdict, by effect.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RuleSettings {
    pub(super) read: Vec<String>,
    pub(super) write: Vec<String>,
    pub(super) delete: Vec<String>,
    pub(super) run: Vec<RunRule>,
    pub(super) run_unconfined: Vec<RunRule>,
    pub(super) network: Vec<String>,
    pub(super) admin: Vec<String>,
    pub(super) tools: Vec<String>,
}

/// A command: as a line, or as words.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged, expecting = "a command is written as a string, or as a list of words")]
pub(super) enum RunRule {
    Line(String),
    Words(Vec<String>),
}

/// The path in a setting, which is absolute or begins with `~/`.
pub(super) fn expand_home(written: &str) -> Option<PathBuf> {
    match written.strip_prefix("~/") {
        Some(below) => Some(PathBuf::from(std::env::var_os("HOME")?).join(below)),
        None => Some(PathBuf::from(written)),
    }
}

impl Settings {
    /// Reads a settings file.
    ///
    /// # Errors
    /// Says what is wrong, and where.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let text = std::str::from_utf8(bytes).map_err(|e| format!("is not UTF-8: {e}"))?;
        let settings: Self = toml::from_str(text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start));
            let line = before.map(|before| before.matches('\n').count() + 1);
            let line = line.map_or_else(String::new, |line| format!("line {line}: "));
            let message = error.message();
            let suggestion = nearest_key(message).map(|n| format!("; did you mean `{n}`?"));
            format!("{line}{message:.300}{}", suggestion.unwrap_or_default())
        })?;
        settings.policy.check()?;
        settings.vulnerabilities.check()?;
        let is_place = |path: &String| path.starts_with('/') || path.starts_with("~/");
        if let Some(path) = settings.git.trusted.iter().find(|path| !is_place(path)) {
            return Err(format!("git.trusted: `{path:.100}` is no absolute path"));
        }
        if let Some(path) = settings.mcp.roots.iter().find(|path| !is_place(path)) {
            return Err(format!("mcp.roots: `{path:.100}` is no absolute path"));
        }
        settings.diagnostics.check()?;
        settings.worktrees.check()?;
        settings.models.check()?;
        settings.containers.check()?;
        settings.desktop.check()?;
        database_settings::check(&settings.databases)?;
        Ok(settings)
    }
}

impl PolicyTable {
    fn check(&self) -> Result<(), String> {
        if self.ask_timeout_secs.is_some_and(|secs| !(1..=MAX_ASK_TIMEOUT_SECS).contains(&secs)) {
            return Err(format!(
                "policy.ask_timeout_secs is not between 1 and {MAX_ASK_TIMEOUT_SECS}"
            ));
        }
        if !self.allow.tools.is_empty() {
            return Err("policy.allow.tools: tools are allowed by what they do: \
                        read, write, delete, run, network, admin"
                .to_owned());
        }
        for (name, lists) in [("deny", &self.deny), ("ask", &self.ask), ("allow", &self.allow)] {
            let lengths = [
                lists.read.len(),
                lists.write.len(),
                lists.delete.len(),
                lists.run.len(),
                lists.run_unconfined.len(),
                lists.network.len(),
                lists.admin.len(),
                lists.tools.len(),
            ];
            if lengths.into_iter().any(|length| length > MAX_RULES) {
                return Err(format!("policy.{name}: a list has more than {MAX_RULES} rules"));
            }
        }
        Ok(())
    }
}

impl RuleSettings {
    pub(super) fn is_empty(&self) -> bool {
        self.read.is_empty()
            && self.write.is_empty()
            && self.delete.is_empty()
            && self.run.is_empty()
            && self.run_unconfined.is_empty()
            && self.network.is_empty()
            && self.admin.is_empty()
            && self.tools.is_empty()
    }
}

/// The known key that is closest to the unknown one in serde's `message`.
fn nearest_key(message: &str) -> Option<&str> {
    let mut quoted = message.strip_prefix("unknown field ")?.split('`').skip(1).step_by(2);
    let unknown = quoted.next()?;
    quoted.min_by_key(|known| strsim::damerau_levenshtein(known, unknown))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_mistake() {
        for (text, wanted) in [
            ("[policy]\nask_timeout = 3\n", "did you mean `ask_timeout_secs`?"),
            ("[polic]\n", "did you mean `policy`?"),
            ("[policy.deny]\nreads = []\n", "line 2: unknown field `reads`"),
            ("[policy.deny]\nwrites = []\n", "did you mean `write`?"),
            ("[policy.deny]\nrun = [1]\n", "a string, or as a list of words"),
            ("[policy.deny]\nread = \"x\"\n", "invalid type"),
            ("[policy]\nask_timeout_secs = 0\n", "between 1 and 3600"),
            ("[policy\n", "line 1"),
            ("[diagnostics]\noff = [\"unused\"]\n", "unused-import"),
            ("[containers]\nhost = \"ssh://host\"\n", "neither `unix:///PATH`"),
            ("[desktop]\nidle_ms = 90000\n", "more than 60000"),
            ("[containers]\nsocket = 1\n", "did you mean `host`?"),
            ("[models]\njudge = \"j\"\n", "`models.backends.j`"),
            ("[models]\ntimeout_secs = 601\n", "between 1 and 600"),
            ("[models]\nbackend = {}\n", "did you mean `backends`?"),
            ("[models.backends.a]\nkind = \"open-ai\"\nurl = \"\"\n", "`openai` or `ollama`"),
        ] {
            let error = Settings::parse(text.as_bytes()).unwrap_err();
            assert!(error.contains(wanted), "{text:?}: {error}");
        }
        assert!(Settings::parse(b"\xff").is_err());
        let many = format!("[policy.deny]\nread = [{}]\n", "\"a\",".repeat(1_001));
        assert!(Settings::parse(many.as_bytes()).is_err());
        assert!(Settings::parse(b"").is_ok());
    }
}
