//! The rules in force, ready to be asked.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use workspace::is_guarded_name;

use super::command::{CommandRule, is_allowed, is_exactly, is_like};
use super::compiled::Compiled;
use super::globs::Paths;
use super::settings::{Lists, Settings};
use super::shell::{Line, Simple};
use crate::EffectKind;
use crate::tool_names::ToolNames;

/// How long a person may take to answer, where no settings say.
const PATIENCE: Duration = Duration::from_secs(120);

/// What the rules say of something. Later ones win.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    Allow,
    Ask,
    Deny,
}

/// A verdict, and which rule or default it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ruling {
    pub(super) verdict: Verdict,
    pub(super) why: String,
}

/// All rules.
#[derive(Debug, Default)]
pub(super) struct Rules {
    /// The workspace folders.
    pub(super) roots: Vec<PathBuf>,
    layers: Vec<Layer>,
    /// Settings that could not be used. Everything but reading is asked for then.
    pub(super) broken: Vec<String>,
    /// What is not heeded in settings that could be used.
    pub(super) warnings: Vec<String>,
    patience: Option<Duration>,
    hides_files: bool,
    /// The folders whose repositories are trusted.
    trusted: Vec<PathBuf>,
    names: Arc<ToolNames>,
}

/// The rules of one file.
#[derive(Debug)]
struct Layer {
    /// The file, for messages.
    file: String,
    /// The root that its paths are below, if only one.
    root: Option<PathBuf>,
    deny: Compiled,
    ask: Compiled,
    allow: Compiled,
}

impl Rules {
    /// No rules yet for what is below these folders.
    pub(super) fn new(roots: Vec<PathBuf>, names: Arc<ToolNames>) -> Self {
        Self { roots, names, ..Self::default() }
    }

    /// Adds the rules of the user's settings.
    pub(super) fn user(&mut self, file: &str, settings: &Settings) -> Result<(), String> {
        self.add(file, None, settings)?;
        self.patience = settings.policy.ask_timeout_secs.map(Duration::from_secs);
        let place = |path: &String| match path.strip_prefix("~/") {
            Some(below) => Some(PathBuf::from(std::env::var_os("HOME")?).join(below)),
            None => Some(PathBuf::from(path)),
        };
        self.trusted = settings.git.trusted.iter().filter_map(place).collect();
        Ok(())
    }

    /// Adds the rules of a workspace, which only tighten.
    pub(super) fn workspace(
        &mut self,
        file: &str,
        root: &Path,
        settings: &Settings,
    ) -> Result<(), String> {
        let mut settings = settings.clone();
        if !settings.policy.allow.is_empty() {
            settings.policy.allow = Lists::default();
            let warning = format!("{file}: a workspace cannot allow; policy.allow is not heeded");
            self.warnings.push(warning);
        }
        if !settings.git.trusted.is_empty() {
            let warning =
                format!("{file}: a workspace cannot trust itself; git.trusted is not heeded");
            self.warnings.push(warning);
        }
        self.add(file, Some(root), &settings)?;
        if let Some(secs) = settings.policy.ask_timeout_secs {
            self.patience = Some(self.patience().min(Duration::from_secs(secs)));
        }
        Ok(())
    }

    fn add(&mut self, file: &str, root: Option<&Path>, settings: &Settings) -> Result<(), String> {
        let policy = &settings.policy;
        let layer = Layer {
            file: file.to_owned(),
            root: root.map(Path::to_owned),
            deny: Compiled::new(&policy.deny, &self.names, true)?,
            ask: Compiled::new(&policy.ask, &self.names, true)?,
            allow: Compiled::new(&policy.allow, &self.names, false)?,
        };
        self.hides_files |= !layer.deny.read.is_empty();
        self.layers.push(layer);
        Ok(())
    }

    /// Whether the person has said that they trust what is in a folder.
    pub(super) fn trusts(&self, folder: &Path) -> bool {
        self.broken.is_empty() && self.trusted.iter().any(|trusted| folder.starts_with(trusted))
    }

    /// How long a person may take to answer.
    pub(super) fn patience(&self) -> Duration {
        self.patience.unwrap_or(PATIENCE)
    }

    /// Whether any rule hides files.
    pub(super) fn hides_files(&self) -> bool {
        self.hides_files
    }

    /// Whether any rule is against the effect on some paths.
    pub(super) fn restricts(&self, kind: EffectKind) -> bool {
        self.layers.iter().any(|layer| {
            [&layer.deny, &layer.ask]
                .iter()
                .any(|rules| rules.against(kind).iter().any(|(_, paths)| !paths.is_empty()))
        })
    }

    /// The patterns that name one place below a root, not many: it may be a link.
    pub(super) fn places(&self) -> impl Iterator<Item = &str> {
        let lists = self.layers.iter().flat_map(|layer| [&layer.deny, &layer.ask]);
        lists
            .flat_map(|rules| rules.against(EffectKind::Delete))
            .flat_map(|(_, paths)| paths.written())
            .map(String::as_str)
            .filter(|pattern| !pattern.contains(['*', '?', '[', '{', '\\', '~']))
    }

    /// Where what is denied for reading by an absolute path lies: the path, or as much of the pattern
    /// as names one folder.
    pub(super) fn denied_outside(&self) -> Vec<PathBuf> {
        let written = self.layers.iter().flat_map(|layer| layer.deny.read.written());
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

    /// The programs that may not be run, whatever their arguments, by anybody.
    pub(super) fn denied_programs(&self) -> impl Iterator<Item = &str> {
        let rules = self.layers.iter().flat_map(|layer| &layer.deny.run);
        rules.filter_map(CommandRule::whole_program)
    }

    /// The last names in the patterns against an effect: what they match has one of these in it.
    pub(super) fn last_names(&self, kind: EffectKind) -> Vec<&str> {
        fn last(pattern: &str) -> &str {
            let mut names = pattern.rsplit('/');
            let is_name = |name: &&str| !name.chars().all(|c| c == '*');
            // Braces may hold parts of paths.
            names.find(is_name).filter(|_| !pattern.contains('{')).unwrap_or("*")
        }
        let lists = self.layers.iter().flat_map(|layer| [&layer.deny, &layer.ask]);
        let patterns = lists.flat_map(|rules| rules.against(kind)).flat_map(|(_, p)| p.written());
        patterns.map(|pattern| last(pattern)).collect()
    }

    /// Whether a rule allows a command word for word.
    pub(super) fn allows_exactly(&self, command: &Simple, is_unconfined: bool) -> bool {
        self.layers.iter().any(|layer| {
            let confined: &[_] = if is_unconfined { &[] } else { &layer.allow.run };
            let mut rules = confined.iter().chain(&layer.allow.run_unconfined);
            rules.any(|rule| is_exactly(rule, command))
        })
    }

    /// Whether the absolute path `path` is, below a root, one of those that programs run or trust.
    pub(super) fn is_guarded(&self, path: &Path) -> bool {
        let below = self.roots.iter().find_map(|root| path.strip_prefix(root).ok());
        below.is_some_and(|below| below.iter().any(is_guarded_name))
    }

    /// What the rules say of an effect on the absolute path `path`.
    pub(super) fn on_path(&self, kind: EffectKind, path: &Path, is_guarded: bool) -> Ruling {
        let matching = |layer: &Layer, paths: &Paths| {
            let roots = match &layer.root {
                Some(root) => std::slice::from_ref(root),
                None => self.roots.as_slice(),
            };
            // One root may lie in another.
            let mut below = roots.iter().filter_map(|root| path.strip_prefix(root).ok());
            below
                .find_map(|below| paths.matching(path, Some(below)))
                .or_else(|| paths.matching(path, None))
                .map(str::to_owned)
        };
        let speaking = |verdict: Verdict| {
            self.layers.iter().find_map(|layer| {
                let rules = if verdict == Verdict::Deny { &layer.deny } else { &layer.ask };
                rules.against(kind).into_iter().find_map(|(key, paths)| {
                    let pattern = matching(layer, paths)?;
                    Some(Ruling { verdict, why: of_rule(&layer.file, verdict, key, &pattern) })
                })
            })
        };
        if let Some(ruling) = speaking(Verdict::Deny).or_else(|| speaking(Verdict::Ask)) {
            return ruling;
        }
        let allows = |layer: &Layer| {
            let paths = layer.allow.in_favour(kind)?;
            let pattern = matching(layer, paths)?;
            // Guarded names are allowed by name only.
            let names = |pattern: &str| Path::new(pattern).iter().any(is_guarded_name);
            (!is_guarded || names(&pattern)).then_some(())
        };
        let is_allowed = self.layers.iter().any(|layer| allows(layer).is_some());
        if kind == EffectKind::Read {
            return Ruling { verdict: Verdict::Allow, why: String::new() };
        }
        if let Some(broken) = self.broken.first() {
            return ask(format!("the settings cannot be used: {broken}"));
        }
        if is_guarded && !is_allowed {
            return ask("programs run or trust what is written there".to_owned());
        }
        Ruling { verdict: Verdict::Allow, why: String::new() }
    }

    /// What the rules say of a tool, whatever it does; `None` where nothing.
    pub(super) fn on_tool(&self, tool: &str) -> Option<Ruling> {
        for verdict in [Verdict::Deny, Verdict::Ask] {
            for layer in &self.layers {
                let rules = if verdict == Verdict::Deny { &layer.deny } else { &layer.ask };
                if let Some(pattern) = rules.tools.iter().find(|pattern| is_like(pattern, tool)) {
                    let why = of_rule(&layer.file, verdict, "tools", pattern);
                    return Some(Ruling { verdict, why });
                }
            }
        }
        None
    }

    /// What the rules say of an effect on something with a name of its own; `None` where nothing,
    /// and it is asked for.
    pub(super) fn on_named(&self, kind: EffectKind, name: &str) -> Option<Ruling> {
        for verdict in [Verdict::Deny, Verdict::Ask, Verdict::Allow] {
            for layer in &self.layers {
                let (rules, name) = match verdict {
                    Verdict::Deny => (&layer.deny, name.to_lowercase()),
                    Verdict::Ask => (&layer.ask, name.to_lowercase()),
                    Verdict::Allow => (&layer.allow, name.to_owned()),
                };
                let speaks = |pattern: &&String| match verdict {
                    Verdict::Allow => is_like(pattern, &name) && self.broken.is_empty(),
                    _ => is_like(&pattern.to_lowercase(), &name),
                };
                if let Some(pattern) = rules.named(kind).iter().find(speaks) {
                    let why = of_rule(&layer.file, verdict, kind.as_str(), pattern);
                    return Some(Ruling { verdict, why });
                }
            }
        }
        None
    }

    /// What the rules say of the commands of a line. `in_root`: it runs in a root itself.
    /// `is_unconfined`: it may reach the network or write outside the workspace. `is_bare`: it gets
    /// nothing beside the clean environment.
    pub(super) fn on_line(
        &self,
        line: &Line,
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
                    let met = rules.iter().find(|rule| line.may_run().any(|w| rule.may_match(w)));
                    if let Some(rule) = met {
                        let why = of_rule(&layer.file, verdict, key, &rule.written);
                        return Ruling { verdict, why };
                    }
                }
            }
        }
        if let Some(broken) = self.broken.first() {
            return ask(format!("the settings cannot be used: {broken}"));
        }
        if let Some(doubt) = line.doubt {
            return ask(format!("no rule can allow the line: {doubt}"));
        }
        if !is_bare {
            return ask("no rule allows a command that is given an environment".to_owned());
        }
        let allows = |command: &Simple| {
            self.layers.iter().any(|layer| {
                let confined: &[_] = if is_unconfined { &[] } else { &layer.allow.run };
                let rules = confined.iter().chain(&layer.allow.run_unconfined);
                rules.into_iter().any(|rule| rule.is_about(command))
            })
        };
        if is_allowed(line, in_root, allows) {
            return Ruling { verdict: Verdict::Allow, why: "policy.allow.run".to_owned() };
        }
        ask("running programs needs approval".to_owned())
    }
}

fn ask(why: String) -> Ruling {
    Ruling { verdict: Verdict::Ask, why }
}

fn of_rule(file: &str, verdict: Verdict, key: &str, pattern: &str) -> String {
    let table = match verdict {
        Verdict::Deny => "deny",
        Verdict::Ask => "ask",
        Verdict::Allow => "allow",
    };
    format!("{file}: policy.{table}.{key}: `{}`", super::visible::visible(pattern))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Arc<ToolNames> {
        Arc::new(crate::registry::tool_names())
    }

    fn rules(user: &str, workspace: &str) -> Rules {
        let parse = |text: &str| Settings::parse(text.as_bytes()).unwrap();
        let mut rules = Rules::new(vec!["/w".into(), "/w/in".into()], names());
        rules.user("user", &parse(user)).unwrap();
        rules.workspace("workspace", Path::new("/w"), &parse(workspace)).unwrap();
        rules
    }

    fn on(rules: &Rules, kind: EffectKind, path: &str) -> Verdict {
        let path = Path::new(path);
        rules.on_path(kind, path, path.iter().any(is_guarded_name)).verdict
    }

    #[test]
    fn the_strictest_rule_wins_wherever_it_stands() {
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
                assert_eq!(on(&rules, kind, "/w/x"), wanted, "{user} / {workspace}");
                assert_eq!(on(&rules, kind, "/w/in/x/y"), wanted, "{user} / {workspace}");
                assert_eq!(on(&rules, kind, "/w/y"), Verdict::Allow);
            }
        }
    }

    #[test]
    fn who_may_not_read_may_not_write_and_so_on() {
        use EffectKind::{Delete, Read, Write};
        let rules = rules("[policy.deny]\nread = [\"r\"]\nwrite = [\"w\"]\ndelete = [\"d\"]\n", "");
        let denied = |kind, path| on(&rules, kind, path) == Verdict::Deny;
        for (path, kinds) in [("/w/r", 3), ("/w/w", 2), ("/w/d", 1), ("/w/x", 0)] {
            let count =
                [Read, Write, Delete].into_iter().filter(|kind| denied(*kind, path)).count();
            assert_eq!(count, kinds, "{path}");
        }
    }

    #[test]
    fn guarded_places_are_allowed_by_name_only() {
        let broad = rules("[policy.allow]\nwrite = [\"**\"]\n", "");
        assert_eq!(on(&broad, EffectKind::Write, "/w/.vscode/settings.json"), Verdict::Ask);
        let named = rules("[policy.allow]\nwrite = [\".vscode/settings.json\"]\n", "");
        assert_eq!(on(&named, EffectKind::Write, "/w/.vscode/settings.json"), Verdict::Allow);
        assert_eq!(on(&named, EffectKind::Write, "/w/.vscode/tasks.json"), Verdict::Ask);
        assert_eq!(on(&named, EffectKind::Delete, "/w/.vscode/settings.json"), Verdict::Ask);
        let workspace = rules("", "[policy.allow]\nwrite = [\".vscode\"]\n");
        assert_eq!(on(&workspace, EffectKind::Write, "/w/.vscode/x"), Verdict::Ask);
        assert_eq!(workspace.warnings.len(), 1);
    }

    #[test]
    fn times_are_only_made_shorter_by_a_workspace() {
        let time = |secs: u64| format!("[policy]\nask_timeout_secs = {secs}\n");
        assert_eq!(rules("", "").patience().as_secs(), 120);
        assert_eq!(rules(&time(300), &time(600)).patience().as_secs(), 300);
        assert_eq!(rules(&time(300), &time(5)).patience().as_secs(), 5);
        assert_eq!(rules("", &time(600)).patience().as_secs(), 120);
    }

    #[test]
    fn a_tool_that_does_not_exist_is_a_mistake() {
        let settings = Settings::parse(b"[policy.deny]\ntools = [\"read_fil\"]\n").unwrap();
        let error = Rules::new(Vec::new(), names()).user("user", &settings).unwrap_err();
        assert!(error.contains("did you mean `read_file`?"), "{error}");
        let settings = Settings::parse(b"[policy.allow]\ntools = [\"read_file\"]\n");
        assert!(settings.is_err());
    }

    /// Searches ask of every file: 50,000 of them must not be felt.
    #[test]
    fn rules_of_reading_are_quick() {
        let rules = rules(
            "[policy.deny]\nread = [\".env\", \"*.pem\", \"secrets/**\", \"a/*/b.txt\"]\n",
            "",
        );
        let start = std::time::Instant::now();
        for n in 0..50_000 {
            let path = PathBuf::from(format!("/w/src/some/folder/{}/file{n}.rs", n % 100));
            assert_eq!(rules.on_path(EffectKind::Read, &path, false).verdict, Verdict::Allow);
        }
        assert!(start.elapsed().as_millis() < 2_000, "{:?}", start.elapsed());
    }
}
