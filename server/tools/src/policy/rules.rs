//! The rules in force, ready to be asked.

use std::path::{Path, PathBuf};
use std::time::Duration;

use workspace::is_guarded_name;

use super::command::{CommandRule, is_allowed, is_like};
use super::globs::Paths;
use super::settings::{Lists, Settings};
use super::shell::{Line, Simple};
use crate::EffectKind;
use crate::registry::registry;

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
    layers: Vec<Layer>,
    /// Settings that could not be used. Everything but reading is asked for then.
    pub(super) broken: Vec<String>,
    /// What is not heeded in settings that could be used.
    pub(super) warnings: Vec<String>,
    patience: Option<Duration>,
    hides_files: bool,
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

#[derive(Debug, Default)]
struct Compiled {
    read: Paths,
    write: Paths,
    delete: Paths,
    run: Vec<CommandRule>,
    run_unconfined: Vec<CommandRule>,
    network: Vec<String>,
    admin: Vec<String>,
    tools: Vec<String>,
}

impl Compiled {
    fn new(lists: &Lists, ignores_case: bool) -> Result<Self, String> {
        let commands = |rules: &[_]| rules.iter().map(CommandRule::new).collect::<Result<_, _>>();
        for tool in &lists.tools {
            let known = |name: &str| is_like(tool, name);
            if !registry().iter().any(|t| known(t.name)) {
                let nearest =
                    registry().iter().min_by_key(|t| strsim::damerau_levenshtein(t.name, tool));
                let nearest = nearest.map_or("", |tool| tool.name);
                return Err(format!(
                    "there is no tool `{tool:.60}`; did you mean `{nearest}`? \
                     Tools go by their canonical names here"
                ));
            }
        }
        Ok(Self {
            read: Paths::new(&lists.read, ignores_case)?,
            write: Paths::new(&lists.write, ignores_case)?,
            delete: Paths::new(&lists.delete, ignores_case)?,
            run: commands(&lists.run)?,
            run_unconfined: commands(&lists.run_unconfined)?,
            network: lists.network.clone(),
            admin: lists.admin.clone(),
            tools: lists.tools.clone(),
        })
    }

    /// The lists of paths that speak of an effect, with their keys. Who may not read a file may not
    /// change it, who may not change it may not delete it.
    fn against(&self, kind: EffectKind) -> Vec<(&'static str, &Paths)> {
        let all = [("read", &self.read), ("write", &self.write), ("delete", &self.delete)];
        let count = match kind {
            EffectKind::Read => 1,
            EffectKind::Write => 2,
            EffectKind::Delete => 3,
            _ => 0,
        };
        all[..count].to_vec()
    }

    fn in_favour(&self, kind: EffectKind) -> Option<&Paths> {
        match kind {
            EffectKind::Read => Some(&self.read),
            EffectKind::Write => Some(&self.write),
            EffectKind::Delete => Some(&self.delete),
            _ => None,
        }
    }

    fn named(&self, kind: EffectKind) -> &[String] {
        match kind {
            EffectKind::Network => &self.network,
            EffectKind::Admin => &self.admin,
            _ => &[],
        }
    }
}

impl Rules {
    /// Adds the rules of the user's settings.
    pub(super) fn user(&mut self, file: &str, settings: &Settings) -> Result<(), String> {
        self.add(file, None, settings)?;
        self.patience = settings.policy.ask_timeout_secs.map(Duration::from_secs);
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
        self.add(file, Some(root), &settings)?;
        if let Some(secs) = settings.policy.ask_timeout_secs {
            self.patience = Some(self.patience().min(Duration::from_secs(secs)));
        }
        Ok(())
    }

    fn add(
        &mut self,
        file: &str,
        root: Option<&Path>,
        settings: &Settings,
    ) -> Result<(), String> {
        let policy = &settings.policy;
        let layer = Layer {
            file: file.to_owned(),
            root: root.map(Path::to_owned),
            deny: Compiled::new(&policy.deny, true)?,
            ask: Compiled::new(&policy.ask, true)?,
            allow: Compiled::new(&policy.allow, false)?,
        };
        self.hides_files |= !layer.deny.read.is_empty();
        self.layers.push(layer);
        Ok(())
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

    /// What the rules say of an effect on a path below `root`.
    pub(super) fn on_path(
        &self,
        kind: EffectKind,
        path: &Path,
        roots: &[PathBuf],
        is_guarded: bool,
    ) -> Ruling {
        let below = |layer: &Layer| match &layer.root {
            Some(root) => path.strip_prefix(root).ok(),
            None => roots.iter().find_map(|root| path.strip_prefix(root).ok()),
        };
        let speaking = |verdict: Verdict| {
            self.layers.iter().find_map(|layer| {
                let rules = if verdict == Verdict::Deny { &layer.deny } else { &layer.ask };
                rules.against(kind).into_iter().find_map(|(key, paths)| {
                    let pattern = paths.matching(path, below(layer))?;
                    Some(Ruling { verdict, why: of_rule(&layer.file, verdict, key, pattern) })
                })
            })
        };
        if let Some(ruling) = speaking(Verdict::Deny).or_else(|| speaking(Verdict::Ask)) {
            return ruling;
        }
        let allowed = self.layers.iter().find_map(|layer| {
            let paths = layer.allow.in_favour(kind)?;
            let pattern = paths.matching(path, below(layer))?;
            // Guarded names are allowed by name only.
            let names = |pattern: &str| Path::new(pattern).iter().any(is_guarded_name);
            (!is_guarded || names(pattern)).then(String::new)
        });
        if kind == EffectKind::Read {
            return Ruling { verdict: Verdict::Allow, why: allowed.unwrap_or_default() };
        }
        if let Some(broken) = self.broken.first() {
            return ask(format!("the settings cannot be used: {broken}"));
        }
        if let Some(why) = allowed {
            return Ruling { verdict: Verdict::Allow, why };
        }
        if is_guarded {
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

    /// What the rules say of an effect on something with a name of its own.
    pub(super) fn on_named(&self, kind: EffectKind, name: &str) -> Ruling {
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
                    return Ruling { verdict, why };
                }
            }
        }
        match kind {
            EffectKind::Read => Ruling { verdict: Verdict::Allow, why: String::new() },
            kind => ask(format!("{} effects are asked for", kind.as_str())),
        }
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
        ask("running programs is asked for".to_owned())
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
