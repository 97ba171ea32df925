//! The table of debug adapters.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;
use serde_json::Value;

use crate::expressions::Expressions;
use crate::pages::PageTemplates;
use crate::template::{fill, fill_all};
use crate::{DebugError, TemplateValues, ToolSpec};

/// Size limit of a user's table, in bytes.
const MAX_TABLE_SIZE: usize = 1 << 20;

/// An entry of the table.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Adapter {
    /// Its name.
    pub name: String,
    /// Other names for it.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// The `type`s that launch.json files use for it.
    #[serde(default)]
    pub types: Vec<String>,
    /// The languages it debugs.
    #[serde(default)]
    pub languages: Vec<String>,
    /// How to connect to it.
    pub transport: Transport,
    /// How to install it.
    pub install: String,
    /// How well it is tested, for people.
    #[serde(default)]
    pub state: String,
    /// The command that prints its version; empty if there is none.
    #[serde(default)]
    version: Vec<String>,
    /// Names of programs that run source files of its languages, each with at most one `*`: it can
    /// attach to their processes.
    #[serde(default)]
    interpreters: Vec<String>,
    /// The tools it needs, by name; `adapter` is the adapter itself.
    #[serde(default)]
    pub tools: BTreeMap<String, ToolSpec>,
    /// The console text before the program's exit code, if it reports that in no other way.
    #[serde(default)]
    pub exits: Option<String>,
    /// Whether the program's last output may follow `terminated`.
    #[serde(default)]
    pub late_output: bool,
    /// Whether its programs write to a terminal: their lines end with `\r\n`.
    #[serde(default)]
    pub terminal: bool,
    /// How to get pages of long values, if it does not support that or is slow.
    #[serde(default)]
    pub(crate) pages: Vec<PageTemplates>,
    /// How many elements of a value it lists in reasonable time without pages.
    #[serde(default)]
    pub(crate) most_elements: Option<i64>,
    /// How it takes expressions.
    #[serde(default)]
    pub(crate) expressions: Expressions,
    /// The request that moves a program from its entry stop, which is at no line, to its first
    /// line.
    #[serde(default)]
    pub(crate) entry: Option<String>,
    /// A remark for every verified breakpoint.
    #[serde(default)]
    pub(crate) binding: Option<String>,
    /// The oldest supported version.
    #[serde(default)]
    pub oldest: Option<String>,
    command: Vec<String>,
    #[serde(default)]
    launch: BTreeMap<LaunchKind, Value>,
    #[serde(default)]
    attach: Option<Value>,
}

/// How to connect to an adapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// Its standard input and output.
    Stdio,
    /// A loopback port.
    Tcp,
    /// A Unix socket.
    Unix,
}

/// What to launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LaunchKind {
    /// A source file, which is run as it is.
    File,
    /// A compiled program.
    Binary,
    /// A module, by name.
    Module,
    /// A test, by its name in the test runner.
    Test,
}

impl Adapter {
    /// The command that starts it.
    #[must_use]
    pub fn command(&self, values: &TemplateValues) -> Vec<String> {
        fill_all(&self.command, values)
    }

    /// The arguments of `launch`; `None` if it cannot launch this kind.
    #[must_use]
    pub fn launch(&self, kind: LaunchKind, values: &TemplateValues) -> Option<Value> {
        self.launch.get(&kind).map(|template| fill(template, values))
    }

    /// The arguments of `attach`; `None` if it cannot attach.
    #[must_use]
    pub fn attach(&self, values: &TemplateValues) -> Option<Value> {
        self.attach.as_ref().map(|template| fill(template, values))
    }

    /// The command that prints its version; empty if there is none.
    #[must_use]
    pub fn version(&self, values: &TemplateValues) -> Vec<String> {
        fill_all(&self.version, values)
    }

    /// Whether it can launch this kind.
    #[must_use]
    pub fn launches(&self, kind: LaunchKind) -> bool {
        self.launch.contains_key(&kind)
    }

    /// Whether it can attach to a running process.
    #[must_use]
    pub fn attaches(&self) -> bool {
        self.attach.is_some()
    }

    /// Whether a program of this name runs source files of its languages.
    #[must_use]
    pub fn interprets(&self, program: &str) -> bool {
        self.interpreters.iter().any(|name| match name.split_once('*') {
            Some((before, after)) => {
                program.strip_prefix(before).is_some_and(|rest| rest.ends_with(after))
            }
            None => name == program,
        })
    }

    /// Whether this is its name or an alias, ignoring case.
    #[must_use]
    pub fn has_name(&self, name: &str) -> bool {
        let matches = |own: &String| own.eq_ignore_ascii_case(name);
        matches(&self.name) || self.aliases.iter().any(matches)
    }

    /// Whether a condition has no side effects in this adapter's language.
    #[must_use]
    pub fn is_condition_side_effect_free(&self, condition: &str) -> bool {
        self.expressions.is_side_effect_free_condition(condition)
    }

    /// Whether it debugs this language.
    #[must_use]
    pub fn runs(&self, language: &str) -> bool {
        self.languages.iter().any(|own| own == language)
    }
}

/// A kind of project.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProjectKind {
    /// The file that identifies a project's folder.
    pub marker: String,
    /// The language of its programs.
    pub language: String,
    program: Option<Vec<String>>,
    test: Option<Vec<String>>,
    #[serde(default)]
    test_arguments: Vec<String>,
    #[serde(default)]
    runs: Vec<String>,
    #[serde(default)]
    tests: Vec<String>,
}

impl ProjectKind {
    /// The command that builds a program or test; `None` if nothing is built first.
    #[must_use]
    pub fn build_command(&self, is_test: bool) -> Option<&[String]> {
        if is_test { self.test.as_deref() } else { self.program.as_deref() }
    }

    /// The arguments of a test program.
    #[must_use]
    pub fn test_arguments(&self, values: &TemplateValues) -> Vec<String> {
        fill_all(&self.test_arguments, values)
    }

    /// The command that runs a program or test without a debugger.
    #[must_use]
    pub fn manual_command(&self, is_test: bool) -> &[String] {
        if is_test { &self.tests } else { &self.runs }
    }
}

/// All adapters, and the kinds of project.
#[derive(Debug, Clone)]
pub struct Adapters {
    adapters: Vec<Adapter>,
    projects: Vec<ProjectKind>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AdapterTable {
    #[serde(default)]
    adapter: Vec<Adapter>,
    #[serde(default)]
    project: Vec<ProjectKind>,
}

impl Adapters {
    /// The built-in table.
    #[must_use]
    pub fn builtin() -> &'static Self {
        static EMBEDDED: OnceLock<Adapters> = OnceLock::new();
        EMBEDDED.get_or_init(|| {
            parse_table("adapters.toml", include_str!("adapters.toml"))
                .unwrap_or_else(|_| Self { adapters: Vec::new(), projects: Vec::new() })
        })
    }

    /// This table, with the entries of a user's table before and instead of ours.
    ///
    /// # Errors
    /// When the table is invalid.
    pub fn with_user_table(&self, place: &str, table: &str) -> Result<Self, DebugError> {
        if table.len() > MAX_TABLE_SIZE {
            let reason = format!("it is longer than {MAX_TABLE_SIZE} bytes");
            return Err(DebugError::Table { place: place.to_owned(), reason });
        }
        let mut all = parse_table(place, table)?;
        let is_new = |one: &&Adapter| !all.adapters.iter().any(|own| own.name == one.name);
        let kept: Vec<_> = self.adapters.iter().filter(is_new).cloned().collect();
        all.adapters.extend(kept);
        let is_new = |one: &&ProjectKind| !all.projects.iter().any(|own| own.marker == one.marker);
        let kept: Vec<_> = self.projects.iter().filter(is_new).cloned().collect();
        all.projects.extend(kept);
        Ok(all)
    }

    /// All adapters, preferred ones first.
    pub fn iter(&self) -> impl Iterator<Item = &Adapter> {
        self.adapters.iter()
    }

    /// The kinds of project.
    #[must_use]
    pub fn projects(&self) -> &[ProjectKind] {
        &self.projects
    }
}

fn parse_table(place: &str, table: &str) -> Result<Adapters, DebugError> {
    let parsed: Result<AdapterTable, _> = toml::from_str(table);
    parsed
        .map(|table| Adapters { adapters: table.adapter, projects: table.project })
        .map_err(|error| DebugError::Table { place: place.to_owned(), reason: error.to_string() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_adapter_has_what_starting_it_needs() {
        let all = parse_table("adapters.toml", include_str!("adapters.toml")).unwrap();
        assert!(
            all.iter().count() > 0
                && all.projects().iter().any(|p| p.build_command(true).is_some())
        );
        for adapter in all.iter() {
            assert!(adapter.tools.contains_key("adapter"), "{}", adapter.name);
            assert!(!adapter.launch.is_empty() && !adapter.install.is_empty());
            assert!(adapter.command.iter().any(|word| word.contains("{adapter}")));
        }
    }

    #[test]
    fn a_users_adapter_replaces_ours() {
        let own = r#"
            [[adapter]]
            name = "debugpy"
            transport = "stdio"
            command = ["my-debugpy", "{adapter}"]
            install = "ask me"
            [adapter.launch.file]
            program = "{program}"
        "#;
        let all = Adapters::builtin().with_user_table("own", own).unwrap();
        let debugpy: Vec<_> = all.iter().filter(|a| a.name == "debugpy").collect();
        assert_eq!(debugpy.len(), 1);
        let values = TemplateValues::from([("program", json!("a.py"))]);
        assert_eq!(
            debugpy[0].launch(LaunchKind::File, &values),
            Some(json!({ "program": "a.py" }))
        );
        assert_eq!(debugpy[0].launch(LaunchKind::Module, &values), None);
        assert!(all.iter().any(|a| a.has_name("LLDB")));
        let broken =
            Adapters::builtin().with_user_table("own", "[[adapter]]\nname = 1\n").unwrap_err();
        assert!(broken.to_string().starts_with("own: "), "{broken}");
    }
}
