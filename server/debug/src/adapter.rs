//! The table of adapters.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;
use serde_json::Value;

use crate::expressions::Expressions;
use crate::pages::Pages;
use crate::template::{filled, words};
use crate::{DebugError, Tool, Values};

/// Longest table of a user's, in bytes; longer ones are refused.
const LONGEST: usize = 1 << 20;

/// One adapter, as the table has it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Adapter {
    /// Its name.
    pub name: String,
    /// Other names that it is asked for by.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// What `type` in a launch.json calls it.
    #[serde(default)]
    pub types: Vec<String>,
    /// The languages whose files it runs.
    #[serde(default)]
    pub languages: Vec<String>,
    /// How it is spoken to.
    pub transport: Transport,
    /// What brings it.
    pub install: String,
    /// How well it is known to work, for people.
    #[serde(default)]
    pub state: String,
    /// What makes it tell its version; nothing where it has no way to.
    #[serde(default)]
    version: Vec<String>,
    /// The names of programs that run its languages' source, with one `*` each at most: processes of
    /// theirs are its.
    #[serde(default)]
    interpreters: Vec<String>,
    /// What has to be found for it, by name; `adapter` is the adapter itself.
    #[serde(default)]
    pub tools: BTreeMap<String, Tool>,
    /// What it writes to its console before the number that a program exited with, where it tells
    /// that in no other way.
    #[serde(default)]
    pub exits: Option<String>,
    /// Whether it may tell what its program wrote last after it has said that all is over.
    #[serde(default)]
    pub late_output: bool,
    /// Whether its programs write to a terminal of its own: their lines end with a return, too.
    #[serde(default)]
    pub terminal: bool,
    /// How pages of long values are had, where its own way is none or slow.
    #[serde(default)]
    pub(crate) pages: Vec<Pages>,
    /// How many elements of one value it lists in time, without pages.
    #[serde(default)]
    pub(crate) most_elements: Option<i64>,
    /// How it takes expressions.
    #[serde(default)]
    pub(crate) expressions: Expressions,
    /// The request that brings a program from its stop on entry, which is at no line, to the first.
    #[serde(default)]
    pub(crate) entry: Option<String>,
    /// What there is to say of a line that it has taken.
    #[serde(default)]
    pub(crate) binding: Option<String>,
    /// The oldest version that will do, for who asks it.
    #[serde(default)]
    pub oldest: Option<String>,
    command: Vec<String>,
    #[serde(default)]
    launch: BTreeMap<Kind, Value>,
    #[serde(default)]
    attach: Option<Value>,
}

/// How an adapter is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// Over its standard input and output.
    Stdio,
    /// Over a port of the loopback.
    Tcp,
    /// Over a socket in the file system.
    Unix,
}

/// What is to be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A file of source, which is run as it is.
    File,
    /// A compiled program.
    Binary,
    /// A module, by its name.
    Module,
    /// A test, by the name that the test runner has for it.
    Test,
}

impl Adapter {
    /// The words of the command that starts it.
    #[must_use]
    pub fn command(&self, values: &Values) -> Vec<String> {
        words(&self.command, values)
    }

    /// What it is told to launch; `None` where it cannot launch such a thing.
    #[must_use]
    pub fn launch(&self, kind: Kind, values: &Values) -> Option<Value> {
        self.launch.get(&kind).map(|template| filled(template, values))
    }

    /// What it is told to attach to; `None` where it cannot.
    #[must_use]
    pub fn attach(&self, values: &Values) -> Option<Value> {
        self.attach.as_ref().map(|template| filled(template, values))
    }

    /// The words of the command that makes it tell its version; none where it has no way to.
    #[must_use]
    pub fn version(&self, values: &Values) -> Vec<String> {
        words(&self.version, values)
    }

    /// Whether it can launch such a thing.
    #[must_use]
    pub fn launches(&self, kind: Kind) -> bool {
        self.launch.contains_key(&kind)
    }

    /// Whether it can attach to a process that runs.
    #[must_use]
    pub fn attaches(&self) -> bool {
        self.attach.is_some()
    }

    /// Whether a program of this name runs its languages' source.
    #[must_use]
    pub fn interprets(&self, program: &str) -> bool {
        self.interpreters.iter().any(|name| match name.split_once('*') {
            Some((before, after)) => {
                program.strip_prefix(before).is_some_and(|rest| rest.ends_with(after))
            }
            None => name == program,
        })
    }

    /// Whether it is called so.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        let same = |own: &String| own.eq_ignore_ascii_case(name);
        same(&self.name) || self.aliases.iter().any(same)
    }

    /// Whether a condition does nothing but look, as this adapter takes it.
    #[must_use]
    pub fn conditions_only_look(&self, condition: &str) -> bool {
        self.expressions.conditions_only_look(condition)
    }

    /// Whether it runs files in this language.
    #[must_use]
    pub fn runs(&self, language: &str) -> bool {
        self.languages.iter().any(|own| own == language)
    }
}

/// A kind of projects.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Project {
    /// The file that a folder of one has.
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

impl Project {
    /// The words that build what is to run, a program or a test; `None` where nothing is built
    /// first.
    #[must_use]
    pub fn build(&self, is_test: bool) -> Option<&[String]> {
        if is_test { self.test.as_deref() } else { self.program.as_deref() }
    }

    /// What the program of a test is told.
    #[must_use]
    pub fn test_arguments(&self, values: &Values) -> Vec<String> {
        words(&self.test_arguments, values)
    }

    /// How one would run a program, or a test, by hand.
    #[must_use]
    pub fn by_hand(&self, is_test: bool) -> &[String] {
        if is_test { &self.tests } else { &self.runs }
    }
}

/// All adapters, and the kinds of projects.
#[derive(Debug, Clone)]
pub struct Adapters {
    adapters: Vec<Adapter>,
    projects: Vec<Project>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(default)]
    adapter: Vec<Adapter>,
    #[serde(default)]
    project: Vec<Project>,
}

impl Adapters {
    /// Those that are known here.
    #[must_use]
    pub fn embedded() -> &'static Self {
        static EMBEDDED: OnceLock<Adapters> = OnceLock::new();
        EMBEDDED.get_or_init(|| {
            parsed("adapters.toml", include_str!("adapters.toml"))
                .unwrap_or_else(|_| Self { adapters: Vec::new(), projects: Vec::new() })
        })
    }

    /// The same, with those of a user's own table before them and in their stead.
    ///
    /// # Errors
    /// Where the table cannot be read.
    pub fn with(&self, place: &str, table: &str) -> Result<Self, DebugError> {
        if table.len() > LONGEST {
            let reason = format!("it is longer than {LONGEST} bytes");
            return Err(DebugError::Table { place: place.to_owned(), reason });
        }
        let mut all = parsed(place, table)?;
        let is_new = |one: &&Adapter| !all.adapters.iter().any(|own| own.name == one.name);
        let kept: Vec<_> = self.adapters.iter().filter(is_new).cloned().collect();
        all.adapters.extend(kept);
        let is_new = |one: &&Project| !all.projects.iter().any(|own| own.marker == one.marker);
        let kept: Vec<_> = self.projects.iter().filter(is_new).cloned().collect();
        all.projects.extend(kept);
        Ok(all)
    }

    /// All of them, the preferred ones first.
    pub fn iter(&self) -> impl Iterator<Item = &Adapter> {
        self.adapters.iter()
    }

    /// The kinds of projects.
    #[must_use]
    pub fn projects(&self) -> &[Project] {
        &self.projects
    }
}

fn parsed(place: &str, table: &str) -> Result<Adapters, DebugError> {
    let parsed: Result<Table, _> = toml::from_str(table);
    parsed
        .map(|table| Adapters { adapters: table.adapter, projects: table.project })
        .map_err(|error| DebugError::Table { place: place.to_owned(), reason: error.to_string() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_adapter_of_the_table_can_be_found_and_told_what_to_do() {
        let all = parsed("adapters.toml", include_str!("adapters.toml")).unwrap();
        assert!(all.iter().count() > 0 && all.projects().iter().any(|p| p.build(true).is_some()));
        for adapter in all.iter() {
            assert!(adapter.tools.contains_key("adapter"), "{}", adapter.name);
            assert!(!adapter.launch.is_empty() && !adapter.install.is_empty());
            assert!(adapter.command.iter().any(|word| word.contains("{adapter}")));
        }
    }

    #[test]
    fn a_users_adapter_stands_in_place_of_ours() {
        let own = r#"
            [[adapter]]
            name = "debugpy"
            transport = "stdio"
            command = ["my-debugpy", "{adapter}"]
            install = "ask me"
            [adapter.launch.file]
            program = "{program}"
        "#;
        let all = Adapters::embedded().with("own", own).unwrap();
        let debugpy: Vec<_> = all.iter().filter(|a| a.name == "debugpy").collect();
        assert_eq!(debugpy.len(), 1);
        let values = Values::from([("program", json!("a.py"))]);
        assert_eq!(debugpy[0].launch(Kind::File, &values), Some(json!({ "program": "a.py" })));
        assert_eq!(debugpy[0].launch(Kind::Module, &values), None);
        assert!(all.iter().any(|a| a.is_called("LLDB")));
        let broken = Adapters::embedded().with("own", "[[adapter]]\nname = 1\n").unwrap_err();
        assert!(broken.to_string().starts_with("own: "), "{broken}");
    }
}
