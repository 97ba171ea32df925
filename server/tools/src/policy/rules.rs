//! The rules of all settings files, and their verdict on a path, a tool, a name or a command line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use workspace::is_guarded_name;

use super::command::{CommandRule, is_allowed, is_literal_match, matches_wildcard};
use super::compiled::CompiledRules;
use super::container_settings::ContainerSettings;
use super::database_settings::DatabaseSettings;
use super::desktop_settings::DesktopSettings;
use super::globs::PathPatterns;
use super::hosts;
use super::infrastructure_settings::InfrastructureSettings;
use super::metrics_settings::MetricsSettings;
use super::model_settings::ModelSettings;
use super::network_settings::NetworkSettings;
use super::settings::{PolicyTable, RuleSettings, Settings, expand_home};
use super::shell::{LineAnalysis, ShellCommand};
use super::vulnerability_settings::VulnerabilitySettings;
use crate::EffectKind;
use crate::tool_names::ToolNames;

/// Default wait for the answer to an approval request.
const DEFAULT_APPROVAL_TIMEOUT: Duration = Duration::from_secs(120);

/// A verdict. Later variants are stricter and win.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    Allow,
    Ask,
    Deny,
}

/// A verdict, and the rule or default that it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ruling {
    pub(super) verdict: Verdict,
    pub(super) why: String,
}

/// All rules.
#[derive(Debug, Clone, Default)]
pub(super) struct Rules {
    /// The workspace folders.
    pub(super) roots: Vec<PathBuf>,
    layers: Vec<RuleLayer>,
    /// Why settings files cannot be used. If there are any, everything except reading needs
    /// approval.
    pub(super) broken: Vec<String>,
    /// What is ignored in settings that are otherwise used.
    pub(super) warnings: Vec<String>,
    approval_timeout: Option<Duration>,
    hides_files: bool,
    /// The folders whose repositories are trusted.
    trusted: Vec<PathBuf>,
    /// The user's settings for tools that use the network.
    pub(super) network: NetworkSettings,
    /// The user's settings for recorded events.
    pub(super) metrics: MetricsSettings,
    /// The user's advisories.
    pub(super) vulnerabilities: VulnerabilitySettings,
    /// The user's settings for language models.
    pub(super) models: ModelSettings,
    /// The user's container daemon.
    pub(super) containers: ContainerSettings,
    /// How agents may use the user's desktop.
    pub(super) desktop: DesktopSettings,
    /// The databases that the user named.
    pub(super) databases: BTreeMap<String, DatabaseSettings>,
    /// The user's settings for plans of infrastructure.
    pub(super) infrastructure: InfrastructureSettings,
    names: Arc<ToolNames>,
}

/// The rules of one settings file.
#[derive(Debug, Clone)]
struct RuleLayer {
    /// The file, for messages.
    file: String,
    /// The root that its relative patterns apply to; `None`: every root.
    root: Option<PathBuf>,
    deny: CompiledRules,
    ask: CompiledRules,
    allow: CompiledRules,
}

impl Rules {
    /// An empty rule set for these roots.
    pub(super) fn new(roots: Vec<PathBuf>, names: Arc<ToolNames>) -> Self {
        Self { roots, names, ..Self::default() }
    }

    /// Adds the rules of the user's settings.
    pub(super) fn add_user_settings(
        &mut self,
        file: &str,
        settings: &Settings,
    ) -> Result<(), String> {
        self.add(file, None, settings)?;
        self.approval_timeout = settings.policy.ask_timeout_secs.map(Duration::from_secs);
        self.trusted =
            settings.git.trusted.iter().filter_map(|written| expand_home(written)).collect();
        self.network = settings.network.clone();
        self.metrics = settings.metrics.clone();
        self.vulnerabilities = settings.vulnerabilities.clone();
        self.models = settings.models.clone();
        self.containers = settings.containers.clone();
        self.desktop = settings.desktop.clone();
        self.databases = settings.databases.clone();
        self.infrastructure = settings.infrastructure.clone();
        Ok(())
    }

    /// Adds the rules of a workspace's settings, which can only tighten.
    pub(super) fn add_workspace_settings(
        &mut self,
        file: &str,
        root: &Path,
        settings: &Settings,
    ) -> Result<(), String> {
        let mut settings = settings.clone();
        if !settings.policy.allow.is_empty() {
            settings.policy.allow = RuleSettings::default();
            let warning = format!("{file}: a workspace cannot allow; policy.allow is not heeded");
            self.warnings.push(warning);
        }
        if !settings.git.trusted.is_empty() {
            let warning =
                format!("{file}: a workspace cannot trust itself; git.trusted is not heeded");
            self.warnings.push(warning);
        }
        let foreign = [
            ("network", settings.network != NetworkSettings::default()),
            ("metrics", settings.metrics != MetricsSettings::default()),
            ("vulnerabilities", settings.vulnerabilities != VulnerabilitySettings::default()),
            ("models", settings.models != ModelSettings::default()),
            ("containers", settings.containers != ContainerSettings::default()),
            ("desktop", settings.desktop != DesktopSettings::default()),
            ("databases", !settings.databases.is_empty()),
            ("infrastructure", settings.infrastructure != InfrastructureSettings::default()),
        ];
        for (table, _) in foreign.into_iter().filter(|(_, is_set)| *is_set) {
            let warning = format!("{file}: `{table}` is heeded in the user's settings only");
            self.warnings.push(warning);
        }
        self.add(file, Some(root), &settings)?;
        if let Some(secs) = settings.policy.ask_timeout_secs {
            self.approval_timeout = Some(self.approval_timeout().min(Duration::from_secs(secs)));
        }
        Ok(())
    }

    fn add(&mut self, file: &str, root: Option<&Path>, settings: &Settings) -> Result<(), String> {
        let policy = &settings.policy;
        let layer = RuleLayer {
            file: file.to_owned(),
            root: root.map(Path::to_owned),
            deny: CompiledRules::new(&policy.deny, &self.names, true)?,
            ask: CompiledRules::new(&policy.ask, &self.names, true)?,
            allow: CompiledRules::new(&policy.allow, &self.names, false)?,
        };
        self.hides_files |= !layer.deny.read.is_empty();
        self.layers.push(layer);
        Ok(())
    }

    /// The user's rules and, in addition, `allowed`; `None` if `allowed` is not valid.
    pub(super) fn with_allowed(&self, allowed: &RuleSettings) -> Option<Self> {
        let mut rules = self.clone();
        let policy = PolicyTable { allow: allowed.clone(), ..PolicyTable::default() };
        rules.add("", None, &Settings { policy, ..Settings::default() }).ok()?;
        Some(rules)
    }

    /// Whether the settings trust the repositories in a folder.
    pub(super) fn trusts(&self, folder: &Path) -> bool {
        self.broken.is_empty() && self.trusted.iter().any(|trusted| folder.starts_with(trusted))
    }

    /// How long an approval request waits for an answer.
    pub(super) fn approval_timeout(&self) -> Duration {
        self.approval_timeout.unwrap_or(DEFAULT_APPROVAL_TIMEOUT)
    }

    /// Whether any rule hides files.
    pub(super) fn hides_files(&self) -> bool {
        self.hides_files
    }

    /// Whether any rule denies or asks about the effect on some path.
    pub(super) fn restricts(&self, kind: EffectKind) -> bool {
        self.layers.iter().any(|layer| {
            [&layer.deny, &layer.ask]
                .iter()
                .any(|rules| rules.restricting(kind).iter().any(|(_, paths)| !paths.is_empty()))
        })
    }

    /// The restricting patterns without wildcards: each names a single path, which may be a link.
    pub(super) fn literal_paths(&self) -> impl Iterator<Item = &str> {
        let lists = self.layers.iter().flat_map(|layer| [&layer.deny, &layer.ask]);
        lists
            .flat_map(|rules| rules.restricting(EffectKind::Delete))
            .flat_map(|(_, paths)| paths.patterns())
            .map(String::as_str)
            .filter(|pattern| !pattern.contains(['*', '?', '[', '{', '\\', '~']))
    }

    /// The absolute paths that `deny.read` patterns start from: the path itself, or the part before
    /// the first wildcard.
    pub(super) fn denied_absolute_paths(&self) -> Vec<PathBuf> {
        let written = self.layers.iter().flat_map(|layer| layer.deny.read.patterns());
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let place = |pattern: &String| {
            let (start, rest) = match pattern.strip_prefix("~/") {
                Some(rest) => (home.clone()?, rest),
                None => (PathBuf::from("/"), pattern.strip_prefix('/')?),
            };
            let is_plain = |name: &&str| !name.contains(['*', '?', '[', '{', '\\']);
            Some(rest.split('/').take_while(is_plain).fold(start, |path, name| path.join(name)))
        };
        let mut places: Vec<PathBuf> = written.filter_map(place).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    /// The programs that `deny.run` denies with any arguments.
    pub(super) fn denied_programs(&self) -> impl Iterator<Item = &str> {
        let rules = self.layers.iter().flat_map(|layer| &layer.deny.run);
        rules.filter_map(CommandRule::program_only)
    }

    /// The last name of each pattern that restricts an effect: every path that it matches contains
    /// a name that matches it.
    pub(super) fn last_names(&self, kind: EffectKind) -> Vec<&str> {
        fn last(pattern: &str) -> &str {
            let mut names = pattern.rsplit('/');
            let is_name = |name: &&str| !name.chars().all(|c| c == '*');
            // Braces may contain slashes, so the last name is unknown.
            names.find(is_name).filter(|_| !pattern.contains('{')).unwrap_or("*")
        }
        let lists = self.layers.iter().flat_map(|layer| [&layer.deny, &layer.ask]);
        let patterns =
            lists.flat_map(|rules| rules.restricting(kind)).flat_map(|(_, p)| p.patterns());
        patterns.map(|pattern| last(pattern)).collect()
    }

    /// Whether a rule without wildcards allows a command.
    pub(super) fn allows_exactly(&self, command: &ShellCommand, is_unconfined: bool) -> bool {
        self.layers.iter().any(|layer| {
            let confined: &[_] = if is_unconfined { &[] } else { &layer.allow.run };
            let mut rules = confined.iter().chain(&layer.allow.run_unconfined);
            rules.any(|rule| is_literal_match(rule, command))
        })
    }

    /// Whether an absolute path is below a root and has a guarded name in it.
    pub(super) fn is_guarded(&self, path: &Path) -> bool {
        let below = self.roots.iter().find_map(|root| path.strip_prefix(root).ok());
        below.is_some_and(|below| below.iter().any(is_guarded_name))
    }

    /// The ruling on an effect on an absolute path.
    pub(super) fn path_ruling(&self, kind: EffectKind, path: &Path, is_guarded: bool) -> Ruling {
        let matching = |layer: &RuleLayer, paths: &PathPatterns| {
            let roots = match &layer.root {
                Some(root) => std::slice::from_ref(root),
                None => self.roots.as_slice(),
            };
            // A root may contain another root, so each is tried.
            let mut below = roots.iter().filter_map(|root| path.strip_prefix(root).ok());
            below
                .find_map(|below| paths.first_match(path, Some(below)))
                .or_else(|| paths.first_match(path, None))
                .map(str::to_owned)
        };
        let restriction = |verdict: Verdict| {
            self.layers.iter().find_map(|layer| {
                let rules = if verdict == Verdict::Deny { &layer.deny } else { &layer.ask };
                rules.restricting(kind).into_iter().find_map(|(key, paths)| {
                    let pattern = matching(layer, paths)?;
                    Some(Ruling { verdict, why: rule_reason(&layer.file, verdict, key, &pattern) })
                })
            })
        };
        if let Some(ruling) = restriction(Verdict::Deny).or_else(|| restriction(Verdict::Ask)) {
            return ruling;
        }
        let allows = |layer: &RuleLayer| {
            let paths = layer.allow.allowing(kind)?;
            let pattern = matching(layer, paths)?;
            // A wildcard does not allow guarded names: the pattern must name them.
            let names = |pattern: &str| Path::new(pattern).iter().any(is_guarded_name);
            (!is_guarded || names(&pattern)).then_some(())
        };
        let is_allowed = self.layers.iter().any(|layer| allows(layer).is_some());
        if kind == EffectKind::Read {
            return Ruling { verdict: Verdict::Allow, why: String::new() };
        }
        if let Some(broken) = self.broken.first() {
            return ask_because(format!("the settings cannot be used: {broken}"));
        }
        if is_guarded && !is_allowed {
            return ask_because("programs run or trust what is written there".to_owned());
        }
        Ruling { verdict: Verdict::Allow, why: String::new() }
    }

    /// The ruling on a tool, whatever its effects; `None` if no rule matches.
    pub(super) fn tool_ruling(&self, tool: &str) -> Option<Ruling> {
        for verdict in [Verdict::Deny, Verdict::Ask] {
            for layer in &self.layers {
                let rules = if verdict == Verdict::Deny { &layer.deny } else { &layer.ask };
                if let Some(pattern) =
                    rules.tools.iter().find(|pattern| matches_wildcard(pattern, tool))
                {
                    let why = rule_reason(&layer.file, verdict, "tools", pattern);
                    return Some(Ruling { verdict, why });
                }
            }
        }
        None
    }

    /// The ruling on an effect on a named target, such as a host. `None` if no rule matches: it
    /// needs approval.
    pub(super) fn name_ruling(&self, kind: EffectKind, name: &str) -> Option<Ruling> {
        let (allowed, restricted) = match kind {
            EffectKind::Network => (hosts::allowed_forms(name), hosts::restricted_forms(name)),
            _ => (vec![name.to_owned()], vec![name.to_owned()]),
        };
        let restricted: Vec<_> = restricted.iter().map(|form| form.to_lowercase()).collect();
        for verdict in [Verdict::Deny, Verdict::Ask, Verdict::Allow] {
            for layer in &self.layers {
                let rules = match verdict {
                    Verdict::Deny => &layer.deny,
                    Verdict::Ask => &layer.ask,
                    Verdict::Allow => &layer.allow,
                };
                let matches = |pattern: &&String| match (verdict, kind) {
                    (Verdict::Allow, _) if !self.broken.is_empty() => false,
                    (Verdict::Allow, EffectKind::Network) => {
                        hosts::names_kind(pattern, name)
                            && allowed.iter().any(|form| matches_wildcard(pattern, form))
                    }
                    (Verdict::Allow, _) => matches_wildcard(pattern, name),
                    _ => {
                        let pattern = pattern.to_lowercase();
                        restricted.iter().any(|form| matches_wildcard(&pattern, form))
                    }
                };
                if let Some(pattern) = rules.names(kind).iter().find(matches) {
                    let why = rule_reason(&layer.file, verdict, kind.as_str(), pattern);
                    return Some(Ruling { verdict, why });
                }
            }
        }
        None
    }

    /// The ruling on the commands of a line. `in_root`: it runs in a root itself. `is_unconfined`:
    /// it can reach the network or write outside the workspace. `is_bare`: it gets neither input
    /// nor environment variables beyond the default ones.
    pub(super) fn line_ruling(
        &self,
        line: &LineAnalysis,
        in_root: bool,
        is_unconfined: bool,
        is_bare: bool,
    ) -> Ruling {
        for verdict in [Verdict::Deny, Verdict::Ask] {
            for layer in &self.layers {
                let rules = if verdict == Verdict::Deny { &layer.deny } else { &layer.ask };
                let unconfined: &[_] = if is_unconfined { &rules.run_unconfined } else { &[] };
                let lists = [("run", rules.run.as_slice()), ("run_unconfined", unconfined)];
                for (key, rules) in lists {
                    let matched =
                        rules.iter().find(|rule| line.may_run().any(|w| rule.may_match(w)));
                    if let Some(rule) = matched {
                        let why = rule_reason(&layer.file, verdict, key, &rule.source);
                        return Ruling { verdict, why };
                    }
                }
            }
        }
        if let Some(broken) = self.broken.first() {
            return ask_because(format!("the settings cannot be used: {broken}"));
        }
        if let Some(doubt) = line.doubt {
            return ask_because(format!("no rule can allow the line: {doubt}"));
        }
        if !is_bare {
            return ask_because("no rule allows a command that is given an environment".to_owned());
        }
        let allows = |command: &ShellCommand| {
            self.layers.iter().any(|layer| {
                let confined: &[_] = if is_unconfined { &[] } else { &layer.allow.run };
                let rules = confined.iter().chain(&layer.allow.run_unconfined);
                rules.into_iter().any(|rule| rule.certainly_covers(command))
            })
        };
        if is_allowed(line, in_root, allows) {
            return Ruling { verdict: Verdict::Allow, why: "policy.allow.run".to_owned() };
        }
        ask_because("running programs needs approval".to_owned())
    }
}

fn ask_because(why: String) -> Ruling {
    Ruling { verdict: Verdict::Ask, why }
}

fn rule_reason(file: &str, verdict: Verdict, key: &str, pattern: &str) -> String {
    let table = match verdict {
        Verdict::Deny => "deny",
        Verdict::Ask => "ask",
        Verdict::Allow => "allow",
    };
    format!("{file}: policy.{table}.{key}: `{}`", super::visible::escaped_line(pattern))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Arc<ToolNames> {
        Arc::new(ToolNames::new(vec![
            ("read_file", &[]),
            ("grep_search", &[]),
            ("run_command", &["run_terminal_command"]),
        ]))
    }

    fn rules(user: &str, workspace: &str) -> Rules {
        let parse = |text: &str| Settings::parse(text.as_bytes()).unwrap();
        let mut rules = Rules::new(vec!["/w".into(), "/w/in".into()], names());
        rules.add_user_settings("user", &parse(user)).unwrap();
        rules.add_workspace_settings("workspace", Path::new("/w"), &parse(workspace)).unwrap();
        rules
    }

    fn verdict_on(rules: &Rules, kind: EffectKind, path: &str) -> Verdict {
        let path = Path::new(path);
        rules.path_ruling(kind, path, path.iter().any(is_guarded_name)).verdict
    }

    #[test]
    fn the_strictest_rule_wins_in_any_file() {
        use EffectKind::{Delete, Read, Write};
        let all = "read = [\"x\"]\nwrite = [\"x\"]\ndelete = [\"x\"]\n";
        for (user, workspace, wanted) in [
            ("", "", Verdict::Allow),
            ("allow", "", Verdict::Allow),
            ("ask allow", "", Verdict::Ask),
            ("allow", "ask", Verdict::Ask),
            ("deny ask allow", "", Verdict::Deny),
            ("allow", "deny", Verdict::Deny),
            ("ask", "deny", Verdict::Deny),
            ("deny", "ask", Verdict::Deny),
            ("deny", "allow", Verdict::Deny),
            ("ask", "allow", Verdict::Ask),
        ] {
            let table = |names: &str| {
                let tables = names.split_whitespace().map(|name| format!("[policy.{name}]\n{all}"));
                tables.collect::<String>()
            };
            let rules = rules(&table(user), &table(workspace));
            for kind in [Read, Write, Delete] {
                assert_eq!(verdict_on(&rules, kind, "/w/x"), wanted, "{user} / {workspace}");
                assert_eq!(verdict_on(&rules, kind, "/w/in/x/y"), wanted, "{user} / {workspace}");
                assert_eq!(verdict_on(&rules, kind, "/w/y"), Verdict::Allow);
            }
        }
    }

    #[test]
    fn rules_against_reading_cover_writing_and_deleting() {
        use EffectKind::{Delete, Read, Write};
        let rules = rules("[policy.deny]\nread = [\"r\"]\nwrite = [\"w\"]\ndelete = [\"d\"]\n", "");
        let denied = |kind, path| verdict_on(&rules, kind, path) == Verdict::Deny;
        for (path, kinds) in [("/w/r", 3), ("/w/w", 2), ("/w/d", 1), ("/w/x", 0)] {
            let count =
                [Read, Write, Delete].into_iter().filter(|kind| denied(*kind, path)).count();
            assert_eq!(count, kinds, "{path}");
        }
    }

    #[test]
    fn guarded_places_are_allowed_by_name_only() {
        let broad = rules("[policy.allow]\nwrite = [\"**\"]\n", "");
        assert_eq!(verdict_on(&broad, EffectKind::Write, "/w/.vscode/settings.json"), Verdict::Ask);
        let named = rules("[policy.allow]\nwrite = [\".vscode/settings.json\"]\n", "");
        assert_eq!(
            verdict_on(&named, EffectKind::Write, "/w/.vscode/settings.json"),
            Verdict::Allow
        );
        assert_eq!(verdict_on(&named, EffectKind::Write, "/w/.vscode/tasks.json"), Verdict::Ask);
        assert_eq!(
            verdict_on(&named, EffectKind::Delete, "/w/.vscode/settings.json"),
            Verdict::Ask
        );
        let workspace = rules("", "[policy.allow]\nwrite = [\".vscode\"]\n");
        assert_eq!(verdict_on(&workspace, EffectKind::Write, "/w/.vscode/x"), Verdict::Ask);
        assert_eq!(workspace.warnings.len(), 1);
    }

    #[test]
    fn hosts_are_allowed_and_denied_by_name() {
        let rules = rules(
            "[policy.allow]\nnetwork = [\"*.example.com\", \"localhost:3000 (loopback)\"]\n\
             [policy.deny]\nnetwork = [\"secret.example.com\", \"169.254.169.254\"]\n",
            "[network]\nproxy = \"http://evil.example:1\"\n\
             [metrics.otlp]\nurl = \"http://evil.example:4318\"\n",
        );
        let verdict =
            |name: &str| rules.name_ruling(EffectKind::Network, name).map(|ruling| ruling.verdict);
        assert_eq!(verdict("api.example.com:443"), Some(Verdict::Allow));
        assert_eq!(verdict("Secret.example.com:8443"), Some(Verdict::Deny));
        assert_eq!(verdict("api.example.com:443 at 10.0.0.1 (private network)"), None);
        assert_eq!(verdict("localhost:3000 (loopback)"), Some(Verdict::Allow));
        assert_eq!(verdict("localhost:3001 (loopback)"), None);
        let metadata = "x.example.com:80 at 169.254.169.254 (cloud metadata)";
        assert_eq!(verdict(metadata), Some(Verdict::Deny));
        assert_eq!(rules.network.proxy, None);
        assert_eq!(rules.metrics.otlp, None);
        assert_eq!(rules.warnings.len(), 2);
    }

    #[test]
    fn a_workspace_can_only_shorten_the_timeout() {
        let time = |secs: u64| format!("[policy]\nask_timeout_secs = {secs}\n");
        assert_eq!(rules("", "").approval_timeout().as_secs(), 120);
        assert_eq!(rules(&time(300), &time(600)).approval_timeout().as_secs(), 300);
        assert_eq!(rules(&time(300), &time(5)).approval_timeout().as_secs(), 5);
        assert_eq!(rules("", &time(600)).approval_timeout().as_secs(), 120);
    }

    #[test]
    fn unknown_tools_are_refused() {
        let settings = Settings::parse(b"[policy.deny]\ntools = [\"read_fil\"]\n").unwrap();
        let error =
            Rules::new(Vec::new(), names()).add_user_settings("user", &settings).unwrap_err();
        assert!(error.contains("did you mean `read_file`?"), "{error}");
        let settings = Settings::parse(b"[policy.allow]\ntools = [\"read_file\"]\n");
        assert!(settings.is_err());
    }

    /// Searches check every file: 50,000 checks must stay fast.
    #[test]
    fn read_rules_are_fast() {
        let rules = rules(
            "[policy.deny]\nread = [\".env\", \"*.pem\", \"secrets/**\", \"a/*/b.txt\"]\n",
            "",
        );
        let start = std::time::Instant::now();
        for n in 0..50_000 {
            let path = PathBuf::from(format!("/w/src/some/folder/{}/file{n}.rs", n % 100));
            assert_eq!(rules.path_ruling(EffectKind::Read, &path, false).verdict, Verdict::Allow);
        }
        assert!(start.elapsed().as_millis() < 2_000, "{:?}", start.elapsed());
    }
}
